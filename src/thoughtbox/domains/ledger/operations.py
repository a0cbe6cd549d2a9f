"""Verbs of auditors: look, verify, prove."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thoughtbox.domains.ledger import task_topics, topics
from thoughtbox.domains.ledger.models import (
    Fault,
    Proof,
    Prove,
    ReadRecord,
    ReadStatus,
    ReadTail,
    RecordShown,
    SignedBy,
    Status,
    Tail,
    Verified,
    Verify,
)
from thoughtbox.errors import InvalidPayload, RecordNotFound
from thoughtbox.ledger import merkle
from thoughtbox.ledger.answers import ANSWERED, CALLED
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.checkpoints import TOPIC as CHECKPOINT
from thoughtbox.ledger.checkpoints import Checkpoints
from thoughtbox.ledger.comparison import compare, with_views
from thoughtbox.ledger.record import Record, seq_of
from thoughtbox.ledger.tree import Tree
from thoughtbox.ledger.verdict import Problem, Verdict
from thoughtbox.ledger.verify import verify_in_steps, verify_stream, verify_workspace
from thoughtbox.operations import Example, Resource, Room, Slices, Steps, Tx

room = Room(
    "ledger",
    summary="The ledger itself: how it stands, whether it holds, and proofs of it.",
    gateway="ledger: ledger_verify",
)

room.topic(CHECKPOINT, topics.checkpoint, streams="ledger")
room.topic(CALLED, topics.call, streams="calls")
room.topic(ANSWERED, topics.answer, streams="calls")
task_topics.declare(room)

PAGE_CHARS = 90_000
"""A page of records that asks for no budget stays within the hard ceiling."""

ENVELOPE = len('{"records":[],"next_after":9007199254740992}')
"""What stands around a page: nothing of it may be cut away again, since its end is already named."""

_PLAN = ("thought_plan", {"sessionId": "s1", "planDescription": "Move the cache"})


@room.operation("ledger_status", title="How the ledger stands", example=Example({}))
def ledger_status(tx: Tx, call: ReadStatus) -> Status:
    """How many records and streams the workspace has, and which checkpoint was signed last."""
    newest = tx.ask(Checkpoints).newest()
    records = tx.ledger.last_seq()
    keys = tx.keyring.verifiers
    return Status(
        workspace=tx.workspace,
        records=records,
        streams=tx.ledger.stream_count(),
        checkpoint={"size": newest.size, "root": newest.root.hex(), "record": f"th:{newest.seq}"} if newest else None,
        unsigned=records - (newest.seq if newest else 0),
        public_key=str(keys[0]) if keys else None,
    )


@room.operation(
    "ledger_record",
    title="Open a record",
    errors=[RecordNotFound],
    example=Example({"id": "th:1"}, given=[_PLAN]),
)
def ledger_record(tx: Tx, call: ReadRecord) -> RecordShown:
    """Read one record by its id: as stored, with its place and its hashes."""
    record = _record(tx, call.id)
    return RecordShown(
        id=record.id,
        stream=record.stream,
        stream_index=record.stream_index,
        content_hash=record.content_hash.hex(),
        hash=record.hash.hex(),
        record=dict(record.envelope),
    )


@room.operation(
    "ledger_tail", title="Read the ledger in order", example=Example({"after": 0, "limit": 10}, given=[_PLAN])
)
def ledger_tail(tx: Tx, call: ReadTail) -> Tail:
    """Entries of the ledger as they were written, up to the newest records, a page at a time."""
    page: list[dict[str, Any]] = []
    room_left = (call.max_chars or PAGE_CHARS) - ENVELOPE
    for record in tx.ledger.tail(call.after, limit=call.limit):
        room_left -= len(canonical(dict(record.envelope))) + 1
        if page and room_left < 0:
            break
        page.append(dict(record.envelope))
    reached = call.after + len(page)
    return Tail(records=page, next_after=reached if reached < tx.ledger.last_seq() else None)


@room.operation(
    "ledger_verify",
    title="Verify the ledger",
    long=True,
    example=Example({"deep": True}, given=[_PLAN]),
)
def ledger_verify(slices: Slices, call: Verify) -> Steps[Verified]:
    """Whether the ledger is intact or was tampered with: hashes, order, heads, tree, checkpoints; `deep`: views too."""
    if call.stream is not None:
        if call.deep:
            raise InvalidPayload(
                "`deep` compares the views of the whole workspace",
                recovery="Leave `stream` out, or `deep`.",
                details={"fields": ["deep", "stream"]},
            )
        stream = call.stream
        return _verified((yield slices.read(lambda tx: verify_stream(tx.sql, tx.workspace, stream), long=True)))
    # What is kept outside is asked for first: every snapshot to come is at least as far as that.
    keyring = slices.keyring
    notes = keyring.recall(slices.workspace)
    if call.deep:
        return _verified((yield slices.scratch(lambda tx: _verify_deeply(tx, notes))))
    verdict = yield from verify_in_steps(
        lambda work: slices.read(lambda tx: work(tx.sql), long=True),
        slices.workspace,
        keys=lambda: keyring.verifiers,
        notes=notes,
        progress=slices.report,
    )
    return _verified(verdict)


def _verify_deeply(tx: Tx, notes: Sequence[str]) -> Verdict:
    """The records, and what the views have made of them, in one snapshot."""
    verdict = verify_workspace(
        tx.sql,
        tx.workspace,
        keys=tx.keyring.verifiers,
        notes=notes,
        witness=tx.sql.witness.get(tx.workspace),
        progress=tx.progress,
    )
    if not verdict.valid:
        return verdict
    return with_views(verdict, tx.workspace, compare(tx.sql, tx.views, among={tx.workspace}, progress=tx.progress))


@room.operation(
    "ledger_prove",
    title="Prove that a record is in the ledger",
    errors=[RecordNotFound],
    example=Example({"id": "th:1"}, given=[_PLAN]),
)
def ledger_prove(tx: Tx, call: Prove) -> Proof:
    """The Merkle path from a record to the newest checkpoint's root, or to the present root where none covers it."""
    record = _record(tx, call.id)
    newest = tx.ask(Checkpoints).newest()
    signed = newest if newest is not None and newest.size >= record.seq else None
    size = signed.size if signed else tx.ledger.last_seq()
    tree = tx.ask(Tree)
    root = merkle.root(size, tree.subtree)
    path = merkle.inclusion_proof(record.seq - 1, size, tree.subtree)
    merkle.verify_inclusion(record.hash, record.seq - 1, size, path, root)
    return Proof(
        workspace=tx.workspace,
        id=record.id,
        record=dict(record.envelope),
        previous_hash=tx.ledger.hash_before(record).hex(),
        hash=record.hash.hex(),
        index=record.seq - 1,
        size=size,
        root=root.hex(),
        path=[step.hex() for step in path],
        checkpoint=signed.note if signed else None,
    )


