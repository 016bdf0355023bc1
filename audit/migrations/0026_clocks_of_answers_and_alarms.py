"""The time to answer a complaint begins anew when it is opened again and ends with its answer; an alarm ends.

One that was answered before this and never closed has no moment of its answer: it counts on until it is closed.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

RUNNING = ["received", "waiting", "accepted", "under_review", "upheld", "rejected"]
LOOSE = {
    "complaint": (
        "version", "status", "refusal", "outcome", "table_id", "round_id", "player_id", "event_kind",
        "event_at", "window_ends_at", "answer_due_at", "checks", "owner_id", "escalated_at", "answered_at",
        "closed_at", "merged_into_id", "admission_id",
    ),
    "videohold": (
        "status", "attempts", "due_at", "answered_at", "alarmed_at", "last_error", "release_id",
        "released_at", "noted_at", "noted_by_id", "noted_because",
    ),
}  # fmt: skip

DUE = """
CREATE FUNCTION bluecard_check_answer_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM audit_complaintevent
            WHERE complaint_id = NEW.id AND version = NEW.version AND action = 'reopened') THEN
        RAISE EXCEPTION 'the time to answer complaint % begins anew only when it is opened again', NEW.number
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_answer_due BEFORE UPDATE ON audit_complaint FOR EACH ROW
    WHEN (NEW.answer_due_at IS DISTINCT FROM OLD.answer_due_at)
    EXECUTE FUNCTION bluecard_check_answer_due();
ALTER TABLE audit_complaint ENABLE ALWAYS TRIGGER check_answer_due;

CREATE FUNCTION bluecard_check_noted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'somebody has taken note of this alarm' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER check_noted BEFORE UPDATE ON audit_videohold FOR EACH ROW
    WHEN (OLD.noted_at IS NOT NULL AND (NEW.noted_at, NEW.noted_by_id, NEW.noted_because)
        IS DISTINCT FROM (OLD.noted_at, OLD.noted_by_id, OLD.noted_because))
    EXECUTE FUNCTION bluecard_check_noted();
ALTER TABLE audit_videohold ENABLE ALWAYS TRIGGER check_noted;
"""


def _statements() -> list[str]:
    out = [DUE]
    for name, loose in LOOSE.items():
        arguments = ", ".join(f"'{column}'" for column in loose)
        out.append(
            f"DROP TRIGGER refuse_fixed_columns ON audit_{name}; "
            f"CREATE TRIGGER refuse_fixed_columns BEFORE UPDATE ON audit_{name} FOR EACH ROW "
            f"EXECUTE FUNCTION bluecard_refuse_fixed_columns({arguments}); "
            f"ALTER TABLE audit_{name} ENABLE ALWAYS TRIGGER refuse_fixed_columns;"
        )
    return out


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0025_what_was_withdrawn_does_not_count"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.AddField(
            "complaint", "answered_at", models.DateTimeField(null=True, verbose_name="answered")
        ),
        migrations.RemoveIndex("complaint", "complaint_running"),
        migrations.AddIndex(
            "complaint",
            models.Index(
                condition=models.Q(("answered_at__isnull", True), ("status__in", RUNNING)),
                fields=["answer_due_at", "id"],
                name="complaint_running",
            ),
        ),
        migrations.AddField(
            "videohold", "noted_at", models.DateTimeField(null=True, verbose_name="taken note of")
        ),
        migrations.AddField(
            "videohold",
            "noted_by",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            "videohold",
            "noted_because",
            models.TextField(blank=True, db_default="", default="", verbose_name="why nothing is left to do"),
        ),
        migrations.AddConstraint(
            "videohold",
            models.CheckConstraint(
                condition=models.Q(
                    ("noted_at__isnull", True), ("noted_because", ""), ("noted_by__isnull", True)
                )
                | models.Q(
                    ("noted_at__isnull", False), ("noted_because__gt", ""), ("noted_by__isnull", False)
                ),
                name="videohold_noted_says_why",
            ),
        ),
        migrations.RunSQL(_statements(), migrations.RunSQL.noop),
    ]
