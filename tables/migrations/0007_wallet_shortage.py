"""A debit the wallet is too short for, and a message closed without the wallet."""

import tables.models.fields
from django.db import migrations, models


LOOSE = (
    "status",
    "attempts",
    "due_at",
    "leased_until",
    "answered_at",
    "answer",
    "last_error",
    "debit_policy",
    "is_forced",
    "asked_minor",
)
DEFEND = f"""
DROP TRIGGER refuse_fixed_columns ON tables_walletdelivery;
CREATE TRIGGER refuse_fixed_columns BEFORE UPDATE ON tables_walletdelivery FOR EACH ROW
    EXECUTE FUNCTION bluecard_refuse_fixed_columns({", ".join(f"'{column}'" for column in LOOSE)});
ALTER TABLE tables_walletdelivery ENABLE ALWAYS TRIGGER refuse_fixed_columns;
INSERT INTO bluecard_transition (subject, from_status, to_status)
    VALUES ('walletdelivery', 'waiting', 'closed'), ('walletdelivery', 'dead', 'closed');
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0006_no_check_passes_by_null'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="walletdelivery",
            options={
                "default_permissions": ("view",),
                "permissions": [("mend_wallet_message", "Send a dead letter again, or settle it by hand")],
                "verbose_name": "dead letter",
                "verbose_name_plural": "dead letters",
            },
        ),
        migrations.RemoveConstraint(
            model_name='walletdelivery',
            name='walletdelivery_status_known',
        ),
        migrations.RemoveIndex(
            model_name='walletdelivery',
            name='walletdelivery_queue_of_player',
        ),
        migrations.AddField(
            model_name='walletdelivery',
            name='asked_minor',
            field=tables.models.fields.MinorSumField(decimal_places=0, max_digits=30, null=True, verbose_name='asked for, where less than the transaction'),
        ),
        migrations.AddField(
            model_name='walletdelivery',
            name='debit_policy',
            field=models.CharField(blank=True, db_default='', default='', max_length=8, verbose_name='when the wallet is short, for this message'),
        ),
        migrations.AddField(
            model_name='walletdelivery',
            name='is_forced',
            field=models.BooleanField(db_default=False, default=False, verbose_name='forced'),
        ),
        migrations.AddIndex(
            model_name='walletdelivery',
            index=models.Index(condition=models.Q(('status__in', ('waiting', 'dead'))), fields=['player', 'transaction'], name='walletdelivery_queue_of_player'),
        ),
        migrations.AddIndex(
            model_name='walletdelivery',
            index=models.Index(condition=models.Q(('status', 'dead')), fields=['-answered_at', '-transaction'], name='walletdelivery_dead_newest'),
        ),
        migrations.AddConstraint(
            model_name='walletdelivery',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['waiting', 'delivered', 'dead', 'closed'])), name='walletdelivery_status_known'),
        ),
        migrations.AddConstraint(
            model_name='walletdelivery',
            constraint=models.CheckConstraint(condition=models.Q(('debit_policy__in', ['', 'force', 'take', 'hold'])), name='walletdelivery_debit_policy_known'),
        ),
        migrations.AddConstraint(
            model_name='walletdelivery',
            constraint=models.CheckConstraint(condition=models.Q(('asked_minor__isnull', True), models.Q(('asked_minor__lt', 0), ('is_forced', False)), _connector='OR'), name='walletdelivery_asks_less_or_all'),
        ),
        migrations.RunSQL(DEFEND, migrations.RunSQL.noop),
    ]
