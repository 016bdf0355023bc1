"""Who approves a ruling may decide, then and when it is begun, whoever writes it down."""

from django.db import migrations

MAY = """
CREATE FUNCTION bluecard_may_approve(asked_of bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT 1 FROM auth_user u WHERE u.id = asked_of AND u.is_active AND (
            u.is_superuser OR EXISTS (
                SELECT 1 FROM auth_permission p
                JOIN django_content_type c ON c.id = p.content_type_id AND c.app_label = 'audit'
                WHERE p.codename = 'approve_ruling' AND (
                    EXISTS (SELECT 1 FROM auth_user_user_permissions own
                            WHERE own.user_id = u.id AND own.permission_id = p.id)
                    OR EXISTS (SELECT 1 FROM auth_user_groups member
                               JOIN auth_group_permissions role ON role.group_id = member.group_id
                               WHERE member.user_id = u.id AND role.permission_id = p.id)
                )
            )
        )
    )
$$;
CREATE FUNCTION bluecard_check_who_decides() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT bluecard_may_approve(NEW.decided_by_id) THEN
        RAISE EXCEPTION 'who approves ruling % may not decide', NEW.number USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_who_decides BEFORE UPDATE ON audit_ruling FOR EACH ROW
    WHEN (OLD.status IN ('requested', 'approved') AND NEW.status IN ('approved', 'applying')
          AND NEW.status <> OLD.status)
    EXECUTE FUNCTION bluecard_check_who_decides();
ALTER TABLE audit_ruling ENABLE ALWAYS TRIGGER check_who_decides;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0021_a_witness_that_is_away"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]
    operations = [migrations.RunSQL(MAY, migrations.RunSQL.noop)]
