"""Place or lift a legal hold on a player's data."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from audit.services.erasing import CannotErase, find_player, lift_legal_hold, place_legal_hold
from tables.services.actors import Actor, NotAllowed


class Command(BaseCommand):
    help = "Keep a player's personal data from being erased, or let them be erased again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=["place", "lift"])
        parser.add_argument("player", help="the platform's reference, or #NUMBER")
        parser.add_argument("--reason", required=True)
        parser.add_argument("--by", required=True, metavar="LOGIN", help="who answers for it")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["by"], is_active=True).first()
        if user is None:
            raise CommandError(f"--by: there is no account {options['by']}")
        act = place_legal_hold if options["verb"] == "place" else lift_legal_hold
        try:
            hold = act(
                player=find_player(options["player"]),
                reason=options["reason"],
                user=user,
                actor=Actor.of_user(user),
                at=timezone.now(),
            )
        except (CannotErase, NotAllowed) as problem:
            raise CommandError(str(problem)) from problem
        done = "lifted" if hold.lifted_at else "placed"
        self.stdout.write(f"player #{hold.player_id}: legal hold {done}")
