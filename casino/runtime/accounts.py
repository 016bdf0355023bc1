"""Which account the servers run as: PostgreSQL refuses root."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: In this order, the first that exists. A uid without a passwd entry would fail in initdb.
UNPRIVILEGED_ACCOUNTS = ("postgres", "nobody")


class NoAccount(Exception):
    """Root has no account to hand the servers to."""


@dataclass(frozen=True)
class Account:
    """Who runs the servers, and whether that is somebody else than we are."""

    name: str
    uid: int
    gid: int
    is_other: bool

    def give(self, path: Path) -> None:
        """Make the account the owner of a file or folder of ours."""
        if self.is_other:
            os.chown(path, self.uid, self.gid)

    def run(self, command: list[str], *, home: Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
        """Run a program as the account, with a HOME it can write to."""
        environment = {**os.environ, "HOME": str(home), "LC_ALL": "C", "TZ": "UTC"}
        for name in [name for name in environment if name.startswith("PG")]:
            del environment[name]  # a PGDATA or PGHOST of the caller must not reach our server
        if self.is_other:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(command, env=environment, cwd=home, check=False, **options)


def serving_account() -> Account:
    """Return the account the servers run as: ourselves, or an unprivileged one when we are root.

    :raises NoAccount: if we are root and none of the known accounts exists.
    """
    if os.geteuid() != 0:
        return Account(name=str(os.geteuid()), uid=os.geteuid(), gid=os.getegid(), is_other=False)
    for name in UNPRIVILEGED_ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(name=name, uid=entry.pw_uid, gid=entry.pw_gid, is_other=True)
    raise NoAccount(
        "PostgreSQL refuses to run as root, and neither of the accounts postgres and nobody exists here: "
        "create one (useradd --system postgres), run as an ordinary user, or set DATABASE_URL."
    )
