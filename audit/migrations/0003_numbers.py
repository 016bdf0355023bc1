"""The sequences behind I-0457 and R-0192."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_four_eyes")]
    operations = [
        migrations.RunSQL(f"CREATE SEQUENCE {name}_number START 1", f"DROP SEQUENCE {name}_number")
        for name in ("audit_incident", "audit_ruling")
    ]
