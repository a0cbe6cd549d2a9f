"""The Merkle tree of a workspace, kept outside the write path: a view that follows the tail.

Leaf `i` is the hash of record `i + 1`. Only every eighth level is stored; what lies
between is a matter of at most 255 hashes, done when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from thoughtbox.engine.protocol import Row, Sql
from thoughtbox.ledger.merkle import leaf_hash, node_hash
from thoughtbox.ledger.view import View

STEP = 8
WIDTH = 1 << STEP


class Tree(View):
    """Stored subtrees, and the hash of any subtree that is complete."""

    name = "tree"
    follows = frozenset()
    """Every record is a leaf, whatever its topic: see `advance`."""
    schema = "tree.sql"
    pace = "tail"
    stride = WIDTH

    def advance(self, after: int, limit: int) -> int:
        """Store the subtrees that the leaves behind number `after` complete; how far that went."""
        leaves = [
            leaf_hash(row[0])
            for row in self.sql.rows(
                "SELECT hash FROM records WHERE workspace = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
                (self.workspace, after, self.as_of, max(limit, WIDTH)),
            )
        ]
        whole = len(leaves) // WIDTH
        for block in range(whole):
            self._store(STEP, after // WIDTH + block, _fold(leaves[block * WIDTH : (block + 1) * WIDTH]))
        return after + whole * WIDTH

    def subtree(self, level: int, position: int) -> bytes:
        """The hash of the complete subtree of 2^level leaves at this position (see `merkle.Fetch`)."""
        stored_level = level - level % STEP
        count = 1 << (level - stored_level)
        first = position * count
        if stored_level == 0:
            hashes = self._leaves(first, count)
        else:
            hashes = self._stored(stored_level, first, count)
            if len(hashes) < count:  # not integrated yet
                hashes = [self._computed(stored_level, place) for place in range(first, first + count)]
        return _fold(hashes)

    @classmethod
    def contents(cls, sql: Sql, cursors: Mapping[str, int]) -> Iterator[Row]:
        """The subtrees whose leaves all lie before the cursors: others may have let the tree grow since."""
        for node in sql.scan("SELECT workspace, level, position, hash FROM tree_nodes"):
            workspace, level, position, _ = node
            if (position + 1) << level <= cursors.get(workspace, 0):
                yield node

    def _computed(self, level: int, position: int) -> bytes:
        """A stored level's node, made from the level below it."""
        below = level - STEP
        if below == 0:
            return _fold(self._leaves(position * WIDTH, WIDTH))
        return _fold([self.subtree(below, place) for place in range(position * WIDTH, (position + 1) * WIDTH)])

    def _leaves(self, first: int, count: int) -> list[bytes]:
        rows = self.sql.rows(
            "SELECT hash FROM records WHERE workspace = ? AND seq > ? AND seq <= ? ORDER BY seq",
            (self.workspace, first, first + count),
        )
        return [leaf_hash(row[0]) for row in rows]

    def _stored(self, level: int, first: int, count: int) -> list[bytes]:
        rows = self.sql.rows(
            "SELECT hash FROM tree_nodes WHERE workspace = ? AND level = ? AND position >= ? AND position < ?"
            " ORDER BY position",
            (self.workspace, level, first, first + count),
        )
        return [row[0] for row in rows]

    def _store(self, level: int, position: int, hash: bytes) -> None:
        self.sql.run(
            "INSERT INTO tree_nodes (workspace, level, position, hash) VALUES (?, ?, ?, ?)",
            (self.workspace, level, position, hash),
        )
        if position % WIDTH == WIDTH - 1:
            parent = position // WIDTH
            self._store(level + STEP, parent, _fold(self._stored(level, parent * WIDTH, WIDTH)))


def _fold(hashes: list[bytes]) -> bytes:
    """The root over a power of two of sibling hashes."""
    while len(hashes) > 1:
        hashes = [node_hash(left, right) for left, right in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]
