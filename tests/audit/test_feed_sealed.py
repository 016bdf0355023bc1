"""Events of which less is kept than came are no tampering, whatever they are about."""

from pathlib import Path

import pytest

from audit.services.verifying import Run
from tables.models import FeedEvent
from tests.audit.sealed import LOG, WITNESS, seal, witness_house
from tests.tables.playing import Platform, make_table

pytestmark = pytest.mark.django_db(transaction=True)


def test_bets_taken_back_and_a_garbled_list_of_bets_raise_no_alarm(tmp_path: Path) -> None:
    platform = Platform(make_table())
    platform.start()
    name = platform.open_round()
    platform.bet(name, ("b1", "P-10001", "player", 1_000), ("b2", "P-10002", "tie", 500))
    assert platform.say("bets_cancelled", bets=["b2"]).status == "accepted"
    assert platform.say("heartbeat", bets=["b3", "b4"]).status == "refused"
    limits = {"default": {"min": 100, "max": 5_000_000}, "bets": {"tie": {"min": 100, "max": 50_000}}}
    assert platform.say("limits_changed", **limits).status == "accepted"
    assert b'"bets":1' in bytes(FeedEvent.objects.get(type="bets_cancelled").body)
    with witness_house(tmp_path / "witness") as house:
        seal()
        house.show()
        assert list(Run(LOG.verifier, WITNESS.verifier, house.url).find()) == []
