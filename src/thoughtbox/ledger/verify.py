"""Whether the ledger still is what was written: one stream, or a whole workspace.

Verification re-hashes the stored bytes and never re-encodes. It names the first bad
record and what is wrong with it. The offline verifier of exports (`thoughtbox.verifier`)
does the same to a file, with code of its own. Views are another matter: see `comparison.py`.

There are three verdicts. A ledger that contradicts itself, or what was signed by a known key,
is *broken*. One that does not, but has checkpoints by a key that is not trusted here, is
*untrusted*: all of it fits together, and whether the signer is who they should be is for
people to say. Everything else is *valid*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from thoughtbox.engine.protocol import Head, Row, Sql
from thoughtbox.errors import InvalidProof, InvalidRecord, NotCanonical, StorageDamaged
from thoughtbox.ledger import chain
from thoughtbox.ledger.canonical import parse
from thoughtbox.ledger.checkpoints import TOPIC, Checkpoints, Taken, origin
from thoughtbox.ledger.ledger import COLUMNS, StreamHead, beginning, shown_until, walk_back
from thoughtbox.ledger.merkle import Frontier
from thoughtbox.ledger.record import check_envelope, record_id
from thoughtbox.ledger.signing import Checkpoint, Signer, VerifierKey, open_note, signers

_ROW = f"{COLUMNS}, workspace, prev_seq"
"""A row that was filed under another workspace may stand between the others and pass for one of them."""

Wrong = Literal["content", "link", "order", "missing tail", "root", "bad signature", "view", "damaged store"]
Standing = Literal["valid", "untrusted", "broken"]


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing found wrong, and where."""

    wrong: Wrong
    message: str
    seq: int | None = None
    stream: str | None = None
    stream_index: int | None = None


@dataclass(frozen=True, slots=True)
class Signatory:
    """Who signed checkpoints of the workspace, how many, and whether the key is trusted here."""

    signer: Signer
    checkpoints: int
    trusted: bool
    public_key: str | None = None
    """The key itself, where a checkpoint record of theirs names it."""

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.signer.name,
            "keyId": self.signer.key_id.hex(),
            "checkpoints": self.checkpoints,
            "trusted": self.trusted,
            "publicKey": self.public_key,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification found. Of a broken ledger, the counts say how far it was good."""

    records: int
    streams: int
    checkpoints: int
    problem: Problem | None = None
    root: bytes | None = None
    signatories: tuple[Signatory, ...] = ()
    views_checked: bool = False
    """Whether the views were compared with the records, too."""

    @property
    def standing(self) -> Standing:
        if self.problem is not None:
            return "broken"
        return "valid" if all(signatory.trusted for signatory in self.signatories) else "untrusted"

    @property
    def valid(self) -> bool:
        """Nothing contradicts itself; who signed it is another question."""
        return self.problem is None

    @property
    def strangers(self) -> list[Signatory]:
        """Those whose key is not trusted here."""
        return [signatory for signatory in self.signatories if not signatory.trusted]


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

    return _judge(walk, check)


def verify_workspace(
    sql: Sql,
    workspace: str,
    *,
    keys: Sequence[VerifierKey],
    notes: Iterable[str] = (),
    witness: Head | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Verdict:
    """All streams, their heads, the tree, and every checkpoint: those stored and those given as `notes`.

    `witness` is how far the workspace was known to have come before this snapshot was taken.
    A signature by a key that is not among `keys` is no reason to stop: what it signed must fit all the same.
    """
    walk = _Walk(workspace)

    def check() -> None:
        head = sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (workspace,))
        last_seq = head[0] if head else 0
        stored = Checkpoints(sql, workspace).all()
        expected = _expected_roots(walk, stored, keys, notes)
        in_view = {taken.seq: taken.note for taken in stored}
        frontier = Frontier()
        if 0 in expected and frontier.root() != expected[0].root:
            raise _Found(_other_root(expected[0]))
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
                signed = _check_checkpoint(walk, envelope, frontier, seq, keys)
                expected.setdefault(signed.size, signed)
                if in_view.get(seq, envelope["data"]["note"]) != envelope["data"]["note"]:
                    raise _Found(
                        Problem("view", f"the view of checkpoints has another note than {record_id(seq)}", seq)
                    )
            frontier.add(row[5])
            if seq in expected and frontier.root() != expected[seq].root:
                raise _Found(_other_root(expected[seq]))
            if progress and seq % 1000 == 0:
                progress(seq, last_seq)
        _check_last_seq(walk, last_seq, max(expected, default=0))
        _check_witness(sql, walk, witness)
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
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # A damaged page can turn a column into anything at all.
        problem = Problem("damaged store", f"a row after record {walk.records} cannot be read ({error})")
    return Verdict(walk.records, len(walk.heads), walk.checkpoints, problem, walk.root, walk.signatories())


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


def _expected_roots(
    walk: _Walk, stored: Sequence[Taken], keys: Sequence[VerifierKey], notes: Iterable[str]
) -> dict[int, Checkpoint]:
    """Tree size to signed root, from every checkpoint whose signature is not a wrong one."""
    expected: dict[int, Checkpoint] = {}
    in_view: list[tuple[str, Taken | None]] = [(taken.note, taken) for taken in stored]
    for note, taken in [*in_view, *((note, None) for note in notes)]:
        seq = taken.seq if taken else None
        checkpoint = _opened(walk, note, keys, seq).checkpoint
        if taken and (taken.size, taken.root) != (checkpoint.size, checkpoint.root):
            raise _Found(_disagrees(taken.seq))
        earlier = expected.setdefault(checkpoint.size, checkpoint)
        if earlier.root != checkpoint.root:
            raise _Found(Problem("root", f"two signed checkpoints of size {checkpoint.size} have different roots", seq))
    return expected


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
