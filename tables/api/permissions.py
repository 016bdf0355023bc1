"""What a key's scopes or a person's permissions open."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from tables.api.problems import forbidden
from tables.models import ApiKey


class MayUse(BasePermission):
    """Let in a key with one of the scopes that a view needs, and a member of staff with its permission."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Return False for one who is not known.

        :raises Problem: 403, naming the scope or the permission that is missing.
        """
        scopes, permission = view.needed(request.method or "")  # type: ignore[attr-defined]
        if isinstance(request.auth, ApiKey):
            _require_scope(request.auth, scopes)
            return True
        if not request.user or not request.user.is_authenticated or not request.user.is_staff:
            return False
        _require_permission(request.user, permission)
        return True


def _require_scope(key: ApiKey, scopes: tuple[str, ...]) -> None:
    if not scopes:
        raise forbidden("No key opens this: it takes a person who is signed in.", "person-only")
    if not set(scopes) & set(key.scopes):
        wanted = " or ".join(scopes)
        raise forbidden(
            f"This key lacks the scope {wanted}; it has {', '.join(key.scopes)}.",
            "missing-scope",
            needed_scopes=list(scopes),
        )


def _require_permission(user: Any, permission: str | None) -> None:
    if permission is None or not user.has_perm(permission):
        raise forbidden(
            f"Your role lacks the permission {permission}.",
            "missing-permission",
            needed_permission=permission,
        )
