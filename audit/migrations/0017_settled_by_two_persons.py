"""A message above the table's threshold is settled by hand when two persons said so, whoever writes it down."""

from django.db import migrations

TWO = """
CREATE FUNCTION bluecard_check_by_hand() RETURNS trigger LANGUAGE plpgsql AS $$
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
    SELECT count(DISTINCT a.person_id) INTO persons
        FROM tables_handstatement h JOIN audit_personaccount a ON a.user_id = h.said_by_id
        WHERE h.delivery_id = NEW.transaction_id AND h.given_up_at = OLD.answered_at;
    IF moved > threshold AND persons < 2 THEN
        RAISE EXCEPTION 'settling this message by hand takes a second person' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_by_hand BEFORE UPDATE ON tables_walletdelivery FOR EACH ROW
    WHEN (NEW.status = 'closed' AND NEW.answer = 'by_hand' AND OLD.status <> 'closed')
    EXECUTE FUNCTION bluecard_check_by_hand();
ALTER TABLE tables_walletdelivery ENABLE ALWAYS TRIGGER check_by_hand;
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0016_failures_of_rulings"), ("tables", "0013_settled_by_two")]
    operations = [migrations.RunSQL(TWO, migrations.RunSQL.noop)]
