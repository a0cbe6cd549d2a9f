"""What is known of a workspace while its records pass by in order, and what each of them must fit.

`verify.py` says which records pass by. Whatever does not fit is raised as `Found`, with the first thing that is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from thoughtbox.engine.protocol import Head, Row, Sql
from thoughtbox.errors import InvalidProof, InvalidRecord, NotCanonical
from thoughtbox.ledger import chain
from thoughtbox.ledger.canonical import parse
from thoughtbox.ledger.checkpoints import named_key, origin
from thoughtbox.ledger.ledger import COLUMNS, StreamHead, beginning
from thoughtbox.ledger.merkle import Frontier
from thoughtbox.ledger.record import check_envelope, record_id
from thoughtbox.ledger.signing import Checkpoint, Signer, VerifierKey, open_note, signers
from thoughtbox.ledger.verdict import Problem, Signatory, Verdict

ROW = f"{COLUMNS}, workspace, prev_seq"
"""A row that was filed under another workspace may stand between the others and pass for one of them."""


class Found(Exception):
    """Something does not fit."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem


@dataclass(slots=True)
class Walk:
    """What is known of a workspace while its records pass by in order."""

    workspace: str
    heads: dict[str, StreamHead] = field(default_factory=dict)
    firsts: dict[str, int] = field(default_factory=dict)
    """The number of each stream's first record."""
    records: int = 0
    checkpoints: int = 0
    root: bytes | None = None
    signed: dict[Signer, set[int]] = field(default_factory=dict)
    """The tree sizes that each signer has put a name to."""
    strangers: set[Signer] = field(default_factory=set)
    """Signers of anything that no trusted key was there for: one that is trusted only meanwhile stays a stranger."""
    public_keys: dict[Signer, str] = field(default_factory=dict)

    def signatories(self) -> tuple[Signatory, ...]:
        return tuple(
            Signatory(signer, len(sizes), signer not in self.strangers, self.public_keys.get(signer))
            for signer, sizes in sorted(self.signed.items())
        )

    def verdict(self, problem: Problem | None) -> Verdict:
        return Verdict(self.records, len(self.heads), self.checkpoints, problem, self.root, self.signatories())


class _Opened(NamedTuple):
    """What a note says, and who says so."""

    checkpoint: Checkpoint
    signer: Signer
    trusted: bool


def check_row(walk: Walk, row: Row) -> dict[str, Any]:
    """Content, then place, then link: the first that fails is what is wrong with the record."""
    seq, stream, stream_index, content, content_hash, linked, workspace, prev_seq = row
    at = (seq, stream, stream_index)
    if workspace != walk.workspace:
        raise Found(Problem("damaged store", f"{record_id(seq)} is filed under workspace {workspace}", *at))
    if chain.content_hash(content) != content_hash:
        raise Found(Problem("content", f"the bytes of {record_id(seq)} do not match its content hash", *at))
    length, previous, before = walk.heads.get(stream) or beginning(walk.workspace, stream)
    if stream_index != length:
        raise Found(
            Problem("order", f"{record_id(seq)} stands at place {stream_index} of {stream}; {length} was expected", *at)
        )
    if chain.link(previous, content_hash) != linked:
        raise Found(
            Problem("link", f"the hash of {record_id(seq)} does not follow from the record before it in {stream}", *at)
        )
    if prev_seq != before:
        raise Found(
            Problem("link", f"{record_id(seq)} is linked back to {prev_seq}; in {stream} it follows {before}", *at)
        )
    # The link now vouches for the content; what it says of itself must agree with where it stands.
    try:
        envelope = parse(content)
        check_envelope(envelope)
    except (InvalidRecord, NotCanonical) as error:
        raise Found(Problem("content", f"{record_id(seq)} is no record: {error.message}", *at)) from None
    if envelope["id"] != record_id(seq):
        raise Found(Problem("order", f"record number {seq} calls itself {envelope['id']}", *at))
    if not length:
        walk.firsts[stream] = seq
    walk.heads[stream] = StreamHead(length + 1, linked, seq)
    walk.records += 1
    return envelope


def check_checkpoint(
    walk: Walk, envelope: dict[str, Any], before: Frontier, seq: int, keys: Sequence[VerifierKey]
) -> Checkpoint:
    """A checkpoint record signs all that stands before it, whatever the view of checkpoints says."""
    data = envelope["data"]
    note = data.get("note")
    if not isinstance(note, str):
        raise Found(Problem("content", f"checkpoint record {record_id(seq)} has no note", seq))
    signed, signer, trusted = opened(walk, note, keys, seq)
    if (signed.size, signed.root) != (before.size, before.root()):
        raise Found(other_root(signed))
    if envelope["attrs"]["stateHash"] != signed.root.hex() or data.get("size") != signed.size:
        raise Found(disagrees(seq))
    if not trusted and (key := named_key(data)) is not None:
        _check_named_key(note, key, signer, seq)
        walk.public_keys[signer] = str(key)
    return signed


def _check_named_key(note: str, key: VerifierKey, signer: Signer, seq: int) -> None:
    """A stranger's signature fits at least the key that the stranger names."""
    try:
        open_note(note, [key])
    except InvalidProof as error:
        raise Found(
            Problem("bad signature", f"checkpoint record {record_id(seq)} is not by {signer}: {error.message}", seq)
        ) from None


