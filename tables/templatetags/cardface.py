"""Playing cards drawn by us, as SVG text: no pictures to load, no licence to mind.

A card is 84 wide and 118 high. Everything below the middle is drawn upside down, as on a real card. The
functions know no Django and no language; whoever calls them passes the words for a screen reader.
"""

from typing import Final

WIDTH: Final = 84
HEIGHT: Final = 118
MIDDLE_X: Final = WIDTH / 2
MIDDLE_Y: Final = HEIGHT / 2
UPSIDE_DOWN: Final = f"rotate(180 {MIDDLE_X:g} {MIDDLE_Y:g})"

RED: Final = "#c8202f"
BLACK: Final = "#17181c"
GOLD: Final = "#e0aa3e"
SKIN: Final = "#f7dcc0"

SUIT_COLOURS: Final = {"S": BLACK, "H": RED, "D": RED, "C": BLACK}
SUIT_SIGNS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}

# Each suit fills a box of about 16 by 16 around the origin.
SUIT_PATHS: Final = {
    "S": "M0-7.6C1.3-5.5 7.2-1.9 7.2 2 7.2 4 5.7 5.3 4 5.3 2.7 5.3 1.5 4.7.8 3.6 1 5.2 1.7 6.5 2.7 7.5H-2.7"
    "C-1.7 6.5-1 5.2-.8 3.6-1.5 4.7-2.7 5.3-4 5.3-5.7 5.3-7.2 4-7.2 2-7.2-1.9-1.3-5.5 0-7.6Z",
    "H": "M0 7.4C-1.3 5.5-7.5 1.6-7.5-2.7-7.5-5.1-5.8-6.8-3.7-6.8-2-6.8-.7-5.8 0-4.3.7-5.8 2-6.8 3.7-6.8"
    " 5.8-6.8 7.5-5.1 7.5-2.7 7.5 1.6 1.3 5.5 0 7.4Z",
    "D": "M0-7.8C1.6-4.8 3.6-2.1 6 0 3.6 2.1 1.6 4.8 0 7.8-1.6 4.8-3.6 2.1-6 0-3.6-2.1-1.6-4.8 0-7.8Z",
    "C": "M0-7.4a3.5 3.5 0 0 1 2.6 5.8 3.5 3.5 0 1 1-1.8 5.4C1 5.3 1.7 6.5 2.7 7.5H-2.7C-1.7 6.5-1 5.3-.8 3.8"
    "a3.5 3.5 0 1 1-1.8-5.4A3.5 3.5 0 0 1 0-7.4Z",
}

LEFT, CENTRE, RIGHT = 29.5, 42.0, 54.5
TOP, HIGH, LOW, BOTTOM = 27.0, 48.3, 69.7, 91.0
_SIDES = ((LEFT, TOP), (RIGHT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM))
_SIX = (*_SIDES, (LEFT, MIDDLE_Y), (RIGHT, MIDDLE_Y))
_EIGHT = (*_SIDES, (LEFT, HIGH), (RIGHT, HIGH), (LEFT, LOW), (RIGHT, LOW))

# Where the pips lie: the layout every player knows, so that a face can be read without its index.
PIPS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "A": ((CENTRE, MIDDLE_Y),),
    "2": ((CENTRE, TOP), (CENTRE, BOTTOM)),
    "3": ((CENTRE, TOP), (CENTRE, MIDDLE_Y), (CENTRE, BOTTOM)),
    "4": _SIDES,
    "5": (*_SIDES, (CENTRE, MIDDLE_Y)),
    "6": _SIX,
    "7": (*_SIX, (CENTRE, (TOP + MIDDLE_Y) / 2)),
    "8": (*_SIX, (CENTRE, (TOP + MIDDLE_Y) / 2), (CENTRE, (BOTTOM + MIDDLE_Y) / 2)),
    "9": (*_EIGHT, (CENTRE, MIDDLE_Y)),
    "10": (*_EIGHT, (CENTRE, (TOP + HIGH) / 2), (CENTRE, (LOW + BOTTOM) / 2)),
}


