"""What the database refuses of complaints, consents and holds on video, whoever asks it."""

from django.db import migrations

TRANSITIONS = {
    "complaint": (
        ("received", "waiting"),
        ("received", "accepted"),
        ("received", "refused"),
        ("received", "closed"),
        ("waiting", "received"),
        ("waiting", "refused"),
        ("waiting", "closed"),
        ("accepted", "under_review"),
        ("accepted", "closed"),
        ("under_review", "upheld"),
        ("under_review", "rejected"),
        ("under_review", "closed"),
        ("upheld", "closed"),
        ("rejected", "closed"),
        ("refused", "received"),
        ("refused", "accepted"),
        ("closed", "under_review"),
    ),
    "consent": (("requested", "approved"), ("requested", "refused"), ("requested", "expired")),
    "videohold": (
        ("asked", "held"),
        ("asked", "refused"),
        ("asked", "lapsed"),
        ("lapsed", "held"),
        ("held", "releasing"),
        ("releasing", "released"),
    ),
}
LOOSE = {
    "complaint": (
        "version", "status", "refusal", "outcome", "table_id", "round_id", "player_id", "event_kind",
        "event_at", "window_ends_at", "checks", "owner_id", "escalated_at", "closed_at", "merged_into_id",
        "admission_id",
    ),
    "consent": ("status", "decided_by_id", "decided_by_person_id", "decided_at", "decision_reason"),
    "videohold": (
        "status", "attempts", "due_at", "answered_at", "alarmed_at", "last_error", "release_id",
        "released_at",
    ),
}  # fmt: skip
APPEND_ONLY = ("complaintevent", "videoholdcause")

COMPLAINTS = """
CREATE FUNCTION bluecard_check_complaint() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    event record;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.version <> 1 OR NEW.status NOT IN ('received', 'waiting', 'refused') OR NEW.outcome <> ''
            OR NEW.admission_id IS NOT NULL OR NEW.merged_into_id IS NOT NULL THEN
            RAISE EXCEPTION 'a complaint begins when it is received' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.version <> OLD.version + 1 THEN
        RAISE EXCEPTION 'complaint % is at version %', NEW.number, OLD.version USING ERRCODE = 'check_violation';
    END IF;
    SELECT * INTO event FROM audit_complaintevent WHERE complaint_id = NEW.id AND version = NEW.version
        AND from_status = OLD.status AND to_status = NEW.status;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'complaint % does not change without its event', NEW.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.window_ends_at IS NOT NULL AND event.action <> 'information'
        AND (NEW.round_id, NEW.event_at, NEW.window_ends_at)
            IS DISTINCT FROM (OLD.round_id, OLD.event_at, OLD.window_ends_at) THEN
        RAISE EXCEPTION 'the time for complaint % stays as it is', NEW.number USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.status = 'closed' OR (OLD.status, NEW.status) = ('refused', 'received') THEN
        IF OLD.merged_into_id IS NOT NULL OR (OLD.status = 'refused' AND OLD.refusal = 'late')
            OR event.action <> 'reopened' OR NOT EXISTS (
                SELECT 1 FROM audit_complainttext WHERE event_id = event.id AND text > '') THEN
            RAISE EXCEPTION 'complaint % is opened again only with a reason', NEW.number
                USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    IF (OLD.status, NEW.status) = ('refused', 'accepted') OR NEW.admission_id IS DISTINCT FROM OLD.admission_id THEN
        IF NOT EXISTS (SELECT 1 FROM audit_consent WHERE id = NEW.admission_id AND complaint_id = NEW.id
                AND kind = 'late_complaint' AND status = 'approved') THEN
            RAISE EXCEPTION 'complaint % is admitted only by two persons', NEW.number
                USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_complaint BEFORE INSERT OR UPDATE ON audit_complaint
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_complaint();
ALTER TABLE audit_complaint ENABLE ALWAYS TRIGGER check_complaint;

CREATE FUNCTION bluecard_check_complaint_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT version FROM audit_complaint WHERE id = NEW.complaint_id) < NEW.version THEN
        RAISE EXCEPTION 'event % of a complaint changed nothing', NEW.version USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER check_complaint_event AFTER INSERT ON audit_complaintevent
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION bluecard_check_complaint_event();
ALTER TABLE audit_complaintevent ENABLE ALWAYS TRIGGER check_complaint_event;

-- A text stays as it was written until it is erased, and an erased one is empty for ever.
CREATE FUNCTION bluecard_check_complaint_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.erased_at IS NOT NULL OR NEW.erased_at IS NULL OR NEW.event_id <> OLD.event_id THEN
        RAISE EXCEPTION 'what was written on a complaint is erased or stays' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_TABLE_NAME = 'audit_complainttext' THEN
        NEW.text := '';
    ELSE
        NEW.played_at := NULL;
        NEW.table_text := ''; NEW.dealer_text := ''; NEW.round_text := ''; NEW.player_text := '';
        NEW.bet_text := ''; NEW.disputed := ''; NEW.contact := '';
    END IF;
    NEW.salt := '';
    RETURN NEW;
END $$;
"""

