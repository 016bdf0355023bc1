"""Round IDs: written, read as people type them, and every slip seen."""

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.rules.round_id import (
    ALPHABET,
    BadRoundId,
    BadRoundIdCode,
    RoundKey,
    make_round_id,
    make_shoe_id,
    parse_round_id,
)

ROUND = "B03-20261129-02-041-K"
KEY = RoundKey("B03", date(2026, 11, 29), 2, 41)

# Where people's fingers and eyes go wrong these two are one; reading folds them on purpose.
FOLDED = {"I": "1", "L": "1", "O": "0", "U": "V"}
TYPED = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

SAMPLES = [
    ROUND,
    make_round_id("A", date(2026, 1, 1), 1, 1),
    make_round_id("VP88", date(2031, 12, 31), 99, 999),
    make_round_id("ZZZZZZZZ", date(2028, 2, 29), 10, 70),
]


def read(text: str) -> RoundKey | None:
    try:
        return parse_round_id(text)
    except BadRoundId:
        return None


def test_an_id_is_written_with_its_check_character():
    assert make_round_id("B03", date(2026, 11, 29), 2, 41) == ROUND
    assert make_shoe_id("B03", date(2026, 11, 29), 2) == "B03-20261129-02"


def test_the_alphabet_has_no_letters_that_look_like_a_digit_typed_badly():
    assert len(set(ALPHABET)) == 32
    assert not set("ILOU") & set(ALPHABET)


@pytest.mark.parametrize(
    "typed",
    [
        "B03-20261129-02-041-K",
        "b03-20261129-02-041-k",
        "  B03-20261129-02-041-K\n",
        "B03 20261129 02 041 K",
        "B032026112902041K",
        "B03-20261129-02041K",
        "B03 - 2026 1129 - 02 - 041 - K",
        "BO3-2O26II29-O2-O4l-K",
        "B03–20261129–02–041–K",
        "B03_20261129_02_041_K",
    ],
)
def test_an_id_is_read_as_people_type_it(typed):
    assert parse_round_id(typed) == KEY


@given(
    table=st.text(ALPHABET, min_size=1, max_size=8),
    day=st.dates(date(2000, 1, 1), date(2199, 12, 31)),
    shoe=st.integers(1, 99),
    number=st.integers(1, 999),
)
def test_what_is_written_is_read_back(table, day, shoe, number):
    text = make_round_id(table, day, shoe, number)
    assert parse_round_id(text) == (table, day, shoe, number)
    assert parse_round_id(text.replace("-", "").lower()) == (table, day, shoe, number)


@pytest.mark.parametrize(
    ("table", "shoe", "number"),
    [
        ("", 1, 1),
        ("B03B03B03", 1, 1),
        ("VIP", 1, 1),
        ("b03", 1, 1),
        ("B-3", 1, 1),
        ("B03", 0, 1),
        ("B03", 100, 1),
        ("B03", 1, 0),
        ("B03", 1, 1000),
        ("B03", -1, 1),
    ],
)
def test_what_does_not_fit_the_form_is_not_written(table, shoe, number):
    with pytest.raises(ValueError, match=r"from 1 to|table code"):
        make_round_id(table, date(2026, 11, 29), shoe, number)


@pytest.mark.parametrize("text", SAMPLES)
def test_every_single_wrong_character_is_seen(text):
    """All 36 letters and digits in place of each character, dashes included."""
    key = parse_round_id(text)
    tried = 0
    for place, right in enumerate(text):
        for wrong in TYPED:
            if FOLDED.get(wrong, wrong) == right:
                continue
            tried += 1
            assert read(text[:place] + wrong + text[place + 1 :]) is None, (text, place, wrong, key)
    assert tried >= len(text) * 33


@pytest.mark.parametrize("text", SAMPLES)
def test_every_swap_of_neighbours_is_seen(text):
    """Neighbours in the text and across a dash; a dash swapped with its neighbour may not lead elsewhere."""
    key = parse_round_id(text)
    places = [place for place, character in enumerate(text) if character != "-"]
    for left, right in pairwise(places):
        if text[left] == text[right]:
            continue
        swapped = list(text)
        swapped[left], swapped[right] = swapped[right], swapped[left]
        assert read("".join(swapped)) is None
    for place in range(len(text) - 1):
        swapped_text = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
        assert read(swapped_text) in (None, key)


