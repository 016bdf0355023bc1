"""The six shipped documents: free of problems, cited, in both languages, and with the right remedies."""

import re

import pytest

from tables.rulebooks import SHIPPED, find_rulebook, load_shipped, shipped_text
from tables.rules.document import check_rulebook
from tables.rules.incidents import INCIDENT_CODES
from tables.rules.money import Rounding
from tables.rules.rulebook import BothSides, CapMeasure, CapShare, ComplaintField, UnknownRulebook, WrongOdds
from tables.rules.shoe import BlueCardRule, BurnBy

INSURANCE = ("insurance", "insurance-no-commission")
LIVE = ("live-commission", "live-no-commission")
THAI = re.compile(r"[\u0e00-\u0e7f]")


@pytest.mark.parametrize("book", SHIPPED)
def test_has_neither_errors_nor_warnings(book: str) -> None:
    assert check_rulebook(shipped_text(book)) == []


@pytest.mark.parametrize("book", SHIPPED)
def test_says_everything_in_both_languages(book: str) -> None:
    rules = load_shipped(book)
    texts = [passage.text for passage in rules.passages.values()]
    texts += [bet.title for bet in rules.bets.values()]
    texts += [incident.title for incident in rules.incidents.values()]
    texts += [rules.title, *rules.sources.values()]
    for text in texts:
        assert THAI.search(text.th), text
        assert not THAI.search(text.en), text


@pytest.mark.parametrize("book", SHIPPED)
def test_common_rules(book: str) -> None:
    rules = load_shipped(book)
    assert rules.id == book
    assert (rules.decks, rules.version, rules.rounding) == (8, 1, Rounding.DOWN)
    assert (rules.burn.by, rules.burn.ace, rules.burn.court) == (BurnBy.FIRST_CARD, 1, 10)
    assert rules.blue_card is BlueCardRule.THIS_ROUND
    assert rules.void_counts_for_windows
    assert rules.complaints.within_hours == rules.complaints.video_hours == 24
    assert set(rules.complaints.needs) == set(ComplaintField)
    assert rules.blue_card_passage.id == f"{book}/blue-card"
    assert (rules.blue_card_passage.source == "000") == (book in INSURANCE)


@pytest.mark.parametrize(
    ("book", "both_sides", "confirm", "discards"),
    [
        ("insurance", BothSides.ALLOWED_WITHOUT_INSURANCE, False, True),
        ("insurance-no-commission", BothSides.ALLOWED_WITHOUT_INSURANCE, False, True),
        ("commission", BothSides.REFUSED, False, True),
        ("no-commission", BothSides.REFUSED, False, True),
        ("live-commission", BothSides.ALLOWED, True, False),
        ("live-no-commission", BothSides.ALLOWED, True, False),
    ],
)
def test_what_differs_between_houses(book: str, both_sides: BothSides, confirm: bool, discards: bool) -> None:
    rules = load_shipped(book)
    assert rules.both_sides is both_sides
    assert rules.must_confirm_bets is confirm
    assert rules.discards_between_rounds is discards
    assert (rules.insurance is not None) == (book in INSURANCE)


@pytest.mark.parametrize("book", INSURANCE)
def test_insurance_terms(book: str) -> None:
    insurance = load_shipped(book).insurance
    assert insurance is not None
    assert insurance.wrong_odds is WrongOdds.SCHEDULE
    assert (insurance.cap.measure, insurance.cap.share) == (CapMeasure.WINNINGS, 1)
    assert insurance.cap.shared_in is CapShare.PHASE


@pytest.mark.parametrize("pair", [INSURANCE, LIVE])
def test_two_tables_of_one_house_differ_in_the_pay_of_banker_only(pair: tuple[str, str]) -> None:
    def passages(book: str) -> dict[str, tuple[str, str, str]]:
        return {
            passage.id.removeprefix(f"{book}/"): (passage.source, *passage.text)
            for passage in load_shipped(book).passages.values()
        }

    one, other = map(passages, pair)
    assert {name for name in one if one[name] != other.get(name)} == {"banker"}
    assert one.keys() == other.keys()
    with_commission, without = (
        re.sub(r"(?ms)^  banker:\n.*?^  tie:", "", shipped_text(book)) for book in pair
    )
    differing = [
        (a, b) for a, b in zip(with_commission.splitlines(), without.splitlines(), strict=True) if a != b
    ]
    assert all(re.match(r"#|id:|title:", a) for a, _ in differing), differing


