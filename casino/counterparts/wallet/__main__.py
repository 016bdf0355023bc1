"""`python -m casino.counterparts.wallet`: run the wallet until it is told to stop."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
from pathlib import Path

from casino.counterparts.wallet.ledger import Ledger, StoreError
from casino.counterparts.wallet.server import WalletServer


def main(arguments: list[str] | None = None) -> int:
    """Serve the wallet and return the exit status: 0 stopped, 1 the store failed, 2 wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m casino.counterparts.wallet", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True, help="0 takes a free port and prints it")
    parser.add_argument("--store", type=Path, required=True, help="the file that holds the books")
    parser.add_argument("--opening-minor", type=int, default=10_000_000, help="what every player starts with")
    parser.add_argument("--verbose", action="store_true", help="log every request")
    options = parser.parse_args(arguments)
    level = logging.INFO if options.verbose else logging.WARNING
    logging.basicConfig(level=level, format="wallet: %(message)s")
    secret = os.environ.get("WALLET_SECRET", "")
    if not secret:
        parser.error("WALLET_SECRET must be set to the secret shared with the product")
    try:
        ledger = Ledger(options.store, opening_minor=options.opening_minor)
    except (StoreError, OSError) as problem:
        print(f"wallet: {problem}", file=sys.stderr)
        return 1
    try:
        server = WalletServer((options.host, options.port), ledger=ledger, secret=secret.encode())
    except OSError as problem:
        print(f"wallet: cannot listen on {options.host}:{options.port}: {problem}", file=sys.stderr)
        return 1

    def on_signal(number: int, frame: object) -> None:
        # serve_forever runs in this very thread, and shutdown() waits for it.
        threading.Thread(target=server.stop).start()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    host, port = server.server_address[:2]
    print(f"wallet listening on http://{host!s}:{port}, {ledger.size()} transactions", flush=True)
    server.serve_forever(poll_interval=0.1)
    server.server_close()
    if server.failure is not None:
        print(f"wallet: {server.failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
