"""Rules that can refuse what a person asks for, in words of the reader's language.

A service says in English what exactly is wrong; this says in both languages which rule it breaks.
"""

import re
from typing import Final

from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

RULE_WORDS: Final[dict[str, Promise]] = {
    "account/active": _("The account is in use already."),
    "account/form": _("This will not do as it is written."),
    "account/has-role": _("The account has this role already."),
    "account/inactive": _("The account is out of use already."),
    "account/known": _("There is an account with this log-in already."),
    "account/last": _("Too few persons would remain who can approve a change of the set-up."),
    "account/name": _("Say who it is."),
    "account/no-role": _("The account does not have this role."),
    "account/role": _("There is no such role."),
    "card/form": _("A card is a rank and a suit, as in 10H."),
    "coup/drawing": _("These cards are no lawful coup."),
    "coup/scanned": _("The cards differ from those the scanner saw."),
    "decks": _("The rulebook plays with another number of decks."),
    "feed/clock": _("The time is not one that can be."),
    "feed/format": _("The event is not written as the feed wants it."),
    "feed/gap": _("This gap cannot be accepted."),
    "feed/round-in-play": _("A round is in play."),
    "feed/shoe-first": _("No shoe lies on the table."),
    "feed/size": _("The event is too large."),
    "feed/supersedes": _("It cannot take the place of that event."),
    "incidents": _("The rulebook knows no such incident."),
    "insurance": _("Insurance cannot be sold like this now."),
    "money/form": _("This is no sum of money in the table's currency."),
    "round/in-play": _("No round is in play."),
    "round/meant": _("The table has gone on meanwhile: another round is due now."),
    "round/number": _("That round was played already."),
    "round/places": _("The card cannot lie there."),
    "round/platform-id": _("That round was played already."),
    "round/states": _("The round is not in a state that allows it."),
    "round/times": _("The times are out of order."),
    "round/unknown": _("There is no such round at the table."),
    "setup/access": _("Name an account and what is done to it."),
    "setup/own": _("What your own account may do is decided by others."),
    "setup/person-link": _("Name an account, and a person or the name of a new one."),
    "setup/role": _("Name an account and a role."),
    "setup/rulebook": _("This document cannot be published."),
    "setup/thresholds": _("The second sum must not lie below the first."),
    "setup/reason": _("Say why."),
    "shoe/blue-card": _("The blue card cannot be cut in there, or not any more."),
    "shoe/card-count": _("The shoe does not hold as many cards."),
    "shoe/number": _("The table has had all shoes of its day."),
    "shoe/one-open": _("A shoe lies on the table."),
    "shoe/start": _("The burn cannot be entered like this, or not any more."),
    "table/code": _("The code of the table will not do."),
    "table/currency": _("The currency will not do."),
    "table/gaming-day": _("The gaming day starts at a full hour from 0 to 23."),
    "table/limits": _("The lowest and the highest stake are no range."),
    "table/name": _("The name will not do."),
    "table/open": _("The table is not open."),
    "table/rulebook": _("The table cannot play by that rulebook now."),
    "table/reason": _("Say why."),
    "table/status": _("The table is in that state already."),
    "table/zone": _("There is no such time zone."),
    "person/none": _("Your account is linked to no person, so it takes no part in decisions."),
    "api-key/label": _("The label will not do."),
    "api-key/revoked": _("The key was revoked already."),
    "api-key/scopes": _("The scopes will not do."),
    "api-key/table": _("A key that writes a feed is for one table."),
    "wallet/four-eyes": _("So much money takes another person, who says the same."),
    "wallet/receivable": _("It has ended already."),
    "wallet/given-up": _("This message does not wait for a person any more."),
    "wallet/one-comparison": _("A comparison is under way already."),
    "wallet/other": _("Only who said it can withdraw it."),
    "wallet/policy": _("Only a debit can find too little money."),
    "wallet/reason": _("A reason is needed."),
    "wallet/withdrawn": _("It was withdrawn already. Nothing was done."),
}


def rule_words(rule: str) -> str | Promise:
    """Say a rule; one that belongs to a rulebook, as `insurance/decks`, is known by its last part."""
    return RULE_WORDS.get(rule) or RULE_WORDS.get(rule.rsplit("/", 1)[-1]) or ""


def error_words(error: str, most: int = 500) -> SafeString:
    """Say why an event was refused: the rule it breaks, and more quietly what the feed was told."""
    exactly = error if len(error) <= most else error[: most - 1] + "…"
    if said := rule_of_error(error):
        return format_html('{} <span class="bc-small bc-quiet" lang="en">{}</span>', said, exactly)
    return format_html('<span lang="en">{}</span>', exactly)


def rule_of_error(error: str) -> str | Promise:
    """Say the rule that stands in brackets at the end of what the feed was told."""
    found = re.search(r"\(([a-z0-9-]+/[a-z0-9-]+)\)$", error)
    return rule_words(found[1]) if found else ""
