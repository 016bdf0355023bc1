"""What was dealt, what was bet, what it paid."""

from tables.models.bet import Bet, BetCancellation, BetStatus
from tables.models.feed import AcceptedGap, ApiKey, EventStatus, FeedEvent
from tables.models.gametable import GameTable, TableState, TableStatus
from tables.models.journal import JournalEntry, JournalText
from tables.models.people import Dealer, Player, PlayerIdentity
from tables.models.reconciliation import DriftKind, Reconciliation, WalletDrift
from tables.models.round import (
    ROUND_FLOW,
    Deal,
    DealStatus,
    Finding,
    Hold,
    IllegalTransition,
    InsuranceOffer,
    Round,
    RoundStatus,
    require_transition,
)
from tables.models.rulebook import Rulebook
from tables.models.settlement import LineResult, Settlement, SettlementLine
from tables.models.shoe import COUP_PLACES, Card, CardPlace, CardSource, Shoe, ShoeStatus
from tables.models.wallet import (
    Bell,
    ClosingKind,
    DeliveryStatus,
    HandStatement,
    Outbox,
    Receivable,
    ReceivableClosing,
    TransactionKind,
    WalletDelivery,
    WalletTransaction,
)
from tables.rules.shortage import DebitPolicy

__all__ = [
    "COUP_PLACES",
    "ROUND_FLOW",
    "AcceptedGap",
    "ApiKey",
    "Bell",
    "Bet",
    "BetCancellation",
    "BetStatus",
    "Card",
    "CardPlace",
    "CardSource",
    "ClosingKind",
    "Deal",
    "DealStatus",
    "Dealer",
    "DebitPolicy",
    "DeliveryStatus",
    "DriftKind",
    "EventStatus",
    "FeedEvent",
    "Finding",
    "GameTable",
    "HandStatement",
    "Hold",
    "IllegalTransition",
    "InsuranceOffer",
    "JournalEntry",
    "JournalText",
    "LineResult",
    "Outbox",
    "Player",
    "PlayerIdentity",
    "Receivable",
    "ReceivableClosing",
    "Reconciliation",
    "Round",
    "RoundStatus",
    "Rulebook",
    "Settlement",
    "SettlementLine",
    "Shoe",
    "ShoeStatus",
    "TableState",
    "TableStatus",
    "TransactionKind",
    "WalletDelivery",
    "WalletDrift",
    "WalletTransaction",
    "require_transition",
]
