"""The delays of one day of trying, added up by hand."""

from datetime import timedelta

import pytest

from tables.rules.retries import retry_delay

SECONDS = {1: 5, 2: 10, 3: 20, 4: 40, 5: 80, 6: 160, 7: 320, 8: 640, 9: 900, 10: 900, 102: 900, 103: 525}


@pytest.mark.parametrize(("attempts", "seconds"), SECONDS.items())
def test_the_delay_doubles_up_to_a_quarter_of_an_hour(attempts: int, seconds: int) -> None:
    assert retry_delay(attempts) == timedelta(seconds=seconds)


def test_the_last_attempt_is_24_hours_after_the_first() -> None:
    # 5 + 10 + … + 640 = 1,275; 94 × 900 = 84,600; and 525 are left of 86,400.
    delays = [retry_delay(attempts) for attempts in range(1, 104)]
    assert sum((delay for delay in delays if delay), timedelta(0)) == timedelta(hours=24)
    assert retry_delay(104) is None
    assert retry_delay(10_000) is None


def test_before_the_first_attempt_there_is_no_delay() -> None:
    with pytest.raises(ValueError, match="0 attempts"):
        retry_delay(0)
