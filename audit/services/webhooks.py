"""Webhooks of tables: set, with a new secret each time, and removed."""

import secrets
from datetime import datetime

from django.db import transaction

from audit.models import TableWebhook
from audit.rules.webhooks import fault_of_url
from tables.models import GameTable
from tables.services.actors import Actor
from tables.services.journal import record
from tables.services.setup import BadSetup

PERMISSION = "tables.set_up_table"


@transaction.atomic
def set_webhook(*, table: GameTable, url: str, actor: Actor, at: datetime) -> tuple[TableWebhook, str]:
    """Call a table at this address from now on; return the webhook and its secret, which is not shown again.

    :raises NotAllowed: if the actor may not set tables up.
    :raises BadSetup: if the address will not do.
    """
    actor.require(PERMISSION)
    url = url.strip()
    fault = fault_of_url(url)
    if fault is not None:
        raise BadSetup("url", "webhook/url", fault)
    secret = secrets.token_urlsafe(32)
    webhook, _ = TableWebhook.objects.update_or_create(
        table=table, defaults={"url": url, "secret": secret, "is_active": True, "changed_at": at}
    )
    _record("table_webhook.set", webhook, actor, at)
    return webhook, secret


@transaction.atomic
def remove_webhook(*, table: GameTable, actor: Actor, at: datetime) -> bool:
    """Call a table no more, and forget the secret; False when it was not called."""
    actor.require(PERMISSION)
    webhook = TableWebhook.objects.select_for_update().filter(table=table, is_active=True).first()
    if webhook is None:
        return False
    webhook.is_active, webhook.secret, webhook.changed_at = False, "", at
    webhook.save(update_fields=["is_active", "secret", "changed_at"])
    _record("table_webhook.removed", webhook, actor, at)
    return True


def _record(action: str, webhook: TableWebhook, actor: Actor, at: datetime) -> None:
    code = webhook.table.code
    record(
        action,
        subject=webhook,
        label=code,
        actor=actor,
        at=at,
        data={"table": code, "url": webhook.url, "is_active": webhook.is_active},
    )