@given(
    table=st.text(ALPHABET, min_size=1, max_size=8),
    day=st.dates(date(2000, 1, 1), date(2199, 12, 31)),
    shoe=st.integers(1, 99),
    number=st.integers(1, 999),
    data=st.data(),
)
def test_no_slip_leads_to_another_round(table, day, shoe, number, data):
    text = make_round_id(table, day, shoe, number).replace("-", "")
    place = data.draw(st.integers(0, len(text) - 1))
    wrong = data.draw(st.sampled_from([character for character in ALPHABET if character != text[place]]))
    assert read(text[:place] + wrong + text[place + 1 :]) is None
    first, second = data.draw(st.tuples(*[st.integers(0, len(text) - 1)] * 2))
    swapped = list(text)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    assert read("".join(swapped)) is None or text[first] == text[second]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "-",
        "hello",
        "B03",
        "B03-20261129-02-041",
        "B03-2026-11-29-02-041-K-7",
        "20261129-02-041-K",
        "B03-20261129-02-041-K-K",
        "B03-2026112X-02-041-K",
        "B03/20261129/02/041/K",
        "B03-20261129-02-041-?",
        "B03-20261129-02-041-K\N{COMBINING ACUTE ACCENT}",
        "B03-٢٠٢٦١١٢٩-02-041-K",
        "A" * 5000,
    ],
)
def test_what_has_not_the_form_is_malformed(text):
    with pytest.raises(BadRoundId) as refused:
        parse_round_id(text)
    assert refused.value.code is BadRoundIdCode.MALFORMED
    assert len(refused.value.message) < 250


@pytest.mark.parametrize("day", ["20261301", "20260230", "00000101"])
def test_a_day_that_is_none_is_malformed_even_if_the_check_fits(day):
    check = next(c for c in ALPHABET if _code_of(f"B03-{day}-02-041-{c}") is BadRoundIdCode.MALFORMED)
    assert _code_of(f"B03-{day}-02-041-{'A' if check != 'A' else 'B'}") is BadRoundIdCode.WRONG_CHECK


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("B03-20261129-02-041-X", "B03-20261129-02-041-K"),
        ("B0320261129-02-041-K", "B03-20261129-02-041-K"),
        ("B03-20261192-02-041-K", "B03-20261129-02-041-K"),  # there is no 92nd of November
        ("B03-20261129-02-041-7", "B03-20261129-02-041-K"),
        ("B03-Z0261129-02-041-K", "B03-20261129-02-041-K"),
    ],
)
def test_a_slip_is_answered_with_what_was_likely_meant(typed, meant):
    with pytest.raises(BadRoundId) as refused:
        parse_round_id(typed)
    assert refused.value.did_you_mean == meant


def test_the_round_meant_is_among_the_candidates_when_neighbours_were_swapped_or_look_alikes_typed():
    for typed in (
        "B03-20261129-02-014-K",
        "8O3-20261129-02-041-K",
        "B03-20261129-20-041-K",
        "B30-20261129-02-041-K",
    ):
        with pytest.raises(BadRoundId) as refused:
            parse_round_id(typed)
        assert refused.value.code is BadRoundIdCode.WRONG_CHECK
        assert ROUND in refused.value.candidates
        assert all(read(candidate) is not None for candidate in refused.value.candidates)


@pytest.mark.parametrize(
    "typed",
    [
        "B03-20261128-02-041-K",
        "B03-20261129-02-047-K",
        "B03-20261129-07-041-K",
        "B04-20261129-02-041-K",
        "C03-20261129-02-041-K",
        "B03-20261129-02-041-M",
    ],
)
def test_the_round_meant_is_among_the_candidates_whichever_one_character_is_wrong(typed):
    with pytest.raises(BadRoundId) as refused:
        parse_round_id(typed)
    assert ROUND in refused.value.candidates
    assert all(read(candidate) is not None for candidate in refused.value.candidates)


@pytest.mark.parametrize(
    "typed",
    [
        *(ROUND[:i] + ROUND[i + 1 :] for i in range(len(ROUND)) if ROUND[i] != "-"),  # one left out
        *(ROUND[: i + 1] + ROUND[i:] for i in range(len(ROUND)) if ROUND[i] != "-"),  # one typed twice
        "B03-20261129-02-04K-1",  # a letter and a figure the other way round
        "B03202611290204K",  # left out, and no dash to show where
    ],
)
def test_the_round_meant_is_among_the_candidates_when_a_character_is_missing_or_doubled(typed):
    with pytest.raises(BadRoundId) as refused:
        parse_round_id(typed)
    assert ROUND in refused.value.candidates
    assert all(read(candidate) is not None for candidate in refused.value.candidates)


def test_hopeless_text_has_no_suggestion():
    with pytest.raises(BadRoundId) as refused:
        parse_round_id("what happened in my round?")
    assert refused.value.did_you_mean is None


def _code_of(text: str) -> BadRoundIdCode:
    with pytest.raises(BadRoundId) as refused:
        parse_round_id(text)
    return refused.value.code
