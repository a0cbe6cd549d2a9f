"""What points at a thought, and what lines of cipher call a thought."""

from __future__ import annotations

from collections.abc import Iterable

from thoughtbox.domains.thoughts.model.reasoning import relations_of
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.view.lines import MAIN
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.view import View

NEXT, BRANCH, REVISES, CRITIQUES = "next", "branch", "revises", "critique"


class LinkTables(View):
    """Links and labels. Rows are never changed, and carry the record that made them."""

    def take_links(self, thought: Thought, *, is_first_of_branch: bool) -> None:
        if thought.prev is not None:
            self.take_link(thought.prev, NEXT, thought.seq)
        if is_first_of_branch and thought.origin is not None:
            self.take_link(thought.origin, BRANCH, thought.seq)
        for kind, target in relations_of(thought):
            self.take_link(target, kind, thought.seq)
        if thought.label is not None:
            self.sql.run(
                "INSERT INTO thought_labels (workspace, session_id, branch, label, seq) VALUES (?, ?, ?, ?, ?)",
                (self.workspace, thought.session_id, thought.branch_id or MAIN, thought.label, thought.seq),
            )

    def take_link(self, target: int, kind: str, source: int) -> None:
        self.sql.run(
            "INSERT INTO thought_links (workspace, target, type, source) VALUES (?, ?, ?, ?)",
            (self.workspace, target, kind, source),
        )

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
        for target, kind, source in rows_among(
            self.sql,
            "SELECT target, type, source FROM thought_links WHERE workspace = ? AND target IN (?*) AND source <= ?"
            " ORDER BY target, source",
            targets,
            before=(self.workspace,),
            after=(self.as_of,),
        ):
            found.setdefault(target, []).append((kind, source))
        return found
