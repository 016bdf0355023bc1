"""Where things lie on this machine. Plain paths: reads no settings, makes no folder."""

import hashlib
import os
import re
from pathlib import Path

#: The checkout: the folder of manage.py.
ROOT = Path(__file__).resolve().parents[2]

#: A Unix socket's path ends here (sockaddr_un); PostgreSQL refuses a longer one.
SOCKET_PATH_BYTES = 107
PLAIN_PATH = re.compile(r"[\w/.+~@:-]+")
SOCKET_NAME = ".s.PGSQL.5432"


def state_folder(chosen: str, root: Path = ROOT, uid: int | None = None) -> Path:
    """Return the folder for data, sockets and logs: the one chosen, or this user's usual one.

    Root's lies outside the checkout, where the account that serves the data may not be able to reach it.
    """
    if chosen:
        return Path(chosen).absolute()
    is_root = (os.geteuid() if uid is None else uid) == 0
    return Path("/var/lib/bluecard") if is_root else root / ".local"


def socket_folder(state: Path) -> Path:
    """Return the folder of PostgreSQL's socket: in the state folder, or a short one if that will not do.

    It will not do if it is too long, or if it would have to be quoted in a connection string, where a comma
    parts hosts; PGMQ's client quotes nothing.
    """
    folder = state / "socket"
    if len(os.fsencode(folder / SOCKET_NAME)) <= SOCKET_PATH_BYTES and PLAIN_PATH.fullmatch(str(folder)):
        return folder
    digest = hashlib.sha256(os.fsencode(state)).hexdigest()[:12]
    return Path(f"/tmp/bluecard-{os.geteuid()}-{digest}")
