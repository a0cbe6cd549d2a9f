"""Anchors as they stand and as they stood, and which cards name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.anchors.anchor import TOPIC, Anchor, anchors_in, brings_in, is_kept, rank_of, unnamed
from thoughtbox.domains.mind.view.documents import BRANCHES
from thoughtbox.ledger.clauses import begins_with, rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, NOW, View
from thoughtbox.world import milliseconds

ANCHORS = Versions(
    "mind_anchors",
    key=["id"],
    values=["title", "kind", "status", "description", "refs", "parent_id", "depends_on", "created_ms", "updated_ms"],
)
ALIASES = Versions("mind_anchor_aliases", key=["alias"], values=["anchor"])
LINKS = Versions("mind_anchor_links", key=["branch", "tag", "doc", "id"], values=["kept", "place"])

_ANCHOR = (
    "SELECT id, title, kind, status, description, refs, parent_id, depends_on, created_ms, updated_ms"
    f" FROM {ANCHORS.standing} AS a"
)
_ON_A_BRANCH = f"EXISTS (SELECT 1 FROM {BRANCHES.standing} AS b WHERE b.branch = l.branch)"
"""Nodes on branches that are gone are gone with them."""


class Link(NamedTuple):
    """A node that names an anchor, where it stands."""

    branch: int
    doc: str
    id: str


class Anchors(View):
    """Anchors by id, their aliases, and the nodes that are tagged with either."""

    name = "mind_anchors"
    follows = frozenset({TOPIC, records.CARD, records.NODE})
    schema = "anchors.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        data = record.data
        match record.topic:
            case records.CARD:
                self._take_node(record, data["graphDoc"], data["card"])
            case records.NODE:
                self._take_node(record, data["doc"], data["node"])
            case _:
                self._take_anchor(record)

    def _take_node(self, record: Record, doc: str, node: Mapping[str, Any]) -> None:
        branch, id = record.data["branch"], node["id"]
        self.sql.run(
            "UPDATE mind_anchor_links SET until_seq = ? WHERE workspace = ? AND id = ? AND until_seq = ?"
            " AND branch = ? AND doc = ?",
            (record.seq, self.workspace, id, FOREVER, branch, doc),
        )
        tags = node.get("tags", [])
        named = anchors_in(tags)
        if not named or node.get("deleted"):
            return
        kept, place = int(is_kept(node["type"], tags)), rank_of(node["type"], tags)
        self.sql.many(
            "INSERT INTO mind_anchor_links (workspace, branch, tag, doc, id, until_seq, from_seq, kept, place)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(self.workspace, branch, tag, doc, id, FOREVER, record.seq, kept, place) for tag in named],
        )
        self.sql.many(
            "INSERT INTO mind_anchor_branches (workspace, tag, branch, seq) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [(self.workspace, tag, branch, record.seq) for tag in named],
        )
        if brings_in(node["type"], tags):
            for tag in named:
                if self.anchor(tag) is None and self.alias(tag) is None:
                    self._put(record.seq, unnamed(tag, milliseconds(record.ts)))

    def _take_anchor(self, record: Record) -> None:
        data, ts_ms = record.data, milliseconds(record.ts)
        if data["change"] == "put":
            said, before = data["anchor"], self.anchor(data["anchor"]["id"])
            put = Anchor(
                said["id"],
                said["title"],
                said["kind"],
                said["status"],
                said.get("description"),
                tuple(said["refs"]),
                said.get("parentId"),
                tuple(said["dependsOn"]),
                before.created_ms if before else ts_ms,
                ts_ms,
            )
            self._put(record.seq, put)
            for alias in data["aliases"]:
                ALIASES.put(self, record.seq, alias=alias, anchor=put.id)
            return
        old, new = data["id"], data["to"]
        before = self.anchor(old)
        ANCHORS.end(self, record.seq, id=old)
        if data["change"] == "renamed" and before is not None:
            self._put(record.seq, before._replace(id=new, updated_ms=ts_ms))
            ALIASES.end(self, record.seq, alias=new)
        for alias in (*self.aliases_of([old]).get(old, ()), old):
            if alias != new:
                ALIASES.put(self, record.seq, alias=alias, anchor=new)

    def _put(self, seq: int, anchor: Anchor) -> None:
        refs, depends_on = _json(anchor.refs), _json(anchor.depends_on)
        ANCHORS.put(self, seq, **{**anchor._asdict(), "refs": refs, "depends_on": depends_on})

    def anchor(self, id: str) -> Anchor | None:
        row = self.sql.row(f"{_ANCHOR} WHERE id = ?", (*standing_at(self), id))
        return _anchor(row) if row else None

    def alias(self, id: str) -> str | None:
        """The anchor that an alias leads to."""
        row = self.sql.row(f"SELECT anchor FROM {ALIASES.standing} AS s WHERE alias = ?", (*standing_at(self), id))
        return row[0] if row else None

    def resolved(self, id: str) -> str:
        """The id that an anchor has now; the id itself where nobody knows it by another."""
        return id if self.anchor(id) is not None else self.alias(id) or id

    def anchors(self, after: str = "", limit: int = NOW) -> list[Anchor]:
        """Anchors by id, behind a given one."""
        rows = self.sql.rows(f"{_ANCHOR} WHERE id > ? ORDER BY id LIMIT ?", (*standing_at(self), after, limit))
        return [_anchor(row) for row in rows]

    def aliases_of(self, ids: Iterable[str]) -> dict[str, list[str]]:
        """By anchor: the ids that lead to it."""
        found: dict[str, list[str]] = {}
        rows = rows_among(
            self.sql,
            f"SELECT anchor, alias FROM {ALIASES.standing} AS s WHERE anchor IN (?*) ORDER BY anchor, alias",
            ids,
            before=standing_at(self),
        )
        for anchor, alias in rows:
            found.setdefault(anchor, []).append(alias)
        return found

    def aliases(self) -> dict[str, str]:
        """Every alias, and the anchor that it leads to."""
        return dict(
            self.sql.rows(f"SELECT alias, anchor FROM {ALIASES.standing} AS s ORDER BY alias", standing_at(self))
        )

    def tags_of(self, id: str) -> list[str]:
        """What cards may call an anchor. An alias that is an anchor by itself stands for that one."""
        return [id, *(alias for alias in self.aliases_of([id]).get(id, ()) if self.anchor(alias) is None)]

    def links(self, tags: Sequence[str], *, drafts: bool, limit: int) -> list[Link]:
        """Nodes with one of these tags, each once: pinned ones first, then by type, then the newest."""
        asked = limit
        while True:
            rows = self._links(tags, (1, 0) if drafts else (1,), asked)
            found: dict[tuple[str, str], Link] = {}
            for link in rows:
                found.setdefault((link.doc, link.id), link)
            if len(found) >= limit or len(rows) < asked:
                return list(found.values())[:limit]
            asked *= 2  # several versions of one node, or several tags on it

    def _links(self, tags: Sequence[str], kinds: Sequence[int], limit: int) -> list[Link]:
        # What stands now is in order in an index; what stood earlier has to be sorted.
        until = (FOREVER,) if self.as_of >= NOW else ()
        part = (
            f"SELECT * FROM (SELECT l.branch, l.doc, l.id, l.place, l.from_seq FROM {LINKS.standing} AS l"
            f" WHERE l.tag = ? AND l.kept = ?{' AND l.until_seq = ?' if until else ''} AND {_ON_A_BRANCH}"
            " ORDER BY l.place, l.from_seq DESC LIMIT ?) AS part"
        )
        at = standing_at(self)
        values = [value for tag in tags for kept in kinds for value in (*at, tag, kept, *until, *at, limit)]
        parts = " UNION ALL ".join([part] * (len(tags) * len(kinds)))
        rows = self.sql.rows(f"{parts} ORDER BY 4, 5 DESC LIMIT ?", (*values, limit))
        return [Link(*row[:3]) for row in rows]

    def count(self, tags: Sequence[str], *, most: int) -> int:
        """How many nodes have one of these tags, drafts among them; no more than `most` are counted."""
        row = self.sql.row(
            f"SELECT COUNT(*) FROM (SELECT DISTINCT l.doc, l.id FROM {LINKS.standing} AS l WHERE l.tag IN"
            f" ({_marks(tags)}) AND {_ON_A_BRANCH} LIMIT ?) AS counted",
            (*standing_at(self), *tags, *standing_at(self), most),
        )
        return row[0] if row else 0

    def tasks(self, tags: Sequence[str], *, limit: int) -> list[str]:
        """Tasks whose own branch holds nodes with one of these tags, those with the newest first."""
        rows = self.sql.rows(
            "SELECT b.canonical, MAX(l.from_seq) FROM mind_anchor_branches AS n"
            f" JOIN {BRANCHES.standing} AS b ON b.branch = n.branch"
            f" JOIN {LINKS.standing} AS l ON l.branch = n.branch AND l.tag = n.tag"
            f" WHERE n.workspace = ? AND n.tag IN ({_marks(tags)}) AND b.canonical >= ?"
            " AND b.canonical < ? GROUP BY b.canonical ORDER BY 2 DESC LIMIT ?",
            (*standing_at(self), *standing_at(self), self.workspace, *tags, *begins_with("TASK-"), limit),
        )
        return [row[0] for row in rows]

    def on_branch(self, branch: int, *, limit: int) -> list[str]:
        """The anchors that nodes written on a branch name, those named last first."""
        rows = self.sql.rows(
            f"SELECT n.tag, MAX(l.from_seq) FROM mind_anchor_branches AS n JOIN {LINKS.standing} AS l"
            " ON l.branch = n.branch AND l.tag = n.tag WHERE n.workspace = ? AND n.branch = ?"
            " GROUP BY n.tag ORDER BY 2 DESC, 1",
            (*standing_at(self), self.workspace, branch),
        )
        return list(dict.fromkeys(self.resolved(row[0]) for row in rows))[:limit]

    def named(self, tags: Iterable[str]) -> set[str]:
        """Those of these tags that some node has."""
        rows = rows_among(
            self.sql,
            "SELECT DISTINCT n.tag FROM mind_anchor_branches AS n"
            f" JOIN {BRANCHES.standing} AS b ON b.branch = n.branch WHERE n.workspace = ? AND n.tag IN (?*)"
            f" AND EXISTS (SELECT 1 FROM {LINKS.standing} AS l WHERE l.branch = n.branch AND l.tag = n.tag)",
            tags,
            before=(*standing_at(self), self.workspace),
            after=standing_at(self),
        )
        return {row[0] for row in rows}


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _json(values: Sequence[str]) -> str:
    return orjson.dumps(values).decode()


def _anchor(row: Sequence[Any]) -> Anchor:
    id, title, kind, status, description, refs, parent_id, depends_on, created_ms, updated_ms = row
    return Anchor(
        id,
        title,
        kind,
        status,
        description,
        tuple(orjson.loads(refs)),
        parent_id,
        tuple(orjson.loads(depends_on)),
        created_ms,
        updated_ms,
    )
