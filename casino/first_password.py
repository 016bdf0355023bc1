"""A password that somebody else made: it opens for some days, and first of all it has to be changed."""

from typing import Final

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from casino.gate import Gate
from casino.models import AccountState

MUST_CHANGE: Final = "bluecard_must_change_password"
#: What is open to somebody whose password another made.
OPEN_BEFORE: Final = frozenset({"admin:login", "admin:logout", "admin:password_change", "admin:jsi18n"})


def first_password_refusal(user: User) -> str:
    """Say why a password that somebody else made opens no more; empty if it does, or is the person's own."""
    lapsed = AccountState.objects.filter(account=user, first_password_until__lt=timezone.now())
    return _("This password was for some days only. Ask an administrator for another.") if lapsed else ""


class FirstPasswordMiddleware(Gate):
    """Leads who signed in with a password made by another to where it is changed, and nowhere else."""

    open_to = OPEN_BEFORE
    leads_to = "admin:password_change"
    title = "A password of one's own is needed"
    words = gettext_lazy("Your password was made by somebody else. Choose one that only you know.")

    def keeps_out(self, request: HttpRequest) -> bool:
        """Ask the session only: it remembers from the sign-in, and a new password ends every other one."""
        return bool(request.session.get(MUST_CHANGE)) and request.user.is_authenticated
