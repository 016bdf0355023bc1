"""`manage.py rulebook check FILE …` and `rulebook publish FILE …`: errors by line, and a new version."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import IntegrityError, transaction
from django.utils import timezone

from tables.models import Rulebook
from tables.rulebooks import SHIPPED, shipped_text
from tables.rules.document import RulebookError, Severity, check_rulebook
from tables.services.actors import SYSTEM
from tables.services.setup import BadSetup, publish_rulebook


class Command(BaseCommand):
    help = "Check rulebook documents (docs/rulebooks.md describes the format)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        check = verbs.add_parser(
            "check",
            help="name what is wrong and the line; exit status 0 at most warnings, 1 errors, 2 wrong usage",
        )
        check.add_argument("files", nargs="+", metavar="FILE")
        check.set_defaults(run=self.check_files)
        publish = verbs.add_parser(
            "publish", help="make a document the next version of its rulebook, for ever"
        )
        publish.add_argument("files", nargs="*", metavar="FILE")
        publish.add_argument(
            "--shipped", action="store_true", help="publish the rulebooks that come with Bluecard"
        )
        publish.add_argument(
            "--from", dest="effective_from", metavar="TIME", help="ISO 8601 with its offset; now"
        )
        publish.set_defaults(run=self.publish_files)

    def handle(self, *args: Any, **options: Any) -> None:
        options["run"](**options)

    def check_files(self, *, files: list[str], **_options: Any) -> None:
        """Check documents and end with status 1 if one has errors."""
        verdicts = [self._check(name) for name in files]
        if not all(verdicts):
            sys.exit(1)

    def publish_files(
        self, *, files: list[str], shipped: bool, effective_from: str | None, **_options: Any
    ) -> None:
        """Publish documents, all or none; what is published already in the same words is left as it is."""
        texts = {code: shipped_text(code) for code in SHIPPED} if shipped else {}
        texts |= {name: read_document(name) for name in files}
        if not texts:
            raise CommandError("name a document, or --shipped", returncode=2)
        now = timezone.now()
        moment = _read_moment(effective_from) if effective_from else now
        try:
            with transaction.atomic():
                published = [_publish(name, text, moment, now) for name, text in texts.items()]
        except IntegrityError as error:  # that it takes two persons is checked at the very end
            raise CommandError(str(error).splitlines()[0]) from error
        for rulebook in published:
            self.stdout.write(
                f"{rulebook}, {rulebook.content_hash[:12]}, from {rulebook.effective_from:%Y-%m-%d %H:%M} UTC"
            )

    def _check(self, name: str) -> bool:
        problems = check_rulebook(read_document(name))
        for problem in problems:
            self.stdout.write(f"{name}:{problem}".replace(":line ", ":", 1))
        errors = sum(problem.severity is Severity.ERROR for problem in problems)
        warnings = len(problems) - errors
        self.stdout.write(
            f"{name}: {'not a rulebook' if errors else 'a rulebook'}, {errors} errors, {warnings} warnings"
        )
        return not errors


def _publish(name: str, text: str, effective_from: datetime, at: datetime) -> Rulebook:
    """Publish one document.

    :raises CommandError: naming the file and what is wrong with it.
    """
    try:
        return publish_rulebook(text=text, effective_from=effective_from, actor=SYSTEM, at=at)
    except RulebookError as error:
        raise CommandError(f"{name}: not a rulebook; run `rulebook check`: {error}") from error
    except BadSetup as error:
        raise CommandError(f"{name}: {error}") from error


def _read_moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise CommandError(f"--from: {text!r} is no ISO 8601 moment", returncode=2) from error
    if moment.tzinfo is None:
        raise CommandError("--from: name the offset, as in 2026-12-01T06:00+07:00", returncode=2)
    return moment.astimezone(UTC)


def read_document(name: str) -> str:
    """Read a document's text.

    :raises CommandError: with status 2 if there is no such file, 1 if it is no text.
    """
    try:
        return Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CommandError(f"{name}: not UTF-8 text: {error.reason} at byte {error.start + 1}") from error
    except (OSError, ValueError) as error:
        raise CommandError(f"{name}: cannot be read: {error}", returncode=2) from error
