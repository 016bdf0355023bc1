"""Where PostgreSQL's programs are looked for, with programs that only tell a version."""

from pathlib import Path

import pytest

from casino.runtime import binaries
from casino.runtime.binaries import NoPostgres, copy_for, find_binaries


def programs(folder: Path, version: str, mode: int = 0o755) -> Path:
    """Make a folder of programs that say they are of this version."""
    folder.mkdir(parents=True)
    for name in ("initdb", "pg_ctl", "postgres"):
        (folder / name).write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")
        (folder / name).chmod(mode)
    return folder


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Provide a machine without wheels, and with a folder where Debian would keep its own."""
    monkeypatch.setattr(binaries, "DEBIAN_FOLDER", tmp_path / "debian")
    monkeypatch.setattr(binaries, "WHEELS", {})
    return tmp_path


def test_the_newest_of_debian_is_taken(machine: Path) -> None:
    programs(machine / "debian" / "9" / "bin", "9.6.24")
    programs(machine / "debian" / "15" / "bin", "15.14 (Debian 15.14-0+deb12u1)")
    newest = programs(machine / "debian" / "17" / "bin", "17.6")
    found = find_binaries()
    assert (found.folder, found.version, found.major) == (newest, "17.6", 17)


def test_a_named_folder_goes_before_all_others(machine: Path) -> None:
    programs(machine / "debian" / "17" / "bin", "17.6")
    named = programs(machine / "named", "15.1")
    assert find_binaries(str(named)).folder == named


def test_a_beta_has_a_major_version_too(machine: Path) -> None:
    assert find_binaries(str(programs(machine / "named", "19beta2"))).major == 19


def test_programs_made_for_another_machine_are_passed_over(machine: Path) -> None:
    foreign = programs(machine / "debian" / "18" / "bin", "18.1")
    (foreign / "postgres").write_bytes(b"\x7fELF\x02\x01\x01 no machine has this one")
    fitting = programs(machine / "debian" / "16" / "bin", "16.3")
    assert find_binaries().folder == fitting


@pytest.mark.parametrize("version", ["14.19", "nothing like a version"])
def test_a_named_folder_that_does_not_do_is_refused(machine: Path, version: str) -> None:
    programs(machine / "debian" / "17" / "bin", "17.6")
    named = programs(machine / "named", version)
    with pytest.raises(NoPostgres, match=r"PG_BIN_DIR=.* has no working PostgreSQL of version 15 or newer"):
        find_binaries(str(named))


def test_a_machine_without_any_is_told_what_to_do(machine: Path) -> None:
    with pytest.raises(NoPostgres, match=r"apt-get install postgresql.*PG_BIN_DIR.*DATABASE_URL"):
        find_binaries()


def test_a_wheel_goes_before_debian_and_gets_its_executable_bits_back(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(machine / "debian" / "17" / "bin", "17.6")
    inside = programs(machine / "site" / "carrier" / "pginstall" / "bin", "18.6", mode=0o644)
    (machine / "site" / "carrier" / "__init__.py").touch()
    monkeypatch.syspath_prepend(machine / "site")
    monkeypatch.setattr(binaries, "WHEELS", {"not_installed": ("bin",), "carrier": ("pginstall/bin",)})
    found = find_binaries()
    assert (found.folder, found.version) == (inside, "18.6")


def test_a_copy_keeps_the_libraries_where_the_programs_look_for_them(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(machine / "site" / "carrier" / "pginstall" / "bin", "18.6")
    (machine / "site" / "carrier" / "__init__.py").touch()
    (machine / "site" / "carrier.libs").mkdir(mode=0o700)
    (machine / "site" / "carrier.libs" / "libpq.so.5").write_text("a library")
    monkeypatch.syspath_prepend(machine / "site")
    monkeypatch.setattr(binaries, "WHEELS", {"carrier": ("pginstall/bin",)})
    state = machine / "state"
    state.mkdir()

    copied = copy_for(find_binaries(), state)

    assert copied.folder == state / "programs-18.6" / "carrier" / "pginstall" / "bin"
    library = copied.folder / ".." / ".." / ".." / "carrier.libs" / "libpq.so.5"
    assert library.read_text() == "a library"
    assert library.resolve().parent.stat().st_mode & 0o777 == 0o755  # another account gets in
    assert copy_for(find_binaries(), state) == copied


def test_programs_of_the_system_are_not_copied(machine: Path) -> None:
    programs(machine / "debian" / "17" / "bin", "17.6")
    found = find_binaries()
    assert copy_for(found, machine / "state") is found
    assert not (machine / "state").exists()
