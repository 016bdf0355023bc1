"""A pack holds what the journal sealed of the feed, and what the recorder said of its rounds' video."""

import io
import json
import zipfile
from datetime import timedelta
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import pytest

from audit.models import VideoHold
from audit.pack.document import document_of
from audit.pack.facts import read_facts
from audit.pack.making import build
from audit.recorder_client import RecorderWord
from audit.services.consents import ask_to_release, give_consent
from audit.services.incidents import report_incident
from audit.services.packs import ask_for_pack
from audit.services.recording import ask_recorder
from audit.services.video import hold_video, note_alarm
from tables.models import FeedEvent, Round
from tables.rules.commitments import committed_at
from tables.services.actors import SYSTEM, Actor
from tests.audit.deciding import make_user
from tests.audit.services.test_complaints import DECIDES, HANDLES
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(hours=1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.EVIDENCE_FOLDER = str(tmp_path / "evidence")
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "keys" / "evidence.key")
    return tmp_path


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    return platform


def asked_for(subject: Any, *permissions: str) -> Any:
    user = make_user(f"orn{subject.pk}", "audit.export_evidence", *permissions)
    return ask_for_pack(subject=subject, actor=Actor.of_user(user), at=LATER, user=user)


def built(subject: Any) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    """Build a pack twice; return what it says, and the bodies of its entries."""
    pack = asked_for(subject)
    data = build(pack)
    assert data == build(pack)
    archive = zipfile.ZipFile(io.BytesIO(data))
    rows = [json.loads(line) for line in archive.read("journal/entries.jsonl").decode().splitlines()]
    entries = [row["entry"] for row in rows]
    assert all(one < next_one for one, next_one in pairwise(entries))  # in order, each once
    whole: dict[str, Any] = json.loads(archive.read("evidence.json"))
    return whole, {row["entry"]: json.loads(row["body"]) for row in rows}


def digest_of(rows: list[dict[str, Any]], name: str) -> str:
    return sha256(b"".join(bytes.fromhex(row[name]) for row in rows)).hexdigest()


def two_rounds_in_a_batch(platform: Platform) -> Round:
    """Play a round whose end comes in one batch with the next round's beginning and its bets."""
    first = platform.open_round()
    platform.bet(first, ("b1", "P-10001", "player", 10_000))
    lines = [platform.event("betting_closed", round=first)]
    for place, card in zip(("P1", "B1", "P2", "B2"), ("9H", "2D", "KC", "QS"), strict=True):
        lines.append(platform.event("card", round=first, place=place, card=card))
    lines.append(
        platform.event("round_result", round=first, outcome="player", player_total=9, banker_total=2)
    )
    lines.append(platform.event("betting_opened", round="R-second", number=2))
    bets = [{"id": "b-other", "player": "P-10002", "bet": "banker", "stake": 5_000}]
    lines.append(platform.event("bets", round="R-second", bets=bets))
    assert {answer.status for answer in platform.send(*lines).events} == {"accepted"}
    return platform.round(first)


def test_each_event_of_the_feed_is_under_a_digest_that_the_journal_holds(platform: Platform) -> None:
    round_ = two_rounds_in_a_batch(platform)
    whole, bodies = built(round_)
    assert [row["type"] for row in whole["feed"]] == [
        "betting_opened", "bets", "betting_closed", "card", "card", "card", "card", "round_result",
    ]  # fmt: skip
    batches = {row["entry"]: row for row in whole["feed_batches"]}
    told = {entry: body["data"] for entry, body in bodies.items() if body["action"] == "feed.read"}
    assert list(batches) == list(told) and len(told) == 3
    for entry, data in told.items():
        rows = [row for row in whole["feed_hashes"] if row["entry"] == entry]
        assert [row["seq"] for row in rows] == list(range(data["first_seq"], data["last_seq"] + 1))
        assert digest_of(rows, "body_sha256") == data["digest"] == batches[entry]["digest"]
        assert digest_of(rows, "kept_sha256") == data["kept_digest"] == batches[entry]["kept_digest"]
    hashes = {(row["entry"], row["seq"]): row for row in whole["feed_hashes"]}
    for row in whole["feed"]:
        sealed = hashes[row["entry"], row["seq"]]
        assert (sealed["round"], sealed["body_sha256"]) == (round_.public_id, row["body_sha256"])
        assert sha256(row["kept"].encode()).hexdigest() == sealed["kept_sha256"]
    assert json.loads(whole["feed"][3]["kept"])["card"] == "9H"


def test_of_another_round_in_the_same_batch_there_are_hashes_alone(platform: Platform) -> None:
    round_ = two_rounds_in_a_batch(platform)
    pack = asked_for(round_, "tables.view_playeridentity")
    archive = zipfile.ZipFile(io.BytesIO(build(pack)))
    whole = json.loads(archive.read("evidence.json"))
    besides = [row for row in whole["feed_hashes"] if not row["round"]]
    assert len(besides) == 2  # the next round's opening and its bets
    assert set(besides[0]) == {"entry", "seq", "round", "body_sha256", "kept_sha256"}
    held = b"".join(archive.read(name) for name in archive.namelist() if name != "evidence.pdf")
    for text in (b"R-second", b"b-other", b"P-10002"):
        assert text not in held


