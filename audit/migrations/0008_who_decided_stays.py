"""Who decided a ruling, when and why, is written with the decision and never after it."""

from django.db import migrations

STAYS = """
CREATE FUNCTION bluecard_check_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'requested'
        AND (NEW.decided_by_id, NEW.decided_by_person_id, NEW.decided_at, NEW.decision_reason)
        IS DISTINCT FROM (OLD.decided_by_id, OLD.decided_by_person_id, OLD.decided_at, OLD.decision_reason) THEN
        RAISE EXCEPTION 'who decided % stays', NEW.number USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_decided BEFORE UPDATE ON audit_ruling
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_decided();
ALTER TABLE audit_ruling ENABLE ALWAYS TRIGGER check_decided;
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0007_report_once")]
    operations = [migrations.RunSQL(STAYS, migrations.RunSQL.noop)]
