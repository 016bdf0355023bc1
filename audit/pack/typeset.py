"""The pages of an evidence pack: set by Typst, in a font with Thai and Latin letters. Asks no network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, Final

import typst
from django.conf import settings

from audit.models import EvidencePack
from tables.templatetags.cardface import BLACK, RED, SUIT_PATHS, back_svg, face_svg

TEMPLATE: Final = settings.ROOT_FOLDER / "templates" / "evidence" / "pack.typ"
_SVG: Final = '<svg xmlns="http://www.w3.org/2000/svg" '
_INDEX: Final = 'font-family="Sarabun" font-weight="700" font-size="17"'


@cache
def _fonts() -> typst.Fonts:
    """Load the one font, from its package: what the machine has besides must not change the page."""
    folder = str(files("fontpkg_sarabun") / "files")
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[folder])


def typeset(pack: EvidencePack, parts: Iterable[dict[str, Any]], *, form: str = "pdf") -> Any:
    """Set a pack's pages, as a PDF or a PNG for each page. The same input gives the same bytes."""
    shown = list(parts)
    at = pack.stated_at.astimezone(UTC)
    moment = {name: getattr(at, name) for name in ("year", "month", "day", "hour", "minute", "second")}
    data = {
        "number": pack.number,
        "subject": pack.subject_label,
        "at": moment,
        "parts": shown,
        "faces": {face: _card(face) for face in _faces_of(shown)},
        "suits": {suit: _suit(suit) for suit in SUIT_PATHS},
    }
    compiler = typst.Compiler(
        TEMPLATE.read_bytes(),
        font_paths=_fonts(),
        ignore_system_fonts=True,
        sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
    )
    return compiler.compile(format=form, timestamp=_whole_second(at), ppi=100.0)  # type: ignore[arg-type]


def _whole_second(at: datetime) -> int:
    return int(at.timestamp())


def _faces_of(parts: list[dict[str, Any]]) -> list[str]:
    faces = {
        card["face"]
        for part in parts
        for section in part["sections"]
        for block in section["blocks"]
        if block["kind"] == "coup"
        for hand in block["hands"]
        for card in hand["cards"]
    }
    return sorted(faces)


def _card(face: str) -> str:
    """Draw a card as the pages of the admin do, in a form that stands alone."""
    drawn = face_svg(face[:-1], face[-1], label=face) if face else back_svg(label="")
    drawn = drawn.replace('class="bc-card-index"', _INDEX)
    return re.sub(r"^<svg ", _SVG, drawn)


def _suit(suit: str) -> str:
    colour = RED if suit in "HD" else BLACK
    return f'{_SVG}viewBox="-8 -8.5 16 17"><path fill="{colour}" d="{SUIT_PATHS[suit]}"/></svg>'
