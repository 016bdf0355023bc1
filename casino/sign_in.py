"""Signing in: what somebody sees who has to wait."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def locked_out(request: HttpRequest, _response: HttpResponse, _credentials: Any) -> HttpResponse:
    """Say that there were too many wrong passwords, and for how long that account waits."""
    context = {"minutes": settings.SIGN_IN_WAIT_MINUTES}
    return render(request, "bluecard/locked_out.html", context, status=429)
