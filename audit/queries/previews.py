"""What a ruling would do, round by round, and the hash that its approver signs."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from audit.models import Ruling, RulingKind
from audit.queries.rulings_in_force import VOIDS_ROUND, plan_under
from tables.models import Round, RoundStatus
from tables.queries.revisions import NO_TOTALS, Plan, Totals, newest_revision, totals_of, void_totals

NOTHING_MOVES = frozenset(
    {
        RulingKind.STAND,
        RulingKind.REPLACE_SHOE,
        RulingKind.RESHUFFLE,
        RulingKind.CANCEL_SHOE,
        RulingKind.CLOSE_TABLE,
    }
)


@dataclass(frozen=True, slots=True)
class RoundPreview:
    """One round under a ruling. `plan` is None where no money moves now."""

    round: Round
    base_revision: int
    plan: Plan | None
    totals: Totals


@dataclass(frozen=True, slots=True)
class Preview:
    """A ruling's rounds and what they sum up to, in minor units."""

    rounds: tuple[RoundPreview, ...]
    hash: str

    @property
    def bets(self) -> int:
        return sum(one.totals.bets for one in self.rounds)

    @property
    def players(self) -> int:
        """Return the players of the rounds, one who played several counted in each."""
        return sum(one.totals.players for one in self.rounds)

    @property
    def given_minor(self) -> int:
        return sum(one.totals.given_minor for one in self.rounds)

    @property
    def taken_minor(self) -> int:
        return sum(one.totals.taken_minor for one in self.rounds)


def moves_now(kind: RulingKind, round_: Round) -> bool:
    """Say whether a ruling of this kind writes a revision of the round when it is applied.

    A void always does. What corrects or lets stand a round that was never settled moves nothing by itself:
    the round is then settled by the engine.
    """
    if kind in NOTHING_MOVES:
        return False
    if kind in VOIDS_ROUND:
        return True
    return round_.status in (RoundStatus.SETTLED, RoundStatus.VOIDED)


def preview_round(
    round_: Round, kind: RulingKind, facts: dict[str, object], *, reinstates: Ruling | None
) -> RoundPreview:
    """Work out one round under a ruling.

    :raises IllegalCoup: if corrected cards break the drawing rules.
    """
    newest = newest_revision(round_)
    base = newest.revision if newest else 0
    plan = plan_under(round_, kind, facts, reinstates=reinstates)
    # A re-deal taken back before the second deal was settled: the first one is there, and pays at once.
    pays_again = reinstates is not None and reinstates.kind == RulingKind.RE_DEAL and plan.coup is not None
    if not moves_now(kind, round_) and not pays_again:
        return RoundPreview(round_, base, None, NO_TOTALS)
    return RoundPreview(round_, base, plan, totals_of(round_, plan))


def _parts(
    rounds: Sequence[Round], kind: RulingKind, facts: dict[str, object], reinstates: Ruling | None
) -> tuple[RoundPreview, ...]:
    if kind in VOIDS_ROUND and len(rounds) > 1:
        # Many rounds, one statement: a void asks for no cards, and lets no other ruling shine through.
        void = Plan(None, None, void_all=True)
        totals = void_totals(rounds)
        return tuple(
            RoundPreview(round_, totals[round_.pk][0], void, totals[round_.pk][1]) for round_ in rounds
        )
    return tuple(preview_round(round_, kind, facts, reinstates=reinstates) for round_ in rounds)


def preview(
    rounds: Sequence[Round], kind: RulingKind, facts: dict[str, object], *, reinstates: Ruling | None = None
) -> Preview:
    """Work out a ruling, and hash it: each round with its revision, each bet before and after, the totals.

    :raises IllegalCoup: if corrected cards break the drawing rules.
    """
    parts = _parts(rounds, kind, facts, reinstates)
    digest = hashlib.sha256()
    digest.update(f"{kind.value}\n".encode())
    for part in sorted(parts, key=lambda part: part.round.pk):  # whatever order they were named in
        totals = part.totals
        digest.update(
            f"{part.round.public_id} {part.base_revision} {totals.bets} {totals.given_minor} "
            f"{totals.taken_minor} {totals.digest}\n".encode()
        )
    return Preview(parts, digest.hexdigest())
