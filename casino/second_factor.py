"""The second factor: a code of six digits (TOTP, RFC 6238) besides the password, for those who decide."""

import time
from base64 import b32encode
from binascii import unhexlify
from typing import Any, Final

import segno
from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice

from casino.first_password import first_password_refusal
from casino.gate import Gate
from casino.roles import DECIDING

#: What is open to somebody who decides and has not shown a second factor: to set one up, and to leave.
OPEN_WITHOUT: Final = frozenset(
    {
        "admin:login",
        "admin:logout",
        "admin:password_change",
        "admin:password_change_done",
        "admin:own_account",
        "admin:set_up_second_factor",
        "admin:jsi18n",
    }
)
CODE_TOLERANCE = 1  # steps of 30 seconds a telephone's clock may be off


class SignInForm(AdminAuthenticationForm):
    """Password and, where the account has a second factor, its code."""

    code = forms.CharField(
        label=gettext_lazy("Code of the second factor, if you have one"), required=False, max_length=20
    )

    def clean(self) -> dict[str, object]:
        """Check the password first, so that nobody learns without it whether there is a second factor."""
        cleaned = super().clean()
        user = self.get_user()
        if user is not None:
            refusal = check_code(user, self.cleaned_data.get("code", ""))
            if refusal:
                self.add_error("code", forms.ValidationError(refusal, code="second-factor"))
            elif lapsed := first_password_refusal(user):
                self.add_error(None, forms.ValidationError(lapsed, code="first-password"))
        return cleaned


def device_of(user: User) -> TOTPDevice | None:
    """Return the second factor of an account, if it has one."""
    return TOTPDevice.objects.filter(user=user, confirmed=True).order_by("-pk").first()


def check_code(user: User, code: str) -> str:
    """Check a code against the account's second factor and mark the account as verified by it.

    :return: why not, in the reader's language; empty if it is right or there is no second factor.
    """
    with transaction.atomic():
        device = TOTPDevice.objects.select_for_update().filter(user=user, confirmed=True).first()
        if device is None:
            return ""
        if not code.strip():
            return _("This account has a second factor: type the six digits its app shows now.")
        if not device.verify_is_allowed()[0]:
            return _("Too many wrong codes: wait a little and type the one shown then.")
        if not device.verify_token(code.replace(" ", "")):
            return _("That is not the code shown now, or it was used already: wait for the next one.")
    user.otp_device = device  # type: ignore[attr-defined]  # the session remembers it
    return ""


def is_code_of(key: str, code: str) -> bool:
    """Say whether a code belongs to a key that is not anybody's yet.

    :param key: forty hexadecimal digits.
    """
    digits = code.replace(" ", "")
    totp = TOTP(unhexlify(key))
    totp.time = time.time()
    return digits.isascii() and digits.isdigit() and totp.verify(int(digits), CODE_TOLERANCE)


def address_of_key(user: User, key: str) -> str:
    """Write a key as the address an authenticator app reads."""
    return TOTPDevice(user=user, key=key).config_url


def written_key(key: str) -> str:
    """Write a key as a person types it: base 32 in groups of four."""
    letters = b32encode(unhexlify(key)).decode()
    return " ".join(letters[start : start + 4] for start in range(0, len(letters), 4))


def draw_code(address: str) -> SafeString:
    """Draw an address as a QR code in SVG."""
    return mark_safe(segno.make(address, error="m").svg_inline(scale=5, border=4, light="#fff"))


def decides(user: User) -> bool:
    """Say whether an account may decide, so that it needs a second factor where the house asks for one."""
    return any(user.has_perm(permission) for permission in DECIDING)


class SecondFactorMiddleware(Gate):
    """Keeps who decides from every page until the second factor is shown, where the house wants it."""

    open_to = OPEN_WITHOUT
    leads_to = "admin:own_account"
    title = "A second factor is needed"
    words = gettext_lazy("Who decides needs a second factor. Set yours up, then sign in with its code.")

    def keeps_out(self, request: HttpRequest) -> bool:
        """Keep out an account that decides and did not show its second factor."""
        if settings.SECOND_FACTOR != "deciding" or not request.user.is_authenticated:
            return False
        user: Any = request.user  # with what OTPMiddleware adds
        return not user.is_verified() and decides(user)
