"""The ledger recomputed: what was settled agrees, and whatever somebody altered is named."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import date
from io import StringIO
from uuid import uuid4

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from tables.models import Deal, Round, SettlementLine, TransactionKind, WalletTransaction
from tables.queries.deals import coup_of
from tables.queries.ledger import Counts, verify_ledger
from tables.queries.revisions import Plan
from tables.rulebooks import shipped_text
from tables.services.actors import SYSTEM
from tables.services.settlement import settle_round, write_next_revision
from tables.services.setup import publish_rulebook
from tests.tables.playing import NOON, Platform, make_table

pytestmark = pytest.mark.django_db(transaction=True)

BANKER_WINS_2_TO_0 = "KS 2H QD KH KC 10H"
PLAYER_WINS_WITH_5_AGAINST_4 = "5S 4H KD KH KC 10H"

Alter = Callable[..., None]
Lifted = Callable[[], AbstractContextManager[psycopg.Connection]]
Revise = Callable[[Round, Plan, TransactionKind], None]


@pytest.fixture
def platform() -> Platform:
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    return platform


@pytest.fixture
def played(platform: Platform) -> Round:
    """A round that the Banker won by 2 to 0; the house lost 9,500 − 7,000 − 500."""
    return platform.play(
        BANKER_WINS_2_TO_0,
        ("b1", "P-1", "banker", 10_000),
        ("b2", "P-1", "tie", 500),
        ("b3", "P-2", "player", 7_000),
    )


@pytest.fixture
def lifted(owner_connection: psycopg.Connection) -> Lifted:
    """Lift, as the owner, the triggers that refuse changes, and revisions without a ruling."""

    @contextmanager
    def lift() -> Iterator[psycopg.Connection]:
        found = owner_connection.execute(TRIGGERS).fetchall()
        for table, trigger, _ in found:
            owner_connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")
        try:
            yield owner_connection
        finally:
            for table, trigger, state in found:
                how = "ENABLE ALWAYS" if state == "A" else "ENABLE"
                owner_connection.execute(f"ALTER TABLE {table} {how} TRIGGER {trigger}")

    return lift


@pytest.fixture
def alter(lifted: Lifted) -> Alter:
    """Change rows as an owner does who means harm."""

    def change(statement: str, *values: object) -> None:
        with lifted() as owner:
            owner.execute(statement, values)

    return change


@pytest.fixture
def revise(lifted: Lifted, platform: Platform) -> Revise:
    """Write a round's next revision as a ruling does."""

    def write(round_: Round, plan: Plan, kind: TransactionKind) -> None:
        with lifted(), transaction.atomic():
            write_next_revision(round_, plan, kind=kind, actor=SYSTEM, now=platform.at, authority=uuid4())

    return write


TRIGGERS = """
SELECT c.relname, t.tgname, t.tgenabled::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE NOT t.tgisinternal AND c.relname LIKE 'tables\\_%%'
"""
ADD_LINE = """
INSERT INTO tables_settlementline (settlement_id, bet_id, result, returned_minor, moved_minor)
VALUES (%s, %s, 'won', 2, 2)
"""


def found(**options: object) -> list[str]:
    """Return what the check names, without the round's ID in front."""
    return [str(one).split(" ", 1)[1] for one in verify_ledger(counts=Counts(), **options)]


def line_of(bet: str) -> SettlementLine:
    return SettlementLine.objects.select_related("bet", "settlement").get(bet__platform_bet_id=bet)


def test_what_was_settled_agrees(platform: Platform, played: Round) -> None:
    platform.play(
        "9H 9D KC QS",
        ("c1", "P-1", "banker", 333),
        ("c2", "P-2", "tie", 100),
        ("c3", "P-3", "tie", 0x7FFFFFF),
    )
    platform.play(BANKER_WINS_2_TO_0)
    platform.open_round()
    counts = Counts()
    assert list(verify_ledger(counts=counts)) == []
    assert (counts.rounds, counts.bets, counts.not_settled) == (3, 5, 1)
    # c3 is over the limit of 100,000,000 and refused; c1 is pushed, c2 pays 8 to 1, b1 pays 19/20.
    assert counts.stakes_minor == {"THB": 17_500 + 433}
    assert counts.returned_minor == {"THB": 19_500 + 333 + 900}


