"""Comparisons with the wallet's own record, and what they find."""

import django.db.models.deletion
import tables.models.fields
from django.db import migrations, models


DEFEND = """
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON tables_walletdrift
    FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON tables_walletdrift
    FOR EACH STATEMENT EXECUTE FUNCTION bluecard_refuse_change();
ALTER TABLE tables_walletdrift ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE tables_walletdrift ENABLE ALWAYS TRIGGER refuse_truncate;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tables', '0007_wallet_shortage'),
    ]

    operations = [
        migrations.CreateModel(
            name='Reconciliation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asked_by', models.CharField(max_length=80, verbose_name='asked by')),
                ('asked_at', models.DateTimeField(verbose_name='asked')),
                ('started_at', models.DateTimeField(null=True, verbose_name='started')),
                ('seen_at', models.DateTimeField(null=True, verbose_name='last sign of life')),
                ('finished_at', models.DateTimeField(null=True, verbose_name='finished')),
                ('ours_count', models.PositiveBigIntegerField(default=0, verbose_name='delivered by our word')),
                ('read_count', models.PositiveBigIntegerField(default=0, verbose_name='read from the wallet')),
                ('drift_count', models.PositiveBigIntegerField(default=0, verbose_name='drift')),
                ('failure', models.CharField(blank=True, max_length=300, verbose_name='why it failed')),
            ],
            options={
                'verbose_name': 'reconciliation',
                'verbose_name_plural': 'reconciliations',
                'permissions': [('reconcile_wallet', "Compare our wallet messages with the wallet's record")],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='WalletDrift',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=13, verbose_name='how they differ')),
                ('key', models.CharField(db_collation='C', max_length=200, verbose_name='key')),
                ('ours_minor', tables.models.fields.MinorSumField(decimal_places=0, max_digits=30, null=True, verbose_name='by our word')),
                ('theirs_minor', tables.models.fields.MinorSumField(decimal_places=0, max_digits=30, null=True, verbose_name="by the wallet's word")),
                ('currency', models.CharField(max_length=3, verbose_name='currency')),
                ('number', models.BigIntegerField(null=True, verbose_name='number at the wallet')),
            ],
            options={
                'verbose_name': 'drift',
                'verbose_name_plural': 'drift',
                'default_permissions': ('view',),
            },
        ),
        migrations.RemoveConstraint(
            model_name='outbox',
            name='outbox_bell_known',
        ),
        migrations.AddConstraint(
            model_name='outbox',
            constraint=models.CheckConstraint(condition=models.Q(('bell__in', ['settle', 'ruling', 'reconcile'])), name='outbox_bell_known'),
        ),
        migrations.AddConstraint(
            model_name='reconciliation',
            constraint=models.UniqueConstraint(condition=models.Q(('finished_at__isnull', True)), fields=('finished_at',), name='reconciliation_one_open', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='reconciliation',
            constraint=models.CheckConstraint(condition=models.Q(('finished_at__isnull', True), models.Q(('finished_at__gte', models.F('started_at')), ('started_at__isnull', False)), _connector='OR'), name='reconciliation_times_ordered'),
        ),
        migrations.AddConstraint(
            model_name='reconciliation',
            constraint=models.CheckConstraint(condition=models.Q(('failure', ''), ('finished_at__isnull', False), _connector='OR'), name='reconciliation_failed_is_over'),
        ),
        migrations.AddField(
            model_name='walletdrift',
            name='reconciliation',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='drifts', to='tables.reconciliation', verbose_name='reconciliation'),
        ),
        migrations.AddField(
            model_name='walletdrift',
            name='transaction',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tables.wallettransaction'),
        ),
        migrations.AddConstraint(
            model_name='walletdrift',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['missing_there', 'unknown_here', 'given_up_here', 'amount', 'player', 'twice'])), name='walletdrift_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='walletdrift',
            constraint=models.UniqueConstraint(fields=('reconciliation', 'kind', 'key'), name='walletdrift_once'),
        ),
        migrations.RunSQL(DEFEND, migrations.RunSQL.noop),
    ]
