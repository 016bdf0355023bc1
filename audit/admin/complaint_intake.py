"""The page on which a complaint is taken down: the round beside the form, each detail beside the record.

The same address shows and records. What a player says is only ever posted, so that no address holds it.
"""

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from audit import complaint_words as words
from audit.admin.attachment import files_sent, say_not_taken
from audit.admin.complaint_view import (
    bets_of,
    coup_of,
    read_local,
    read_zone,
    rows_of_checks,
    say_missing,
    say_window,
    video_context,
    zone_names,
)
from audit.admin.frame import draw, require
from audit.admin.refusals import REFUSING, Refusal, refusal_of
from audit.admin.subjects import read_key
from audit.models import ComplaintChannel
from audit.queries.complaint_rounds import recorded_of
from audit.queries.complaint_times import answer_due
from audit.rules.complaints import Said
from audit.services.attachments import limits
from audit.services.complaint_record import BadComplaint
from audit.services.complaints import Judged, file_complaint, judge_complaint
from tables.admin.record import Crumb
from tables.house import house_zone
from tables.models import Bet, GameTable, Round, WalletTransaction
from tables.queries.lookup import Answer, Found, look_up
from tables.services.actors import Actor, NotAllowed

KINDS = frozenset({Found.ROUND, Found.BET, Found.WALLET_TRANSACTION})


@dataclass(slots=True)
class Typed:
    """What stands in the form, as it was typed."""

    q: str = ""
    player: str = ""
    bet: str = ""
    played_at: str = ""
    zone: str = ""
    table: str = ""
    dealer: str = ""
    round: str = ""
    disputed: str = ""
    contact: str = ""
    channel: str = "chat"
    language: str = "th"
    key: str = ""
    #: The round the form was filled in from, and what was filled in: another round takes it out again.
    filled_from: str = ""
    filled_table: str = ""
    filled_dealer: str = ""
    filled_round: str = ""
    filled_bet: str = ""


FILLED = ("table", "dealer", "round", "bet")


def intake_page(model_admin: Any, request: HttpRequest) -> HttpResponse:
    """Show the form beside the round it is about, and record what was taken down."""
    require(request, "audit.handle_complaint")
    now = datetime.now(UTC)
    typed = _read(request)
    answer = _look_up(typed, now)
    round_ = _round_of(answer)
    _fill_in(typed, round_, request.POST.get("confirm", ""))
    said, refusal = _said(typed, round_)
    if request.method == "POST" and request.POST.get("do") == "record" and refusal is None:
        done = _record(request, said, typed, round_, now)
        if isinstance(done, HttpResponse):
            return done
        refusal = done
    judged = judge_complaint(said, received_at=now, chosen=round_)
    context = _context(typed, answer, judged, said, refusal, now)
    if judged.meant.round is not None:
        context |= video_context(request, judged.meant.round)
    status = refusal.status if refusal else 200
    return draw(model_admin, request, "bluecard/complaint/intake.html", context, status)


def _read(request: HttpRequest) -> Typed:
    given: QueryDict = request.POST
    typed = Typed(**{field.name: str(given.get(field.name, field.default)) for field in fields(Typed)})
    typed.q = given.get("meant", typed.q)[:120]  # a suggestion was taken: all else that was typed stays
    if request.method == "GET":
        found = Round.objects.filter(pk=read_key(request.GET, "round") or 0).first()
        typed.q = found.public_id if found else request.GET.get("q", "")[:120]
    typed.key = typed.key or uuid4().hex
    if typed.channel not in words.CHANNELS:
        typed.channel = "chat"
    if typed.language not in words.LANGUAGES:
        typed.language = "th"
    return typed


def _look_up(typed: Typed, now: datetime) -> Answer:
    return look_up(typed.q, kinds=KINDS, zone=house_zone(), now=now)


def _round_of(answer: Answer) -> Round | None:
    """Return the round that a look-up leads to: itself, or the one a bet or a payment belongs to."""
    hit = answer.only_hit
    if hit is None:
        return None
    rounds = Round.objects.select_related("table", "shoe", "rulebook", "dealer")
    match hit.kind:
        case Found.ROUND:
            return rounds.get(pk=hit.pk)
        case Found.BET:
            return rounds.get(bets=hit.pk)
        case Found.WALLET_TRANSACTION:
            paid = WalletTransaction.objects.select_related("settlement").get(pk=hit.pk)
            return rounds.get(pk=paid.settlement.round_id)
    return None


def _fill_in(typed: Typed, round_: Round | None, confirmed: str) -> None:
    """Fill in what the ID itself says, and what the player has just confirmed. Never the dealer unasked.

    What was filled in from another round goes; what somebody wrote over it stays.
    """
    if round_ is None:
        return
    if typed.filled_from != round_.public_id:
        for name in FILLED:
            if getattr(typed, name) == getattr(typed, f"filled_{name}"):
                setattr(typed, name, "")
            setattr(typed, f"filled_{name}", "")
        typed.filled_from = round_.public_id
    before = [getattr(typed, name) for name in FILLED]
    _fill_from(typed, round_, confirmed)
    for name, was in zip(FILLED, before, strict=True):
        if getattr(typed, name) != was:
            setattr(typed, f"filled_{name}", getattr(typed, name))


