"""Which addresses a table may be called at."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

LONGEST: Final = 500
SCHEMES: Final = ("http", "https")


def fault_of_url(url: str) -> str | None:
    """Return what is wrong with the address of a webhook, or None if it will do."""
    if not 1 <= len(url) <= LONGEST:
        return f"1 to {LONGEST} characters"
    if not url.isascii() or not url.isprintable() or " " in url:
        return "printable ASCII without spaces; write a host beyond it as xn--…"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return f"no address: {error}"
    if parts.scheme.lower() not in SCHEMES:
        return "http:// or https:// is wanted"
    if not parts.hostname or port == 0:
        return "a host is wanted, and a port if it is no usual one"
    if parts.username is not None or parts.password is not None:
        return "no user or password: what is sent is signed"
    if parts.fragment:
        return "nothing after a #"
    return None
