"""Who asked for a ruling, a consent or a change may withdraw it, and nobody in their place; that is final."""

from django.db import migrations, models

ENDS = ("approved", "refused", "expired", "withdrawn")
STATUSES = {
    "ruling": ("requested", "approved", "applying", "stopped", "applied", *ENDS[1:3], "stale", "withdrawn"),
    "consent": ("requested", *ENDS),
    "setupchange": ("requested", *ENDS),
}

WITHDRAWN = """
INSERT INTO bluecard_transition (subject, from_status, to_status)
    VALUES ('ruling', 'requested', 'withdrawn'), ('consent', 'requested', 'withdrawn');

CREATE FUNCTION bluecard_check_withdrawn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.decided_by_id IS DISTINCT FROM NEW.requested_by_id
        OR NEW.decided_by_person_id IS NULL OR NEW.decided_at IS NULL THEN
        RAISE EXCEPTION 'only who asked withdraws a request' USING ERRCODE = 'check_violation';
    END IF;
    IF TG_TABLE_NAME = 'audit_ruling' AND NEW.decision_reason = '' THEN
        RAISE EXCEPTION 'a ruling is withdrawn with a reason' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
"""


def _statements() -> str:
    return WITHDRAWN + "".join(
        f"CREATE TRIGGER check_withdrawn BEFORE UPDATE ON audit_{name} FOR EACH ROW "
        f"WHEN (NEW.status = 'withdrawn' AND OLD.status <> 'withdrawn') "
        f"EXECUTE FUNCTION bluecard_check_withdrawn(); "
        f"ALTER TABLE audit_{name} ENABLE ALWAYS TRIGGER check_withdrawn;"
        for name in STATUSES
    )


class Migration(migrations.Migration):
    dependencies = [("audit", "0022_only_who_may_decides")]
    operations = [
        *(migrations.RemoveConstraint(name, f"{name}_status_known") for name in STATUSES),
        *(
            migrations.AddConstraint(
                name,
                models.CheckConstraint(
                    condition=models.Q(("status__in", list(statuses))), name=f"{name}_status_known"
                ),
            )
            for name, statuses in STATUSES.items()
        ),
        migrations.RunSQL(_statements(), migrations.RunSQL.noop),
    ]
