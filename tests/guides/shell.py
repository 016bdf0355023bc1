"""One bash that runs the blocks of a guide after each other, as somebody would who types them in."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from casino.runtime.places import ROOT

END = "-- end of the block --"


class BlockFailed(Exception):
    """A block ended the shell; the message holds what was said to the last."""


class Shell:
    """A running bash; it ends at the first command that fails."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process, self._folder = process, folder

    def run(self, block: str) -> str:
        """Run one block and return what it wrote.

        :raises BlockFailed: if a command of it failed.
        """
        script = self._folder / "block.sh"
        script.write_text(block)
        assert self._process.stdin is not None
        self._process.stdin.write(f". '{script}' </dev/null; echo; echo '{END}'\n")
        self._process.stdin.flush()
        return "\n".join(self._lines()).strip()

    def _lines(self) -> Iterator[str]:
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            if line.rstrip("\n") == END:
                return
            said.append(line)
            yield line.rstrip("\n")
        errors = (self._folder / "errors").read_text()
        raise BlockFailed("".join(said) + errors)


@contextmanager
def shell(folder: Path, environment: dict[str, str], curl: str) -> Iterator[Shell]:
    """Start bash in the project's folder, with a curl of this name: `own` or the machine's."""
    programs = folder / "programs"
    programs.mkdir()
    for name in ("python3", *(["curl"] if curl == "own" else [])):
        arguments = f" '{Path(__file__).with_name('curl.py')}'" if name == "curl" else ""
        (programs / name).write_text(f"#!/bin/sh\nexec '{sys.executable}'{arguments} \"$@\"\n")
        (programs / name).chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    with (folder / "errors").open("w") as errors:
        process = subprocess.Popen(
            ["bash", "-eu", "-o", "pipefail"],
            cwd=ROOT,
            env={**environment, "PATH": path, "TMPDIR": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            yield Shell(process, folder)
        finally:
            process.kill()
            process.communicate()


def curls() -> list[str]:
    """Name the curls to try: our own always, the machine's where it has one."""
    return ["own", *(["curl"] if shutil.which("curl") else [])]
