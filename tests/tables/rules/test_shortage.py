"""What follows when the wallet finds too little money for a debit."""

import pytest

from tables.rules.shortage import DebitPolicy, step_after_shortage

# policy, asked for, available, forced before -> what follows
CASES = """
force  -200  150   no   force
force  -200    0   no   force
force  -200    -   no   force
force  -200  150   yes  hold
take   -200  150   no   take
take   -200    1   no   take
take   -200    0   no   owe
take   -200  -50   no   owe
take   -200  200   no   hold
take   -200  500   no   hold
take   -200    -   no   hold
take   -200  150   yes  hold
hold   -200  150   no   hold
hold   -200    0   no   hold
force   200  150   no   hold
take    200    0   no   hold
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_what_follows(case: str) -> None:
    policy, asked, available, forced, expected = case.split()
    step = step_after_shortage(
        DebitPolicy(policy),
        asked_minor=int(asked),
        available_minor=None if available == "-" else int(available),
        was_forced=forced == "yes",
    )
    assert step == expected
