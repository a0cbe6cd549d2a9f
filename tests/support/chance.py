"""Histories that are drawn by chance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from random import Random

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import ThoughtboxError


class ByChance(ABC):
    """Does one thing after another, each drawn by chance from what there may be by now."""

    def __init__(self, box: Box, seed: object) -> None:
        self.box = box
        self.chance = Random(repr(seed))
        self.client = Client(box, stateless=True)

    @abstractmethod
    def deeds(self) -> Mapping[Callable[[], object], int]:
        """What can be done, and how often."""

    def records(self) -> int:
        return self.client.records()

    def step(self) -> None:
        """One change, if it can be made: what is refused changes nothing."""
        deeds = self.deeds()
        [deed] = self.chance.choices(list(deeds), list(deeds.values()))
        try:
            deed()
        except ThoughtboxError:
            return
