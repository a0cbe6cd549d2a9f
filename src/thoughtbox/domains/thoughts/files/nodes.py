"""The nodes of a session as its files have them, chained to lines and put in order."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, FailFast, Field

from thoughtbox.domains.thoughts.files.manifest import (
    LARGEST_NUMBER,
    InFile,
    Manifest,
    PlainText,
    Texts,
    Time,
    without_nul,
)
from thoughtbox.domains.thoughts.model.thought import node_id
from thoughtbox.ledger.record import RELATIONS
from thoughtbox.operations import LONGEST_TEXT, Key

_Number = Annotated[int, Field(ge=1, le=LARGEST_NUMBER)]
_Text = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(without_nul)]


def _known_relation(kind: str) -> str:
    if kind not in RELATIONS:
        raise ValueError(f"there is no such relation; there are {', '.join(sorted(RELATIONS))}")
    return kind


class NodeRelation(InFile):
    type: Annotated[str, AfterValidator(_known_relation)]
    to: str


class Reading(InFile):
    """How a thought was read. The document's node has no place for it; other programs pass over it."""

    kind: Literal["claim", "evidence", "question", "plan", "observation", "decision", "revision"]
    labels: Texts = Field(default_factory=list)
    confidence: Annotated[float, Field(ge=0, le=1, strict=False)] | None = None
    relations: Annotated[list[NodeRelation], FailFast()] = Field(default_factory=list)
    label: _Number | None = None
    notes: Texts = Field(default_factory=list)
    adopts: Texts = Field(default_factory=list)
    rejects: Texts = Field(default_factory=list)
    critique_requested: bool = False


class NodeCritique(InFile):
    text: _Text
    model: PlainText
    timestamp: Time


class NodeData(InFile):
    """The ThoughtData of the document, and the action that a thought leads to.

    A critique that was asked for and never came may stand there as `true`.
    """

    thought: _Text
    thought_number: _Number
    total_thoughts: _Number
    next_thought_needed: bool
    timestamp: Time
    is_revision: bool | None = None
    revises_thought: _Number | None = None
    branch_from_thought: _Number | None = None
    branch_id: str | None = None
    needs_more_thoughts: bool | None = None
    action_id: Key | None = None
    critique: NodeCritique | bool | None = None


class Node(InFile):
    """The ThoughtNode of the document. What follows a node is known from those that follow it."""

    id: str
    data: NodeData
    prev: str | None = None
    next: Texts = Field(default_factory=list)
    revises_node: str | None = None
    branch_origin: str | None = None
    branch_id: str | None = None
    thoughtbox: Reading | None = None


class NodeFile(NamedTuple):
    branch: str | None
    """As its folder is called, which need not be a branch id."""
    node: Node


class NodeLines:
    """The nodes of a session, chained to lines, and linked as far as their links lead anywhere. All by id."""

    def __init__(self, found: Iterable[NodeFile], manifest: Manifest) -> None:
        self.nodes: dict[str, Node] = {}
        self.branch_of: dict[str, str | None] = {}
        self.heads: set[str] = set()
        self.before: dict[str, str] = {}
        self.origin: dict[str, str] = {}
        self.revised: dict[str, str] = {}
        self._session_id = manifest.id
        order = manifest.thoughtbox.order if manifest.thoughtbox is not None else []
        self._recorded = {f"{manifest.id}:{name}": place for place, name in enumerate(order)}
        lines: dict[str | None, list[Node]] = defaultdict(list)
        for branch, node in found:
            self.nodes[node.id] = node
            self.branch_of[node.id] = branch
            lines[branch].append(node)
        for branch, line in lines.items():
            self._link(branch, _chained(line) or sorted(line, key=_by_time if branch is None else _by_number))

    def order(self) -> list[str]:
        """The ids as recorded, where that is known; else the main line first, then by time and number.

        A thought always comes behind the one before it on its line, and also behind its fork point and what
        it revises, unless these wait for each other in a circle.
        """
        waits: dict[str, int] = {}
        waited_for: dict[str | None, list[str]] = defaultdict(list)
        for name in self.nodes:
            targets = {self.before.get(name), self.revised.get(name)}
            if name in self.heads:
                targets.add(self.origin.get(name))
            waits[name] = len(targets - {None})
            for target in targets:
                waited_for[target].append(name)
        ready = sorted((self._rank(name), name) for name, count in waits.items() if count == 0)
        next_on_a_line = sorted((self._rank(name), name) for name in self.heads)
        follower = {before: name for name, before in self.before.items()}
        placed: dict[str, None] = {}
        while ready or next_on_a_line:
            _, name = heappop(ready or next_on_a_line)
            if name in placed:
                continue
            placed[name] = None
            for waiting in waited_for[name]:
                waits[waiting] -= 1
                if waits[waiting] == 0:
                    heappush(ready, (self._rank(waiting), waiting))
            if name in follower:
                heappush(next_on_a_line, (self._rank(follower[name]), follower[name]))
        return list(placed)

    def _link(self, branch: str | None, chain: list[Node]) -> None:
        """Link the thoughts of one line. A target that is not before a thought on its own line is none."""
        head, to_come = chain[0], {node.id for node in chain}
        fork = None if branch is None else self._fork_point(head, to_come)
        self.heads.add(head.id)
        for before, node in zip([None, *chain], chain, strict=False):
            if before is not None:
                self.before[node.id] = before.id
            if fork is not None:
                self.origin[node.id] = fork
            revised = self._revised(branch, node, to_come)
            if revised is not None:
                self.revised[node.id] = revised
            to_come.remove(node.id)

    def _fork_point(self, head: Node, to_come: set[str]) -> str | None:
        number = head.data.branch_from_thought
        on_main = None if number is None else node_id(self._session_id, None, number)
        return self._first_known((head.branch_origin, head.prev, on_main), to_come)

    def _revised(self, branch: str | None, node: Node, to_come: set[str]) -> str | None:
        """What a thought revises: what it says, or that number on its own line, or on the main line."""
        number = node.data.revises_thought
        numbered = () if number is None else (node_id(self._session_id, line, number) for line in (branch, None))
        return self._first_known((node.revises_node, *numbered), to_come)

    def _first_known(self, names: Iterable[str | None], to_come: set[str]) -> str | None:
        return next((name for name in names if name is not None and name in self.nodes and name not in to_come), None)

    def _rank(self, name: str) -> tuple[float, bool, str, int]:
        data = self.nodes[name].data
        is_on_a_branch = self.branch_of[name] is not None
        return self._recorded.get(name, math.inf), is_on_a_branch, data.timestamp, data.thought_number


def _chained(line: list[Node]) -> list[Node] | None:
    """A line in the order that `prev` gives it; None when that is no chain but a fan, a circle or in pieces."""
    ids = {node.id for node in line}
    heads = [node for node in line if node.prev not in ids]
    following = {node.prev: node for node in line if node.prev in ids}
    if len(heads) != 1:
        return None
    chain = heads
    while follower := following.get(chain[-1].id):
        chain.append(follower)
    return chain if len(chain) == len(line) else None


def _by_number(node: Node) -> int:
    return node.data.thought_number


def _by_time(node: Node) -> tuple[str, int]:
    return node.data.timestamp, node.data.thought_number
