"""Who asks: a machine by its key, or a person who is signed in to the admin."""

from typing import Any

from django.utils import timezone
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from tables.models import ApiKey
from tables.services.api_keys import RevokedApiKey, find_key, note_use

SCHEME = "Bearer"


class Machine:
    """What `request.user` is when a key signed the request; the key itself is `request.auth`."""

    is_authenticated = True
    is_active = True
    is_staff = False
    is_anonymous = False
    pk = None

    def __init__(self, key: ApiKey) -> None:
        self.key = key

    def __str__(self) -> str:
        return f"key {self.key.prefix}"


class KeyAuthentication(BaseAuthentication):
    """Read `Authorization: Bearer bc_<prefix>_<secret>`."""

    def authenticate(self, request: Request) -> tuple[Machine, ApiKey] | None:
        """Return the machine and its key, or None where no key was sent.

        :raises AuthenticationFailed: if what was sent is no key, an unknown one, or a revoked one.
        """
        header = request.META.get("HTTP_AUTHORIZATION", "")
        if not header:
            return None
        scheme, _, text = header.partition(" ")
        if scheme.lower() != SCHEME.lower():
            raise AuthenticationFailed("Authorization: send the key as `Bearer bc_…`.")
        try:
            key = find_key(text.strip())
        except RevokedApiKey as error:
            raise AuthenticationFailed(f"Authorization: {error}.") from error
        if key is None:
            raise AuthenticationFailed("Authorization: there is no such key.")
        note_use(key, at=timezone.now())
        return Machine(key), key

    def authenticate_header(self, request: Request) -> str:
        """Return what a 401 says about how to sign a request."""
        return f'{SCHEME} realm="Bluecard"'


class StaffSession(SessionAuthentication):
    """A person signed in to the admin. A cookie that cannot be a session's is no session."""

    def authenticate(self, request: Request) -> Any:
        """Return the person, or None; the store would choke on control characters in the cookie."""
        if not (request.session.session_key or "").isprintable():
            return None
        return super().authenticate(request)
