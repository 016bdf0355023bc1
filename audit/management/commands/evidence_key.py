"""The key that signs evidence packs."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.pack.signing import evidence_signer, make_key


class Command(BaseCommand):
    help = "Print the public key of evidence packs, as it is published; with --make, make the key first."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--make", action="store_true", help="make the key if there is none yet")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(settings.EVIDENCE_KEY_FILE)
        if options["make"] and not path.exists():
            make_key(path, settings.EVIDENCE_NAME)
        try:
            self.stdout.write(str(evidence_signer().verifier))
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
