"""The environment is read in one block, documented in one table, and strict in production."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

from casino.runtime.database_url import database_from_url
from casino.runtime.places import ROOT, socket_folder, state_folder

PRODUCTION = {
    "BLUECARD_MODE": "production",
    "DATABASE_URL": "postgresql://bluecard_app:x@db.example/bluecard",
    "BROKER_URL": "amqp://broker.example",
    "SECRET_KEY": "s" * 60,
    "ALLOWED_HOSTS": "bluecard.example",
    "WALLET_URL": "https://wallet.example",
    "WALLET_SECRET": "w" * 40,
    "RECORDER_URL": "https://recorder.example",
    "RECORDER_SECRET": "r" * 40,
}


def read_settings(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> dict[str, Any]:
    """Read the settings anew, with these names alone in the environment."""
    for name in names_in_the_block():
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(ROOT / "casino" / "settings.py"))


def names_in_the_block() -> list[str]:
    text = (ROOT / "casino" / "settings.py").read_text()
    block = text.split("# --- The environment", 1)[1].split("# --- end of the environment", 1)[0]
    return re.findall(r'(?:_read|_is_set|_number)\("([A-Z_]+)"', block)


def names_in_the_table() -> list[str]:
    return re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)


def test_the_table_names_what_the_block_reads_in_the_same_order() -> None:
    assert names_in_the_block()[:2] == ["BLUECARD_MODE", "BLUECARD_STATE"]
    assert names_in_the_table() == names_in_the_block()


def test_nothing_else_in_the_product_reads_the_environment_by_an_undocumented_name() -> None:
    reading = re.compile(r'(?:environ(?:\.get\(|\[|\.setdefault\()|getenv\()\s*"([A-Z_]+)"')
    found = {
        name
        for app in ("casino", "tables", "audit")
        for path in (ROOT / app).rglob("*.py")
        for name in reading.findall(path.read_text())
    }
    assert found - set(names_in_the_table()) == {"DJANGO_SETTINGS_MODULE"}


def test_production_starts_with_everything_named(monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_settings(monkeypatch, PRODUCTION)
    assert (read["SECRET_KEY"], read["DATABASE_IS_EMBEDDED"]) == ("s" * 60, False)
    assert read["WALLET_IS_OURS"] is False


def test_with_rabbitmq_what_only_says_look_lapses_apart_from_what_is_meant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = read_settings(monkeypatch, PRODUCTION)
    queues = {queue.name: queue.queue_arguments for queue in read["CELERY_TASK_QUEUES"]}
    assert {name: "x-dead-letter-routing-key" in how for name, how in queues.items()} == {
        "bluecard.persons": True,
        "bluecard": True,
        "bluecard.looks": False,  # or what lapsed would lie among what was given up
    }
    assert {how["x-queue-type"] for how in queues.values()} == {"quorum"}
    rung = [tick["options"] for tick in read["CELERY_BEAT_SCHEDULE"].values()]
    assert {how["queue"] for how in rung} == {"bluecard.looks"}
    assert {how["expires"] for how in rung} == {60, 600, 3600}


def test_without_any_name_everything_is_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_settings(monkeypatch, {})
    assert (read["DATABASE_IS_EMBEDDED"], read["BROKER_IS_PGMQ"], read["WALLET_IS_OURS"]) == (
        True,
        True,
        True,
    )
    assert read["DATABASES"]["default"]["USER"] == "bluecard_app"
    assert read["DEBUG"] is False


@pytest.mark.parametrize("name", [name for name in PRODUCTION if name != "BLUECARD_MODE"])
def test_production_has_no_default_for(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImproperlyConfigured) as refused:
        read_settings(monkeypatch, {**PRODUCTION, name: ""})
    assert str(refused.value) == f"BLUECARD_MODE=production needs {name} (see docs/settings.md)"


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"BLUECARD_MODE": "prod"}, "BLUECARD_MODE is development or production, not 'prod'"),
        ({"WEB_PORT": "http"}, "WEB_PORT has to be a whole number, not 'http'"),
        ({"WEB_PORT": "99999"}, "WEB_PORT has to be from 0 to 65535, not 99999"),
        ({"WEB_PORT": "-1"}, "WEB_PORT has to be from 0 to 65535, not -1"),
        ({"WEB_WORKERS": "0"}, "WEB_WORKERS has to be from 1 to 2147483647, not 0"),
        ({"LOG_LEVEL": "loud"}, "LOG_LEVEL is DEBUG, INFO, WARNING, ERROR or CRITICAL, not 'LOUD'"),
        ({"DATABASE_URL": "postgresql://db.example"}, "names no database"),
        ({"DATABASE_URL": "sqlite:///db"}, "not a PostgreSQL URL"),
        ({"DATABASE_URL": "dbname=x", "BLUECARD_AS_OWNER": "1"}, "name its owner's DATABASE_OWNER_URL"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(
    environment: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ImproperlyConfigured, match=message):
        read_settings(monkeypatch, environment)


def test_a_database_url_of_a_real_server() -> None:
    database = database_from_url(
        "postgresql://app:pa%3Ass@db.example:6543/cards?sslmode=require", pool_size=8
    )
    assert database == {
        "ENGINE": "django.db.backends.postgresql",
        "CONN_MAX_AGE": 0,
        "NAME": "cards",
        "USER": "app",
        "PASSWORD": "pa:ss",
        "HOST": "db.example",
        "PORT": "6543",
        "OPTIONS": {"sslmode": "require", "pool": {"min_size": 1, "max_size": 8, "timeout": 10}},
    }


def test_a_database_url_that_is_none_says_so_without_its_password() -> None:
    with pytest.raises(ImproperlyConfigured, match="not a PostgreSQL URL"):
        database_from_url("mysql://u:secret@h/db")


def test_root_keeps_its_state_outside_the_checkout() -> None:
    checkout = Path("/somewhere/checkout")
    assert state_folder("", checkout, uid=0) == Path("/var/lib/bluecard")
    assert state_folder("", checkout, uid=1000) == Path("/somewhere/checkout/.local")
    assert state_folder("/elsewhere", checkout, uid=0) == Path("/elsewhere")


def test_a_socket_path_that_would_be_too_long_is_short() -> None:
    # "/socket/.s.PGSQL.5432" is 21 bytes: 86 more make 107, which is the longest there is.
    longest = Path("/" + "s" * 85)
    assert socket_folder(longest) == longest / "socket"
    too_long = Path("/" + "s" * 86)
    assert socket_folder(too_long).parent == Path("/tmp")
    assert socket_folder(too_long) != socket_folder(Path("/" + "t" * 86))


@pytest.mark.parametrize("state", ["/here,there", "/blue card", "/it's", "/a\\b", '/a"b'])
def test_a_socket_path_that_would_have_to_be_quoted_is_plain(state: str) -> None:
    assert socket_folder(Path(state)).parent == Path("/tmp")


@pytest.mark.parametrize("state", ["/srv/blue card", "/srv/it's", "/" + "s" * 120, "/srv/a,b"])
def test_the_programs_look_for_the_socket_where_the_server_lays_it(
    state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read_settings(monkeypatch, {"BLUECARD_STATE": state})
    assert found["DATABASES"]["default"]["HOST"] == str(socket_folder(Path(state)))
    assert conninfo_to_dict(found["DATABASE_OWNER_URL"]) == {
        "host": str(socket_folder(Path(state))),
        "dbname": "bluecard",
        "user": "bluecard_owner",
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("COMPLAINT_FILING_WINDOW", "a day"),
        ("COMPLAINT_ANSWER_WITHIN", "10 months"),
        ("COMPLAINT_HOLIDAYS", "2026-12-07, 5 December"),
        ("COMPLAINT_WHEN_INCOMPLETE", "perhaps"),
    ],
)
def test_a_setting_of_complaints_that_cannot_be_read_is_named(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ImproperlyConfigured, match=name):
        read_settings(monkeypatch, {name: text})
