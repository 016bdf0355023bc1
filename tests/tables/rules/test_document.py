"""What the checker of rulebooks refuses, and the line it names."""

import re

import pytest

from tables.rules.document import RulebookError, Severity, check_rulebook, parse_rulebook
from tests.tables.rules.rulebook_texts import INSURANCE, SMALL, line_of, swap

CARDS = "by: first_card, ace: 1, court: 10"
STARTUP = """\
    cases:
      - {when: {player_card_dealt: no}, do: correct, passage: startup-error}
      - {do: replace_shoe, passage: startup-error}"""
REUSE = "do: reuse, passage: dropped-outside-deal"
NINE = "odds: 10, pays_on: tie, passage: insurance-player-nine"
FIVE = "{own: 5, other: 4, odds: 1.5}"

# what is written, what stands there instead with ¤ on the line that is to be named, words of the message
FACTS_AND_BETS = [
    (SMALL, "{when: {¤card: 4}, odds: 1.5}", "unknown fact 'card'; known: winner, player_total"),
    (SMALL, "{when: {¤cards: 7}, odds: 1.5}", "7 is impossible: the values are 4 to 6"),
    (SMALL, "{when: {¤cards: 6-4}, odds: 1.5}", "6-4 is impossible"),
    (SMALL, "{when: {¤cards: four}, odds: 1.5}", "neither a number nor a range"),
    (SMALL, "{when: {¤winner: house}, odds: 1.5}", "unknown value of winner 'house'"),
    (SMALL, "{when: {¤player_pair: maybe}, odds: 1}", "'maybe' is neither yes nor no"),
    (SMALL, "{when: {¤player_pair_rank: 1}, odds: 1}", "unknown value of player_pair_rank '1'"),
    (SMALL, "{when: {¤}, odds: 1}", "an empty condition"),
    (SMALL, "{when: {¤cards: []}, odds: 1}", "an empty list"),
    (SMALL, "¤{when: {cards: 4}}", "a row has either odds or a result"),
    (SMALL, "¤{when: {cards: 4}, odds: 1, result: push}", "a row has either odds or a result"),
    (SMALL, "{when: {cards: 4}, ¤result: won}", "unknown result 'won'; known: push, lost"),
    (SMALL, "¤4 cards", "fields are wanted here"),
    ("  small:\n", "  ¤Small!:\n", "is no kind of bet"),
    ("  small:\n", "  ¤big:\n", "is there twice"),
    ("  small:\n", "  ¤banker_insurance:\n", "insurance is described under insurance"),
    ("backs: banker", "¤backs: house", "'house' is not one of: player, banker"),
    (SMALL, "¤{when: {winner: tie, margin: 1}, odds: 1}", "impossible: no coup can meet"),
    (SMALL, "¤{when: {player_natural: yes, cards: 5}, odds: 1}", "impossible: no coup can meet"),
    (SMALL, "¤{when: {cards: 4, player_total: 3, banker_total: 7}, odds: 1}", "impossible: no coup can meet"),
    (
        SMALL,
        "{when: {cards: 4-5}, odds: 1}\n      - ¤{when: {cards: 5}, odds: 2}",
        "never reached: the rows above it take every coup",
    ),
    ("{last: 30,", "{¤first: 31, last: 30,", "closes with round 30, before it opens"),
    ("{last: 30,", "{¤last: 0,", "'0' is not a whole number from 1"),
]
ODDS = [
    (SMALL, "{when: {cards: 4}, ¤odds: 1:8}", "are no odds to one; write 8, 0.95 or 19/20"),
    (SMALL, "{when: {cards: 4}, ¤odds: -1}", "are no odds to one"),
    (SMALL, "{when: {cards: 4}, ¤odds: 1e3}", "are no odds to one"),
    (SMALL, "{when: {cards: 4}, ¤odds: .inf}", "are no odds to one"),
    (SMALL, "{when: {cards: 4}, ¤odds: 1/0}", "divides by zero"),
    (SMALL, "{when: {cards: 4}, ¤odds: 1001}", "both parts may be at most 1000"),
    (SMALL, "{when: {cards: 4}, ¤odds: 0.9999}", "both parts may be at most 1000"),
    (SMALL, "{when: {cards: 4}, ¤odds: }", "has no value"),
    (SMALL, "{when: {cards: 4}, ¤odds: ๘}", "are no odds to one"),
    ("commission: 5%", "¤commission: 5", "is no rate; write 5% or 1/20"),
    ("commission: 5%", "¤commission: 101%", "more than the whole"),
    (
        "commission: 5%\n    passage: banker\n    pays:\n      - {",
        "commission: 0.01%\n    passage: banker\n    pays:\n      - ¤{",
        "both parts may be at most 1000",
    ),
]
INSURANCE_ROWS = [
    (FIVE, "¤{own: 5, other: 4, odds: 0}", "pays nothing"),
    (FIVE, "¤{own: 10, other: 4, odds: 1.5}", "10 is impossible"),
    (FIVE, "¤{own: 9, other: 4, odds: 1.5}", "impossible: at these totals no card is to come"),
    (
        FIVE + "\n          - ",
        "{own: 6, other: 4, odds: 1.5}\n          - ¤",
        "overlaps row 1: both hold for own total 6, other 4",
    ),
    (NINE, "¤odds: 10, passage: insurance-player-nine", "can never be paid: it pays on loss"),
    ("pays_on: tie,", "¤pays_on: tie, returned_on: tie,", "both pays and returns"),
    ("pays_on: tie,", "¤pays_on: draw,", "'draw' is not one of: win, loss, tie"),
    ("    four_cards:", "    ¤five_cards:", "unknown phase 'five_cards'; known: four_cards"),
    ("share: 1,", "¤share: 0,", "a cap of nothing"),
    (
        INSURANCE[INSURANCE.index("    backs: player\n") : INSURANCE.index("insurance:\n  passage")],
        "    passage: player\n    pays:\n      - {odds: 1}\n¤",
        "insures the player side, which no bet backs",
    ),
]
OTHER_SECTIONS = [
    ("decks: 8", "¤decks: 7", "7 decks: a shoe holds 6 or 8"),
    (CARDS, "¤by: first_card, ace: 2, court: 10", "an ace burns 1 or 11 cards, not 2"),
    (CARDS, "¤by: first_card, court: 10", "needs ace"),
    (CARDS, "¤by: fixed, count: 5, ace: 1", "has no meaning when the burn goes by fixed"),
    (CARDS, "¤by: decks, by_decks: {6: 6}", "says nothing about 8 decks"),
    (CARDS, "¤by: decks, by_decks: {8: 8, 7: 1}", "7 decks: a shoe holds 6 or 8"),
    ("rule: this_round", "¤rule: two_more", "is not one of: this_round, one_more, one_more_unless_first"),
    ("mode: down", "¤mode: bank", "is not one of: down, up, half_up, half_down, half_even"),
    ("rule: allowed_without_insurance", "¤rule: yes", "is not one of: allowed, refused"),
    ("format: 1", "¤format: 2", "only format 1 is known"),
    ("version: 1", "¤version: 1.0", "is not a whole number"),
    ("id: insurance", "¤id: Insurance", "is not an id such as no-commission"),
    ("within_hours: 24", "¤within_hours: soon", "is not a whole number"),
    ("needs: [played_at,", "¤needs: [weather,", "'weather' is not one of: played_at"),
    ("passage: blue-card}", "¤passage: red-card}", "there is no passage 'red-card'"),
    ('  blue-card:\n    source: "000"', '  blue-card:\n    ¤source: "001"', "unknown source '001'"),
    ("    backs: player\n    passage: player\n", "    backs: player\n", "passage is missing"),
    ("format: 1\n", "format: 1\n¤house_edge: 5\n", "unknown field; known here: format, id"),
    ("id: insurance\n", "id: insurance\n¤id: other\n", "is there twice"),
    ("mode: down,", "¤mode: !!python/name:os.system down,", "the tag"),
    ("mode: down,", "¤mode: !mine down,", "the tag !mine is not known here"),
]
INCIDENTS = [
    ("do: no_effect", "¤do: nothing", "'nothing' is not one of: stands, void"),
    (
        STARTUP,
        "    ¤cases:\n      - {when: {round_running: yes}, do: void, passage: misdeal}",
        "the remedy for all other circumstances is missing",
    ),
    (
        STARTUP,
        STARTUP.replace("{when: {player_card_dealt: no}, ", "¤{"),
        "a case without `when` takes everything",
    ),
    ("{when: {player_card_dealt: no}", "{when: {¤raining: no}", "unknown circumstance 'raining'"),
    ("{when: {player_card_dealt: no}", "{when: {¤card_number: 7}", "7 is impossible"),
    (REUSE, f"¤may: void, {REUSE}", "needs `manager`"),
    (REUSE, "¤do: [stands, void], passage: misdeal", "cannot stand and be voided"),
]
MISTAKES = [
    *FACTS_AND_BETS,
    *ODDS,
    *INSURANCE_ROWS,
    *OTHER_SECTIONS,
    *INCIDENTS,
]


