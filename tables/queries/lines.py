"""The text of a settlement's lines, one a bet, whose SHA-256 its entry in the journal seals.

In SQL and in Python, held equal by the check of the ledger. What an old entry sealed stays as it was: which
format its lines were written in stands in the entry and beside the digest.
"""

from __future__ import annotations

from typing import Final

from tables.queries.ledger_expected import Staked

#: 2 seals whose bet it is and on what, at which odds, under the platform's own number; 1 the money alone.
LINES_FORMAT: Final = 2

_TEXTS: Final = {
    1: "{bet}.id || ' ' || {bet}.stake_minor || ' ' || {line}.result || ' ' || {line}.returned_minor",
    2: "concat_ws(' ', {bet}.id, {bet}.player_id, {bet}.kind, coalesce(nullif({bet}.phase, ''), '-'),"
    " coalesce({bet}.deal_id, 0), coalesce(nullif({bet}.odds_offered, ''), '-'),"
    " coalesce(nullif({bet}.odds_shown, ''), '-'), {bet}.stake_minor, {line}.result, {line}.returned_minor,"
    " {bet}.platform_bet_id)",
}


def lines_sql(*, bet: str, line: str, written_in: str = "") -> str:
    """Return the SQL aggregate of a settlement's lines, by the names that its bets and lines go by.

    `written_in` is what gives the format; without it the newest is meant.
    """
    texts = {number: text.format(bet=bet, line=line) for number, text in _TEXTS.items()}
    text = texts[LINES_FORMAT]
    if written_in:
        cases = " ".join(f"WHEN {number} THEN {text}" for number, text in texts.items())
        text = f"CASE {written_in} {cases} END"
    return f"coalesce(string_agg({text}, E'\\n' ORDER BY {bet}.id), '')"


def line_text(
    written_in: int,
    *,
    bet_id: int,
    platform_bet_id: str,
    player_id: int,
    staked: Staked,
    result: str,
    returned_minor: int,
) -> str:
    """Return the text of one line."""
    if written_in == 1:
        return f"{bet_id} {staked.stake_minor} {result} {returned_minor}"
    on = f"{staked.kind} {staked.phase or '-'} {staked.deal_id or 0}"
    at = f"{staked.odds_offered or '-'} {staked.odds_shown or '-'}"
    money = f"{staked.stake_minor} {result} {returned_minor}"
    return f"{bet_id} {player_id} {on} {at} {money} {platform_bet_id}"
