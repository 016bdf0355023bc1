"""Who said that a message was settled by hand is added, and stays."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

DEFEND = """
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON tables_handstatement
    FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON tables_handstatement
    FOR EACH STATEMENT EXECUTE FUNCTION bluecard_refuse_change();
ALTER TABLE tables_handstatement ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE tables_handstatement ENABLE ALWAYS TRIGGER refuse_truncate;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0012_receivables_end"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]
    operations = [
        migrations.CreateModel(
            name="HandStatement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("given_up_at", models.DateTimeField(verbose_name="given up")),
                ("said_at", models.DateTimeField(verbose_name="said")),
                (
                    "delivery",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hand_statements",
                        to="tables.walletdelivery",
                    ),
                ),
                (
                    "said_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "statement that a message is settled by hand",
                "verbose_name_plural": "statements that messages are settled by hand",
                "default_permissions": ("view",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("delivery", "given_up_at", "said_by"), name="handstatement_once_a_person"
                    )
                ],
            },
        ),
        migrations.RunSQL(DEFEND, migrations.RunSQL.noop),
    ]
