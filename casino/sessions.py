"""Sessions whose cookie cannot be one of ours are no sessions."""

import re

from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest

SESSION_KEY = re.compile(r"[0-9a-z]{32}", re.ASCII)


class PlainSessionMiddleware(SessionMiddleware):
    """Look up only what may be a session's key: a NUL in a cookie would be a fault in the database's eyes."""

    def process_request(self, request: HttpRequest) -> None:
        """Drop a cookie that is no key, then go on as Django does."""
        if not SESSION_KEY.fullmatch(request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")):
            request.COOKIES.pop(settings.SESSION_COOKIE_NAME, None)
        super().process_request(request)
