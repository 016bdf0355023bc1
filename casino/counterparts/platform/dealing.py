"""How a shoe is played at a table: the dealer's hands and the clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from casino.counterparts.platform.chance import Chance
from casino.counterparts.platform.dealers import crew_of
from casino.counterparts.platform.room import Room, Wager
from casino.counterparts.platform.script import Script
from casino.counterparts.platform.shoes import DealtRound, DealtShoe
from tables.rules.cards import ALL_CARDS, Card
from tables.rules.drawing import Place, read_coup
from tables.rules.insurance import offers
from tables.rules.rulebook import Rulebook

BETTING_MS: Final = 25_000
INSURANCE_MS: Final = 8_000
SHIFT_MS: Final = 30 * 60_000
CARD_SETS: Final = ("RED", "BLUE")  # a table's two sets of decks: one lies in the shoe, the other is shuffled
HEARTBEAT_MS: Final = 60_000


class Special(StrEnum):
    """What does not happen in every shoe."""

    RESCAN = "rescan"  # the scanner fails once
    KEYED = "keyed"  # it fails twice, and the card is keyed in
    MISREAD = "misread"  # it reads another card, which is put right
    GARBLED = "garbled"  # it sends no card at all; that event is refused, and superseded
    UNKNOWN_BET = "unknown_bet"  # a bet this house does not know
    DEVICE_LOST = "device_lost"  # a player's own device fails, and the round stands


@dataclass
class Floor:
    """One table with its dealers and players."""

    rulebook: Rulebook
    script: Script
    room: Room
    chance: Chance
    shift: int = 0
    shift_ends_ms: int = 0
    copies: dict[Card, int] = field(default_factory=dict)

    def change_dealer(self) -> None:
        """Let the next dealer of the crew take the table, if the shift is over."""
        if self.script.now_ms < self.shift_ends_ms:
            return
        crew = crew_of(self.script.table)
        dealer = crew[self.shift % len(crew)]
        self.script.say("dealer_in", dealer=dealer.reference, name=dealer.name)
        self.shift += 1
        self.shift_ends_ms = self.script.now_ms + SHIFT_MS + self.chance.between(-60_000, 60_000)
        self.script.wait(self.chance.between(5_000, 12_000))

    def rest(self, milliseconds: int) -> None:
        """Let time pass without play; the table says that it is alive."""
        until = self.script.now_ms + milliseconds
        while until - self.script.now_ms > HEARTBEAT_MS:
            self.script.wait(HEARTBEAT_MS)
            self.script.say("heartbeat")
        self.script.wait(until - self.script.now_ms)

    def play_shoe(self, shoe: DealtShoe, shoe_id: str, specials: Mapping[int, Special]) -> None:
        """Play a shoe from its start to its end; `specials` are by round number."""
        script = self.script
        self.copies = shoe.copies()
        colour = CARD_SETS[sum(shoe_id.encode()) % len(CARD_SETS)]
        script.say("shoe_started", shoe=shoe_id, decks=shoe.decks, card_set=f"{script.table}-{colour}")
        script.wait(self.chance.between(14_000, 22_000))
        script.say("cut_card_placed", from_back=shoe.cut_from_back)
        script.wait(self.chance.between(6_000, 10_000))
        turned = str(shoe.turned) if shoe.turned else None
        script.say("burned", turned=turned, count=len(shoe.burned), faces=[str(card) for card in shoe.burned])
        script.wait(self.chance.between(10_000, 15_000))
        for number, dealt in enumerate(shoe.rounds, start=1):
            self.change_dealer()
            round_id = f"{shoe_id}-{number:03}"
            self._play_round(round_id, number, dealt, shoe.blue_position, specials.get(number))
            if shoe.blue_position == dealt.out_after:
                script.say("blue_card")
                script.wait(2_000)
        script.say("shoe_ended", reason="last_round", left=shoe.left)

    def _play_round(
        self, round_id: str, number: int, dealt: DealtRound, blue_position: int, special: Special | None
    ) -> None:
        script, chance = self.script, self.chance
        if dealt.discard:
            script.say("card_out", reason="discard", card=str(dealt.discard), device=self._scanner)
            script.wait(chance.between(1_200, 2_000))
        script.say("betting_opened", round=round_id, number=number)
        sent = self._take_bets(round_id, self.room.place_bets(number, BETTING_MS), special)
        if special is Special.DEVICE_LOST:
            script.wait(200)
            script.say("incident", code="player_equipment", round=round_id, note="a player's line failed")
        script.wait(chance.between(1_200, 1_800))
        blue_before = dealt.blue_before(blue_position)
        scanned_badly = chance.between(0, 2)
        hands: dict[str, list[Card]] = {"P": [], "B": []}
        for index, (place, card) in enumerate(dealt.cards):
            if index == blue_before:
                script.say("blue_card")
                script.wait(chance.between(1_200, 2_000))
            self._scan(round_id, place, card, special if index == scanned_badly else None)
            hands[place.value[0]].append(card)
            sent += self._sell_insurance(round_id, hands["P"], hands["B"], self.room.crowd.most_bets - sent)
            script.wait(chance.between(1_100, 1_900))
        coup = read_coup([card for _, card in dealt.cards])
        script.wait(chance.between(800, 1_600))
        script.say(
            "round_result",
            round=round_id,
            outcome=coup.outcome.value,
            player_total=coup.player_total,
            banker_total=coup.banker_total,
        )
        self.room.see_result(coup)
        script.wait(chance.between(5_000, 8_000))

    @property
    def _scanner(self) -> str:
        return f"scanner-{self.script.table}"

    def _scan(self, round_id: str, place: Place, card: Card, special: Special | None) -> None:
        """Let the scanner read a card, or fail to."""
        script = self.script
        at_place = {"round": round_id, "place": place.value}
        match special:
            case Special.RESCAN:
                script.say("scan_failed", **at_place, device=self._scanner)
                script.wait(2_300)
                script.say("card", **at_place, card=str(card), source="rescan", device=self._scanner)
            case Special.KEYED:
                for _ in range(2):
                    script.say("scan_failed", **at_place, device=self._scanner)
                    script.wait(2_300)
                script.wait(4_000)
                script.say("card", **at_place, card=str(card), source="keyed", device=f"desk-{script.table}")
            case Special.GARBLED:
                garbled = script.say("card", **at_place, card="?" + card.suit, device=self._scanner)
                script.wait(900)
                script.say("card", **at_place, card=str(card), device=self._scanner, supersedes=garbled["id"])
            case Special.MISREAD:
                read = self._like(card)
                script.say("card", **at_place, card=str(read), device=self._scanner)
                script.wait(1_400)
                put_right = {"card": str(card), "source": "rescan", "device": self._scanner}
                script.say("card_corrected", **at_place, **put_right)
            case _:
                script.say("card", **at_place, card=str(card), device=self._scanner)

    def _like(self, card: Card) -> Card:
        """Choose another face of the same suit of which the shoe still lets one more be seen."""
        decks = self.rulebook.decks
        free = [other for other in ALL_CARDS if self.copies[other] < decks]
        return self.chance.one_of([other for other in free if other.suit == card.suit and other != card])

    def _take_bets(self, round_id: str, wagers: list[Wager], special: Special | None) -> int:
        """Say the bets of a round until after the bell; return how many."""
        if special is Special.UNKNOWN_BET:
            wagers.append(Wager(wagers[0].player, "super_six", 2_000, BETTING_MS - 1_000))
        batches = self.chance.one_of((1, 1, 2, 3))
        self._say_in_batches(round_id, wagers, BETTING_MS, batches, "betting_closed", {})
        return len(wagers)

    def _sell_insurance(self, round_id: str, player: list[Card], banker: list[Card], room_left: int) -> int:
        """Open insurance where the cards on the table call for it; return how many bought."""
        on_offer = offers(self.rulebook, player, banker)
        if not on_offer:
            return 0
        script = self.script
        ((_, phase), *_) = on_offer
        script.wait(self.chance.between(900, 1_300))
        shown = {kind: str(odds) for (kind, _), odds in on_offer.items()}
        script.say("insurance_opened", round=round_id, phase=phase, shown=shown)
        wagers = self.room.insure(phase, on_offer, INSURANCE_MS, max(room_left, 0))
        batches = self.chance.one_of((1, 1, 2))
        self._say_in_batches(round_id, wagers, INSURANCE_MS, batches, "insurance_closed", {"phase": phase})
        return len(wagers)

    def _say_in_batches(
        self,
        round_id: str,
        wagers: list[Wager],
        open_ms: int,
        batches: int,
        bell: str,
        bell_fields: Mapping[str, str],
    ) -> None:
        """Say bets in a few events, some of them behind the bell, and withdrawals at their own time."""
        script, opened = self.script, self.script.now_ms
        named = [(script.name_bet(), wager) for wager in wagers]
        # A quarter of the time the last bets are still on their way when the bell rings.
        last = open_ms + 500 if self.chance.happens(0.25) else open_ms - 50
        earlier = [self.chance.between(open_ms // 4, open_ms - 3_000) for _ in range(batches - 1)]
        moments: list[tuple[int, int, str, list[tuple[str, Wager]]]] = [(open_ms, 1, bell, [])]
        waiting = named
        for time in (*sorted(earlier), last, open_ms + 1_500):
            batch = [entry for entry in waiting if entry[1].after_ms <= time]
            waiting = [entry for entry in waiting if entry[1].after_ms > time]
            moments.append((time, 0, "bets", batch))
        for entry in named:
            if entry[1].is_taken_back:
                regret = entry[1].after_ms + self.chance.between(1_500, 5_000)
                moments.append((regret, 2, "bets_cancelled", [entry]))
        for time, _, what, entries in sorted(moments, key=lambda moment: moment[:2]):
            if what == "bets" and not entries:
                continue
            script.now_ms = max(opened + time, script.now_ms)
            if what == "bets":
                script.say_bets(round_id, opened, entries)
            elif what == "bets_cancelled":
                script.say("bets_cancelled", bets=[bet_id for bet_id, _ in entries])
            else:
                script.say(bell, round=round_id, **bell_fields)
