"""Run a program that ends when its parent does: `python leash.py PROGRAM ARGUMENTS`.

Without it, a supervisor killed with SIGKILL would leave its children at work, and their ports taken.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(command: list[str]) -> None:
    """Ask Linux for SIGTERM at the parent's death, then become the program; elsewhere only become it."""
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            sys.exit("the parent has gone already")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
