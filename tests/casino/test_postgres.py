"""The embedded server: started once, stopped by its last user, back after every kind of end."""

import os
import pwd
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from casino import settings
from casino.runtime import accounts
from casino.runtime.accounts import Account, NoAccount, serving_account
from casino.runtime.places import ROOT
from casino.runtime.postgres import PostgresServer, ServerFailed
from casino.runtime.provision import APP, DATABASE, OWNER, provision

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root hands its servers to another account")
as_user = pytest.mark.skipif(os.geteuid() == 0, reason="root hands its servers to another account")


@pytest.fixture(scope="module")
def data(state: Path) -> Path:
    """Make the data once: each test starts a server on them, and leaves it stopped."""
    half = state / "postgres" / "data.unfinished"
    half.mkdir(parents=True)
    (half / "PG_VERSION").write_text("18\n")  # an initdb was interrupted here
    PostgresServer(state, settings.PG_BIN_DIR).ensure_running()
    return state


@pytest.fixture
def server(data: Path) -> Iterator[PostgresServer]:
    """Provide a server of the module's own, not running."""
    server = PostgresServer(data, settings.PG_BIN_DIR)
    server.stop()
    yield server
    server.stop()


def postmaster(server: PostgresServer) -> int:
    return int((server.data / "postmaster.pid").read_text().split("\n", 1)[0])


def query(server: PostgresServer, statement: str, **url: str) -> list[tuple[object, ...]]:
    with psycopg.connect(server.url(**url), autocommit=True) as connection:
        return connection.execute(statement).fetchall()  # type: ignore[arg-type]


def test_it_starts_once_and_stops(server: PostgresServer) -> None:
    assert server.is_answering() is False
    assert server.ensure_running() is True
    assert server.ensure_running() is False
    assert query(server, "SHOW listen_addresses") == [("",)]
    assert query(server, "SHOW fsync") == [("on",)]
    assert query(server, "SHOW server_encoding") == [("UTF8",)]
    assert server.socket.stat().st_mode & 0o777 == 0o700
    assert server.stop() is True
    assert server.is_answering() is False
    assert server.stop() is False


