"""Which episodes of other stores are here: so that none comes in twice."""

from __future__ import annotations

from thoughtbox.domains.memory.episodes.episode import EPISODE
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import View

IMPORT = "import:"
"""What an episode is about that comes from elsewhere: this, and the key that it has wherever it is a copy of itself."""


class Imports(View):
    """One row per episode that was brought over."""

    name = "memory_imports"
    follows = frozenset({EPISODE})
    schema = "imports.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        about = record.data.get("about") or ""
        if about.startswith(IMPORT):
            self.sql.run(
                "INSERT INTO memory_imports (workspace, import_key, seq) VALUES (?, ?, ?)",
                (self.workspace, about.removeprefix(IMPORT), record.seq),
            )

    def has(self, key: str) -> bool:
        row = self.sql.row(
            "SELECT 1 FROM memory_imports WHERE workspace = ? AND import_key = ? AND seq <= ? LIMIT 1",
            (self.workspace, key, self.as_of),
        )
        return row is not None
