"""Histories that are drawn by chance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, get_args, get_origin

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations.models import wire_names
from thoughtbox.operations.registry import Operation

Arguments = dict[str, Any]


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


class Drawn:
    """Draws the arguments of a read: what each argument may be is known by its name or its type."""

    always: tuple[str, ...] = ()
    """Arguments that are given whenever an operation takes them."""
    left_out: tuple[str, ...] = ("cursor",)
    """Arguments that come from elsewhere, such as the page before."""

    def __init__(self, seed: object) -> None:
        self.chance = Random(repr(seed))

    def known(self) -> Mapping[str, Callable[[], Any]]:
        """By the name of an argument: how to draw it."""
        return {}

    def arguments(self, operation: Operation) -> Arguments:
        """What to ask; raises `LookupError` for an argument that nobody has said how to draw."""
        drawn: Arguments = {}
        known = self.known()
        for name, field in zip(wire_names(operation.input), operation.input.model_fields.values(), strict=True):
            if name in self.left_out:
                continue
            draw = known.get(name) or self._of_type(field.annotation)
            if draw is None:
                raise LookupError(f"{operation.name}: nobody has said how to draw the argument `{name}`")
            if field.is_required() or name in self.always or self.chance.random() < 0.25:
                drawn[name] = draw()
        return drawn

    def _of_type(self, kind: Any) -> Callable[[], Any] | None:
        """For what has few values, and for numbers."""
        kinds = get_args(kind) if type(None) in get_args(kind) else (kind,)
        if bool in kinds:
            return lambda: self.chance.random() < 0.5
        if kind is int:
            return lambda: self.chance.choice([1, 3, 20])
        for one in kinds:
            if str(get_origin(one)) == "typing.Literal":
                return lambda: self.chance.choice(get_args(one))
        return None
