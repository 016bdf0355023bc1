"""Four eyes and the authority of every later revision, checked by the database for whoever asks it."""

from django.db import migrations

RULING_TRANSITIONS = (
    ("requested", "approved"),
    ("requested", "refused"),
    ("requested", "expired"),
    ("requested", "stale"),
    ("approved", "applying"),
    ("approved", "stale"),
    ("approved", "refused"),
    ("applying", "applied"),
    ("applying", "stopped"),
    ("applying", "stale"),
    ("stopped", "applying"),
)
RULING_LOOSE = (
    "status",
    "decided_by_id",
    "decided_by_person_id",
    "decided_at",
    "decision_reason",
    "wants_stop",
    "outcome_note",
    "started_at",
    "finished_at",
)
ROUND_LOOSE = ("status", "is_open", "is_in_force", "applied_at")
APPEND_ONLY = ("audit_notice", "audit_signin")

APPROVAL = """
CREATE FUNCTION bluecard_check_ruling() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    house tables_gametable%ROWTYPE;
    moved numeric := NEW.given_minor + NEW.taken_minor;
    day_start timestamptz;
    alone_today numeric;
    needs_second boolean;
    listed record;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'requested' OR NEW.decided_by_id IS NOT NULL THEN
            RAISE EXCEPTION 'a ruling begins as a request' USING ERRCODE = 'check_violation';
        END IF;
        IF NOT EXISTS (SELECT 1 FROM audit_personaccount
                       WHERE user_id = NEW.requested_by_id AND person_id = NEW.requested_by_person_id) THEN
            RAISE EXCEPTION 'the account that asks is not that person''s' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.status <> 'approved' OR OLD.status = 'approved' THEN
        RETURN NEW;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM audit_personaccount
                   WHERE user_id = NEW.decided_by_id AND person_id = NEW.decided_by_person_id) THEN
        RAISE EXCEPTION 'the account that approves is not that person''s' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.decided_at IS NULL OR NEW.decided_at > NEW.expires_at THEN
        RAISE EXCEPTION 'the request % has expired', NEW.number USING ERRCODE = 'check_violation';
    END IF;
    SELECT count(*) AS rounds, coalesce(sum(given_minor), 0) AS given, coalesce(sum(taken_minor), 0) AS taken
        INTO listed FROM audit_rulinground WHERE ruling_id = NEW.id;
    IF (listed.rounds, listed.given, listed.taken)
        IS DISTINCT FROM (NEW.rounds_count::bigint, NEW.given_minor, NEW.taken_minor) THEN
        RAISE EXCEPTION 'the sums of ruling % are not those of its rounds', NEW.number
            USING ERRCODE = 'check_violation';
    END IF;
    -- One decision of a person at a time, so that two small ones at once cannot both stay below the sum.
    PERFORM pg_advisory_xact_lock(hashtext('bluecard.person'), NEW.decided_by_person_id::int);
    SELECT * INTO house FROM tables_gametable WHERE id = NEW.table_id;
    day_start := (date_trunc('day', NEW.decided_at AT TIME ZONE house.zone
        - make_interval(hours => house.gaming_day_starts_hour))
        + make_interval(hours => house.gaming_day_starts_hour)) AT TIME ZONE house.zone;
    SELECT coalesce(sum(given_minor + taken_minor), 0) INTO alone_today FROM audit_ruling
        WHERE decided_by_person_id = NEW.decided_by_person_id AND requested_by_person_id = decided_by_person_id
          AND decided_at >= day_start AND status IN ('approved', 'applying', 'stopped', 'applied');
    needs_second := NEW.rounds_count > 1 OR NEW.kind IN ('reinstate', 'void_range', 'void_shoe')
        OR moved > house.second_person_minor OR alone_today + moved > house.second_person_minor;
    IF needs_second AND NEW.decided_by_person_id = NEW.requested_by_person_id THEN
        RAISE EXCEPTION 'ruling % takes a second person', NEW.number USING ERRCODE = 'check_violation';
    END IF;
    IF moved > house.sign_in_again_minor AND NOT EXISTS (
        SELECT 1 FROM audit_signin WHERE ruling_id = NEW.id AND user_id = NEW.decided_by_id
            AND at BETWEEN NEW.decided_at - interval '5 minutes' AND NEW.decided_at
    ) THEN
        RAISE EXCEPTION 'ruling % takes a sign-in by who approves it', NEW.number
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_ruling BEFORE INSERT OR UPDATE ON audit_ruling
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_ruling();
ALTER TABLE audit_ruling ENABLE ALWAYS TRIGGER check_ruling;
"""

ROUNDS = """
CREATE FUNCTION bluecard_check_ruling_round() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT status FROM audit_ruling WHERE id = NEW.ruling_id) <> 'requested' THEN
        RAISE EXCEPTION 'a round is put on a ruling only while it is asked for' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_ruling_round BEFORE INSERT ON audit_rulinground
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_ruling_round();
ALTER TABLE audit_rulinground ENABLE ALWAYS TRIGGER check_ruling_round;
"""

