"""The graph that the numbers of a trace make: which thought branched off which, which revised which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.domains.mind.trace.steps import SEQUENTIAL_STEP, STEP, TraceStep, positive


class _Edge(NamedTuple):
    rel: str
    source: int
    target: int
    branch: str


_REFERENCES = {"branch": "branchFromThought", "revision": "revisesThought"}
"""The field that each kind of edge comes from."""


def sequential(entries: Sequence[TraceStep]) -> dict[str, Any] | None:
    """The graph of the entries that are given, in any order; nothing if none of them is a numbered thought.

    A thought that was written several times is one node, of each field the newest that was given. Every entry's edge
    stands, also one from a thought that is not among the entries: that one is named in `missing`.
    """
    nodes: dict[int, dict[str, Any]] = {}
    edges: set[_Edge] = set()
    for entry in sorted(entries, key=lambda entry: entry.seq):
        number = positive(entry.meta.get("thoughtNumber"))
        if number is None or entry.format not in {STEP, SEQUENTIAL_STEP}:
            continue
        nodes.setdefault(number, {"thoughtNumber": number}).update(_said(entry), seq=entry.seq)
        edges |= _edges(number, entry.meta)
    if not nodes:
        return None
    drawn = sorted(edges)
    return {
        "nodes": [nodes[number] for number in sorted(nodes)],
        "edges": [_shown(edge) for edge in drawn],
        "missing": {
            field: sorted({edge.source for edge in drawn if edge.rel == rel and edge.source not in nodes})
            for rel, field in _REFERENCES.items()
        },
    }


def _said(entry: TraceStep) -> dict[str, Any]:
    """What an entry says of its thought, as far as it has a meaning."""
    meta = entry.meta
    numbers = {key: positive(meta.get(key)) for key in ("totalThoughts", "branchFromThought", "revisesThought")}
    switches = {
        key: meta[key]
        for key in ("nextThoughtNeeded", "isRevision", "needsMoreThoughts")
        if isinstance(meta.get(key), bool)
    }
    texts = {"title": entry.title, "branchId": _branch(meta), "goal": meta.get("goal")}
    confidence = meta.get("confidence")
    return {
        **{key: text for key, text in texts.items() if isinstance(text, str) and text.strip()},
        **{key: number for key, number in numbers.items() if number is not None},
        **switches,
        **({} if confidence is None else {"confidence": confidence}),
    }


def _edges(number: int, meta: Mapping[str, Any]) -> set[_Edge]:
    branch = _branch(meta)
    found = set()
    if (source := positive(meta.get("branchFromThought"))) is not None:
        found.add(_Edge("branch", source, number, branch))
    if meta.get("isRevision") is True and (source := positive(meta.get("revisesThought"))) is not None:
        found.add(_Edge("revision", source, number, branch))
    return found


def _branch(meta: Mapping[str, Any]) -> str:
    given = meta.get("branchId")
    return given.strip() if isinstance(given, str) else ""


def _shown(edge: _Edge) -> dict[str, Any]:
    shown: dict[str, Any] = {"rel": edge.rel, "from": edge.source, "to": edge.target}
    return {**shown, "branchId": edge.branch} if edge.branch else shown
