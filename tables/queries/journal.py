"""Journal entries as people read them: with their free texts, as far as those were not erased."""

import json
from hashlib import sha256
from typing import Any

from tables.models import JournalEntry, JournalText
from tables.rules.commitments import committed_at


def data_of(entry: JournalEntry) -> dict[str, Any]:
    """Return an entry's data as it was sealed: a commitment stands where a text was written."""
    return dict(json.loads(bytes(entry.body))["data"])


def texts_of(entry: JournalEntry) -> dict[str, str]:
    """Return the texts of an entry that are still there and are the ones it committed to."""
    try:
        data = data_of(entry)
    except (ValueError, KeyError, TypeError):  # altered: the check of the journal names it
        return {}
    texts = sorted(entry.texts.all(), key=lambda text: text.pk)  # a list's are read beforehand
    return {text.name: text.text for text in texts if is_the_one(text, data)}


def is_the_one(text: JournalText, data: dict[str, Any]) -> bool:
    """Say whether a text is the one that its entry's data committed to."""
    return sha256(bytes(text.salt) + text.text.encode()).hexdigest() == committed_at(data, text.name)
