"""What need not be logged, and what needs one line."""

import logging

from django.core.exceptions import PermissionDenied


class NotHealth(logging.Filter):
    """Drop Django's line for each 503 of a health page: whoever asks has the answer."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is about anything else."""
        request = getattr(record, "request", None)
        return not getattr(request, "path", "").startswith("/health/")


class RefusalInOneLine(logging.Filter):
    """Take the traceback from a line that says somebody may not do something: it is no fault of ours."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep every record."""
        if record.exc_info and isinstance(record.exc_info[1], PermissionDenied):
            record.exc_info = record.exc_text = None
        return True
