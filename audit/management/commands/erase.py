"""Erase a player's personal data."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from audit.services.erasing import CannotErase, erase_player, find_player
from tables.services.actors import SYSTEM


class Command(BaseCommand):
    help = (
        "Erase what names a player: the platform's reference, contacts, attachments and free text. What "
        "was dealt, bet and paid stays under a number, and every proof stays valid. The erasure is itself "
        "an entry of the journal. Refused under a legal hold, and while money or an answer is owed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("player", help="the platform's reference, or #NUMBER")
        parser.add_argument("--reason", required=True, help="why; goes into the journal's erasable half")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            player = find_player(options["player"])
            done = erase_player(player=player, reason=options["reason"], actor=SYSTEM, at=timezone.now())
        except CannotErase as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(
            f"player #{done.player_id}: {done.references} reference and {done.texts} texts erased"
        )
