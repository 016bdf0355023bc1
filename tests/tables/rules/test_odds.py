"""Exact odds of a fresh shoe. The fractions come from a second programme that walks 13 ranks and no table."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import pytest
from django.core.management import CommandError, call_command

from tables.rulebooks import SHIPPED, load_shipped
from tables.rules.drawing import Outcome
from tables.rules.facts import Condition
from tables.rules.odds import Visible, enumerate_shoe, odds_of
from tables.rules.rulebook import Bet, Phase, Row, Side
from tables.rules.verdict import Result, Verdict

PROJECT = Path(__file__).parents[3]

# rulebook, bet, house edge of eight decks exactly and in per cent
HOUSE_EDGES = """
commission            player            241149546272/19524993263685    1.2351
commission            banker            114753351728/10847218479825    1.0579
commission            tie               103841353768/723147898655      14.3596
commission            player_pair       43/415                         10.3614
commission            banker_pair       43/415                         10.3614
no-commission         banker            284694798368/19524993263685    1.4581
insurance             big               16869/246974                   6.8303
insurance             small             19571/370461                   5.2829
insurance             player_natural_8  15891041/51247105              31.0087
insurance             player_natural_9  2322637/10249421               22.6612
insurance             banker_natural_8  15891041/51247105              31.0087
insurance             banker_natural_9  2322637/10249421               22.6612
insurance             super_6_plus      3906359813557/19524993263685   20.0070
live-commission       fortune_six       47209656769/282970916865       16.6836
live-commission       tiger             47209656769/282970916865       16.6836
live-commission       big_tiger         141819481097/929761583985      15.2533
live-commission       small_tiger       296036033/2065481145           14.3325
live-commission       tiger_tie         95255346503/309920527995       30.7354
live-commission       tiger_pair        635532/3942085                 16.1217
live-commission       dragon_player     103547854751/3904998652737     2.6517
live-commission       dragon_banker     9683026823/103306842665        9.3731
live-no-commission    banker            284694798368/19524993263685    1.4581
insurance-no-commission  banker         284694798368/19524993263685    1.4581
"""

# side, moment, Player's and Banker's total, odds, combinations, house edge
INSURANCE = """
player four_cards   5 4  3/2  44856843337728  3574740971/21902755536
player four_cards   6 0  5/2  69686799163392  18782387/165580328
player four_cards   7 5  4    45033013641216  127325/835948
player player_third 5 4  3/2  15694319898624  203543821/1277207023
player player_third 6 5  5/2  12285213757440  343831691/2999319765
player player_third 7 6  4    8793456660480   321739654/2146840005
player player_third 8 3  10   17228022386688  332255087/4206060153
player player_third 9 4  10   13744310525952  89151901/559257427
banker four_cards   0 4  3/2  69686799163392  602642921/22684504936
banker four_cards   4 5  3/2  44856843337728  886638427/5475688884
banker four_cards   5 6  5/2  44856843337728  219345305/5475688884
banker four_cards   0 7  4    69961111584768  1579564/10389507
banker player_third 0 6  10   6859448537088   86705623/558223351
banker player_third 1 1  6    33013435772928  411664653/2686640281
banker player_third 1 3  10   29664617558016  1336577/17621261
banker player_third 2 6  4    3456712593408   131465093/843923973
banker player_third 3 4  5/2  8834770354176   36783793/331834824
"""


def lines(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def test_a_fresh_shoe_of_eight_decks():
    shoe = enumerate_shoe(8)
    assert shoe.combinations == 4_998_398_275_503_360
    assert shoe.outcomes == {
        Outcome.PLAYER: 2_230_518_282_592_256,
        Outcome.BANKER: 2_292_252_566_437_888,
        Outcome.TIE: 475_627_426_473_216,
    }
    assert sum(shoe.by_facts.values()) == shoe.combinations


def test_a_fresh_shoe_of_six_decks():
    shoe = enumerate_shoe(6)
    assert shoe.combinations == 878_869_206_895_680
    assert sum(shoe.outcomes.values()) == shoe.combinations
    ahead = shoe.outcomes[Outcome.BANKER] - shoe.outcomes[Outcome.PLAYER]
    assert Fraction(ahead, shoe.combinations) == Fraction(18880657128, 1525814595305)  # the edge of Player


def test_what_was_visible_is_counted_from_the_same_coups():
    shoe = enumerate_shoe(8)
    five_or_six = sum(n for facts, n in shoe.by_facts.items() if facts.player_cards + facts.banker_cards > 4)
    six = sum(n for facts, n in shoe.by_facts.items() if facts.player_cards + facts.banker_cards == 6)
    by_phase = dict.fromkeys(Phase, 0)
    for visible, outcomes in shoe.by_visible.items():
        by_phase[visible.phase] += sum(outcomes.values())
    assert by_phase == {Phase.FOUR_CARDS: five_or_six, Phase.PLAYER_THIRD: six}


@pytest.mark.parametrize(("rulebook", "bet", "exact", "per_cent"), lines(HOUSE_EDGES))
def test_the_house_edge_of_each_bet(rulebook, bet, exact, per_cent):
    edge = odds_of(load_shipped(rulebook)).bets[bet].house_edge
    assert edge == Fraction(exact)
    assert f"{float(edge) * 100:.4f}" == per_cent


@pytest.mark.parametrize("rulebook", SHIPPED)
def test_every_bet_of_every_rulebook_accounts_for_all_combinations(rulebook):
    odds = odds_of(load_shipped(rulebook))
    assert set(odds.bets) == set(load_shipped(rulebook).bets)
    for bet in odds.bets.values():
        assert sum(bet.returns.values()) == 4_998_398_275_503_360
        assert list(bet.returns) == sorted(bet.returns)
        assert bet.house_edge > 0


@pytest.mark.parametrize("line", lines(INSURANCE))
def test_insurance_in_the_situations_it_is_sold_in(line):
    side, phase, player_total, banker_total, price, combinations, edge = line
    visible = Visible(Phase(phase), int(player_total), int(banker_total))
    found = [
        e
        for e in odds_of(load_shipped("insurance")).insurance
        if (e.side, e.visible) == (Side(side), visible)
    ]
    assert [(e.odds, e.combinations, e.house_edge) for e in found] == [
        (Fraction(price), int(combinations), Fraction(edge))
    ]


def test_each_situation_has_one_entry():
    """13 and 32 for the Player, 21 and 17 for the Banker, after four cards and after the Player's third."""
    entries = odds_of(load_shipped("insurance")).insurance
    assert len(entries) == len({(entry.side, entry.visible) for entry in entries}) == 83
    counts = [
        sum((entry.side, entry.visible.phase) == (side, phase) for entry in entries)
        for side in Side
        for phase in Phase
    ]
    assert counts == [13, 32, 21, 17]


