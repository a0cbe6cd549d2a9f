"""Somebody who can write to the database file, knows how hashes are made, and has no signing key."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw

from thoughtbox.ledger.canonical import canonical

Envelope = dict[str, Any]


class Forger:
    """Changes rows behind the ledger's back, and covers it up as well as it can be done."""

    def __init__(self, database: Path, workspace: str) -> None:
        self._connection = apsw.Connection(str(database))
        self._witness = Path(f"{database}-witness")
        self.workspace = workspace

    def close(self) -> None:
        self._connection.close()

    def run(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement, parameters).fetchall()

    def record(self, seq: int) -> Envelope:
        [[content]] = self.run("SELECT content FROM records WHERE workspace = ? AND seq = ?", self.workspace, seq)
        return json.loads(content)

    def place(self, seq: int) -> tuple[str, int]:
        [place] = self.run(
            "SELECT stream, stream_index FROM records WHERE workspace = ? AND seq = ?", self.workspace, seq
        )
        return place[0], place[1]

    def write(self, seq: int, envelope: Envelope) -> None:
        """Put other bytes in a record's place, with the content hash that fits them."""
        content = canonical(envelope)
        self.run(
            "UPDATE records SET content = ?, content_hash = ? WHERE workspace = ? AND seq = ?",
            content,
            sha256(content).digest(),
            self.workspace,
            seq,
        )

    def reword(self, seq: int, text: str) -> None:
        envelope = self.record(seq)
        self.write(seq, {**envelope, "body": {**envelope["body"], "text": text}})

    def remove(self, *seqs: int) -> None:
        for seq in seqs:
            self.run("DELETE FROM records WHERE workspace = ? AND seq = ?", self.workspace, seq)
            for view in ("answers", "checkpoints", "checkpoint_heads", "trail_actions"):
                self.run(f"DELETE FROM {view} WHERE workspace = ? AND seq = ?", self.workspace, seq)

    def insert(self, seq: int, stream: str, envelope: Envelope) -> None:
        """A record more, at this number: all behind it move up, and call themselves by their new number."""
        numbers = [row[0] for row in self.run("SELECT seq FROM records WHERE workspace = ?", self.workspace)]
        for number in sorted((number for number in numbers if number >= seq), reverse=True):
            self.renumber(number, number + 1)
        content = canonical({**envelope, "id": f"th:{seq}"})
        self.run(
            "INSERT INTO records (workspace, seq, stream, stream_index, content, content_hash, hash)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            self.workspace,
            seq,
            stream,
            -1,
            content,
            sha256(content).digest(),
            b"",
        )

    def renumber(self, seq: int, to: int) -> None:
        self.run("UPDATE records SET seq = ? WHERE workspace = ? AND seq = ?", to, self.workspace, seq)
        self.write(to, {**self.record(to), "id": f"th:{to}"})

    def cover_up(self) -> None:
        """Number, link and count everything anew, so that all that is not signed fits together again.

        Who can write to the database can also take the witness beside it away.
        """
        self.mend()
        self._witness.unlink(missing_ok=True)

    def mend(self) -> None:
        """Number, link and count everything anew inside the database."""
        rows = self.run(
            "SELECT seq, stream, content_hash FROM records WHERE workspace = ? ORDER BY seq", self.workspace
        )
        heads: dict[str, tuple[int, bytes, int]] = {}
        for seq, stream, content_hash in rows:
            length, previous, before = heads.get(stream) or (0, self.genesis(stream), 0)
            linked = sha256(previous + content_hash).digest()
            self.run(
                "UPDATE records SET stream_index = ?, hash = ?, prev_seq = ? WHERE workspace = ? AND seq = ?",
                length,
                linked,
                before,
                self.workspace,
                seq,
            )
            heads[stream] = (length + 1, linked, seq)
        self.run("DELETE FROM streams WHERE workspace = ?", self.workspace)
        for stream, head in heads.items():
            self.run(
                "INSERT INTO streams (workspace, stream, length, head_hash, last_seq, first_seq)"
                " VALUES (?, ?, ?, ?, ?, (SELECT MIN(seq) FROM records WHERE workspace = ? AND stream = ?))",
                self.workspace,
                stream,
                *head,
                self.workspace,
                stream,
            )
        self.run("UPDATE workspaces SET last_seq = ? WHERE workspace = ?", len(rows), self.workspace)
        self.run("DELETE FROM tree_nodes WHERE workspace = ?", self.workspace)
        self.run("DELETE FROM view_cursors WHERE workspace = ?", self.workspace)

    def forget_checkpoints(self) -> None:
        """Take every checkpoint out of the store: its record, its row in the view, and the heads it remembers."""
        seqs = [row[0] for row in self.run("SELECT seq FROM checkpoints WHERE workspace = ?", self.workspace)]
        self.remove(*seqs)
        self.close_gaps()

    def close_gaps(self) -> None:
        """Give the records numbers without gaps again."""
        numbers = self.run("SELECT seq FROM records WHERE workspace = ? ORDER BY seq", self.workspace)
        for wanted, (seq,) in enumerate(numbers, 1):
            if seq != wanted:
                self.renumber(seq, wanted)

    def genesis(self, stream: str) -> bytes:
        return sha256(b"\n".join((b"thoughtbox/stream/v1", self.workspace.encode(), stream.encode()))).digest()


@contextmanager
def forging(database: Path, workspace: str) -> Generator[Forger]:
    forger = Forger(database, workspace)
    try:
        with forger._connection:
            yield forger
    finally:
        forger.close()
