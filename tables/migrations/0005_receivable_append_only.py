"""A receivable is a record like the transaction it belongs to: it is only ever added."""

from django.db import migrations

DEFEND = """
CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON tables_receivable
    FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON tables_receivable
    FOR EACH STATEMENT EXECUTE FUNCTION bluecard_refuse_change();
ALTER TABLE tables_receivable ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE tables_receivable ENABLE ALWAYS TRIGGER refuse_truncate;
"""


class Migration(migrations.Migration):
    dependencies = [("tables", "0004_rulings")]
    operations = [migrations.RunSQL(DEFEND, migrations.RunSQL.noop)]
