"""What complaints and video add to the pages of play: buttons that lead to a list, a round's video."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from audit.admin.complaint_view import video_context
from audit.services.looks import look_at_player, look_at_round
from tables.admin.panels import HeadButton, add_head_buttons, add_round_panel, add_watcher
from tables.models import Bet, Player, Round, WalletTransaction
from tables.services.actors import Actor


def complaints_of(filter_name: str, key_name: str) -> Callable[[HttpRequest, Any], list[HeadButton]]:
    """Make a button that lists all complaints of a table, a dealer or a player."""

    def buttons(request: HttpRequest, found: Any) -> list[HeadButton]:
        if not request.user.has_perm("audit.view_complaint"):
            return []
        url = f"{reverse('admin:audit_complaint_changelist')}?{filter_name}={getattr(found, key_name)}"
        return [HeadButton(_("Complaints"), url, "receipt")]

    return buttons


def video_panel(request: HttpRequest, found: Round) -> SafeString | None:
    """Draw which camera shows a round, until when, and whether it is held."""
    if not request.user.has_perm("audit.view_videohold"):
        return None
    context = {**video_context(request, found), "zone": found.table.zone}
    return SafeString(render_to_string("bluecard/complaint/video.html", context, request))


def watch_player(request: HttpRequest, found: Player) -> None:
    """Write down who looked at a player's page."""
    _look(request, found.pk, "player", f"player {found.pk}")


def watch_bet(request: HttpRequest, found: Bet) -> None:
    """Write down who looked at a player's bet."""
    _look(request, found.player_id, "bet", found.platform_bet_id)


def watch_payment(request: HttpRequest, found: WalletTransaction) -> None:
    """Write down who looked at a player's money."""
    _look(request, found.player_id, "wallettransaction", f"transaction {found.pk}")


def watch_round(request: HttpRequest, found: Round) -> None:
    """Write down who looked at a round's page with its players, if it names them to this person."""
    if request.user.has_perm("tables.view_playeridentity"):
        look_at_round(found, actor=Actor.of_user(request.user), at=datetime.now(UTC))


def _look(request: HttpRequest, player_id: int, way: str, reason: str) -> None:
    actor, at = Actor.of_user(request.user), datetime.now(UTC)
    look_at_player(player_id, way=way, reason=reason, actor=actor, at=at)


add_watcher("player", watch_player)
add_watcher("bet", watch_bet)
add_watcher("wallettransaction", watch_payment)
add_watcher("round", watch_round)
add_head_buttons("gametable", complaints_of("table", "code"))
add_head_buttons("dealer", complaints_of("round__dealer", "pk"))
add_head_buttons("player", complaints_of("player", "pk"))
add_round_panel("side", video_panel)
