"""Attachments are never changed, and an evidence pack only moves on: held by triggers, and its numbers."""

from django.db import migrations

LOOSE = (
    "status", "step", "attempts", "started_at", "finished_at", "stored_as", "size_bytes", "sha256", "problem",
)  # fmt: skip
STEPS = (("waiting", "making"), ("making", "ready"), ("making", "failed"))


def _refuse(table: str, what: str) -> str:
    return (
        f"CREATE TRIGGER refuse_change BEFORE {what} ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change(); "
        f"CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION bluecard_refuse_change(); "
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER refuse_change; "
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER refuse_truncate;"
    )


def _statements() -> list[str]:
    arguments = ", ".join(f"'{column}'" for column in LOOSE)
    rows = ", ".join(f"('evidencepack', '{before}', '{after}')" for before, after in STEPS)
    return [
        _refuse("audit_attachment", "UPDATE OR DELETE"),
        _refuse("audit_evidencepack", "DELETE"),
        "CREATE TRIGGER refuse_fixed_columns BEFORE UPDATE ON audit_evidencepack FOR EACH ROW "
        f"EXECUTE FUNCTION bluecard_refuse_fixed_columns({arguments}); "
        "ALTER TABLE audit_evidencepack ENABLE ALWAYS TRIGGER refuse_fixed_columns;",
        f"INSERT INTO bluecard_transition (subject, from_status, to_status) VALUES {rows}; "
        "CREATE TRIGGER check_transition BEFORE UPDATE OF status ON audit_evidencepack FOR EACH ROW "
        "EXECUTE FUNCTION bluecard_check_transition('evidencepack'); "
        "ALTER TABLE audit_evidencepack ENABLE ALWAYS TRIGGER check_transition;",
    ]


class Migration(migrations.Migration):
    dependencies = [("audit", "0009_evidence")]
    operations = [
        migrations.RunSQL(_statements(), migrations.RunSQL.noop),
        migrations.RunSQL(
            "CREATE SEQUENCE audit_evidencepack_number START 1", "DROP SEQUENCE audit_evidencepack_number"
        ),
    ]
