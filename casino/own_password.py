"""The form on which a person chooses a password of their own."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from unfold.forms import AdminOwnPasswordChangeForm

from casino.accounts import note_own_password


class OwnPasswordForm(AdminOwnPasswordChangeForm):
    """Unfold's form, which takes no password that somebody else knows."""

    def clean(self) -> dict[str, Any]:
        """Refuse the password that is there already."""
        typed = super().clean() or {}
        if typed.get("new_password1") and typed.get("new_password1") == typed.get("old_password"):
            same = _("This is the password you have. Choose another.")
            self.add_error("new_password1", ValidationError(same, code="same"))
        return typed

    def save(self, commit: bool = True) -> Any:
        """Keep it, and that it is the person's own."""
        user = super().save(commit)
        note_own_password(user, timezone.now())
        return user
