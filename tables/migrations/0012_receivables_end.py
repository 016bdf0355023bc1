"""A receivable ends: it was paid back, or written off. That is added beside it, once, and stays."""

import django.db.models.deletion
from django.db import migrations, models

DEFEND = """
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON tables_receivableclosing
    FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON tables_receivableclosing
    FOR EACH STATEMENT EXECUTE FUNCTION bluecard_refuse_change();
ALTER TABLE tables_receivableclosing ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE tables_receivableclosing ENABLE ALWAYS TRIGGER refuse_truncate;
"""


class Migration(migrations.Migration):
    dependencies = [("tables", "0011_journal_text")]
    operations = [
        migrations.CreateModel(
            name="ReceivableClosing",
            fields=[
                (
                    "receivable",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="closing",
                        serialize=False,
                        to="tables.receivable",
                    ),
                ),
                ("how", models.CharField(max_length=11, verbose_name="how it ended")),
                ("closed_at", models.DateTimeField(verbose_name="ended")),
            ],
            options={
                "verbose_name": "end of a receivable",
                "verbose_name_plural": "ends of receivables",
                "default_permissions": ("view",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("how__in", ["paid_back", "written_off"])),
                        name="receivableclosing_how_known",
                    )
                ],
            },
        ),
        migrations.RunSQL(DEFEND, migrations.RunSQL.noop),
    ]
