"""Thai in an evidence pack is broken into lines between its words, which no spaces show."""

import io

import pytest
from PIL import Image, ImageChops

from audit.models import EvidencePack
from audit.pack.typeset import typeset
from tests.tables.playing import NOON

WORD = "ประชาธิปไตย"
LEFT_EDGE, RIGHT_EDGE = 67, 760  # 17 mm of margin at 100 dots to the inch, of 827 that the paper is wide
WORD_JOINER = "\u2060"


def lines_of(text: str, language: str) -> list[tuple[int, int]]:
    """Set a text, and return from where to where the ink of each line reaches."""
    pack = EvidencePack(number="E-0001", subject_label="C-0001", asked_at=NOON)
    section = {"title": "–", "blocks": [{"kind": "prose", "text": text}]}
    part = {"language": language, "title": "–", "facts": [], "sections": [section]}
    page = typeset(pack, [part], form="png")
    ink = ImageChops.invert(Image.open(io.BytesIO(page if isinstance(page, bytes) else page[0])).convert("L"))
    ink = ink.point(lambda value: 255 if value > 64 else 0)
    rows = [ink.crop((0, y, ink.width, y + 1)).getbbox() is not None for y in range(ink.height)]
    tops = [y for y in range(1, ink.height) if rows[y] and not rows[y - 1]]
    bottoms = [y for y in range(1, ink.height) if rows[y - 1] and not rows[y]]
    boxes = [ink.crop((0, a, ink.width, b)).getbbox() for a, b in zip(tops, bottoms, strict=True)]
    reach = [(box[0], box[2]) for box in boxes if box]
    return reach[-6:-1]  # above them the title, the heading and its line, below them the foot of the page


@pytest.mark.parametrize("language", ["th", "en"])  # a player's words stand in both parts as they were said
def test_lines_end_between_words(language: str) -> None:
    lines = lines_of(WORD * 40, language)
    [(left, right)] = set(lines[:4])  # nine whole words each, to the dot
    assert LEFT_EDGE <= left < LEFT_EDGE + 3 and RIGHT_EDGE - 60 < right <= RIGHT_EDGE
    assert lines[4][1] - left == pytest.approx((right - left) * 4 / 9, abs=2)


def test_a_text_whose_words_are_joined_shows_that_the_test_would_see_it() -> None:
    assert max(right for _, right in lines_of(WORD_JOINER.join(WORD * 40), "th")) > RIGHT_EDGE
