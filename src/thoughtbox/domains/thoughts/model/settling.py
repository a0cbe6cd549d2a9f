"""That a branch was adopted or rejected, said outside of thoughts. Pure, no database and no protocol."""

from __future__ import annotations

from dataclasses import dataclass

from thoughtbox.domains.thoughts.model.reasoning import FATE_OF, Fate
from thoughtbox.domains.thoughts.model.session import time_of
from thoughtbox.ledger.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Settling:
    """What was said of a branch, why, and when."""

    seq: int
    branch: str
    fate: Fate
    why: str | None
    timestamp: str
    after: str | None = None
    """The thought recorded before it: `4`, or `alt:4` on a branch."""

    @classmethod
    def of(cls, record: Record, after: str | None) -> Settling:
        data = record.data
        return cls(
            seq=record.seq,
            branch=data["branchId"],
            fate=FATE_OF[data["change"]],
            why=data.get("why"),
            timestamp=time_of(record),
            after=after,
        )
