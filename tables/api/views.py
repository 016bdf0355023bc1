"""What machines may read. A view checks the right to ask, reads, and writes it out; nothing changes here."""

import re
from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet, Subquery
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tables.api import examples, filters, serializers
from tables.api.base import ApiView
from tables.api.narrowing import narrowed
from tables.api.paging import read_page
from tables.api.problems import unknown
from tables.api.schema import BET_ID, ROUND_ID, SETTLEMENT_ID, SHOE_ID, page_of, problems
from tables.models import (
    Bet,
    Finding,
    GameTable,
    Hold,
    Round,
    Settlement,
    SettlementLine,
    Shoe,
)
from tables.queries.coups import dealings_of_round
from tables.queries.wallet_feed import transactions_after
from tables.rules.round_id import BadRoundId, make_round_id, parse_round_id
from tables.services.api_keys import Scope

SHOE_ID_FORM = re.compile(r"[0-9A-Z]{2,8}-[0-9]{8}-[0-9]{2}", re.ASCII)


class Tables(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_gametable"

    @extend_schema(
        operation_id="list_tables",
        summary="List the tables",
        parameters=[filters.TableList],
        responses={200: page_of(serializers.TableBody), **problems(400, 401, 403)},
        examples=examples.shown_page(examples.TABLE),
    )
    def get(self, request: Request) -> Response:
        """Tables in order of their codes, each with its limits and the rulebook in force."""
        parameters = filters.read_parameters(filters.TableList, request)
        found = GameTable.objects.select_related("rulebook").filter(self.own("pk"))
        if wanted := parameters.get("status"):
            found = found.filter(status=wanted)
        return self.page(serializers.TableBody, found, ("code",), parameters)


class Shoes(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_shoe"

    @extend_schema(
        operation_id="list_shoes",
        summary="List shoes",
        parameters=[filters.ShoeList],
        responses={200: page_of(serializers.ShoeBody), **problems(400, 401, 403)},
        examples=examples.shown_page(examples.SHOE),
    )
    def get(self, request: Request) -> Response:
        """Shoes by the moment they were started, newest first."""
        parameters = filters.read_parameters(filters.ShoeList, request)
        found = Shoe.objects.select_related("table", "rulebook").filter(self.own("table"))
        names = {"table": "table__code", "status": "status", "card_set": "card_set"}
        found = narrowed(found, parameters, "started_at", **names)
        return self.page(serializers.ShoeBody, found, ("-started_at", "-id"), parameters)


class OneShoe(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_shoe"

    @extend_schema(
        operation_id="read_shoe",
        summary="Read one shoe",
        parameters=[SHOE_ID],
        responses={200: serializers.ShoeBody, **problems(400, 401, 403, 404)},
        examples=examples.shown(examples.SHOE),
    )
    def get(self, request: Request, shoe_id: str) -> Response:
        """One shoe by its ID, such as `B03-20261129-02`."""
        written = shoe_id.strip().upper()
        found = Shoe.objects.select_related("table", "rulebook").filter(self.own("table"))
        shoe = found.filter(public_id=written).first() if SHOE_ID_FORM.fullmatch(written) else None
        if shoe is None:
            raise unknown(f"There is no shoe {shoe_id[:40]!r}; a shoe's ID looks like B03-20261129-02.")
        return Response(self.write(serializers.ShoeBody, shoe))


class Rounds(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_round"

    @extend_schema(
        operation_id="list_rounds",
        summary="List rounds",
        parameters=[filters.RoundList],
        responses={200: page_of(serializers.RoundBody), **problems(400, 401, 403)},
        examples=examples.shown_page(examples.ROUND),
    )
    def get(self, request: Request) -> Response:
        """Rounds by the opening of betting, newest first."""
        parameters = filters.read_parameters(filters.RoundList, request)
        found = _rounds().filter(self.own("table"))
        names = {
            "table": "table__code",
            "shoe": "shoe__public_id",
            "card_set": "shoe__card_set",
            "dealer": "dealer__reference",
            "status": "status",
        }
        found = narrowed(found, parameters, "betting_opened_at", **names)
        return self.page(serializers.RoundBody, found, ("-betting_opened_at", "-id"), parameters)


class RoundView(ApiView):
    """What views of one round share: finding it from an ID as people type it."""

    def find_round(self, round_id: str) -> Round:
        """Find a round by its ID.

        :raises BadRoundId: if the text is no ID; it says which round may be meant.
        :raises Problem: 404 if there is none, 403 if it is another table's.
        """
        try:
            key = parse_round_id(round_id)
        except BadRoundId as error:
            raise BadRoundId(error.code, error.message, self._likeliest_first(error.candidates)) from error
        self.check_table(key.table)
        written = make_round_id(key.table, key.gaming_date, key.shoe, key.number)
        found = _rounds().filter(self.own("table"), public_id=written).first()
        if found is None:
            raise unknown(f"The ID {written} is well-formed, but there is no such round.")
        return found

    def _likeliest_first(self, candidates: Iterable[str]) -> tuple[str, ...]:
        """Put the rounds that exist before those that only could."""
        named = tuple(candidates)
        rounds = Round.objects.filter(self.own("table"), public_id__in=named)
        existing = set(rounds.values_list("public_id", flat=True))
        return tuple(sorted(named, key=lambda name: name not in existing))


class OneRound(RoundView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_round"

    @extend_schema(
        operation_id="read_round",
        summary="Read one round",
        parameters=[ROUND_ID],
        responses={200: serializers.RoundDetailBody, **problems(400, 401, 403, 404)},
        examples=examples.shown(examples.ROUND_DETAIL),
    )
    def get(self, request: Request, round_id: str) -> Response:
        """One round by its ID, with the cards of each deal, why they were drawn, findings and open holds.

        The ID is read as people type it: in any case, with spaces, O for 0. One with a slip in it gets a 400
        whose `did_you_mean` names the round that is probably meant; one that is right but unknown gets a 404.
        """
        found: Any = self.find_round(round_id)
        found.deals_read = dealings_of_round(found.pk, found.shoe.decks)
        found.findings_read = list(Finding.objects.filter(round=found).order_by("pk"))
        found.holds_read = list(Hold.objects.filter(round=found, lifted_at=None).order_by("pk"))
        return Response(self.write(serializers.RoundDetailBody, found))


class RoundBets(RoundView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_bet"

    @extend_schema(
        operation_id="list_bets_of_round",
        summary="List the bets of a round",
        parameters=[ROUND_ID, filters.Parameters],
        responses={200: page_of(serializers.BetBody), **problems(400, 401, 403, 404)},
        examples=examples.shown_page(examples.BET),
    )
    def get(self, request: Request, round_id: str) -> Response:
        """Bets in the order they were recorded, each with what the newest revision gave it."""
        parameters = filters.read_parameters(filters.Parameters, request)
        round_ = self.find_round(round_id)
        found = _bets().filter(round=round_)
        rows, following = read_page(found, order=("id",), parameters=parameters, request=request)
        _add_newest_lines(round_.pk, rows)
        return Response({"items": self.write(serializers.BetBody, rows, many=True), "next": following})


class OneBet(ApiView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_bet"

    @extend_schema(
        operation_id="read_bet",
        summary="Read one bet",
        parameters=[BET_ID],
        responses={200: serializers.BetBody, **problems(401, 403, 404)},
        examples=examples.shown(examples.BET),
    )
    def get(self, request: Request, platform_bet_id: str) -> Response:
        """One bet by the platform's ID, with what the newest revision gave it."""
        known = _bets().filter(self.own("round__table"))
        bet = known.filter(platform_bet_id=platform_bet_id).first() if platform_bet_id.isprintable() else None
        if bet is None:
            raise unknown(f"There is no bet {platform_bet_id[:64]!r}.")
        _add_newest_lines(bet.round_id, [bet])
        return Response(self.write(serializers.BetBody, bet))


class RoundSettlements(RoundView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_settlement"

    @extend_schema(
        operation_id="list_settlements_of_round",
        summary="List the revisions of a round's settlement",
        parameters=[ROUND_ID, filters.Parameters],
        responses={200: page_of(serializers.SettlementBody), **problems(400, 401, 403, 404)},
        examples=examples.shown_page(examples.SETTLEMENT),
    )
    def get(self, request: Request, round_id: str) -> Response:
        """Revisions of what the round paid, the first one first. None yet: an empty list."""
        parameters = filters.read_parameters(filters.Parameters, request)
        found = _settlements().filter(round=self.find_round(round_id))
        return self.page(serializers.SettlementBody, found, ("revision",), parameters)


class SettlementView(ApiView):
    """What views of one settlement share."""

    def find_settlement(self, settlement_id: int) -> Settlement:
        """Find a settlement by its number.

        :raises Problem: 404 if there is none that the one who asks may see.
        """
        found = _settlements().filter(self.own("round__table"), pk=settlement_id).first()
        if found is None:
            raise unknown(f"There is no settlement {settlement_id}.")
        return found


class OneSettlement(SettlementView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_settlement"

    @extend_schema(
        operation_id="read_settlement",
        summary="Read one revision of a settlement",
        parameters=[SETTLEMENT_ID],
        responses={200: serializers.SettlementBody, **problems(401, 403, 404)},
        examples=examples.shown(examples.SETTLEMENT),
    )
    def get(self, request: Request, settlement_id: int) -> Response:
        """One revision: its verdicts, sums, and what it moved."""
        return Response(self.write(serializers.SettlementBody, self.find_settlement(settlement_id)))


class SettlementLines(SettlementView):
    scopes, permission = (Scope.PLAY_READ,), "tables.view_settlementline"

    @extend_schema(
        operation_id="list_lines_of_settlement",
        summary="List the lines of a settlement",
        parameters=[SETTLEMENT_ID, filters.Parameters],
        responses={200: page_of(serializers.LineBody), **problems(400, 401, 403, 404)},
        examples=examples.shown_page(examples.LINE),
    )
    def get(self, request: Request, settlement_id: int) -> Response:
        """What each bet got by this revision, in the order the bets were recorded."""
        parameters = filters.read_parameters(filters.Parameters, request)
        lines = SettlementLine.objects.select_related("bet__player__identity")
        found = lines.filter(settlement=self.find_settlement(settlement_id))
        return self.page(serializers.LineBody, found, ("bet_id",), parameters)


class WalletFeed(ApiView):
    scopes, permission = (Scope.WALLET_READ,), "tables.view_wallettransaction"

    @extend_schema(
        operation_id="read_wallet_feed",
        summary="Follow the wallet transactions",
        parameters=[filters.TransactionFeed],
        responses={200: serializers.TransactionsBody, **problems(400, 401, 403)},
        examples=examples.shown({"items": [examples.TRANSACTION], "after": "30511", "has_more": False}),
    )
    def get(self, request: Request) -> Response:
        """Transactions that come after the number given, in an order in which none is ever missed.

        Send `after` of the last answer to go on. While one is still being written, those that come after it
        are not shown yet; ask again.
        """
        parameters = filters.read_parameters(filters.TransactionFeed, request)
        rows, after, has_more = transactions_after(
            int(parameters["after"]), of=self.own("settlement__round__table"), limit=parameters["limit"]
        )
        bets = {number for row in rows for number in row.bet_ids}
        names = dict(Bet.objects.filter(pk__in=bets).values_list("pk", "platform_bet_id"))
        for row in rows:
            row.platform_bet_ids = [names[number] for number in row.bet_ids]  # type: ignore[attr-defined]
        items = self.write(serializers.TransactionBody, rows, many=True)
        return Response({"items": items, "after": str(after), "has_more": has_more})


def _rounds() -> QuerySet[Round]:
    return Round.objects.select_related("table", "shoe", "rulebook", "dealer")


def _bets() -> QuerySet[Bet]:
    return Bet.objects.select_related("round", "player__identity")


def _settlements() -> QuerySet[Settlement]:
    return Settlement.objects.select_related("round", "deal", "rulebook")


def _add_newest_lines(round_id: int, bets: Iterable[Any]) -> None:
    """Give each bet of a round its line of the newest revision, or None, in one query."""
    newest = Settlement.objects.filter(round=round_id).order_by("-revision").values("pk")[:1]
    lines = SettlementLine.objects.select_related("settlement").filter(
        settlement_id=Subquery(newest), bet__in=[bet.pk for bet in bets]
    )
    by_bet = {line.bet_id: line for line in lines}
    for bet in bets:
        bet.newest_line = by_bet.get(bet.pk)
