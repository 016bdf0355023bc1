"""`python -m casino.counterparts.recorder`: run the recorder until it is told to stop."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from pathlib import Path

from casino.counterparts.recorder.server import RecorderServer
from casino.counterparts.recorder.shelf import Shelf


def main(arguments: list[str] | None = None) -> int:
    """Serve the recorder and return the exit status: 0 stopped, 1 it cannot run, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m casino.counterparts.recorder", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True, help="0 takes a free port and prints it")
    parser.add_argument("--store", type=Path, required=True, help="the file that remembers the holds")
    parser.add_argument("--verbose", action="store_true", help="log every request")
    options = parser.parse_args(arguments)
    level = logging.INFO if options.verbose else logging.WARNING
    logging.basicConfig(level=level, format="recorder: %(message)s")
    secret = os.environ.get("RECORDER_SECRET", "")
    if not secret:
        parser.error("RECORDER_SECRET must be set to the secret shared with the product")
    try:
        shelf = Shelf(options.store)
        server = RecorderServer((options.host, options.port), shelf=shelf, secret=secret.encode())
    except OSError as problem:
        print(f"recorder: {problem}", file=sys.stderr)
        return 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: server.stop())
    host, port = server.server_address[:2]
    print(f"recorder listening on http://{host!s}:{port}, {len(shelf.holds())} holds", flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
