"""Who said that a message was settled by hand may withdraw it while the message is given up; nothing else changes."""

from django.db import migrations, models

WITHDRAWN = """
CREATE FUNCTION bluecard_check_hand_withdrawn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL THEN
        RAISE EXCEPTION 'this statement was withdrawn' USING ERRCODE = 'restrict_violation';
    END IF;
    -- Whoever closes the message changes its row: one of the two waits, and sees what the other did.
    PERFORM 1 FROM tables_walletdelivery d
        WHERE d.transaction_id = OLD.delivery_id AND d.status = 'dead' AND d.answered_at = OLD.given_up_at
        FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'what was said of a message is withdrawn only while it is still given up'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER refuse_change ON tables_handstatement;
CREATE TRIGGER refuse_change BEFORE DELETE ON tables_handstatement
    FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change();
CREATE TRIGGER refuse_fixed_columns BEFORE UPDATE ON tables_handstatement
    FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_fixed_columns('withdrawn_at');
CREATE TRIGGER check_withdrawn BEFORE UPDATE ON tables_handstatement FOR EACH ROW
    WHEN (NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at)
    EXECUTE FUNCTION bluecard_check_hand_withdrawn();
ALTER TABLE tables_handstatement ENABLE ALWAYS TRIGGER refuse_change;
ALTER TABLE tables_handstatement ENABLE ALWAYS TRIGGER refuse_fixed_columns;
ALTER TABLE tables_handstatement ENABLE ALWAYS TRIGGER check_withdrawn;
"""


class Migration(migrations.Migration):
    dependencies = [("tables", "0016_card_set")]
    operations = [
        migrations.AddField(
            "handstatement",
            "withdrawn_at",
            models.DateTimeField(null=True, verbose_name="withdrawn"),
        ),
        migrations.RemoveConstraint("handstatement", "handstatement_once_a_person"),
        migrations.AddConstraint(
            "handstatement",
            models.UniqueConstraint(
                condition=models.Q(("withdrawn_at", None)),
                fields=("delivery", "given_up_at", "said_by"),
                name="handstatement_once_a_person",
            ),
        ),
        migrations.RunSQL(WITHDRAWN, migrations.RunSQL.noop),
    ]
