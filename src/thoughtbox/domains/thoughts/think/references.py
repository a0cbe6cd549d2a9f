"""What the references of a thought mean, seen from where it stands."""

from __future__ import annotations

from collections.abc import Mapping

from thoughtbox.domains.thoughts.cipher.meaning import Target
from thoughtbox.domains.thoughts.numbers import MAIN_NAME, Named, Numbers, name_of
from thoughtbox.domains.thoughts.think.placement import Placement
from thoughtbox.domains.thoughts.view.lines import Node
from thoughtbox.ledger.record import record_id


class References:
    """Resolves the references of one thought, and remembers what they led to."""

    def __init__(self, numbers: Numbers, placed: Placement, beside: Mapping[int, Node]) -> None:
        """`beside` are the thoughts of the same call, by the numbers that they were written with."""
        self._numbers = numbers
        self._placed = placed
        self._beside = beside
        self._nodes: dict[str, Node] = {}

    def __call__(self, number: int, line: str | None) -> Target | None:
        found = self._found(number, line)
        if found is None:
            return None
        node, note = found
        target = Target(record_id(node.seq), node.kind, name_of(node), node.branch if line else "", note)
        self._nodes[target.id] = node
        return target

    def node(self, thought_id: str) -> Node:
        """A thought that a reference has led to."""
        return self._nodes[thought_id]

    def _found(self, number: int, line: str | None) -> Named | None:
        if line is None and number in self._beside:
            node = self._beside[number]
            return Named(node, f"S{number} is the one of this call, {name_of(node)}.")
        if number == self._placed.number and line in (None, self._placed.branch or MAIN_NAME):
            return None  # it is this thought itself
        return self._numbers.named(self._placed.seen_from, number, line)
