"""`python -m casino.counterparts.conformance URL`: check a wallet against Bluecard's protocol."""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time

import httpx

from casino.counterparts.conformance.checks import CHECKS
from casino.counterparts.conformance.wire import Failed, Wire, expect

HOLDS, FAILS, WRONG_USE = 0, 1, 2
RESTART_SECONDS = 60.0


def main(arguments: list[str] | None = None) -> int:
    """Run the checks and return the exit status: 0 all hold, 1 one does not, 2 wrong usage or no wallet."""
    options = _parse(arguments)
    secret = os.environ.get("WALLET_SECRET", "")
    chosen = [one for one in CHECKS if not options.only or one.name in options.only]
    if options.list:
        for one in CHECKS:
            print(f"{one.name}: {one.sentence}")
        return HOLDS
    unknown = sorted(set(options.only or ()) - {one.name for one in CHECKS})
    problem = ""
    if not secret:
        problem = "WALLET_SECRET must be set to the secret the wallet knows"
    elif unknown:
        problem = f"no such check: {', '.join(unknown)} (--list names them)"
    elif not _is_there(options.url):
        problem = f"nobody answers GET {options.url.rstrip('/')}/health with 200"
    if problem:
        print(f"conformance: {problem}", file=sys.stderr)
        return WRONG_USE
    wire = Wire(
        options.url, secret, run=secrets.token_hex(4), currency=options.currency, players=options.player or ()
    )
    failed = 0
    for one in chosen:
        failed += not _holds(one.name, one.sentence, lambda check=one: check.run(wire))
    if options.restart:
        sentence = "after a restart every key is known, and every sum is what it was"
        failed += not _holds("restart", sentence, lambda: _restart(wire, options.restart))
    wire.close()
    run = len(chosen) + bool(options.restart)
    print(f"{run - failed} of {run} hold")
    return FAILS if failed else HOLDS


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m casino.counterparts.conformance",
        description="Check a wallet against docs/wallet.md. The secret comes from WALLET_SECRET. Money is "
        "booked for test accounts: never run it against a wallet with real ones.",
    )
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8101", help="where the wallet listens")
    parser.add_argument("--currency", default="THB", help="the currency of the test accounts")
    parser.add_argument(
        "--player", action="append", metavar="NAME", help="a test account; name at least two, else new names"
    )
    parser.add_argument("--only", action="append", metavar="CHECK", help="run this check; may be repeated")
    parser.add_argument("--restart", metavar="COMMAND", help="a shell command that kills and starts it")
    parser.add_argument("--list", action="store_true", help="name the checks and end")
    return parser.parse_args(arguments)


def _holds(name: str, sentence: str, run: object) -> bool:
    assert callable(run)
    try:
        run()
    except Failed as problem:
        print(f"FAIL  {name}: {sentence}\n      {problem}", flush=True)
        return False
    print(f"ok    {name}: {sentence}", flush=True)
    return True


def _restart(wire: Wire, command: str) -> None:
    """Book, restart the wallet, and look whether it remembers."""
    player = wire.player()
    message = wire.message(player, 195)
    first = wire.book(message)
    subprocess.run(command, shell=True, check=False, timeout=RESTART_SECONDS)
    give_up = time.monotonic() + RESTART_SECONDS
    while not _is_there(wire.url):
        expect(time.monotonic() < give_up, f"not back after {RESTART_SECONDS:.0f} seconds")
        time.sleep(0.2)
    again = wire.ask(message)
    expect(again["status"] == "duplicate", f"the same message was answered {again['status']!r}")
    expect(wire.book(wire.message(player, 1)) == first + 1, "the balance is another one")


def _is_there(url: str) -> bool:
    try:
        return httpx.get(url.rstrip("/") + "/health", timeout=5, trust_env=False).status_code == 200
    except (httpx.HTTPError, httpx.InvalidURL):
        return False


if __name__ == "__main__":
    sys.exit(main())
