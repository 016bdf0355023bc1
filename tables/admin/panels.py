"""Slots of the pages that apps above this one fill when they are loaded.

A panel is a function of the request and the round that returns HTML, or None where it has
nothing to show or may not show it. Buttons stand in the head of a record's page, by its model.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.safestring import SafeString

from tables.models import Round
from tables.timeline_words import Line

Panel = Callable[[HttpRequest, Round], SafeString | None]

SLOTS: Final = ("top", "main", "side")

_panels: dict[str, list[Panel]] = {slot: [] for slot in SLOTS}


def add_round_panel(slot: str, panel: Panel) -> None:
    """Fill a slot of the round's page, after what fills it already; called once, when an app is ready.

    :raises KeyError: if there is no such slot.
    """
    if panel not in _panels[slot]:
        _panels[slot].append(panel)


def panels_of(request: HttpRequest, round_: Round) -> dict[str, list[SafeString]]:
    """Draw what fills the slots of this round's page."""
    drawn: dict[str, list[SafeString]] = {}
    for slot, panels in _panels.items():
        shown = [panel(request, round_) for panel in panels]
        drawn[slot] = [html for html in shown if html is not None]
    return drawn


RoundLines = Callable[[HttpRequest, Round], list[Line]]

_round_lines: list[RoundLines] = []


def add_round_lines(lines: RoundLines) -> None:
    """Add to the timeline of rounds what an app above knows of them; called once, when it is ready."""
    if lines not in _round_lines:
        _round_lines.append(lines)


def round_lines_of(request: HttpRequest, round_: Round) -> list[Line]:
    """List what apps above know of a round's course, as far as this person may see it."""
    return [line for lines in _round_lines for line in lines(request, round_)]


RecordPanel = Callable[[HttpRequest, Any], SafeString | None]

_record_panels: dict[str, list[RecordPanel]] = {}


def add_record_panel(model: str, panel: RecordPanel) -> None:
    """Put a panel at the end of the main column of a model's pages, as `gametable`; called once."""
    filled = _record_panels.setdefault(model, [])
    if panel not in filled:
        filled.append(panel)


def record_panels_of(request: HttpRequest, found: Any) -> list[SafeString]:
    """Draw the panels that apps above put on a record's page."""
    shown = [panel(request, found) for panel in _record_panels.get(found._meta.model_name, ())]
    return [html for html in shown if html is not None]


class HeadButton(NamedTuple):
    """A button that leads to an action's page."""

    word: str | Promise
    url: str
    icon: str
    tone: str = ""  # main or grave
    shortcut: str = ""


Buttons = Callable[[HttpRequest, Any], list[HeadButton]]

_buttons: dict[str, list[Buttons]] = {}


def add_head_buttons(model: str, buttons: Buttons) -> None:
    """Put buttons into the head of a model's pages, as `round`; called once, when an app is ready."""
    filled = _buttons.setdefault(model, [])
    if buttons not in filled:
        filled.append(buttons)


def head_buttons_of(request: HttpRequest, found: Any) -> list[HeadButton]:
    """List the buttons that this person gets in the head of a record's page."""
    return [one for buttons in _buttons.get(found._meta.model_name, []) for one in buttons(request, found)]


Authorities = Callable[[HttpRequest, Sequence[UUID]], Mapping[UUID, SafeString]]

_authorities: list[Authorities] = []


def add_authorities(named: Authorities) -> None:
    """Let an app above say what stands behind the authorities of revisions; called once, when it is ready."""
    if named not in _authorities:
        _authorities.append(named)


def authorities_of(request: HttpRequest, wanted: Sequence[UUID]) -> dict[UUID, SafeString]:
    """Say what stands behind some authorities, as far as anybody knows."""
    found: dict[UUID, SafeString] = {}
    for named in _authorities if wanted else ():
        found |= named(request, wanted)
    return found


Watcher = Callable[[HttpRequest, Any], None]

_watchers: dict[str, list[Watcher]] = {}


def add_watcher(model: str, watcher: Watcher) -> None:
    """Let an app know of every look at a record of a model, as `player`; called once, when it is ready."""
    watching = _watchers.setdefault(model, [])
    if watcher not in watching:
        watching.append(watcher)


def tell_watchers(request: HttpRequest, found: Any) -> None:
    """Say that somebody looks at a record."""
    for watcher in _watchers.get(found._meta.model_name, ()):
        watcher(request, found)
