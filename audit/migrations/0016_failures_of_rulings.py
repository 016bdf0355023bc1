"""A round that cannot be carried out says so on its ruling, and a ruling knows since when it goes on."""

from django.db import migrations, models

LOOSE = {
    "ruling": (
        "status", "decided_by_id", "decided_by_person_id", "decided_at", "decision_reason", "wants_stop",
        "outcome_note", "started_at", "finished_at", "going_since",
    ),
    "rulinground": ("status", "is_open", "is_in_force", "applied_at", "failures", "last_error"),
}  # fmt: skip


def _loosen(table: str, columns: tuple[str, ...]) -> str:
    arguments = ", ".join(f"'{column}'" for column in columns)
    return (
        f"DROP TRIGGER refuse_fixed_columns ON audit_{table}; "
        f"CREATE TRIGGER refuse_fixed_columns BEFORE UPDATE ON audit_{table} FOR EACH ROW "
        f"EXECUTE FUNCTION bluecard_refuse_fixed_columns({arguments}); "
        f"ALTER TABLE audit_{table} ENABLE ALWAYS TRIGGER refuse_fixed_columns;"
    )


class Migration(migrations.Migration):
    dependencies = [("audit", "0015_table_opened_is_told")]
    operations = [
        migrations.AddField(
            "ruling",
            "going_since",
            models.DateTimeField(null=True, verbose_name="going without a pause since"),
        ),
        migrations.AddField(
            "rulinground",
            "failures",
            models.PositiveSmallIntegerField(default=0, verbose_name="tries that failed"),
        ),
        migrations.AddField(
            "rulinground",
            "last_error",
            models.CharField(blank=True, max_length=300, verbose_name="last error"),
        ),
        migrations.RunSQL([_loosen(*one) for one in LOOSE.items()], migrations.RunSQL.noop),
    ]
