"""Cards as they were written: what a repeated call is compared with, whatever became of their nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.view.documents import Segment
from thoughtbox.domains.mind.view.graph import NODES
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import until
from thoughtbox.ledger.view import View


class Cards(View):
    """Records of cards by their ids, and the notes that sum them up."""

    name = "mind_cards"
    follows = frozenset({records.CARD, records.NOTE})
    schema = "cards.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        data = record.data
        if record.topic == records.CARD:
            self.sql.run(
                "INSERT INTO mind_cards (workspace, branch, doc, id, seq) VALUES (?, ?, ?, ?, ?)",
                (self.workspace, data["branch"], data["graphDoc"], data["card"]["id"], record.seq),
            )
        elif (card := data.get("ofCard")) is not None:
            self.sql.run(
                "INSERT INTO mind_card_notes (workspace, card, seq) VALUES (?, ?, ?)",
                (self.workspace, card, record.seq),
            )

    def is_known(self, id: str) -> bool:
        """Whether any node of the workspace ever had that id: one look, which most new cards need no other beside."""
        row = self.sql.row(f"SELECT 1 FROM {NODES.ever} AS n WHERE n.id = ? LIMIT 1", (*until(self), id))
        return row is not None

    def newest(self, segments: Sequence[Segment], doc: str, ids: Iterable[str]) -> dict[str, int]:
        """By id: the number of the last record that wrote the card, as a branch shows it."""
        wanted, found = set(ids), dict[str, int]()
        for segment in segments:
            if not wanted:
                break
            rows = rows_among(
                self.sql,
                "SELECT id, MAX(seq) FROM mind_cards WHERE workspace = ? AND branch = ? AND doc = ? AND id IN (?*)"
                " AND seq <= ? GROUP BY id",
                wanted,
                before=(self.workspace, segment.source, doc),
                after=(min(segment.high, self.as_of),),
            )
            found |= {row[0]: row[1] for row in rows}
            wanted -= found.keys()
        return found

    def note_of(self, card: int) -> int | None:
        """The number of the first note that sums up the card which this record wrote."""
        row = self.sql.row(
            "SELECT MIN(seq) FROM mind_card_notes WHERE workspace = ? AND card = ? AND seq <= ?",
            (self.workspace, card, self.as_of),
        )
        return row[0] if row else None
