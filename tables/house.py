"""The zone of the house: what the clock in the top bar shows and days in filters mean."""

from zoneinfo import ZoneInfo

from django.conf import settings

DEFAULT_ZONE = "Asia/Bangkok"


def house_zone() -> ZoneInfo:
    """Return the zone named in the settings as HOUSE_ZONE; a table may stand in another."""
    return ZoneInfo(getattr(settings, "HOUSE_ZONE", DEFAULT_ZONE))
