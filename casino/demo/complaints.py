"""The demo's complaints: one in every state, late, incomplete and wrong ones, with clocks that run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.contrib.auth.models import User
from django.db.models import QuerySet

from audit.models import Complaint, ComplaintChannel
from audit.rules.answers import TEMPLATES
from audit.rules.complaints import Said
from audit.services import complaint_verbs as verbs
from audit.services.complaints import file_complaint
from audit.services.consents import ask_to_admit, give_consent
from tables.models import Bet, BetStatus, Round, RoundStatus
from tables.services.actors import Actor

#: The table that also played a shoe the day before, so that something can be late.
EVE_CODE: Final = "B04"
EVE: Final = timedelta(hours=26)
APART: Final = 7  # rounds between two that are complained about
MINUTE: Final = timedelta(minutes=1)


class Case(NamedTuple):
    """A complaint of the demo: what is said, what is wrong with it, and how far it goes."""

    words: str
    language: str
    channel: str
    goes: Callable[[_Desk, Complaint], None]
    is_late: bool = False
    changes: tuple[tuple[str, str], ...] = ()


class _Desk:
    """The people who handle complaints, each step a few minutes after the one before."""

    def __init__(self, now: datetime) -> None:
        self.people = {
            user.username: user for user in User.objects.filter(username__in=("support", "manager"))
        }
        self.at = now

    def who(self, login: str = "support") -> dict[str, Any]:
        """Return whoever acts, a little later than the last one did."""
        self.at += timedelta(seconds=20)
        user = self.people[login]
        return {"actor": Actor.of_user(user), "user": user, "at": self.at}

    def on(self, complaint: Complaint, login: str = "support", **more: Any) -> dict[str, Any]:
        """Return the arguments of a verb on a complaint by somebody who has just looked at it."""
        complaint.refresh_from_db()
        seen = {"complaint_id": complaint.pk, "seen_version": complaint.version}
        return {**seen, **self.who(login), **more}

    def file(self, case: Case, round_: Round, at: datetime) -> Complaint:
        """Take a complaint about a round down."""
        self.at = at
        said = _said(round_, case.words)
        said = Said(
            **{**{name: getattr(said, name) for name in Said.__dataclass_fields__}, **dict(case.changes)}
        )
        channel = ComplaintChannel(case.channel)
        filed = file_complaint(said=said, channel=channel, language=case.language, **self.who())
        return filed.complaint

    def answer(self, complaint: Complaint, template: str, *, closes: bool = False) -> None:
        """Send a template's text as it stands."""
        complaint.refresh_from_db()
        facts = {"number": complaint.number, "round": complaint.round.public_id if complaint.round else "–"}
        language: Any = complaint.language
        text = TEMPLATES[template].fill(language, facts)
        verbs.answer_complaint(
            **self.on(complaint, text=text, language=language, template=template, closes=closes)
        )


def _said(round_: Round, words: str) -> Said:
    bet = Bet.objects.filter(round=round_, status=BetStatus.ACCEPTED.value).select_related("player__identity")
    first = bet.order_by("pk").first()
    return Said(
        played_at=round_.betting_opened_at.replace(second=0, microsecond=0),
        zone=round_.table.zone,
        table=round_.table.code,
        dealer=round_.dealer.name if round_.dealer else "",
        round=round_.public_id,
        player=first.player.identity.reference if first else "",
        bet=first.platform_bet_id if first else "",
        disputed=words,
        contact="chat 4411",
    )


def _accept(desk: _Desk, complaint: Complaint) -> None:
    verbs.accept_complaint(**desk.on(complaint))


def _review(desk: _Desk, complaint: Complaint) -> None:
    _accept(desk, complaint)
    verbs.review_complaint(**desk.on(complaint))
    verbs.note_complaint(**desk.on(complaint, text="Asked the floor for the second camera."))


def _uphold(desk: _Desk, complaint: Complaint) -> None:
    _review(desk, complaint)
    reason = "The recording shows the third card fell into the wrong place."
    verbs.decide_complaint(**desk.on(complaint, "manager", is_upheld=True, reason=reason))


def _reject(desk: _Desk, complaint: Complaint) -> None:
    _review(desk, complaint)
    reason = "Dealt by the drawing table; the video agrees with the record."
    verbs.decide_complaint(**desk.on(complaint, "manager", is_upheld=False, reason=reason))


def _close(desk: _Desk, complaint: Complaint) -> None:
    _reject(desk, complaint)
    desk.answer(complaint, "rejected", closes=True)


