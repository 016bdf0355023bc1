"""Is the product alive, and is it ready for work?"""

from collections.abc import Callable

import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError as BrokerError

from casino.celery import app
from casino.heartbeat import GONE_AFTER_SECONDS

# A worker that was killed leaves its row behind: only the time of the last beat tells who lives.
WORKERS = """
SELECT count(*) FILTER (WHERE at > now() - make_interval(secs => %s)), extract(epoch FROM now() - max(at))
FROM casino_workerheartbeat
"""


class NotReady(Exception):
    """One thing the product needs is missing; the message says which."""


@never_cache
@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """Answer that the web process runs; looks at nothing else."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Answer 200 when everything the product needs is there, else 503; each check by name."""
    checks = {name: _answer(check) for name, check in CHECKS.items()}
    is_ready = all(check["ok"] for check in checks.values())
    return JsonResponse(
        {"status": "ok" if is_ready else "unavailable", "checks": checks}, status=200 if is_ready else 503
    )


def _answer(check: Callable[[], str]) -> dict[str, object]:
    try:
        return {"ok": True, "detail": check()}
    except NotReady as reason:
        return {"ok": False, "detail": str(reason)}
    except (DatabaseError, psycopg.Error, BrokerError, ImproperlyConfigured, OSError) as error:
        # Only the kind: messages of drivers name hosts and accounts, and this page asks for no log-in.
        return {"ok": False, "detail": type(error).__name__}


def _database() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version')")
        return f"PostgreSQL {cursor.fetchone()[0]}"


def _broker() -> str:
    with app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, interval_start=0, timeout=3)
        return str(broker.transport.driver_type)


def _worker() -> str:
    with connection.cursor() as cursor:
        cursor.execute(WORKERS, [GONE_AFTER_SECONDS])
        workers, age = cursor.fetchone()
    if age is None:
        raise NotReady("no worker has said that it lives")
    if age > GONE_AFTER_SECONDS:
        raise NotReady(f"the last heartbeat of a worker is {age:.0f} s old")
    return f"heartbeat {max(age, 0):.0f} s old, {workers} alive"


_is_migrated = False


def _migrations() -> str:
    global _is_migrated  # once applied they stay so while this process lives
    if not _is_migrated:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            raise NotReady(f"{len(plan)} migrations are not applied, the first {plan[0][0]}")
        _is_migrated = True
    return "all applied"


CHECKS: dict[str, Callable[[], str]] = {
    "database": _database,
    "migrations": _migrations,
    "broker": _broker,
    "worker": _worker,
}
