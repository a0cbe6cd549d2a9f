"""What this room keeps to answer questions: sessions, their branches, and what is linked to what."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from thoughtbox.domains.thoughts.model.session import CHANGED, SETTLES, STARTED, UPDATES, Session
from thoughtbox.domains.thoughts.model.thought import CRITIQUE, TOPIC, Thought
from thoughtbox.ledger.record import Record, seq_of
from thoughtbox.ledger.view import NOW, View

MAIN = ""
"""How the tables call the main line."""

NEXT, BRANCH, REVISES, CRITIQUES = "next", "branch", "revises", "critique"

_SESSION = (
    "session_id, title, description, tags, project, task, aspect, domain, root, stage, status, deleted,"
    " thought_count, branch_count, created_at, updated_at, last_accessed_at"
)
_SORTS = {"createdAt": "created_seq", "updatedAt": "updated_seq", "title": "title"}


class Line(NamedTuple):
    """A line of thought, the main one or a branch, as it stands now."""

    branch: str
    parent: str | None
    """The line it forked from; None for the main line."""
    origin: int | None
    origin_number: int | None
    first_seq: int
    last_seq: int
    highest_number: int
    last_total: int
    length: int


class Node(NamedTuple):
    """Where a thought stands: its line, its number there, its record and its kind."""

    branch: str
    number: int
    seq: int
    kind: str


class Thoughts(View):
    """Sessions, lines, thoughts by number, and links. What does not ask for all of a session is O(1) of its size."""

    name = "thoughts"
    follows = frozenset({STARTED, CHANGED, TOPIC, CRITIQUE})
    schema = "thoughts.sql"

    # Taking records in

    def apply(self, record: Record) -> None:
        match record.topic:
            case "thoughts.thought":
                self._take_thought(Thought.of(record))
            case "thoughts.session":
                self._take_event(record)
                self._store(begun(record), record.seq, record.seq)
            case "thoughts.session_changed":
                self._take_event(record)
                self._take_change(record)
            case "thoughts.critique":
                target = seq_of(record.data["of"])
                assert target is not None
                self._link(target, CRITIQUES, record.seq)

    def _take_thought(self, thought: Thought) -> None:
        branch = thought.branch_id or MAIN
        key = (self.workspace, thought.session_id)
        self.sql.run(
            "INSERT INTO thought_nodes (workspace, session_id, branch, number, seq, kind) VALUES (?, ?, ?, ?, ?, ?)",
            (*key, branch, thought.number, thought.seq, thought.kind),
        )
        line = self._line_now(thought.session_id, branch)
        if line is None:
            parent, origin_number = self._parent_of(thought)
            self.sql.run(
                "INSERT INTO thought_branches (workspace, session_id, branch, parent, origin, origin_number,"
                " first_seq, last_seq, highest_number, last_total, length) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
                (
                    *key,
                    branch,
                    parent,
                    thought.origin,
                    origin_number,
                    thought.seq,
                    thought.seq,
                    thought.number,
                    thought.total,
                ),
            )
        else:
            self.sql.run(
                "UPDATE thought_branches SET last_seq = ?, highest_number = ?, last_total = ?, length = ?"
                " WHERE workspace = ? AND session_id = ? AND branch = ?",
                (
                    thought.seq,
                    max(line.highest_number, thought.number),
                    thought.total,
                    line.length + 1,
                    *key,
                    branch,
                ),
            )
        self._take_links(thought, is_first_of_branch=line is None and branch != MAIN)
        self.sql.run(
            "UPDATE thought_sessions SET thought_count = thought_count + 1, branch_count = branch_count + ?,"
            " updated_at = ?, last_accessed_at = ?, updated_seq = ?, status = ?"
            " WHERE workspace = ? AND session_id = ?",
            (
                int(line is None and branch != MAIN),
                thought.timestamp,
                thought.timestamp,
                thought.seq,
                "active",
                *key,
            ),
        )

    def _parent_of(self, thought: Thought) -> tuple[str | None, int | None]:
        """The line that a new branch forks from, and the number there."""
        if thought.branch_id is None or thought.origin is None:
            return None, None
        row = self.sql.row(
            "SELECT content FROM records WHERE workspace = ? AND seq = ?", (self.workspace, thought.origin)
        )
        assert row is not None
        data = json.loads(row[0])["data"]
        return data.get("branchId") or MAIN, data["thoughtNumber"]

    def _take_links(self, thought: Thought, *, is_first_of_branch: bool) -> None:
        if thought.prev is not None:
            self._link(thought.prev, NEXT, thought.seq)
        if is_first_of_branch and thought.origin is not None:
            self._link(thought.origin, BRANCH, thought.seq)
        pointed = {(REVISES, thought.revises)} if thought.revises is not None else set()
        pointed |= {(relation["type"], seq_of(relation["to"])) for relation in thought.relations}
        for kind, target in sorted((kind, target) for kind, target in pointed if target is not None):
            self._link(target, kind, thought.seq)
        if thought.label is not None:
            self.sql.run(
                "INSERT INTO thought_labels (workspace, session_id, branch, label, seq) VALUES (?, ?, ?, ?, ?)",
                (self.workspace, thought.session_id, thought.branch_id or MAIN, thought.label, thought.seq),
            )

    def _link(self, target: int, kind: str, source: int) -> None:
        self.sql.run(
            "INSERT INTO thought_links (workspace, target, type, source) VALUES (?, ?, ?, ?)",
            (self.workspace, target, kind, source),
        )

    def _take_event(self, record: Record) -> None:
        self.sql.run(
            "INSERT INTO thought_events (workspace, session_id, seq) VALUES (?, ?, ?)",
            (self.workspace, record.session, record.seq),
        )

    def _take_change(self, record: Record) -> None:
        found = self._now(record.session)
        if found is None:
            return
        before, created_seq, updated_seq = found
        after = before.changed(record.data, _time_of(record))
        self._store(after, created_seq, record.seq if record.data["change"] in UPDATES else updated_seq, before)

    def _store(self, session: Session, created_seq: int, updated_seq: int, before: Session | None = None) -> None:
        key = (self.workspace, session.id)
        if before is not None:
            self.sql.run("DELETE FROM thought_sessions WHERE workspace = ? AND session_id = ?", key)
        marks = ", ".join("?" * 21)
        self.sql.run(
            f"INSERT INTO thought_sessions (workspace, {_SESSION}, created_seq, updated_seq, words) VALUES ({marks})",
            (
                *key,
                session.title,
                session.description,
                json.dumps(session.tags, ensure_ascii=False),
                session.project,
                session.task,
                session.aspect,
                session.domain,
                session.root,
                session.stage,
                session.status,
                int(session.deleted),
                session.thought_count,
                session.branch_count,
                session.created_at,
                session.updated_at,
                session.last_accessed_at,
                created_seq,
                updated_seq,
                _words(session),
            ),
        )
        had = set(before.tags) if before is not None and not before.deleted else set()
        has = set() if session.deleted else set(session.tags)
        for tag in sorted(had - has):
            self.sql.run(
                "DELETE FROM thought_tags WHERE workspace = ? AND tag = ? AND session_id = ?", (key[0], tag, key[1])
            )
        for tag in sorted(has - had):
            self.sql.run(
                "INSERT INTO thought_tags (workspace, tag, session_id) VALUES (?, ?, ?)", (key[0], tag, key[1])
            )

    # Sessions

    def session(self, session_id: str) -> Session | None:
        """The session, deleted or not; None when there never was one."""
        found = self._now(session_id) if self.as_of == NOW else self._earlier(session_id)
        return found[0] if found else None

    def _now(self, session_id: str) -> tuple[Session, int, int] | None:
        row = self.sql.row(
            f"SELECT {_SESSION}, created_seq, updated_seq FROM thought_sessions WHERE workspace = ? AND session_id = ?",
            (self.workspace, session_id),
        )
        return (_session(row), row[17], row[18]) if row else None

    def _earlier(self, session_id: str) -> tuple[Session, int, int] | None:
        """The same, as its events and thoughts had made it when the record that counts as the newest was."""
        rows = self.sql.rows(
            "SELECT e.seq, r.content FROM thought_events e"
            " JOIN records r ON r.workspace = e.workspace AND r.seq = e.seq"
            " WHERE e.workspace = ? AND e.session_id = ? AND e.seq <= ? ORDER BY e.seq",
            (self.workspace, session_id, self.as_of),
        )
        if not rows:
            return None
        created_seq, first = rows[0]
        session, touched, updated, settled = _begun(json.loads(first)), created_seq, created_seq, created_seq
        for seq, content in rows[1:]:
            envelope = json.loads(content)
            session = session.changed(envelope["data"], _time_in(envelope))
            touched = seq
            updated = seq if envelope["data"]["change"] in UPDATES else updated
            settled = seq if envelope["data"]["change"] in SETTLES else settled
        count, branches, last = self._counted(session_id)
        if not count:
            return session, created_seq, updated
        [[content]] = self.sql.rows(
            "SELECT content FROM records WHERE workspace = ? AND seq = ?", (self.workspace, last)
        )
        at = _time_in(json.loads(content))
        session = replace(
            session,
            thought_count=count,
            branch_count=branches,
            status="active" if last > settled else session.status,
            updated_at=at if last > updated else session.updated_at,
            last_accessed_at=at if last > touched else session.last_accessed_at,
        )
        return session, created_seq, max(updated, last)

    def _counted(self, session_id: str) -> tuple[int, int, int]:
        """How many thoughts and branches a session had, and the last thought."""
        row = self.sql.row(
            "SELECT COUNT(*), COUNT(DISTINCT NULLIF(branch, '')), COALESCE(MAX(seq), 0) FROM thought_nodes"
            " WHERE workspace = ? AND session_id = ? AND seq <= ?",
            (self.workspace, session_id, self.as_of),
        )
        return (row[0], row[1], row[2]) if row else (0, 0, 0)

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
        if self.as_of != NOW:
            return self._earlier_sessions(tags, where or {}, words, sort_by, descending)[offset : offset + limit]
        conditions, parameters = ["s.workspace = ?", "s.deleted = 0"], [self.workspace]
        for tag in dict.fromkeys(tags):
            conditions.append(
                "EXISTS (SELECT 1 FROM thought_tags t WHERE t.workspace = s.workspace AND t.tag = ?"
                " AND t.session_id = s.session_id)"
            )
            parameters.append(tag)
        for column, value in (where or {}).items():
            conditions.append(f"s.{column} = ?")
            parameters.append(value)
        for word in (words or "").casefold().split():
            conditions.append("s.words LIKE ? ESCAPE '\\'")
            parameters.append(f"%{_escaped(word)}%")
        order = f"s.{_SORTS[sort_by]} {'DESC' if descending else 'ASC'}, s.session_id"
        columns = ", ".join(f"s.{name}" for name in _SESSION.split(", "))
        rows = self.sql.rows(
            f"SELECT {columns} FROM thought_sessions s WHERE {' AND '.join(conditions)}"
            f" ORDER BY {order} LIMIT ? OFFSET ?",
            (*parameters, limit, offset),
        )
        return [_session(row) for row in rows]

    def _earlier_sessions(
        self, tags: Sequence[str], where: Mapping[str, str], words: str | None, sort_by: str, descending: bool
    ) -> list[Session]:
        ids = self.sql.rows(
            "SELECT DISTINCT session_id FROM thought_events WHERE workspace = ? AND seq <= ? ORDER BY session_id",
            (self.workspace, self.as_of),
        )
        found = [known for row in ids if (known := self._earlier(row[0])) is not None]
        wanted = [
            (session, created_seq, updated_seq)
            for session, created_seq, updated_seq in found
            if not session.deleted
            and set(tags) <= set(session.tags)
            and all(getattr(session, column) == value for column, value in where.items())
            and all(word in _words(session) for word in (words or "").casefold().split())
        ]
        keys: dict[str, Callable[[tuple[Session, int, int]], Any]] = {
            "createdAt": lambda known: known[1],
            "updatedAt": lambda known: known[2],
            "title": lambda known: known[0].title,
        }
        return [known[0] for known in sorted(wanted, key=keys[sort_by], reverse=descending)]

    def session_ids(self, prefix: str, limit: int, *, after: str = "") -> list[str]:
        """Sessions whose id begins so, by id."""
        rows = self.sql.rows(
            "SELECT session_id FROM thought_sessions WHERE workspace = ? AND session_id > ? AND session_id >= ?"
            " AND session_id < ? AND deleted = 0 ORDER BY session_id LIMIT ?",
            (self.workspace, after, prefix, prefix + "\U0010ffff", limit),
        )
        return [row[0] for row in rows]

    def tags(self, prefix: str, limit: int) -> list[str]:
        rows = self.sql.rows(
            "SELECT DISTINCT tag FROM thought_tags WHERE workspace = ? AND tag >= ? AND tag < ? ORDER BY tag LIMIT ?",
            (self.workspace, prefix, prefix + "\U0010ffff", limit),
        )
        return [row[0] for row in rows]

    def values(self, column: str, limit: int) -> list[tuple[str, int]]:
        """What sessions say of their project, task or aspect, the most frequent first, and how many say so."""
        rows = self.sql.rows(
            f"SELECT {column}, COUNT(*) FROM thought_sessions"
            f" WHERE workspace = ? AND deleted = 0 AND {column} IS NOT NULL"
            f" GROUP BY {column} ORDER BY 2 DESC, 1 LIMIT ?",
            (self.workspace, limit),
        )
        return [(row[0], row[1]) for row in rows]

    # Thoughts

    def line(self, session_id: str, branch: str) -> Line | None:
        """The main line or a branch; None when it has no thought yet."""
        if self.as_of == NOW:
            return self._line_now(session_id, branch)
        found = [line for line in self.lines(session_id) if line.branch == branch]
        return found[0] if found else None

    def lines(self, session_id: str) -> list[Line]:
        """All lines of a session, in the order in which they began."""
        rows = self.sql.rows(
            "SELECT branch, parent, origin, origin_number, first_seq, last_seq, highest_number, last_total, length"
            " FROM thought_branches WHERE workspace = ? AND session_id = ? AND first_seq <= ? ORDER BY first_seq",
            (self.workspace, session_id, self.as_of),
        )
        lines = [Line(*row) for row in rows]
        if self.as_of == NOW:
            return lines
        ends = {
            row[0]: row[1:]
            for row in self.sql.rows(
                "SELECT branch, MAX(seq), MAX(number), COUNT(*) FROM thought_nodes"
                " WHERE workspace = ? AND session_id = ? AND seq <= ? GROUP BY branch",
                (self.workspace, session_id, self.as_of),
            )
        }
        return [
            line._replace(last_seq=last_seq, highest_number=highest, length=length)
            for line in lines
            for last_seq, highest, length in [ends[line.branch]]
        ]

    def _line_now(self, session_id: str, branch: str) -> Line | None:
        row = self.sql.row(
            "SELECT branch, parent, origin, origin_number, first_seq, last_seq, highest_number, last_total, length"
            " FROM thought_branches WHERE workspace = ? AND session_id = ? AND branch = ?",
            (self.workspace, session_id, branch),
        )
        return Line(*row) if row else None

    def node(self, session_id: str, branch: str, number: int) -> Node | None:
        row = self.sql.row(
            "SELECT branch, number, seq, kind FROM thought_nodes"
            " WHERE workspace = ? AND session_id = ? AND branch = ? AND number = ? AND seq <= ?",
            (self.workspace, session_id, branch, number, self.as_of),
        )
        return Node(*row) if row else None

    def nodes(
        self,
        session_id: str,
        *,
        branch: str | None = None,
        numbers: tuple[int, int] | None = None,
        kind: str | None = None,
    ) -> list[Node]:
        """The session's thoughts, or those of one line, of a range of numbers, of a kind; in order of recording."""
        conditions, parameters = (
            ["workspace = ?", "session_id = ?", "seq <= ?"],
            [self.workspace, session_id, self.as_of],
        )
        if branch is not None:
            conditions.append("branch = ?")
            parameters.append(branch)
        if numbers is not None:
            conditions.append("number BETWEEN ? AND ?")
            parameters += numbers
        if kind is not None:
            conditions.append("kind = ?")
            parameters.append(kind)
        rows = self.sql.rows(
            f"SELECT branch, number, seq, kind FROM thought_nodes WHERE {' AND '.join(conditions)} ORDER BY seq",
            parameters,
        )
        return [Node(*row) for row in rows]

    def nodes_after(self, session_id: str, seq: int, limit: int) -> list[Node]:
        """The session's next thoughts behind a record, in order of recording."""
        rows = self.sql.rows(
            "SELECT branch, number, seq, kind FROM thought_nodes"
            " WHERE workspace = ? AND session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (self.workspace, session_id, seq, self.as_of, limit),
        )
        return [Node(*row) for row in rows]

    def nodes_at(self, session_id: str, seqs: Iterable[int]) -> dict[int, Node]:
        """These thoughts of the session, by record."""
        found: dict[int, Node] = {}
        wanted = sorted(set(seqs))
        for start in range(0, len(wanted), 500):
            chunk = wanted[start : start + 500]
            marks = ", ".join("?" * len(chunk))
            rows = self.sql.rows(
                "SELECT branch, number, seq, kind FROM thought_nodes"
                f" WHERE workspace = ? AND session_id = ? AND seq IN ({marks})",
                (self.workspace, session_id, *chunk),
            )
            found.update((row[2], Node(*row)) for row in rows)
        return found

    def newest_of_kinds(self, kinds: Sequence[str], limit: int) -> list[int]:
        """The newest thoughts of these kinds, of all sessions that were not deleted."""
        marks = ", ".join("?" * len(kinds))
        rows = self.sql.rows(
            f"SELECT n.seq FROM thought_nodes n JOIN thought_sessions s"
            " ON s.workspace = n.workspace AND s.session_id = n.session_id AND s.deleted = 0"
            f" WHERE n.workspace = ? AND n.kind IN ({marks}) AND n.seq <= ? ORDER BY n.seq DESC LIMIT ?",
            (self.workspace, *kinds, self.as_of, limit),
        )
        return [row[0] for row in rows]

    def nodes_numbered(self, session_id: str, number: int) -> list[Node]:
        """The thoughts of that number, on whichever line, in order of recording."""
        rows = self.sql.rows(
            "SELECT n.branch, n.number, n.seq, n.kind FROM thought_branches b JOIN thought_nodes n"
            " ON n.workspace = b.workspace AND n.session_id = b.session_id AND n.branch = b.branch AND n.number = ?"
            " WHERE b.workspace = ? AND b.session_id = ? AND n.seq <= ? ORDER BY n.seq",
            (number, self.workspace, session_id, self.as_of),
        )
        return [Node(*row) for row in rows]

    def labelled(self, session_id: str, branch: str, label: int) -> int | None:
        """The newest thought on a line that a line of cipher called by this number, although it got another."""
        row = self.sql.row(
            "SELECT seq FROM thought_labels WHERE workspace = ? AND session_id = ? AND branch = ? AND label = ?"
            " AND seq <= ? ORDER BY seq DESC LIMIT 1",
            (self.workspace, session_id, branch, label, self.as_of),
        )
        return row[0] if row else None

    def sources(self, target: int, kind: str) -> list[int]:
        """What points at a thought in this way, in order of recording."""
        rows = self.sql.rows(
            "SELECT source FROM thought_links WHERE workspace = ? AND target = ? AND type = ? AND source <= ?"
            " ORDER BY source",
            (self.workspace, target, kind, self.as_of),
        )
        return [row[0] for row in rows]

    def links(self, targets: Iterable[int]) -> dict[int, list[tuple[str, int]]]:
        """All that points at these thoughts: type and source, by target."""
        found: dict[int, list[tuple[str, int]]] = {}
        wanted = sorted(set(targets))
        for start in range(0, len(wanted), 500):
            chunk = wanted[start : start + 500]
            marks = ", ".join("?" * len(chunk))
            for target, kind, source in self.sql.rows(
                f"SELECT target, type, source FROM thought_links WHERE workspace = ? AND target IN ({marks})"
                " AND source <= ? ORDER BY target, source",
                (self.workspace, *chunk, self.as_of),
            ):
                found.setdefault(target, []).append((kind, source))
        return found