def _record(tx: Tx, record_id: str) -> Record:
    record = tx.ledger.record(seq_of(record_id) or 0)
    if record is None:
        last = tx.ledger.last_seq()
        raise RecordNotFound(
            f"workspace `{tx.workspace}` has no record {record_id}",
            recovery=f"Its records are th:1 to th:{last}." if last else "Nothing was recorded in it yet.",
            details={"id": record_id},
        )
    return record


def _verified(verdict: Verdict) -> Verified:
    return Verified(
        standing=verdict.standing,
        valid=verdict.valid,
        records=verdict.records,
        streams=verdict.streams,
        checkpoints=verdict.checkpoints,
        root=verdict.root.hex() if verdict.root else None,
        signers=[
            SignedBy(
                name=found.signer.name,
                key_id=found.signer.key_id.hex(),
                checkpoints=found.checkpoints,
                trusted=found.trusted,
                public_key=found.public_key,
            )
            for found in verdict.signatories
        ],
        views_checked=verdict.views_checked,
        problem=_fault(verdict.problem) if verdict.problem else None,
    )


def _fault(problem: Problem) -> Fault:
    return Fault(
        wrong=problem.wrong,
        message=problem.message,
        record=f"th:{problem.seq}" if problem.seq is not None else None,
        stream=problem.stream,
        stream_index=problem.stream_index,
    )


room.resource(
    Resource(
        uri="thoughtbox://ledger/status",
        name="ledger-status",
        title="How the ledger stands",
        description="Records, streams, and the newest signed checkpoint.",
        operation="ledger_status",
    )
)
room.resource(
    Resource(
        uri="thoughtbox://record/{id}",
        name="record",
        title="A record of the ledger",
        description="One record as stored, with its place and its hashes.",
        operation="ledger_record",
    )
)
