"""Which thought a number means, seen from the line of thought on which it is said."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.view.lines import MAIN, Line, Node
from thoughtbox.errors import InvalidPayload, ThoughtNotFound

MAIN_NAME = "main"
"""How a reference calls the main line: `main:S4`."""

MOST_NAMED = 10
"""Branches that an error names."""


class Places(Protocol):
    """What is known of where a session's thoughts stand: the view, or those of a text that is being made."""

    def line(self, session_id: str, branch: str) -> Line | None: ...
    def node(self, session_id: str, branch: str, number: int) -> Node | None: ...
    def nodes_at(self, session_id: str, seqs: Iterable[int]) -> Mapping[int, Node]: ...
    def nodes_numbered(self, session_id: str, number: int) -> list[Node]: ...
    def labelled(self, session_id: str, branch: str, label: int) -> int | None: ...


class Named(NamedTuple):
    """The thought that a reference means, and what whoever wrote it should know."""

    node: Node
    note: str | None = None


class Numbers:
    """The lines of one session: where a number leads, and where a new branch may begin."""

    def __init__(self, view: Places, session_id: str) -> None:
        self._view = view
        self._session_id = session_id

    def line(self, branch: str) -> Line | None:
        return self._view.line(self._session_id, branch)

    def has(self, branch: str, number: int) -> bool:
        return self._view.node(self._session_id, branch, number) is not None

    def seen_from(self, branch: str, number: int) -> Node | None:
        """The thought of that number on the line itself, on those it forked from, or on the only line that has it."""
        for line in self._upward(branch):
            if (node := self._view.node(self._session_id, line, number)) is not None:
                return node
        elsewhere = self._view.nodes_numbered(self._session_id, number)
        return elsewhere[0] if len(elsewhere) == 1 else None

    def named(self, branch: str, number: int, line: str | None) -> Named | None:
        """The thought that a reference means, said on one branch and perhaps with the name of a line.

        Without a name: that of the line itself, then of those it came from, then what was written with that number and
        got another, then that of the only other line that has it. All but the first two are worth a note.
        """
        if line is not None:
            node = self._view.node(self._session_id, MAIN if line == MAIN_NAME else line, number)
            return Named(node) if node is not None else None
        fork: int | None = None
        for each in self._upward(branch):
            if (node := self._view.node(self._session_id, each, number)) is not None:
                is_beyond = fork is not None and node.seq > fork
                beyond = f"S{number} is {name_of(node)}, said after this branch began."
                return Named(node, beyond if is_beyond else None)
            upward = self.line(each)
            fork = upward.origin if upward is not None else fork
        for each in self._upward(branch):
            if (seq := self._view.labelled(self._session_id, each, number)) is not None:
                node = self._view.nodes_at(self._session_id, [seq])[seq]
                return Named(node, f"S{number} is {name_of(node)}, which was written as S{number}.")
        elsewhere = self._view.nodes_numbered(self._session_id, number)
        if len(elsewhere) != 1:
            return None
        return Named(elsewhere[0], f"S{number} is {name_of(elsewhere[0])}, on another line.")

    def on(self, branch: str, number: int, what: str) -> Node:
        """The thought of that number on that very line; `what` names the argument."""
        if (node := self._view.node(self._session_id, branch, number)) is None:
            raise missing(self._session_id, number, what, on=branch)
        return node

    def target(self, branch: str, number: int, what: str) -> Node:
        """The same, for a call that cannot go on without it; `what` names the argument."""
        if (node := self.seen_from(branch, number)) is not None:
            return node
        found = self._view.nodes_numbered(self._session_id, number)
        if not found:
            raise missing(self._session_id, number, what)
        branches = [node.branch for node in found[:MOST_NAMED]]
        raise ThoughtNotFound(
            f"{what} is {number}, which several other branches have, and this line has not: {_some(found)}",
            recovery="Name it from the branch that is meant: send branchId.",
            details={"sessionId": self._session_id, "thoughtNumber": number, "branches": branches, "fields": [what]},
        )

    def fork_point(self, number: int, parent: str | None) -> Node:
        """Where a branch begins: on the line named, or on the main line, or on the only one that has the number."""
        if parent is not None:
            return self.on(parent, number, "branchFromThought")
        found = self._view.nodes_numbered(self._session_id, number)
        if not found:
            raise missing(self._session_id, number, "branchFromThought")
        on_main = [node for node in found if node.branch == MAIN]
        if not on_main and len(found) > 1:
            raise InvalidPayload(
                f"thought {number} stands on several branches: {_some(found)}",
                recovery="Say which one with branchFromBranch.",
                details={"fields": ["branchFromBranch"], "branches": [node.branch for node in found[:MOST_NAMED]]},
            )
        return (on_main or found)[0]

    def _upward(self, branch: str) -> Iterator[str]:
        """The line, the one it forked from, and so on to the main line."""
        seen = set[str]()
        at: str | None = branch
        while at is not None and at not in seen:
            seen.add(at)
            yield at
            line = self.line(at)
            at = MAIN if line is None and at != MAIN else line.parent if line is not None else None


def name_of(node: Node) -> str:
    """`S4` on the main line, `alt:S4` on a branch: what a reference to it looks like anywhere."""
    return f"{node.branch}:S{node.number}" if node.branch else f"S{node.number}"


def thought_name(thought: Thought) -> str:
    """The same, of a thought that is at hand."""
    return f"{thought.branch_id}:S{thought.number}" if thought.branch_id else f"S{thought.number}"


def next_number(view: Places, session_id: str) -> int:
    """The number that the next thought of the main line gets."""
    line = view.line(session_id, MAIN)
    return line.highest_number + 1 if line is not None else 1


def _some(nodes: list[Node]) -> str:
    """The branches of these thoughts, as many as a message should name."""
    names = ", ".join(node.branch for node in nodes[:MOST_NAMED])
    return names if len(nodes) <= MOST_NAMED else f"{names} and {len(nodes) - MOST_NAMED} more"


def structure_of(session_id: str) -> str:
    """The call that shows a session's lines and the numbers on them, whoever makes it."""
    return json.dumps({"operation": "get_structure", "sessionId": session_id}, ensure_ascii=False)


def missing(session_id: str, number: int, what: str, *, on: str | None = None) -> ThoughtNotFound:
    where = f" on branch `{on}`" if on else ""
    return ThoughtNotFound(
        f"{what} is {number}, but the session has no thought {number}{where}",
        recovery=f"{structure_of(session_id)} shows which thoughts there are.",
        details={"sessionId": session_id, "thoughtNumber": number, "fields": [what]},
    )
