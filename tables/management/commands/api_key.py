"""`manage.py api_key make|revoke|list`: keys of machines, from the server's own shell."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from tables.models import ApiKey, GameTable
from tables.services.actors import SYSTEM
from tables.services.api_keys import Scope, make_api_key, revoke_api_key
from tables.services.setup import BadSetup


class Command(BaseCommand):
    help = "Make, revoke and list the keys with which machines reach the API."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        make = verbs.add_parser("make", help="make a key and print it; nobody can read it again")
        make.add_argument("--label", required=True, help="whose key it is")
        make.add_argument("--table", metavar="CODE", help="the only table it is for; without it, all")
        make.add_argument(
            "--scope",
            action="append",
            required=True,
            choices=[scope.value for scope in Scope],
            help="what it opens; may be given several times",
        )
        revoke = verbs.add_parser("revoke", help="revoke a key for good")
        revoke.add_argument("prefix", help="the 12 characters after bc_")
        verbs.add_parser("list", help="list all keys, newest first; the secrets are not kept")

    def handle(self, *args: Any, **options: Any) -> None:
        match options["verb"]:
            case "make":
                self._make(options["label"], options["table"], options["scope"])
            case "revoke":
                self._revoke(options["prefix"])
            case _:
                self._list()

    def _make(self, label: str, code: str | None, scopes: list[str]) -> None:
        table = GameTable.objects.filter(code=code).first() if code else None
        if code and table is None:
            known = ", ".join(GameTable.objects.order_by("code").values_list("code", flat=True)) or "none"
            raise CommandError(f"table: no table has the code {code}; there are: {known}")
        try:
            _, text = make_api_key(label=label, table=table, scopes=scopes, actor=SYSTEM, at=timezone.now())
        except BadSetup as error:
            raise CommandError(str(error)) from error
        self.stdout.write(text)

    def _revoke(self, prefix: str) -> None:
        key = ApiKey.objects.filter(prefix=prefix).first()
        if key is None:
            raise CommandError(f"prefix: no key begins with bc_{prefix}")
        if revoke_api_key(key_id=key.pk, actor=SYSTEM, at=timezone.now()):
            self.stdout.write(f"{prefix} ({key.label}) is revoked.")
        else:
            self.stdout.write(f"{prefix} ({key.label}) was revoked before.")

    def _list(self) -> None:
        for key in ApiKey.objects.select_related("table").order_by("-created_at", "-id").iterator():
            table = key.table.code if key.table else "all tables"
            state = f"revoked {key.revoked_at:%Y-%m-%d %H:%M}" if key.revoked_at else "in force"
            scopes = " ".join(key.scopes)
            self.stdout.write(f"{key.prefix}  {table:10}  {scopes:32}  {state:24}  {key.label}")
