"""Once two persons are there, a role that decides takes an approved change for every account, linked or not.

An account that nobody stands behind decides nothing yet. But it may be linked later, by an approval that says
nothing of roles; so the role is asked for when it is given. And no role that people have begins to decide.
"""

from django.db import migrations

GUARD = """
CREATE FUNCTION bluecard_deciding() RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT ARRAY['approve_ruling', 'approve_setup_change', 'decide_complaint', 'give_consent']
$$;

CREATE OR REPLACE FUNCTION bluecard_check_deciding_role() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT bluecard_house_is_set_up()
        AND NOT EXISTS (SELECT 1 FROM audit_personaccount WHERE user_id = NEW.user_id) THEN
        RETURN NEW;
    END IF;
    IF TG_TABLE_NAME = 'auth_user_groups' THEN
        IF EXISTS (
            SELECT 1 FROM auth_group_permissions gp JOIN auth_permission p ON p.id = gp.permission_id
            WHERE gp.group_id = NEW.group_id AND p.codename = ANY(bluecard_deciding())
        ) AND NOT EXISTS (
            SELECT 1 FROM audit_setupchange c WHERE c.kind = 'role' AND c.status = 'approved'
              AND (c.payload ->> 'user')::bigint = NEW.user_id
              AND (c.payload ->> 'group')::bigint = NEW.group_id
              AND bluecard_is_of_this_transaction(c.xmin)
        ) THEN
            RAISE EXCEPTION 'a role that decides takes an approved change' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF EXISTS (
        SELECT 1 FROM auth_permission WHERE id = NEW.permission_id AND codename = ANY(bluecard_deciding())
    ) THEN
        RAISE EXCEPTION 'the right to decide comes by a role, and that by an approved change'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION bluecard_check_role_of_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF bluecard_house_is_set_up()
        AND EXISTS (SELECT 1 FROM auth_user_groups WHERE group_id = NEW.group_id)
        AND EXISTS (
            SELECT 1 FROM auth_permission WHERE id = NEW.permission_id AND codename = ANY(bluecard_deciding())
        ) THEN
        RAISE EXCEPTION 'a role that people have does not begin to decide' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_role_of_members BEFORE INSERT OR UPDATE ON auth_group_permissions
    FOR EACH ROW EXECUTE FUNCTION bluecard_check_role_of_members();
ALTER TABLE auth_group_permissions ENABLE ALWAYS TRIGGER check_role_of_members;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0018_access_by_two_persons"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]
    operations = [migrations.RunSQL(GUARD, migrations.RunSQL.noop)]
