"""Sessions that know whose they are and where they began, so that a person can see and end them."""

import re
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY as ACCOUNT_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.utils import timezone

SESSION_KEY = re.compile(r"[0-9a-z]{32}", re.ASCII)
BEGINNING_KEY = "bluecard_began"
LONGEST_BROWSER = 200


class SessionStore(DatabaseStore):
    """Django's store of sessions, with the account beside each."""

    @classmethod
    def get_model_class(cls) -> Any:
        # Not at the top: the middleware is read before the models are.
        from casino.models import SignedInSession

        return SignedInSession

    def create_model_instance(self, data: dict[str, Any]) -> Any:
        """Write whose session it is beside what it holds."""
        session: Any = super().create_model_instance(data)
        session.account_id = int(data[ACCOUNT_KEY]) if ACCOUNT_KEY in data else None
        for name, value in data.get(BEGINNING_KEY, {}).items():
            setattr(session, name, value)
        return session


class PlainSessionMiddleware(SessionMiddleware):
    """Look up only what may be a session's key: a NUL in a cookie would be a fault in the database's eyes."""

    def process_request(self, request: HttpRequest) -> None:
        """Drop a cookie that is no key, then go on as Django does."""
        if not SESSION_KEY.fullmatch(request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")):
            request.COOKIES.pop(settings.SESSION_COOKIE_NAME, None)
        super().process_request(request)


def note_beginning(request: HttpRequest, user: User, **_: Any) -> None:
    """Remember when, from where and with what somebody signed in; called by Django's signal."""
    # Not at the top: the middleware is read before the models are.
    from casino.first_password import MUST_CHANGE
    from casino.language import LANGUAGE
    from casino.models import AccountState

    state = AccountState.objects.filter(account=user).first()
    if state and state.first_password_until:
        request.session[MUST_CHANGE] = True
    if state and state.language:
        request.session[LANGUAGE] = state.language
    request.session[BEGINNING_KEY] = {
        "began_at": timezone.now().isoformat(),
        "address": request.META.get("REMOTE_ADDR", ""),
        "browser": request.headers.get("User-Agent", "")[:LONGEST_BROWSER],
    }
