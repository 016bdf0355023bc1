"""The demo's incidents and rulings: each told by the same services that the pages call."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from itertools import combinations
from typing import Any, Final, NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from audit.models import ChangeKind, Incident, Ruling, RulingStatus, SetupChange
from audit.queries.approvals import checks_of
from audit.queries.rulings_in_force import corrected_coup, texts_of
from audit.services.applying import apply_next_round, claim_ruling, finish_ruling, stop_ruling
from audit.services.reporting import ask_once, report_and_ask
from audit.services.rulings import CannotDecide, approve_ruling, expire_rulings, refuse_ruling, sign_in_again
from audit.services.setup_changes import request_change
from casino.counterparts.platform import series_of
from casino.counterparts.platform.chance import Chance
from casino.counterparts.platform.room import USUAL, Crowd
from casino.demo.play import TablesDay
from casino.demo.stories import DONE_BEFORE_THE_STOP, ROUNDS_OF_A_RANGE, STORIES, About, End, Story
from casino.roles import DEMO_PASSWORD
from tables.models import Bet, BetStatus, Deal, DealStatus, GameTable, Round, Shoe
from tables.rules.drawing import DEAL_ORDER, IllegalCoup
from tables.services.actors import Actor

Watch = Callable[[], object]

#: Asked for while the day is played: before the worker settles the round.
WHILE_PLAYED: Final = frozenset({About.EARLY, About.LAST})
CHANGED_TABLE: Final = "B04"
AT_ONCE: Final = timedelta(seconds=5)
UNDER_WAY: Final = [status.value for status in (RulingStatus.APPROVED, RulingStatus.APPLYING)]


class Found(NamedTuple):
    """What a story is about on this day's tables."""

    shoe: Shoe
    rounds: list[Round]
    facts: dict[str, Any]  # of what is asked for


def watches_of(days: Collection[TablesDay], shoes: int) -> dict[str, Watch]:
    """Return what is asked for as soon as a round was dealt, by the platform's name of the round."""
    watches: dict[str, Watch] = {}
    for day in days:
        shoe = f"{day.table.code}-{day.script.series}-{shoes}"
        dealt = {
            event["round"]: event["at"]
            for event in day.script.events
            if event["type"] == "round_result" and event["round"].startswith(f"{shoe}-")
        }
        for story in STORIES:
            if story.table == day.table.code and story.about in WHILE_PLAYED and dealt:
                name = min(dealt) if story.about is About.EARLY else max(dealt)
                at = day.beginning + timedelta(milliseconds=dealt[name]) + AT_ONCE
                watches[name] = partial(_ask_at_once, story, name, at)
    return watches


def _ask_at_once(story: Story, name: str, at: datetime) -> None:
    round_ = Round.objects.select_related("table__rulebook", "shoe").get(
        table__code=story.table, platform_id=name
    )
    _ask(story, Found(round_.shoe, [round_], {}), at, holds=story.about is About.EARLY)


def tell_stories(codes: Collection[str], *, seed: int, day: int, shoes: int, crowd: Crowd = USUAL) -> int:
    """Let everything happen that did not happen yet on this day; return how many stories were told."""
    told = 0
    for code in codes:
        name = f"{code}-{series_of(seed, day, shoes, crowd)}-{shoes}"
        shoe = (
            Shoe.objects.filter(table__code=code, platform_id=name).select_related("table__rulebook").first()
        )
        if shoe is not None:
            stories = [story for story in STORIES if story.table == code]
            told += sum(_tell(story, shoe, Chance(seed, day, code, "incidents")) for story in stories)
    return told


def ask_for_a_change(*, at: datetime) -> bool:
    """Let the administrator ask for other thresholds, for somebody else to approve; False if asked before."""
    table = GameTable.objects.filter(code=CHANGED_TABLE).first()
    if table is None or SetupChange.objects.filter(kind=ChangeKind.THRESHOLDS.value).exists():
        return False
    user, actor = _person("administrator")
    request_change(
        kind=ChangeKind.THRESHOLDS,
        payload={
            "table": table.pk,
            "second_person_minor": 8_000_000,
            "sign_in_again_minor": table.sign_in_again_minor,
        },
        reason="Stakes at this table have doubled since the summer.",
        user=user,
        actor=actor,
        at=at,
    )
    return True


def _tell(story: Story, shoe: Shoe, chance: Chance) -> bool:
    """Tell one story; False if it was told before or has nothing to be about."""
    before = Incident.objects.filter(shoe=shoe, note=story.note).first()
    if story.about in WHILE_PLAYED:
        ruling = before.rulings.filter(status=RulingStatus.REQUESTED.value).first() if before else None
        return _end(story, ruling) if ruling else False
    if before is not None:
        return False
    found = next(_candidates(story, shoe, chance), None)
    if found is None:
        return False
    with transaction.atomic():
        ruling = _ask(story, found, timezone.now())
        if ruling is not None:
            _end(story, ruling)
    return True


