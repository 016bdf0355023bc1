"""While a legal hold stands nothing of the player is erased, whoever asks; and the hold itself stays.

Whoever erases and whoever places a hold take the same lock first, so that one of the two comes first.
"""

from django.db import migrations

HOLDS = """
-- The lock the services take as well; 0 stands for whoever a complaint names that no player is known by.
CREATE FUNCTION bluecard_lock_player(player bigint) RETURNS void LANGUAGE sql VOLATILE AS $$
    SELECT pg_advisory_xact_lock(hashtext('bluecard.player'), player::int)
$$;

CREATE FUNCTION bluecard_check_legal_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM bluecard_lock_player(NEW.player_id);
    PERFORM bluecard_lock_player(0);
    IF TG_OP = 'INSERT' THEN
        IF NEW.lifted_at IS NOT NULL THEN
            RAISE EXCEPTION 'a legal hold begins in force' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF OLD.lifted_at IS NULL THEN
        IF NEW.lifted_at IS NULL OR NEW.reason <> OLD.reason THEN
            RAISE EXCEPTION 'a legal hold is lifted or stays' USING ERRCODE = 'restrict_violation';
        END IF;
    ELSIF (NEW.lifted_at, NEW.lifted_by_id) IS DISTINCT FROM (OLD.lifted_at, OLD.lifted_by_id) THEN
        RAISE EXCEPTION 'this legal hold was lifted' USING ERRCODE = 'restrict_violation';
    ELSE
        PERFORM bluecard_refuse_while_held(NEW.player_id);
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION bluecard_refuse_while_held(player bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF player IS NULL THEN
        RETURN;
    END IF;
    PERFORM bluecard_lock_player(player);
    -- A snapshot from before the lock would not show a hold that was placed meanwhile.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'what names a player is erased at READ COMMITTED only' USING ERRCODE = 'restrict_violation';
    END IF;
    IF EXISTS (SELECT 1 FROM audit_legalhold h WHERE h.player_id = player AND h.lifted_at IS NULL) THEN
        RAISE EXCEPTION 'player #% is under a legal hold', player USING ERRCODE = 'restrict_violation';
    END IF;
END $$;

-- A complaint is a player's if it is known to be, or if it names the player in any spelling of the reference.
CREATE FUNCTION bluecard_refuse_complaint_while_held(complaint bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    player bigint;
BEGIN
    SELECT c.player_id INTO player FROM audit_complaint c WHERE c.id = complaint;
    IF player IS NOT NULL THEN
        PERFORM bluecard_refuse_while_held(player);
        RETURN;
    END IF;
    PERFORM bluecard_lock_player(0);
    FOR player IN
        SELECT h.player_id FROM audit_legalhold h
        JOIN tables_playeridentity i ON i.player_id = h.player_id
        WHERE h.lifted_at IS NULL AND EXISTS (
            SELECT 1 FROM audit_complaintevent e JOIN audit_complaintwords w ON w.event_id = e.id
            WHERE e.complaint_id = complaint AND upper(w.player_text) = upper(i.reference)
        )
    LOOP
        PERFORM bluecard_refuse_while_held(player);
    END LOOP;
END $$;

CREATE FUNCTION bluecard_keep_while_held() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    about record;
BEGIN
    CASE TG_TABLE_NAME
        WHEN 'tables_playeridentity' THEN
            PERFORM bluecard_refuse_while_held(OLD.player_id);
        WHEN 'tables_journaltext' THEN
            PERFORM bluecard_refuse_while_held(OLD.player_id);
            SELECT subject_type, subject_id INTO about FROM tables_journalentry WHERE id = OLD.entry_id;
            IF about.subject_type = 'player' THEN
                PERFORM bluecard_refuse_while_held(about.subject_id);
            END IF;
        WHEN 'audit_attachmentfile' THEN
            SELECT subject_kind, subject_id INTO about FROM audit_attachment WHERE id = OLD.attachment_id;
            IF about.subject_kind = 'complaint' THEN
                PERFORM bluecard_refuse_complaint_while_held(about.subject_id);
            END IF;
        ELSE
            PERFORM bluecard_refuse_complaint_while_held(
                (SELECT complaint_id FROM audit_complaintevent WHERE id = OLD.event_id)
            );
    END CASE;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
"""
KEPT = (
    "tables_playeridentity",
    "tables_journaltext",
    "audit_attachmentfile",
    "audit_complaintwords",
    "audit_complainttext",
)
LOOSE = ("reason", "lifted_by_id", "lifted_at")
FUNCTIONS = (
    "bluecard_keep_while_held()",
    "bluecard_refuse_complaint_while_held(bigint)",
    "bluecard_check_legal_hold()",
    "bluecard_refuse_while_held(bigint)",
    "bluecard_lock_player(bigint)",
)


def _trigger(table: str, name: str, when: str, function: str, each: str = "ROW") -> str:
    return (
        f"CREATE TRIGGER {name} BEFORE {when} ON {table} FOR EACH {each} EXECUTE FUNCTION {function}; "
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name};"
    )


def _forward() -> list[str]:
    hold, refuse = "audit_legalhold", "bluecard_refuse_change()"
    loose = ", ".join(f"'{column}'" for column in LOOSE)
    return [
        HOLDS,
        *(_trigger(name, "keep_while_held", "UPDATE OR DELETE", FUNCTIONS[0]) for name in KEPT),
        _trigger(hold, "check_legal_hold", "INSERT OR UPDATE", "bluecard_check_legal_hold()"),
        _trigger(hold, "refuse_fixed_columns", "UPDATE", f"bluecard_refuse_fixed_columns({loose})"),
        _trigger(hold, "refuse_change", "DELETE", refuse),
        _trigger(hold, "refuse_truncate", "TRUNCATE", refuse, "STATEMENT"),
    ]


def _backward() -> list[str]:
    own = ("check_legal_hold", "refuse_fixed_columns", "refuse_change", "refuse_truncate")
    return [
        *(f"DROP TRIGGER {name} ON audit_legalhold" for name in own),
        *(f"DROP TRIGGER keep_while_held ON {table}" for table in KEPT),
        *(f"DROP FUNCTION {function}" for function in FUNCTIONS),
    ]


class Migration(migrations.Migration):
    dependencies = [("audit", "0023_requests_withdrawn"), ("tables", "0015_api_key_last_used")]
    operations = [migrations.RunSQL(_forward(), _backward())]
