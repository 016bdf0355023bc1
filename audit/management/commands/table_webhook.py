"""`manage.py table_webhook set|show|remove`: where a table wants to be called, from the server's shell."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from audit.models import TableDecision, TableWebhook
from audit.services.webhooks import remove_webhook, set_webhook
from tables.models import GameTable
from tables.services.actors import SYSTEM
from tables.services.setup import BadSetup


class Command(BaseCommand):
    help = "Set, show and remove the webhook by which a table hears what was decided."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        for verb, words in {
            "set": "call the table at an address, and print the new secret; nobody can read it again",
            "show": "show the address and what waits to be told; the secret is not shown",
            "remove": "call the table no more, and forget the secret",
        }.items():
            below = verbs.add_parser(verb, help=words)
            below.add_argument("table", metavar="CODE", help="the table's code")
            if verb == "set":
                below.add_argument("url", help="http:// or https:// address of the table's platform")

    def handle(self, *args: Any, **options: Any) -> None:
        table = GameTable.objects.filter(code=options["table"]).first()
        if table is None:
            known = ", ".join(GameTable.objects.order_by("code").values_list("code", flat=True)) or "none"
            raise CommandError(f"table: no table has the code {options['table']}; there are: {known}")
        match options["verb"]:
            case "set":
                self._set(table, options["url"])
            case "show":
                self._show(table)
            case _:
                self._remove(table)

    def _set(self, table: GameTable, url: str) -> None:
        try:
            _, secret = set_webhook(table=table, url=url, actor=SYSTEM, at=timezone.now())
        except BadSetup as error:
            raise CommandError(str(error)) from error
        self.stdout.write(secret)

    def _show(self, table: GameTable) -> None:
        webhook = TableWebhook.objects.filter(table=table).first()
        if webhook is None or not webhook.is_active:
            self.stdout.write(f"{table.code} is not called; it may ask.")
        else:
            self.stdout.write(
                f"{table.code} is called at {webhook.url} since {webhook.changed_at:%Y-%m-%d %H:%M} UTC."
            )
        unheard = TableDecision.objects.filter(table=table, acknowledged_at__isnull=True).order_by("pk")
        oldest = unheard.first()
        if oldest is not None:
            error = f", {oldest.last_error}" if oldest.last_error else ""
            self.stdout.write(
                f"Not acknowledged: {unheard.count()}; "
                f"the oldest is {oldest.pk} ({oldest.kind}): {oldest.attempts} attempts{error}."
            )

    def _remove(self, table: GameTable) -> None:
        if remove_webhook(table=table, actor=SYSTEM, at=timezone.now()):
            self.stdout.write(f"{table.code} is called no more.")
        else:
            self.stdout.write(f"{table.code} was not called.")
