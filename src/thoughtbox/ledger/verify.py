"""Whether the ledger still is what was written: one stream, or a whole workspace.

Verification re-hashes the stored bytes and never re-encodes. It names the first bad
record and what is wrong with it. The offline verifier of exports (`thoughtbox.verifier`)
does the same to a file, with code of its own. Views are another matter: see `comparison.py`.

A large workspace is verified slice by slice. Records are only ever added, so that a walk may go on
in a later snapshot where it stopped in an earlier one; nobody has to keep one snapshot for all
that time, and several who verify take turns. What is stored of the ledger's ends is compared in the
snapshot in which the walk comes to an end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from thoughtbox.engine.protocol import Head, Row, Sql
from thoughtbox.engine.steps import Steps
from thoughtbox.errors import InvalidProof, InvalidRecord, NotCanonical, StorageDamaged
from thoughtbox.ledger import chain
from thoughtbox.ledger.canonical import parse
from thoughtbox.ledger.checkpoints import TOPIC, Checkpoints, Taken, origin
from thoughtbox.ledger.ledger import COLUMNS, StreamHead, beginning, shown_until, walk_back
from thoughtbox.ledger.merkle import Frontier
from thoughtbox.ledger.record import check_envelope, record_id
from thoughtbox.ledger.signing import Checkpoint, Signer, VerifierKey, open_note, signers
from thoughtbox.ledger.verdict import Problem, Signatory, Verdict
from thoughtbox.ledger.view import NOW

SLICE = 10_000
"""Records that are verified in one snapshot, where there may be several."""

BEFORE_ALL = -(2**62)
"""Lower than any number that a record may have been given."""

Progress = Callable[[int, int], None]

_ROW = f"{COLUMNS}, workspace, prev_seq"
"""A row that was filed under another workspace may stand between the others and pass for one of them."""


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
    signed: dict[Signer, set[int]] = field(default_factory=dict)
    """The tree sizes that each signer has put a name to."""
    trusted: set[Signer] = field(default_factory=set)
    public_keys: dict[Signer, str] = field(default_factory=dict)

    def signatories(self) -> tuple[Signatory, ...]:
        return tuple(
            Signatory(signer, len(sizes), signer in self.trusted, self.public_keys.get(signer))
            for signer, sizes in sorted(self.signed.items())
        )

    def verdict(self, problem: Problem | None) -> Verdict:
        return Verdict(self.records, len(self.heads), self.checkpoints, problem, self.root, self.signatories())


class _Opened(NamedTuple):
    """What a note says, and who says so."""

    checkpoint: Checkpoint
    signer: Signer
    trusted: bool


def known_workspaces(sql: Sql) -> set[str]:
    """Every workspace that a head or a record tells of, whatever it is called."""
    found = {row[0] for row in sql.rows("SELECT workspace FROM workspaces WHERE last_seq <> 0")}
    for table in ("records", "streams"):
        row = sql.row(f"SELECT MIN(workspace) FROM {table}")
        while row is not None and row[0] is not None:
            found.add(row[0])
            row = sql.row(f"SELECT MIN(workspace) FROM {table} WHERE workspace > ?", row)
    return found


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
        return Verdict(records=0, streams=0, checkpoints=0)
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

    return walk.verdict(_problem(walk, check))


class WorkspaceCheck:
    """All streams of a workspace, their heads, the tree, and every checkpoint: those stored and those given as `notes`.

    A signature by a key that is not among `keys` is no reason to stop: what it signed must fit all the same.
    """

    def __init__(self, workspace: str, *, notes: Iterable[str] = (), progress: Progress | None = None) -> None:
        self._walk = _Walk(workspace)
        self._keys: Sequence[VerifierKey] = ()
        self._notes = tuple(notes)
        self._progress = progress
        self._frontier = Frontier()
        self._expected: dict[int, Checkpoint] = {}
        self._in_view: dict[int, str] = {}
        """Notes of stored checkpoints by their records' numbers."""
        self._after = BEFORE_ALL
        self._is_done = False

    def go_on(self, sql: Sql, *, keys: Sequence[VerifierKey], witness: Head | None, most: int = NOW) -> Verdict | None:
        """Verify the next records; the verdict, once something is wrong or there are no more of them.

        `keys` are those that were trusted when this snapshot was taken; `witness` is how far the workspace was known
        to have come before.
        """
        self._keys = keys
        problem = _problem(self._walk, lambda: self._check(sql, witness, most))
        return None if problem is None and not self._is_done else self._walk.verdict(problem)

    def _check(self, sql: Sql, witness: Head | None, most: int) -> None:
        walk, frontier, expected, in_view = self._walk, self._frontier, self._expected, self._in_view
        head = sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (walk.workspace,))
        last_seq = head[0] if head else 0
        self._expect_signed(Checkpoints(sql, walk.workspace).all(after=max(in_view, default=BEFORE_ALL)))
        # What is still being imported is verified on its way in, and is none of ours until its head has moved.
        until = shown_until(sql, walk.workspace)
        before = walk.records
        for row in sql.scan(
            f"SELECT {_ROW} FROM records WHERE workspace = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (walk.workspace, self._after, until, most),
        ):
            seq = row[0]
            if seq != walk.records + 1:
                raise _Found(_gap(walk.records + 1, row))
            envelope = _check_row(walk, row)
            if envelope["data"]["topic"] == TOPIC:
                signed = _check_checkpoint(walk, envelope, frontier, seq, self._keys)
                expected.setdefault(signed.size, signed)
                if in_view.get(seq, envelope["data"]["note"]) != envelope["data"]["note"]:
                    raise _Found(
                        Problem("view", f"the view of checkpoints has another note than {record_id(seq)}", seq)
                    )
            frontier.add(row[5])
            if seq in expected and frontier.root() != expected[seq].root:
                raise _Found(_other_root(expected[seq]))
            if self._progress and seq % 1000 == 0:
                self._progress(seq, last_seq)
        self._after = walk.records
        if walk.records - before == most:
            return
        _check_last_seq(walk, last_seq, max(expected, default=0))
        _check_witness(sql, walk, witness)
        _check_heads(sql, walk)
        walk.checkpoints = len(expected)
        walk.root = frontier.root()
        self._is_done = True

    def _expect_signed(self, stored: Sequence[Taken]) -> None:
        """Learn what was signed, tree size by tree size: by checkpoints stored since the last slice, and by notes."""
        notes, self._notes = self._notes, ()
        in_view: list[tuple[str, Taken | None]] = [(taken.note, taken) for taken in stored]
        for note, taken in [*in_view, *((note, None) for note in notes)]:
            seq = taken.seq if taken else None
            signed = _opened(self._walk, note, self._keys, seq).checkpoint
            if taken and (taken.size, taken.root) != (signed.size, signed.root):
                raise _Found(_disagrees(taken.seq))
            earlier = self._expected.setdefault(signed.size, signed)
            if earlier.root != signed.root:
                raise _Found(Problem("root", f"two signed checkpoints of size {signed.size} have different roots", seq))
        self._in_view.update((taken.seq, taken.note) for taken in stored)
        if 0 in self._expected and Frontier().root() != self._expected[0].root:
            raise _Found(_other_root(self._expected[0]))


