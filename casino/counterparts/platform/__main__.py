"""Print one table's day as JSON Lines: `python -m casino.counterparts.platform --table B01 > day.jsonl`."""

import sys
from argparse import ArgumentParser
from datetime import datetime

import msgspec

from casino.counterparts.platform import deal_day
from tables.rulebooks import SHIPPED, load_shipped


def main(arguments: list[str] | None = None) -> int:
    """Write the events to standard output, one a line."""
    parser = ArgumentParser(prog="python -m casino.counterparts.platform", description=__doc__)
    parser.add_argument("--table", default="B01")
    parser.add_argument("--rulebook", default="insurance", choices=SHIPPED)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--shoes", type=int, default=3)
    parser.add_argument("--rounds", type=int, help="make short shoes of about so many rounds")
    parser.add_argument("--ends-at", type=datetime.fromisoformat, help="with an offset; by default now")
    options = parser.parse_args(arguments)
    ends_at = options.ends_at or datetime.now().astimezone()
    if ends_at.tzinfo is None:
        parser.error("--ends-at: say the offset as well, as in 2026-11-29T21:30:00+07:00")
    events = deal_day(
        load_shipped(options.rulebook),
        options.table,
        options.seed,
        ends_at,
        shoes=options.shoes,
        rounds=options.rounds,
        closes=True,
    )
    for event in events:
        sys.stdout.buffer.write(msgspec.json.encode(event) + b"\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
