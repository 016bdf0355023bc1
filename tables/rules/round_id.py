"""The readable round ID, `B03-20261129-02-041-K`: table, gaming date, shoe, number and a check character.

Everything but the dashes is written in 32 characters: the digits and the letters without I, L, O and U, which
are read as 1, 1, 0 and V. The check character makes a weighted sum over the field of 32 elements zero. All
weights differ and none is zero, so one wrong character, and two characters that changed places, always show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TABLE_CODE_PATTERN: Final = rf"[{ALPHABET}]{{1,8}}"
SHOES_PER_DAY: Final = 99
ROUNDS_PER_SHOE: Final = 999

_READ_AS: Final = str.maketrans({"O": "0", "I": "1", "L": "1", "U": "V"})
_SEPARATORS: Final = re.compile(r"[\s\-_\u2010-\u2015\u2212]+")
_DIGITS_AFTER_TABLE: Final = 13  # date 8, shoe 2, number 3
_COMPACT: Final = re.compile(rf"({TABLE_CODE_PATTERN})(\d{{8}})(\d{{2}})(\d{{3}})([{ALPHABET}])", re.ASCII)
_LONGEST: Final = 8 + _DIGITS_AFTER_TABLE + 1
_LOOK_ALIKE: Final = dict(zip("8B5S2Z6G17", "B8S5Z2G671", strict=True))


class BadRoundIdCode(StrEnum):
    MALFORMED = "malformed"
    WRONG_CHECK = "wrong_check"


class BadRoundId(ValueError):
    """A text that is no round ID, told apart from one with a slip in it."""

    def __init__(self, code: BadRoundIdCode, message: str, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.candidates = candidates  # well-formed IDs one slip away, the likeliest first

    @property
    def did_you_mean(self) -> str | None:
        return self.candidates[0] if self.candidates else None


class RoundKey(NamedTuple):
    """What a round ID says: table, gaming date of the shoe's start, shoe of that day, round in the shoe."""

    table: str
    gaming_date: date
    shoe: int
    number: int


def make_shoe_id(table: str, gaming_date: date, shoe: int) -> str:
    """Write the ID of a shoe, for instance `B03-20261129-02`, with which the IDs of its rounds begin.

    :raises ValueError: if a part does not fit the format.
    """
    if not re.fullmatch(TABLE_CODE_PATTERN, table):
        raise ValueError(f"table code {table!r}: 1 to 8 of {ALPHABET}")
    if not 1 <= shoe <= SHOES_PER_DAY:
        raise ValueError(f"shoe {shoe}: from 1 to {SHOES_PER_DAY}")
    return f"{table}-{gaming_date:%Y%m%d}-{shoe:02}"


def make_round_id(table: str, gaming_date: date, shoe: int, number: int) -> str:
    """Write the ID of a round, check character included.

    :raises ValueError: if a part does not fit the format.
    """
    if not 1 <= number <= ROUNDS_PER_SHOE:
        raise ValueError(f"round {number}: from 1 to {ROUNDS_PER_SHOE}")
    text = f"{make_shoe_id(table, gaming_date, shoe)}-{number:03}"
    return f"{text}-{check_character(text)}"


def parse_round_id(text: str) -> RoundKey:
    """Read a round ID as people type it: in any case, with spaces, without dashes, O for 0, I or L for 1.

    The dash after the table may be missing only if no other stands, else a character typed for it would
    pass as part of the table's code.

    :raises BadRoundId: if the text has not this form, or its check character does not fit.
    """
    groups = [group for group in _SEPARATORS.split(text.upper().translate(_READ_AS)) if group]
    compact = "".join(groups)
    written = _dashed(compact)
    if written is None:
        raise _malformed(text, compact)
    key = _key(compact)
    table_end = len(compact) - _DIGITS_AFTER_TABLE - 1
    if len(groups) > 1 and table_end not in accumulate(map(len, groups)):
        fits = key is not None and _syndrome(compact) == 0
        raise BadRoundId(
            BadRoundIdCode.MALFORMED,
            f"{text.strip()!r}: the dash after the table's code is missing or misplaced",
            (written,) if fits else _one_more_or_less(compact),
        )
    if _syndrome(compact) != 0:
        raise BadRoundId(
            BadRoundIdCode.WRONG_CHECK,
            f"{written}: the check character does not fit, so one of the characters is wrong",
            _corrections(compact),
        )
    if key is None:
        raise _malformed(text, compact)
    return key


def check_character(text: str) -> str:
    """Compute the check character of an ID without one; dashes do not count.

    :raises ValueError: if a character is not of the alphabet.
    """
    return ALPHABET[_syndrome(text.replace("-", "") + "0")]


