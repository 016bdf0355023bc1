"""The process that measures: `python -m casino.bench FIGURE ROWS RUNS`, in the bench's own database.

Writes one JSON line a figure on standard output, and what it is doing on standard error.
"""

import json
import signal
import sys

import django


def main(arguments: list[str]) -> None:
    """Take one figure, or settle one round. Told to end, it ends the web server it started as well."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    django.setup()
    from casino.bench.bulk_ruling import bench_bulk, help_one
    from casino.bench.figure import Size
    from casino.bench.ingest import bench_ingest
    from casino.bench.lookup import bench_lookup
    from casino.bench.resettle import bench_resettle
    from casino.bench.seal import bench_seal
    from casino.bench.settle import bench_settle, settle_one

    name, number, *runs = arguments[0], *map(int, arguments[1:])
    if name == "settle-one":
        print(json.dumps(settle_one(number)), flush=True)
        return
    if name == "help-ruling":
        for line in help_one(number):
            print(line, flush=True)
        return
    figures = {
        "settle": bench_settle,
        "resettle": bench_resettle,
        "bulk": bench_bulk,
        "ingest": bench_ingest,
        "lookup": bench_lookup,
        "seal": bench_seal,
    }

    def say(words: str) -> None:
        print(f"{name}: {words}", file=sys.stderr, flush=True)

    for figure in figures[name](Size(number, *runs), say):
        print(json.dumps(figure.as_json()), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
