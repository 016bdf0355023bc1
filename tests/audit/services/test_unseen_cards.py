"""A card of a coup whose face nobody saw: the round can be void, and a correction has to say the face."""

import pytest
from django.contrib.auth.models import User

from audit.models import RulingKind
from audit.services.asking import BadRuling
from tables.models import Card, Deal, Round, Settlement, Shoe
from tables.services.settlement import Waits, settle_round
from tests.audit.deciding import MANAGES, SUPERVISES, ask, make_user, rule
from tests.tables.playing import Platform, cards_of, lines_of, make_table

pytestmark = pytest.mark.django_db

RIGHT = {"P1": "9H", "B1": "2D", "P2": "KC", "B2": "QS"}


@pytest.fixture
def round_(db: None) -> Round:
    """Provide a round whose fourth card lies face down: its result was claimed, and it waits."""
    platform = Platform(make_table(rulebook="commission"))
    platform.start()
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100), ("b2", "P-2", "banker", 100))
    platform.say("betting_closed", round=name)
    for place, card in (("P1", "9H"), ("B1", "2D"), ("P2", "KC")):
        platform.say("card", round=name, place=place, card=card)
    round_ = platform.round(name)
    shoe = Shoe.objects.get(pk=round_.shoe_id)
    shoe.cards_out += 1
    shoe.save()
    facts = {"shoe": shoe, "round": round_, "deal": Deal.objects.get(round=round_), "at": platform.at}
    Card.objects.create(position=shoe.cards_out, place="B2", rank=None, suit=None, source="scan", **facts)
    Round.objects.filter(pk=round_.pk).update(status="resulted", resulted_at=platform.at)
    return platform.round(name)


@pytest.fixture
def asker(round_: Round) -> User:
    return make_user("asker", *SUPERVISES)


@pytest.fixture
def decider(round_: Round) -> User:
    return make_user("decider", *MANAGES)


def test_it_waits_and_can_be_void(round_: Round, asker: User, decider: User) -> None:
    assert settle_round(round_id=round_.pk, now=round_.resulted_at) == Waits(("illegal_coup",))
    rule(asker, decider, RulingKind.VOID_ROUND, [round_])
    assert lines_of(round_) == {"b1": ("void", 100), "b2": ("void", 100)}


@pytest.mark.parametrize("said", ["?", "", "1H", None])
def test_a_correction_that_does_not_say_the_face_is_refused(round_: Round, asker: User, said: object) -> None:
    with pytest.raises(BadRuling, match="at B2 is no card; say the face that lies there") as refused:
        ask(asker, RulingKind.CORRECT, [round_], facts={"cards": RIGHT | {"B2": said}})
    assert (refused.value.field, refused.value.rule) == ("cards", "card/form")


def test_a_correction_that_says_it_lets_the_round_settle(round_: Round, asker: User, decider: User) -> None:
    correct = rule(asker, decider, RulingKind.CORRECT, [round_], facts={"cards": RIGHT})
    assert correct.facts["before"] == RIGHT | {"B2": "?"}
    assert cards_of(round_.deals.get()) == RIGHT
    assert isinstance(settle_round(round_id=round_.pk, now=round_.resulted_at), Settlement)
    assert lines_of(round_) == {"b1": ("won", 200), "b2": ("lost", 0)}
    # What was not seen before cannot be gone back to.
    with pytest.raises(BadRuling, match="a card had not been seen; correct the cards instead") as refused:
        ask(asker, RulingKind.REINSTATE, [round_], reinstates=correct)
    assert (refused.value.field, refused.value.rule) == ("reinstates", "ruling/card-unseen")


def test_an_unseen_card_that_should_not_lie_there_becomes_an_extra_one(
    round_: Round, asker: User, decider: User
) -> None:
    """The Banker's card fell face down beside it, and a card nobody had recorded lies in its place."""
    deal = round_.deals.get()
    Card.objects.create(
        shoe=round_.shoe, position=round_.shoe.cards_out + 1, place="P3", rank=None, suit=None,
        source="scan", round=round_, deal=deal, at=round_.resulted_at,
    )  # fmt: skip
    rule(asker, decider, RulingKind.CORRECT, [round_], facts={"cards": RIGHT})
    assert cards_of(deal) == RIGHT
    extra = Card.objects.get(place="extra", superseded_by__isnull=True)
    assert (extra.round_id, extra.rank, extra.suit) == (round_.pk, None, None)
