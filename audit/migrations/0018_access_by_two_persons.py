"""The way into an account that decides takes two persons, of whom neither is its own; an approval serves once."""

from django.db import migrations, models

# Added to the checks of a change: who decides nothing about themselves.
OWN = """
CREATE FUNCTION bluecard_check_change_of_own() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.kind IN ('role', 'access') AND NEW.status IN ('requested', 'approved') AND EXISTS (
        SELECT 1 FROM audit_personaccount WHERE user_id = (NEW.payload ->> 'user')::bigint
          AND person_id IN (NEW.requested_by_person_id, NEW.decided_by_person_id)
    ) THEN
        RAISE EXCEPTION 'what an account may do is decided by others than its own person'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_change_of_own BEFORE INSERT OR UPDATE ON audit_setupchange
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_change_of_own();
ALTER TABLE audit_setupchange ENABLE ALWAYS TRIGGER check_change_of_own;
"""

# The approval and what it carries out are one transaction, so an older approval gives no role a second time.
ONCE = """
CREATE FUNCTION bluecard_is_of_this_transaction(written_by xid) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    now_id bigint := pg_current_xact_id()::text::bigint;
    wanted bigint := (now_id & ~4294967295::bigint) | written_by::text::bigint;
BEGIN
    IF wanted > now_id + 2147483648 THEN
        wanted := wanted - 4294967296;
    END IF;
    RETURN coalesce(pg_xact_status(wanted::text::xid8) = 'in progress', false);
END $$;

CREATE OR REPLACE FUNCTION bluecard_check_deciding_role() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    deciding text[] := ARRAY['approve_ruling', 'approve_setup_change', 'decide_complaint', 'give_consent'];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM audit_personaccount WHERE user_id = NEW.user_id) THEN
        RETURN NEW;
    END IF;
    IF TG_TABLE_NAME = 'auth_user_groups' THEN
        IF EXISTS (
            SELECT 1 FROM auth_group_permissions gp JOIN auth_permission p ON p.id = gp.permission_id
            WHERE gp.group_id = NEW.group_id AND p.codename = ANY(deciding)
        ) AND NOT EXISTS (
            SELECT 1 FROM audit_setupchange c WHERE c.kind = 'role' AND c.status = 'approved'
              AND (c.payload ->> 'user')::bigint = NEW.user_id
              AND (c.payload ->> 'group')::bigint = NEW.group_id
              AND bluecard_is_of_this_transaction(c.xmin)
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

CREATE FUNCTION bluecard_account_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an account is taken out of use, never deleted' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER account_stays BEFORE DELETE ON auth_user
    FOR EACH ROW EXECUTE FUNCTION bluecard_account_stays();
ALTER TABLE auth_user ENABLE ALWAYS TRIGGER account_stays;
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0017_settled_by_two_persons")]
    operations = [
        migrations.RemoveConstraint("setupchange", "setupchange_kind_known"),
        migrations.AddConstraint(
            "setupchange",
            models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["thresholds", "person_link", "role", "access", "rulebook"])
                ),
                name="setupchange_kind_known",
            ),
        ),
        migrations.RunSQL(OWN + ONCE, migrations.RunSQL.noop),
    ]
