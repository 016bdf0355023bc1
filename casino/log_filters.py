"""What need not be logged."""

import logging


class NotHealth(logging.Filter):
    """Drop Django's line for each 503 of a health page: whoever asks has the answer."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is about anything else."""
        request = getattr(record, "request", None)
        return not getattr(request, "path", "").startswith("/health/")