AUTHORITY = """
CREATE FUNCTION bluecard_check_authority() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ruling record;
BEGIN
    IF NEW.authority IS NULL THEN
        IF NEW.revision > 1 OR (NEW.overlay ->> 'void_all')::boolean THEN
            RAISE EXCEPTION 'revision % of round % has no authority', NEW.revision, NEW.round_id
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
    END IF;
    SELECT r.status, rr.given_minor - rr.taken_minor AS moved, rr.base_revision INTO ruling
        FROM audit_ruling r JOIN audit_rulinground rr ON rr.ruling_id = r.id
        WHERE r.uuid = NEW.authority AND rr.round_id = NEW.round_id;
    IF ruling IS NULL OR ruling.status NOT IN ('applying', 'stopped', 'applied') THEN
        RAISE EXCEPTION 'revision % of round % rests on no approved ruling', NEW.revision, NEW.round_id
            USING ERRCODE = 'check_violation';
    END IF;
    -- The first revision under a ruling moves what was approved; a later one settles the second deal it ordered.
    IF NEW.revision = ruling.base_revision + 1 AND NEW.moved_minor <> ruling.moved
        AND NOT EXISTS (SELECT 1 FROM tables_deal WHERE id = NEW.deal_id AND authority = NEW.authority) THEN
        RAISE EXCEPTION 'revision % of round % moves % where % was approved',
            NEW.revision, NEW.round_id, NEW.moved_minor, ruling.moved USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER check_authority AFTER INSERT ON tables_settlement
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION bluecard_check_authority();
ALTER TABLE tables_settlement ENABLE ALWAYS TRIGGER check_authority;
"""

LINKS = """
CREATE FUNCTION bluecard_check_person_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'the link of an account to its person stays' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'UPDATE' AND NOT EXISTS (
        SELECT 1 FROM audit_setupchange
        WHERE id = NEW.change_id AND kind = 'person_link' AND status = 'approved'
          AND (payload ->> 'user')::bigint = NEW.user_id AND (payload ->> 'person')::bigint = NEW.person_id
    ) THEN
        RAISE EXCEPTION 'the link of an account to its person takes an approved change'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_person_link BEFORE UPDATE OR DELETE ON audit_personaccount
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_person_link();
ALTER TABLE audit_personaccount ENABLE ALWAYS TRIGGER check_person_link;

CREATE FUNCTION bluecard_check_thresholds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.second_person_minor, NEW.sign_in_again_minor)
        IS DISTINCT FROM (OLD.second_person_minor, OLD.sign_in_again_minor) AND NOT EXISTS (
        SELECT 1 FROM audit_setupchange
        WHERE kind = 'thresholds' AND status = 'approved' AND (payload ->> 'table')::bigint = NEW.id
          AND (payload ->> 'second_person_minor')::bigint = NEW.second_person_minor
          AND (payload ->> 'sign_in_again_minor')::bigint = NEW.sign_in_again_minor
    ) THEN
        RAISE EXCEPTION 'thresholds of table % take an approved change', NEW.code
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_thresholds BEFORE UPDATE ON tables_gametable
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_thresholds();
ALTER TABLE tables_gametable ENABLE ALWAYS TRIGGER check_thresholds;

CREATE FUNCTION bluecard_check_setup_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    linked bigint;
BEGIN
    IF TG_OP = 'INSERT' AND NEW.status <> 'requested' THEN
        RAISE EXCEPTION 'a change of the set-up begins as a request' USING ERRCODE = 'check_violation';
    END IF;
    SELECT person_id INTO linked FROM audit_personaccount
        WHERE user_id = CASE TG_OP WHEN 'INSERT' THEN NEW.requested_by_id ELSE NEW.decided_by_id END;
    IF TG_OP = 'INSERT' AND linked IS DISTINCT FROM NEW.requested_by_person_id
        OR TG_OP = 'UPDATE' AND NEW.status = 'approved' AND linked IS DISTINCT FROM NEW.decided_by_person_id THEN
        RAISE EXCEPTION 'the account is not that person''s' USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.status <> 'requested' THEN
        RAISE EXCEPTION 'this change of the set-up was decided' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.status = 'approved' AND NEW.decided_at > NEW.expires_at THEN
        RAISE EXCEPTION 'the request has expired' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_setup_change BEFORE INSERT OR UPDATE ON audit_setupchange
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_setup_change();
ALTER TABLE audit_setupchange ENABLE ALWAYS TRIGGER check_setup_change;
"""


def _statements() -> list[str]:
    pairs = ", ".join(f"('ruling', '{before}', '{after}')" for before, after in RULING_TRANSITIONS)
    out = [
        f"INSERT INTO bluecard_transition (subject, from_status, to_status) VALUES {pairs}; "
        "CREATE TRIGGER check_transition BEFORE UPDATE OF status ON audit_ruling FOR EACH ROW "
        "EXECUTE FUNCTION bluecard_check_transition('ruling'); "
        "ALTER TABLE audit_ruling ENABLE ALWAYS TRIGGER check_transition;"
    ]
    fixed = {
        "audit_ruling": RULING_LOOSE,
        "audit_rulinground": ROUND_LOOSE,
        "audit_tabledecision": ("attempts", "due_at", "acknowledged_at", "last_error"),
        "audit_setupchange": (
            "status",
            "decided_by_id",
            "decided_by_person_id",
            "decided_at",
            "decision_reason",
        ),
    }
    for table, loose in fixed.items():
        arguments = ", ".join(f"'{column}'" for column in loose)
        out.append(
            f"CREATE TRIGGER refuse_fixed_columns BEFORE UPDATE ON {table} FOR EACH ROW "
            f"EXECUTE FUNCTION bluecard_refuse_fixed_columns({arguments}); "
            f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER refuse_fixed_columns; " + _refuse(table, "DELETE")
        )
    out += [_refuse(table, "UPDATE OR DELETE") for table in APPEND_ONLY]
    return [*out, APPROVAL, ROUNDS, AUTHORITY, LINKS]


def _refuse(table: str, what: str) -> str:
    return (
        f"CREATE TRIGGER refuse_change BEFORE {what} ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change(); "
        f"CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION bluecard_refuse_change(); "
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER refuse_change; "
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER refuse_truncate;"
    )


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial"), ("tables", "0005_receivable_append_only")]
    operations = [migrations.RunSQL(_statements(), migrations.RunSQL.noop)]
