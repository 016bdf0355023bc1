"""Judging on paper: golden lines worked out by hand, unlawful coups, and lines that cannot be read."""

import json
from pathlib import Path
from typing import Any

import pytest

from tables.rulebooks import find_rulebook
from tables.rules.judge import Judge

GOLDEN = Path(__file__).parents[2] / "golden" / "judge"


def golden(name: str) -> list[Any]:
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [pytest.param(case, id=case["why"]) for case in map(json.loads, lines)]


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge(find_rulebook)


def answer(judge: Judge, line: Any) -> tuple[Any, bool]:
    raw = line if isinstance(line, bytes) else json.dumps(line).encode()
    written, was_read = judge.answer(raw)
    assert b"\n" not in written
    return json.loads(written), was_read


@pytest.mark.parametrize("case", golden("coups"))
def test_golden_coups(judge: Judge, case: dict[str, Any]) -> None:
    assert answer(judge, case["line"]) == (case["answer"], True)


@pytest.mark.parametrize("case", golden("coups"))
def test_fields_come_in_the_order_of_the_contract(judge: Judge, case: dict[str, Any]) -> None:
    written, _ = judge.answer(json.dumps(case["line"]).encode())
    assert written.decode() == json.dumps(case["answer"], separators=(",", ":"))


@pytest.mark.parametrize("case", golden("illegal"))
def test_unlawful_coups(judge: Judge, case: dict[str, Any]) -> None:
    found, was_read = answer(judge, case["line"])
    error = found.pop("error")
    assert was_read
    assert error.startswith(case["code"] + ": ")
    assert case["words"] in error
    nothing = dict.fromkeys(("player", "banker", "outcome", "insurance"))
    assert found == {"id": case["line"]["id"], "valid": False, **nothing, "bets": []}


@pytest.mark.parametrize("case", golden("unreadable"))
def test_lines_that_cannot_be_read(judge: Judge, case: dict[str, Any]) -> None:
    found, was_read = answer(judge, case["line"].encode())
    assert not was_read
    assert found.keys() == {"id", "valid", "error"}
    assert (found["id"], found["valid"]) == (case["id"], False)
    for word in case["words"]:
        assert word in found["error"]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"id": "\xff"}', "not UTF-8"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\x00", "not JSON"),
        (b"{} {}", "not JSON"),
    ],
)
def test_bytes_that_are_no_json(judge: Judge, raw: bytes, words: str) -> None:
    found, was_read = answer(judge, raw)
    assert not was_read
    assert words in found["error"]


PLAIN = {"id": "X", "rulebook": "commission", "cards": ["4H", "2S", "3C", "4D"], "bets": []}


def with_stake(digits: str) -> bytes:
    bet = f'{{"id": "b", "bet": "player", "stake": {digits}}}'
    return json.dumps({**PLAIN, "bets": ["BET"]}).replace('"BET"', bet).encode()


@pytest.mark.parametrize("digits", ["9" * 20, "-" + "9" * 20, "1" + "0" * 5000, "-" + "9" * 5000])
def test_a_whole_number_of_any_length_is_a_bad_stake(judge: Judge, digits: str) -> None:
    found, was_read = answer(judge, with_stake(digits))
    assert was_read
    assert found["bets"] == [
        {"id": "b", "result": "refused", "returned": 0, "net": 0, "odds": None, "reason": "bad_stake"}
    ]


def test_minus_zero_is_a_whole_number(judge: Judge) -> None:
    found, _ = answer(judge, with_stake("-0"))
    assert found["bets"][0]["reason"] == "bad_stake"


def test_unknown_fields_and_unused_phases_are_no_mistake(judge: Judge) -> None:
    bet = {"id": "b", "bet": "tie", "stake": 5, "phase": None, "player": None, "note": 1.5}
    found, was_read = answer(judge, {**PLAIN, "bets": [bet], "comment": {"a": [1e3]}})
    assert was_read
    assert found["bets"][0]["result"] == "lost"


def test_text_beyond_ascii_and_half_a_surrogate_pair_come_back(judge: Judge) -> None:
    assert answer(judge, {**PLAIN, "id": "โต๊ะ-1"})[0]["id"] == "โต๊ะ-1"
    found, was_read = answer(judge, {**PLAIN, "id": "\ud800"})
    assert was_read
    assert found["id"] == "\ud800"


def test_a_carriage_return_before_the_line_end_is_white_space(judge: Judge) -> None:
    found, was_read = answer(judge, json.dumps(PLAIN).encode() + b"\r")
    assert was_read
    assert found["outcome"] == "player"


def test_a_rulebook_is_found_by_the_path_of_its_document(judge: Judge, tmp_path: Path) -> None:
    document = tmp_path / "mine.yaml"
    shipped = Path(__file__).parents[3] / "tables" / "rulebooks" / "commission.yaml"
    document.write_text(
        shipped.read_text(encoding="utf-8").replace("commission: 5%", "commission: 4%"), encoding="utf-8"
    )
    line = {**PLAIN, "cards": ["KH", "10S", "2C", "4D", "AH"], "rulebook": str(document)}
    found, _ = answer(judge, {**line, "bets": [{"id": "b", "bet": "banker", "stake": 100}]})
    assert found["bets"][0] == {
        "id": "b",
        "result": "won",
        "returned": 196,
        "net": 96,
        "odds": "24/25",
        "reason": None,
    }


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("missing.yaml", None, "neither a file nor one of insurance"),
        ("empty.yaml", b"", "line 1: error: the document is empty"),
        ("broken.yaml", b"format: 1\nid: [", "not YAML"),
        ("latin.yaml", b"format: \xe9", "cannot be read"),
    ],
)
def test_a_path_without_a_rulebook_is_a_bad_line(
    judge: Judge, tmp_path: Path, name: str, text: bytes | None, words: str
) -> None:
    document = tmp_path / name
    if text is not None:
        document.write_bytes(text)
    for _ in range(2):  # the second time the answer is remembered
        found, was_read = answer(judge, {**PLAIN, "rulebook": str(document)})
        assert not was_read
        assert found["id"] == "X"
        assert words in found["error"]


def test_a_bad_line_does_not_disturb_the_next(judge: Judge) -> None:
    before = answer(judge, PLAIN)
    assert not answer(judge, b"nonsense")[1]
    assert answer(judge, PLAIN) == before
