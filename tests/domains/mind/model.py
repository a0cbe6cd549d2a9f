"""The mind's branches, notes, graph, merges and conflicts as plain lists and dicts, written from the contract alone.

Nothing here is quick or clever: views are put together anew for every question, and a dry run is a run on a copy.
Time is a `tick` that every step takes from one clock. The product's `seq` is another number in the same order, so
that what was written together (a batch's operation, a merge) may share a tick here and has numbers of its own there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

INVALID, UNKNOWN, CONFLICT, UNSUPPORTED = "INVALID_INPUT", "UNKNOWN_ID", "CONFLICT", "MERGE_NOT_SUPPORTED"
FOREVER = 10**9

Key = tuple[str, ...]
"""What is versioned: `("node", id)` or `("edge", from, rel, to)`."""
State = dict[str, Any] | None
"""What a version says, without bookkeeping. None: it is not there, whether it never was or has been deleted."""

NODE_FIELDS = ("type", "title", "text", "status", "tags", "meta")
EDGE_FIELDS = ("meta",)
RESERVED = ("task:", "step:")


class Refused(Exception):
    """The step must fail with one of these codes, and change nothing."""

    def __init__(self, *codes: str) -> None:
        super().__init__(*codes)
        self.codes = codes


class Note(NamedTuple):
    """An entry of a document of notes."""

    tick: int
    branch: int
    said: dict[str, Any]
    copied: int | None = None
    """The tick of the note that was first written, if this is a copy of it or a copy of a copy."""

    @property
    def origin(self) -> int:
        return self.tick if self.copied is None else self.copied


class Version(NamedTuple):
    """What a node or an edge became."""

    tick: int
    key: Key
    state: State


NEVER = Version(0, (), None)


@dataclass
class Branch:
    """A branch, whatever it is called at the moment: `id` is what it stays."""

    id: int
    name: str
    base: int | None
    cut: int
    """Of its base it sees what was written up to this tick."""
    notes: dict[str, list[Note]] = field(default_factory=dict)
    graph: dict[str, list[Version]] = field(default_factory=dict)
    merged: dict[tuple[str, Key], State] = field(default_factory=dict)
    """The state of a key that was last merged into the base."""
    settled: set[tuple[str, Key, int]] = field(default_factory=set)
    """Versions that were merged, or whose conflict was resolved."""


@dataclass
class Conflict:
    """A key that both sides changed, as it was found."""

    tick: int
    source: int
    into: int
    doc: str
    base: State
    theirs: Version
    ours: Version
    """What the other side said when it was found, or when it was settled."""
    status: str = "open"
    id: str = ""
    """The product's name for it, once it has told it."""

    @property
    def key(self) -> Key:
        return self.theirs.key

    @property
    def situation(self) -> tuple[Any, ...]:
        """The other side may go on: as long as theirs stays, it is the same conflict."""
        return (self.source, self.into, self.doc, self.key, self.theirs.tick)


@dataclass
class NotesMerged:
    """A page of a merge of notes."""

    merged: int
    skipped: int
    page: list[Note]
    has_more: bool


@dataclass
class GraphMerged:
    """What a merge of graphs came to."""

    merged: int = 0
    skipped: int = 0
    standing: int = 0
    """Conflicts that were found before and are still open."""
    conflicts: list[Conflict] = field(default_factory=list)


class Ticked(Protocol):
    """What has its place in time."""

    @property
    def tick(self) -> int: ...


T = TypeVar("T", bound=Ticked)


