"""Every cell of the drawing table and every natural situation has its sentence in both languages."""

import re
from itertools import product

import pytest

from tables.rules.cards import Card
from tables.rules.drawing import Coup, IllegalCoup, Place, due_next, explain, read_coup
from tables.rules.sentences import LANGUAGES, REASON_CODES, heading, mistake, sentence

WORTH = ["K", "A", "2", "3", "4", "5", "6", "7", "8", "9"]


def coup_of(player_total: int, banker_total: int, third: int | None = None) -> Coup:
    """Deal a coup from two-card totals; the Player's third card has a given value where it draws one."""
    player = [Card("10", "S"), Card(WORTH[player_total], "S")]
    banker = [Card("10", "H"), Card(WORTH[banker_total], "H")]
    if due_next(player, banker) is Place.P3:
        player.append(Card(WORTH[third or 0], "D"))
    if due_next(player, banker) is Place.B3:
        banker.append(Card("9", "C"))
    return read_coup([player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:]])


# Every pair of two-card totals, with every value of a Player's third card.
ALL_COUPS = [coup_of(p, b, third) for p, b, third in product(range(10), range(10), range(10))]


def said(cards: str, language: str) -> list[tuple[str, str]]:
    reasons = explain(read_coup(cards.split()))
    return [(heading(reason, language), sentence(reason, language)) for reason in reasons]


def test_the_coup_of_the_picture_in_english():
    assert said("6S KH 6D 5C 4H 7S", "en") == [
        ("No natural", "Player 2, Banker 5 after four cards."),
        ("Player 2 draws", "Player draws on 0 to 5. Third card 4♥: total 6."),
        (
            "Banker 5 draws",
            "Player's third card was 4; Banker 5 draws on 4 to 7. Third card 7♠: total 2.",
        ),
    ]


def test_the_coup_of_the_picture_in_thai():
    assert said("6S KH 6D 5C 4H 7S", "th") == [
        ("ไม่มีไพ่ป๊อก", "ครบสี่ใบ ฝั่งเพลเยอร์ 2 แต้ม ฝั่งแบงเกอร์ 5 แต้ม"),
        ("เพลเยอร์ 2 แต้ม จั่ว", "ฝั่งเพลเยอร์จั่วเมื่อได้ 0 ถึง 5 แต้ม ไพ่ใบที่สามคือ 4♥ รวมเป็น 6 แต้ม"),
        (
            "แบงเกอร์ 5 แต้ม จั่ว",
            "ไพ่ใบที่สามของเพลเยอร์มีค่า 4 แบงเกอร์ 5 แต้มจั่วเมื่อเป็น 4 ถึง 7 ไพ่ใบที่สามคือ 7♠ รวมเป็น 2 แต้ม",
        ),
    ]


@pytest.mark.parametrize(
    ("cards", "place", "words"),
    [
        ("9H 4H KC 6S", 0, "Player 9, Banker 0 after four cards: the Player's natural 9 wins at once."),
        ("9H 4H KC 6S", 1, "Player stands on its natural 9."),
        ("9H 4H KC 6S", 2, "Player has a natural 9: Banker 0 takes no third card."),
        ("2H 4H KC 4S", 0, "Player 2, Banker 8 after four cards: the Banker's natural 8 wins at once."),
        ("2H 4H KC 4S", 1, "Banker has a natural 8: Player 2 takes no third card."),
        ("2H 4H KC 4S", 2, "Banker stands on its natural 8."),
        ("9H 8H KC KS", 0, "Both sides have a natural: the Player's 9 beats the Banker's 8."),
        ("8H 9H KC KS", 0, "Both sides have a natural: the Banker's 9 beats the Player's 8."),
        ("8H 8D KC KS", 0, "Both sides have a natural 8: a tie."),
        ("6H 5H KC KS 2D", 1, "Player stands on 6 and 7."),
        ("6H 5H KC KS 2D", 2, "Player stood; Banker 5 draws, as on 0 to 5. Third card 2♦: total 7."),
        ("6H 7H KC KS", 2, "Player stood; Banker 7 stands, as on 6 and 7."),
        ("2H 3H KC KS 8D", 2, "Player's third card was 8; Banker 3 draws on everything but 8."),
        ("2H 2D KC KS 8D 5S", 2, "Player's third card was 8; Banker 2 always draws. Third card 5♠: total 7."),
        ("2H 4H KC KS KD", 2, "Player's third card was worth 0; Banker 4 draws on 2 to 7."),
        ("2H 6H KC KS AD", 2, "Player's third card was an ace; Banker 6 draws on 6 and 7."),
        ("2H 7H KC KS 4D", 2, "Player's third card was 4; Banker 7 always stands."),
    ],
)
def test_what_each_kind_of_line_says(cards, place, words):
    assert said(cards, "en")[place][1] == words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cell_has_a_heading_and_a_sentence(language):
    for coup in ALL_COUPS:
        for reason in explain(coup):
            for words in (heading(reason, language), sentence(reason, language)):
                assert words
                assert "{" not in words
                assert bool(re.search("[ก-๙]", words)) == (language == "th")


