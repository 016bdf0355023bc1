"""`bench ingest`: bets through the HTTP API, beside bare COPY of the same rows into the same table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from io import StringIO

import httpx
from django.db import connection, transaction
from django.utils import timezone

from casino.bench.figure import Figure, Say, Size, alternate, seconds_of
from casino.bench.house import open_house
from casino.bench.play import Play
from casino.bench.web import web_server
from tables.models import Bet, FeedEvent, GameTable, PlayerIdentity, Round
from tables.rulebooks import load_shipped
from tables.services.actors import SYSTEM
from tables.services.api_keys import Scope, make_api_key
from tables.services.bets import COPY_BETS

THROUGH_API, BARE_COPY = "bets through the API", "bare COPY of the same rows"
MANY, ONE = "events, many in a request", "events, one in a request"
RULEBOOK = "insurance"
JSON_LINES = {"Content-Type": "application/x-ndjson"}


def bench_ingest(size: Size, say: Say) -> Iterator[Figure]:
    """Take the figures of a table's feed: bets a run, and a fiftieth as many events."""
    table = open_house(RULEBOOK)
    _, secret = make_api_key(
        label="bench", table=table, scopes=[Scope.FEED_WRITE], actor=SYSTEM, at=timezone.now()
    )
    play = Play(table.code, load_shipped(RULEBOOK), timezone.now())
    with web_server() as client:
        feed = _Feed(client, table, secret)
        feed.send([*play.open_table(), *play.start_shoe()])
        yield _bench_bets(feed, play, size, say)
        yield _bench_events(feed, play, Size(max(20, size.rows // 50), size.runs), say)


class _Feed:
    """A table's feed over HTTP. Whatever is not accepted ends the bench: the figure would be another."""

    def __init__(self, client: httpx.Client, table: GameTable, secret: str) -> None:
        self.client, self.table = client, table
        self.path = f"/api/v1/tables/{table.code}/events"
        self.headers = {**JSON_LINES, "Authorization": f"Bearer {secret}"}

    def send(self, events: list[bytes]) -> float:
        """Send events in one request, and return how long the answer took.

        :raises RuntimeError: if one of them, or one of their bets, was refused.
        """
        body = b"\n".join(events)
        begun = time.perf_counter()
        answer = self.client.post(self.path, content=body, headers=self.headers)
        taken = time.perf_counter() - begun
        if answer.status_code != 200:
            raise RuntimeError(f"the feed answered {answer.status_code}: {answer.text[:500]}")
        for event in answer.json()["events"]:
            if event["status"] != "accepted" or event["refused_bets"]:
                raise RuntimeError(f"not accepted: {str(event)[:500]}")
        return taken


def _bench_bets(feed: _Feed, play: Play, size: Size, say: Say) -> Figure:
    rows = size.rows
    say(f"{rows:,} bets a run, through the API and by COPY")
    # A first round, not measured, makes the players known and the web server warm.
    _send_bets(feed, play, rows)
    players = dict(PlayerIdentity.objects.values_list("reference", "player_id"))

    def copy(_run: int) -> float:
        blob, columns = _as_copied(feed, play, players, rows)

        def write() -> None:
            with transaction.atomic(), connection.cursor() as cursor:
                with cursor.copy(columns) as stream:
                    stream.write(blob)

        return seconds_of(write)

    figure = Figure("ingest", f"{rows:,} bets of a table's feed, durable when answered")
    subjects = {THROUGH_API: lambda _run: _send_bets(feed, play, rows), BARE_COPY: copy}
    figure.runs = alternate(subjects, runs=size.runs, say=say)
    figure.compare("through the API / COPY", THROUGH_API, BARE_COPY)
    for subject, seconds in figure.medians.items():
        figure.values[f"{subject}, a second"] = round(rows / seconds)
    return figure


def _send_bets(feed: _Feed, play: Play, rows: int) -> float:
    """Open a round, measure the sending of its bets, and play it to its end."""
    name, opened = play.open_round()
    feed.send([opened])
    taken = feed.send(list(play.say_bets(name, play.bet(name, rows))))
    feed.send(list(play.deal_round(name)))
    return taken


def _as_copied(feed: _Feed, play: Play, players: dict[str, int], rows: int) -> tuple[str, str]:
    """Write the bets of another round of the same size as COPY wants them."""
    name, opened = play.open_round()
    feed.send([opened])
    bets = play.bet(name, rows)
    feed.send(list(play.deal_round(name)))
    round_id = Round.objects.get(table=feed.table, platform_id=name).pk
    event_id = FeedEvent.objects.filter(table=feed.table).order_by("-pk")[0].pk
    at = play.at.isoformat()
    out = StringIO()
    for bet in bets:
        front = f"{bet['id']}\t{round_id}\t{players[bet['player']]}\t{bet['bet']}\t\t\\N\t{bet['stake']}"
        out.write(f"{front}\t\t\taccepted\t\t{at}\t{event_id}\n")
    return out.getvalue(), COPY_BETS


def _bench_events(feed: _Feed, play: Play, size: Size, say: Say) -> Figure:
    events = size.rows
    say(f"{events:,} events a run, many in a request and one in a request")
    counted: dict[str, list[int]] = {MANY: [], ONE: []}

    def many(_run: int) -> float:
        sent = list(play.play_rounds(events))
        counted[MANY].append(len(sent))
        return len(sent) / feed.send(sent)

    def one(_run: int) -> float:
        sent = list(play.play_rounds(max(10, events // 20)))
        counted[ONE].append(len(sent))
        return len(sent) / sum(feed.send([event]) for event in sent)

    figure = Figure("ingest.events", "events of small rounds, ten bets each", unit="/s")
    figure.runs = alternate({MANY: many, ONE: one}, runs=size.runs, say=say)
    figure.compare("many in a request / one in a request", MANY, ONE)
    for subject, numbers in counted.items():
        figure.values[f"{subject}: events a run"] = numbers[0]
    figure.values["bets in all"] = Bet.objects.count()
    return figure
