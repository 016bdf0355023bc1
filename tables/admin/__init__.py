"""The pages of this app: one file a model. They show; what changes is a named action."""

from tables.admin import (
    apikey,
    bet,
    dealer,
    feedevent,
    finding,
    gametable,
    journalentry,
    player,
    receivable,
    reconciliation,
    round,
    rulebook,
    settlement,
    shoe,
    walletdelivery,
    wallettransaction,
)

__all__ = [
    "apikey",
    "bet",
    "dealer",
    "feedevent",
    "finding",
    "gametable",
    "journalentry",
    "player",
    "receivable",
    "reconciliation",
    "round",
    "rulebook",
    "settlement",
    "shoe",
    "walletdelivery",
    "wallettransaction",
]
