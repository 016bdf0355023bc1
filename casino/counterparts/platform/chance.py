"""Chance from a seed, the same on every Python: only `random()` is promised never to change."""

import random
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

T = TypeVar("T")


class Chance:
    """A stream of choices that follows its seed; another purpose takes another stream."""

    def __init__(self, *seed: object) -> None:
        self._random = random.Random("/".join(map(str, seed))).random

    def happens(self, share: float) -> bool:
        """Say yes in this share of the cases."""
        return self._random() < share

    def between(self, low: int, high: int) -> int:
        """Choose a whole number, both ends included."""
        return low + int(self._random() * (high - low + 1))

    def one_of(self, choices: Sequence[T]) -> T:
        return choices[int(self._random() * len(choices))]

    def weighted(self, choices: Sequence[T], weights: Sequence[int]) -> T:
        """Choose one, each as often as its weight says."""
        left = self._random() * sum(weights)
        for choice, weight in zip(choices, weights, strict=True):
            left -= weight
            if left < 0:
                return choice
        return choices[-1]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Bring the items into another order (Fisher and Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.between(0, last)
            items[last], items[other] = items[other], items[last]

    def some_of(self, choices: Sequence[T], count: int) -> list[T]:
        """Choose some, none twice."""
        shuffled = list(choices)
        self.shuffle(shuffled)
        return shuffled[:count]
