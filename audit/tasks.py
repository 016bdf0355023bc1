"""Celery tasks of decisions: each takes ids, calls one service and may run any number of times."""

import logging
from typing import Any

from celery import current_app, shared_task
from django.utils import timezone

from audit.house import journal_key, witness_key, witness_url
from audit.models import RulingRound
from audit.pack.making import make_pack
from audit.queries.decisions import tables_to_call
from audit.queries.video import due_holds
from audit.services.applying import carry_on, claim_ruling
from audit.services.complaint_watch import escalate_complaints
from audit.services.consents import expire_consents
from audit.services.delivering import deliver_decisions as deliver_to
from audit.services.incidents import close_healed, escalate_late_holds, incidents_from_findings
from audit.services.packs import MAKE, ring_for_packs
from audit.services.recording import ask_recorder as ask_about
from audit.services.recording import lapse_holds
from audit.services.rulings import expire_rulings
from audit.services.telling import DELIVER
from audit.services.verifying import Run
from audit.services.video import ASK
from tables.locks import singleton
from tables.services import outbox
from tables.tasks import RETRY_SECONDS

logger = logging.getLogger(__name__)

HELPERS = 4  # how many workers may share one ruling
SHARED_FROM = 20  # rounds


@shared_task(name="audit.apply_rulings", default_retry_delay=RETRY_SECONDS)
def apply_rulings(ruling_ids: list[int], **_newer: Any) -> None:
    """Claim approved rulings and carry them out, sharing large ones with other workers."""
    for ruling_id in ruling_ids:
        if claim_ruling(ruling_id=ruling_id, now=timezone.now()):
            if RulingRound.objects.filter(ruling=ruling_id).count() >= SHARED_FROM:
                for _ in range(HELPERS - 1):
                    current_app.send_task("audit.help_ruling", args=[ruling_id])
            help_ruling(ruling_id)


@shared_task(name="audit.help_ruling", default_retry_delay=RETRY_SECONDS)
def help_ruling(ruling_id: int, **_newer: Any) -> None:
    """Carry out waiting rounds of a claimed ruling until none is left."""
    carry_on(ruling_id=ruling_id, clock=timezone.now)


@shared_task(name="audit.sweep")
def sweep(**_newer: Any) -> None:
    """Make incidents of findings, escalate what waits too long, and let requests nobody decided expire."""
    now = timezone.now()
    incidents_from_findings(now=now)
    close_healed(now=now)
    escalate_late_holds(now=now)
    expire_rulings(now=now)
    ring_for_packs(now=now)
    expire_consents(now=now)
    escalate_complaints(now=now)
    lapse_holds(now=now)


@shared_task(name=DELIVER)
def deliver_decisions(table_ids: list[int] | None = None, **_newer: Any) -> None:
    """Call tables with what was decided; without ids, those for which something is due.

    Each but the first gets a task of its own: one that does not answer keeps no other waiting.
    """
    now = timezone.now()
    due = tables_to_call(now) if table_ids is None else table_ids
    for table_id in due[1:]:
        outbox.ring(DELIVER, [table_id])
    for table_id in due[:1]:
        deliver_to(table_id=table_id, now=now)


@shared_task(name=MAKE)
def make_packs(pack_ids: list[int], **_newer: Any) -> None:
    """Make evidence packs; one that is made, or that somebody is making, is left."""
    for pack_id in pack_ids:
        make_pack(pack_id=pack_id, now=timezone.now())


@shared_task(name=ASK)
def ask_recorder(hold_ids: list[int] | None = None, **_newer: Any) -> None:
    """Ask the recorder about holds on video; without ids, those that are due."""
    now = timezone.now()
    ask_about(hold_ids=due_holds(now) if hold_ids is None else hold_ids, now=now)


@shared_task(name="audit.verify_journal")
def verify_journal(**_newer: Any) -> None:
    """Check everything that is sealed, and keep what was found for the audit page."""
    with singleton("verify_journal") as is_ours:
        if not is_ours:
            return
        run, started = Run(journal_key(), witness_key(), witness_url()), timezone.now()
        for problem in run.find():
            logger.error("the journal is not as it was sealed: %s", problem)
        if run.not_checked:
            logger.warning("the journal could not be checked as a whole: %s", run.not_checked)
        run.keep(started, timezone.now())
