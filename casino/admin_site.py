"""The admin site: who is who in the top bar, the menu a role may see, and the look-up box on every page."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse, reverse_lazy
from django.utils.translation import gettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from unfold.sites import UnfoldAdminSite

from audit.models import Complaint, Incident, Ruling
from audit.queries.lookup_answer import players_shown
from audit.queries.queue import waiting_counts
from audit.services.looks import look_at_players
from casino.first_password import MUST_CHANGE
from casino.own_password import OwnPasswordForm
from casino.roles import ROLES
from casino.second_factor import SignInForm
from tables.house import house_zone
from tables.queries.lookup import LONGEST, Answer, Found, Hit, look_up
from tables.services.actors import Actor
from tables.templatetags.felt import zone_name

NUMBERED = re.compile(r"([CIR])-\d{4,9}", re.ASCII)
LANGUAGE_CHOICES = (("en", "EN"), ("th", "ไทย"))


class BluecardAdminSite(UnfoldAdminSite):
    """Unfold's site with our frame around every page."""

    site_title = "Bluecard"
    site_header = "Bluecard"
    index_title = _("Dashboard")
    empty_value_display = ""
    login_form = SignInForm

    def get_urls(self) -> list[URLPattern | URLResolver]:
        return [
            path("lookup/", self.admin_view(self.lookup), name="lookup"),
            path("live/", self.live, name="live"),
            path("reports/", self.admin_view(self.reports), name="reports"),
            *super().get_urls(),
        ]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        zone = house_zone()
        return {
            **super().each_context(request),
            "language_choices": LANGUAGE_CHOICES,
            "house_zone": zone.key,
            "house_zone_name": zone_name(zone.key),
            "now_utc": datetime.now(UTC),
            **describe_person(request.user),
        }

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show what waits for whoever looks; an account without a role is told so."""
        if may_see_anything(request):
            # Not at the top: the pages it draws from are known only when the site is.
            from casino.dashboard import show_dashboard

            context = show_dashboard(request, {**self.each_context(request), "title": self.index_title})
            return TemplateResponse(request, "bluecard/dashboard.html", context)
        context = {**self.each_context(request), "title": gettext("Nothing to see"), **(extra_context or {})}
        return TemplateResponse(request, "bluecard/nothing.html", context)

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Let somebody choose a password of their own, which ends what only the one of another allowed."""
        url = reverse("admin:password_change_done")
        context = {**self.each_context(request), **(extra_context or {})}
        view = PasswordChangeView.as_view(form_class=OwnPasswordForm, success_url=url, extra_context=context)
        answer = view(request)
        if request.method == "POST" and answer.status_code == HTTPStatus.FOUND:
            request.session.pop(MUST_CHANGE, None)
        return answer  # type: ignore[return-value]  # Django's views promise no more than a base

    def live(self, request: HttpRequest) -> HttpResponse:
        """Answer the first page's polls; who is signed out meanwhile is sent to sign in by the whole page."""
        from casino.dashboard import show_what_is_new

        if not self.has_permission(request):
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return never_cache(show_what_is_new)(request)

    def reports(self, request: HttpRequest) -> HttpResponse:
        """Show what many rounds, incidents and complaints add up to, or hand it out as a file."""
        from audit.admin.reports import show_reports

        return never_cache(show_reports)(request, self.each_context(request))

    def lookup(self, request: HttpRequest) -> HttpResponse:
        """Answer the look-up box: go to the record named, or list what may be meant."""
        text = request.GET.get("q", "")
        kinds = frozenset(kind for kind in Found if request.user.has_perm(f"tables.view_{kind.value}"))
        numbered = numbered_record(request, text)
        if numbered:
            return HttpResponseRedirect(numbered)
        now = datetime.now(UTC)
        answer = look_up(text, kinds=kinds, zone=house_zone(), now=now)
        look_at_players(
            players_shown(answer, None),
            way="lookup",
            reason="lookup",
            actor=Actor.of_user(request.user),
            at=now,
        )
        hit = answer.only_hit
        if hit is not None:
            if answer.dealt_by is not None:
                messages.warning(request, say_dealer(hit.label, answer.dealt_by))
            return HttpResponseRedirect(reverse(f"admin:tables_{hit.kind.value}_change", args=[hit.pk]))
        context = {
            **self.each_context(request),
            "title": gettext("Look up"),
            "lookup_text": answer.text,
            "answer": answer,
            "groups": group_hits(answer),
            "is_too_long": len(text.strip()) > LONGEST,
        }
        status = 200 if answer.hits or not answer.text else 404
        return TemplateResponse(request, "bluecard/lookup.html", context, status=status)