def check_length(walk: Walk, stream: str, head: StreamHead) -> None:
    found = walk.heads.get(stream)
    length = found.length if found else 0
    if length < head.length:
        raise Found(
            Problem(
                "missing tail",
                f"{stream} has {length} records, and is known to have had {head.length}",
                stream=stream,
                stream_index=length,
            )
        )


def check_stored_head(walk: Walk, stream: str, head: StreamHead) -> None:
    """The stream ends as its stored head says, no sooner and no later."""
    check_length(walk, stream, head)
    found = walk.heads.get(stream)
    if found is None:
        raise Found(Problem("order", f"{stream} has a head of length {head.length}, but no records", stream=stream))
    if found.length > head.length:
        raise Found(
            Problem(
                "order",
                f"{stream} has {found.length} records, but its head says {head.length}",
                stream=stream,
                stream_index=head.length,
            )
        )
    if found != head:
        raise Found(other_head(stream, head))


def check_heads(sql: Sql, walk: Walk) -> None:
    """Every stream begins and ends where its stored head says, and there is a head for every stream."""
    named = 0
    for stream, length, head_hash, last_seq, first_seq, filed_under in sql.scan(
        "SELECT stream, length, head_hash, last_seq, first_seq, workspace FROM streams WHERE workspace = ?",
        (walk.workspace,),
    ):
        named += 1
        if filed_under != walk.workspace:
            raise Found(Problem("damaged store", f"the head of {stream} is filed under workspace {filed_under}"))
        head = StreamHead(length, head_hash, last_seq)
        if walk.heads.get(stream) != head:
            check_stored_head(walk, stream, head)
        if walk.firsts[stream] != first_seq:
            began = record_id(walk.firsts[stream])
            raise Found(Problem("order", f"{stream} begins with {began}, but its head says {first_seq}", stream=stream))
    if named != len(walk.heads):
        raise Found(Problem("order", f"{len(walk.heads)} streams have records, {named} have a head"))


def check_last_seq(walk: Walk, last_seq: int, signed_size: int) -> None:
    known = max(last_seq, signed_size)
    if walk.records < known:
        witness = "a signed checkpoint covers" if signed_size > walk.records else "the workspace is known to have had"
        raise Found(
            Problem(
                "missing tail",
                f"the workspace has {walk.records} records; {witness} {known}",
                seq=walk.records + 1,
            )
        )
    if walk.records > last_seq:
        raise Found(
            Problem(
                "order", f"the workspace has {walk.records} records, but its head says {last_seq}", seq=last_seq + 1
            )
        )


def check_witness(sql: Sql, walk: Walk, witness: Head | None) -> None:
    """What somebody was answered is there, and is what was written."""
    if witness is None:
        return
    if walk.records < witness.seq:
        raise Found(
            Problem(
                "missing tail",
                f"the workspace has {walk.records} records; its witness has seen {witness.seq}",
                seq=walk.records + 1,
            )
        )
    row = sql.row("SELECT hash FROM records WHERE workspace = ? AND seq = ?", (walk.workspace, witness.seq))
    if row is None or row[0] != witness.hash:
        raise Found(
            Problem("link", f"{record_id(witness.seq)} is not the record that its witness has seen", seq=witness.seq)
        )


def opened(walk: Walk, note: str, keys: Sequence[VerifierKey], seq: int | None) -> _Opened:
    """What a note says, if no known key signed it wrongly and it speaks of this workspace; the signer is counted."""
    named: list[Signer] = []
    try:
        named = signers(note)
        known = [signer for signer in named if any(Signer.of(key) == signer for key in keys)]
        checkpoint = open_note(note, keys) if known else Checkpoint.parse(note)
    except InvalidProof as error:
        raise Found(Problem("bad signature", f"a checkpoint cannot be trusted: {error.message}", seq=seq)) from None
    if checkpoint.origin != origin(walk.workspace):
        raise Found(
            Problem("bad signature", f"a checkpoint speaks of {checkpoint.origin}, not of this workspace", seq=seq)
        )
    signer = (known or named)[0]
    walk.signed.setdefault(signer, set()).add(checkpoint.size)
    if not known:
        walk.strangers.add(signer)
    return _Opened(checkpoint, signer, bool(known))


def disagrees(seq: int) -> Problem:
    return Problem("content", f"checkpoint record {record_id(seq)} disagrees with what it signed", seq)


def gap(expected: int, row: Row) -> Problem:
    return Problem("order", f"{record_id(expected)} is missing: after it comes {record_id(row[0])}", expected)


def other_root(checkpoint: Checkpoint) -> Problem:
    return Problem(
        "root",
        f"the first {checkpoint.size} records are not those that were signed: history was rewritten",
        seq=checkpoint.size,
    )


def other_head(stream: str, head: StreamHead) -> Problem:
    return Problem(
        "link",
        f"{stream} does not have the record that its head remembers at place {head.length - 1}",
        seq=head.last_seq,
        stream=stream,
        stream_index=head.length - 1,
    )