def begun(record: Record) -> Session:
    """A session as its first event makes it."""
    return _begun(record.envelope)


def _begun(envelope: Mapping[str, Any]) -> Session:
    data = envelope["data"]
    at = data.get("timestamp", envelope["ts"])
    return Session(
        id=envelope["session"],
        title=data["title"],
        description=data.get("description"),
        tags=tuple(data.get("tags", ())),
        project=data.get("project"),
        task=data.get("task"),
        aspect=data.get("aspect"),
        domain=data.get("domain"),
        root=data.get("root"),
        stage=data.get("stage", 1),
        created_at=at,
        updated_at=at,
        last_accessed_at=at,
    )


def _time_of(record: Record) -> str:
    return _time_in(record.envelope)


def _time_in(envelope: Mapping[str, Any]) -> str:
    return envelope["data"].get("timestamp", envelope["ts"])


def _session(row: Sequence[Any]) -> Session:
    return Session(
        id=row[0],
        title=row[1],
        description=row[2],
        tags=tuple(json.loads(row[3])),
        project=row[4],
        task=row[5],
        aspect=row[6],
        domain=row[7],
        root=row[8],
        stage=row[9],
        status=row[10],
        deleted=bool(row[11]),
        thought_count=row[12],
        branch_count=row[13],
        created_at=row[14],
        updated_at=row[15],
        last_accessed_at=row[16],
    )


def _words(session: Session) -> str:
    return f"{session.title} {session.description or ''}".casefold()


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