def test_every_sentence_can_happen():
    assert {reason.code for coup in ALL_COUPS for reason in explain(coup)} == set(REASON_CODES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_88_cells_of_the_bankers_table_each_say_something_of_their_own(language):
    after_third = {
        sentence(explain(coup_of(2, b, third))[2], language) for b, third in product(range(8), range(10))
    }
    after_stand = {sentence(explain(coup_of(6, b))[2], language) for b in range(8)}
    assert len(after_third | after_stand) == 88


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_range_a_sentence_names_is_the_table_it_came_from(language):
    """Read `4 to 7` back from the words, and compare with what the Banker did."""
    ranges = {3: "0 1 2 3 4 5 6 7 9", 4: "2 3 4 5 6 7", 5: "4 5 6 7", 6: "6 7"}
    named = {
        "en": {3: "everything but 8", 4: "2 to 7", 5: "4 to 7", 6: "6 and 7"},
        "th": {3: "ยกเว้น 8", 4: "2 ถึง 7", 5: "4 ถึง 7", 6: "6 หรือ 7"},
    }[language]
    for banker, values in ranges.items():
        for third in range(10):
            coup = coup_of(2, banker, third)
            assert named[banker] in sentence(explain(coup)[2], language)
            assert (len(coup.banker) == 3) == (str(third) in values.split())


@pytest.mark.parametrize(
    ("cards", "en", "th"),
    [
        (
            "9H",
            "Card 2 is missing; the Banker's first card was due.",
            "ขาดไพ่ใบที่ 2 ต้องเป็นไพ่ใบแรกของแบงเกอร์",
        ),
        (
            "2H 5H KC KS",
            "Card 5 is missing; the Player's third card was due (Player 2, Banker 5 after four cards).",
            "ขาดไพ่ใบที่ 5 ต้องเป็นไพ่ใบที่สามของเพลเยอร์ (ครบสี่ใบ เพลเยอร์ 2 แต้ม แบงเกอร์ 5 แต้ม)",
        ),
        (
            "9H 4H KC 6S 2S",
            "Card 5 (2S) should not have been dealt; nothing more was due "
            "(Player 9, Banker 0 after four cards).",
            "ไพ่ใบที่ 5 (2S) แจกเกิน ไม่มีไพ่ที่ต้องแจกอีกแล้ว (ครบสี่ใบ เพลเยอร์ 9 แต้ม แบงเกอร์ 0 แต้ม)",
        ),
        (
            "9H 1S",
            "Card 2 ('1S') is no card; the Banker's first card was due "
            "(rank A 2-10 J Q K, then suit S H D C).",
            "ไพ่ใบที่ 2 (1S) ไม่มีในสำรับ ต้องเป็นไพ่ใบแรกของแบงเกอร์",
        ),
    ],
)
def test_an_unlawful_coup_says_what_is_wrong_in_both_languages(cards, en, th):
    with pytest.raises(IllegalCoup) as refused:
        read_coup(cards.split())
    assert mistake(refused.value, "en") == en
    assert mistake(refused.value, "th") == th
