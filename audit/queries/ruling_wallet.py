"""How far the money of a ruling has got at the wallet."""

from dataclasses import dataclass
from typing import Final

from django.db import connection

from audit.models import Ruling, RulingStatus

SHOWN = frozenset({RulingStatus.STOPPED, RulingStatus.APPLIED})

_STATE: Final = """
SELECT count(*), count(*) FILTER (WHERE d.status = 'waiting'), count(*) FILTER (WHERE d.status = 'dead'),
    count(*) FILTER (WHERE d.is_forced AND d.status = 'delivered'),
    count(r.transaction_id) FILTER (WHERE c.how IS NULL),
    coalesce(sum(r.amount_minor) FILTER (WHERE c.how IS NULL), 0)
FROM audit_rulinground rr
JOIN tables_settlement s ON s.round_id = rr.round_id AND s.authority = %(authority)s
JOIN tables_wallettransaction t ON t.settlement_id = s.id
JOIN tables_walletdelivery d ON d.transaction_id = t.id
LEFT JOIN tables_receivable r ON r.transaction_id = t.id
LEFT JOIN tables_receivableclosing c ON c.receivable_id = r.transaction_id
WHERE rr.ruling_id = %(ruling)s
"""


@dataclass(frozen=True, slots=True)
class WalletState:
    """The messages of a ruling: how many there are, and how many are not simply through."""

    messages: int
    waiting: int
    given_up: int
    forced: int
    owing: int  # for how many something stays owed
    owed_minor: int

    @property
    def through(self) -> int:
        """Return how many the wallet has, or a person settled."""
        return self.messages - self.waiting - self.given_up


def wallet_state_of(ruling: Ruling) -> WalletState | None:
    """Read how far a ruling's messages have got; None where it moved no money, or is still moving it."""
    if RulingStatus(ruling.status) not in SHOWN:
        return None
    with connection.cursor() as cursor:
        cursor.execute(_STATE, {"ruling": ruling.pk, "authority": ruling.uuid})
        row = [int(value) for value in cursor.fetchone()]
    state = WalletState(*row)
    return state if state.messages else None
