"""Complaints that nobody answers: escalated before their answer is due."""

from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from audit import locks
from audit.models import RUNNING_STATUSES, Complaint, ComplaintAction
from audit.services.complaint_record import write_event
from tables.services.actors import SYSTEM

#: So long before its answer is due a complaint goes to whoever decides.
ESCALATE_BEFORE: Final = timedelta(hours=24)
AT_ONCE: Final = 200


def escalate_complaints(*, now: datetime) -> int:
    """Escalate complaints whose answer is due within a day; return how many are new."""
    running = [status.value for status in RUNNING_STATUSES]
    late = Complaint.objects.filter(
        status__in=running,
        answered_at__isnull=True,
        escalated_at__isnull=True,
        answer_due_at__lt=now + ESCALATE_BEFORE,
    )
    escalated = 0
    for complaint_id in list(late.order_by("answer_due_at").values_list("pk", flat=True)[:AT_ONCE]):
        with transaction.atomic():
            complaint = locks.lock_complaint(complaint_id)
            if complaint.escalated_at is None and complaint.is_waited_for:
                write_event(
                    complaint,
                    ComplaintAction.ESCALATED,
                    actor=SYSTEM,
                    user=None,
                    at=now,
                    columns={"escalated_at": now},
                )
                escalated += 1
    return escalated
