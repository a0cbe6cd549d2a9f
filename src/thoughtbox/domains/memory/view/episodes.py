"""Episodes as they stand and as they stood, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from thoughtbox.domains.memory.episodes.cell import CONSOLIDATED
from thoughtbox.domains.memory.episodes.episode import AGENTS_SPEAK, EPISODE, Episode
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, NOW, View

_VALUES = (
    "session_id",
    "scope",
    "context_keys_json",
    "summary",
    "outcome",
    "trust",
    "salience",
    "created_at",
    "source",
    "about",
    "validated",
    "archived",
    "heard",
)
EPISODES = Versions("episodic_experiences", key=["experience_id"], values=_VALUES)
KEYS = Versions(
    "episode_keys", key=["context_key", "experience_id"], values=["scope", "trust", "salience", "created_at"]
)

_COLUMNS = ", ".join(f"e.{column}" for column in ("experience_id", *_VALUES))
_EPISODE = f"SELECT {_COLUMNS} FROM {EPISODES.standing} AS e"
_ORDER = "trust DESC, salience DESC, created_at DESC, experience_id"
_REVERSED = "trust, salience, created_at, experience_id DESC"


class Episodes(View):
    """Episodes by id, by what they are about, and best first."""

    name = "memory_episodes"
    follows = frozenset({EPISODE, CONSOLIDATED})
    schema = "episodes.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        if record.topic == EPISODE:
            self._enter(record)
        else:
            for id in record.data.get("archived", ()):
                self._archive(record.seq, id)

    def _enter(self, record: Record) -> None:
        data, keys = record.data, record.data["contextKeys"]
        self.sql.run(
            f"INSERT INTO episodic_experiences (workspace, experience_id, until_seq, from_seq, {', '.join(_VALUES)})"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.workspace,
                record.seq,
                FOREVER,
                record.seq,
                data.get("sessionId"),
                data["scope"],
                orjson.dumps(keys).decode(),
                record.text,
                data["outcome"],
                data["trust"],
                data["salience"],
                record.ts,
                data["source"],
                data.get("about"),
                int(data.get("validated", False)),
                0,
                int(data["source"] == "user" and record.envelope["source"].get("transport") not in AGENTS_SPEAK),
            ),
        )
        self.sql.many(
            "INSERT INTO episode_keys (workspace, context_key, experience_id, until_seq, from_seq, scope, trust,"
            " salience, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    self.workspace,
                    key,
                    record.seq,
                    FOREVER,
                    record.seq,
                    data["scope"],
                    data["trust"],
                    data["salience"],
                    record.ts,
                )
                for key in keys
            ],
        )

    def _archive(self, seq: int, id: int) -> None:
        row = self.sql.row(f"{_EPISODE} WHERE e.experience_id = ?", (*standing_at(self), id))
        if row is None:
            return
        EPISODES.put(self, seq, experience_id=id, **{**dict(zip(_VALUES, row[1:], strict=True)), "archived": 1})
        self.sql.run(
            "UPDATE episode_keys SET until_seq = ? WHERE workspace = ? AND experience_id = ? AND until_seq = ?",
            (seq, self.workspace, id, FOREVER),
        )

    def episode(self, experience_id: int) -> Episode | None:
        row = self.sql.row(f"{_EPISODE} WHERE e.experience_id = ?", (*standing_at(self), experience_id))
        return _episode(row) if row else None

    def episodes(self, ids: Iterable[int]) -> dict[int, Episode]:
        """By id: those of these that there are."""
        rows = rows_among(self.sql, f"{_EPISODE} WHERE e.experience_id IN (?*)", ids, before=standing_at(self))
        return {row[0]: _episode(row) for row in rows}

    def best(self, scopes: Sequence[str], *, keys: Sequence[str] = (), limit: int) -> list[Episode]:
        """Episodes that are not archived, best first; with keys, those that have one of them."""
        if not keys:
            return self._best(EPISODES, [("e.scope = ? AND e.archived = 0", (scope,)) for scope in scopes], limit)
        parts = [("e.context_key = ? AND e.scope = ?", (key, scope)) for key in keys for scope in scopes]
        return self._best(KEYS, parts, limit)

    def _best(self, table: Versions, parts: Sequence[tuple[str, tuple[str, ...]]], limit: int) -> list[Episode]:
        # What stands now is in order in an index; what stood earlier has to be sorted.
        until = (FOREVER,) if self.as_of >= NOW else ()
        found: set[tuple[Any, ...]] = set()
        for where, values in parts:
            rows = self.sql.rows(
                f"SELECT trust, salience, created_at, experience_id FROM {table.standing} AS e WHERE {where}"
                f"{' AND e.until_seq = ?' if until else ''} ORDER BY {_ORDER} LIMIT ?",
                (*standing_at(self), *values, *until, limit),
            )
            found.update(map(tuple, rows))
        ids = [row[3] for row in _ordered(found)[:limit]]
        known = self.episodes(ids)
        return [known[id] for id in ids]

    def newest_first(self, scopes: Sequence[str], *, limit: int, before: int = NOW) -> list[Episode]:
        """Episodes by age, archived ones among them, from before a given one."""
        found = [
            episode for scope in scopes for episode in self._by_id(scope, "e.experience_id < ?", before, "DESC", limit)
        ]
        return sorted(found, key=lambda episode: -episode.experience_id)[:limit]

    def after(self, scope: str, experience_id: int, *, limit: int) -> list[Episode]:
        """The episodes of a scope behind a given one, by id."""
        return self._by_id(scope, "e.experience_id > ?", experience_id, "ASC", limit)

    def _by_id(self, scope: str, where: str, id: int, order: str, limit: int) -> list[Episode]:
        # The ids alone, which an index has all of, and then the rows: otherwise all rows of the workspace are walked.
        until = (FOREVER,) if self.as_of >= NOW else ()
        rows = self.sql.rows(
            f"SELECT experience_id FROM {EPISODES.standing} AS e WHERE e.scope = ? AND {where}"
            f"{' AND e.until_seq = ?' if until else ''} ORDER BY e.experience_id {order} LIMIT ?",
            (*standing_at(self), scope, id, *until, limit),
        )
        known = self.episodes(row[0] for row in rows)
        return [known[row[0]] for row in rows]

    def surplus(self, most: int) -> list[int]:
        """Ids of what goes beyond so many episodes that are not archived: the last in their order, the last first."""
        row = self.sql.row(
            f"SELECT COUNT(*) FROM {EPISODES.standing} AS e WHERE e.archived = 0 AND e.scope IN ('project', 'global')",
            standing_at(self),
        )
        excess = (row[0] if row else 0) - most
        if excess <= 0:
            return []
        rows = self.sql.rows(
            f"SELECT experience_id FROM {EPISODES.standing} AS e WHERE e.archived = 0 ORDER BY {_REVERSED} LIMIT ?",
            (*standing_at(self), excess),
        )
        return [row[0] for row in rows]


def _ordered(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """By trust, salience and time downwards, then by id upwards. Sorting is stable: the last part goes first."""
    by_id = sorted(rows, key=lambda row: row[3])
    return sorted(by_id, key=lambda row: (row[0], row[1], row[2]), reverse=True)


def _episode(row: Sequence[Any]) -> Episode:
    *before, keys, summary, outcome, trust, salience, created_at, source, about, validated, archived, heard = row
    told = (summary, outcome, trust, salience, created_at, source, about)
    return Episode(*before, tuple(orjson.loads(keys)), *told, bool(validated), bool(archived), bool(heard))
