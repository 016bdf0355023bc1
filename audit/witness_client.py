"""Asks the witness over HTTP: to cosign a checkpoint, and what it saw last."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

TIMEOUT_SECONDS = 3.0


class WitnessRefused(Exception):
    """The witness will not sign; the message is its reason."""


class WitnessAway(Exception):
    """The witness does not answer."""


@dataclass(frozen=True, slots=True)
class OtherSize(Exception):
    """The witness saw another size last than it was asked to go on from."""

    size: int


def ask(url: str, *, old_size: int, proof: Sequence[bytes], note: str) -> str:
    """Ask for a cosignature and return its line.

    :raises OtherSize: if the witness saw another size last, or another tree of this size.
    :raises WitnessRefused: if it will not sign.
    :raises WitnessAway: if it does not answer.
    """
    steps = "".join(f"{b64encode(step).decode()}\n" for step in proof)
    try:
        answer = httpx.post(
            f"{url}/add-checkpoint",
            content=f"old {old_size}\n{steps}\n{note}".encode(),
            timeout=TIMEOUT_SECONDS,
            trust_env=False,
        )
    except httpx.HTTPError as error:
        raise WitnessAway(type(error).__name__) from error
    text = answer.text.strip()
    if answer.status_code == httpx.codes.CONFLICT and text.isdecimal():
        raise OtherSize(int(text))
    if answer.status_code >= 500:
        raise WitnessAway(f"{answer.status_code} {text}"[:200])
    if answer.status_code != httpx.codes.OK:
        raise WitnessRefused(f"{answer.status_code} {text}"[:200])
    return answer.text


def newest(url: str) -> str:
    """Return the newest checkpoint the witness cosigned; empty when it saw none.

    :raises WitnessAway: if it does not answer.
    """
    try:
        answer = httpx.get(f"{url}/checkpoint", timeout=TIMEOUT_SECONDS, trust_env=False)
    except httpx.HTTPError as error:
        raise WitnessAway(type(error).__name__) from error
    if answer.status_code == httpx.codes.NOT_FOUND:
        return ""
    if answer.status_code != httpx.codes.OK:
        raise WitnessAway(f"{answer.status_code}")
    return answer.text