def _fill_from(typed: Typed, round_: Round, confirmed: str) -> None:
    typed.table = typed.table or round_.table.code
    typed.round = typed.round or str(round_.number)
    if confirmed == "dealer" and round_.dealer is not None:
        typed.dealer = round_.dealer.name
    bet = Bet.objects.filter(round=round_, platform_bet_id=typed.q.strip()).first()
    if bet is not None:
        typed.bet = typed.bet or bet.platform_bet_id


def _said(typed: Typed, round_: Round | None) -> tuple[Said, Refusal | None]:
    """Read what was typed; a time that is none is told, and all else stays."""
    table = round_.table if round_ else GameTable.objects.filter(code=typed.table).first()
    zone = ZoneInfo(table.zone) if table else house_zone()
    played_at, refusal = None, None
    try:
        zone = read_zone(typed.zone, zone)
        played_at = read_local(typed.played_at, zone)
    except BadComplaint as error:
        refusal = refusal_of(error)
    said = Said(
        played_at=played_at,
        has_seconds=typed.played_at.count(":") > 1,
        zone=zone.key,
        table=typed.table[:40],
        dealer=typed.dealer[:80],
        round=typed.round[:60],
        player=typed.player[:64],
        bet=typed.bet[:64],
        disputed=typed.disputed[:4000],
        contact=typed.contact[:200],
    )
    return said, refusal


def _record(
    request: HttpRequest, said: Said, typed: Typed, round_: Round | None, now: datetime
) -> HttpResponse | Refusal:
    """Record it; return where to go on, or why not."""
    try:
        filed = file_complaint(
            said=said,
            channel=ComplaintChannel(typed.channel),
            language=typed.language,
            actor=Actor.of_user(request.user),
            user=request.user,
            at=now,
            sender=f"user-{request.user.pk}",
            idempotency_key=typed.key[:64],
            chosen=round_,
            files=files_sent(request),
        )
    except REFUSING as error:
        return refusal_of(error)
    except NotAllowed as error:
        raise PermissionDenied from error
    complaint = filed.complaint
    said_of = {"number": complaint.number}
    if filed.is_repeat:
        messages.info(request, _("%(number)s was recorded already. Nothing more was done.") % said_of)
    elif complaint.status == "refused":
        why = {**said_of, "why": str(words.REFUSED_BECAUSE[complaint.refusal])}
        messages.warning(request, _("%(number)s is recorded and refused by the rule: %(why)s.") % why)
    elif complaint.status == "waiting":
        messages.warning(request, _("%(number)s is recorded and waits for what is missing.") % said_of)
    else:
        messages.success(request, _("%(number)s is recorded; the video is asked for.") % said_of)
    for one in filed.files_refused:
        messages.error(request, say_not_taken(one.rule, one.message, one.name))
    return HttpResponseRedirect(reverse("admin:audit_complaint_change", args=[complaint.pk]))


def _context(
    typed: Typed, answer: Answer, judged: Judged, said: Said, refusal: Refusal | None, now: datetime
) -> dict[str, Any]:
    round_ = judged.meant.round
    table = judged.meant.table
    zone = table.zone if table else house_zone().key
    context: dict[str, Any] = {
        "title": _("Take a complaint"),
        "crumbs": [
            Crumb(_("Complaints"), reverse("admin:audit_complaint_changelist")),
            Crumb(_("New complaint")),
        ],
        "typed": typed,
        "answer": answer,
        "found": round_ if answer.only_hit else None,
        "check_character": round_.public_id[-1] if round_ else "",
        "suggestions": [hit.label for hit in answer.suggestions],
        "several": [hit for hit in answer.hits if hit.begun_at and not answer.only_hit],
        "round": round_,
        "judged": judged,
        "missing": say_missing(judged.missing),
        "refused_because": words.REFUSED_BECAUSE[judged.refusal.value] if judged.refusal else "",
        "refusal": refusal,
        # What was typed and is not understood is not called missing.
        "is_understood": refusal is None or refusal.field not in ("played_at", "zone"),
        "tables": list(GameTable.objects.order_by("code").values_list("code", flat=True)),
        "channels": list(words.CHANNELS.items()),
        "languages": list(words.LANGUAGES.items()),
        "attach_megabytes": limits().size_bytes // 1_000_000,
        "answer_due": answer_due(now, table),
        "now": now,
        "zone": zone,
        "zones": zone_names(),
    }
    if round_ is not None:
        context |= {
            "checks": rows_of_checks(said, recorded_of(judged.meant, said), judged.checks, zone),
            "coup": coup_of(round_),
            "bets": bets_of(round_, judged.meant.player),
            "player_shown": said.player,
            "currency": round_.table.currency,
            "window_label": say_window(round_, judged.event.kind.value) if judged.event else "",
            "differs": next((name for name, match in judged.checks.items() if match == "differs"), ""),
        }
    return context
