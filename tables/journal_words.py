"""What the journal's actions and values are called where people read them; the app above adds its own."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from tables import words

Word = str | Promise

ACTIONS: Final[dict[str, Word]] = {
    "account.deactivated": gettext_lazy("The account was taken out of use"),
    "account.entered": gettext_lazy("The account was entered"),
    "account.password_allowed": gettext_lazy("Two persons allowed a new password"),
    "account.password_changed": gettext_lazy("The person chose a password of their own"),
    "account.password_made": gettext_lazy("A first password was made"),
    "account.person_linked": gettext_lazy("The person behind the account was entered"),
    "account.reactivated": gettext_lazy("The account was taken into use again"),
    "account.role_given": gettext_lazy("A role was given"),
    "account.role_taken": gettext_lazy("A role was taken away"),
    "account.second_factor_removed": gettext_lazy("The second factor was removed"),
    "account.second_factor_set_up": gettext_lazy("A second factor was set up"),
    "account.session_ended": gettext_lazy("A session was ended"),
    "account.sessions_ended": gettext_lazy("Every session was ended"),
    "api_key.made": gettext_lazy("The API key was made"),
    "api_key.revoked": gettext_lazy("The API key was revoked"),
    "card.keyed": gettext_lazy("A card was keyed in by hand"),
    "coup.keyed": gettext_lazy("A whole coup was keyed in by hand"),
    "feed.gap_accepted": gettext_lazy("A gap in the feed was accepted"),
    "feed.read": gettext_lazy("A batch of the feed was read"),
    "round.settled": gettext_lazy("The round was settled"),
    "rulebook.published": gettext_lazy("The rulebook was published"),
    "shoe.burn_keyed": gettext_lazy("The burned cards were keyed in by hand"),
    "shoe.cut_keyed": gettext_lazy("The blue card's place was keyed in by hand"),
    "shoe.keyed": gettext_lazy("The shoe was opened by hand"),
    "table.camera_changed": gettext_lazy("The camera was changed"),
    "table.closed": gettext_lazy("The table was closed"),
    "table.debit_policy_changed": gettext_lazy("What is done when the wallet is short was changed"),
    "table.limits_changed": gettext_lazy("The limits were changed"),
    "table.opened": gettext_lazy("The table was opened"),
    "table.rulebook_changed": gettext_lazy("The rulebook was changed"),
    "table.set_up": gettext_lazy("The table was set up"),
    "wallet.by_hand_said": gettext_lazy("Somebody said that the money was moved by hand"),
    "wallet.by_hand_withdrawn": gettext_lazy("Who said that the money was moved by hand withdrew it"),
    "wallet.compared": gettext_lazy("The wallet's record was compared with ours"),
    "wallet.comparison_asked": gettext_lazy("A comparison with the wallet was asked for"),
    "wallet.comparison_failed": gettext_lazy("The comparison with the wallet failed"),
    "wallet.forced": gettext_lazy("The debit was forced"),
    "wallet.given_up": gettext_lazy("The message to the wallet was given up"),
    "wallet.owed": gettext_lazy("What the wallet could not take is owed"),
    "wallet.sent_again": gettext_lazy("The message to the wallet was sent again"),
    "wallet.settled_by_hand": gettext_lazy("The message was settled by hand"),
}
FIELDS: Final[dict[str, Word]] = {
    "bet_limits": gettext_lazy("Limits of single bets"),
    "bets_count": gettext_lazy("Bets"),
    "camera": gettext_lazy("Camera"),
    "cards": gettext_lazy("Cards"),
    "currency": gettext_lazy("Currency"),
    "debit_policy": gettext_lazy("When the wallet is short"),
    "max_stake_minor": gettext_lazy("Highest stake"),
    "min_stake_minor": gettext_lazy("Lowest stake"),
    "moved_minor": gettext_lazy("Moved"),
    "outcome": gettext_lazy("Result"),
    "returned_minor": gettext_lazy("Returned"),
    "roles": gettext_lazy("Roles"),
    "revision": gettext_lazy("Revision"),
    "rulebook": gettext_lazy("Rulebook"),
    "status": gettext_lazy("State"),
    "void_all": gettext_lazy("Round void"),
    "void_kinds": gettext_lazy("Void kinds of bet"),
    "zone": gettext_lazy("Time zone"),
}
#: By the name of a value, or by the kind of thing and that name, where things have words of their own.
VALUES: Final[dict[str, Mapping[str, Any]]] = {
    "debit_policy": words.DEBIT_POLICIES,
    "gametable.status": words.TABLE_STATES,
    "outcome": words.WINNERS,
    "void_kinds": words.BET_KINDS,
}
#: Kind of action -> what its second half is called, where the actions are the states of something.
STATES: Final[dict[str, Mapping[str, Any]]] = {}
NOBODY: Final = pgettext_lazy("value", "none")


def say_action(action: str) -> str:
    """Return the sentence for an action; an action without one is written as it is recorded."""
    if action in ACTIONS:
        return str(ACTIONS[action])
    kind, _dot, state = action.partition(".")
    found = STATES.get(kind, {}).get(state)
    return str(getattr(found, "word", found)) if found is not None else action


def say_field(name: str) -> str:
    """Return what a value is called."""
    own = name.rpartition(".")[2]
    return str(FIELDS.get(name) or FIELDS.get(own, own.replace("_", " ")))


def say_value(kind: str, name: str, value: Any) -> str:
    """Write a value of a kind of thing: codes as words, sums as they are recorded, in minor units."""
    own = name.rpartition(".")[2]
    match value:
        case None | "" | []:
            return str(NOBODY)
        case bool():
            return _("yes") if value else _("no")
        case int():
            return f"{value:,}"
        case list():
            return ", ".join(say_value(kind, name, one) for one in value)
        case dict():
            return ", ".join(f"{key} {say_value(kind, name, one)}" for key, one in value.items())
    known = next((VALUES[key] for key in (f"{kind}.{name}", name, own) if key in VALUES), {})
    found = known.get(str(value))
    return str(getattr(found, "word", found)) if found is not None else str(value)
