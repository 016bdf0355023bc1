"""The statements of a reconciliation: two temporary tables, and what differs between them.

Our side is written down before the wallet's record is read: whatever we called delivered by then was booked
by then, and has to be in the record. What is only in the record is looked up afterwards, for a transaction is
always written before it is sent. So no message on its way is ever taken for drift, without asking any clock.
"""

MAKE_OURS = """
CREATE TEMPORARY TABLE reconcile_ours ON COMMIT PRESERVE ROWS AS
SELECT t.id, t.key FROM tables_wallettransaction t
JOIN tables_walletdelivery d ON d.transaction_id = t.id WHERE d.status = 'delivered'
"""
MAKE_THEIRS = """
CREATE TEMPORARY TABLE reconcile_theirs (
    number bigint NOT NULL, key varchar(200) COLLATE "C" NOT NULL, player varchar(200) COLLATE "C" NOT NULL,
    amount_minor numeric NOT NULL, currency varchar(3) NOT NULL
)
"""
COPY_THEIRS = "COPY reconcile_theirs (number, key, player, amount_minor, currency) FROM STDIN"
FORGET = ("DROP TABLE IF EXISTS reconcile_ours", "DROP TABLE IF EXISTS reconcile_theirs")
KNOW = ("ANALYZE reconcile_ours", "ANALYZE reconcile_theirs")

# `expected` is what the wallet has to have of a transaction: what was moved less what stays owed.
WRITE_DRIFT = """
WITH theirs AS (
    SELECT key, min(number) AS number, count(*) AS times, sum(amount_minor) AS total,
        (array_agg(player ORDER BY number))[1] AS player,
        (array_agg(amount_minor ORDER BY number))[1] AS amount_minor,
        (array_agg(currency ORDER BY number))[1] AS currency
    FROM reconcile_theirs GROUP BY key
), met AS (
    SELECT theirs.*, t.id, d.status, t.currency AS our_currency, t.amount_minor + coalesce(r.amount_minor, 0)
        AS expected, i.reference
    FROM theirs LEFT JOIN tables_wallettransaction t ON t.key = theirs.key
    LEFT JOIN tables_walletdelivery d ON d.transaction_id = t.id
    LEFT JOIN tables_receivable r ON r.transaction_id = t.id
    LEFT JOIN tables_playeridentity i ON i.player_id = t.player_id
), missing AS (
    SELECT t.id, t.key, t.currency, t.amount_minor + coalesce(r.amount_minor, 0) AS expected
    FROM reconcile_ours ours LEFT JOIN theirs ON theirs.key = ours.key
    JOIN tables_wallettransaction t ON t.id = ours.id
    LEFT JOIN tables_receivable r ON r.transaction_id = t.id
    WHERE theirs.key IS NULL
), drift AS (
    SELECT 'missing_there' AS kind, key, id, expected, NULL AS amount, currency, NULL::bigint AS number
    FROM missing
    UNION ALL
    SELECT 'unknown_here', key, NULL, NULL, amount_minor, currency, number FROM met WHERE id IS NULL
    UNION ALL
    SELECT 'given_up_here', key, id, NULL, amount_minor, currency, number FROM met
    WHERE status IN ('dead', 'closed')
    UNION ALL
    SELECT 'amount', key, id, expected, amount_minor, currency, number FROM met
    WHERE status = 'delivered' AND (amount_minor <> expected OR currency <> our_currency)
    UNION ALL
    SELECT 'player', key, id, expected, amount_minor, currency, number FROM met
    WHERE reference IS NOT NULL AND reference <> player
    UNION ALL
    SELECT 'twice', key, id, expected, total, currency, number FROM met WHERE times > 1
)
INSERT INTO tables_walletdrift
    (reconciliation_id, kind, key, transaction_id, ours_minor, theirs_minor, currency, number)
SELECT %s, kind, key, id, expected, amount, currency, number FROM drift ORDER BY kind, key
"""
