"""How Bluecard signs what it sends to machines outside, so that they know who speaks."""

from __future__ import annotations

import hashlib
import hmac

TIMESTAMP_HEADER = "X-Bluecard-Timestamp"
SIGNATURE_HEADER = "X-Bluecard-Signature"


def signature(secret: bytes, *, timestamp: str, method: str, target: str, body: bytes) -> str:
    """Return the signature header: HMAC-SHA256 over time, method, target and body."""
    text = f"{timestamp}\n{method}\n{target}\n".encode() + body
    return "v1=" + hmac.new(secret, text, hashlib.sha256).hexdigest()


def signed_headers(secret: bytes, *, timestamp: int, method: str, target: str, body: bytes) -> dict[str, str]:
    """Return the headers of a signed request with a JSON body; `timestamp` is in whole seconds since 1970."""
    seconds = str(timestamp)
    signed = signature(secret, timestamp=seconds, method=method, target=target, body=body)
    return {"Content-Type": "application/json", TIMESTAMP_HEADER: seconds, SIGNATURE_HEADER: signed}