def verify_workspace(
    sql: Sql,
    workspace: str,
    *,
    keys: Sequence[VerifierKey],
    notes: Iterable[str] = (),
    witness: Head | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """A whole workspace in one snapshot."""
    verdict = WorkspaceCheck(workspace, notes=notes, progress=progress).go_on(sql, keys=keys, witness=witness)
    assert verdict is not None
    return verdict


def verify_in_steps(
    read: Callable[[Callable[[Sql], Verdict | None]], Future[Verdict | None]],
    workspace: str,
    *,
    keys: Callable[[], Sequence[VerifierKey]],
    notes: Iterable[str] = (),
    progress: Progress | None = None,
) -> Steps[Verdict]:
    """A whole workspace, a slice at a time. `read` takes a snapshot that knows what was witnessed before it.

    `keys` are asked for with every slice: a new installation makes its own when it signs for the first time.
    """
    check = WorkspaceCheck(workspace, notes=notes, progress=progress)

    def look(sql: Sql) -> Verdict | None:
        return check.go_on(sql, keys=keys(), witness=sql.witness.get(workspace), most=SLICE)

    verdict: Verdict | None = None
    while verdict is None:
        verdict = yield read(look)
    return verdict


def _problem(walk: _Walk, check: Callable[[], None]) -> Problem | None:
    try:
        check()
    except _Found as found:
        return found.problem
    except StorageDamaged as damage:
        return Problem("damaged store", damage.message)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # A damaged page can turn a column into anything at all.
        return Problem("damaged store", f"a row after record {walk.records} cannot be read ({error})")
    return None


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
    walk: _Walk, envelope: dict[str, Any], before: Frontier, seq: int, keys: Sequence[VerifierKey]
) -> Checkpoint:
    """A checkpoint record signs all that stands before it, whatever the view of checkpoints says."""
    data = envelope["data"]
    note = data.get("note")
    if not isinstance(note, str):
        raise _Found(Problem("content", f"checkpoint record {record_id(seq)} has no note", seq))
    signed, signer, trusted = _opened(walk, note, keys, seq)
    if (signed.size, signed.root) != (before.size, before.root()):
        raise _Found(_other_root(signed))
    if envelope["attrs"]["stateHash"] != signed.root.hex() or data.get("size") != signed.size:
        raise _Found(_disagrees(seq))
    if not trusted and (key := named_key(data)) is not None:
        _check_named_key(note, key, signer, seq)
        walk.public_keys[signer] = str(key)
    return signed


