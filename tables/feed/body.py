"""A body of many events, cut into the bytes of each: JSON Lines, or one JSON array."""

from collections.abc import Iterable, Iterator

import msgspec

_array = msgspec.json.Decoder(list[msgspec.Raw])
BOM = b"\xef\xbb\xbf"


class BadBody(Exception):
    """The body as a whole cannot be read; nothing of it was taken."""


def split_events(body: bytes) -> list[bytes]:
    """Cut a body into its events.

    A last line that ends in the middle is kept as it is: it is answered as unreadable, what came before is
    read, and the whole may be sent again.

    :raises BadBody: if the body holds no event, begins with a byte-order mark, or is a broken array.
    """
    if body.startswith(BOM):
        raise BadBody("body: begins with a byte-order mark; send plain UTF-8 (feed/format)")
    stripped = body.lstrip()
    if not stripped:
        raise BadBody("body: is empty; send JSON Lines or a JSON array of events (feed/format)")
    if stripped[:1] != b"[":
        return list(split_lines(body.split(b"\n")))
    try:
        events = [bytes(raw) for raw in _array.decode(stripped)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise BadBody(f"body: not a JSON array of events: {problem} (feed/format)") from problem
    if not events:
        raise BadBody("body: the array holds no event (feed/format)")
    return events


def split_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Drop blank lines and line ends."""
    for line in lines:
        if line := line.strip():
            yield line