class Model:
    """One workspace."""

    def __init__(self) -> None:
        self.now = 0
        main = Branch(self._tick(), "main", None, 0)
        self.branches: dict[int, Branch] = {main.id: main}
        self.current = main.id
        self.conflicts: list[Conflict] = []

    def copy(self) -> Model:
        return deepcopy(self)

    def _tick(self) -> int:
        self.now += 1
        return self.now

    # Branches.

    @property
    def names(self) -> list[str]:
        return sorted(branch.name for branch in self.branches.values())

    @property
    def checkout_name(self) -> str:
        return self.branches[self.current].name

    def branch(self, name: str | None) -> Branch:
        """The branch of this name; without one, the branch that is checked out."""
        if name is None:
            return self.branches[self.current]
        for branch in self.branches.values():
            if branch.name == name:
                return branch
        raise Refused(UNKNOWN)

    def base_of(self, branch: Branch) -> Branch | None:
        return None if branch.base is None else self.branches[branch.base]

    def children_of(self, branch: Branch) -> list[Branch]:
        return [child for child in self.branches.values() if child.base == branch.id]

    def branch_create(self, name: str, source: str | None) -> Branch:
        wrong = [CONFLICT] if name in self.names else []
        wrong += [UNKNOWN] if source is not None and source not in self.names else []
        if wrong:
            raise Refused(*wrong)
        base = self.branch(source)
        cut = self.now
        made = Branch(self._tick(), name, base.id, cut)
        self.branches[made.id] = made
        return made

    def branch_rename(self, old: str, new: str) -> None:
        wrong = [UNKNOWN] if old not in self.names else []
        wrong += [CONFLICT] if new in self.names else []
        wrong += [INVALID] if old == new else []
        if wrong:
            raise Refused(*wrong)
        self.branch(old).name = new
        self._tick()

    def branch_delete(self, name: str) -> None:
        branch = self.branch(name)
        if branch.id == self.current or self.children_of(branch):
            raise Refused(INVALID)
        del self.branches[branch.id]
        self.conflicts = [found for found in self.conflicts if branch.id not in (found.source, found.into)]
        self._tick()

    def checkout(self, name: str) -> str:
        """Check out a branch; the name of the one before it."""
        branch, previous = self.branch(name), self.checkout_name
        self.current = branch.id
        self._tick()
        return previous

    # Notes.

    def notes_commit(self, branch: str | None, doc: str, said: dict[str, Any]) -> Note:
        return self._write_note(self.branch(branch), doc, said)

    def macro_branch_note(
        self, name: str | None, source: str | None, doc: str, said: dict[str, Any]
    ) -> tuple[bool, Note]:
        """Whether a branch was created, and the note."""
        created = name is not None and name not in self.names
        if created:
            self.branch_create(name, source)
        wanted = name if name is not None else source
        if wanted is not None:
            self.checkout(wanted)
        return created, self.notes_commit(None, doc, said)

    def _write_note(self, branch: Branch, doc: str, said: dict[str, Any], copied: int | None = None) -> Note:
        note = Note(self._tick(), branch.id, said, copied)
        branch.notes.setdefault(doc, []).append(note)
        return note

    def notes(self, name: str | None, doc: str) -> list[Note]:
        """The document as the branch sees it, oldest first."""
        return self._seen(self.branch(name), lambda branch: branch.notes.get(doc, []))

    def _seen(self, branch: Branch, written: Callable[[Branch], Iterable[T]], until: int = FOREVER) -> list[T]:
        """What was written on a branch, behind what it sees of its base."""
        base = self.base_of(branch)
        inherited = self._seen(base, written, min(until, branch.cut)) if base else []
        return inherited + [entry for entry in written(branch) if entry.tick <= until]

    def diff(self, source: str, to: str, doc: str) -> list[Note]:
        """What `to` shows and `source` does not."""
        known = {note.tick for note in self.notes(source, doc)}
        return [note for note in self.notes(to, doc) if note.tick not in known]

    def merge(self, source: str, into: str | None, doc: str, *, limit: int = 200, after: int = 0) -> NotesMerged:
        """Copy the next notes that `into` (or else the base) does not show, unless it shows a copy or the original."""
        target = self.target(source, into)
        found = [note for note in self.diff(target.name, source, doc) if note.tick > after]
        page = found[:limit]
        known = {note.origin for note in self.notes(target.name, doc)}
        new = [note for note in page if note.origin not in known]
        for note in new:
            self._write_note(target, doc, note.said, note.origin)
        return NotesMerged(len(new), len(page) - len(new), page, len(found) > limit)

    def target(self, source: str, into: str | None) -> Branch:
        """Where a merge goes to; without a name, into the base."""
        branch = self.branch(source)
        if into is not None:
            return self.branch(into)
        base = self.base_of(branch)
        if base is None:
            raise Refused(INVALID, UNSUPPORTED)
        return base

    # The graph.

    def graph(self, name: str | None, doc: str) -> dict[Key, Version]:
        """The newest version of every key as the branch sees it, tombstones included."""
        return self._graph(self.branch(name), doc)

    def _graph(self, branch: Branch, doc: str, until: int = FOREVER) -> dict[Key, Version]:
        seen = self._seen(branch, lambda one: one.graph.get(doc, []), until)
        return {version.key: version for version in seen}

    def alive(self, name: str | None, doc: str) -> dict[Key, Version]:
        return {key: version for key, version in self.graph(name, doc).items() if version.state is not None}

    def dangling(self, name: str, doc: str) -> set[Key]:
        """Edges with an end that is not there."""
        alive = self.alive(name, doc)
        return {key for key in alive if key[0] == "edge" and not ends_of(key) <= alive.keys()}

    def graph_apply(self, name: str | None, doc: str, ops: Sequence[dict[str, Any]]) -> dict[str, int]:
        """Apply all operations in order, or none; how many things were written and deleted."""
        branch = self.branch(name)
        before = list(branch.graph.get(doc, []))
        if not ops:
            raise Refused(INVALID)
        applied = dict.fromkeys(("nodes_upserted", "nodes_deleted", "edges_upserted", "edges_deleted"), 0)
        try:
            for op in ops:
                for key, state in self._changes(self._graph(branch, doc), op):
                    self._write(branch, doc, key, state)
                    applied[f"{key[0]}s_{'deleted' if state is None else 'upserted'}"] += 1
                self._tick()
        except Refused:
            branch.graph[doc] = before
            raise
        return applied

    def _changes(self, graph: dict[Key, Version], op: dict[str, Any]) -> list[tuple[Key, State]]:
        """What an operation changes in a graph as it stands."""
        alive = {key for key, version in graph.items() if version.state is not None}
        kind, _, verb = op["op"].partition("_")
        key: Key = ("node", op["id"]) if kind == "node" else ("edge", op["from"], op["rel"], op["to"])
        if any("|" in part or not part or part.startswith(RESERVED) for part in key[1:]):
            raise Refused(INVALID)
        if verb == "delete":
            if key not in alive:
                raise Refused(INVALID)
            return [
                (gone, None) for gone in sorted(alive) if gone == key or (gone[0] == "edge" and key in ends_of(gone))
            ]
        if kind == "node":
            return [(key, node_state(op))]
        if not ends_of(key) <= alive:
            raise Refused(INVALID, UNKNOWN)
        return [(key, edge_state(op))]

    def _write(self, branch: Branch, doc: str, key: Key, state: State) -> None:
        """At the tick that comes next; who calls lets it pass."""
        branch.graph.setdefault(doc, []).append(Version(self.now + 1, key, state))

    def graph_query(self, name: str | None, doc: str, **filters: Any) -> list[Version]:
        """The nodes that pass all filters, newest first."""
        nodes = [found for key, found in self.alive(name, doc).items() if key[0] == "node" and passes(found, filters)]
        return sorted(nodes, key=lambda found: found.tick, reverse=True)

    def edges_among(self, name: str | None, doc: str, ids: Iterable[str]) -> dict[Key, Version]:
        """The edges that connect these nodes."""
        shown = {("node", id) for id in ids}
        alive = self.alive(name, doc).items()
        return {key: version for key, version in alive if key[0] == "edge" and ends_of(key) <= shown}

    def graph_diff(self, source: str, to: str, doc: str) -> list[Version]:
        """The versions of `to` that say another thing than `source` does, newest first."""
        theirs = self.graph(source, doc)
        changed = [found for key, found in self.graph(to, doc).items() if found.state != theirs.get(key, NEVER).state]
        return sorted(changed, key=lambda found: found.tick, reverse=True)

    # Merging graphs.

    def graph_merge(self, source: str, into: str | None, doc: str) -> GraphMerged:
        """Bring into the base what the branch changed and the base did not; what both changed is a conflict."""
        branch, target = self.branch(source), self.target(source, into)
        if target.id != branch.base:
            raise Refused(UNSUPPORTED)
        fork = self._graph(target, doc, branch.cut)
        own = {version.key: version for version in branch.graph.get(doc, [])}
        ours_now = self._graph(target, doc)
        done = GraphMerged()
        for key, theirs in own.items():
            base = branch.merged[doc, key] if (doc, key) in branch.merged else fork.get(key, NEVER).state
            ours = ours_now.get(key, NEVER)
            found = Conflict(self.now + 1, branch.id, target.id, doc, base, theirs, ours)
            if (doc, key, theirs.tick) in branch.settled or theirs.state in (base, ours.state):
                done.skipped += 1
            elif ours.state == base:
                self._settle(found, apply=True)
                done.merged += 1
            else:
                self._conflict(found, done)
                continue
            self._supersede(found)
        self._tick()
        return done

    def _conflict(self, found: Conflict, done: GraphMerged) -> None:
        """A conflict that was superseded, and is found as it was before, is open again."""
        known = next((known for known in self.conflicts if known.situation == found.situation), None)
        if known is None:
            self.conflicts.append(found)
            done.conflicts.append(found)
        elif known.status == "open":
            done.standing += 1
        else:
            known.status = "open"
            done.conflicts.append(known)
        self._supersede(found, known or found)

    def _supersede(self, found: Conflict, standing: Conflict | None = None) -> None:
        """What was open about the same key is so no longer, but for what still stands."""
        for known in self.conflicts:
            is_about_it = (known.source, known.doc, known.key) == (found.source, found.doc, found.key)
            if is_about_it and known.status == "open" and known is not standing:
                known.status, known.ours = "superseded", found.ours

    def _settle(self, found: Conflict, *, apply: bool) -> None:
        branch = self.branches[found.source]
        branch.settled.add((found.doc, found.key, found.theirs.tick))
        if apply:
            branch.merged[found.doc, found.key] = found.theirs.state
            self._write(self.branches[found.into], found.doc, found.key, found.theirs.state)

    def conflict(self, id: str) -> Conflict:
        for found in self.conflicts:
            if found.id == id:
                return found
        raise Refused(UNKNOWN)

    def ours_of(self, found: Conflict) -> Version:
        """What the other side says: now, as long as nothing is settled."""
        if found.status != "open":
            return found.ours
        return self._graph(self.branches[found.into], found.doc).get(found.key, NEVER)

    def graph_conflicts(self, into: str, doc: str, status: str = "open") -> list[Conflict]:
        """Newest first."""
        target = self.branch(into).id
        found = [one for one in self.conflicts if (one.into, one.doc, one.status) == (target, doc, status)]
        return sorted(found, key=lambda one: one.tick, reverse=True)

    def graph_conflict_resolve(self, id: str, resolution: str) -> bool:
        """Whether anything was written."""
        found = self.conflict(id)
        if found.status != "open":
            raise Refused(INVALID)
        found.status, found.ours = "resolved", self.ours_of(found)
        self._settle(found, apply=resolution == "use_from")
        self._tick()
        return resolution == "use_from"