@pytest.mark.parametrize("rulebook", [name for name in SHIPPED if not name.startswith("insurance")])
def test_rulebooks_without_insurance_have_no_entry(rulebook):
    assert odds_of(load_shipped(rulebook)).insurance == ()


def bet_on(condition: Condition) -> Bet:
    row = Row(condition, Verdict(Result.WON, Fraction(25)))
    return replace(load_shipped("commission").bets["player_pair"], rows=(row,))


def test_a_bet_on_the_rank_of_a_pair():
    """A pair of aces: 32/416 · 31/415 = 31/5395; both sides with it: that times 30/414 · 29/413."""
    aces = Condition((("player_pair_rank", frozenset({"A"})),))
    both = Condition((("player_pair_rank", frozenset({"A"})), ("banker_pair_rank", frozenset({"A"}))))
    rulebook = replace(load_shipped("commission"), bets={"aces": bet_on(aces), "both": bet_on(both)})
    bets = odds_of(rulebook).bets
    won, total = Fraction(25), 4_998_398_275_503_360
    assert Fraction(bets["aces"].returns[won], total) == Fraction(31, 5395)
    assert Fraction(bets["both"].returns[won], total) == Fraction(31, 5395) * Fraction(30 * 29, 414 * 413)


@pytest.mark.parametrize(
    ("bet", "edge"),
    [
        ("player", "18880657128/1525814595305"),
        ("banker", "460294100/43594702723"),
        ("tie", "220299549488/1525814595305"),
        ("player_pair", "35/311"),
    ],
)
def test_a_rulebook_of_six_decks(bet, edge):
    assert odds_of(replace(load_shipped("commission"), decks=6)).bets[bet].house_edge == Fraction(edge)


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("odds", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_speaks_the_contract():
    answer = json.loads(run("insurance", "--json"))
    assert list(answer) == ["rulebook", "decks", "combinations", "outcomes", "bets", "insurance"]
    assert (answer["rulebook"], answer["decks"]) == ("insurance", 8)
    assert answer["combinations"] == "4998398275503360"
    assert answer["outcomes"] == {
        "player": "2230518282592256",
        "banker": "2292252566437888",
        "tie": "475627426473216",
    }
    assert answer["bets"]["player"] == {
        "returns": [
            {"net": "-1", "combinations": "2292252566437888"},
            {"net": "0", "combinations": "475627426473216"},
            {"net": "1", "combinations": "2230518282592256"},
        ],
        "house_edge": "241149546272/19524993263685",
    }
    assert answer["insurance"][0] == {
        "side": "player",
        "phase": "four_cards",
        "player_total": 5,
        "banker_total": 4,
        "odds": "3/2",
        "combinations": "44856843337728",
        "house_edge": "3574740971/21902755536",
    }
    assert {net["net"] for net in answer["bets"]["banker"]["returns"]} == {"-1", "0", "19/20"}


def test_the_table_for_people():
    table = run("insurance")
    assert "8 decks, 4,998,398,275,503,360 combinations" in table
    rows = [" ".join(line.split()) for line in table.splitlines()]
    assert "Banker 2,292,252,566,437,888 45.8597 %" in rows
    assert "Player insurance four cards 5 4 1.5 44,856,843,337,728 0.8974 % 16.3210 %" in rows
    assert any(row.endswith("-1 2,292,252,566,437,888 45.8597 % 1.2351 %") for row in rows)


def test_a_rulebook_nobody_knows(tmp_path):
    with pytest.raises(CommandError, match="no rulebook 'moon'"):
        run("moon")
    bad = tmp_path / "bad.yaml"
    bad.write_text("decks: 8\n", encoding="utf-8")
    with pytest.raises(CommandError, match="no valid rulebook"):
        run(str(bad))
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CommandError, match="cannot be read"):
        run(str(bad))
    with pytest.raises(CommandError, match="cannot be read"):
        run(str(tmp_path))


@pytest.mark.parametrize("rulebook", ["live-commission", "insurance"])
def test_the_command_needs_no_database_and_under_five_seconds(rulebook):
    """Run in a process of its own; what counts is its processor time, for the machine may be shared."""
    before = getrusage(RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "manage.py", "odds", rulebook, "--json"],
        cwd=PROJECT,
        env={**os.environ, "DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nothing"},
        capture_output=True,
        text=True,
        check=False,
    )
    after = getrusage(RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rulebook"] == rulebook
    assert (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime) < 5
