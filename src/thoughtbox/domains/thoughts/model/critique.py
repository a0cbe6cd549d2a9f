"""A critique: what somebody had to say against a thought. Pure, no database and no protocol."""

from __future__ import annotations

from dataclasses import dataclass

from thoughtbox.ledger.record import Record

TOPIC = "thoughts.critique"


@dataclass(frozen=True, slots=True, kw_only=True)
class Critique:
    """What was said, by which model, and when."""

    text: str
    model: str
    timestamp: str

    @classmethod
    def of(cls, record: Record) -> Critique:
        data = record.data
        return cls(text=record.text, model=data["model"], timestamp=data.get("timestamp", record.ts))