def _malformed(text: str, compact: str) -> BadRoundId:
    shape = "TABLE-YYYYMMDD-SHOE-ROUND-CHECK, for instance B03-20261129-02-041 and a check character"
    near = compact[: _LONGEST + 2]
    slips = [*_look_alikes(near), *_swaps(near)]
    likely = [_dashed(slip) or "" for slip in slips if _fits(slip)]
    return BadRoundId(
        BadRoundIdCode.MALFORMED,
        f"{text.strip()[:60]!r} is no round ID: {shape}",
        tuple(dict.fromkeys([*likely, *_one_more_or_less(near)])),
    )


def _dashed(compact: str) -> str | None:
    """Write the characters with their dashes, or give None where they are no ID whatever the check."""
    match = _COMPACT.fullmatch(compact)
    return None if match is None else "-".join(match.groups())


def _key(compact: str) -> RoundKey | None:
    """Read the parts, or give None where there is no such day, shoe or number."""
    table, rest = compact[: -_DIGITS_AFTER_TABLE - 1], compact[-_DIGITS_AFTER_TABLE - 1 :]
    shoe, number = int(rest[8:10]), int(rest[10:13])
    try:
        day = date(int(rest[:4]), int(rest[4:6]), int(rest[6:8]))
    except ValueError:
        return None
    return RoundKey(table, day, shoe, number) if shoe >= 1 and number >= 1 else None


def _fits(compact: str) -> bool:
    return _dashed(compact) is not None and _syndrome(compact) == 0 and _key(compact) is not None


def _corrections(compact: str) -> tuple[str, ...]:
    """List the IDs one slip away: another check character, two neighbours swapped, a look-alike, then any."""
    body = compact[:-1]
    slips = [body + check_character(body)]
    slips += [*_swaps(compact), *_look_alikes(compact), *_one_wrong(compact)]
    near = [_dashed(slip) or "" for slip in slips if _fits(slip)]
    return tuple(dict.fromkeys([*near, *_one_more_or_less(compact)]))


def _swaps(compact: str) -> list[str]:
    """Put each two neighbours the other way round."""
    return [compact[:i] + b + a + compact[i + 2 :] for i, (a, b) in enumerate(pairwise(compact)) if a != b]


def _one_more_or_less(compact: str) -> tuple[str, ...]:
    """List the IDs from which one character was left out, or into which one came twice or for nothing."""
    if not _LONGEST - 8 <= len(compact) <= _LONGEST + 1 or not set(compact) <= set(ALPHABET):
        return ()
    slips = [compact[:i] + compact[i + 1 :] for i in range(len(compact))]
    slips += _one_left_out(compact)
    return tuple(dict.fromkeys(_dashed(slip) or "" for slip in slips if _fits(slip)))


def _one_left_out(compact: str) -> Iterator[str]:
    """Put a character in at each place in turn, from the end: one of them makes the check fit."""
    for i in reversed(range(len(compact) + 1)):
        lacking = _syndrome(f"{compact[:i]}0{compact[i:]}")
        for _ in compact[i:]:
            lacking = _divided_by_x(lacking)
        yield compact[:i] + ALPHABET[lacking] + compact[i:]


def _look_alikes(compact: str) -> list[str]:
    return [
        compact[:i] + _LOOK_ALIKE[character] + compact[i + 1 :]
        for i, character in enumerate(compact)
        if character in _LOOK_ALIKE
    ]


def _one_wrong(compact: str) -> Iterator[str]:
    """Put each character right in turn as if it alone were wrong: one other makes the check fit."""
    lacking = _syndrome(compact)
    for i in reversed(range(len(compact))):
        meant = ALPHABET[ALPHABET.index(compact[i]) ^ lacking]
        yield compact[:i] + meant + compact[i + 1 :]
        lacking = _divided_by_x(lacking)


# The field of 32 elements: polynomials over two elements modulo x^5 + x^4 + x^2 + x + 1, of which
# x generates all but zero.
_MODULUS: Final = 0b110111


def _times_x(element: int) -> int:
    shifted = element << 1
    return shifted ^ _MODULUS if shifted & 0b100000 else shifted


def _divided_by_x(element: int) -> int:
    return (element ^ _MODULUS if element & 1 else element) >> 1


def _syndrome(compact: str) -> int:
    """Add up the characters times 1, x, x^2 … from the right (by Horner's rule); 0 when the check fits."""
    total = 0
    for character in compact:
        total = _times_x(total) ^ ALPHABET.index(character)
    return total
