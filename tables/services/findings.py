"""Findings of the feed's reader, and the holds they place on rounds."""

from typing import Any

from tables.models import Finding, Hold, Round
from tables.services.play import Play


def find(
    play: Play, code: str, *, may_change_money: bool, round_: Round | None = None, **data: Any
) -> Finding:
    """Note a finding about the round in play (or the one named); hold the round if money may change."""
    subject = round_ or play.round
    finding = Finding(
        table=play.table,
        shoe=play.shoe,
        round=subject,
        code=code,
        may_change_money=may_change_money,
        data=data,
        at=play.at,
        found_at=play.received_at,
    )
    play.new_findings.append(finding)
    if may_change_money and subject is not None:
        play.new_holds.append(Hold(round=subject, finding=finding, reason=code, placed_at=play.received_at))
    return finding


def lift_holds(play: Play, round_: Round, codes: frozenset[str], *, because: str, **data: Any) -> int:
    """Lift the open holds of a round that stand for findings now put right; return how many.

    `data` narrows them to findings with these details.
    """
    lifted = 0
    for hold in [hold for hold in play.new_holds if hold.round == round_ and hold.reason in codes]:
        if hold.finding is not None and all(
            hold.finding.data.get(key) == value for key, value in data.items()
        ):
            hold.lifted_at, hold.lifted_by = play.received_at, because
            lifted += 1
    found = Hold.objects.filter(round=round_, lifted_at__isnull=True, reason__in=codes)
    for key, value in data.items():
        found = found.filter(**{f"finding__data__{key}": value})
    return lifted + found.update(lifted_at=play.received_at, lifted_by=because)
