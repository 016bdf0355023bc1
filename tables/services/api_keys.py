"""Keys of machines: made, revoked, found again. The secret is shown once; only its SHA-256 is kept."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from enum import StrEnum

from django.db import transaction
from django.db.models import Q

from tables.models import ApiKey, GameTable
from tables.services import journal
from tables.services.actors import Actor
from tables.services.setup import BadSetup

KEY_FORM = re.compile(r"bc_([0-9a-f]{12})_[A-Za-z0-9_-]{43}", re.ASCII)
LABEL_LENGTH = 80
USE_NOTED_EVERY = timedelta(minutes=5)
PERMISSION = "tables.manage_api_keys"


class Scope(StrEnum):
    """What a key opens."""

    FEED_WRITE = "feed:write"
    PLAY_READ = "play:read"
    WALLET_READ = "wallet:read"
    INCIDENT_WRITE = "incident:write"
    DECISIONS_READ = "decisions:read"
    COMPLAINT_WRITE = "complaint:write"
    COMPLAINT_READ = "complaint:read"
    PROOF_READ = "proof:read"


class RevokedApiKey(Exception):
    """The key is a real one, but was revoked."""

    def __init__(self, key: ApiKey) -> None:
        super().__init__(f"the key {key.prefix} was revoked")
        self.key = key


@transaction.atomic
def make_api_key(
    *,
    label: str,
    table: GameTable | None,
    scopes: Collection[str],
    actor: Actor,
    at: datetime,
    request_id: str = "",
) -> tuple[ApiKey, str]:
    """Make a key and return it with its text, which nobody can read again. Without a table it reads all.

    :raises NotAllowed: if the actor may not manage keys.
    :raises BadSetup: if the label or the scopes will not do.
    """
    actor.require(PERMISSION)
    label = label.strip()
    if not 1 <= len(label) <= LABEL_LENGTH or not label.isprintable():
        raise BadSetup("label", "api-key/label", f"1 to {LABEL_LENGTH} printable characters")
    unknown = sorted(set(scopes) - set(Scope))
    if unknown or not scopes:
        named = ", ".join(unknown) or "none"
        raise BadSetup("scopes", "api-key/scopes", f"scopes are {', '.join(Scope)}; named: {named}")
    if Scope.FEED_WRITE in scopes and table is None:
        raise BadSetup("table", "api-key/table", f"a key with {Scope.FEED_WRITE} is for one table")
    prefix = secrets.token_hex(6)
    text = f"bc_{prefix}_{secrets.token_urlsafe(32)}"
    key = ApiKey.objects.create(
        label=label,
        prefix=prefix,
        secret_hash=_hash(text),
        table=table,
        scopes=sorted(set(scopes)),
        created_at=at,
    )
    data = {"label": label, "table": table.code if table else None, "scopes": key.scopes}
    journal.record(
        "api_key.made", subject=key, label=prefix, actor=actor, at=at, data=data, request_id=request_id
    )
    return key, text


@transaction.atomic
def revoke_api_key(*, key_id: int, actor: Actor, at: datetime, request_id: str = "") -> bool:
    """Revoke a key at once and for good; False when it was revoked already.

    :raises NotAllowed: if the actor may not manage keys.
    :raises ApiKey.DoesNotExist: if there is no such key.
    """
    actor.require(PERMISSION)
    key = ApiKey.objects.select_for_update(of=("self",), no_key=True).get(pk=key_id)
    if key.revoked_at is not None:
        return False
    key.revoked_at = at
    key.save(update_fields=["revoked_at"])
    journal.record(
        "api_key.revoked",
        subject=key,
        label=key.prefix,
        actor=actor,
        at=at,
        data={"label": key.label},
        request_id=request_id,
    )
    return True


def find_key(text: str) -> ApiKey | None:
    """Find the key with this text, its table loaded; None when there is none.

    The secret is compared in constant time, and also when the prefix is unknown.

    :raises RevokedApiKey: if the text is right and the key was revoked.
    """
    form = KEY_FORM.fullmatch(text)
    if form is None:
        return None
    key = ApiKey.objects.select_related("table").filter(prefix=form[1]).first()
    is_right = hmac.compare_digest(key.secret_hash if key else _hash(""), _hash(text))
    if key is None or not is_right:
        return None
    if key.revoked_at is not None:
        raise RevokedApiKey(key)
    return key


def note_use(key: ApiKey, *, at: datetime) -> None:
    """Remember when a key was last used, at most once in so many minutes."""
    if key.last_used_at is not None and at - key.last_used_at < USE_NOTED_EVERY:
        return
    unused = Q(last_used_at__isnull=True) | Q(last_used_at__lt=at - USE_NOTED_EVERY)
    ApiKey.objects.filter(unused, pk=key.pk).update(last_used_at=at)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
