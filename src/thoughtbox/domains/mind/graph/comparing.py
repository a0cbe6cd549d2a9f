"""Where two branches' graphs differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from thoughtbox.domains.mind.view.documents import Branch
from thoughtbox.domains.mind.view.graph import Graph, GraphDoc
from thoughtbox.domains.mind.view.merges import Merges
from thoughtbox.domains.mind.view.versions import Key, Version, key_of
from thoughtbox.operations import Tx

AT_ONCE = 200
"""Keys that are read and compared together."""


def said(version: Version | None) -> tuple[object, ...]:
    """What a version says. What was deleted and what never was say the same."""
    return version.said if version is not None else (True,)


def differing(tx: Tx, source: Branch, to: Branch, doc: str, *, before: int | None, limit: int) -> list[Version]:
    """States of one branch that say another thing than those of the other, tombstones included, the newest first."""
    graph = tx.ask(Graph)
    return list(islice(_differing(tx.ask(Merges), graph.of(source, doc), graph.of(to, doc), before), limit))


def _differing(merges: Merges, theirs: GraphDoc, ours: GraphDoc, before: int | None) -> Iterator[Version]:
    """Only what one of them has written since they parted can differ: first what `ours` has, which is newer."""
    own = merges.beyond(ours, theirs)
    keys = sorted((key for key in own if before is None or own[key] < before), key=own.__getitem__, reverse=True)
    for start in range(0, len(keys), AT_ONCE):
        part = keys[start : start + AT_ONCE]
        yield from _compared(ours.versions(part), theirs, part)
    rest = ours.versions(merges.beyond(theirs, ours).keys() - own.keys())
    older = [version for version in rest.values() if before is None or version.last_seq < before]
    order = [key_of(version) for version in sorted(older, key=lambda version: version.last_seq, reverse=True)]
    for start in range(0, len(order), AT_ONCE):
        yield from _compared(rest, theirs, order[start : start + AT_ONCE])


def _compared(ours: dict[Key, Version], theirs: GraphDoc, keys: Sequence[Key]) -> Iterator[Version]:
    others = theirs.versions(keys)
    yield from (ours[key] for key in keys if ours[key].said != said(others.get(key)))
