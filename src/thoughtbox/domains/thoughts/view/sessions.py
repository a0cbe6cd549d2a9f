"""Sessions as they stand, their tags, and the order in which they were updated."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from thoughtbox.domains.thoughts.model.session import SETTLES, UPDATES, Session, time_of
from thoughtbox.ledger.clauses import begins_with, rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View

_OWN = (
    *("title", "description", "tags", "project", "task", "aspect", "domain", "root", "stage", "status", "deleted"),
    *("created_at", "updated_at", "last_accessed_at"),
)
_MARKS = ("created_seq", "updated_seq", "accessed_seq", "settled_seq")

SESSIONS = Versions("thought_sessions", key=["session_id"], values=[*_OWN, *_MARKS, "words"])
TAGS = Versions("thought_tags", key=["tag", "session_id"])
ORDER = Versions("thought_updates", key=["session_id"])

_SORTS = {"createdAt": "s.created_seq", "updatedAt": "u.from_seq", "title": "s.title"}
_COLUMNS = ", ".join(f"s.{name}" for name in ("session_id", *_OWN, *_MARKS))
_LAST_THOUGHT = "n.seq, n.at, n.thoughts, n.branches"
_NO_THOUGHT = "0, '', 0, 0"
_LAST = (
    " LEFT JOIN thought_nodes n ON n.workspace = ? AND n.session_id = s.session_id AND n.seq = ("
    "SELECT MAX(seq) FROM thought_nodes WHERE workspace = ? AND session_id = s.session_id AND seq <= ?)"
)
"""The last thought of each session `s`, which says what the session had come to with it."""


class _Marks(NamedTuple):
    """The records that created a session, updated and touched it last, and said last whether it goes on.

    Thoughts do all of these things, too; they are not among them.
    """

    created: int
    updated: int
    accessed: int
    settled: int


class SessionTables(View):
    """Sessions, tags, order of updates. What thoughts do to a session is read from its last thought."""

    def take_start(self, record: Record) -> None:
        self._put(Session.begun(record), _Marks(*[record.seq] * 4), record.seq)
        self.take_update(record.session, record.seq)

    def take_change(self, record: Record) -> None:
        row = self.sql.row(
            f"SELECT {_COLUMNS}, {_NO_THOUGHT} FROM {SESSIONS.standing} AS s WHERE s.session_id = ?",
            (*standing_at(self), record.session),
        )
        if row is None:
            return
        (before, marks), what = _session(row), record.data["change"]
        after = before.changed(record.data, time_of(record))
        marks = marks._replace(
            updated=record.seq if what in UPDATES else marks.updated,
            accessed=record.seq,
            settled=record.seq if what in SETTLES else marks.settled,
        )
        self._put(after, marks, record.seq, before)
        if after.deleted:
            ORDER.end(self, record.seq, session_id=after.id)
        elif what in UPDATES:
            self.take_update(after.id, record.seq)

    def take_update(self, session_id: str, seq: int) -> None:
        """A session was updated: it comes first from now on, if it did not before (docs/decisions/0039)."""
        first = self.sql.row(
            f"SELECT session_id FROM {ORDER.standing} AS u ORDER BY from_seq DESC LIMIT 1", standing_at(self)
        )
        if first is None or first[0] != session_id:
            ORDER.put(self, seq, session_id=session_id)

    def _put(self, session: Session, marks: _Marks, seq: int, before: Session | None = None) -> None:
        own = {name: getattr(session, name) for name in _OWN}
        SESSIONS.put(
            self,
            seq,
            session_id=session.id,
            **{**own, "tags": json.dumps(session.tags, ensure_ascii=False), "deleted": int(session.deleted)},
            **dict(zip(_MARKS, marks, strict=True)),
            words=f"{session.title} {session.description or ''}".casefold(),
        )
        had = set(before.tags) if before is not None and not before.deleted else set()
        has = set() if session.deleted else set(session.tags)
        for tag in sorted(had - has):
            TAGS.end(self, seq, tag=tag, session_id=session.id)
        for tag in sorted(has - had):
            TAGS.put(self, seq, tag=tag, session_id=session.id)

    def session(self, session_id: str) -> Session | None:
        """The session, deleted or not; None when there never was one."""
        row = self.sql.row(
            f"SELECT {_COLUMNS}, {_LAST_THOUGHT} FROM {SESSIONS.standing} AS s {_LAST} WHERE s.session_id = ?",
            (*standing_at(self), *self._last(), session_id),
        )
        return _session(row)[0] if row else None

    def settled(self, ids: Sequence[str]) -> dict[str, int]:
        """Of these sessions, the event of each that said last whether it goes on."""
        rows = rows_among(
            self.sql,
            f"SELECT s.session_id, s.settled_seq FROM {SESSIONS.standing} AS s WHERE s.session_id IN (?*)",
            ids,
            before=standing_at(self),
        )
        return {row[0]: row[1] for row in rows}

    def sessions(
        self,
        *,
        tags: Sequence[str] = (),
        where: Mapping[str, str] | None = None,
        words: str | None = None,
        sort_by: str = "updatedAt",
        descending: bool = True,
        limit: int,
        offset: int = 0,
    ) -> list[Session]:
        """Sessions with all these tags, with the values of `where`, and with these words in title or description."""
        standing = standing_at(self)
        source, parameters = f"{SESSIONS.standing} AS s", [*standing]
        conditions, first = ["s.deleted = 0"], "s"
        if sort_by == "updatedAt":
            # In this order, so that the walk along the updates ends where the page does.
            source, first = f"{ORDER.standing} AS u CROSS JOIN {source}", "u"
            parameters += standing
            conditions.append("s.session_id = u.session_id")
        more, values = self._narrowing(first, tags, where or {})
        conditions += more
        parameters += values
        for word in (words or "").casefold().split():
            conditions.append("s.words LIKE ? ESCAPE '\\'")
            parameters.append(f"%{_escaped(word)}%")
        direction = "DESC" if descending else "ASC"
        # The page is found by ids alone: what is sorted is no longer than it need be.
        page = (
            f"SELECT s.session_id, {_SORTS[sort_by]} AS place FROM {source} WHERE {' AND '.join(conditions)}"
            f" ORDER BY place {direction}{', s.session_id' if sort_by == 'title' else ''} LIMIT ? OFFSET ?"
        )
        rows = self.sql.rows(
            f"SELECT {_COLUMNS}, {_LAST_THOUGHT} FROM ({page}) AS p CROSS JOIN {SESSIONS.standing} AS s {_LAST}"
            f" WHERE s.session_id = p.session_id ORDER BY p.place {direction}, s.session_id",
            (*parameters, limit, offset, *standing, *self._last()),
        )
        return [_session(row)[0] for row in rows]

    def sessions_among(
        self, ids: Sequence[str], *, tags: Sequence[str] = (), where: Mapping[str, str], sort_by: str | None = None
    ) -> list[str]:
        """Those of the sessions that have all these tags, and the values of `where`; sorted, the last one first."""
        standing = standing_at(self)
        more, values = self._narrowing("s", tags, where)
        rows = rows_among(
            self.sql,
            f"SELECT s.session_id, {_SORTS[sort_by or 'createdAt']} FROM {SESSIONS.standing} AS s"
            f" LEFT JOIN {ORDER.standing} AS u ON u.session_id = s.session_id"
            f" WHERE s.session_id IN (?*) AND {' AND '.join(['s.deleted = 0', *more])}",
            ids,
            before=(*standing, *standing),
            after=values,
        )
        return [row[0] for row in sorted(rows, key=lambda row: (row[1], row[0]), reverse=True)]

    def _narrowing(
        self, first: str, tags: Sequence[str], where: Mapping[str, str]
    ) -> tuple[list[str], list[str | int]]:
        """The conditions on a session `s`, and their parameters; `first` is the table that the walk goes along."""
        conditions: list[str] = []
        parameters: list[str | int] = []
        for tag in dict.fromkeys(tags):
            conditions.append(
                f"EXISTS (SELECT 1 FROM {TAGS.standing} AS t WHERE t.tag = ? AND t.session_id = {first}.session_id)"
            )
            parameters += (*standing_at(self), tag)
        for column, value in where.items():
            conditions.append(f"s.{column} = ?")
            parameters.append(value)
        return conditions, parameters

    def session_ids(self, prefix: str, limit: int, *, after: str = "") -> list[str]:
        """Sessions whose id begins so, by id."""
        rows = self.sql.rows(
            f"SELECT session_id FROM {SESSIONS.standing} AS s WHERE session_id > ? AND session_id >= ?"
            " AND session_id < ? AND deleted = 0 ORDER BY session_id LIMIT ?",
            (*standing_at(self), after, *begins_with(prefix), limit),
        )
        return [row[0] for row in rows]

    def tags(self, prefix: str, limit: int) -> list[str]:
        """Tags of sessions that begin so, by name."""
        rows = self.sql.rows(
            f"SELECT DISTINCT tag FROM {TAGS.standing} AS t WHERE tag >= ? AND tag < ? ORDER BY tag LIMIT ?",
            (*standing_at(self), *begins_with(prefix), limit),
        )
        return [row[0] for row in rows]

    def values(self, column: str, limit: int) -> list[tuple[str, int]]:
        """What sessions say of their project, task or aspect, the most frequent first, and how many say so."""
        rows = self.sql.rows(
            f"SELECT {column}, COUNT(*) FROM {SESSIONS.standing} AS s WHERE deleted = 0 AND {column} IS NOT NULL"
            f" GROUP BY {column} ORDER BY 2 DESC, 1 LIMIT ?",
            (*standing_at(self), limit),
        )
        return [(row[0], row[1]) for row in rows]

    def _last(self) -> tuple[str, str, int]:
        """The parameters of `_LAST`."""
        return self.workspace, self.workspace, self.as_of


def _session(row: Sequence[Any]) -> tuple[Session, _Marks]:
    """A session as its events and its last thought have made it, and the records of its events."""
    id, title, description, tags, project, task, aspect, domain, root, stage, status, deleted, *more = row
    created_at, updated_at, accessed_at, created, updated, accessed, settled, seq, at, thoughts, branches = more
    last = seq or 0  # a session without thoughts has none
    session = Session(
        id=id,
        title=title,
        description=description,
        tags=tuple(orjson.loads(tags)),
        project=project,
        task=task,
        aspect=aspect,
        domain=domain,
        root=root,
        stage=stage,
        status="active" if last > settled else status,
        deleted=bool(deleted),
        thought_count=thoughts or 0,
        branch_count=branches or 0,
        created_at=created_at,
        updated_at=at if last > updated else updated_at,
        last_accessed_at=at if last > accessed else accessed_at,
    )
    return session, _Marks(created, updated, accessed, settled)


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
