"""Which nodes are looked for, and the shortest way to them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase

from thoughtbox.domains.mind.facets import ANY, UNMARKED, of_state, of_status, of_tag
from thoughtbox.domains.mind.view.graph import GraphDoc
from thoughtbox.domains.mind.view.versions import Node

MOST_WALKS = 16
"""Facets that are walked side by side; of more, each node is looked at instead."""

_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What nodes must be; an empty filter lets all pass."""

    ids: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    statuses: frozenset[str] = frozenset()
    tags_any: frozenset[str] = frozenset()
    tags_all: frozenset[str] = frozenset()
    text: str = ""

    def passes(self, node: Node) -> bool:
        return (
            (not self.ids or node.id in self.ids)
            and (not self.types or node.type in self.types)
            and (not self.statuses or node.status in self.statuses)
            and (not self.tags_any or not self.tags_any.isdisjoint(node.tags))
            and self.tags_all.issubset(node.tags)
            and (not self.text or lowered(self.text) in lowered(f"{node.title or ''}\n{node.text or ''}"))
        )

    def facets(self) -> Sequence[str]:
        """What to look under: every node that passes is found by one of these."""
        if telling := sorted(self.tags_all - UNMARKED):
            return [of_tag(telling[0])]
        if self.tags_any and self.tags_any.isdisjoint(UNMARKED) and len(self.tags_any) <= MOST_WALKS:
            return [of_tag(tag) for tag in sorted(self.tags_any)]
        if self.types and self.statuses and len(self.types) * len(self.statuses) <= MOST_WALKS:
            return [of_state(type, status) for type in sorted(self.types) for status in sorted(self.statuses)]
        if self.statuses and len(self.statuses) <= MOST_WALKS:
            return [of_status(status) for status in sorted(self.statuses)]
        return [ANY]


def lowered(text: str) -> str:
    """In lower case as far as ASCII goes."""
    return text.translate(_ASCII_LOWER)


def newest(graph: GraphDoc, wanted: Wanted, *, before: int | None, limit: int) -> list[Node]:
    """The nodes that are looked for, drafts included, the newest first: so many at most."""
    found = list[Node]()
    last: int | None = None
    for node in _candidates(graph, wanted, before, limit):
        if node.last_seq != last and wanted.passes(node):  # one that several facets lead to comes once
            found.append(node)
            if len(found) == limit:
                break
        last = node.last_seq
    return found


def _candidates(graph: GraphDoc, wanted: Wanted, before: int | None, limit: int) -> Iterator[Node]:
    if wanted.ids:
        named = graph.nodes(wanted.ids).values()
        older = (node for node in named if before is None or node.last_seq < before)
        return iter(sorted(older, key=_newest_first))
    walks = [graph.walk(facet, drafts=True, before=before, chunk=limit) for facet in wanted.facets()]
    return heapq.merge(*walks, key=_newest_first)


def _newest_first(node: Node) -> int:
    return -node.last_seq
