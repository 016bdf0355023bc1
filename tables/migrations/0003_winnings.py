"""Rounding, once in SQL: the other half is tables.rules.money, and a property test holds the two equal."""

from django.db import migrations

CREATE = """
CREATE FUNCTION bluecard_winnings(stake bigint, num bigint, den bigint, mode text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT stake * num / den + CASE mode
        WHEN 'down' THEN 0
        WHEN 'up' THEN (stake * num % den > 0)::int
        WHEN 'half_up' THEN (2 * (stake * num % den) >= den)::int
        WHEN 'half_down' THEN (2 * (stake * num % den) > den)::int
        WHEN 'half_even' THEN CASE
            WHEN 2 * (stake * num % den) > den THEN 1
            WHEN 2 * (stake * num % den) = den THEN stake * num / den % 2
            ELSE 0 END
        END
$$
"""


class Migration(migrations.Migration):
    dependencies = [("tables", "0002_defences")]
    operations = [
        migrations.RunSQL(CREATE, "DROP FUNCTION bluecard_winnings(bigint, bigint, bigint, text)"),
    ]
