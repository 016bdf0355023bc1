"""What was questioned and what was decided."""

from audit.models.checkpoint import (
    Checkpoint,
    Cosignature,
    Leaf,
    PendingEntry,
    TreeNode,
    Verification,
    WitnessState,
)
from audit.models.erasing import LegalHold
from audit.models.evidence import (
    PACK_FLOW,
    Attachment,
    AttachmentFile,
    AttachmentSubject,
    EvidencePack,
    PackStatus,
    PackSubject,
)
from audit.models.incident import Incident, IncidentSource, IncidentStatus
from audit.models.person import ChangeKind, ChangeStatus, Person, PersonAccount, SetupChange
from audit.models.ruling import (
    OPEN_STATUSES,
    RULING_FLOW,
    Ruling,
    RulingKind,
    RulingRound,
    RulingRoundStatus,
    RulingStatus,
    SignIn,
)
from audit.models.telling import DecisionKind, Notice, TableDecision
from audit.models.webhook import TableWebhook

__all__ = [
    "OPEN_STATUSES",
    "PACK_FLOW",
    "RULING_FLOW",
    "Attachment",
    "AttachmentFile",
    "AttachmentSubject",
    "ChangeKind",
    "ChangeStatus",
    "Checkpoint",
    "Cosignature",
    "DecisionKind",
    "EvidencePack",
    "Incident",
    "IncidentSource",
    "IncidentStatus",
    "Leaf",
    "LegalHold",
    "Notice",
    "PackStatus",
    "PackSubject",
    "PendingEntry",
    "Person",
    "PersonAccount",
    "Ruling",
    "RulingKind",
    "RulingRound",
    "RulingRoundStatus",
    "RulingStatus",
    "SetupChange",
    "SignIn",
    "TableDecision",
    "TableWebhook",
    "TreeNode",
    "Verification",
    "WitnessState",
]
