"""A live table and the whole product: what is ruled is told, obeyed, and accepted without a finding."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.utils import timezone

from audit.models import RulingKind, TableDecision
from casino.counterparts.platform.live import LiveTable
from tables.models import Deal, FeedEvent, Finding, GameTable, Round, Shoe
from tables.queries.rulebooks import rules_of
from tables.services.actors import SYSTEM
from tables.services.api_keys import make_api_key
from tests.audit.deciding import MANAGES, SUPERVISES, make_user, rule
from tests.tables.playing import NOON, make_table

pytestmark = pytest.mark.django_db
SPEED = 100_000.0
#: What the script has in it by itself, beside bets that come too late or are too high.
SCRIPTED = {"scan_failed", "event_refused", "incident_reported"}


@pytest.fixture(autouse=True)
def one_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave the test's connection open between requests, and let nobody wait."""
    monkeypatch.setattr(threading.Event, "wait", lambda self, timeout=None: self.is_set())
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


class Between(httpx.BaseTransport):
    """The product in this process; after each request something may happen there."""

    def __init__(self, after: Callable[[], None]) -> None:
        self.product = httpx.WSGITransport(get_wsgi_application())
        self.after = after

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self.product.handle_request(request)
        if request.method == "POST" and request.url.path.endswith("/events"):
            answer.read()
            self.after()
        return answer


class Manager:
    """Decides about the round in play, once for each decision, when its time has come."""

    def __init__(self, table: GameTable, *decisions: tuple[RulingKind, str]) -> None:
        self.table = table
        self.asker, self.decider = make_user("asker", *SUPERVISES), make_user("decider", *MANAGES)
        self.left = list(decisions)
        self.ruled: list[Round] = []

    def __call__(self) -> None:
        if not self.left:
            return
        kind, moment = self.left[0]
        now = self.table.state.__class__.objects.select_related("round", "shoe").get(table=self.table)
        if now.round is None or now.round in self.ruled or not _has_come(now.round, moment):
            return
        del self.left[0]
        self.ruled.append(now.round)
        about: dict[str, Any] = {"at": timezone.now(), "table": self.table, "shoe": now.shoe}
        if kind is RulingKind.VOID_ROUND:
            about["facts"] = {"also": ["replace_shoe"] if moment == "second card and shoe" else []}
        rule(self.asker, self.decider, kind, [now.round], **about)


def _has_come(round_: Round, moment: str) -> bool:
    if moment == "result":
        return round_.status in ("resulted", "settled")
    return round_.status == "dealing" and Deal.objects.get(round=round_, status="live").cards.count() == 2


def deal(tmp_path: Path, rulebook: str, events: int, *decisions: tuple[RulingKind, str]) -> Manager:
    """Let a table deal until it sent so many events, while a manager decides."""
    table = make_table(rulebook=rulebook)
    _, key = make_api_key(label="platform", table=table, scopes=["feed:write"], actor=SYSTEM, at=NOON)
    manager, stopping = Manager(table, *decisions), threading.Event()

    def after() -> None:
        manager()
        if FeedEvent.objects.filter(table=table).count() >= events:
            stopping.set()

    headers = {"Authorization": f"Bearer {key}"}
    client = httpx.Client(transport=Between(after), base_url="http://localhost/api/v1/", headers=headers)
    memory = tmp_path / "memory.json"
    LiveTable("B01", rules_of(table.rulebook_id), 1, client, memory, stopping, SPEED, listen_seconds=0).run()
    return manager


def unforeseen() -> set[str]:
    found = set(Finding.objects.values_list("code", flat=True))
    return {code for code in found - SCRIPTED if not code.startswith("bets_")}


def heard() -> list[tuple[str, bool]]:
    rows = TableDecision.objects.order_by("pk")
    return [(row.kind, row.acknowledged_at is not None) for row in rows if row.kind != "hold"]


@pytest.mark.parametrize("rulebook", ["insurance", "live-commission"])
def test_voided_and_dealt_again(tmp_path: Path, rulebook: str) -> None:
    decisions = [
        (RulingKind.VOID_ROUND, "second card"),
        (RulingKind.RE_DEAL, "second card"),
        (RulingKind.RE_DEAL, "result"),
    ]
    manager = deal(tmp_path, rulebook, 75, *decisions)
    void, again, late = (Round.objects.get(pk=round_.pk) for round_ in manager.ruled)
    assert void.status == "voided"
    for round_ in (again, late):
        assert [(one.number, one.status) for one in round_.deals.order_by("number")] == [
            (1, "dead"),
            (2, "live"),
        ]
        assert round_.outcome is not None
    numbers = Round.objects.filter(shoe=void.shoe).order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, len(numbers) + 1))
    assert heard() == [("void", True), ("re_deal", True), ("re_deal", True)]
    assert unforeseen() == set()
    assert set(FeedEvent.objects.filter(status="refused").values_list("type", flat=True)) <= {"card"}


def test_a_replaced_shoe_starts_anew(tmp_path: Path) -> None:
    manager = deal(tmp_path, "live-commission", 40, (RulingKind.VOID_ROUND, "second card and shoe"))
    [void] = manager.ruled
    first, second = Shoe.objects.order_by("started_at")
    assert (first.pk, first.status, second.status) == (void.shoe_id, "replaced", "open")
    assert Round.objects.filter(shoe=second).count() > 1
    assert heard() == [("void", True), ("shoe_replaced", True)]
    assert unforeseen() == set()
