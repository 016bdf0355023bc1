"""What the wallet says players have: advice beside a decision, never what it rests on."""

import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings

from tables.wallet_client import WalletClient, WalletUnavailable

#: For all players together; each answer is waited for no longer than this either.
PATIENCE_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class Balances:
    """What was read, in minor units by player; who is missing did not come in time."""

    read_at: datetime
    found: dict[str, int]
    is_complete: bool


def read_balances(
    players: Iterable[str], currency: str, *, seconds: float = PATIENCE_SECONDS, url: str | None = None
) -> Balances:
    """Ask the wallet what each of some players has, one after the other, until all answered or time is up.

    A wallet that does not answer ends it: the next question would only wait as long.
    """
    ends_at = time.monotonic() + seconds
    found: dict[str, int] = {}
    wallet = WalletClient(url or settings.WALLET_URL, settings.WALLET_SECRET, answer_seconds=seconds)
    wanted = list(dict.fromkeys(players))
    with closing(wallet):
        for player in wanted:
            if time.monotonic() >= ends_at:
                break
            try:
                found[player] = wallet.read_balance(player, currency)
            except WalletUnavailable:
                break
    return Balances(datetime.now(UTC), found, len(found) == len(wanted))
