"""Who may do what: one table of roles and permissions. Groups are made from it, and the tests read it."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

PLAY = (
    "tables.view_gametable",
    "tables.view_dealer",
    "tables.view_shoe",
    "tables.view_card",
    "tables.view_round",
    "tables.view_deal",
    "tables.view_insuranceoffer",
    "tables.view_finding",
    "tables.view_hold",
    "tables.view_rulebook",
)
MONEY = (
    "tables.view_bet",
    "tables.view_player",
    "tables.view_playeridentity",
    "tables.view_settlement",
    "tables.view_settlementline",
    "tables.view_wallettransaction",
    "tables.view_walletdelivery",
    "tables.view_receivable",
)
DECISIONS = (
    "audit.view_incident",
    "audit.view_ruling",
    "audit.view_rulinground",
    "audit.view_tabledecision",
    "audit.view_notice",
    "audit.view_person",
    "audit.view_attachment",
    "audit.view_complaint",
    "audit.view_complaintevent",
    "audit.view_consent",
    "audit.view_videohold",
)
EVIDENCE = ("audit.view_evidencepack", "audit.export_evidence")
PROOF = (
    "tables.view_journalentry",
    "tables.view_feedevent",
    "tables.view_acceptedgap",
    "tables.view_betcancellation",
    "tables.view_reconciliation",
    "tables.view_walletdrift",
    "tables.view_journaltext",
    "audit.view_leaf",
    "audit.view_checkpoint",
    "audit.view_cosignature",
    "audit.view_verification",
    "audit.view_witnessstate",
    "audit.view_legalhold",
)
REPORTS = ("audit.export_reports",)

#: Who holds one of these decides about money, or lets somebody decide.
DECIDING = (
    "audit.approve_ruling",
    "audit.approve_setup_change",
    "audit.decide_complaint",
    "audit.give_consent",
)


@dataclass(frozen=True, slots=True)
class Role:
    """A job in the house and what it may do."""

    title: str | Promise
    permissions: frozenset[str]


ROLES: dict[str, Role] = {
    "supervisor": Role(
        _("Floor supervisor"),
        frozenset(
            {
                *PLAY,
                *MONEY,
                *DECISIONS,
                "tables.open_table",
                "tables.key_play",
                "audit.report_incident",
                "audit.request_ruling",
                "audit.attach_file",
            }
        ),
    ),
    "manager": Role(
        _("Shift manager"),
        frozenset(
            {
                *PLAY,
                *MONEY,
                *PROOF,
                *DECISIONS,
                *EVIDENCE,
                *REPORTS,
                "audit.attach_file",
                "tables.open_table",
                "tables.key_play",
                "tables.accept_gap",
                "tables.mend_wallet_message",
                "tables.reconcile_wallet",
                "audit.report_incident",
                "audit.request_ruling",
                "audit.approve_ruling",
                "audit.view_setupchange",
                "audit.approve_setup_change",
                "audit.handle_complaint",
                "audit.decide_complaint",
                "audit.request_consent",
                "audit.give_consent",
                "audit.place_legal_hold",
            }
        ),
    ),
    "support": Role(
        _("Support agent"),
        frozenset(
            {
                *PLAY,
                *MONEY,
                *DECISIONS,
                *EVIDENCE,
                "audit.attach_file",
                "audit.report_incident",
                "audit.handle_complaint",
                "audit.request_consent",
            }
        ),
    ),
    "auditor": Role(
        _("Auditor"),
        frozenset(
            {
                *PLAY,
                *MONEY,
                *PROOF,
                *DECISIONS,
                *EVIDENCE,
                *REPORTS,
                "audit.view_setupchange",
                "audit.view_signin",
                "tables.view_apikey",
                "tables.view_outbox",
                "auth.view_user",
            }
        ),
    ),
    "administrator": Role(
        _("Administrator"),
        frozenset(
            {
                *PLAY,
                "tables.view_feedevent",
                "tables.view_outbox",
                "tables.view_apikey",
                "tables.set_up_table",
                "tables.publish_rulebook",
                "tables.manage_api_keys",
                "audit.view_legalhold",
                "audit.place_legal_hold",
                "audit.erase_player",
                "auth.view_user",
                "casino.manage_accounts",
                "audit.view_person",
                "audit.view_setupchange",
                "audit.request_setup_change",
                "audit.approve_setup_change",
            }
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """A made-up member of staff, for development only."""

    login: str
    first_name: str
    last_name: str
    role: str


DEMO_PASSWORD = "bluecard-demo"
DEMO_PEOPLE = (
    DemoPerson("supervisor", "Jintana", "Sriwan", "supervisor"),
    DemoPerson("manager", "Nattaya", "Suksan", "manager"),
    DemoPerson("support", "Pim", "Wattana", "support"),
    DemoPerson("auditor", "Orn", "Chaiyo", "auditor"),
    DemoPerson("administrator", "Rung", "Thongdee", "administrator"),
    DemoPerson("supervisor2", "Suda", "Charoen", "supervisor"),
    DemoPerson("manager2", "Prasit", "Kaewmala", "manager"),
)
