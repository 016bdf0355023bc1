"""The language a person chose goes with the account into every browser."""

from typing import Final

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.translation import check_for_language
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from casino.accounts import choose_language

LANGUAGE: Final = "bluecard_language"
FOR_MACHINES: Final = ("/api/", "/health/")


class AccountLanguageMiddleware(LocaleMiddleware):
    """Django's choice of the language, but for who signed in with one of their own."""

    def process_request(self, request: HttpRequest) -> None:
        """Take the language the session remembers; what machines read goes by what they say they accept."""
        super().process_request(request)
        if request.path.startswith(FOR_MACHINES):
            return
        language = request.session.get(LANGUAGE)
        if language and check_for_language(language):
            translation.activate(language)
            request.LANGUAGE_CODE = translation.get_language()


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Switch the language, and keep it on the account of who is signed in."""
    language = request.POST.get("language", "")
    user = request.user
    if isinstance(user, User) and language and check_for_language(language):
        choose_language(user, language)
        request.session[LANGUAGE] = language
    return set_language(request)