def ends_of(edge: Key) -> set[Key]:
    """The nodes that an edge connects."""
    _, source, _, to = edge
    return {("node", source), ("node", to)}


def node_state(op: dict[str, Any]) -> State:
    """All that an upsert says of a node: what it leaves out is gone. Tags are in lower case and in order."""
    tags = sorted({tag.lower() for tag in op.get("tags", [])})
    return {**{name: op.get(name) for name in NODE_FIELDS}, "tags": tags}


def edge_state(op: dict[str, Any]) -> State:
    return {name: op.get(name) for name in EDGE_FIELDS}


def passes(node: Version, filters: dict[str, Any]) -> bool:
    """Whether a node passes every filter that is given."""
    state, tags = node.state or {}, set((node.state or {})["tags"])
    words = f"{state['title'] or ''}\n{state['text'] or ''}".lower()
    tests: dict[str, Callable[[Any], bool]] = {
        "ids": lambda ids: node.key[1] in ids,
        "types": lambda types: state["type"] in types,
        "status": lambda status: state["status"] == status,
        "tags_any": lambda wanted: bool(tags & set(wanted)),
        "tags_all": lambda wanted: tags >= set(wanted),
        "text": lambda text: text.lower() in words,
    }
    return all(tests[name](value) for name, value in filters.items())
