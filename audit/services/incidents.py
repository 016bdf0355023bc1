"""Incidents: reported by a person, a table or a finding; held where money may change; closed when decided."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from audit.models import (
    OPEN_STATUSES,
    DecisionKind,
    Incident,
    IncidentSource,
    IncidentStatus,
    Ruling,
)
from audit.services.numbers import next_number
from audit.services.telling import tell_table
from audit.services.video import hold_video
from tables.models import Finding, GameTable, Round, Rulebook, Shoe
from tables.queries.rulebooks import rulebook_in_force, rules_of
from tables.rules.incidents import INCIDENT_FACTS, incident_of_card_out
from tables.rules.rulebook import RemedyCase
from tables.services.actors import SYSTEM, Actor
from tables.services.holds import lift_holds, place_hold
from tables.services.journal import record

ESCALATE_AFTER = timedelta(minutes=10)
FEED_TROUBLE = "manager"

# Findings that are an incident of the catalogue, with the facts the finding itself proves.
FINDING_INCIDENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "illegal_card": ("misdeal", {}),
    "illegal_coup": ("misdeal", {}),
    "burn_differs": ("startup_error", {"player_card_dealt": False}),
    "burn_not_recorded": ("startup_error", {"player_card_dealt": False}),
    "dealt_past_last_round": ("dealt_past_last_round", {}),
    "dealt_before_insurance_closed": ("dealt_before_insurance_closed", {}),
    "insurance_odds_wrong": ("insurance_odds_wrong", {}),
    "insurance_odds_missing": ("insurance_odds_missing", {}),
    "insurance_not_due": ("insurance_opened_by_wrong_card", {}),
    "insurance_on_wrong_card": ("insurance_opened_by_wrong_card", {}),
    "corrected_after_result": ("card_misplaced", {}),
    "system_failure": ("system_failure", {}),
    "scan_failed": ("scan_failed", {}),
}
# Findings of cards that left the shoe for no place of a coup.
CARDS_OUT = frozenset({"card_dropped", "card_exposed", "card_extra"})
# Findings no rulebook knows: a person decides.
FINDINGS_TO_DECIDE = frozenset(
    {
        "too_many_copies",
        "card_count",
        "claim_differs",
        "feed_gap",
        "deck_order_not_shuffled",
        "deck_order_repeated",
        "event_refused",
        "round_without_result",
        "redeal_without_decision",
        "shoe_in_doubt",
    }
)
# Findings that move no money and still want somebody to do something, before the Player's first card comes.
FINDINGS_TO_PUT_RIGHT = frozenset({"burn_differs", "burn_not_recorded"})
# What is not done at the table by itself.
ORDERS = frozenset({"replace_shoe", "reshuffle", "close_table"})


class BadReport(ValueError):
    """What was reported cannot be: names the field and the rule."""

    def __init__(self, field: str, rule: str, message: str) -> None:
        super().__init__(f"{field}: {message} ({rule})")
        self.field, self.rule, self.message = field, rule, message


class OtherReport(Exception):
    """A reporter's ID came back with another body."""

    def __init__(self, report_id: str, number: str) -> None:
        super().__init__(f"{report_id} was another report, which became {number}; nothing was done")


def remedy_for(rulebook: Rulebook, code: str, facts: Mapping[str, Any]) -> RemedyCase:
    """Return what the house's rules say about an incident under these facts.

    :raises BadReport: if the catalogue has no such code, or a fact is unknown or has no such value.
    """
    rules = rules_of(rulebook.pk)
    incident = rules.incidents.get(code)
    if incident is None:
        raise BadReport("code", f"{rules.id}/incidents", f"{code} is not in the catalogue")
    for name, value in facts.items():
        values = INCIDENT_FACTS.get(name)
        if values is None:
            raise BadReport(
                f"facts.{name}", "incident/facts", f"no such fact; known: {', '.join(INCIDENT_FACTS)}"
            )
        if not any(value == known and type(value) is type(known) for known in values):
            raise BadReport(f"facts.{name}", "incident/facts", f"{value!r} is none of {values}")
    return incident.remedy(facts)


