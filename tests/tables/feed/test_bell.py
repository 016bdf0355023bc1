"""A result read from the feed rings for its round, by name, as soon as it is durable."""

from collections.abc import Callable
from typing import Any

import pytest

from tables.models import Round
from tables.services import outbox
from tests.tables.playing import Platform, make_table


@pytest.mark.django_db
def test_the_bell_names_the_round_whose_result_came(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    rung: list[tuple[str, list[int] | None]] = []
    monkeypatch.setattr(outbox, "ring", lambda task, subject_ids=None: rung.append((task, subject_ids)))
    platform = Platform(make_table(rulebook="insurance"))
    platform.start()
    name = platform.open_round()
    platform.bet(name, ("b1", "P-1", "player", 100))
    with django_capture_on_commit_callbacks(execute=True):
        platform.deal(name, "9H 2D KC QS")
    assert rung == [("tables.settle_rounds", [Round.objects.get().pk])]
