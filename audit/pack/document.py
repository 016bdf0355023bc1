"""An evidence pack in the words of one language: headings, facts, coups and tables, ready to be set."""

from __future__ import annotations

import html
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import translation
from django.utils.html import strip_tags
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from audit.models import EvidencePack
from audit.pack.blocks import NUMBER, TEXT, Block, both, clock, local, table
from audit.pack.facts import Facts
from audit.pack.questions import decision_sections
from audit.pack.video import video_section
from tables import words
from tables.models import Bet, BetStatus, Finding, Hold, Round, Rulebook, Settlement, SettlementLine, Shoe
from tables.queries.coups import Dealing, dealings_of_round
from tables.queries.rulebooks import rules_of
from tables.queries.timeline import outcome_of, timeline_of_round
from tables.rules.cards import hand_total
from tables.rules.currencies import write_money
from tables.rules.sentences import Language, heading, mistake, sentence
from tables.timeline_words import timeline_lines

BETS_SHOWN = 200


def document_of(pack: EvidencePack, facts: Facts, language: Language) -> Block:
    """Put a pack into words; the rest of what does not fit stands in its tables."""
    with translation.override(language):
        return {
            "language": language,
            "title": _("Evidence of %(subject)s") % {"subject": pack.subject_label},
            "facts": _head(pack, facts),
            "sections": [
                *(_shoe_sections(facts.shoe, facts) if facts.is_shoe and facts.shoe else []),
                *(
                    section
                    for round_ in facts.rounds
                    if not facts.is_shoe
                    for section in _round_sections(round_, facts, language)
                ),
                *decision_sections(facts, language),
                *([video_section(facts)] if facts.rounds else []),
                *_rule_sections(facts, language),
                _journal_section(facts),
            ],
        }


def _head(pack: EvidencePack, facts: Facts) -> list[list[str]]:
    at = facts.table
    return [
        [_("Evidence pack"), pack.number],
        [_("Stated at"), both(pack.stated_at, facts.zone)],
        [_("Table"), f"{at.code}, {at.name}" if at else "–"],
        [_("Shoe"), facts.shoe.public_id if facts.shoe else "–"],
        [
            _("Rounds"),
            str(len(facts.rounds)) if facts.shoe else _("The complaint names none that there is"),
        ],
        [_("Rulebook"), "; ".join(_book_name(book) for book in facts.rulebooks)],
        [_("Players"), _("named by reference") if pack.names_players else _("named by internal number")],
    ]


def _book_name(book: Rulebook) -> str:
    return _("%(code)s, version %(version)s") % {"code": book.code, "version": book.version}


def _plain(text: Any) -> str:
    """Return what a page shows, without its markup."""
    return html.unescape(strip_tags(str(text)))


def _money(minor: int | Decimal, round_: Round, *, is_difference: bool = False) -> str:
    return write_money(int(minor), round_.table.currency, is_difference=is_difference)


def _ended(outcome: str, player: Any, banker: Any) -> str:
    if not outcome:
        return _("Void")
    score = f" {player}–{banker}" if player is not None else ""
    return f"{words.WINNERS[outcome]}{score}"


# --- a round --------------------------------------------------------------------------------------------


def _round_sections(round_: Round, facts: Facts, language: Language) -> list[Block]:
    zone = round_.table.zone
    dealings = dealings_of_round(round_.pk, round_.shoe.decks)
    settlements = list(Settlement.objects.filter(round=round_).order_by("revision"))
    return [
        {
            "title": _("The deal"),
            "blocks": [
                {"kind": "facts", "rows": _round_facts(round_, zone)},
                *(block for dealing in reversed(dealings) for block in _coup(dealing, language)),
            ],
        },
        {"title": _("Timeline"), "blocks": [_timeline(round_, dealings, settlements, zone)]},
        {"title": _("Bets"), "blocks": [_bets(round_, settlements, facts)]},
        {"title": _("Revisions"), "blocks": [_revisions(settlements, facts, round_)]},
    ]


def _round_facts(round_: Round, zone: str) -> list[list[str]]:
    state = words.ROUND_STATES.get(round_.status)
    return [
        [_("Round"), round_.public_id],
        [_("Platform's ID"), round_.platform_id],
        [_("Dealer"), round_.dealer.name if round_.dealer else "–"],
        [_("State"), str(state.word) if state else round_.status],
        [_("Result"), _ended(round_.outcome or "", round_.player_total, round_.banker_total)],
        [_("Betting opened"), both(round_.betting_opened_at, zone)],
    ]


