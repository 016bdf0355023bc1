"""Money in words, once in SQL for notices written in sets; a test holds it equal to tables.rules.currencies."""

from django.db import migrations

CREATE = """
CREATE FUNCTION bluecard_money(minor numeric, scale int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN minor < 0 THEN '−' WHEN minor > 0 THEN '+' ELSE '' END
        || ltrim(to_char(div(abs(minor), power(10::numeric, scale)), 'FM999,999,999,999,999,999,999,990'))
        || CASE WHEN scale = 0 THEN ''
           ELSE '.' || lpad(mod(abs(minor), power(10::numeric, scale))::bigint::text, scale, '0') END
$$
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0003_numbers")]
    operations = [migrations.RunSQL(CREATE, "DROP FUNCTION bluecard_money(numeric, int)")]
