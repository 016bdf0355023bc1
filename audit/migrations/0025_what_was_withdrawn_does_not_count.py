"""Of those who said that a message is settled by hand, who withdrew it is none of the two persons."""

from django.db import migrations

TWO = """
CREATE OR REPLACE FUNCTION bluecard_check_by_hand() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    moved numeric;
    threshold numeric;
    persons bigint;
BEGIN
    SELECT abs(t.amount_minor), g.second_person_minor INTO moved, threshold
        FROM tables_wallettransaction t
        JOIN tables_settlement s ON s.id = t.settlement_id
        JOIN tables_round r ON r.id = s.round_id
        JOIN tables_gametable g ON g.id = r.table_id
        WHERE t.id = NEW.transaction_id;
    IF moved <= threshold THEN
        RETURN NEW;
    END IF;
    -- An older snapshot would still count what was withdrawn since.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'a message is settled by hand at READ COMMITTED only' USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT count(DISTINCT a.person_id) INTO persons
        FROM tables_handstatement h JOIN audit_personaccount a ON a.user_id = h.said_by_id
        WHERE h.delivery_id = NEW.transaction_id AND h.given_up_at = OLD.answered_at AND h.withdrawn_at IS NULL;
    IF persons < 2 THEN
        RAISE EXCEPTION 'settling this message by hand takes a second person' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0024_a_legal_hold_holds"), ("tables", "0017_hand_statement_withdrawn")]
    operations = [migrations.RunSQL(TWO, migrations.RunSQL.noop)]