SILENT = "manager house"
# code: remedies and source of each case, then of the others; "silent" is manager, source house
REMEDIES_000 = {
    "shuffle_error": SILENT,
    "card_exposed_in_shuffle": SILENT,
    "card_exposed_in_start_or_burn": "no_effect 000",
    "startup_error": "player_card_dealt=no: correct 000; replace_shoe 000",
    "two_cards_dealt": "manager 000",
    "card_exposed_while_betting": "void,manager 000",
    "card_exposed_in_drawing": "manager 000",
    "extra_card_after_round": "face_seen=yes: discard,manager 000; manager house",
    "card_dropped_outside_deal": "reuse 000",
    "card_dropped_seen": "reuse 000",
    "card_dropped_unseen": "void 000",
    "card_misplaced": "manager 000",
    "misdeal": "manager 000",
    "dealt_past_last_round": "void 000",
    "dealt_before_insurance_closed": "stands 002",
    "insurance_odds_missing": "stands 002",
    "insurance_odds_misplaced": "stands 002",
    "insurance_odds_wrong": "stands 002",
    "insurance_opened_by_wrong_card": "void_insurance 002",
    "scan_failed": SILENT,
    "player_equipment": SILENT,
    "system_failure": SILENT,
}
REMEDIES_002 = {
    **dict.fromkeys(INCIDENT_CODES, SILENT),
    "card_misplaced": "card_number=5,6: correct 002; manager house",
    "dealt_before_insurance_closed": "stands 002",
    "insurance_odds_missing": "stands 002",
    "insurance_odds_misplaced": "stands 002",
    "insurance_odds_wrong": "stands 002",
    "insurance_opened_by_wrong_card": "void_insurance 002",
}
DROPPED_003 = (
    "off_table=yes round_running=yes: void,replace_shoe 003; "
    "off_table=yes round_running=no: replace_shoe 003; manager house"
)
REMEDIES_003 = {
    **dict.fromkeys(INCIDENT_CODES, SILENT),
    "shuffle_error": "manager 003",
    "card_exposed_in_shuffle": "replace_shoe,reshuffle 003",
    "two_cards_dealt": "void,replace_shoe 003",
    "extra_card_after_round": "stands,replace_shoe 003",
    "card_dropped_outside_deal": DROPPED_003,
    "card_dropped_seen": DROPPED_003,
    "card_dropped_unseen": DROPPED_003,
    "card_misplaced": "correct 003",
    "scan_failed": "rescan 003",
    "player_equipment": "stands 003",
    "system_failure": "void,close_table 003",
}
REMEDIES = {
    "insurance": REMEDIES_000,
    "insurance-no-commission": REMEDIES_000,
    "commission": REMEDIES_002,
    "live-commission": REMEDIES_003,
    "live-no-commission": REMEDIES_003,
    "no-commission": dict.fromkeys(INCIDENT_CODES, SILENT),
}


def written(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("book", SHIPPED)
def test_remedies(book: str) -> None:
    found = {}
    for code, incident in load_shipped(book).incidents.items():
        cases = []
        for case in incident.cases:
            conditions = [
                f"{name}={','.join(sorted(map(written, values)))}" for name, values in case.condition.wanted
            ]
            when = " ".join(conditions) + ": " if conditions else ""
            cases.append(f"{when}{','.join(case.remedies)} {case.passage.source}")
        found[code] = "; ".join(cases)
    assert found == REMEDIES[book]


def test_a_remedy_follows_from_the_circumstances() -> None:
    startup = load_shipped("insurance").incidents["startup_error"]
    assert startup.remedy({"player_card_dealt": False}).remedies == ("correct",)
    assert startup.remedy({"player_card_dealt": True}).remedies == ("replace_shoe",)
    assert startup.remedy({}).remedies == ("replace_shoe",)
    dropped = load_shipped("live-commission").incidents["card_dropped_seen"]
    assert dropped.remedy({"off_table": True, "round_running": True}).remedies == ("void", "replace_shoe")
    assert dropped.remedy({"off_table": True, "round_running": False}).remedies == ("replace_shoe",)
    assert dropped.remedy({"off_table": False, "round_running": True}).remedies == ("manager",)
    misplaced = load_shipped("commission").incidents["card_misplaced"]
    assert misplaced.remedy({"card_number": 5}).remedies == ("correct",)
    assert misplaced.remedy({"card_number": 3}).remedies == ("manager",)


@pytest.mark.parametrize(
    ("code", "holds"),
    [
        ("insurance_odds_missing", False),
        ("card_exposed_in_start_or_burn", False),
        ("insurance_opened_by_wrong_card", True),
        ("card_dropped_unseen", True),
        ("misdeal", True),
    ],
)
def test_only_what_may_change_money_holds_a_round(code: str, holds: bool) -> None:
    assert load_shipped("insurance").incidents[code].may_change_money is holds


def test_a_rulebook_that_is_not_shipped_is_unknown() -> None:
    with pytest.raises(KeyError):
        load_shipped("roulette")
    with pytest.raises(UnknownRulebook, match="neither a file nor one of insurance"):
        find_rulebook("roulette")
    with pytest.raises(UnknownRulebook, match="neither a file"):
        find_rulebook("nul\0byte")
