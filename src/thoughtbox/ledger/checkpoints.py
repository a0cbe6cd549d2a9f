"""Checkpoints in the ledger: a signed tree head is a record too.

Its record also says where the streams stood that had moved since the checkpoint
before, so that a missing tail can be told for one stream alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import InvalidProof
from thoughtbox.ledger import merkle
from thoughtbox.ledger.ledger import Ledger, StreamHead
from thoughtbox.ledger.record import Draft, Record, Source
from thoughtbox.ledger.replay import catch_up
from thoughtbox.ledger.signing import Checkpoint, SigningKey, VerifierKey
from thoughtbox.ledger.tree import Tree
from thoughtbox.ledger.view import View, Views
from thoughtbox.world import World

TOPIC = "ledger.checkpoint"
STREAM = "ledger/checkpoints"
MOST_HEADS = 2_000
"""Stream heads that one checkpoint lists at the most: the newest ones."""


class Taken(NamedTuple):
    """A checkpoint as the store knows it."""

    size: int
    root: bytes
    note: str
    seq: int


class Checkpoints(View):
    """Signed tree heads by size, and the stream heads they were taken with."""

    name = "checkpoints"
    follows = frozenset({TOPIC})
    schema = "checkpoints.sql"

    def apply(self, record: Record) -> None:
        data = record.data
        self.sql.run(
            "INSERT INTO checkpoints (workspace, size, root, note, seq) VALUES (?, ?, ?, ?, ?)",
            (self.workspace, data["size"], bytes.fromhex(record.attrs["stateHash"]), data["note"], record.seq),
        )
        self.sql.many(
            "INSERT INTO checkpoint_heads (workspace, stream, length, hash, seq) VALUES (?, ?, ?, ?, ?)",
            [
                (self.workspace, stream, length, bytes.fromhex(hash), record.seq)
                for stream, length, hash in data["heads"]
            ],
        )

    def newest(self) -> Taken | None:
        row = self.sql.row(
            "SELECT size, root, note, seq FROM checkpoints WHERE workspace = ? AND seq <= ? ORDER BY size DESC LIMIT 1",
            (self.workspace, self.as_of),
        )
        return Taken(*row) if row else None

    def all(self, *, after: int) -> list[Taken]:
        """Those behind a record, by size."""
        rows = self.sql.rows(
            "SELECT size, root, note, seq FROM checkpoints WHERE workspace = ? AND seq > ? AND seq <= ? ORDER BY size",
            (self.workspace, after, self.as_of),
        )
        return [Taken(*row) for row in rows]

    def stream_heads(self, stream: str) -> list[StreamHead]:
        """Where the stream stood whenever a checkpoint mentioned it, the earliest first."""
        rows = self.sql.rows(
            "SELECT length, hash, seq FROM checkpoint_heads WHERE workspace = ? AND stream = ? AND seq <= ?"
            " ORDER BY seq",
            (self.workspace, stream, self.as_of),
        )
        return [StreamHead(*row) for row in rows]


def origin(workspace: str) -> str:
    """The first line of a checkpoint: which log it speaks of."""
    return f"thoughtbox/{workspace}"


def named_key(data: Mapping[str, Any]) -> VerifierKey | None:
    """The public key that a checkpoint record names as its signer's; older ones name none."""
    text = data.get("key")
    try:
        return VerifierKey.parse(text) if isinstance(text, str) else None
    except InvalidProof:
        return None


def take_checkpoint(
    engine: Engine, views: Views, workspace: str, key: SigningKey, world: World, *, at_least: int = 1
) -> Taken | None:
    """Sign the tree as it is now and append that as a record.

    None when fewer than `at_least` records were written since the checkpoint before.
    """
    newest = engine.read(lambda sql: Ledger(sql, workspace, views).last_seq()).result()
    catch_up(engine, Tree, workspace, newest)

    def sign(sql: Sql) -> Taken | None:
        ledger = Ledger(sql, workspace, views)
        size = ledger.last_seq_held()
        last = Checkpoints(sql, workspace).newest()
        if size < (last.seq if last else 0) + at_least:
            return None
        root = merkle.root(size, Tree(sql, workspace).subtree)
        note = key.sign(Checkpoint(origin(workspace), size, root))
        record = ledger.append(
            Draft(
                kind="checkpoint",
                topic=TOPIC,
                text=f"{size} records, root {root.hex()}",
                session="ledger",
                attrs={"stateHash": root.hex()},
                data={
                    "size": size,
                    "note": note,
                    "key": str(key.verifier_key),
                    "heads": _moved_heads(sql, workspace, last.size if last else 0, size),
                },
            ),
            stream=STREAM,
            source=Source(agent="thoughtbox", surface="ledger", operation="checkpoint"),
            world=world,
        )
        return Taken(size, root, note, record.seq)

    return engine.write(workspace, sign).result()


def _moved_heads(sql: Sql, workspace: str, after: int, until: int) -> list[tuple[str, int, str]]:
    """Streams that moved in this stretch of the ledger: length and hash of each at its end."""
    rows = sql.rows(
        "SELECT stream, stream_index + 1, hash FROM records WHERE workspace = ? AND seq IN"
        " (SELECT MAX(seq) FROM records WHERE workspace = ? AND seq > ? AND seq <= ?"
        "  GROUP BY stream ORDER BY 1 DESC LIMIT ?) ORDER BY seq",
        (workspace, workspace, after, until, MOST_HEADS),
    )
    return [(stream, length, hash.hex()) for stream, length, hash in rows]