def named_key(data: Mapping[str, Any]) -> VerifierKey | None:
    """The public key that a checkpoint record names as its signer's; older ones name none."""
    text = data.get("key")
    try:
        return VerifierKey.parse(text) if isinstance(text, str) else None
    except InvalidProof:
        return None


def _check_named_key(note: str, key: VerifierKey, signer: Signer, seq: int) -> None:
    """A stranger's signature fits at least the key that the stranger names."""
    try:
        open_note(note, [key])
    except InvalidProof as error:
        raise _Found(
            Problem("bad signature", f"checkpoint record {record_id(seq)} is not by {signer}: {error.message}", seq)
        ) from None


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
    found = walk.heads.get(stream)
    if found is None:
        raise _Found(Problem("order", f"{stream} has a head of length {head.length}, but no records", stream=stream))
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


def _check_witness(sql: Sql, walk: _Walk, witness: Head | None) -> None:
    """What somebody was answered is there, and is what was written."""
    if witness is None:
        return
    if walk.records < witness.seq:
        raise _Found(
            Problem(
                "missing tail",
                f"the workspace has {walk.records} records; its witness has seen {witness.seq}",
                seq=walk.records + 1,
            )
        )
    row = sql.row("SELECT hash FROM records WHERE workspace = ? AND seq = ?", (walk.workspace, witness.seq))
    if row is None or row[0] != witness.hash:
        raise _Found(
            Problem("link", f"{record_id(witness.seq)} is not the record that its witness has seen", seq=witness.seq)
        )


def _opened(walk: _Walk, note: str, keys: Sequence[VerifierKey], seq: int | None) -> _Opened:
    """What a note says, if no known key signed it wrongly and it speaks of this workspace; the signer is counted."""
    named: list[Signer] = []
    try:
        named = signers(note)
        known = [signer for signer in named if any(Signer.of(key) == signer for key in keys)]
        checkpoint = open_note(note, keys) if known else Checkpoint.parse(note)
    except InvalidProof as error:
        raise _Found(Problem("bad signature", f"a checkpoint cannot be trusted: {error.message}", seq=seq)) from None
    if checkpoint.origin != origin(walk.workspace):
        raise _Found(
            Problem("bad signature", f"a checkpoint speaks of {checkpoint.origin}, not of this workspace", seq=seq)
        )
    signer = (known or named)[0]
    walk.signed.setdefault(signer, set()).add(checkpoint.size)
    if known:
        walk.trusted.add(signer)
    return _Opened(checkpoint, signer, bool(known))


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