def numbered_record(request: HttpRequest, text: str) -> str:
    """Return where a complaint, an incident or a ruling is shown that a text names by its number."""
    form = NUMBERED.fullmatch(text.strip().upper())
    if form is None:
        return ""
    model = {"C": Complaint, "I": Incident, "R": Ruling}[form[1]]
    name = model._meta.model_name
    found = model._default_manager.filter(number=form[0]).values_list("pk", flat=True).first()
    if found is None or not request.user.has_perm(f"audit.view_{name}"):
        return ""
    return reverse(f"admin:audit_{name}_change", args=[found])


def say_dealer(round_id: str, dealer: str) -> str:
    """Say whom the record names, where the look-up named another dealer."""
    if not dealer:
        return gettext("Who dealt %(round)s is not recorded.") % {"round": round_id}
    names = {"round": round_id, "dealer": dealer}
    return gettext("The dealer differs: %(round)s was dealt by %(dealer)s.") % names


def group_hits(answer: Answer) -> list[tuple[str, list[tuple[Hit, str]], str]]:
    """Sort what a look-up found by kind, each with its address, and with the list where there are more."""
    names = {
        Found.ROUND: gettext("Rounds"),
        Found.SHOE: gettext("Shoes"),
        Found.BET: gettext("Bets"),
        Found.PLAYER: pgettext("person", "Players"),
        Found.WALLET_TRANSACTION: gettext("Wallet transactions"),
    }
    groups = []
    for kind, name in names.items():
        hits = [hit for hit in (*answer.hits, *answer.suggestions) if hit.kind is kind]
        if hits:
            groups.append(
                (
                    name,
                    [(hit, reverse(f"admin:tables_{kind.value}_change", args=[hit.pk])) for hit in hits],
                    _list_of(kind, answer.text) if kind in answer.more else "",
                )
            )
    return groups


def _list_of(kind: Found, text: str) -> str:
    return f"{reverse(f'admin:tables_{kind.value}_changelist')}?{urlencode({'q': text})}"


def describe_person(user: User | AnonymousUser) -> dict[str, str]:
    """Say for the top bar who is signed in, and in which role."""
    if not user.is_authenticated:
        return {"person_name": "", "person_initials": "", "person_role": ""}
    name = user.get_full_name() or user.get_username()
    initials = "".join(part[0] for part in name.split()[:2]).upper()
    roles = [str(ROLES[group.name].title) for group in user.groups.all() if group.name in ROLES]
    if not roles and user.is_superuser:
        roles = [gettext("Superuser")]
    return {"person_name": name, "person_initials": initials, "person_role": ", ".join(roles)}


def _may(permission: str) -> Callable[[HttpRequest], bool]:
    return lambda request: request.user.has_perm(permission)


def _item(title: Any, icon: str, model: str) -> dict[str, Any]:
    app, name = model.split(".")
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{app}_{name}_changelist"),
        "permission": _may(f"{app}.view_{name}"),
    }


def _counted(title: Any, icon: str, model: str, count: str, waits: str) -> dict[str, Any]:
    """Make an entry that says how many wait; `waits` narrows the list to those that are counted."""
    return {**_item(title, icon, model), "count": count, "waits": waits}


