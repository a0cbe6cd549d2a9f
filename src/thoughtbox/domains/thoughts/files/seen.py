"""Where the thoughts of a session stand that have gone by so far: what the view knows of them, without a database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.view.lines import MAIN, Line, Node


class SeenThoughts:
    """Grows thought by thought, in order of recording; of each only its place is kept."""

    def __init__(self) -> None:
        self._lines: dict[str, Line] = {}
        self._at: dict[int, Node] = {}
        self._named: dict[tuple[str, int], Node] = {}
        self._numbered: defaultdict[int, list[Node]] = defaultdict(list)
        self._labels: dict[tuple[str, int], int] = {}

    def take(self, thought: Thought) -> None:
        branch = thought.branch_id or MAIN
        node = Node(branch, thought.number, thought.seq, thought.kind)
        self._at[thought.seq] = self._named[branch, thought.number] = node
        self._numbered[thought.number].append(node)
        if thought.label is not None:
            self._labels[branch, thought.label] = thought.seq
        before = self._lines.get(branch) or self._begun(branch, thought)
        self._lines[branch] = before._replace(
            last_seq=thought.seq,
            highest_number=max(before.highest_number, thought.number),
            last_total=thought.total,
            length=before.length + 1,
        )

    def _begun(self, branch: str, thought: Thought) -> Line:
        fork = self._at.get(thought.origin or 0) if branch != MAIN else None
        return Line(
            branch=branch,
            parent=fork.branch if fork else None,
            origin=fork.seq if fork else None,
            origin_number=fork.number if fork else None,
            first_seq=thought.seq,
            last_seq=thought.seq,
            highest_number=0,
            last_total=0,
            length=0,
        )

    def __getitem__(self, seq: int) -> Node:
        return self._at[seq]

    def get(self, seq: int | None) -> Node | None:
        return self._at.get(seq or 0)

    def line(self, session_id: str, branch: str) -> Line | None:
        return self._lines.get(branch)

    def node(self, session_id: str, branch: str, number: int) -> Node | None:
        return self._named.get((branch, number))

    def nodes_at(self, session_id: str, seqs: Iterable[int]) -> Mapping[int, Node]:
        return {seq: self._at[seq] for seq in seqs if seq in self._at}

    def nodes_numbered(self, session_id: str, number: int) -> list[Node]:
        return self._numbered.get(number, [])

    def labelled(self, session_id: str, branch: str, label: int) -> int | None:
        return self._labels.get((branch, label))