def test_a_whole_shoe_leaves_no_event_of_a_round_without_its_entry(platform: Platform) -> None:
    first = platform.play("9H 2D KC QS", ("b1", "P-10001", "player", 10_000))
    platform.play("8H 2C KD QH", ("b2", "P-10001", "player", 10_000))
    whole, bodies = built(first.shoe)
    assert len(whole["feed"]) == FeedEvent.objects.filter(round__isnull=False).count()
    assert {bodies[row["entry"]]["action"] for row in whole["feed"]} == {"feed.read"}
    assert [row["round"] for row in whole["video"]] == [row["round"] for row in whole["rounds"]]


def report(round_: Round) -> VideoHold:
    facts: dict[str, Any] = {}
    report_incident(table=round_.table, round_=round_, code="misdeal", facts=facts, actor=SYSTEM, at=LATER)
    return VideoHold.objects.get(round=round_)


class Recorder:
    """A recorder that always says the same."""

    def __init__(self, word: RecorderWord, why: str = "") -> None:
        self.said = word, why

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def hold(self, *_: object, **__: object) -> tuple[RecorderWord, str]:
        return self.said

    release = hold


def answer(hold: VideoHold, word: RecorderWord, why: str = "", *, minutes: int = 1) -> None:
    recorder: Any = Recorder(word, why)
    now = LATER + timedelta(minutes=minutes)
    assert ask_recorder(hold_ids=[hold.pk], now=now, client=recorder) == 1


def test_of_each_round_it_says_where_its_video_is_and_what_the_recorder_said(platform: Platform) -> None:
    round_ = platform.play("9H 2D KC QS")
    hold = report(round_)
    answer(hold, RecorderWord.REFUSED, "the camera was off")
    gives = make_user("nattaya", *DECIDES)
    who = {"actor": Actor.of_user(gives), "user": gives, "at": LATER + timedelta(minutes=2)}
    note_alarm(hold_id=hold.pk, reason="the hall camera shows it", **who)
    whole, bodies = built(round_)
    [row] = whole["video"]
    [dealt] = whole["rounds"]
    assert (row["camera"], row["from"], row["to"]) == (
        "B01",
        dealt["betting_opened_at"],
        dealt["resulted_at"],
    )
    assert row["expires_at"] == dealt["resulted_at"].replace("2026-11-29", "2026-11-30")
    [row] = whole["video_holds"]
    assert (row["round"], row["status"], row["said"]) == (
        round_.public_id, "refused", "the camera was off",
    )  # fmt: skip
    assert (row["asked_at"], row["answered_at"]) == (
        "2026-11-29T06:00:00.000000Z", "2026-11-29T06:01:00.000000Z",
    )  # fmt: skip
    assert (row["noted_by"], row["noted_because"]) == ("nattaya", "the hall camera shows it")
    [text] = whole["entry_texts"]
    salted = sha256(bytes.fromhex(text["salt"]) + text["text"].encode()).hexdigest()
    assert committed_at(bodies[text["entry"]]["data"], text["name"]) == salted
    assert row["held_for"] == [whole["incidents"][0]["incident"]]
    actions = [body["action"] for body in bodies.values() if body["subject"][0] == "videohold"]
    assert actions == ["video.asked", "video.refused", "video.noted"]
    pack = asked_for(round_.shoe)
    shown = {language: json.dumps(document_of(pack, read_facts(pack), language)) for language in ("en", "th")}
    assert "The camera was off." in shown["en"] and "Lapses without a hold" in shown["en"]
    assert "The camera was off." not in shown["th"]


def test_of_a_released_hold_it_says_which_two_persons_released_it_and_why(platform: Platform) -> None:
    round_ = platform.play("9H 2D KC QS")
    hold = report(round_)
    answer(hold, RecorderWord.HELD)
    asks, gives = make_user("pim", *HANDLES), make_user("nattaya", *DECIDES)
    at = LATER + timedelta(minutes=2)
    consent = ask_to_release(hold_id=hold.pk, reason="all agree", actor=Actor.of_user(asks), user=asks, at=at)
    give_consent(consent_id=consent.pk, reason="so do I", actor=Actor.of_user(gives), user=gives, at=at)
    answer(hold, RecorderWord.RELEASED, minutes=3)
    whole, bodies = built(round_)
    [row] = whole["video_holds"]
    assert (row["status"], row["release"]) == ("released", consent.pk)
    [row] = whole["consents"]
    assert (row["consent"], row["kind"], row["hold"]) == (consent.pk, "video_release", str(hold.uuid))
    assert (row["asked_by"], row["reason"]) == ("Pim", "all agree")
    assert (row["decided_by"], row["decision_reason"]) == ("Nattaya", "so do I")
    actions = [body["action"] for body in bodies.values() if body["subject"][0] in ("videohold", "consent")]
    assert actions == [
        "video.asked", "video.held", "consent.requested", "consent.approved", "video.releasing",
        "video.released",
    ]  # fmt: skip


def test_holds_asked_for_together_have_one_entry_which_each_rounds_pack_has(platform: Platform) -> None:
    rounds = [platform.play("9H 2D KC QS"), platform.play("8H 2C KD QH"), platform.play("7H 2S KH QC 3D")]
    facts: dict[str, Any] = {}
    table = rounds[0].table
    incident = report_incident(
        table=table, code="misdeal", facts=facts, actor=SYSTEM, at=LATER, round_=rounds[0]
    )
    hold_video(rounds[1:], at=LATER + timedelta(minutes=1), incident=incident)
    for round_, others in ((rounds[1], 1), (rounds[2], 1), (rounds[0], 0)):
        _, bodies = built(round_)
        [asked] = [body for body in bodies.values() if body["action"] == "video.asked"]
        assert len(asked["data"].get("rounds_besides", [])) == others