def _coup(dealing: Dealing, language: Language) -> list[Block]:
    said = _("Deal %(number)s, which counts") if dealing.is_live else _("Deal %(number)s, dead")
    coup = dealing.coup
    hands = [
        {
            "name": str(words.OUTCOMES[side]),
            "total": hand_total([card.face for card in cards if card.face]) if cards else None,
            "cards": [
                {
                    "face": f"{card.face.rank}{card.face.suit}" if card.face else "",
                    "sideways": card.place.value[1] == "3",
                }
                for card in cards
            ],
        }
        for side, cards in (("player", dealing.player), ("banker", dealing.banker))
    ]
    blocks: list[Block] = [
        {
            "kind": "coup",
            "title": said % {"number": dealing.number},
            "hands": hands,
            "is_dead": not dealing.is_live,
            "verdict": str(words.WINNERS[coup.outcome.value]) if coup else _("No lawful coup"),
        }
    ]
    if dealing.problem:
        blocks.append({"kind": "prose", "text": mistake(dealing.problem, language)})
    if dealing.reasons:
        blocks.append(
            {
                "kind": "facts",
                "rows": [[heading(one, language), sentence(one, language)] for one in dealing.reasons],
            }
        )
    return blocks


def _timeline(round_: Round, dealings: list[Dealing], settlements: list[Settlement], zone: str) -> Block:
    bets = Bet.objects.filter(round=round_)
    moments = timeline_of_round(
        round_,
        dealings=dealings,
        settlements=settlements,
        findings=list(Finding.objects.filter(round=round_).order_by("id")),
        holds=list(Hold.objects.filter(round=round_).select_related("finding").order_by("placed_at")),
        accepted=bets.filter(status=BetStatus.ACCEPTED.value).count(),
        refused=bets.filter(status=BetStatus.REFUSED.value).count(),
    )
    outcomes = {one.pk: _ended(outcome_of(one), None, None) for one in settlements}
    there = ZoneInfo(zone)
    return table(
        [(_("Time at the table"), TEXT), (_("What happened"), TEXT), ("", TEXT)],
        [
            [
                line.at.astimezone(there).strftime("%H:%M:%S.%f")[:-3],
                _plain(line.words),
                _plain(line.aside),
            ]
            for line in timeline_lines(moments, outcomes)
        ],
        wide=1,
    )


def _bets(round_: Round, settlements: list[Settlement], facts: Facts) -> Block:
    bets = list(Bet.objects.filter(round=round_).order_by("-stake_minor", "pk")[: BETS_SHOWN + 1])
    count = Bet.objects.filter(round=round_).count()
    lines = SettlementLine.objects.filter(settlement__in=settlements, bet__in=bets[:BETS_SHOWN])
    got = {(line.settlement_id, line.bet_id): line for line in lines}
    columns = [(_("Bet"), TEXT), (pgettext("person", "Player"), TEXT)]
    columns += [(_("Kind"), TEXT), (_("Stake"), NUMBER)]
    columns += [(_("Revision %(number)s") % {"number": one.revision}, NUMBER) for one in settlements]
    rows = []
    for bet in bets[:BETS_SHOWN]:
        row = [bet.platform_bet_id, facts.player(bet.player_id), words.spoken(words.BET_KINDS, bet.kind)]
        row.append(_money(bet.stake_minor, round_))
        for one in settlements:
            line = got.get((one.pk, bet.pk))
            row.append(_result(line, round_) if line else _not_accepted(bet))
        if not settlements and bet.status != BetStatus.ACCEPTED:
            row[2] += f" ({_not_accepted(bet)})"
        rows.append(row)
    note = ""
    if count > BETS_SHOWN:
        note = _("The %(shown)s largest of %(count)s bets; all of them stand in bets.csv.") % {
            "shown": BETS_SHOWN,
            "count": count,
        }
    return table(columns, rows, note=note, wide=2)


def _result(line: SettlementLine, round_: Round) -> str:
    state = words.RESULT_STATES.get(line.result)
    return f"{state.word if state else line.result} {_money(line.returned_minor, round_)}"


def _not_accepted(bet: Bet) -> str:
    if bet.status == BetStatus.REFUSED:
        return words.spoken(words.REFUSALS, bet.refusal)
    return _("cancelled") if bet.status == BetStatus.CANCELLED else "–"


def _revisions(settlements: list[Settlement], facts: Facts, round_: Round) -> Block:
    numbers = {ruling.uuid: ruling.number for ruling in facts.rulings}
    return table(
        [
            (_("Revision"), TEXT),
            (_("Result"), TEXT),
            (_("By"), TEXT),
            (_("Stakes"), NUMBER),
            (_("Returned"), NUMBER),
            (_("Kept"), NUMBER),
            (_("Moved"), NUMBER),
            (_("Settled"), TEXT),
        ],
        [
            [
                str(one.revision),
                _ended(outcome_of(one), None, None),
                numbers.get(one.authority, _("the engine")) if one.authority else _("the engine"),
                _money(one.stakes_minor, round_),
                _money(one.returned_minor, round_),
                _money(one.kept_minor, round_),
                _money(one.moved_minor, round_, is_difference=True),
                local(one.created_at, round_.table.zone),
            ]
            for one in settlements
        ],
        note=_("Sums in %(currency)s.") % {"currency": round_.table.currency},
        empty=_("Not settled yet."),
        wide=1,
    )