def face_svg(rank: str, suit: str, *, label: str, is_sideways: bool = False) -> str:
    """Draw the face of a card; `label` is what a screen reader says ("6 of spades").

    :raises KeyError: if the rank or the suit is none of a baccarat shoe.
    """
    colour = SUIT_COLOURS[suit]
    middle = _pips(rank, suit) if rank in PIPS else _court(rank, colour)
    index = _index(rank, suit)
    body = f'<g fill="{colour}">{index}<g transform="{UPSIDE_DOWN}">{index}</g>{middle}</g>'
    return _frame(body, label=label, is_sideways=is_sideways, css_class="bc-card", ground="#fff")


def back_svg(*, label: str, is_sideways: bool = False) -> str:
    """Draw the back of a card whose face nobody saw."""
    rails = "".join(f"M{x} 9v100" for x in range(16, 76, 8)) + "".join(
        f"M8 {y}h68" for y in range(19, 110, 8)
    )
    body = (
        '<rect x="6" y="6" width="72" height="106" rx="5" fill="#2f5fc4"/>'
        f'<path d="{rails}" stroke="#7fa2ee" stroke-width="1" fill="none"/>'
        '<rect x="6" y="6" width="72" height="106" rx="5" fill="none" stroke="#1d459c"/>'
        f'<circle cx="{MIDDLE_X:g}" cy="{MIDDLE_Y:g}" r="14" fill="#2f5fc4" stroke="#cfdcfb"'
        f' stroke-width="1.5"/>'
        f'<text x="{MIDDLE_X:g}" y="{MIDDLE_Y + 7:g}" text-anchor="middle" class="bc-card-mark"'
        f' fill="#fff">?</text>'
    )
    return _frame(body, label=label, is_sideways=is_sideways, css_class="bc-card", ground="#fff")


def slot_svg(text: str, *, label: str, is_sideways: bool = False) -> str:
    """Draw the place of a card that has not come yet, with a short text in it ("4")."""
    turn = f' transform="rotate(-90 {MIDDLE_X:g} {MIDDLE_Y:g})"' if is_sideways else ""
    body = (
        f'<rect x="1" y="1" width="82" height="116" rx="7" class="bc-card-slot-edge"/>'
        f'<text x="{MIDDLE_X:g}" y="{MIDDLE_Y + 6:g}" text-anchor="middle"'
        f' class="bc-card-mark"{turn}>{text}</text>'
    )
    return _frame(body, label=label, is_sideways=is_sideways, css_class="bc-card bc-card-slot", ground="none")


def _frame(body: str, *, label: str, is_sideways: bool, css_class: str, ground: str) -> str:
    """Wrap a drawing in its card; a sideways card is the same drawing turned clockwise."""
    width, height = (HEIGHT, WIDTH) if is_sideways else (WIDTH, HEIGHT)
    sheet = f'<rect width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{ground}"/>'
    inner = (
        f'<g transform="translate({HEIGHT} 0) rotate(90)">{sheet}{body}</g>' if is_sideways else sheet + body
    )
    sideways = " is-sideways" if is_sideways else ""
    return (
        f'<svg class="{css_class}{sideways}" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" aria-label="{label}">{inner}</svg>'
    )


def _index(rank: str, suit: str) -> str:
    narrow = ' textLength="17" lengthAdjust="spacingAndGlyphs"' if rank == "10" else ""
    return (
        f'<text x="11.5" y="20" text-anchor="middle" class="bc-card-index"{narrow}>{rank}</text>'
        f'<path d="{SUIT_PATHS[suit]}" transform="translate(11.5 30) scale(.62)"/>'
    )


def _pips(rank: str, suit: str) -> str:
    scale = 2.3 if rank == "A" else 0.92
    return "".join(
        f'<path d="{SUIT_PATHS[suit]}" transform="translate({x:g} {y:g}) '
        f'{"rotate(180) " if y > MIDDLE_Y else ""}scale({scale:g})"/>'
        for x, y in PIPS[rank]
    )


