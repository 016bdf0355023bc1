"""What the drawing table said about a coup, in words: English and Thai, one sentence for each of its cells.

`explain()` gives reasons as data; here they become a short heading and a sentence. Words for what the Banker
draws on stand per total, so that a page and its PDF say the same thing without composing grammar.
"""

from __future__ import annotations

from typing import Final, Literal

from tables.rules.cards import Card
from tables.rules.drawing import IllegalCoup, IllegalCoupCode, Place, Reason

Language = Literal["en", "th"]
LANGUAGES: Final[tuple[Language, ...]] = ("en", "th")

# What the Banker draws on after the Player's third card, by the Banker's two-card total.
_BANKER_DRAWS_ON: Final[dict[Language, dict[int, str]]] = {
    "en": {
        0: "always draws",
        1: "always draws",
        2: "always draws",
        3: "draws on everything but 8",
        4: "draws on 2 to 7",
        5: "draws on 4 to 7",
        6: "draws on 6 and 7",
        7: "always stands",
    },
    "th": {
        0: "จั่วทุกกรณี",
        1: "จั่วทุกกรณี",
        2: "จั่วทุกกรณี",
        3: "จั่วเมื่อเป็นแต้มใดก็ได้ยกเว้น 8",
        4: "จั่วเมื่อเป็น 2 ถึง 7",
        5: "จั่วเมื่อเป็น 4 ถึง 7",
        6: "จั่วเมื่อเป็น 6 หรือ 7",
        7: "อยู่ทุกกรณี",
    },
}

# "was 4" reads well, "was 0" and "was 1" do not.
_THIRD_IN_ENGLISH: Final = {0: "worth 0", 1: "an ace"}

