"""Narrows a list to what waits for a second person's consent; the first page leads there."""

from typing import ClassVar

from django.utils.translation import gettext_lazy

from audit.complaint_words import CONSENT_STATES
from audit.models import ConsentStatus
from tables.admin.filters import PresenceFilter


class ConsentFilter(PresenceFilter):
    """Filter by whether a second person was asked; one request waits for each thing at most."""

    title = gettext_lazy("second person")
    parameter_name = "consent"
    words: ClassVar = {"waits": CONSENT_STATES["requested"]}
    conditions: ClassVar = {"waits": {"consents__status": ConsentStatus.REQUESTED.value}}