@pytest.mark.parametrize(("old", "new", "words"), MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_is_named_with_its_line(old: str, new: str, words: str) -> None:
    marked = swap(old, new)
    text = marked.replace("¤", "")
    errors = [problem for problem in check_rulebook(text) if problem.severity is Severity.ERROR]
    matching = [problem for problem in errors if words in problem.message]
    assert matching, errors
    if "¤" in marked:
        assert line_of(marked, "¤") in [problem.line for problem in matching]
    with pytest.raises(RulebookError, match=re.escape(words)):
        parse_rulebook(text)


def test_a_remedy_and_a_section_that_are_missing() -> None:
    text = swap("  misdeal:\n    title", "  mishap:\n    title")
    (problem,) = check_rulebook(text)
    assert str(problem).endswith("error: incidents: the remedy for misdeal is missing")
    assert problem.line == line_of(text, "incidents:\n")
    (problem,) = check_rulebook(swap("rounding: {mode: down, passage: rounding}\n", ""))
    assert problem.message == "rounding is missing"


def test_an_anchor_used_elsewhere_is_refused() -> None:
    text = swap("decks: 8,", "decks: &eight 8,")
    text = swap("within_hours: 24", "within_hours: *eight", text)
    (problem,) = check_rulebook(text)
    assert problem.message == "an anchor is used again elsewhere: write the value out each time"
    assert problem.line == line_of(text, "&eight")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the document is empty"),
        ("# nothing but a comment\n", "the document is empty"),
        ("just text", "fields are wanted here"),
        ("- a\n- list", "fields are wanted here"),
        ("{", "not YAML"),
        ("a: 1\n---\nb: 2\n", "not YAML"),
        ("\x00", "not YAML"),
        ("format: 1", "id is missing"),
    ],
)
def test_what_is_no_rulebook_at_all(text: str, words: str) -> None:
    with pytest.raises(RulebookError, match=words):
        parse_rulebook(text)


