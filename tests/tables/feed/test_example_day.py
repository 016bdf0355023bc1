"""The documented day: of the published format, current, and read and settled as the documentation says."""

import json
import subprocess
import sys
from collections import Counter
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.management import CommandError, call_command

from casino.runtime.places import ROOT
from tables import words
from tables.feed.events import EVENT_TYPES
from tables.management.commands.feed_schema import schema_text
from tables.models import Bet, BetStatus, FeedEvent, Finding, Hold, Round, Settlement, SettlementLine, Shoe
from tables.services.settlement import settle_round
from tests.tables.playing import NOON, make_table

EXAMPLE = ROOT / "docs" / "examples" / "day-B01.jsonl"
SCHEMA = ROOT / "docs" / "schema" / "feed-event.schema.json"
GARBLED = "B01-s307d1x1-00024"
BY_EXAMPLE = (
    "--table B01 --rulebook insurance --seed 307 --shoes 1 --rounds 11 --ends-at 2026-11-29T21:30:00+07:00"
)


def events() -> list[dict[str, Any]]:
    return [json.loads(line) for line in EXAMPLE.read_bytes().splitlines()]


def test_the_published_schema_is_that_of_the_reader() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()


def test_the_schema_names_every_type_of_event() -> None:
    schema = json.loads(SCHEMA.read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    types = set(schema["discriminator"]["mapping"])
    assert types == {str(event.__struct_config__.tag) for event in EVENT_TYPES}
    assert len(types) == 23
    assert types == set(words.EVENT_TYPES)  # pages have a word for each


def test_every_event_of_the_day_but_the_garbled_one_is_of_the_published_format() -> None:
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_bytes()))
    assert [event["id"] for event in events() if not validator.is_valid(event)] == [GARBLED]


def test_the_example_is_what_the_documented_command_prints() -> None:
    command = [sys.executable, "-m", "casino.counterparts.platform", *BY_EXAMPLE.split()]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    assert printed == EXAMPLE.read_bytes()
    assert BY_EXAMPLE in (ROOT / "docs" / "feed.md").read_text(encoding="utf-8")


def ingest(*arguments: str | Path, status: int | None = None) -> str:
    """Run the command and return what it said on standard error; `status` is the exit status wanted."""
    said = StringIO()
    if status is None:
        call_command("ingest", *map(str, arguments), stderr=said)
    else:
        with pytest.raises(SystemExit) as ended:
            call_command("ingest", *map(str, arguments), stderr=said)
        assert ended.value.code == status
    return said.getvalue()


@pytest.fixture
def read_day(db: None) -> str:
    make_table("B01", "insurance")
    return ingest(EXAMPLE, status=1)


def test_the_day_is_read_and_its_one_refused_event_named(read_day: str) -> None:
    lines = read_day.splitlines()
    assert lines[0].startswith(f"line 24: event {GARBLED}, seq 24: refused: card: ")
    assert lines[1] == "163 events: 162 accepted, 1 refused"
    assert (Shoe.objects.count(), Round.objects.count(), Bet.objects.count()) == (1, 11, 318)
    refused = Counter(Bet.objects.filter(status=BetStatus.REFUSED.value).values_list("refusal", flat=True))
    assert refused == {
        "after_bell": 3,
        "before_betting": 1,
        "bet_not_in_rulebook": 1,
        "both_sides": 3,
        "insurance_not_offered": 2,
        "insurance_over_cap": 3,
        "no_main_bet": 1,
        "outside_limits": 1,
    }
    assert Bet.objects.filter(status=BetStatus.CANCELLED.value).count() == 2


def test_the_refused_event_held_its_round_until_it_was_superseded(read_day: str) -> None:
    hold = Hold.objects.get()
    assert (hold.reason, hold.round.number) == ("event_refused", 2)
    assert hold.lifted_by == "superseded by event B01-s307d1x1-00025"


def test_what_was_not_as_it_should_be_is_found(read_day: str) -> None:
    assert Counter(Finding.objects.values_list("code", flat=True)) == {
        "bets_after_bell": 3,
        "bets_outside_limits": 1,
        "event_refused": 1,
        "insurance_over_cap": 3,
        "scan_failed": 3,
    }


def test_the_shoe_is_accounted_for(read_day: str) -> None:
    shoe = Shoe.objects.get()
    assert (shoe.burn_due, shoe.burn_done, shoe.cut_from_back) == (
        8,
        8,
        343,
    )  # the eight of hearts was turned
    assert (shoe.blue_card_after, shoe.cards_out, shoe.last_round_number) == (73, 74, 11)
    assert shoe.status == "ended"


def test_the_day_may_be_read_again_and_nothing_changes(read_day: str) -> None:
    before = FeedEvent.objects.count(), Bet.objects.count(), Finding.objects.count()
    again = ingest(EXAMPLE)
    assert again.splitlines() == ["163 events: 163 repeat", read_day.splitlines()[-1]]
    assert (FeedEvent.objects.count(), Bet.objects.count(), Finding.objects.count()) == before