def _wait(desk: _Desk, complaint: Complaint) -> None:
    verbs.wait_for_information(**desk.on(complaint, reason="Which of the two bets does the player mean?"))
    desk.answer(complaint, "information")


def _refuse_and_answer(desk: _Desk, complaint: Complaint) -> None:
    desk.answer(complaint, complaint.refusal)


def _twice(desk: _Desk, complaint: Complaint) -> None:
    """The player writes again by mail; the second one is merged into the first."""
    _accept(desk, complaint)
    assert complaint.round is not None
    again = Case("I wrote in the chat already. Where is my answer?", "en", "mail", _nothing)
    second = desk.file(again, complaint.round, desk.at + MINUTE)
    verbs.merge_complaint(**desk.on(second, into_number=complaint.number))


def _ask_admission(desk: _Desk, complaint: Complaint) -> None:
    reason = "The player wrote in time, but our chat was down."
    ask_to_admit(complaint_id=complaint.pk, reason=reason, **desk.who())


def _admit(desk: _Desk, complaint: Complaint) -> None:
    consent = ask_to_admit(complaint_id=complaint.pk, reason="A line failure of ours.", **desk.who())
    give_consent(consent_id=consent.pk, reason="Agreed.", **desk.who("manager"))


def _nothing(desk: _Desk, complaint: Complaint) -> None:
    """Leave it as it was taken down."""


CASES: Final = (
    Case("เจ้ามือมี 5 แต้มอยู่แล้ว ทำไมถึงจั่วไพ่ใบที่สาม ขอให้ตรวจสอบด้วยครับ", "th", "chat", _nothing),
    Case(
        "The dealer turned my card before the bell.", "en", "chat", _nothing, changes=(("dealer", "Lin Wei"),)
    ),
    Case("เดิมพันของผมหายไปหนึ่งรายการ", "th", "phone", _wait),
    Case("Something was wrong last night.", "en", "mail", _refuse_and_answer, changes=(("dealer", ""),)),
    Case("ผลของรอบไม่ตรงกับที่เห็น", "th", "chat", _nothing, changes=(("round", "999"),)),
    Case("ไพ่ใบที่สี่ถูกเปิดก่อนเวลา", "th", "desk", _accept),
    Case("The total shown was eight, not nine.", "en", "chat", _review, changes=(("dealer", "Mali"),)),
    Case("ไพ่ใบที่สามวางผิดฝั่ง", "th", "chat", _uphold),
    Case("The Banker should have drawn.", "en", "mail", _reject),
    Case("ผมคิดว่าจ่ายเงินไม่ครบ", "th", "chat", _close),
    Case("My pair was not paid.", "en", "chat", _twice),
    Case("เมื่อวานไพ่ตกจากโต๊ะ", "th", "chat", _refuse_and_answer, is_late=True),
    Case("I only saw it in my history today.", "en", "mail", _ask_admission, is_late=True),
    Case("แชทใช้งานไม่ได้เมื่อวาน", "th", "phone", _admit, is_late=True),
)


def complain(codes: Collection[str], *, now: datetime) -> str:
    """Take the demo's complaints down and lead them on, once; return what was done in a line."""
    if Complaint.objects.exists() or not User.objects.filter(username="manager").exists():
        return ""
    fresh = list(
        _disputable(codes, now - timedelta(hours=23), now - 20 * MINUTE)[: APART * len(CASES) : APART]
    )
    old = list(_disputable(codes, now - timedelta(days=3), now - timedelta(hours=24, minutes=5))[:3])
    done = 0
    for place, case in enumerate(CASES):
        rounds = old if case.is_late else fresh
        if not rounds:
            continue
        round_ = rounds.pop(0)
        ended = round_.resulted_at or round_.betting_opened_at
        # Ten minutes apart and the newest last, but none before its round was over.
        at = max(ended + MINUTE, now - 10 * (len(CASES) - place) * MINUTE)
        desk = _Desk(at)
        complaint = desk.file(case, round_, at)
        case.goes(desk, complaint)
        done += 1
    return f"{done} complaints taken down, in every state" if done else ""


def _disputable(codes: Collection[str], since: datetime, until: datetime) -> QuerySet[Round]:
    rounds = Round.objects.filter(
        table__code__in=codes,
        status=RoundStatus.SETTLED.value,
        dealer__isnull=False,
        bets__status=BetStatus.ACCEPTED.value,
        resulted_at__gte=since,
        resulted_at__lt=until,
    )
    return rounds.select_related("table", "dealer").distinct().order_by("-resulted_at", "pk")
