"""The pages of this app: one file a model. They show and change nothing."""

from tables.admin import (
    bet,
    dealer,
    feedevent,
    finding,
    gametable,
    journalentry,
    player,
    round,
    rulebook,
    settlement,
    shoe,
    wallettransaction,
)

__all__ = [
    "bet",
    "dealer",
    "feedevent",
    "finding",
    "gametable",
    "journalentry",
    "player",
    "round",
    "rulebook",
    "settlement",
    "shoe",
    "wallettransaction",
]