def test_several_mistakes_are_named_at_once_in_the_order_of_their_lines() -> None:
    text = swap("mode: down", "mode: banker")
    text = swap(SMALL, "{when: {card: 4}, odds: 1.5}", text)
    text = swap("within_hours: 24", "within_hours: 0", text)
    problems = check_rulebook(text)
    assert [problem.field for problem in problems] == [
        "rounding.mode",
        "bets.small.pays[0].when.card",
        "complaints.within_hours",
    ]
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)


def test_an_unknown_bet_that_another_needs() -> None:
    text = swap("    passage: small\n", "    passage: small\n    needs_one_of: [player, roulette]\n")
    (problem,) = check_rulebook(text)
    assert problem.message == "needs_one_of: unknown bet 'roulette'"
    assert problem.line == line_of(text, "  small:\n")


def test_a_bet_that_favours_the_player_is_a_warning() -> None:
    text = swap("{when: {winner: tie}, odds: 8}", "{when: {winner: tie}, odds: 10}")
    (problem,) = check_rulebook(text)
    # 11 x 475627426473216 / 4998398275503360 = 1.0467
    assert str(problem) == f"line {line_of(text, '  tie:')}: warning: bets.tie: favours the player by 4.67 %"
    assert parse_rulebook(text).bets["tie"].rows[0].verdict.odds == 10


def test_insurance_that_favours_the_player_is_a_warning_for_its_totals() -> None:
    text = swap("{own: 5, other: 4, odds: 1.5}", "{own: 5, other: 4, odds: 30}")
    (problem,) = check_rulebook(text)
    assert problem.severity is Severity.WARNING
    assert problem.line == line_of(text, "{own: 5, other: 4, odds: 30}")
    assert "at Player 5, Banker 4" in problem.message
