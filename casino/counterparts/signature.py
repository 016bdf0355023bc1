"""How the wallet knows who is asking: HMAC-SHA256 over time, method, target and body.

Written apart from the client's side on purpose: two ends that share code agree even where both are wrong.
"""

from __future__ import annotations

import hashlib
import hmac

TIMESTAMP_HEADER = "X-Bluecard-Timestamp"
SIGNATURE_HEADER = "X-Bluecard-Signature"
WINDOW_SECONDS = 300


class NotSigned(Exception):
    """The request does not prove that it comes from a holder of the secret; its text says what is wrong."""


def expected_signature(secret: bytes, *, timestamp: str, method: str, target: str, body: bytes) -> str:
    """Return the signature header that a request must carry."""
    text = f"{timestamp}\n{method}\n{target}\n".encode() + body
    return "v1=" + hmac.new(secret, text, hashlib.sha256).hexdigest()


def check_signature(
    secret: bytes,
    *,
    timestamp: str | None,
    signature: str | None,
    method: str,
    target: str,
    body: bytes,
    now: float,
) -> None:
    """Accept a request or raise; `now` is in seconds since 1970.

    A request repeated inside the window is let through: what it asks for has its key, and is booked once.

    :raises NotSigned: if a header is missing, the time is unreadable or far off, or the signature differs.
    """
    if not timestamp or not signature:
        raise NotSigned(f"the headers {TIMESTAMP_HEADER} and {SIGNATURE_HEADER} are required")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        raise NotSigned(f"{TIMESTAMP_HEADER} must be whole seconds since 1970")
    if abs(now - int(timestamp)) > WINDOW_SECONDS:
        raise NotSigned(f"{TIMESTAMP_HEADER} is more than {WINDOW_SECONDS} seconds from this server's clock")
    expected = expected_signature(secret, timestamp=timestamp, method=method, target=target, body=body)
    if not hmac.compare_digest(expected.encode(), signature.encode("latin-1", "replace")):
        raise NotSigned("the signature does not fit this request and secret")