def test_provision_makes_two_roles_of_which_neither_is_superuser(server: PostgresServer) -> None:
    server.ensure_running()
    provision(server.url())
    provision(server.url())  # a second time changes nothing
    rows = query(
        server,
        "SELECT rolname, rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname IN"
        f" ('{OWNER}', '{APP}') ORDER BY rolname",
    )
    assert rows == [("bluecard_app", False, False, False), ("bluecard_owner", False, True, False)]
    assert query(server, "SELECT current_user::text", user=APP, dbname=DATABASE) == [("bluecard_app",)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        query(server, "CREATE TABLE mine (id int)", user=APP, dbname=DATABASE)


def test_it_comes_back_after_kill_9_with_what_was_committed(server: PostgresServer) -> None:
    server.ensure_running()
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept SELECT generate_series(1, 1000)")
    os.kill(postmaster(server), signal.SIGKILL)
    assert server.ensure_running() is True
    assert query(server, "SELECT count(*) FROM kept") == [(1000,)]


def test_a_pid_file_of_a_process_that_is_no_server_is_no_server(server: PostgresServer) -> None:
    server.ensure_running()
    file = server.data / "postmaster.pid"
    stale = file.read_text().replace(str(postmaster(server)), str(os.getpid()), 1)
    server.stop()
    file.write_text(stale)  # as after a reboot, when the number belongs to somebody else
    server.account.give(file)
    assert server.is_answering() is False
    assert server.ensure_running() is True


def test_data_of_another_major_version_are_refused_with_the_steps_to_carry_them_over(
    server: PostgresServer,
) -> None:
    server.ensure_running()
    server.stop()
    (server.data / "PG_VERSION").write_text("12\n")
    with pytest.raises(ServerFailed) as refused:
        server.ensure_running()
    assert "was made by PostgreSQL 12" in str(refused.value)
    assert "pg_dumpall" in str(refused.value)
    assert f"mv {server.data} {server.data}-12" in str(refused.value)
    (server.data / "PG_VERSION").write_text(f"{server.binaries().major}\n")
    assert server.ensure_running() is True


def test_an_interrupted_initdb_was_begun_anew(server: PostgresServer) -> None:
    assert (server.data / "PG_VERSION").exists()
    assert not (server.home / "data.unfinished").exists()


USER = """
import sys
from pathlib import Path
from casino.runtime.postgres import PostgresServer
with PostgresServer(Path(sys.argv[1]), sys.argv[2]).in_use() as started:
    print("started" if started else "joined", flush=True)
    sys.stdin.readline()
"""


def use(server: PostgresServer) -> "subprocess.Popen[str]":
    """Use the server from another process until a line is written to it."""
    return subprocess.Popen(
        [sys.executable, "-c", USER, str(server.state), server.bin_dir],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_of_several_users_one_starts_it_and_the_last_stops_it(server: PostgresServer) -> None:
    with use(server) as first, use(server) as second:
        assert sorted([said(first), said(second)]) == ["joined", "started"]
        first.communicate("leave\n", timeout=60)
        assert server.is_answering() is True
        second.communicate("leave\n", timeout=60)
        assert server.is_answering() is False


def test_a_user_that_is_killed_counts_as_gone(server: PostgresServer) -> None:
    with use(server) as first, use(server) as second:
        said(first), said(second)
        first.kill()
        first.wait(timeout=60)
        assert server.is_answering() is True
        second.communicate("leave\n", timeout=60)
        assert server.is_answering() is False


def test_what_was_started_by_hand_stays_when_users_leave(server: PostgresServer) -> None:
    environment = {**os.environ, "BLUECARD_STATE": str(server.state)}

    def command(name: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "casino.runtime.postgres", name],
            cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    assert command("status").returncode == 3
    assert command("start").stdout.startswith("Started: ")
    with server.in_use() as started:
        assert started is False
    assert command("status").stdout.startswith("Running: ")
    assert command("stop").stdout == "Stopped\n"
    assert command("stop").stdout == "Not running\n"
    assert command("restart").returncode == 2


@as_root
def test_root_hands_the_server_to_an_account_that_is_not_root(server: PostgresServer) -> None:
    server.ensure_running()
    process = Path(f"/proc/{postmaster(server)}")
    assert process.stat().st_uid == server.account.uid != 0
    assert f"HOME={server.home}".encode() in (process / "environ").read_bytes().split(b"\0")
    assert server.data.stat().st_uid == server.account.uid


@as_root
def test_root_below_a_closed_folder_is_told_where_to_keep_the_state(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(ServerFailed, match=r"cannot reach .*closed.*BLUECARD_STATE"):
        PostgresServer(closed / "inside" / "state").ensure_running()


@as_user
def test_an_ordinary_user_serves_the_data_itself(server: PostgresServer) -> None:
    server.ensure_running()
    assert server.data.stat().st_uid == os.geteuid()
    assert server.account.is_other is False


def account_entry(name: str, uid: int) -> pwd.struct_passwd:
    return pwd.struct_passwd((name, "x", uid, uid, "", "/", "/bin/false"))


@pytest.mark.parametrize(
    ("existing", "chosen"),
    [
        ({"postgres": 101, "nobody": 65534}, 101),
        ({"nobody": 65534}, 65534),
        ({"postgres": 0, "nobody": 99}, 99),
    ],
)
def test_root_takes_the_first_unprivileged_account_that_exists(
    existing: dict[str, int], chosen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    entries = {name: account_entry(name, uid) for name, uid in existing.items()}
    monkeypatch.setattr(accounts.pwd, "getpwnam", entries.__getitem__)
    account = serving_account()
    assert (account.uid, account.is_other) == (chosen, True)


def test_root_without_any_such_account_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(accounts.pwd, "getpwnam", {}.__getitem__)
    with pytest.raises(NoAccount, match="useradd --system postgres"):
        serving_account()


def test_an_ordinary_user_is_the_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    monkeypatch.setattr(os, "getegid", lambda: 1235)
    assert serving_account() == Account(name="1234", uid=1234, gid=1235, is_other=False)


def test_a_folder_may_have_spaces_and_quotes_in_its_name(data: Path) -> None:
    folder = data / "a 'b' & (c)"
    folder.mkdir(mode=0o711)
    server = PostgresServer(folder, settings.PG_BIN_DIR)
    assert server.socket.parent == Path("/tmp")
    try:
        assert server.ensure_running() is True
        assert query(server, "SELECT 1") == [(1,)]
    finally:
        server.stop()


def test_a_state_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ServerFailed, match=r"file.* cannot be used \(Not a directory\); name a folder"):
        PostgresServer(tmp_path / "file" / "state", settings.PG_BIN_DIR).ensure_running()


def test_a_socket_folder_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "socket").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ServerFailed, match="belongs to somebody else"):
        PostgresServer(tmp_path, settings.PG_BIN_DIR).ensure_running()