@transaction.atomic
def report_incident(
    *,
    table: GameTable,
    code: str,
    facts: Mapping[str, Any],
    actor: Actor,
    at: datetime,
    round_: Round | None = None,
    shoe: Shoe | None = None,
    note: str = "",
    source: IncidentSource = IncidentSource.PERSON,
    user: Any = None,
    report_id: str = "",
) -> Incident:
    """Record an incident of the catalogue. Its round is held if the remedy may change money.

    One whose remedy changes nothing is recorded and closed at once.

    :raises BadReport: naming the field that will not do.
    """
    if source is IncidentSource.PERSON:
        actor.require("audit.report_incident")
    rulebook = _rulebook_of(table, round_, at)
    case = remedy_for(rulebook, code, facts)
    hold = None
    if case.may_change_money and round_ is not None:
        hold = place_hold(round_id=round_.pk, reason=code, at=at)
    incident = Incident.objects.create(
        number=next_number("I"),
        table=table,
        shoe=shoe or (round_.shoe if round_ else None),
        round=round_,
        rulebook=rulebook,
        hold=hold,
        code=code,
        facts=dict(facts),
        remedies=[remedy.value for remedy in case.remedies],
        passage=case.passage.id,
        note=note.strip(),
        source=source.value,
        report_id=report_id,
        reported_by=user,
        reported_at=at,
        **_status(needs_decision(case), at),
    )
    _record(incident, "incident.reported", actor, at)
    if round_ is not None:
        hold_video([round_], at=at, incident=incident)
    if hold is not None:
        tell_table(table, DecisionKind.HOLD, at=at, round_=round_, data={"incident": incident.number})
    return incident


def report_once(*, report_id: str, **report: Any) -> tuple[Incident, bool]:
    """Report an incident under the reporter's own ID, and say whether it is new: a repeat makes no other.

    :raises BadReport: as `report_incident`.
    :raises OtherReport: if the ID was used for another report of this table.
    """
    try:
        with transaction.atomic():
            known = _reported_as(report_id, report)
            if known is None:
                return report_incident(**report, report_id=report_id), True
    except IntegrityError:  # the same report came twice at once, and the other one was first
        known = _reported_as(report_id, report)
        if known is None:
            raise
    return known, False


def _reported_as(report_id: str, report: Mapping[str, Any]) -> Incident | None:
    """Return the incident of this table with a reporter's ID.

    :raises OtherReport: if it was made of another report.
    """
    known = Incident.objects.filter(table=report["table"], report_id=report_id).first()
    if known is None:
        return None
    round_, shoe = report.get("round_"), report.get("shoe")
    shoe = shoe or (round_.shoe if round_ else None)
    said = (report["code"], dict(report["facts"]), round_, shoe, report.get("note", "").strip())
    if (known.code, known.facts, known.round, known.shoe, known.note) != said:
        raise OtherReport(report_id, known.number)
    return known


def needs_decision(case: RemedyCase) -> bool:
    """Say whether a remedy waits for a person, or is carried out at the table by itself."""
    return case.may_change_money or bool(ORDERS & set(case.remedies))


def _status(is_open: bool, at: datetime) -> dict[str, Any]:
    if is_open:
        return {"status": IncidentStatus.OPEN.value}
    return {"status": IncidentStatus.CLOSED.value, "closed_at": at}


def _rulebook_of(table: GameTable, round_: Round | None, at: datetime) -> Rulebook:
    if round_ is not None:
        return round_.rulebook
    return rulebook_in_force(table.rulebook.code, at) or table.rulebook


def incidents_from_findings(*, now: datetime, limit: int = 200) -> int:
    """Make incidents of the findings that are none yet; return how many."""
    codes = [*FINDING_INCIDENTS, *FINDINGS_TO_DECIDE, *CARDS_OUT, "incident_reported"]
    fresh = Finding.objects.filter(code__in=codes, incident__isnull=True)
    ids = list(fresh.order_by("pk").values_list("pk", flat=True)[:limit])
    return sum(_from_finding(finding_id, now) for finding_id in ids)


