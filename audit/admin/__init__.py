"""The pages of decisions: complaints, incidents, rulings, notices, video, and what they add to play."""

from audit import journal_words
from audit.admin import (
    attachment,
    complaint,
    complaint_panels,
    evidence,
    incident,
    notice,
    panels,
    proof,
    ruling,
    setup_change,
    table_panel,
    videohold,
)

__all__ = [
    "attachment",
    "complaint",
    "complaint_panels",
    "evidence",
    "incident",
    "journal_words",
    "notice",
    "panels",
    "proof",
    "ruling",
    "setup_change",
    "table_panel",
    "videohold",
]
