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

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future

from thoughtbox.engine.protocol import Head, Row, Sql
from thoughtbox.engine.steps import Steps
from thoughtbox.errors import StorageDamaged
from thoughtbox.ledger.checkpoints import TOPIC, Checkpoints, Taken
from thoughtbox.ledger.ledger import StreamHead, shown_until, walk_back
from thoughtbox.ledger.merkle import Frontier
from thoughtbox.ledger.record import record_id
from thoughtbox.ledger.replay import Progress
from thoughtbox.ledger.signing import Checkpoint, VerifierKey
from thoughtbox.ledger.verdict import Problem, Verdict
from thoughtbox.ledger.view import NOW
from thoughtbox.ledger.walk import (
    ROW,
    Found,
    Walk,
    check_checkpoint,
    check_heads,
    check_last_seq,
    check_length,
    check_row,
    check_stored_head,
    check_witness,
    disagrees,
    gap,
    opened,
    other_head,
    other_root,
)

SLICE = 10_000
"""Records that are verified in one snapshot, where there may be several."""

BEFORE_ALL = -(2**62)
"""Lower than any number that a record may have been given."""


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
        linked = _verify_rows(walk_back(sql, workspace, stored, ROW), workspace, stream, signed, stored)
        if linked.valid:
            return linked
    elif not signed:
        return Verdict(records=0, streams=0, checkpoints=0)
    found = sql.scan(
        f"SELECT {ROW} FROM records WHERE workspace = ? AND stream = ? AND seq <= ? ORDER BY seq",
        (workspace, stream, shown_until(sql, workspace)),
    )
    return _verify_rows(found, workspace, stream, signed, stored)


def _verify_rows(
    rows: Iterable[Row], workspace: str, stream: str, signed: Sequence[StreamHead], stored: StreamHead | None
) -> Verdict:
    walk = Walk(workspace)
    hashes: dict[int, bytes] = dict.fromkeys((head.length for head in signed), b"")

    def check() -> None:
        for row in rows:
            if row[1] != stream:
                raise Found(Problem("link", f"{record_id(row[0])} of {row[1]} is linked into {stream}", row[0]))
            check_row(walk, row)
            if walk.records in hashes:
                hashes[walk.records] = row[5]
        # The earliest head that does not fit is the nearest to where the trouble began.
        for head in signed:
            check_length(walk, stream, head)
            if hashes[head.length] != head.hash:
                raise Found(other_head(stream, head))
        if stored is not None:
            check_stored_head(walk, stream, stored)

    return walk.verdict(_problem(walk, check))


class WorkspaceCheck:
    """All streams of a workspace, their heads, the tree, and every checkpoint: those stored and those given as `notes`.

    A signature by a key that is not among `keys` is no reason to stop: what it signed must fit all the same.
    """

    def __init__(self, workspace: str, *, notes: Iterable[str] = (), progress: Progress | None = None) -> None:
        self._walk = Walk(workspace)
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
        problem = _problem(self._walk, lambda: self._check(sql, keys, witness, most))
        return None if problem is None and not self._is_done else self._walk.verdict(problem)

    def _check(self, sql: Sql, keys: Sequence[VerifierKey], witness: Head | None, most: int) -> None:
        walk, frontier, expected, in_view = self._walk, self._frontier, self._expected, self._in_view
        progress = self._progress
        head = sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (walk.workspace,))
        last_seq = head[0] if head else 0
        self._expect_signed(Checkpoints(sql, walk.workspace).all(after=max(in_view, default=BEFORE_ALL)), keys)
        # What is still being imported is verified on its way in, and is none of ours until its head has moved.
        until = shown_until(sql, walk.workspace)
        before = walk.records
        for row in sql.scan(
            f"SELECT {ROW} FROM records WHERE workspace = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (walk.workspace, self._after, until, most),
        ):
            seq = row[0]
            if seq != walk.records + 1:
                raise Found(gap(walk.records + 1, row))
            envelope = check_row(walk, row)
            if envelope["data"]["topic"] == TOPIC:
                signed = check_checkpoint(walk, envelope, frontier, seq, keys)
                expected.setdefault(signed.size, signed)
                if in_view.get(seq, envelope["data"]["note"]) != envelope["data"]["note"]:
                    raise Found(Problem("view", f"the view of checkpoints has another note than {record_id(seq)}", seq))
            frontier.add(row[5])
            if seq in expected and frontier.root() != expected[seq].root:
                raise Found(other_root(expected[seq]))
            if progress and seq % 1000 == 0:
                progress(seq, last_seq)
        self._after = walk.records
        if walk.records - before == most:
            return
        check_last_seq(walk, last_seq, max(expected, default=0))
        check_witness(sql, walk, witness)
        check_heads(sql, walk)
        walk.checkpoints = len(expected)
        walk.root = frontier.root()
        self._is_done = True

    def _expect_signed(self, stored: Sequence[Taken], keys: Sequence[VerifierKey]) -> None:
        """Learn what was signed, tree size by tree size: by checkpoints stored since the last slice, and by notes."""
        notes, self._notes = self._notes, ()
        in_view: list[tuple[str, Taken | None]] = [(taken.note, taken) for taken in stored]
        for note, taken in [*in_view, *((note, None) for note in notes)]:
            seq = taken.seq if taken else None
            signed = opened(self._walk, note, keys, seq).checkpoint
            if taken and (taken.size, taken.root) != (signed.size, signed.root):
                raise Found(disagrees(taken.seq))
            earlier = self._expected.setdefault(signed.size, signed)
            if earlier.root != signed.root:
                raise Found(Problem("root", f"two signed checkpoints of size {signed.size} have different roots", seq))
        self._in_view.update((taken.seq, taken.note) for taken in stored)
        if 0 in self._expected and Frontier().root() != self._expected[0].root:
            raise Found(other_root(self._expected[0]))


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


def _problem(walk: Walk, check: Callable[[], None]) -> Problem | None:
    try:
        check()
    except Found as found:
        return found.problem
    except StorageDamaged as damage:
        return Problem("damaged store", damage.message)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # A damaged page can turn a column into anything at all.
        return Problem("damaged store", f"a row after record {walk.records} cannot be read ({error})")
    return None