@transaction.atomic
def _from_finding(finding_id: int, now: datetime) -> bool:
    # Two sweeps may come to the same finding: the second waits here, and then sees the incident.
    finding = (
        Finding.objects.select_related("table__rulebook", "round__rulebook", "shoe")
        .filter(pk=finding_id, incident__isnull=True)
        .first()
    )
    if finding is None:
        return False
    rulebook = _rulebook_of(finding.table, finding.round, finding.at)
    code, facts = _incident_of(finding)
    hold = getattr(finding, "hold", None)
    if code in rules_of(rulebook.pk).incidents:
        case = remedy_for(rulebook, code, facts)
        remedies, passage = [remedy.value for remedy in case.remedies], case.passage.id
        is_open = (hold is not None and hold.lifted_at is None) or (
            needs_decision(case)
            and (
                finding.may_change_money
                or finding.code in FINDINGS_TO_PUT_RIGHT
                or bool(ORDERS & set(case.remedies))
            )
        )
    else:
        remedies, passage, is_open = [FEED_TROUBLE], f"{rulebook.code}/manager-decides", True
        if hold is not None and hold.lifted_at is not None:
            is_open = False
    incident, is_new = Incident.objects.get_or_create(
        finding=finding,
        defaults={
            "number": next_number("I"),
            "table": finding.table,
            "shoe": finding.shoe,
            "round": finding.round,
            "rulebook": rulebook,
            "hold": hold,
            "code": code,
            "facts": facts,
            "remedies": remedies,
            "passage": passage,
            "source": (
                IncidentSource.FEED if finding.code == "incident_reported" else IncidentSource.FINDING
            ).value,
            "reported_at": now,
            **_status(is_open, now),
        },
    )
    if not is_new:
        return False
    _record(incident, "incident.found", SYSTEM, now)
    if finding.round is not None and is_open:
        hold_video([finding.round], at=now, incident=incident)
    if hold is not None and is_open:
        data = {"incident": incident.number, "finding": finding.code}
        tell_table(finding.table, DecisionKind.HOLD, at=now, round_=finding.round, data=data)
    return True


def _incident_of(finding: Finding) -> tuple[str, dict[str, Any]]:
    """Return the code and the facts that a finding stands for."""
    if finding.code == "incident_reported":
        known = {name: value for name, value in finding.data["facts"].items() if name in INCIDENT_FACTS}
        return finding.data["incident"], known
    if finding.code in CARDS_OUT:
        seen = finding.data.get("face") == "seen"
        phase = finding.data.get("phase") or ("dealing" if finding.may_change_money else "start")
        return incident_of_card_out(finding.code.removeprefix("card_"), face_seen=seen, phase=phase)
    code, facts = FINDING_INCIDENTS.get(finding.code, (finding.code, {}))
    return code, dict(facts)


def close_incident(incident: Incident, status: IncidentStatus, *, at: datetime, actor: Actor) -> None:
    """Close an incident by a decision, and lift its hold. Call inside the decision's transaction."""
    if incident.status != IncidentStatus.OPEN:
        return
    incident.status, incident.closed_at = status.value, at
    incident.save(update_fields=["status", "closed_at"])
    if incident.hold_id is not None and incident.round_id is not None:
        lift_holds(round_id=incident.round_id, by=incident.number, at=at, hold_ids=[incident.hold_id])
    _record(incident, f"incident.{status.value}", actor, at)


def close_healed(*, now: datetime) -> int:
    """Close incidents that were found and then put right by the table itself; return how many.

    Its hold is lifted, and by no ruling: nothing is left to decide.
    """
    by_ruling = Ruling.objects.filter(number=OuterRef("hold__lifted_by"))
    healed = Incident.objects.filter(
        status=IncidentStatus.OPEN.value,
        source=IncidentSource.FINDING.value,
        hold__lifted_at__isnull=False,
    ).exclude(Exists(by_ruling))
    asked_about = healed.filter(rulings__status__in=[status.value for status in OPEN_STATUSES])
    ids = list(healed.exclude(pk__in=asked_about).order_by("pk").values_list("pk", flat=True)[:200])
    for incident_id in ids:
        with transaction.atomic():
            incident = Incident.objects.select_for_update(no_key=True, of=("self",)).get(pk=incident_id)
            close_incident(incident, IncidentStatus.CLOSED, at=now, actor=SYSTEM)
    return len(ids)


def escalate_late_holds(*, now: datetime) -> int:
    """Escalate open incidents that hold a round for more than ten minutes; return how many are new."""
    late = Incident.objects.filter(
        status=IncidentStatus.OPEN.value,
        hold__isnull=False,
        hold__lifted_at__isnull=True,
        escalated_at__isnull=True,
        reported_at__lt=now - ESCALATE_AFTER,
    )
    escalated = 0
    for incident in late[:200]:
        with transaction.atomic():
            if Incident.objects.filter(pk=incident.pk, escalated_at__isnull=True).update(escalated_at=now):
                _record(incident, "incident.escalated", SYSTEM, now)
                escalated += 1
    return escalated


def _record(incident: Incident, action: str, actor: Actor, at: datetime) -> None:
    record(
        action,
        subject=incident,
        label=incident.number,
        actor=actor,
        at=at,
        data={
            "table": incident.table.code,
            "round": incident.round.public_id if incident.round else None,
            "code": incident.code,
            "facts": incident.facts,
            "remedies": incident.remedies,
            "passage": incident.passage,
            "status": incident.status,
        },
    )
