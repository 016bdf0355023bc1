"""What the database itself refuses: changes of append-only rows, transitions not in the tables."""

from django.db import migrations

APPEND_ONLY = (
    "acceptedgap",
    "betcancellation",
    "card",
    "feedevent",
    "finding",
    "journalentry",
    "player",
    "rulebook",
    "settlement",
    "settlementline",
    "wallettransaction",
)

# Tables whose rows may change only in the columns named; of a bet only the state, and only once.
FIXED_BUT = {
    "bet": ("status",),
    "hold": ("lifted_at", "lifted_by"),
    "walletdelivery": ("status", "attempts", "due_at", "leased_until", "answered_at", "answer", "last_error"),
}

TRANSITIONS = {
    "round": (
        ("betting", "dealing"),
        ("betting", "voided"),
        ("dealing", "insurance"),
        ("dealing", "resulted"),
        ("dealing", "voided"),
        ("insurance", "dealing"),
        ("insurance", "voided"),
        ("resulted", "settled"),
        ("resulted", "dealing"),
        ("resulted", "voided"),
        ("settled", "dealing"),
        ("settled", "voided"),
        ("voided", "dealing"),
        ("voided", "resulted"),
        ("voided", "settled"),
    ),
    "shoe": (("open", "ended"), ("open", "replaced"), ("open", "cancelled")),
    "bet": (("accepted", "cancelled"),),
    "deal": (("live", "dead"), ("dead", "live")),
    "walletdelivery": (
        ("waiting", "delivered"),
        ("waiting", "dead"),
        ("dead", "waiting"),
        ("dead", "delivered"),
    ),
}

REFUSE_CHANGE = """
CREATE FUNCTION bluecard_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION bluecard_refuse_fixed_columns() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    loose text[] := TG_ARGV;
BEGIN
    IF (to_jsonb(OLD) - loose) IS DISTINCT FROM (to_jsonb(NEW) - loose) THEN
        RAISE EXCEPTION 'of % only % may change', TG_TABLE_NAME, array_to_string(loose, ', ')
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TABLE bluecard_transition (
    subject text NOT NULL, from_status text NOT NULL, to_status text NOT NULL,
    PRIMARY KEY (subject, from_status, to_status)
);

CREATE FUNCTION bluecard_check_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> OLD.status AND NOT EXISTS (
        SELECT 1 FROM bluecard_transition
        WHERE subject = TG_ARGV[0] AND from_status = OLD.status AND to_status = NEW.status
    ) THEN
        RAISE EXCEPTION 'a % that is % cannot become %', TG_ARGV[0], OLD.status, NEW.status
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
"""


def _statements() -> list[str]:
    out = [REFUSE_CHANGE]
    for name in APPEND_ONLY:
        out.append(
            f"CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE ON tables_{name} "
            f"FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change(); "
            f"CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON tables_{name} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION bluecard_refuse_change(); "
            f"ALTER TABLE tables_{name} ENABLE ALWAYS TRIGGER refuse_change; "
            f"ALTER TABLE tables_{name} ENABLE ALWAYS TRIGGER refuse_truncate;"
        )
    for name, loose in FIXED_BUT.items():
        arguments = ", ".join(f"'{column}'" for column in loose)
        out.append(
            f"CREATE TRIGGER refuse_fixed_columns BEFORE UPDATE ON tables_{name} FOR EACH ROW "
            f"EXECUTE FUNCTION bluecard_refuse_fixed_columns({arguments}); "
            f"CREATE TRIGGER refuse_change BEFORE DELETE ON tables_{name} "
            f"FOR EACH ROW EXECUTE FUNCTION bluecard_refuse_change(); "
            f"CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON tables_{name} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION bluecard_refuse_change(); "
            f"ALTER TABLE tables_{name} ENABLE ALWAYS TRIGGER refuse_fixed_columns; "
            f"ALTER TABLE tables_{name} ENABLE ALWAYS TRIGGER refuse_change; "
            f"ALTER TABLE tables_{name} ENABLE ALWAYS TRIGGER refuse_truncate;"
        )
    for subject, pairs in TRANSITIONS.items():
        rows = ", ".join(f"('{subject}', '{before}', '{after}')" for before, after in pairs)
        out.append(
            f"INSERT INTO bluecard_transition (subject, from_status, to_status) VALUES {rows}; "
            f"CREATE TRIGGER check_transition BEFORE UPDATE OF status ON tables_{subject} FOR EACH ROW "
            f"EXECUTE FUNCTION bluecard_check_transition('{subject}'); "
            f"ALTER TABLE tables_{subject} ENABLE ALWAYS TRIGGER check_transition;"
        )
    return out


class Migration(migrations.Migration):
    dependencies = [("tables", "0001_initial")]
    operations = [migrations.RunSQL(_statements(), migrations.RunSQL.noop)]
