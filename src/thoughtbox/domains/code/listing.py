"""What a snippet has written, told briefly: a hundred records of one kind in a row cost no more than one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from thoughtbox.ledger.record import Record, seq_of

SHORTEST_RUN = 3
"""Records of a kind, one behind the other, from which on only the first and the last of them are named."""


def listed(records: Iterable[Record]) -> list[dict[str, Any]]:
    """The id and the kind of each, in order; of a run of one kind the first, and the `last`."""
    shown: list[dict[str, Any]] = []
    for run in _runs(records):
        if len(run) >= SHORTEST_RUN:
            shown.append({"id": run[0].id, "last": run[-1].id, "kind": run[0].kind})
        else:
            shown += [{"id": record.id, "kind": record.kind} for record in run]
    return shown


def number(told: Mapping[str, Any]) -> int:
    """How many records an entry of such a list stands for."""
    first, last = seq_of(told["id"]), seq_of(told.get("last", told["id"]))
    return 1 if first is None or last is None else last - first + 1


def _runs(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Records of one kind whose numbers follow each other."""
    for _, run in groupby(enumerate(records), lambda each: (each[1].kind, each[1].seq - each[0])):
        yield [record for _, record in run]