# code of a reason -> heading, sentence
_WORDS: Final[dict[Language, dict[str, tuple[str, str]]]] = {
    "en": {
        "no_natural": ("No natural", "Player {player_total}, Banker {banker_total} after four cards."),
        "player_natural": (
            "Player natural {player_total}",
            "Player {player_total}, Banker {banker_total} after four cards: "
            "the Player's natural {player_total} wins at once.",
        ),
        "banker_natural": (
            "Banker natural {banker_total}",
            "Player {player_total}, Banker {banker_total} after four cards: "
            "the Banker's natural {banker_total} wins at once.",
        ),
        "player_higher_natural": (
            "Two naturals",
            "Both sides have a natural: the Player's {player_total} beats the Banker's {banker_total}.",
        ),
        "banker_higher_natural": (
            "Two naturals",
            "Both sides have a natural: the Banker's {banker_total} beats the Player's {player_total}.",
        ),
        "equal_naturals": ("Two naturals", "Both sides have a natural {player_total}: a tie."),
        "player_draws": (
            "Player {total} draws",
            "Player draws on 0 to 5. Third card {card}: total {after}.",
        ),
        "player_stands": ("Player {total} stands", "Player stands on 6 and 7."),
        "player_stands_on_own_natural": (
            "Player {total} stands",
            "Player stands on its natural {total}.",
        ),
        "player_stands_on_banker_natural": (
            "Player {total} stands",
            "Banker has a natural {banker_total}: Player {total} takes no third card.",
        ),
        "banker_draws_after_third": (
            "Banker {total} draws",
            "Player's third card was {third}; Banker {total} {draws_on}. Third card {card}: total {after}.",
        ),
        "banker_stands_after_third": (
            "Banker {total} stands",
            "Player's third card was {third}; Banker {total} {draws_on}.",
        ),
        "banker_draws_after_stand": (
            "Banker {total} draws",
            "Player stood; Banker {total} draws, as on 0 to 5. Third card {card}: total {after}.",
        ),
        "banker_stands_after_stand": (
            "Banker {total} stands",
            "Player stood; Banker {total} stands, as on 6 and 7.",
        ),
        "banker_stands_on_own_natural": ("Banker {total} stands", "Banker stands on its natural {total}."),
        "banker_stands_on_player_natural": (
            "Banker {total} stands",
            "Player has a natural {player_total}: Banker {total} takes no third card.",
        ),
    },
    "th": {
        "no_natural": (
            "ไม่มีไพ่ป๊อก",
            "ครบสี่ใบ ฝั่งเพลเยอร์ {player_total} แต้ม ฝั่งแบงเกอร์ {banker_total} แต้ม",
        ),
        "player_natural": (
            "เพลเยอร์ป๊อก {player_total}",
            "ครบสี่ใบ ฝั่งเพลเยอร์ {player_total} แต้ม ฝั่งแบงเกอร์ {banker_total} แต้ม "
            "เพลเยอร์ป๊อก {player_total} ชนะทันที",
        ),
        "banker_natural": (
            "แบงเกอร์ป๊อก {banker_total}",
            "ครบสี่ใบ ฝั่งเพลเยอร์ {player_total} แต้ม ฝั่งแบงเกอร์ {banker_total} แต้ม "
            "แบงเกอร์ป๊อก {banker_total} ชนะทันที",
        ),
        "player_higher_natural": (
            "ป๊อกทั้งสองฝั่ง",
            "ป๊อกทั้งสองฝั่ง เพลเยอร์ป๊อก {player_total} ใหญ่กว่าแบงเกอร์ป๊อก {banker_total}",
        ),
        "banker_higher_natural": (
            "ป๊อกทั้งสองฝั่ง",
            "ป๊อกทั้งสองฝั่ง แบงเกอร์ป๊อก {banker_total} ใหญ่กว่าเพลเยอร์ป๊อก {player_total}",
        ),
        "equal_naturals": ("ป๊อกทั้งสองฝั่ง", "ป๊อก {player_total} เท่ากันทั้งสองฝั่ง ถือว่าเสมอ"),
        "player_draws": (
            "เพลเยอร์ {total} แต้ม จั่ว",
            "ฝั่งเพลเยอร์จั่วเมื่อได้ 0 ถึง 5 แต้ม ไพ่ใบที่สามคือ {card} รวมเป็น {after} แต้ม",
        ),
        "player_stands": ("เพลเยอร์ {total} แต้ม อยู่", "ฝั่งเพลเยอร์อยู่เมื่อได้ 6 หรือ 7 แต้ม"),
        "player_stands_on_own_natural": (
            "เพลเยอร์ {total} แต้ม อยู่",
            "ฝั่งเพลเยอร์ป๊อก {total} จึงไม่จั่วเพิ่ม",
        ),
        "player_stands_on_banker_natural": (
            "เพลเยอร์ {total} แต้ม อยู่",
            "ฝั่งแบงเกอร์ป๊อก {banker_total} ฝั่งเพลเยอร์ซึ่งมี {total} แต้มจึงไม่ได้จั่วใบที่สาม",
        ),
        "banker_draws_after_third": (
            "แบงเกอร์ {total} แต้ม จั่ว",
            "ไพ่ใบที่สามของเพลเยอร์มีค่า {third} แบงเกอร์ {total} แต้ม{draws_on} "
            "ไพ่ใบที่สามคือ {card} รวมเป็น {after} แต้ม",
        ),
        "banker_stands_after_third": (
            "แบงเกอร์ {total} แต้ม อยู่",
            "ไพ่ใบที่สามของเพลเยอร์มีค่า {third} แบงเกอร์ {total} แต้ม{draws_on} จึงอยู่",
        ),
        "banker_draws_after_stand": (
            "แบงเกอร์ {total} แต้ม จั่ว",
            "เพลเยอร์อยู่ แบงเกอร์ {total} แต้มจั่ว เพราะต้องจั่วเมื่อได้ 0 ถึง 5 แต้ม ไพ่ใบที่สามคือ {card} รวมเป็น {after} แต้ม",
        ),
        "banker_stands_after_stand": (
            "แบงเกอร์ {total} แต้ม อยู่",
            "เพลเยอร์อยู่ แบงเกอร์ {total} แต้มก็อยู่ เพราะอยู่เมื่อได้ 6 หรือ 7 แต้ม",
        ),
        "banker_stands_on_own_natural": (
            "แบงเกอร์ {total} แต้ม อยู่",
            "ฝั่งแบงเกอร์ป๊อก {total} จึงไม่จั่วเพิ่ม",
        ),
        "banker_stands_on_player_natural": (
            "แบงเกอร์ {total} แต้ม อยู่",
            "ฝั่งเพลเยอร์ป๊อก {player_total} ฝั่งแบงเกอร์ซึ่งมี {total} แต้มจึงไม่ได้จั่วใบที่สาม",
        ),
    },
}