def _candidates(story: Story, shoe: Shoe, chance: Chance) -> Iterator[Found]:
    """Find what a story can be about, in the seed's order."""
    rounds = list(Round.objects.filter(shoe=shoe).select_related("table", "shoe").order_by("number"))
    if story.about is About.SHOE:
        yield Found(shoe, _kept_for(story, rounds), {})
        return
    taken = {None, *Incident.objects.filter(shoe=shoe).values_list("round", flat=True)}
    for other in STORIES:
        if other.table == story.table:
            taken |= {round_.pk for round_ in _kept_for(other, rounds)}
    free = [round_ for round_ in rounds if round_.pk not in taken]
    chance.shuffle(free)
    for round_ in free:
        if story.about is About.SWAPPED:
            cards = swapped(texts_of(Deal.objects.filter(round=round_, status=DealStatus.LIVE).first()))
            if cards:
                yield Found(shoe, [round_], {"cards": cards})
        elif story.about is About.ROUND or _is_insured(round_):
            yield Found(shoe, [round_], {})


def _kept_for(story: Story, rounds: list[Round]) -> list[Round]:
    """Return the rounds that are left to a story that is about certain ones."""
    match story.about:
        case About.SHOE:
            return rounds[1 : 1 + ROUNDS_OF_A_RANGE]
        case About.EARLY:
            return rounds[:1]
        case About.LAST:
            return rounds[-1:]
    return []


def _is_insured(round_: Round) -> bool:
    bets = Bet.objects.filter(round=round_, status=BetStatus.ACCEPTED.value)
    return bets.exclude(phase="").exists()


def swapped(cards: Mapping[str, str], decks: int = 8) -> dict[str, str]:
    """Let two cards of a coup have been taken for each other, the third cards if it may be.

    Empty where no such coup would be lawful.
    """
    places = [place.value for place in reversed(DEAL_ORDER) if place.value in cards]
    for one, other in combinations(places, 2):
        if cards[one][:-1] == cards[other][:-1]:
            continue
        found = {**cards, one: cards[other], other: cards[one]}
        try:
            corrected_coup(found, decks)
        except (IllegalCoup, ValueError):
            continue
        return found
    return {}


def _ask(story: Story, found: Found, at: datetime, *, holds: bool = True) -> Ruling | None:
    """Report the incident and ask for what its story asks for."""
    user, actor = _person(story.reporter)
    table = found.shoe.table
    about_round = found.rounds[0] if holds and story.about is not About.SHOE else None
    reported = report_and_ask(
        table=table,
        code=story.code,
        facts={**story.facts, **_card_named(found)},
        note=story.note,
        user=user,
        actor=actor,
        at=at,
        round_=about_round,
        shoe=found.shoe,
        wants_ruling=story.kind is None and story.end is not End.REPORTED,
    )
    if story.kind is None:
        return reported.ruling
    ruling, _ = ask_once(
        kind=story.kind,
        rounds=found.rounds,
        table=table,
        facts=found.facts,
        reason=story.why,
        user=user,
        actor=actor,
        at=at,
        incident=reported.incident,
        shoe=found.shoe,
    )
    return ruling


def _card_named(found: Found) -> dict[str, Any]:
    """Name the card that lay wrongly, where the catalogue asks for it."""
    cards = found.facts.get("cards")
    if not cards:
        return {}
    lying = texts_of(Deal.objects.filter(round=found.rounds[0], status=DealStatus.LIVE).first())
    first = next(place.value for place in DEAL_ORDER if cards.get(place.value) != lying.get(place.value))
    return {"card_number": [place.value for place in DEAL_ORDER if place.value in lying].index(first) + 1}


def _end(story: Story, ruling: Ruling) -> bool:
    """Bring a request to the end its story has."""
    user, actor = _person(story.decider if story.reporter != "manager" else story.reporter)
    at = timezone.now()
    match story.end:
        case End.WAITING | End.REPORTED | End.CLOSED:
            return True
        case End.REFUSED:
            refuse_ruling(ruling_id=ruling.pk, reason=story.answer, actor=actor, user=user, at=at)
        case End.EXPIRED:
            expire_rulings(now=max(at, ruling.expires_at + AT_ONCE))
        case End.STALE:
            try:
                _approve(story, ruling, user, actor, at)
            except CannotDecide:
                return True  # as it should be: the round was settled since
        case End.APPLIED:
            _approve(story, ruling, user, actor, at)
        case End.STOPPED:
            _approve(story, ruling, user, actor, at)
            claim_ruling(ruling_id=ruling.pk, now=at)
            for _ in range(DONE_BEFORE_THE_STOP):
                apply_next_round(ruling_id=ruling.pk, now=at)
            stop_ruling(ruling_id=ruling.pk, actor=actor, at=at)
            finish_ruling(ruling_id=ruling.pk, now=at)
    return True


def _approve(story: Story, ruling: Ruling, user: User, actor: Actor, at: datetime) -> None:
    if checks_of(ruling, user, at).needs_sign_in:
        sign_in_again(ruling=ruling, user=user, password=DEMO_PASSWORD, at=at)
    approve_ruling(
        ruling_id=ruling.pk,
        preview_hash=ruling.preview_hash,
        reason=story.answer,
        user=user,
        actor=actor,
        at=at,
    )


def _person(login: str) -> tuple[User, Actor]:
    user = User.objects.get(username=login)
    return user, Actor.of_user(user)


def rulings_under_way(codes: Collection[str]) -> Any:
    """Find the rulings of these tables that the worker is still to carry out."""
    return Ruling.objects.filter(table__code__in=codes, status__in=UNDER_WAY, wants_stop=False)
