"""Whether the ledger still is what was written: one stream, or a whole workspace.

Verification re-hashes the stored bytes and never re-encodes. It names the first bad
record and what is wrong with it. The offline verifier of exports (`thoughtbox.verifier`)
does the same to a file, with code of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from thoughtbox.engine.protocol import Row, Sql
from thoughtbox.errors import InvalidProof, InvalidRecord, NotCanonical, StorageDamaged
from thoughtbox.ledger import chain
from thoughtbox.ledger.canonical import parse
from thoughtbox.ledger.checkpoints import TOPIC, Checkpoints, Taken, origin
from thoughtbox.ledger.ledger import COLUMNS, StreamHead, beginning, shown_until, walk_back
from thoughtbox.ledger.merkle import Frontier
from thoughtbox.ledger.record import check_envelope, record_id
from thoughtbox.ledger.signing import Checkpoint, VerifierKey, open_note

_ROW = f"{COLUMNS}, workspace, prev_seq"
"""A row that was filed under another workspace may stand between the others and pass for one of them."""

Wrong = Literal[
    "content", "link", "order", "missing tail", "root", "unknown signature", "bad signature", "damaged store"
]


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing found wrong, and where."""

    wrong: Wrong
    message: str
    seq: int | None = None
    stream: str | None = None
    stream_index: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification found."""

    valid: bool
    records: int
    streams: int
    checkpoints: int
    problem: Problem | None = None
    root: bytes | None = None


class _Found(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


@dataclass(slots=True)
class _Walk:
    """What is known of a workspace while its records pass by in order."""

    workspace: str
    heads: dict[str, StreamHead] = field(default_factory=dict)
    records: int = 0
    checkpoints: int = 0
    root: bytes | None = None


def verify_stream(sql: Sql, workspace: str, stream: str) -> Verdict:
    """One stream: its chain, its stored head, and the heads that checkpoints remember.

    Back links lead through a whole stream. Where they do not, something is wrong, and only
    then is all of the workspace searched for what is left of it.
    """
    row = sql.row(
        "SELECT length, head_hash, last_seq FROM streams WHERE workspace = ? AND stream = ?", (workspace, stream)
    )
    stored = StreamHead(*row) if row else None
    signed = Checkpoints(sql, workspace).stream_heads(stream)
    if stored is not None:
        linked = _verify_rows(walk_back(sql, workspace, stored, _ROW), workspace, stream, signed, stored)
        if linked.valid:
            return linked
    elif not signed:
        return Verdict(valid=True, records=0, streams=0, checkpoints=0)
    found = sql.scan(
        f"SELECT {_ROW} FROM records WHERE workspace = ? AND stream = ? AND seq <= ? ORDER BY seq",
        (workspace, stream, shown_until(sql, workspace)),
    )
    return _verify_rows(found, workspace, stream, signed, stored)


def _verify_rows(
    rows: Iterable[Row], workspace: str, stream: str, signed: Sequence[StreamHead], stored: StreamHead | None
) -> Verdict:
    walk = _Walk(workspace)
    hashes: dict[int, bytes] = dict.fromkeys((head.length for head in signed), b"")

    def check() -> None:
        for row in rows:
            if row[1] != stream:
                raise _Found(Problem("link", f"{record_id(row[0])} of {row[1]} is linked into {stream}", row[0]))
            _check_row(walk, row)
            if walk.records in hashes:
                hashes[walk.records] = row[5]
        # The earliest head that does not fit is the nearest to where the trouble began.
        for head in signed:
            _check_length(walk, stream, head)
            if hashes[head.length] != head.hash:
                raise _Found(_other_head(stream, head))
        if stored is not None:
            _check_stored_head(walk, stream, stored)

    return _judge(walk, check)


def verify_workspace(
    sql: Sql,
    workspace: str,
    *,
    keys: Sequence[VerifierKey],
    notes: Iterable[str] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """All streams, their heads, the tree, and every checkpoint: those stored and those given as `notes`."""
    walk = _Walk(workspace)

    def check() -> None:
        head = sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (workspace,))
        last_seq = head[0] if head else 0
        expected = _expected_roots(sql, workspace, keys, notes)
        frontier = Frontier()
        # What is still being imported is verified on its way in, and is none of ours until its head has moved.
        until = shown_until(sql, workspace)
        for row in sql.scan(
            f"SELECT {_ROW} FROM records WHERE workspace = ? AND seq <= ? ORDER BY seq", (workspace, until)
        ):
            seq = row[0]
            if seq != walk.records + 1:
                raise _Found(_gap(walk.records + 1, row))
            envelope = _check_row(walk, row)
            if envelope["data"]["topic"] == TOPIC:
                _check_checkpoint(envelope, frontier, seq, workspace, keys)
            frontier.add(row[5])
            if seq in expected and frontier.root() != expected[seq].root:
                raise _Found(_other_root(expected[seq]))
            if progress and seq % 1000 == 0:
                progress(seq, last_seq)
        _check_last_seq(walk, last_seq, max(expected, default=0))
        _check_heads(sql, walk)
        walk.checkpoints = len(expected)
        walk.root = frontier.root()

    return _judge(walk, check)


def _judge(walk: _Walk, check: Callable[[], None]) -> Verdict:
    problem: Problem | None = None
    try:
        check()
    except _Found as found:
        problem = found.problem
    except StorageDamaged as damage:
        problem = Problem("damaged store", damage.message)
    except (TypeError, ValueError, AttributeError) as error:
        # A damaged page can turn a column into anything at all.
        problem = Problem("damaged store", f"a row after record {walk.records} cannot be read ({error})")
    return Verdict(problem is None, walk.records, len(walk.heads), walk.checkpoints, problem, walk.root)


def _check_row(walk: _Walk, row: Row) -> dict[str, Any]:
    """Content, then place, then link: the first that fails is what is wrong with the record."""
    seq, stream, stream_index, content, content_hash, linked, workspace, prev_seq = row
    at = (seq, stream, stream_index)
    if workspace != walk.workspace:
        raise _Found(Problem("damaged store", f"{record_id(seq)} is filed under workspace {workspace}", *at))
    if chain.content_hash(content) != content_hash:
        raise _Found(Problem("content", f"the bytes of {record_id(seq)} do not match its content hash", *at))
    length, previous, before = walk.heads.get(stream) or beginning(walk.workspace, stream)
    if stream_index != length:
        raise _Found(
            Problem("order", f"{record_id(seq)} stands at place {stream_index} of {stream}; {length} was expected", *at)
        )
    if chain.link(previous, content_hash) != linked:
        raise _Found(
            Problem("link", f"the hash of {record_id(seq)} does not follow from the record before it in {stream}", *at)
        )
    if prev_seq != before:
        raise _Found(
            Problem("link", f"{record_id(seq)} is linked back to {prev_seq}; in {stream} it follows {before}", *at)
        )
    # The link now vouches for the content; what it says of itself must agree with where it stands.
    try:
        envelope = parse(content)
        check_envelope(envelope)
    except (InvalidRecord, NotCanonical) as error:
        raise _Found(Problem("content", f"{record_id(seq)} is no record: {error.message}", *at)) from None
    if envelope["id"] != record_id(seq):
        raise _Found(Problem("order", f"record number {seq} calls itself {envelope['id']}", *at))
    walk.heads[stream] = StreamHead(length + 1, linked, seq)
    walk.records += 1
    return envelope


def _check_checkpoint(
    envelope: dict[str, Any], before: Frontier, seq: int, workspace: str, keys: Sequence[VerifierKey]
) -> None:
    """A checkpoint record signs all that stands before it, whatever the view of checkpoints says."""
    note = envelope["data"].get("note")
    if not isinstance(note, str):
        raise _Found(Problem("content", f"checkpoint record {record_id(seq)} has no note", seq))
    signed = _opened(note, workspace, keys, seq)
    if (signed.size, signed.root) != (before.size, before.root()):
        raise _Found(_other_root(signed))
    if envelope["attrs"]["stateHash"] != signed.root.hex() or envelope["data"].get("size") != signed.size:
        raise _Found(_disagrees(seq))


def _check_length(walk: _Walk, stream: str, head: StreamHead) -> None:
    found = walk.heads.get(stream)
    length = found.length if found else 0
    if length < head.length:
        raise _Found(
            Problem(
                "missing tail",
                f"{stream} has {length} records, and is known to have had {head.length}",
                stream=stream,
                stream_index=length,
            )
        )


def _check_stored_head(walk: _Walk, stream: str, head: StreamHead) -> None:
    """The stream ends as its stored head says, no sooner and no later."""
    _check_length(walk, stream, head)
    found = walk.heads[stream]
    if found.length > head.length:
        raise _Found(
            Problem(
                "order",
                f"{stream} has {found.length} records, but its head says {head.length}",
                stream=stream,
                stream_index=head.length,
            )
        )
    if found != head:
        raise _Found(_other_head(stream, head))


def _check_heads(sql: Sql, walk: _Walk) -> None:
    """Every stream is as long as its stored head says, and there is a head for every stream."""
    named = 0
    for stream, length, head_hash, last_seq, filed_under in sql.scan(
        "SELECT stream, length, head_hash, last_seq, workspace FROM streams WHERE workspace = ?", (walk.workspace,)
    ):
        named += 1
        if filed_under != walk.workspace:
            raise _Found(Problem("damaged store", f"the head of {stream} is filed under workspace {filed_under}"))
        head = StreamHead(length, head_hash, last_seq)
        if walk.heads.get(stream) != head:
            _check_stored_head(walk, stream, head)
    if named != len(walk.heads):
        raise _Found(Problem("order", f"{len(walk.heads)} streams have records, {named} have a head"))


def _check_last_seq(walk: _Walk, last_seq: int, signed_size: int) -> None:
    known = max(last_seq, signed_size)
    if walk.records < known:
        witness = "a signed checkpoint covers" if signed_size > walk.records else "the workspace is known to have had"
        raise _Found(
            Problem(
                "missing tail",
                f"the workspace has {walk.records} records; {witness} {known}",
                seq=walk.records + 1,
            )
        )
    if walk.records > last_seq:
        raise _Found(
            Problem(
                "order", f"the workspace has {walk.records} records, but its head says {last_seq}", seq=last_seq + 1
            )
        )


def _expected_roots(
    sql: Sql, workspace: str, keys: Sequence[VerifierKey], notes: Iterable[str]
) -> dict[int, Checkpoint]:
    """Tree size to signed root, from every checkpoint whose signature holds."""
    expected: dict[int, Checkpoint] = {}
    view = Checkpoints(sql, workspace)
    stored: list[tuple[str, Taken | None]] = [(taken.note, taken) for taken in view.all()]
    for note, taken in [*stored, *((note, None) for note in notes)]:
        seq = taken.seq if taken else None
        checkpoint = _opened(note, workspace, keys, seq)
        if taken and (taken.size, taken.root) != (checkpoint.size, checkpoint.root):
            raise _Found(_disagrees(taken.seq))
        earlier = expected.setdefault(checkpoint.size, checkpoint)
        if earlier.root != checkpoint.root:
            raise _Found(Problem("root", f"two signed checkpoints of size {checkpoint.size} have different roots", seq))
    return expected


def _opened(note: str, workspace: str, keys: Sequence[VerifierKey], seq: int | None) -> Checkpoint:
    """What a note says, if a known key signed it and it speaks of this workspace."""
    try:
        checkpoint = open_note(note, keys)
    except InvalidProof as error:
        wrong: Wrong = "unknown signature" if error.details.get("reason") == "unknown signature" else "bad signature"
        raise _Found(Problem(wrong, f"a checkpoint cannot be trusted: {error.message}", seq=seq)) from None
    if checkpoint.origin != origin(workspace):
        raise _Found(
            Problem("bad signature", f"a checkpoint speaks of {checkpoint.origin}, not of this workspace", seq=seq)
        )
    return checkpoint


def _disagrees(seq: int) -> Problem:
    return Problem("content", f"checkpoint record {record_id(seq)} disagrees with what it signed", seq)


def _gap(expected: int, row: Row) -> Problem:
    return Problem("order", f"{record_id(expected)} is missing: after it comes {record_id(row[0])}", expected)


def _other_root(checkpoint: Checkpoint) -> Problem:
    return Problem(
        "root",
        f"the first {checkpoint.size} records are not those that were signed: history was rewritten",
        seq=checkpoint.size,
    )


def _other_head(stream: str, head: StreamHead) -> Problem:
    return Problem(
        "link",
        f"{stream} does not have the record that its head remembers at place {head.length - 1}",
        seq=head.last_seq,
        stream=stream,
        stream_index=head.length - 1,
    )
