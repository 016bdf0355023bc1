"""Persons, deciding roles and rulebooks take two persons once two are there; before that the house is set up."""

from django.db import migrations

GUARD = """
CREATE FUNCTION bluecard_house_is_set_up() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT count(DISTINCT person_id) >= 2 FROM audit_personaccount
$$;

CREATE OR REPLACE FUNCTION bluecard_check_person_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'the link of an account to its person stays' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'INSERT' AND NOT bluecard_house_is_set_up() THEN
        RETURN NEW;
    END IF;
    IF NOT EXISTS (
        SELECT 1 FROM audit_setupchange
        WHERE id = NEW.change_id AND kind = 'person_link' AND status = 'approved'
          AND (payload ->> 'user')::bigint = NEW.user_id AND (payload ->> 'person')::bigint = NEW.person_id
    ) THEN
        RAISE EXCEPTION 'the link of an account to its person takes an approved change'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER check_person_link ON audit_personaccount;
CREATE TRIGGER check_person_link BEFORE INSERT OR UPDATE OR DELETE ON audit_personaccount
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_person_link();
ALTER TABLE audit_personaccount ENABLE ALWAYS TRIGGER check_person_link;

-- A role that decides is given to a linked account only by an approved change.
CREATE FUNCTION bluecard_check_deciding_role() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    decides boolean;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM audit_personaccount WHERE user_id = NEW.user_id) THEN
        RETURN NEW;
    END IF;
    IF TG_TABLE_NAME = 'auth_user_groups' THEN
        SELECT EXISTS (
            SELECT 1 FROM auth_group_permissions gp JOIN auth_permission p ON p.id = gp.permission_id
            WHERE gp.group_id = NEW.group_id AND p.codename IN ('approve_ruling', 'approve_setup_change')
        ) INTO decides;
        IF decides AND NOT EXISTS (
            SELECT 1 FROM audit_setupchange WHERE kind = 'role' AND status = 'approved'
              AND (payload ->> 'user')::bigint = NEW.user_id AND (payload ->> 'group')::bigint = NEW.group_id
        ) THEN
            RAISE EXCEPTION 'a role that decides takes an approved change' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF EXISTS (
        SELECT 1 FROM auth_permission WHERE id = NEW.permission_id
          AND codename IN ('approve_ruling', 'approve_setup_change')
    ) THEN
        RAISE EXCEPTION 'the right to decide comes by a role, and that by an approved change'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_deciding_role BEFORE INSERT OR UPDATE ON auth_user_groups
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_deciding_role();
CREATE TRIGGER check_deciding_role BEFORE INSERT OR UPDATE ON auth_user_user_permissions
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_deciding_role();
ALTER TABLE auth_user_groups ENABLE ALWAYS TRIGGER check_deciding_role;
ALTER TABLE auth_user_user_permissions ENABLE ALWAYS TRIGGER check_deciding_role;

CREATE FUNCTION bluecard_check_superuser() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.is_superuser AND NOT OLD.is_superuser
        AND EXISTS (SELECT 1 FROM audit_personaccount WHERE user_id = NEW.id) THEN
        RAISE EXCEPTION 'an account of a person does not become a superuser' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_superuser BEFORE UPDATE OF is_superuser ON auth_user
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_superuser();
ALTER TABLE auth_user ENABLE ALWAYS TRIGGER check_superuser;

CREATE FUNCTION bluecard_check_rulebook() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF bluecard_house_is_set_up() AND NOT EXISTS (
        SELECT 1 FROM audit_setupchange WHERE kind = 'rulebook' AND status = 'approved'
          AND payload ->> 'content_hash' = NEW.content_hash
    ) THEN
        RAISE EXCEPTION 'rulebook % takes an approved change', NEW.code USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_rulebook BEFORE INSERT ON tables_rulebook
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_rulebook();
ALTER TABLE tables_rulebook ENABLE ALWAYS TRIGGER check_rulebook;
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0004_money_words"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [migrations.RunSQL(GUARD, migrations.RunSQL.noop)]
