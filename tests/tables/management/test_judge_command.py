"""`manage.py judge` as a program: order, exit status, files, and no database anywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[3]
GOLDEN = PROJECT / "tests" / "golden" / "judge"
NOWHERE = {
    **os.environ,
    "DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
    "DATABASE_OWNER_URL": "postgresql://nobody@127.0.0.1:9/nothing",
}
CASES = [json.loads(line) for line in (GOLDEN / "coups.jsonl").read_text(encoding="utf-8").splitlines()]
GOOD = "".join(json.dumps(case["line"]) + "\n" for case in CASES).encode()


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "manage.py", "judge", *arguments]
    return subprocess.run(command, input=given, capture_output=True, cwd=PROJECT, env=NOWHERE, check=False)


def test_standard_input_in_order_without_a_database() -> None:
    done = run(given=GOOD.rstrip(b"\n"))  # the last line may lack its line end
    assert done.returncode == 0, done.stderr
    assert [json.loads(line) for line in done.stdout.splitlines()] == [case["answer"] for case in CASES]


def test_a_file_with_bad_lines_is_answered_to_the_end_and_ends_with_1(tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_bytes(b"\xef\xbb\xbf" + GOOD + b"\n" + GOOD + b'{"id": "cut off')
    done = run(str(lines))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert len(answers) == 2 * len(CASES) + 2
    assert "byte-order mark" in answers[0]["error"]
    assert answers[1] == CASES[1]["answer"]
    assert answers[len(CASES)] == {"id": None, "valid": False, "error": "not JSON: the line is empty"}
    assert answers[-2] == CASES[-1]["answer"]
    assert answers[-1]["error"].startswith("not JSON")


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    done = run(str(tmp_path / "empty.jsonl"))
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"is empty: no line to judge" in done.stderr


def test_wrong_usage_ends_with_2_before_anything_is_answered(tmp_path: Path) -> None:
    (tmp_path / "good.jsonl").write_bytes(GOOD)
    for arguments in ([str(tmp_path / "good.jsonl"), str(tmp_path / "missing.jsonl")], ["--no-such-option"]):
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr


def test_a_reader_that_goes_away_is_no_crash() -> None:
    command = f"{sys.executable} manage.py judge | head -n 1 > /dev/null"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        input=GOOD * 5000,
        capture_output=True,
        cwd=PROJECT,
        env=NOWHERE,
        check=False,
    )
    assert b"Traceback" not in done.stderr
