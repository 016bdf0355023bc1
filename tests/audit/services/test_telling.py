"""Tables hear what was decided: by webhook, in order, until they have heard."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from audit.models import DecisionKind, TableDecision, TableWebhook
from audit.queries.decisions import decision_body, decisions_after, tables_to_call
from audit.services import delivering
from audit.services.delivering import acknowledge_decision, deliver_decisions
from audit.services.telling import tell_table
from audit.services.webhooks import remove_webhook, set_webhook
from audit.tasks import deliver_decisions as deliver_task
from tables.models import GameTable, JournalEntry
from tables.services.actors import SYSTEM, Actor, NotAllowed
from tables.services.setup import BadSetup
from tests.audit.receiver import LOSE_ANSWER, Receiver
from tests.tables.playing import NOON, make_table

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)


@pytest.fixture
def table() -> GameTable:
    return make_table(rulebook="commission")


@pytest.fixture
def receiver(table: GameTable) -> Iterator[Receiver]:
    """Provide the platform of the table, called from now on."""
    with Receiver() as receiver:
        _, receiver.secret = set_webhook(table=table, url=receiver.url, actor=SYSTEM, at=NOON)
        yield receiver


def tell(table: GameTable, *kinds: str) -> list[int]:
    return [tell_table(table, DecisionKind(kind), at=NOON, data={"n": n}).pk for n, kind in enumerate(kinds)]


def state(number: int) -> tuple[int, Any, Any]:
    row = TableDecision.objects.get(pk=number)
    due = row.due_at - NOON if row.due_at else None
    heard = row.acknowledged_at - NOON if row.acknowledged_at else None
    return row.attempts, due, heard


def test_decisions_are_sent_signed_in_order_and_acknowledged_by_a_200(
    table: GameTable, receiver: Receiver
) -> None:
    first, second, third = tell(table, "hold", "void", "resume")
    assert deliver_decisions(table_id=table.pk, now=NOON + SECOND) == delivering.Telling(3, "")
    assert [body["id"] for body in receiver.heard] == [first, second, third]
    assert receiver.kinds == ["hold", "void", "resume"]
    assert receiver.unsigned == []
    assert state(third) == (1, None, SECOND)
    entries = JournalEntry.objects.filter(action="decision.acknowledged")
    assert entries.count() == 3
    assert deliver_decisions(table_id=table.pk, now=NOON + 2 * SECOND).heard == 0
    assert len(receiver.heard) == 3


def test_what_is_sent_is_what_the_table_would_read(table: GameTable, receiver: Receiver) -> None:
    tell(table, "table_closed")
    deliver_decisions(table_id=table.pk, now=NOON)
    [row] = decisions_after(table.pk, 0, 10)[0]
    assert receiver.heard == [decision_body(row) | {"decided_at": "2026-11-29T05:00:00Z"}]
    assert receiver.heard[0] == {
        "id": row.pk,
        "table": "B01",
        "kind": "table_closed",
        "round": None,
        "platform_round": None,
        "shoe": None,
        "platform_shoe": None,
        "ruling": None,
        "data": {"n": 0},
        "decided_at": "2026-11-29T05:00:00Z",
    }


def test_a_refused_one_is_sent_again_later_each_time_and_those_behind_it_wait(
    table: GameTable, receiver: Receiver
) -> None:
    first, second = tell(table, "hold", "void")
    receiver.answers = [503, 500]
    told = deliver_decisions(table_id=table.pk, now=NOON)
    assert told == delivering.Telling(0, "HTTP 503: well")
    assert state(first) == (1, timedelta(seconds=5), None)
    assert state(second) == (0, timedelta(0), None)
    assert deliver_decisions(table_id=table.pk, now=NOON + 4 * SECOND) == delivering.Telling()
    deliver_decisions(table_id=table.pk, now=NOON + 5 * SECOND)
    assert state(first) == (2, timedelta(seconds=15), None)
    assert TableDecision.objects.get(pk=first).last_error == "HTTP 500: well"
    assert deliver_decisions(table_id=table.pk, now=NOON + 15 * SECOND).heard == 2
    assert receiver.kinds == ["hold", "hold", "hold", "void"]


def test_a_lost_answer_brings_the_same_decision_again(table: GameTable, receiver: Receiver) -> None:
    [number] = tell(table, "void")
    receiver.answers = [LOSE_ANSWER]
    told = deliver_decisions(table_id=table.pk, now=NOON)
    assert told.error.startswith("RemoteProtocolError")
    assert deliver_decisions(table_id=table.pk, now=NOON + 5 * SECOND).heard == 1
    assert [body["id"] for body in receiver.heard] == [number, number]
    assert receiver.heard[0] == receiver.heard[1]


def test_a_platform_that_is_away_is_told_for_as_long_as_it_takes(table: GameTable) -> None:
    with Receiver() as receiver:
        url = receiver.url
    set_webhook(table=table, url=url, actor=SYSTEM, at=NOON)
    [number] = tell(table, "void")
    TableDecision.objects.update(attempts=200, due_at=NOON)
    told = deliver_decisions(table_id=table.pk, now=NOON)
    assert told.error.startswith("ConnectError")
    assert state(number) == (201, timedelta(minutes=15), None)


def test_a_redirect_is_not_followed(table: GameTable, receiver: Receiver) -> None:
    tell(table, "void")
    receiver.answers = [302]
    assert deliver_decisions(table_id=table.pk, now=NOON).error == "HTTP 302: well"
    assert len(receiver.heard) == 1


def test_with_another_secret_nothing_is_heard(table: GameTable, receiver: Receiver) -> None:
    [number] = tell(table, "void")
    receiver.secret = "another"
    assert deliver_decisions(table_id=table.pk, now=NOON).error.startswith("HTTP 401")
    assert receiver.heard == []
    assert receiver.unsigned == ["the signature does not fit this request and secret"]
    assert state(number)[2] is None


def test_a_decision_is_acknowledged_once(table: GameTable, receiver: Receiver) -> None:
    [number] = tell(table, "void")
    actor = Actor.of_table("B01")
    acknowledge_decision(decision_id=number, actor=actor, at=NOON + SECOND)
    acknowledge_decision(decision_id=number, actor=actor, at=NOON + 9 * SECOND)
    assert state(number) == (0, None, SECOND)
    [entry] = JournalEntry.objects.filter(action="decision.acknowledged")
    assert (entry.actor_kind, entry.actor_id) == ("feed", "B01")
    assert deliver_decisions(table_id=table.pk, now=NOON + 10 * SECOND).heard == 0
    assert receiver.heard == []


def test_one_acknowledged_while_it_was_being_sent_stays_acknowledged(
    table: GameTable, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    [number] = tell(table, "void")
    receiver.answers = [503]
    postpone = delivering._postpone

    def acknowledged_first(*arguments: Any) -> None:
        acknowledge_decision(decision_id=number, actor=Actor.of_table("B01"), at=NOON + SECOND)
        postpone(*arguments)

    monkeypatch.setattr(delivering, "_postpone", acknowledged_first)
    deliver_decisions(table_id=table.pk, now=NOON)
    assert state(number) == (1, None, SECOND)


def test_a_table_without_a_webhook_is_not_called_and_may_ask(table: GameTable) -> None:
    [number] = tell(table, "void")
    assert deliver_decisions(table_id=table.pk, now=NOON) == delivering.Telling()
    assert tables_to_call(NOON) == []
    assert [row.pk for row in decisions_after(table.pk, 0, 10)[0]] == [number]
    assert decisions_after(table.pk, number, 10) == ([], number, False)


def test_tables_with_something_due_are_called_and_one_that_is_away_keeps_no_other_waiting(
    table: GameTable, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_table("B02", rulebook="commission")
    idle = make_table("B03", rulebook="commission")
    for one in (other, idle):
        set_webhook(table=one, url="http://127.0.0.1:9/", actor=SYSTEM, at=NOON)
    tell(table, "void")
    tell(other, "void")
    TableDecision.objects.filter(table=other).update(due_at=NOON - SECOND)
    assert tables_to_call(NOON - 2 * SECOND) == []
    assert tables_to_call(NOON) == [other.pk, table.pk]
    rung: list[Any] = []
    monkeypatch.setattr("tables.services.outbox.ring", lambda task, ids: rung.append((task, ids)))
    deliver_task([other.pk, table.pk])
    assert rung == [("audit.deliver_decisions", [table.pk])]
    assert receiver.heard == []
    deliver_task([table.pk])
    assert receiver.kinds == ["void"]


def test_telling_rings_after_commit_where_a_webhook_is_in_use(
    table: GameTable,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    rung: list[Any] = []
    monkeypatch.setattr("tables.services.outbox.ring", lambda task, ids: rung.append((task, ids)))
    with django_capture_on_commit_callbacks(execute=True):
        tell(table, "void")
        assert rung == []
    assert rung == [("audit.deliver_decisions", [table.pk])]
    remove_webhook(table=table, actor=SYSTEM, at=NOON)
    with django_capture_on_commit_callbacks(execute=True):
        tell(table, "void")
    assert len(rung) == 1


BAD_URLS = {
    "ftp://127.0.0.1/": "http:// or https:// is wanted",
    "file:///etc/passwd": "http:// or https:// is wanted",
    "127.0.0.1:80/hook": "http:// or https:// is wanted",
    "": "1 to 500 characters",
    "http://": "a host is wanted, and a port if it is no usual one",
    "http://127.0.0.1:99999/": "no address: Port out of range 0-65535",
    "http://user:word@127.0.0.1/": "no user or password: what is sent is signed",
    "http://127.0.0.1/#here": "nothing after a #",
    "http://127.0.0.1/a b": "printable ASCII without spaces; write a host beyond it as xn--…",
    "http://127.0.0.1/" + "x" * 500: "1 to 500 characters",
}


@pytest.mark.parametrize(("url", "message"), BAD_URLS.items(), ids=[url[:24] or "empty" for url in BAD_URLS])
def test_an_address_that_will_not_do_changes_nothing(table: GameTable, url: str, message: str) -> None:
    with pytest.raises(BadSetup) as refused:
        set_webhook(table=table, url=url, actor=SYSTEM, at=NOON)
    assert (refused.value.field, refused.value.rule) == ("url", "webhook/url")
    assert refused.value.message.startswith(message)
    assert not TableWebhook.objects.exists()


def test_setting_again_makes_a_new_secret_and_removing_forgets_it(table: GameTable) -> None:
    _, first = set_webhook(table=table, url="https://platform.example/a", actor=SYSTEM, at=NOON)
    webhook, second = set_webhook(table=table, url="https://platform.example/b", actor=SYSTEM, at=NOON)
    assert first != second
    assert TableWebhook.objects.get().url == "https://platform.example/b"
    assert second not in repr(webhook) + str(webhook)
    assert remove_webhook(table=table, actor=SYSTEM, at=NOON) is True
    assert remove_webhook(table=table, actor=SYSTEM, at=NOON) is False
    assert TableWebhook.objects.get().secret == ""
    entries = JournalEntry.objects.filter(subject_type="tablewebhook").order_by("pk")
    assert [entry.action for entry in entries] == [
        "table_webhook.set",
        "table_webhook.set",
        "table_webhook.removed",
    ]
    assert not any(
        first.encode() in bytes(entry.body) or second.encode() in bytes(entry.body) for entry in entries
    )


def test_only_who_sets_tables_up_sets_webhooks(table: GameTable) -> None:
    with pytest.raises(NotAllowed):
        set_webhook(table=table, url="http://127.0.0.1/", actor=Actor("user", "1", "x"), at=NOON)
    assert not TableWebhook.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_workers_tell_a_table_each_decision_once_and_in_order(
    table: GameTable, receiver: Receiver
) -> None:
    numbers = tell(table, *["void"] * 8)
    heard: list[int] = []

    def work() -> None:
        try:
            heard.append(deliver_decisions(table_id=table.pk, now=NOON).heard)
        finally:
            connection.close()

    # The second worker begins when the first one's decision is on its way, and finds nothing to do.
    second = threading.Thread(target=work)

    def meanwhile() -> None:
        second.start()
        second.join()

    receiver.meanwhile = meanwhile
    work()
    assert heard == [0, 8]
    assert [body["id"] for body in receiver.heard] == numbers


@pytest.mark.django_db(transaction=True)
def test_without_the_claim_two_workers_tell_it_twice(
    table: GameTable, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: a decision that is not claimed while it is on its way goes out twice."""
    numbers = tell(table, "void")
    monkeypatch.setattr(delivering, "CLAIMED_FOR", timedelta(0))

    def work() -> None:
        try:
            deliver_decisions(table_id=table.pk, now=NOON)
        finally:
            connection.close()

    second = threading.Thread(target=work)

    def meanwhile() -> None:
        second.start()
        second.join()

    receiver.meanwhile = meanwhile
    work()
    assert [body["id"] for body in receiver.heard] == numbers * 2