CONSENTS = """
CREATE FUNCTION bluecard_check_consent() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    linked bigint;
BEGIN
    IF TG_OP = 'INSERT' AND (NEW.status <> 'requested' OR NEW.decided_by_id IS NOT NULL) THEN
        RAISE EXCEPTION 'a consent begins as a request' USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.status <> 'requested' THEN
        RAISE EXCEPTION 'this consent was decided' USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT person_id INTO linked FROM audit_personaccount
        WHERE user_id = CASE TG_OP WHEN 'INSERT' THEN NEW.requested_by_id ELSE NEW.decided_by_id END;
    IF TG_OP = 'INSERT' AND linked IS DISTINCT FROM NEW.requested_by_person_id
        OR TG_OP = 'UPDATE' AND NEW.status = 'approved' AND linked IS DISTINCT FROM NEW.decided_by_person_id THEN
        RAISE EXCEPTION 'the account is not that person''s' USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'UPDATE' AND NEW.status = 'approved' AND NEW.decided_at > NEW.expires_at THEN
        RAISE EXCEPTION 'the request has expired' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_consent BEFORE INSERT OR UPDATE ON audit_consent
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_consent();
ALTER TABLE audit_consent ENABLE ALWAYS TRIGGER check_consent;

CREATE FUNCTION bluecard_check_video_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'asked' OR NEW.release_id IS NOT NULL THEN
            RAISE EXCEPTION 'a hold on video begins when it is asked for' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF (OLD.status <> 'releasing' AND NEW.status = 'releasing')
        OR NEW.release_id IS DISTINCT FROM OLD.release_id THEN
        IF NOT EXISTS (SELECT 1 FROM audit_consent WHERE id = NEW.release_id AND video_hold_id = NEW.id
                AND kind = 'video_release' AND status = 'approved') THEN
            RAISE EXCEPTION 'a hold on video is released only by two persons' USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_video_hold BEFORE INSERT OR UPDATE ON audit_videohold
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_video_hold();
ALTER TABLE audit_videohold ENABLE ALWAYS TRIGGER check_video_hold;

CREATE FUNCTION bluecard_check_ruling_complaint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.complaint_id IS NOT NULL
        AND (SELECT status FROM audit_complaint WHERE id = NEW.complaint_id) <> 'upheld' THEN
        RAISE EXCEPTION 'a ruling names a complaint that was upheld' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_ruling_complaint BEFORE INSERT ON audit_ruling
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_ruling_complaint();
ALTER TABLE audit_ruling ENABLE ALWAYS TRIGGER check_ruling_complaint;
"""

# The right to consent decides as well: it comes by an approved role.
DECIDING = """
CREATE OR REPLACE FUNCTION bluecard_check_deciding_role() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    deciding text[] := ARRAY['approve_ruling', 'approve_setup_change', 'give_consent'];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM audit_personaccount WHERE user_id = NEW.user_id) THEN
        RETURN NEW;
    END IF;
    IF TG_TABLE_NAME = 'auth_user_groups' THEN
        IF EXISTS (
            SELECT 1 FROM auth_group_permissions gp JOIN auth_permission p ON p.id = gp.permission_id
            WHERE gp.group_id = NEW.group_id AND p.codename = ANY(deciding)
        ) AND NOT EXISTS (
            SELECT 1 FROM audit_setupchange WHERE kind = 'role' AND status = 'approved'
              AND (payload ->> 'user')::bigint = NEW.user_id AND (payload ->> 'group')::bigint = NEW.group_id
        ) THEN
            RAISE EXCEPTION 'a role that decides takes an approved change' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF EXISTS (
        SELECT 1 FROM auth_permission WHERE id = NEW.permission_id AND codename = ANY(deciding)
    ) THEN
        RAISE EXCEPTION 'the right to decide comes by a role, and that by an approved change'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
"""

TEXTS = ("complaintwords", "complainttext")


def _statements() -> list[str]:
    out = [COMPLAINTS, CONSENTS, DECIDING, "CREATE SEQUENCE audit_complaint_number START 1;"]
    for subject, pairs in TRANSITIONS.items():
        rows = ", ".join(f"('{subject}', '{before}', '{after}')" for before, after in pairs)
        out.append(
            f"INSERT INTO bluecard_transition (subject, from_status, to_status) VALUES {rows}; "
            f"CREATE TRIGGER check_transition BEFORE UPDATE OF status ON audit_{subject} FOR EACH ROW "
            f"EXECUTE FUNCTION bluecard_check_transition('{subject}'); "
            f"ALTER TABLE audit_{subject} ENABLE ALWAYS TRIGGER check_transition;"
        )
    for name, loose in LOOSE.items():
        arguments = ", ".join(f"'{column}'" for column in loose)
        out.append(
            f"CREATE TRIGGER refuse_fixed_columns BEFORE UPDATE ON audit_{name} FOR EACH ROW "
            f"EXECUTE FUNCTION bluecard_refuse_fixed_columns({arguments}); "
            f"ALTER TABLE audit_{name} ENABLE ALWAYS TRIGGER refuse_fixed_columns; " + _refuse(name, "DELETE")
        )
    for name in APPEND_ONLY:
        out.append(_refuse(name, "UPDATE OR DELETE"))
    for name in TEXTS:
        out.append(
            f"CREATE TRIGGER check_text BEFORE UPDATE OR DELETE ON audit_{name} FOR EACH ROW "
            f"EXECUTE FUNCTION bluecard_check_complaint_text(); "
            f"ALTER TABLE audit_{name} ENABLE ALWAYS TRIGGER check_text; " + _refuse_truncate(name)
        )
    return out


def _refuse(name: str, what: str) -> str:
    return (
        f"CREATE TRIGGER refuse_change BEFORE {what} ON audit_{name} "
        f"FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change(); "
        f"ALTER TABLE audit_{name} ENABLE ALWAYS TRIGGER refuse_change; " + _refuse_truncate(name)
    )


def _refuse_truncate(name: str) -> str:
    return (
        f"CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON audit_{name} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION bluecard_refuse_change(); "
        f"ALTER TABLE audit_{name} ENABLE ALWAYS TRIGGER refuse_truncate;"
    )


class Migration(migrations.Migration):
    dependencies = [("audit", "0011_complaints_and_video")]
    operations = [migrations.RunSQL(_statements(), migrations.RunSQL.noop)]
