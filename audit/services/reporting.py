"""Reporting an incident and asking for what the house's rules propose, in one step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from audit.models import Complaint, Incident, IncidentStatus, Ruling, RulingKind, RulingStatus
from audit.queries.rulings_in_force import SHOE_KINDS, concerns_shoe
from audit.services.asking import BadRuling
from audit.services.incidents import remedy_for, report_incident
from audit.services.rulings import is_proposed, proposed_kinds, request_ruling
from tables import locks
from tables.models import GameTable, Round, Rulebook, Shoe
from tables.queries.rulebooks import rules_of
from tables.rules.rulebook import RemedyCase
from tables.services.actors import Actor

# The same report by the same person within this time is a second press of the button.
SAME_REPORT = timedelta(seconds=60)
# What a rule proposes and nothing more has to be known for: a correction wants the right cards first.
COMPLETE = frozenset(RulingKind) - {RulingKind.CORRECT, RulingKind.REINSTATE}


@dataclass(frozen=True, slots=True)
class Proposal:
    """The decision that a remedy proposes for a round, a shoe or a table."""

    kind: RulingKind
    facts: dict[str, Any]
    rounds: tuple[Round, ...]
    shoe: Shoe | None


@dataclass(frozen=True, slots=True)
class Reported:
    """What became of a report: the incident, and the ruling asked for or why it was not."""

    incident: Incident
    ruling: Ruling | None = None
    refusal: BadRuling | None = None
    is_repeat: bool = False


def proposal_of(
    case: RemedyCase, rulebook: Rulebook, round_: Round | None, shoe: Shoe | None
) -> Proposal | None:
    """Return what can be asked for at once, or None where a person has to say more or nothing is decided."""
    kind, also = proposed_kinds(case)
    if kind is None or kind not in COMPLETE or kind is RulingKind.STAND:
        return None
    facts: dict[str, Any] = {"also": list(also)}
    shoe = shoe or (round_.shoe if round_ else None)
    if kind is RulingKind.CLOSE_TABLE:
        return Proposal(kind, facts, (), shoe)
    if kind in SHOE_KINDS:
        return Proposal(kind, facts, (), shoe) if shoe is not None else None
    if round_ is None:
        return None
    if kind is RulingKind.VOID_KINDS:
        facts["kinds"] = list(rules_of(rulebook.pk).insurance_kinds)
    return Proposal(kind, facts, (round_,), shoe)


@transaction.atomic
def report_and_ask(
    *,
    table: GameTable,
    code: str,
    facts: Mapping[str, Any],
    note: str,
    user: Any,
    actor: Actor,
    at: datetime,
    round_: Round | None = None,
    shoe: Shoe | None = None,
    wants_ruling: bool = True,
) -> Reported:
    """Report an incident, hold its round, and ask for the decision its rule proposes.

    A request that is refused leaves the report and the hold; the refusal is handed back.

    :raises BadReport: naming what will not do; then nothing is recorded.
    """
    actor.require("audit.report_incident")
    # The table first, as the reader of its feed does: what the rule proposes may be about the shoe.
    locks.lock_table_state(table.pk)
    if round_ is not None:
        locks.lock_round(round_.pk)
    same = Incident.objects.filter(
        table=table, round=round_, code=code, reported_by=user, reported_at__gt=at - SAME_REPORT
    )
    before = same.exclude(status=IncidentStatus.RULED.value).order_by("-pk").first()
    if before is not None:
        return Reported(before, before.rulings.order_by("-pk").first(), is_repeat=True)
    incident = report_incident(
        table=table,
        code=code,
        facts=facts,
        actor=actor,
        at=at,
        round_=round_,
        shoe=shoe,
        note=note,
        user=user,
    )
    case = remedy_for(incident.rulebook, code, facts)
    proposal = proposal_of(case, incident.rulebook, round_, shoe)
    if not wants_ruling or proposal is None or "audit.request_ruling" not in actor.permissions:
        return Reported(incident)
    title = rules_of(incident.rulebook_id).incidents[code].title.en
    try:
        with transaction.atomic():
            ruling = request_ruling(
                kind=proposal.kind,
                rounds=proposal.rounds,
                table=table,
                facts=proposal.facts,
                reason=note.strip() or title,
                user=user,
                actor=actor,
                at=at,
                incident=incident,
                shoe=proposal.shoe,
                is_proposed_by_rule=True,
            )
    except BadRuling as refusal:
        return Reported(incident, refusal=refusal)
    return Reported(incident, ruling)


@transaction.atomic
def ask_once(
    *,
    kind: RulingKind,
    rounds: Sequence[Round],
    table: GameTable,
    facts: Mapping[str, Any],
    reason: str,
    user: Any,
    actor: Actor,
    at: datetime,
    incident: Incident | None = None,
    complaint: Complaint | None = None,
    shoe: Shoe | None = None,
    reinstates: Ruling | None = None,
) -> tuple[Ruling, bool]:
    """Ask for a ruling, or find the one this person asked for just now; the second says which.

    :raises BadRuling: naming what will not do.
    """
    if concerns_shoe(kind, facts) or not rounds:
        locks.lock_table_state(table.pk)
    locks.lock_rounds(round_.pk for round_ in rounds)
    same = Ruling.objects.filter(
        kind=kind.value,
        table=table,
        requested_by=user,
        requested_at__gt=at - SAME_REPORT,
        status=RulingStatus.REQUESTED.value,
        rounds_count=len(rounds),
    )
    same = same.filter(rounds__round=rounds[0]) if rounds else same.filter(shoe=shoe)
    before = same.order_by("-pk").first()
    if before is not None:
        return before, True
    asked = request_ruling(
        kind=kind,
        rounds=rounds,
        table=table,
        facts=facts,
        reason=reason,
        user=user,
        actor=actor,
        at=at,
        incident=incident,
        complaint=complaint,
        shoe=shoe,
        reinstates=reinstates,
        is_proposed_by_rule=is_proposed(incident, kind, facts),
    )
    return asked, False
