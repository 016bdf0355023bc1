"""What a permission lets somebody do, in words: the table of roles as people read it."""

from collections.abc import Iterable
from typing import Final

from django.apps import apps
from django.contrib.auth.models import User
from django.utils.functional import Promise
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from casino.roles import ROLES
from tables.admin.record import Fact, Facts

VIEW: Final = "view_"
DEEDS: Final[dict[str, str | Promise]] = {
    "audit.approve_ruling": gettext_lazy("approves or refuses rulings"),
    "audit.approve_setup_change": gettext_lazy("approves or refuses changes of the set-up"),
    "audit.attach_file": gettext_lazy("attaches files"),
    "audit.decide_complaint": gettext_lazy("decides complaints"),
    "audit.erase_player": gettext_lazy("erases a player's personal data"),
    "audit.export_evidence": gettext_lazy("makes and fetches evidence packs"),
    "audit.export_reports": gettext_lazy("reads the reports and takes them away"),
    "audit.give_consent": gettext_lazy("consents as a second person"),
    "audit.handle_complaint": gettext_lazy("takes complaints and answers them"),
    "audit.place_legal_hold": gettext_lazy("places and lifts legal holds"),
    "audit.report_incident": gettext_lazy("reports incidents"),
    "audit.request_consent": gettext_lazy("asks a second person for consent"),
    "audit.request_ruling": gettext_lazy("asks for rulings"),
    "audit.request_setup_change": gettext_lazy("asks for changes of the set-up"),
    "casino.manage_accounts": gettext_lazy("enters people, gives roles and new passwords, ends sessions"),
    "tables.accept_gap": gettext_lazy("accepts gaps in a feed"),
    "tables.key_play": gettext_lazy("keys in what no scanner saw"),
    "tables.manage_api_keys": gettext_lazy("makes and revokes API keys"),
    "tables.mend_wallet_message": gettext_lazy("decides about dead letters and receivables"),
    "tables.open_table": gettext_lazy("opens and closes tables and shoes"),
    "tables.publish_rulebook": gettext_lazy("publishes rulebooks"),
    "tables.reconcile_wallet": gettext_lazy("asks for a comparison with the wallet"),
    "tables.set_up_table": gettext_lazy("sets tables up and changes their limits"),
}


def deeds_of(codes: Iterable[str]) -> list[str]:
    """Say what some permissions let somebody do, without what they let somebody see."""
    return [str(word) for code, word in DEEDS.items() if code in set(codes)]


def seen_by(codes: Iterable[str]) -> list[str]:
    """Name the kinds of record that some permissions let somebody see."""
    found = []
    for code in codes:
        app, name = code.split(".")
        if name.startswith(VIEW):
            is_account = code == "auth.view_user"
            model = apps.get_model(app, name.removeprefix(VIEW))
            found.append(_("accounts") if is_account else str(model._meta.verbose_name_plural))
    return sorted(found)


def may_sheet(user: User) -> Facts:
    """Describe what an account may do."""
    title = _("What it may do")
    if user.is_superuser:
        return Facts(title, [Fact(_("Everything"), _("a superuser, made at the command line"))])
    codes = _permissions_of(user)
    facts = [Fact(_("Does"), _lines(deeds_of(codes))), Fact(_("Sees"), ", ".join(seen_by(codes)))]
    return Facts(title, [fact for fact in facts if fact.value] or [Fact(_("Nothing"), "–")])


def _permissions_of(user: User) -> set[str]:
    """Return what an account may do, or could if it were in use."""
    by_role = [ROLES[group.name].permissions for group in user.groups.all() if group.name in ROLES]
    return set(user.get_all_permissions()).union(*by_role)


def _lines(words: Iterable[str]) -> SafeString:
    return format_html_join("", "<div>{}</div>", ((word,) for word in words))