def play_insured(platform: Platform, main: dict[str, str], insurance: dict[str, str]) -> Round:
    """The Player's 6 against 4, insured at 5/2, loses to the Banker's 8."""
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 20_000, main), ("b2", "P-2", "banker", 1_000, main))
    platform.say("betting_closed", round=name)
    for place, card in zip(("P1", "B1", "P2", "B2"), ("6H", "4H", "KC", "QS"), strict=True):
        platform.say("card", round=name, place=place, card=card)
    platform.say("insurance_opened", round=name, phase="four_cards")
    bought = {"phase": "four_cards", **insurance}
    assert platform.bet(name, ("i1", "P-1", "player_insurance", 4_000, bought)).refused_bets == []
    platform.say("insurance_closed", round=name, phase="four_cards")
    platform.say("card", round=name, place="B3", card="4S")
    platform.say("round_result", round=name, outcome="banker", player_total=6, banker_total=8)
    round_ = platform.round(name)
    settle_round(round_id=round_.pk, now=platform.at)
    return round_


def test_insurance_agrees(platform: Platform) -> None:
    play_insured(platform, main={}, insurance={})
    assert line_of("i1").returned_minor == 4_000 + 10_000
    assert found() == []


def test_odds_shown_pay_insurance_alone_and_only_where_the_rulebook_says_so(platform: Platform) -> None:
    text = shipped_text("insurance").replace("wrong_odds: {pay: schedule,", "wrong_odds: {pay: shown,")
    publish_rulebook(text=text, effective_from=NOON, actor=SYSTEM, at=NOON)
    play_insured(platform, main={"odds": "7"}, insurance={"odds": "3"})
    assert line_of("i1").returned_minor == 4_000 + 12_000
    assert line_of("b2").returned_minor == 1_000 + 950
    assert found() == []


def test_an_altered_line_is_named(played: Round, alter: Alter) -> None:
    alter("UPDATE tables_settlementline SET returned_minor = 19501 WHERE bet_id = %s", line_of("b1").bet_id)
    there = found()
    assert "bet b1: returned is 19501, should be 19500" in there
    assert "bet b1: moved by all revisions is 19500, should be 19501, what its newest line returns" in there
    assert any(one.startswith("digest of the lines is ") for one in there)
    assert len(there) == 3


def test_an_altered_result_is_named(played: Round, alter: Alter) -> None:
    to_push = "result = 'push', returned_minor = 500, moved_minor = 500"
    statement = f"UPDATE tables_settlementline SET {to_push} WHERE bet_id = %s"
    alter(statement, line_of("b2").bet_id)
    there = found()
    assert there[:2] == ["bet b2: result is push, should be lost", "bet b2: returned is 500, should be 0"]
    assert "moved by revision 1 is 19500, should be 20000" in there
    assert (
        "player #{}: wallet transaction of revision 1 is 19500, should be 20000".format(
            line_of("b2").bet.player_id
        )
        in there
    )


def test_an_altered_total_is_named(played: Round, alter: Alter) -> None:
    statement = "UPDATE tables_settlement SET returned_minor = 19000, kept_minor = -1500 WHERE round_id = %s"
    alter(statement, played.pk)
    assert found() == ["returned in all is 19000, should be 19500", "kept is -1500, should be -2000"]


def test_an_altered_card_is_named(played: Round, alter: Alter) -> None:
    deal = Deal.objects.get(round=played)
    # A nine of the Banker's in place of the two makes a natural of it: no third card was due to either.
    alter("UPDATE tables_card SET rank = '9' WHERE deal_id = %s AND place = 'B1'", deal.pk)
    (there,) = found()
    assert there.startswith("cards is extra_card: card 5 (KC) should not have been dealt;")
    # A three in place of the two changes only the total.
    alter("UPDATE tables_card SET rank = '3' WHERE deal_id = %s AND place = 'B1'", deal.pk)
    assert found() == ["the Banker's total is 2, should be 3"]
    # A king there makes it a tie of nought.
    alter("UPDATE tables_card SET rank = 'K' WHERE deal_id = %s AND place = 'B1'", deal.pk)
    there = found()
    assert "outcome is banker, should be tie" in there
    assert "bet b1: result is won, should be push" in there
    assert "bet b3: returned is 0, should be 7000" in there


