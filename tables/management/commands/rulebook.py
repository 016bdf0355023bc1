"""`manage.py rulebook check FILE …`: what is wrong with a rulebook's document, by line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.rules.document import Severity, check_rulebook


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

    def handle(self, *args: Any, **options: Any) -> None:
        options["run"](**options)

    def check_files(self, *, files: list[str], **_options: Any) -> None:
        """Check documents and end with status 1 if one has errors."""
        verdicts = [self._check(name) for name in files]
        if not all(verdicts):
            sys.exit(1)

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
