"""Scenes, cells and their evidence as they stand and as they stood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from thoughtbox.domains.memory.episodes import cell as topics
from thoughtbox.domains.memory.episodes.cell import ARCHIVED, CONTRADICTS, SUPPORTS, Cell, CellPlace, Evidence, Scene
from thoughtbox.domains.memory.episodes.keys import ALIKE, key_digest, overlap
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, NOW, View

SCENES = Versions(
    "scenes", key=["scene_id"], values=["scope", "label", "context_keys_json", "created_at", "updated_at"]
)
CELLS = Versions("cells", key=["cell_id"], values=[*Cell._fields[1:], "live"])
META = Versions("consolidation_meta", key=["scope"], values=["last_consolidation_ts", "last_experience_id"])

_SCENE = f"SELECT scene_id, {', '.join(SCENES.values)} FROM {SCENES.standing} AS s"
_CELL = f"SELECT {', '.join(Cell._fields)} FROM {CELLS.standing} AS c"
_ORDER = "trust DESC, salience DESC, updated_at DESC, cell_id"
_BEHIND = (
    "(c.trust < ? OR (c.trust = ? AND (c.salience < ? OR (c.salience = ? AND (c.updated_at < ?"
    " OR (c.updated_at = ? AND c.cell_id > ?))))))"
)
_INSERT = (
    f"INSERT INTO cells (workspace, until_seq, from_seq, {', '.join(Cell._fields)}, live)"
    f" VALUES ({', '.join('?' * (len(Cell._fields) + 4))})"
)
_EVIDENCE = (
    "INSERT INTO cell_evidence (workspace, id, cell_id, experience_id, relation, created_at, seq)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)

PIECES_PER_RECORD = 100_000
"""Evidence has no record of its own: its id is that of the record that brought it, and its place in there."""


class Meta(NamedTuple):
    """How far a scope has been consolidated."""

    last_consolidation_ts: str | None
    last_experience_id: int


class Semantic(View):
    """Scenes by their keys, cells by id, scene and key and best first, evidence by cell."""

    name = "memory_semantic"
    follows = frozenset({topics.SCENE, topics.CELL, topics.CELLS_CHANGED, topics.CONSOLIDATED})
    schema = "semantic.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        match record.topic:
            case topics.SCENE:
                self._enter_scene(record)
            case topics.CELL:
                self._enter_cell(record)
            case topics.CELLS_CHANGED:
                self._change_cells(record)
            case _:
                self._take_run(record)

    def _enter_scene(self, record: Record) -> None:
        data, keys = record.data, record.data["contextKeys"]
        SCENES.put(
            self,
            record.seq,
            scene_id=record.seq,
            scope=data["scope"],
            label=record.text,
            context_keys_json=orjson.dumps(keys).decode(),
            created_at=record.ts,
            updated_at=record.ts,
        )
        self.sql.many(
            "INSERT INTO scene_keys (workspace, context_key, scene_id, scope, size, seq) VALUES (?, ?, ?, ?, ?, ?)",
            [(self.workspace, key, record.seq, data["scope"], len(keys), record.seq) for key in keys],
        )
        self._put_key_sets(record.seq, data["scope"], [(key_digest(keys), record.seq)])

    def _put_key_sets(self, seq: int, scope: str, sets: Iterable[Sequence[Any]]) -> None:
        self.sql.many(
            "INSERT INTO scene_key_sets (workspace, scope, key_set, scene_id, seq) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (workspace, scope, key_set) DO NOTHING",
            [(self.workspace, scope, key_set, scene, seq) for key_set, scene in sets],
        )

    def _enter_cell(self, record: Record) -> None:
        data, seq, ts = record.data, record.seq, record.ts
        cell = Cell(
            seq,
            data["sceneId"],
            data["scope"],
            data["cellType"],
            data["title"],
            record.text,
            data["trust"],
            data["salience"],
            data["state"],
            data["evidenceCount"],
            data["contradictionCount"],
            data.get("conflictGroup"),
            data.get("supersedesCellId"),
            ts,
            ts,
            data["canonicalKey"],
            data["source"],
            data["baseTrust"],
            data["userEvidence"],
            data["validatedEvidence"],
        )
        self.sql.run(_INSERT, self._row(seq, cell))
        if "keySet" in data:
            self._put_key_sets(seq, cell.scope, [(data["keySet"], cell.scene_id)])
        self.sql.many(_EVIDENCE, self._pieces(record, [(seq, data)]))

    def _change_cells(self, record: Record) -> None:
        changes = {change["cellId"]: change for change in record.data["changes"]}
        found = self.cells_named(changes)
        changed = [_changed(found[id], change, record.ts) for id, change in changes.items() if id in found]
        # Of several changes by one record the last would count; a record names each cell once.
        self.sql.many(
            "UPDATE cells SET until_seq = ? WHERE workspace = ? AND cell_id = ? AND until_seq = ?",
            [(record.seq, self.workspace, cell.cell_id, FOREVER) for cell in changed],
        )
        self.sql.many(_INSERT, [self._row(record.seq, cell) for cell in changed])
        self.sql.many(_EVIDENCE, self._pieces(record, changes.items()))

    def _row(self, seq: int, cell: Cell) -> tuple[Any, ...]:
        return (self.workspace, FOREVER, seq, *cell, int(cell.state != ARCHIVED))

    def _pieces(self, record: Record, told: Iterable[tuple[int, Mapping[str, Any]]]) -> list[tuple[Any, ...]]:
        pieces = [
            (cell, experience, relation)
            for cell, data in told
            for relation in (SUPPORTS, CONTRADICTS)
            for experience in data.get(relation, ())
        ]
        first = record.seq * PIECES_PER_RECORD
        return [
            (self.workspace, first + number, cell, experience, relation, record.ts, record.seq)
            for number, (cell, experience, relation) in enumerate(pieces)
        ]

    def _take_run(self, record: Record) -> None:
        data = record.data
        META.put(
            self, record.seq, scope=data["scope"], last_consolidation_ts=record.ts, last_experience_id=data["upTo"]
        )
        self._put_key_sets(record.seq, data["scope"], data.get("keySets", ()))
        for id in data.get("scenes", ()):
            scene = self.scene(id)
            if scene is not None and scene.updated_at != record.ts:
                keys = orjson.dumps(scene.context_keys).decode()
                values = {"scope": scene.scope, "label": scene.label, "created_at": scene.created_at}
                SCENES.put(self, record.seq, scene_id=id, context_keys_json=keys, updated_at=record.ts, **values)

    def scene(self, scene_id: int) -> Scene | None:
        row = self.sql.row(f"{_SCENE} WHERE scene_id = ?", (*standing_at(self), scene_id))
        return _scene(row) if row else None

    def scenes(self, scopes: Sequence[str]) -> list[Scene]:
        """The scenes of these scopes, by id."""
        rows = [
            row for scope in scopes for row in self.sql.rows(f"{_SCENE} WHERE scope = ?", (*standing_at(self), scope))
        ]
        return sorted(map(_scene, rows), key=lambda scene: scene.scene_id)

    def scenes_with(self, scopes: Sequence[str], keys: Iterable[str]) -> list[Scene]:
        """The scenes that have one of these keys, by id."""
        rows = rows_among(
            self.sql,
            "SELECT DISTINCT scene_id FROM scene_keys WHERE workspace = ? AND context_key IN (?*) AND seq <= ?",
            keys,
            before=(self.workspace,),
            after=(self.as_of,),
        )
        named = {row[0] for row in rows}
        found = rows_among(self.sql, f"{_SCENE} WHERE scene_id IN (?*)", named, before=standing_at(self))
        scenes = [_scene(row) for row in found if row[1] in scopes]
        return sorted(scenes, key=lambda scene: scene.scene_id)

    def scenes_about(self, scopes: Sequence[str], keys: Sequence[str]) -> list[Scene]:
        """The scenes that are about what these keys say: half of the larger set is shared."""
        return [scene for scene in self.scenes_with(scopes, keys) if overlap(scene.context_keys, keys) >= ALIKE]

    def placed(self, scope: str, key_sets: Iterable[str]) -> dict[str, int]:
        """By the digest of a set of keys: the scene that it was put into, of those that were put anywhere."""
        rows = rows_among(
            self.sql,
            "SELECT key_set, scene_id FROM scene_key_sets WHERE workspace = ? AND scope = ? AND key_set IN (?*)"
            " AND seq <= ?",
            key_sets,
            before=(self.workspace, scope),
            after=(self.as_of,),
        )
        return dict(rows)

    def cell(self, cell_id: int) -> Cell | None:
        row = self.sql.row(f"{_CELL} WHERE cell_id = ?", (*standing_at(self), cell_id))
        return Cell(*row) if row else None

    def cells_named(self, ids: Iterable[int]) -> dict[int, Cell]:
        """By id: those of these that there are."""
        return self._among("cell_id", ids)

    def cells_keyed(self, canonical_keys: Iterable[str]) -> dict[str, Cell]:
        """By canonical key: those of these that there are."""
        return {cell.canonical_key: cell for cell in self._among("canonical_key", canonical_keys).values()}

    def _among(self, column: str, values: Iterable[Any]) -> dict[int, Cell]:
        rows = rows_among(self.sql, f"{_CELL} WHERE {column} IN (?*)", values, before=standing_at(self))
        return {row[0]: Cell(*row) for row in rows}

    def cells(
        self, scopes: Sequence[str], *, keys: Sequence[str] = (), limit: int, after: CellPlace | None = None
    ) -> list[Cell]:
        """Cells that are not archived, best first, behind a place.

        With keys, those of the scenes that are about them; where no scene is, all.
        """
        scenes = self.scenes_about(scopes, keys) if keys else []
        if not scenes:
            return self.selected(scopes, limit=limit, after=after)
        rows = rows_among(
            self.sql,
            f"{_CELL} WHERE scene_id IN (?*) AND live = 1",
            (scene.scene_id for scene in scenes),
            before=standing_at(self),
        )
        found = best_first(Cell(*row) for row in rows)
        return [cell for cell in found if after is None or _is_behind(cell, after)][:limit]

    def selected(
        self,
        scopes: Sequence[str],
        *,
        live: bool = True,
        state: str | None = None,
        cell_type: str | None = None,
        limit: int,
        after: CellPlace | None = None,
    ) -> list[Cell]:
        """Cells best first, behind a place: of these scopes, archived or not, of a state and a type."""
        # What stands now is in order in an index; what stood earlier has to be sorted.
        asked = [("until_seq", FOREVER if self.as_of >= NOW else None), ("state", state), ("cell_type", cell_type)]
        clauses: list[tuple[str, tuple[Any, ...]]] = [
            (f"c.{name} = ?", (value,)) for name, value in asked if value is not None
        ]
        if after is not None:
            trust, salience, updated_at, cell_id = after
            clauses.append((_BEHIND, (trust, trust, salience, salience, updated_at, updated_at, cell_id)))
        where = "".join(f" AND {clause}" for clause, _ in clauses)
        values = [value for _, given in clauses for value in given]
        rows = [
            row
            for scope in scopes
            for row in self.sql.rows(
                f"{_CELL} WHERE c.scope = ? AND c.live = ?{where} ORDER BY {_ORDER} LIMIT ?",
                (*standing_at(self), scope, int(live), *values, limit),
            )
        ]
        return best_first(Cell(*row) for row in rows)[:limit]

    def policies(self, scopes: Sequence[str]) -> list[Cell]:
        """The stable policies, best first."""
        rows = [
            row
            for scope in scopes
            for row in self.sql.rows(
                f"{_CELL} WHERE scope = ? AND cell_type = 'policy' AND state = 'stable'", (*standing_at(self), scope)
            )
        ]
        return best_first(Cell(*row) for row in rows)

    def in_conflict(self, conflict_group: str) -> list[Cell]:
        """The cells of a conflict, archived ones among them, best first."""
        rows = self.sql.rows(f"{_CELL} WHERE conflict_group = ?", (*standing_at(self), conflict_group))
        return best_first(Cell(*row) for row in rows)

    def evidence(self, cell_id: int, *, limit: int = NOW) -> list[Evidence]:
        """What is said for a cell and against it, in the order in which it came."""
        rows = self.sql.rows(
            "SELECT id, cell_id, experience_id, relation, created_at FROM cell_evidence"
            " WHERE workspace = ? AND cell_id = ? AND seq <= ? ORDER BY id LIMIT ?",
            (self.workspace, cell_id, self.as_of, limit),
        )
        return [Evidence(*row) for row in rows]

    def newest_evidence(self, cell_id: int, limit: int) -> list[Evidence]:
        """The last pieces of it, in the order in which they came."""
        rows = self.sql.rows(
            "SELECT id, cell_id, experience_id, relation, created_at FROM cell_evidence"
            " WHERE workspace = ? AND cell_id = ? AND seq <= ? ORDER BY id DESC LIMIT ?",
            (self.workspace, cell_id, self.as_of, limit),
        )
        return [Evidence(*row) for row in reversed(rows)]

    def superseding(self, cell_id: int) -> list[int]:
        """The cells that supersede one, by id."""
        rows = self.sql.rows(
            f"SELECT cell_id FROM {CELLS.standing} AS c WHERE supersedes_cell_id = ? ORDER BY cell_id",
            (*standing_at(self), cell_id),
        )
        return [row[0] for row in rows]

    def supported_by(self, experience_id: int) -> set[int]:
        """The cells that an episode supports."""
        rows = self.sql.rows(
            "SELECT cell_id FROM cell_evidence WHERE workspace = ? AND experience_id = ? AND relation = ? AND seq <= ?",
            (self.workspace, experience_id, SUPPORTS, self.as_of),
        )
        return {row[0] for row in rows}

    def meta(self, scope: str) -> Meta:
        """How far a scope has been consolidated; nothing yet is up to episode 0."""
        row = self.sql.row(
            f"SELECT last_consolidation_ts, last_experience_id FROM {META.standing} AS m WHERE scope = ?",
            (*standing_at(self), scope),
        )
        return Meta(*row) if row else Meta(None, 0)


def best_first(cells: Iterable[Cell]) -> list[Cell]:
    """By trust, salience and time of the last change downwards, then by id upwards."""
    by_id = sorted(cells, key=lambda cell: cell.cell_id)
    return sorted(by_id, key=lambda cell: (cell.trust, cell.salience, cell.updated_at), reverse=True)


def _is_behind(cell: Cell, place: CellPlace) -> bool:
    own, other = (cell.trust, cell.salience, cell.updated_at), place[:3]
    return own < other or (own == other and cell.cell_id > place.cell_id)


def _changed(cell: Cell, change: Mapping[str, Any], ts: str) -> Cell:
    return cell._replace(
        trust=change["trust"],
        salience=change["salience"],
        state=change["state"],
        evidence_count=change["evidenceCount"],
        contradiction_count=change["contradictionCount"],
        conflict_group=change.get("conflictGroup"),
        supersedes_cell_id=change.get("supersedesCellId"),
        updated_at=ts if change["touched"] else cell.updated_at,
        source=change["source"],
        base_trust=change["baseTrust"],
        user_evidence=change["userEvidence"],
        validated_evidence=change["validatedEvidence"],
    )


def _scene(row: Sequence[Any]) -> Scene:
    scene_id, scope, label, keys, created_at, updated_at = row
    return Scene(scene_id, scope, label, tuple(orjson.loads(keys)), created_at, updated_at)
