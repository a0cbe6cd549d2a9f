"""What a session's reasoning has come to: what stands, what fell, what is open, and what rests on what.

The rules stand here once. The view keeps their outcome in its tables as thoughts come in, `Reasoning` works it out of a
list of thoughts; both ask `effects`. Pure, no database and no protocol.

A thought *falls* when a later one revises or rejects it. What rests on it, directly or through others, is then *stale*.
A question is open until an observation, evidence or a conclusion answers it, or a conclusion is reached from it through
relations. An assumption is open, that is untested, until an observation or evidence refers to it, or it falls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Literal, NamedTuple, Protocol

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.ledger.record import seq_of

Role = Literal["", "decision", "conclusion", "question", "assumption"]
"""What a reader keeps track of; the other thoughts have none. A decision is a conclusion that is acted on."""
Status = Literal["stands", "open", "answered", "tested", "revised", "rejected"]
Fate = Literal["open", "adopted", "rejected"]

FALLEN = frozenset({"revised", "rejected"})

FATE_OF: Mapping[str, Fate] = {"branch_adopted": "adopted", "branch_rejected": "rejected"}
"""Changes of a session that say what became of a branch."""

FARTHEST = 200
"""Thoughts that are looked at from one on, along what it rests on or what rests on it."""

Kinds = tuple[str, ...]
"""Ways in which a thought relates to another."""

_RESTING: Kinds = ("derived_from", "refines")
"""A thought rests on what it relates to in these ways, and on what supports it."""
_SUPPORTING: Kinds = ("supports",)
_ANSWERING: Kinds = ("answers",)
_LEADING: Kinds = ("answers", "derived_from", "refines", "revises", "supports")
"""The ways along which a conclusion goes back to the question that it answers."""


class State(NamedTuple):
    """How a thought stands."""

    seq: int
    branch: str
    role: Role = ""
    status: Status = "stands"
    by: int | None = None
    """The thought that revised, rejected, answered or tested it."""
    rests_on: int | None = None
    """What it rests on and has fallen since."""

    @property
    def has_fallen(self) -> bool:
        return self.status in FALLEN


class Graph(Protocol):
    """What is known of the thoughts before one."""

    def outgoing(self, seqs: Iterable[int], kinds: Kinds) -> Sequence[int]:
        """What these relate to in these ways: in order of thought, kind and target, and no more than `FARTHEST`."""
        ...

    def incoming(self, seqs: Iterable[int], kinds: Kinds) -> Sequence[int]:
        """What relates to these in these ways: in order of thought, kind and source, and no more than `FARTHEST`."""
        ...

    def states(self, seqs: Iterable[int]) -> Mapping[int, State]:
        """Those of these thoughts that have a role, have fallen or are stale."""
        ...

    def branches(self, seqs: Iterable[int]) -> Mapping[int, str]:
        """The branch that each of these thoughts stands on; "" is the main line."""
        ...


def role_of(thought: Thought) -> Role:
    if thought.kind in ("decision", "question"):
        return thought.kind
    if thought.kind == "claim":
        if "assumption" in thought.labels:
            return "assumption"
        if "conclusion" in thought.labels:
            return "conclusion"
    return ""


def relations_of(thought: Thought) -> list[tuple[str, int]]:
    """What it relates to, and how; in order."""
    if not thought.relations and thought.revises is None:  # as most: this is asked several times with each
        return []
    found = {(relation["type"], seq_of(relation["to"])) for relation in thought.relations}
    if thought.revises is not None and "rejected" not in thought.labels:
        found.add(("revises", thought.revises))
    return sorted((kind, seq) for kind, seq in found if seq is not None)


def replaced_by(thought: Thought) -> dict[int, Status]:
    """The thoughts that fall with this one: what it revises and, if it is a rejection, what it contradicts."""
    fallen: dict[int, Status] = {seq: "revised" for kind, seq in relations_of(thought) if kind == "revises"}
    if thought.kind == "revision" and "rejected" in thought.labels:
        fallen |= {seq: "rejected" for kind, seq in relations_of(thought) if kind == "contradicts"}
    return fallen


def effects(thought: Thought, graph: Graph) -> dict[int, State]:
    """How this thought stands, and what it changes in how others do. Those that have nothing to say are not there."""
    return _Effects(thought, graph).found()


class _Effects:
    def __init__(self, thought: Thought, graph: Graph) -> None:
        self._thought = thought
        self._graph = graph
        self._changed: dict[int, State] = {}
        self._known: dict[int, State | None] = {}

    def found(self) -> dict[int, State]:
        thought = self._thought
        relations = relations_of(thought)
        role = role_of(thought)
        for seq, status in sorted(replaced_by(thought).items()):
            self._fall(seq, status)
            # What puts a decision right is the decision from then on, and so with questions and assumptions.
            role = role or (self._states([seq])[seq].role if status == "revised" else "")
        if role:
            status: Status = "open" if role in ("question", "assumption") else "stands"
            self._changed[thought.seq] = State(thought.seq, thought.branch_id or "", role, status)
        if thought.kind in ("evidence", "observation"):
            self._settle([seq for _, seq in relations], "assumption", "tested")
            self._settle([seq for kind, seq in relations if kind == "answers"], "question", "answered")
        if role in ("decision", "conclusion"):
            leading = [seq for kind, seq in relations if kind in _LEADING]
            self._settle(_walk(leading, self._led_from), "question", "answered")
        return self._changed

    def _settle(self, seqs: Sequence[int], role: Role, status: Status) -> None:
        """What was open and has this role is so no more."""
        for seq, state in self._states(seqs).items():
            if state.status == "open" and state.role == role:
                self._changed[seq] = state._replace(status=status, by=self._thought.seq)

    def _led_from(self, seqs: Sequence[int]) -> Sequence[int]:
        """What these go back to; what lies behind an earlier conclusion was settled when that was drawn."""
        states = self._states(seqs)
        onward = [seq for seq in seqs if seq not in states or states[seq].role not in ("decision", "conclusion")]
        return self._graph.outgoing(onward, _LEADING)

    def _fall(self, seq: int, status: Status) -> None:
        """A thought falls, and with it what rests on it becomes stale; what it answered is open again."""
        state = self._states([seq]).get(seq) or State(seq, self._graph.branches([seq]).get(seq, ""))
        if state.status == status or state.status == "rejected":
            return
        self._changed[seq] = state._replace(status=status, by=self._thought.seq)
        resting = [each for each in _walk(self._resting_on([seq]), self._resting_on) if each != seq]
        states, branches = self._states(resting), self._graph.branches(resting)
        for each in resting:
            found = states.get(each) or State(each, branches.get(each, ""))
            if not found.has_fallen and found.rests_on is None:
                self._changed[each] = found._replace(rests_on=seq)
        if status == "rejected":
            self._open_again(seq)

    def _resting_on(self, seqs: Sequence[int]) -> list[int]:
        """What rests on these directly; the thought itself knows what it does."""
        resting = (*self._graph.outgoing(seqs, _SUPPORTING), *self._graph.incoming(seqs, _RESTING))
        return [each for each in resting if each != self._thought.seq]

    def _open_again(self, seq: int) -> None:
        """Questions that only this thought has answered."""
        reached = _walk([seq], lambda seqs: self._graph.outgoing(seqs, _LEADING))
        for each, state in self._states(reached).items():
            if state.status != "answered" or state.by != seq:
                continue
            others = [other for other in self._graph.incoming([each], _ANSWERING) if other != seq]
            fallen = self._states(others)
            still = [other for other in others if other not in fallen or fallen[other].status != "rejected"]
            self._changed[each] = state._replace(by=still[0]) if still else state._replace(status="open", by=None)

    def _states(self, seqs: Sequence[int]) -> dict[int, State]:
        """Those of these thoughts of which there is something to say, as this thought leaves them."""
        missing = [seq for seq in seqs if seq not in self._known]
        if missing:
            self._known.update(dict.fromkeys(missing))
            self._known.update(self._graph.states(missing))
        found = {seq: self._changed.get(seq) or self._known[seq] for seq in seqs}
        return {seq: state for seq, state in found.items() if state is not None}


def _walk(begin: Sequence[int], onward: Callable[[Sequence[int]], Iterable[int]]) -> list[int]:
    """All that can be reached, nearest first, as far as is looked."""
    seen = dict.fromkeys(begin)
    front = list(seen)
    while front and len(seen) < FARTHEST:
        front = [each for each in dict.fromkeys(onward(front)) if each not in seen]
        seen.update(dict.fromkeys(front))
    return list(seen)[:FARTHEST]


class Settled(NamedTuple):
    """What became of a branch, and the record that says so."""

    fate: Fate
    by: int


def fates_in(thought: Thought) -> dict[str, Settled]:
    """What a thought says of branches."""
    adopted = {branch: Settled("adopted", thought.seq) for branch in thought.adopts}
    return adopted | {branch: Settled("rejected", thought.seq) for branch in thought.rejects}


def left_out(fates: Mapping[str, Settled], parents: Mapping[str, str | None]) -> frozenset[str]:
    """The branches that were rejected, and those that forked from them and were not adopted for themselves."""
    rejected = {branch for branch, settled in fates.items() if settled.fate == "rejected"}
    if not rejected:
        return frozenset()
    for branch, parent in parents.items():  # a branch comes after the one that it forks from
        if parent in rejected and (branch not in fates or fates[branch].fate == "rejected"):
            rejected.add(branch)
    return frozenset(rejected)


_Links = dict[str, list[int]]
"""By kind; each in order."""


def _first_of(links: Mapping[int, _Links], seqs: Iterable[int], kinds: Kinds) -> list[int]:
    found = (other for seq in sorted(set(seqs)) if seq in links for kind in kinds for other in links[seq].get(kind, ()))
    return list(islice(found, FARTHEST))


class Reasoning:
    """A session's thoughts, and how each of them stands."""

    def __init__(self, thoughts: Iterable[Thought], fates: Mapping[str, Settled] | None = None) -> None:
        """`fates` are those of the view, which knows what was said of branches outside thoughts, too."""
        self.thoughts: dict[int, Thought] = {}
        self._outgoing: dict[int, _Links] = {}
        self._incoming: dict[int, _Links] = {}
        self._states: dict[int, State] = {}
        self.fates: dict[str, Settled] = {}
        parents: dict[str, str | None] = {}
        for thought in thoughts:
            self._take(thought, parents)
        self.fates.update(fates or {})
        self._left_out = left_out(self.fates, parents)

    def _take(self, thought: Thought, parents: dict[str, str | None]) -> None:
        self._states.update(effects(thought, self))
        self.thoughts[thought.seq] = thought
        for kind, target in relations_of(thought):
            self._outgoing.setdefault(thought.seq, {}).setdefault(kind, []).append(target)
            self._incoming.setdefault(target, {}).setdefault(kind, []).append(thought.seq)
        self.fates.update(fates_in(thought))
        if thought.branch_id is not None and thought.branch_id not in parents:
            origin = self.thoughts.get(thought.origin or 0)
            parents[thought.branch_id] = (origin.branch_id or "") if origin is not None else None

    def outgoing(self, seqs: Iterable[int], kinds: Kinds) -> Sequence[int]:
        return _first_of(self._outgoing, seqs, kinds)

    def incoming(self, seqs: Iterable[int], kinds: Kinds) -> Sequence[int]:
        return _first_of(self._incoming, seqs, kinds)

    def states(self, seqs: Iterable[int]) -> Mapping[int, State]:
        return {seq: self._states[seq] for seq in seqs if seq in self._states}

    def branches(self, seqs: Iterable[int]) -> Mapping[int, str]:
        return {seq: self.thoughts[seq].branch_id or "" for seq in seqs if seq in self.thoughts}

    def state(self, thought: Thought) -> State:
        return self._states.get(thought.seq) or State(thought.seq, thought.branch_id or "")

    def fate(self, branch: str) -> Fate:
        return self.fates[branch].fate if branch in self.fates else "open"

    def counts(self, thought: Thought) -> bool:
        """Whether it is part of what the session came to: not on a branch that was rejected."""
        return (thought.branch_id or "") not in self._left_out

    @property
    def decisions(self) -> list[Thought]:
        """Those that stand."""
        return self._having("decision", "stands")

    @property
    def open_questions(self) -> list[Thought]:
        return self._having("question", "open")

    @property
    def untested(self) -> list[Thought]:
        """Assumptions that nothing was held against."""
        return self._having("assumption", "open")

    @property
    def overturned(self) -> list[Thought]:
        """Decisions that were revised or rejected."""
        return [thought for thought in self.thoughts.values() if thought.kind == "decision" and self._fell(thought)]

    @property
    def rejected(self) -> list[Thought]:
        return [thought for thought in self.thoughts.values() if self.state(thought).status == "rejected"]

    @property
    def stale(self) -> list[Thought]:
        """Those that rest on something that fell, and have not fallen themselves."""
        return [
            thought
            for thought in self.thoughts.values()
            if self.state(thought).rests_on is not None and not self._fell(thought)
        ]

    def _fell(self, thought: Thought) -> bool:
        return self.state(thought).has_fallen

    def _having(self, role: Role, status: Status) -> list[Thought]:
        states = (self._states[seq] for seq in sorted(self._states))
        found = [self.thoughts[state.seq] for state in states if (state.role, state.status) == (role, status)]
        return [thought for thought in found if self.counts(thought)]