MENU: list[dict[str, Any]] = [
    {
        "title": _("Play"),
        "items": [
            _item(_("Rounds"), "cards", "tables.round"),
            _item(_("Shoes"), "shoe", "tables.shoe"),
            _item(_("Tables"), "table", "tables.gametable"),
            _item(_("Bets"), "chips", "tables.bet"),
        ],
    },
    {
        "title": _("Questions"),
        "items": [
            _counted(_("Incidents"), "triangle", "audit.incident", "incidents", "status=open"),
            _counted(_("Complaints"), "receipt", "audit.complaint", "complaints", "answer=waits"),
            _counted(_("Rulings"), "scales", "audit.ruling", "rulings", "status=requested"),
            _item(_("Video"), "play", "audit.videohold"),
            _item(_("Notices"), "receipt", "audit.notice"),
            _item(_("Findings"), "flag", "tables.finding"),
        ],
    },
    {
        "title": _("Money"),
        "items": [
            _item(_("Settlements"), "receipt", "tables.settlement"),
            _item(_("Wallet transactions"), "wallet", "tables.wallettransaction"),
            _counted(_("Dead letters"), "triangle", "tables.walletdelivery", "dead_letters", ""),
            _item(_("Receivables"), "receipt", "tables.receivable"),
            _item(_("Reconciliation"), "scales", "tables.reconciliation"),
        ],
    },
    {
        "title": _("Proof"),
        "items": [
            _item(_("Seal of the journal"), "shield", "audit.checkpoint"),
            _item(_("Journal"), "journal", "tables.journalentry"),
            _item(_("Feed events"), "feed", "tables.feedevent"),
            _item(_("Evidence packs"), "lock", "audit.evidencepack"),
            {
                "title": _("Reports"),
                "icon": "bars",
                "link": reverse_lazy("admin:reports"),
                "permission": _may("audit.export_reports"),
            },
        ],
    },
    {
        "title": _("Set-up"),
        "items": [
            _item(_("Rulebooks"), "book", "tables.rulebook"),
            _item(_("Dealers"), "dealer", "tables.dealer"),
            _item(pgettext_lazy("person", "Players"), "people", "tables.player"),
            _item(_("API keys"), "key", "tables.apikey"),
            _item(_("Accounts"), "lock", "auth.user"),
            _counted(
                _("Changes of the set-up"), "scales", "audit.setupchange", "changes", "status=requested"
            ),
        ],
    },
]


def menu(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the menu as this person may see it: a heading with nothing under it is left out."""
    shown: list[dict[str, Any]] = []
    for group in MENU:
        items = [item for item in group["items"] if item["permission"](request)]
        if items:
            shown.append(
                {"title": group["title"], "items": [{**item, "link": str(item["link"])} for item in items]}
            )
    if shown:
        index = {"title": _("Dashboard"), "icon": "home", "link": reverse("admin:index")}
        shown.insert(0, {"title": "", "items": [{**index, "permission": lambda _request: True}]})
    _count_what_waits(item for group in shown for item in group["items"])
    return shown


def _count_what_waits(items: Iterable[dict[str, Any]]) -> None:
    """Put what waits beside the entries that say so, its number and its list, in one query for all."""
    counted = [item for item in items if "count" in item]
    waiting = waiting_counts()._asdict() if counted else {}
    for item in counted:
        item["waiting"] = waiting[item["count"]]
        item["waiting_url"] = f"{item['link']}?{item['waits']}" if item["waits"] else item["link"]


def counted_entries(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the entries of this person's menu that say how much waits."""
    return [item for group in menu(request) for item in group["items"] if "count" in item]


def may_see_anything(request: HttpRequest) -> bool:
    """Say whether the menu leads this person anywhere."""
    return any(item["permission"](request) for group in MENU for item in group["items"])
