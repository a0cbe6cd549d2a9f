"""Records of every room, by what they are; one of them with all that proves it and stands around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, cast

from thoughtbox.domains.code.view import Written
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.domains.thoughts.watched.reading import sessions_of
from thoughtbox.doors.observatory.models import (
    Envelope,
    Neighbour,
    Neighbours,
    ProofShown,
    RecordRead,
    Records,
    RecordShown,
    Workspaces,
    WorkspaceShown,
)
from thoughtbox.errors import InvalidPayload, LedgerBroken, RecordNotFound
from thoughtbox.ledger.feed import Wanted
from thoughtbox.ledger.ledger import workspaces
from thoughtbox.ledger.record import Record, record_id, seq_of
from thoughtbox.ledger.view import NOW
from thoughtbox.operations import Tx, cursor, place_in

MOST_LOOKED_AT = 5_000
"""Records that are read for one page of those that fit a filter: the cursor leads on from there."""

MOST_REFERRING = 50
BRIEF_CHARS = 200
AHEAD = 2_000
"""Records that are looked through for the one that follows in a stream, before the stream is walked from its end."""

_BESIDE = frozenset({"next", "branch"})
"""Links of thoughts that say where one stands, and nothing about it."""


class RecordPlace(NamedTuple):
    """Where a page of records ends."""

    seq: int


def shown(record: Record) -> RecordShown:
    return RecordShown(
        seq=record.seq,
        id=record.id,
        stream=record.stream,
        stream_index=record.stream_index,
        room=record.room,
        kind=record.kind,
        content_hash=record.content_hash.hex(),
        hash=record.hash.hex(),
        record=cast(Envelope, record.envelope),
    )


def records_page(
    tx: Tx, wanted: Wanted, *, after: int, limit: int, order: Literal["asc", "desc"], place: str | None
) -> Records:
    """The next records that fit, in order or the newest first."""
    is_backward = order == "desc"
    begin = place_in(place, RecordPlace).seq if place else after if not is_backward else after or NOW
    found: list[Record] = []
    looked_at, reached = 0, begin
    for record in _walked(tx, wanted, begin, is_backward=is_backward):
        looked_at += 1
        reached = record.seq
        if wanted.fits(record):
            found.append(record)
        if len(found) == limit or looked_at == MOST_LOOKED_AT:
            break
    last = tx.ledger.last_seq()
    is_done = looked_at == 0 or (reached <= 1 if is_backward else reached >= last)
    is_done = is_done or (len(found) < limit and looked_at < MOST_LOOKED_AT)
    return Records(
        records=[shown(record) for record in found],
        next_cursor=None if is_done else cursor(RecordPlace(reached)),
        seq=last,
    )


def _walked(tx: Tx, wanted: Wanted, begin: int, *, is_backward: bool) -> Iterable[Record]:
    """What has to be looked at: of one stream its own records, otherwise all of them."""
    if wanted.streams is not None and len(wanted.streams) == 1:
        (stream,) = wanted.streams
        return tx.ledger.stream_page(stream, begin, limit=MOST_LOOKED_AT, backward=is_backward)
    if is_backward:
        return tx.ledger.before(begin, limit=MOST_LOOKED_AT)
    return tx.ledger.tail(begin, limit=MOST_LOOKED_AT)


def records_named(tx: Tx, ids: Sequence[str]) -> Records:
    """These records, in order; those that there are."""
    seqs = [seq_of(id) for id in ids]
    if None in seqs:
        raise InvalidPayload(
            f"`{ids[seqs.index(None)]}` is no id of a record",
            recovery="Ids are such as th:17, with commas between them.",
            details={"fields": ["ids"]},
        )
    found = tx.ledger.records(seq for seq in seqs if seq is not None)
    return Records(records=[shown(record) for record in found], next_cursor=None, seq=tx.ledger.last_seq())


def record_read(tx: Tx, id: str) -> RecordRead:
    """One record, with its hashes, the proof that it is in the ledger, and what stands around it."""
    seq = seq_of(id)
    record = tx.ledger.record(seq) if seq is not None else None
    if record is None:
        raise RecordNotFound(
            f"workspace `{tx.workspace}` has no record {id}",
            recovery=f"Its records are th:1 to th:{tx.ledger.last_seq()}.",
            details={"id": id},
        )
    proof = tx.call("ledger_prove", {"id": record.id})
    (session,) = sessions_of(tx, [record.session]) or (None,)
    plain = {name: getattr(shown(record), name) for name in RecordShown.model_fields}
    return RecordRead(
        **plain,
        previous_hash=proof["previous_hash"],
        proof=ProofShown(**{name: proof[name] for name in ("index", "size", "root", "path", "checkpoint")}),
        neighbours=_neighbours(tx, record),
        referred_to_by=_referring(tx, record),
        session=session,
    )


def _neighbours(tx: Tx, record: Record) -> Neighbours:
    ledger, seq = tx.ledger, record.seq
    return Neighbours(
        previous=_beside(lambda: _first(ledger.stream_page(record.stream, seq, limit=1, backward=True, head=record))),
        next=_beside(lambda: _next_in_stream(tx, record)),
        before=_beside(lambda: ledger.record(seq - 1)),
        after=_beside(lambda: ledger.record(seq + 1)),
    )


def _beside(read: Callable[[], Record | None]) -> Neighbour | None:
    """A neighbour in brief. One that was tampered with is named, and does not hide the record that was asked for."""
    try:
        return _brief(read())
    except LedgerBroken as broken:
        seq, stream = broken.details["seq"], broken.details["stream"]
        return Neighbour(id=record_id(seq), seq=seq, kind=None, text="", stream=stream, relation=None)


def _next_in_stream(tx: Tx, record: Record) -> Record | None:
    ledger = tx.ledger
    head = ledger.stream_head(record.stream)
    if head is None or head.last_seq <= record.seq:
        return None
    near = tx.sql.row(
        "SELECT seq FROM records WHERE workspace = ? AND seq > ? AND seq <= ? AND stream = ? ORDER BY seq LIMIT 1",
        (tx.workspace, record.seq, min(record.seq + AHEAD, head.last_seq), record.stream),
    )
    return ledger.record(near[0]) if near else _first(ledger.stream_page(record.stream, record.seq, limit=1))


def _first(records: Sequence[Record]) -> Record | None:
    return records[0] if records else None


def _referring(tx: Tx, record: Record) -> list[Neighbour]:
    """What refers to a record: later thoughts, and what builders have written."""
    links = [link for link in tx.ask(Thoughts).links([record.seq]).get(record.seq, []) if link[0] not in _BESIDE]
    how = {source: kind for kind, source in links}
    for seq in tx.ask(Written).about(record.id, None, 0, MOST_REFERRING):
        how.setdefault(seq, "refers to")
    found = tx.ledger.records(sorted(how)[:MOST_REFERRING])
    return [one for each in found if (one := _brief(each, how[each.seq])) is not None]


def _brief(record: Record | None, relation: str | None = None) -> Neighbour | None:
    if record is None:
        return None
    return Neighbour(
        id=record_id(record.seq),
        seq=record.seq,
        kind=record.kind,
        text=record.text[:BRIEF_CHARS],
        stream=record.stream,
        relation=relation,
    )


def all_workspaces(tx: Tx, default: str, *, may_see: Iterable[str] | None) -> Workspaces:
    """Those that have a record, and the one that is shown when none is named."""
    names = [name for name in workspaces(tx.sql) if may_see is None or name in may_see]
    return Workspaces(workspaces=[_counted(tx, name) for name in dict.fromkeys((*names, default))], default=default)


def _counted(tx: Tx, workspace: str) -> WorkspaceShown:
    row = tx.sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (workspace,))
    streams = tx.sql.row("SELECT COUNT(*) FROM streams WHERE workspace = ?", (workspace,))
    return WorkspaceShown(workspace=workspace, records=row[0] if row else 0, streams=streams[0] if streams else 0)