def test_the_day_settles_as_reckoned_by_hand(read_day: str) -> None:
    for round_ in Round.objects.order_by("number"):
        assert isinstance(settle_round(round_id=round_.pk, now=NOON), Settlement)
    first = Settlement.objects.get(round__number=1)
    # The Player wins with a natural 8 against 0, four cards, no pair. Back come two bets on the Player
    # (500.00 and 50.00, twice) and two on his natural 8 (5,000.00 and 500.00, nine times); one was cancelled.
    assert (first.outcome, first.bets_count) == ("player", 14)
    assert (first.stakes_minor, first.returned_minor, first.kept_minor) == (6_025_000, 5_060_000, 965_000)
    # Round 4: the Player's 6 was insured at 5/2 against the Banker's 2, who drew a 7 and won. Refused were
    # 240.00 on a bet of 400.00: they would have brought 600.00.
    insured = SettlementLine.objects.filter(settlement__round__number=4, bet__phase="four_cards")
    lines = insured.order_by("bet_id").values_list("bet__stake_minor", "result", "returned_minor")
    assert list(lines) == [
        (300_000, "won", 1_050_000),
        (4_000, "won", 14_000),
        (8_000, "won", 28_000),
        (30_000, "won", 105_000),
    ]


@pytest.mark.django_db
class TestFilesThatAreNoDay:
    """Each gets a clear error, and nothing is half done."""

    def fail(self, path: Path) -> str:
        with pytest.raises(CommandError) as error:
            call_command("ingest", str(path))
        assert error.value.returncode == 2
        assert FeedEvent.objects.count() == 0
        return str(error.value)

    def test_missing(self, tmp_path: Path) -> None:
        assert self.fail(tmp_path / "none").endswith("none: No such file or directory")

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"", "is empty: no events in it"),
            (b"\n\n", "is empty: no events in it"),
            (b'\xef\xbb\xbf{"id": "a"}\n', "begins with a byte-order mark; save it as UTF-8 without one"),
            ('{"id": "a"}\n'.encode("utf-16"), "begins with a byte-order mark; save it as UTF-8 without one"),
            (
                b"day,table\n",
                "is neither JSON Lines nor a JSON array of events: it begins with b'day,table\\n'",
            ),
        ],
    )
    def test_not_events(self, tmp_path: Path, content: bytes, said: str) -> None:
        path = tmp_path / "day"
        path.write_bytes(content)
        assert self.fail(path) == f"{path} {said} (feed/format)"

    def test_a_broken_array(self, tmp_path: Path) -> None:
        path = tmp_path / "day"
        path.write_bytes(b'[{"id": "a", "table": "B01"}')
        assert "is no JSON array of events: " in self.fail(path)

    def test_a_table_nobody_knows(self) -> None:
        assert self.fail(EXAMPLE) == "line 1: no table has the code 'B01'"


@pytest.mark.django_db
def test_a_file_that_ends_mid_line_is_read_up_to_there_and_may_be_read_again(tmp_path: Path) -> None:
    make_table("B01", "insurance")
    path = tmp_path / "half"
    path.write_bytes(EXAMPLE.read_bytes()[:500])
    said = ingest(path, status=1)
    assert "the file ends in the middle of this line; what stands before it is in" in said.splitlines()[0]
    assert said.splitlines()[1] == "2 events: 1 accepted, 1 unreadable"
    again = ingest(EXAMPLE, status=1)
    assert "163 events: 161 accepted, 1 refused, 1 repeat" in again.splitlines()


@pytest.mark.django_db
def test_an_array_and_standard_input_are_read_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_table("B01", "insurance")
    path = tmp_path / "day.json"
    path.write_text(json.dumps(events()[:8]))
    assert ingest(path).splitlines() == ["8 events: 8 accepted"]
    with path.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert ingest("-", "--table", "B01").splitlines() == ["8 events: 8 repeat"]


@pytest.mark.django_db
def test_answers_may_be_had_as_json() -> None:
    make_table("B01", "insurance")
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("ingest", str(EXAMPLE), "--json", stdout=out, stderr=StringIO())
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(answers) == 163
    assert (answers[23]["line"], answers[23]["id"], answers[23]["status"]) == (24, GARBLED, "refused")


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "limit"), [("CHUNK_LINES", 7), ("CHUNK_BYTES", 2_000)])
def test_how_the_file_is_cut_into_chunks_changes_nothing(
    name: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"tables.management.commands.ingest.{name}", limit)
    make_table("B01", "insurance")
    assert ingest(EXAMPLE, status=1).splitlines()[1] == "163 events: 162 accepted, 1 refused"
    assert (Round.objects.count(), Bet.objects.count()) == (11, 318)
