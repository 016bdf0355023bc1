"""`make run`: PostgreSQL, the schema, what ships with the product, then all programs under one supervisor."""

import contextlib
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

try:
    from casino import settings
except ImproperlyConfigured as reason:
    sys.exit(f"bluecard: {reason}")
from audit.keys import published_beside
from casino.runtime.accounts import NoAccount
from casino.runtime.binaries import NoPostgres
from casino.runtime.places import ROOT
from casino.runtime.postgres import PostgresServer, ServerFailed
from casino.runtime.provision import provision
from casino.runtime.supervisor import Program, Supervisor

PYTHON = sys.executable
USUAL_PORT = 8000
PORTS_TRIED = 20
CELERY = (PYTHON, "-m", "celery", "--quiet", "-A", "casino")
WORKER_OPTIONS = ("-l", "WARNING", "--without-gossip", "--without-mingle")
#: Tasks are JSON from our own database: running as root adds no danger worth a warning at every start.
WORKER_ENVIRONMENT = {"PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges"}
#: Who asks when all ends is answered, but not waited for as long as the supervisor waits.
WEB_OPTIONS = (
    *("--threads", "4", "--timeout", "120", "--graceful-timeout", "10"),
    *("--no-control-socket", "--log-level", "warning"),
)


class CannotRun(Exception):
    """Something on this machine is in the way; the message says what to do."""


def main() -> int:
    """Bring everything up and keep it up; return the exit status."""
    environment = choose_ports()
    with _database() as server:
        for module in ("casino.runtime.set_up", "casino.runtime.ship"):
            subprocess.run([PYTHON, "-m", module], cwd=ROOT, env={**os.environ, **environment}, check=True)
        # Asked again: setting up takes minutes, in which another may have come to listen where nobody did.
        return Supervisor(programs(choose_ports()), watch=_watch(server)).run()


def choose_ports() -> dict[str, str]:
    """Return the environment that tells every program where web server, wallet and recorder listen.

    :raises CannotRun: if a port that somebody asked for is taken, or nobody can listen there.
    """
    web = settings.WEB_PORT
    if web and not _is_free(settings.WEB_HOST, web):
        raise CannotRun(f"port {web} is taken; name another one in WEB_PORT, or none to have one found")
    environment = {
        "WEB_PORT": str(web or _first_free(settings.WEB_HOST, USUAL_PORT)),
        "WALLET_SECRET": settings.WALLET_SECRET,
        "RECORDER_SECRET": settings.RECORDER_SECRET,
    }
    if settings.WALLET_IS_OURS:
        port = urlsplit(settings.WALLET_URL).port or 80
        environment["WALLET_URL"] = f"http://127.0.0.1:{_first_free('127.0.0.1', port)}"
    if settings.RECORDER_IS_OURS:
        port = urlsplit(settings.RECORDER_URL).port or 80
        taken = urlsplit(environment.get("WALLET_URL", "")).port
        port = max(port, taken + 1) if taken else port
        environment["RECORDER_URL"] = f"http://127.0.0.1:{_first_free('127.0.0.1', port)}"
    return environment


def programs(environment: dict[str, str]) -> list[list[Program]]:
    """Return the stages: what serves, then the demo day through it, then the tables that go on dealing."""
    serving = [
        Program("web", _web(environment["WEB_PORT"]), environment),
        Program("worker", (*CELERY, "worker", *WORKER_OPTIONS), environment | WORKER_ENVIRONMENT),
        Program("beat", (*CELERY, "beat", "-l", "WARNING"), environment),
        Program("sealer", (PYTHON, "manage.py", "seal"), environment),
    ]
    if settings.WITNESS_IS_OURS:
        serving.append(Program("witness", _witness(), environment, is_counterpart=True))
    ours = {"recorder": settings.RECORDER_IS_OURS, "wallet": settings.WALLET_IS_OURS}
    for name in (name for name, is_ours in ours.items() if is_ours):
        serving.insert(0, _counterpart(name, environment))
    welcome = Program("ready", (PYTHON, "-m", "casino.runtime.welcome"), environment, is_once=True)
    if settings.IS_PRODUCTION:
        return [serving, [welcome]]
    demo = (PYTHON, "manage.py", "demo", "--days", str(settings.DEMO_DAYS))
    day = Program("demo", demo, environment, is_once=True)
    live = Program("live", (PYTHON, "manage.py", "demo", "--live"), environment)
    # Said twice: one may look around while the day is played, and its lines push the address out of sight.
    return [serving, [welcome], [day], [live, welcome]]


def _counterpart(name: str, environment: dict[str, str]) -> Program:
    """Return the small wallet or recorder, with a store that outlives it."""
    port = str(urlsplit(environment[f"{name.upper()}_URL"]).port)
    store = str(settings.BLUECARD_STATE / f"{name}.log")
    command = (PYTHON, "-m", f"casino.counterparts.{name}", "--port", port, "--store", store)
    return Program(name, command, environment, is_counterpart=True)


def _web(port: str) -> tuple[str, ...]:
    options = ("--bind", f"{settings.WEB_HOST}:{port}", "--workers", str(settings.WEB_WORKERS), *WEB_OPTIONS)
    return (PYTHON, "-m", "gunicorn", "casino.wsgi", *options)


def _witness() -> tuple[str, ...]:
    folder = str(settings.BLUECARD_STATE / "witness")
    published = str(published_beside(Path(settings.JOURNAL_KEY_FILE)))
    return (PYTHON, "-m", "audit.witness", "--port", "0", "--folder", folder, "--log-key", published)


@contextlib.contextmanager
def _database() -> Iterator[PostgresServer | None]:
    if not settings.DATABASE_IS_EMBEDDED:
        yield None
        return
    server = PostgresServer(settings.BLUECARD_STATE, settings.PG_BIN_DIR)
    with server.in_use() as started:
        provision(server.url())
        print(f"PostgreSQL {'started' if started else 'was running'}: {server.data}", flush=True)
        yield server


def _watch(server: PostgresServer | None) -> Callable[[], str] | None:
    if server is None:
        return None

    def start_again() -> str:
        is_back = not server.is_answering() and server.ensure_running()
        return "PostgreSQL was gone and has been started again" if is_back else ""

    return start_again


def _is_free(host: str, port: int) -> bool:
    """Say whether nobody listens at a port.

    :raises CannotRun: if we could not listen there in any case: a host of another machine, a port of root's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            why = f"cannot listen at {host}, port {port} ({error.strerror or error})"
            raise CannotRun(f"{why}; see WEB_HOST and WEB_PORT") from error
    return True


def _first_free(host: str, port: int) -> int:
    for candidate in range(port, port + PORTS_TRIED):
        if _is_free(host, candidate):
            if candidate != port:
                print(f"Port {port} is taken: using {candidate}", flush=True)
            return candidate
    raise CannotRun(f"ports {port} to {port + PORTS_TRIED} are all taken; name a free one in WEB_PORT")


if __name__ == "__main__":
    os.chdir(ROOT)
    try:
        sys.exit(main())
    except (CannotRun, ServerFailed, NoPostgres, NoAccount) as reason:
        sys.exit(f"bluecard: {reason}")
    except subprocess.CalledProcessError as failure:
        sys.exit(f"bluecard: {' '.join(failure.cmd[1:])} failed; its last lines say why")
    except KeyboardInterrupt:
        sys.exit(130)
