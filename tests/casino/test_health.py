"""Alive, and ready: every check by name, and 503 when any of them fails."""

import io
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone

from casino import health
from casino.log_filters import NotHealth, RefusalInOneLine
from casino.models import WorkerHeartbeat

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_is_migrated", False)


def beat(seconds_ago: float, worker: str = "celery@one") -> None:
    WorkerHeartbeat.objects.create(worker=worker, at=timezone.now() - timedelta(seconds=seconds_ago))


def failing(client: Client) -> dict[str, Any]:
    answer = client.get("/health/ready")
    assert answer.status_code == 503
    assert answer.json()["status"] == "unavailable"
    return {name: check["detail"] for name, check in answer.json()["checks"].items() if not check["ok"]}


def test_alive_asks_nothing_of_anybody(client: Client, django_assert_num_queries: Callable[..., Any]) -> None:
    with django_assert_num_queries(0):
        answer = client.get("/health/live")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_ready_names_every_check(client: Client) -> None:
    beat(seconds_ago=3)
    answer = client.get("/health/ready")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    checks = answer.json()["checks"]
    assert list(checks) == ["database", "migrations", "broker", "worker"]
    assert all(check["ok"] for check in checks.values())
    assert checks["worker"]["detail"] == "heartbeat 3 s old, 1 alive"
    assert "no-cache" in answer["Cache-Control"]


def test_no_worker_at_all(client: Client) -> None:
    assert failing(client) == {"worker": "no worker has said that it lives"}


def test_a_worker_that_fell_silent(client: Client) -> None:
    beat(seconds_ago=31)
    assert failing(client) == {"worker": "the last heartbeat of a worker is 31 s old"}


def test_the_row_of_a_killed_worker_is_no_worker(client: Client) -> None:
    beat(seconds_ago=3)
    beat(seconds_ago=4000, worker="killed")
    answer = client.get("/health/ready").json()
    assert answer["checks"]["worker"]["detail"] == "heartbeat 3 s old, 1 alive"


def test_migrations_that_are_not_applied(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    beat(seconds_ago=0)
    executor = MigrationExecutor(health.connection)
    last = executor.loader.graph.nodes[("casino", "0001_worker_heartbeat")]
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [(last, False)])
    assert failing(client) == {
        "migrations": "1 migrations are not applied, the first casino.0001_worker_heartbeat"
    }


def test_a_broker_that_does_not_answer(client: Client, pgmq_broker: None) -> None:
    beat(seconds_ago=0)
    nowhere = {
        "init_extension": False,
        "pool_timeout": 0.2,
        "conn_string": "host=127.0.0.1 port=1 dbname=none",
    }
    health.app.conf.update(broker_transport_options=nowhere)
    assert failing(client) == {"broker": "OperationalError"}


def test_a_database_that_does_not_answer_names_no_host(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OperationalError("connection to server at db.internal refused for user bluecard_app")

    monkeypatch.setattr(health.connection, "cursor", refuse)
    found = failing(client)
    assert found["database"] == "OperationalError"
    assert "db.internal" not in str(found)


def test_not_being_ready_fills_no_log(client: Client) -> None:
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    handler.addFilter(NotHealth())
    logging.getLogger("django.request").addHandler(handler)
    try:
        assert client.get("/health/ready").status_code == 503
        assert client.get("/no/such/page").status_code == 404
    finally:
        logging.getLogger("django.request").removeHandler(handler)
    assert said.getvalue() == "Not Found: /no/such/page\n"


def test_a_refusal_takes_one_line_and_a_fault_all_it_needs(client: Client) -> None:
    def said_of(error: Exception) -> str:
        out = io.StringIO()
        handler = logging.StreamHandler(out)
        handler.addFilter(RefusalInOneLine())
        logger = logging.getLogger("django.request")
        logger.addHandler(handler)
        try:
            logger.warning("Forbidden: %s", "/admin/audit/ruling/1/approve/", exc_info=error)
        finally:
            logger.removeHandler(handler)
        return out.getvalue()

    assert said_of(PermissionDenied()) == "Forbidden: /admin/audit/ruling/1/approve/\n"
    assert said_of(PermissionDenied("the account may not")).count("\n") == 1
    assert "ValueError: a fault" in said_of(ValueError("a fault"))
    assert "refusals" in settings.LOGGING["handlers"]["console"]["filters"]


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
def test_only_reading_is_answered(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
