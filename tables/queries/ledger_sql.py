"""What the check of the ledger reads."""

# Rounds in order of id, each with its live deal and its newest revision.
HEADS = """
SELECT r.id, r.public_id, r.status, r.rulebook_id, r.outcome, r.player_total, r.banker_total,
    shoe.decks, house.currency, deal.id,
    s.id, s.revision, s.deal_id, s.rulebook_id, s.authority, s.outcome, s.verdicts::text, s.overlay::text,
    coalesce(s.bets_count, 0), s.players_count, s.stakes_minor, s.returned_minor, s.kept_minor,
    s.moved_minor, s.lines_digest, s.lines_format
FROM tables_round r
JOIN tables_shoe shoe ON shoe.id = r.shoe_id
JOIN tables_gametable house ON house.id = r.table_id
LEFT JOIN tables_deal deal ON deal.round_id = r.id AND deal.status = 'live'
LEFT JOIN LATERAL (
    SELECT * FROM tables_settlement WHERE round_id = r.id ORDER BY revision DESC LIMIT 1
) s ON true
WHERE r.id > %(last)s
    AND (%(table)s::text IS NULL OR house.code = %(table)s)
    AND (%(first_day)s::date IS NULL OR shoe.gaming_date >= %(first_day)s)
    AND (%(last_day)s::date IS NULL OR shoe.gaming_date <= %(last_day)s)
ORDER BY r.id LIMIT %(limit)s
"""

CARDS = """
SELECT deal_id, place, rank, suit FROM tables_card c WHERE deal_id = ANY(%s)
    AND NOT EXISTS (SELECT 1 FROM tables_card later WHERE later.supersedes_id = c.id)
"""

# Every accepted bet beside its line of the newest revision, and every line of a bet that was not accepted.
BETS = """
SELECT b.round_id, b.id, b.platform_bet_id, b.player_id, b.status = 'accepted',
    l.result, l.returned_minor, l.moved_minor,
    (SELECT sum(moved_minor)::bigint FROM tables_settlementline each_one WHERE each_one.bet_id = b.id),
    b.kind, b.phase, b.deal_id, b.stake_minor, b.odds_offered, b.odds_shown
FROM unnest(%s::bigint[], %s::bigint[]) AS head (round_id, settlement_id)
JOIN tables_bet b ON b.round_id = head.round_id
LEFT JOIN tables_settlementline l ON l.settlement_id = head.settlement_id AND l.bet_id = b.id
WHERE b.status = 'accepted' OR l.bet_id IS NOT NULL
ORDER BY b.round_id, b.id
"""

FOREIGN_LINES = """
SELECT head.round_id, b.platform_bet_id, r.public_id
FROM unnest(%s::bigint[], %s::bigint[]) AS head (round_id, settlement_id)
JOIN tables_settlementline l ON l.settlement_id = head.settlement_id
JOIN tables_bet b ON b.id = l.bet_id AND b.round_id <> head.round_id
JOIN tables_round r ON r.id = b.round_id
"""

# Revisions whose own total is not what their lines moved.
MOVES = """
SELECT s.round_id, s.revision, s.moved_minor, coalesce(sum(l.moved_minor), 0)
FROM tables_settlement s LEFT JOIN tables_settlementline l ON l.settlement_id = s.id
WHERE s.round_id = ANY(%s)
GROUP BY s.id HAVING s.moved_minor <> coalesce(sum(l.moved_minor), 0)
ORDER BY s.round_id, s.revision
"""

# What the wallet is told, against what the lines moved: by player and revision.
WALLET = """
WITH revision AS (
    SELECT s.id, s.round_id, s.revision, house.currency FROM tables_settlement s
    JOIN tables_round r ON r.id = s.round_id JOIN tables_gametable house ON house.id = r.table_id
    WHERE s.round_id = ANY(%s)
), moved AS (
    SELECT l.settlement_id, b.player_id, sum(l.moved_minor) AS minor
    FROM revision JOIN tables_settlementline l ON l.settlement_id = revision.id
    JOIN tables_bet b ON b.id = l.bet_id GROUP BY 1, 2
), told AS (
    SELECT t.settlement_id, t.player_id, sum(t.amount_minor) AS minor, min(t.currency) AS currency,
        bool_and(d.transaction_id IS NOT NULL) AS is_on_its_way
    FROM revision JOIN tables_wallettransaction t ON t.settlement_id = revision.id
    LEFT JOIN tables_walletdelivery d ON d.transaction_id = t.id GROUP BY 1, 2
), both_sides AS (
    SELECT settlement_id, player_id, coalesce(moved.minor, 0) AS moved, coalesce(told.minor, 0) AS told,
        told.currency, told.is_on_its_way
    FROM moved FULL JOIN told USING (settlement_id, player_id)
)
SELECT round_id, revision, player_id, finding.what, finding.is_there, finding.should_be
FROM both_sides JOIN revision ON revision.id = settlement_id
CROSS JOIN LATERAL (VALUES
    ('wallet transaction', told::text, moved::text, told <> moved),
    ('currency of the wallet transaction', both_sides.currency, revision.currency,
        both_sides.currency <> revision.currency),
    ('wallet message', 'missing', 'there', NOT is_on_its_way)
) AS finding (what, is_there, should_be, is_wrong)
WHERE finding.is_wrong
ORDER BY round_id, revision, player_id
"""
