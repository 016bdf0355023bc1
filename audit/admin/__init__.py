"""The pages of decisions: incidents, rulings, notices, and what they add to the pages of play."""

from audit.admin import attachment, evidence, incident, notice, panels, proof, ruling, setup_change

__all__ = ["attachment", "evidence", "incident", "notice", "panels", "proof", "ruling", "setup_change"]