def test_a_deleted_line_is_named(played: Round, alter: Alter) -> None:
    alter("DELETE FROM tables_settlementline WHERE bet_id = %s", line_of("b3").bet_id)
    there = found()
    assert there[0] == "bet b3: line is missing, should be lost 0"
    assert there[1].startswith("digest of the lines is ")
    assert len(there) == 2


def test_a_line_of_a_bet_that_was_refused_is_named(platform: Platform, alter: Alter) -> None:
    round_ = platform.play(BANKER_WINS_2_TO_0, ("b1", "P-1", "banker", 1), ("b2", "P-1", "banker", 200))
    refused = round_.bets.get(platform_bet_id="b1")
    settlement = round_.settlements.get()
    alter(ADD_LINE, settlement.pk, refused.pk)
    assert "bet b1: line is won 2, should be none" in found()


def test_a_line_of_another_rounds_bet_is_named(platform: Platform, played: Round, alter: Alter) -> None:
    other = platform.play("9H 9D KC QS", ("c1", "P-1", "banker", 333))
    bet = other.bets.get()
    alter(
        ADD_LINE,
        played.settlements.get().pk,
        bet.pk,
    )
    assert f"bet c1: line is for a bet of {other.public_id}, should be none" in found()


def test_a_missing_settlement_wallet_transaction_and_message_are_named(
    platform: Platform, played: Round, alter: Alter
) -> None:
    told = WalletTransaction.objects.get()
    alter("DELETE FROM tables_walletdelivery WHERE transaction_id = %s", told.pk)
    player = f"player #{told.player_id}"
    assert found() == [f"{player}: wallet message of revision 1 is missing, should be there"]
    alter("DELETE FROM tables_wallettransaction WHERE id = %s", told.pk)
    assert found() == [f"{player}: wallet transaction of revision 1 is 0, should be 19500"]
    empty = platform.play(BANKER_WINS_2_TO_0)
    alter("DELETE FROM tables_settlement WHERE round_id = %s", empty.pk)
    assert found()[0] == "settlement is missing, should be there: it is settled"


def test_an_altered_rulebook_is_named(played: Round, alter: Alter) -> None:
    alter("UPDATE tables_rulebook SET document = document || '# nothing' WHERE id = %s", played.rulebook_id)
    (there,) = found()
    assert there.startswith("rulebook is a document with the SHA-256 ")


def test_a_later_revision_is_the_one_recomputed(played: Round, alter: Alter, revise: Revise) -> None:
    deal = Deal.objects.get(round=played)
    alter("UPDATE tables_card SET rank = 'K' WHERE deal_id = %s AND place = 'B1'", deal.pk)
    revise(played, Plan(deal, coup_of(deal, 8)), TransactionKind.ADJUSTMENT)
    alter("UPDATE tables_round SET outcome = 'tie', banker_total = 0 WHERE id = %s", played.pk)
    assert line_of_newest("b1") == ("push", 10_000, -9_500)
    assert found() == []
    statement = "UPDATE tables_settlementline SET moved_minor = -9000 WHERE moved_minor = -9500"
    alter(statement)
    assert "bet b1: moved by all revisions is 10500, should be 10000, what its newest line returns" in found()


def test_a_kind_that_was_voided_is_expected_void(played: Round, alter: Alter, revise: Revise) -> None:
    plan = Plan(played.deals.get(), coup_of(played.deals.get(), 8), void_kinds=frozenset({"player"}))
    revise(played, plan, TransactionKind.ADJUSTMENT)
    assert line_of_newest("b3") == ("void", 7_000, 7_000)
    assert found() == []
    alter(
        "UPDATE tables_settlement SET overlay = overlay || '{\"void_kinds\": []}'::jsonb WHERE revision = 2"
    )
    assert "bet b3: result is void, should be lost" in found()