def _court(rank: str, colour: str) -> str:
    half = _half_figure(rank, colour)
    return (
        f'<rect x="22.5" y="12.5" width="39" height="93" rx="3" fill="#fdf4e4" stroke="{colour}"'
        f' stroke-opacity=".45"/>'
        f'{half}<g transform="{UPSIDE_DOWN}">{half}</g>'
        f'<path d="M23 59h38" stroke="{GOLD}" stroke-width="2.4"/>'
        f'<circle cx="42" cy="59" r="3.4" fill="#fdf4e4" stroke="{GOLD}" stroke-width="1.6"/>'
    )


def _half_figure(rank: str, colour: str) -> str:
    """Draw a bust for one half of a court card: king with beard, queen with long hair, jack with a cap."""
    robe = (
        f'<path d="M24.5 59c0-8.6 6.6-13.4 17.5-13.4S59.5 50.4 59.5 59z" fill="{colour}"/>'
        f'<path d="M35.6 46.4 42 57l6.4-10.6c-3.6-1-9.2-1-12.8 0z" fill="#fff" stroke="{GOLD}"'
        f' stroke-width="1.4"/>'
    )
    face = f'<ellipse cx="42" cy="37.4" rx="6.6" ry="7.8" fill="{SKIN}"/>'
    eyes = "".join(f'<circle cx="{x}" cy="36.6" r=".9" fill="{BLACK}"/>' for x in (39.4, 44.6))
    mouth = f'<path d="M40.2 41.2q1.8 1.2 3.6 0" fill="none" stroke="{RED}" stroke-width="1"/>'
    edge = f'fill="{GOLD}" stroke="{colour}" stroke-width="1.1" stroke-linejoin="round"'
    match rank:
        case "K":
            hair = '<path d="M34.6 34v9q0 4 3.4 5h8q3.4-1 3.4-5v-9z" fill="#8a5a2b"/>'
            beard = '<path d="M35.4 38.6q6.6 4 13.2 0 .6 8.6-6.6 11.4-7.2-2.8-6.6-11.4z" fill="#8a5a2b"/>'
            crown = f'<path d="M33.6 31.4 31.6 19l6 5.2L42 15.8l4.4 8.4 6-5.2-2 12.4z" {edge}/>'
            return robe + hair + face + eyes + beard + f'<g transform="translate(0 1)">{mouth}</g>' + crown
        case "Q":
            hair = (
                '<path d="M42 26.4c-8 0-9.8 6-9.4 12.4.3 4.8-.6 7.6-2.2 9.8h23.2c-1.6-2.2-2.5-5-2.2-9.8'
                '.4-6.4-1.4-12.4-9.4-12.4z" fill="#a8622a"/>'
            )
            crown = (
                f'<path d="M34.4 30.6 33.2 22.6l4.6 3.2L42 19.4l4.2 6.4 4.6-3.2-1.2 8q-7.6-2.6-15.2'
                f' 0z" {edge}/>'
                f'<circle cx="42" cy="18.6" r="1.7" fill="{colour}"/>'
            )
            return hair + robe + face + eyes + mouth + crown
        case "J":
            hair = '<path d="M34.2 31.4q-1.6 9.6 1 13.6h13.6q2.6-4 1-13.6z" fill="#6d4526"/>'
            cap = (
                f'<path d="M33 31.6q-2.4-9.2 8.4-10.4 9.8-.8 10.6 6.4.2 2.2-1 4-9-2.6-18 0z"'
                f' fill="{colour}"/>'
                f'<path d="M32.8 31.8q9.2-2.8 18.4 0l-.5 2.2q-8.7-2.4-17.4 0z" fill="{GOLD}"/>'
                f'<path d="M47.6 23.6q2.8-6.4 9-7.2-1.4 6.6-7.4 9.6z" {edge}/>'
            )
            return robe + hair + face + eyes + mouth + cap
    raise KeyError(rank)
