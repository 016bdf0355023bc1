"""The pages of decisions: incidents, rulings, notices, and what they add to the pages of play."""

from audit.admin import incident, notice, panels, ruling, setup_change

__all__ = ["incident", "notice", "panels", "ruling", "setup_change"]