REASON_CODES: Final = tuple(_WORDS["en"])


def heading(reason: Reason, language: Language) -> str:
    """Say a reason in a few words, for instance `Banker 5 draws`."""
    return _WORDS[language][reason.code][0].format_map(_spoken(reason, language))


def sentence(reason: Reason, language: Language) -> str:
    """Say a reason in one or two sentences with its values filled in, cards as `7♠`."""
    return _WORDS[language][reason.code][1].format_map(_spoken(reason, language))


_PLACES_IN_THAI: Final = {
    Place.P1: "ไพ่ใบแรกของเพลเยอร์",
    Place.B1: "ไพ่ใบแรกของแบงเกอร์",
    Place.P2: "ไพ่ใบที่สองของเพลเยอร์",
    Place.B2: "ไพ่ใบที่สองของแบงเกอร์",
    Place.P3: "ไพ่ใบที่สามของเพลเยอร์",
    Place.B3: "ไพ่ใบที่สามของแบงเกอร์",
}

_MISTAKES_IN_THAI: Final = {
    IllegalCoupCode.MISSING_INITIAL_CARDS: "ขาดไพ่ใบที่ {position}",
    IllegalCoupCode.MISSING_PLAYER_THIRD: "ขาดไพ่ใบที่ {position}",
    IllegalCoupCode.MISSING_BANKER_THIRD: "ขาดไพ่ใบที่ {position}",
    IllegalCoupCode.EXTRA_CARD: "ไพ่ใบที่ {position} ({card}) แจกเกิน",
    IllegalCoupCode.UNKNOWN_CARD: "ไพ่ใบที่ {position} ({card}) ไม่มีในสำรับ",
    IllegalCoupCode.TOO_MANY_COPIES: "ไพ่ใบที่ {position} ({card}) ซ้ำเกินจำนวนสำรับในขอนไพ่",
}


def mistake(error: IllegalCoup, language: Language) -> str:
    """Say what is wrong with an unlawful coup: the first wrong card, and what was due instead."""
    if language == "en":
        return f"{error.message[0].upper()}{error.message[1:]}."
    words = _MISTAKES_IN_THAI[error.code].format(position=error.position, card=error.card)
    if error.due is not None:
        words += f" ต้องเป็น{_PLACES_IN_THAI[error.due]}"
    elif error.code is IllegalCoupCode.EXTRA_CARD:
        words += " ไม่มีไพ่ที่ต้องแจกอีกแล้ว"
    if error.standing is not None:
        words += " (ครบสี่ใบ เพลเยอร์ {} แต้ม แบงเกอร์ {} แต้ม)".format(*error.standing)
    return words


def _spoken(reason: Reason, language: Language) -> dict[str, int | str]:
    values = dict(reason.values)
    if "card" in values:
        values["card"] = Card.parse(str(values["card"])).face
    if "third" in values:
        if language == "en":
            values["third"] = _THIRD_IN_ENGLISH.get(int(values["third"]), values["third"])
        values["draws_on"] = _BANKER_DRAWS_ON[language][int(values["total"])]
    return values