# --- a shoe ---------------------------------------------------------------------------------------------


def _shoe_sections(shoe: Shoe, facts: Facts) -> list[Block]:
    zone = shoe.table.zone
    rows = []
    for round_ in facts.rounds:
        dealings = dealings_of_round(round_.pk, shoe.decks)
        live = next((one for one in dealings if one.is_live), None)
        newest = Settlement.objects.filter(round=round_).order_by("-revision").first()
        rows.append(
            [
                str(round_.number),
                clock(round_.betting_opened_at, zone),
                _faces(live.player) if live else "",
                _faces(live.banker) if live else "",
                _ended(outcome_of(newest), round_.player_total, round_.banker_total) if newest else "–",
                str(newest.revision) if newest else "–",
                str(newest.bets_count) if newest else "–",
            ]
        )
    columns = [(_("Round"), NUMBER), (_("Time"), TEXT), (str(words.OUTCOMES["player"]), TEXT)]
    columns += [(str(words.OUTCOMES["banker"]), TEXT), (_("Result"), TEXT)]
    columns += [(_("Revision"), NUMBER), (_("Bets"), NUMBER)]
    return [
        {
            "title": _("The shoe"),
            "blocks": [
                {
                    "kind": "facts",
                    "rows": [
                        [_("Started"), both(shoe.started_at, zone)],
                        [_("Ended"), both(shoe.ended_at, zone)],
                        [_("Decks"), str(shoe.decks)],
                        [_("Card set"), shoe.card_set or "–"],
                        [_("Cards out"), str(shoe.cards_out)],
                        [_("Burned"), f"{shoe.burn_done or 0} / {shoe.burn_due or 0}"],
                        [_("Why it ended"), words.spoken(words.SHOE_ENDINGS, shoe.end_reason) or "–"],
                    ],
                }
            ],
        },
        {"title": _("Rounds"), "blocks": [table(columns, rows, wide=4, empty=_("No round was dealt."))]},
    ]


def _faces(cards: Any) -> str:
    return " ".join(card.face.face if card.face else "?" for card in cards)


# --- decisions, rules, journal --------------------------------------------------------------------------


def _rule_sections(facts: Facts, language: Language) -> list[Block]:
    """Print the rules in force; of a complaint without a round those that it was judged by."""
    if facts.rounds or facts.is_shoe:
        return [_rule_section(book, language) for book in facts.rulebooks]
    names: dict[str, list[str]] = {}
    for book in facts.rulebooks:
        said = rules_of(book.pk).complaints.passage.text.in_language(language)
        names.setdefault(said, []).append(_book_name(book))
    rows = [["; ".join(books), said] for said, books in names.items()]
    return [
        {
            "title": _("The rule about complaints"),
            "blocks": [
                {"kind": "facts", "rows": rows},
                {
                    "kind": "facts",
                    "rows": [[_book_name(b), f"SHA-256 {b.content_hash}"] for b in facts.rulebooks],
                },
            ],
        }
    ]


def _rule_section(book: Rulebook, language: Language) -> Block:
    """Print the rules in force as the house words them; the document itself lies beside."""
    rules = rules_of(book.pk)
    rows = [[one.id, one.text.in_language(language)] for one in rules.passages.values()]
    return {
        "title": _("Rules in force: %(book)s") % {"book": _book_name(book)},
        "blocks": [
            {"kind": "facts", "rows": [["SHA-256", book.content_hash]]},
            {"kind": "facts", "rows": rows},
        ],
    }


def _journal_section(facts: Facts) -> Block:
    listed = [one for one in facts.entries if one.action != "feed.read"]
    notes = [_("The entries themselves, with their hashes, stand in journal/entries.jsonl.")]
    if batches := len(facts.entries) - len(listed):
        notes.append(_("%(count)s more are of the feed: feed_batches.csv names them.") % {"count": batches})
    return {
        "title": _("Journal"),
        "blocks": [
            table(
                [(_("Entry"), NUMBER), (_("Time"), TEXT), (_("Action"), TEXT), (_("About"), TEXT)],
                [[str(one.pk), local(one.at, facts.zone), one.action, one.subject_label] for one in listed],
                note=" ".join(notes),
                empty=_("No entry."),
                wide=3,
            )
        ],
    }