def test_a_round_that_is_voided_after_all_agrees(played: Round, alter: Alter, revise: Revise) -> None:
    revise(played, Plan(played.deals.get(), None, void_all=True), TransactionKind.CANCEL)
    assert "bet b1: result is void, should be won" in found()
    alter("UPDATE tables_round SET status = 'voided' WHERE id = %s", played.pk)
    assert line_of_newest("b1") == ("void", 10_000, -9_500)
    assert found() == []


def line_of_newest(bet: str) -> tuple[str, int, int]:
    line = SettlementLine.objects.filter(bet__platform_bet_id=bet).order_by("-settlement__revision")[0]
    return line.result, line.returned_minor, line.moved_minor


def test_a_voided_round_returns_every_stake(platform: Platform, played: Round, alter: Alter) -> None:
    alter("UPDATE tables_round SET status = 'voided' WHERE id = %s", played.pk)
    there = found()
    assert "bet b1: result is won, should be void" in there
    assert "bet b3: returned is 0, should be 7000" in there


def test_a_round_that_is_dealt_again_keeps_its_bets_open(played: Round, alter: Alter) -> None:
    alter("UPDATE tables_round SET status = 'dealing' WHERE id = %s", played.pk)
    there = found()
    assert "bet b1: result is won, should be open" in there
    assert "bet b1: returned is 19500, should be 0" in there


def test_table_and_days_choose_the_rounds(played: Round, alter: Alter) -> None:
    other = Platform(make_table("B02", "commission"))
    other.start()
    other.play(BANKER_WINS_2_TO_0, ("d1", "P-9", "banker", 200))
    alter("UPDATE tables_settlementline SET returned_minor = 1 WHERE bet_id = %s", line_of("d1").bet_id)
    assert found(table_code="B01") == []
    assert len(found(table_code="B02")) == 3
    assert len(found(first_day=date(2026, 11, 29), last_day=date(2026, 11, 29))) == 3
    assert found(first_day=date(2026, 11, 30)) == found(last_day=date(2026, 11, 28)) == []


def test_batches_leave_no_round_out(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        platform.play(
            BANKER_WINS_2_TO_0, (f"e{number}", "P-1", "banker", 200), (f"f{number}", "P-2", "player", 200)
        )
    for rounds, bets in ((2, 100_000), (500, 3), (500, 1)):
        monkeypatch.setattr("tables.queries.ledger.BATCH_ROUNDS", rounds)
        monkeypatch.setattr("tables.queries.ledger.BATCH_BETS", bets)
        counts = Counts()
        assert list(verify_ledger(counts=counts)) == []
        assert (counts.rounds, counts.bets) == (5, 10)


def test_the_command_says_that_all_agrees(played: Round) -> None:
    out = StringIO()
    call_command("verify_ledger", stdout=out)
    assert out.getvalue().splitlines() == [
        "THB, in minor units: stakes 17,500 = returned 19,500 + kept -2,000",
        "1 rounds, 3 bets: all agrees.",
    ]


def test_the_command_names_what_does_not_agree(played: Round, alter: Alter) -> None:
    alter("UPDATE tables_settlementline SET returned_minor = 19501 WHERE bet_id = %s", line_of("b1").bet_id)
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("verify_ledger", "--table", "B01", stdout=out)
    assert ended.value.code == 1
    assert f"{played.public_id} bet b1: returned is 19501, should be 19500" in out.getvalue()
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("verify_ledger", "--json", stdout=out)
    answer = json.loads(out.getvalue())
    assert answer["agrees"] is False
    assert answer["disagreements"][0] == {
        "round": played.public_id,
        "what": "returned",
        "is_there": "19501",
        "should_be": "19500",
        "bet": "b1",
        "player": None,
    }
    assert answer["checked"]["rounds"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--table", "B77"], "--table: no table has the code 'B77'"),
        (["--from", "29.11.2026"], "is no date"),
        (["--from", "2026-11-29", "--to", "2026-11-28"], "--to: 2026-11-28 is before 2026-11-29"),
    ],
)
def test_wrong_use_is_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("verify_ledger", *arguments)
