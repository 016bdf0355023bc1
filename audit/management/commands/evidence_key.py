"""The key that signs evidence packs."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.house import evidence_signer
from audit.keys import NoKey
from audit.rules.checkpoint import BadCheckpoint


class Command(BaseCommand):
    help = "Print the public key of evidence packs, as it is published; with --make, make the key first."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--make", action="store_true", help="make the key if there is none yet")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            signer = evidence_signer(may_make=True if options["make"] else None)
        except (NoKey, BadCheckpoint) as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(str(signer.verifier))
