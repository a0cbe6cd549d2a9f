"""What happened in this room, and which tools that proves to have been used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from thoughtbox.domains.memory.cycle.phases import CALLED, WITHOUT_A_TOOL
from thoughtbox.domains.memory.view.sessions import INVOCATION, PHASE, RECEIPT
from thoughtbox.domains.memory.workflow.records import WORKFLOW
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import View
from thoughtbox.world import milliseconds

HOST = "hook"
"""The transport of what a host's hooks write: an agent has no part in it."""

TOOLS_OF_PHASES: Mapping[str, str] = {phase: tool for phase, tool in CALLED.items() if phase not in WITHOUT_A_TOOL}
"""Tools that run one phase of the guarded cycle: however it was run, the phase is done."""

OF_THE_CYCLE = frozenset({"guarded_cycle", *TOOLS_OF_PHASES.values()})
"""Tools that prove nothing but by a phase that is done or a receipt: a refused one leaves records as well."""

ANYBODY = ""
RESET = "reset_workflow"
LONGEST = 200


class Activity(NamedTuple):
    """One thing that happened."""

    id: int
    timestamp: int
    event_type: str
    session_id: str
    details: dict[str, Any]


class ActivityLog(View):
    """One row per record of this room. Which topics these are is said where all of them are known: in `room.py`."""

    name = "activity_log"
    follows = frozenset[str]()
    schema = "activity.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        source, ts_ms = record.envelope["source"], milliseconds(record.ts)
        details = {"operation": source.get("operation"), "agent": record.agent, "text": record.text[:LONGEST]}
        self.sql.run(
            "INSERT INTO activity_log (workspace, id, timestamp, event_type, session_id, details)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (self.workspace, record.seq, ts_ms, record.topic, record.session, orjson.dumps(details).decode()),
        )
        self.sql.many(
            "INSERT INTO activity_tools (workspace, tool, agent, id, timestamp) VALUES (?, ?, ?, ?, ?)",
            [(self.workspace, tool, agent, record.seq, ts_ms) for tool, agent in _proved(record)],
        )

    def events(self, session: str, limit: int) -> list[Activity]:
        """The last things that happened in a session, the newest first."""
        rows = self.sql.rows(
            "SELECT id, timestamp, event_type, session_id, details FROM activity_log"
            " WHERE workspace = ? AND session_id = ? AND id <= ? ORDER BY id DESC LIMIT ?",
            (self.workspace, session, self.as_of, limit),
        )
        return [Activity(*row[:4], orjson.loads(row[4])) for row in rows]

    def last_use(self, tool: str, agent: str) -> int | None:
        """When a tool was last used by somebody, in milliseconds; None when no record proves that it was."""
        rows = [
            self.sql.row(
                "SELECT timestamp FROM activity_tools WHERE workspace = ? AND tool = ? AND agent = ? AND id <= ?"
                " ORDER BY id DESC LIMIT 1",
                (self.workspace, tool, by, self.as_of),
            )
            for by in (agent, ANYBODY)
        ]
        return max((row[0] for row in rows if row), default=None)


def bare(tool: str) -> str:
    """A tool as presets call it: without the names of the host's server and of this room."""
    return tool.rpartition("__")[2].removeprefix("memory.").removeprefix("memory_")


def _proved(record: Record) -> list[tuple[str, str]]:
    """The tools that a record proves to have been used, each with who used it."""
    source, data = record.envelope["source"], record.data
    if record.topic == INVOCATION and source.get("transport") == HOST:
        return [] if orjson.loads(data["meta"]).get("failed") else [(bare(data["toolName"]), ANYBODY)]
    if record.topic == WORKFLOW and data["change"] == "reset":
        return [(RESET, ANYBODY)]
    tools = [bare(source["operation"])] if "operation" in source else []
    if record.topic == PHASE and (tool := TOOLS_OF_PHASES.get(data["phase"])) is not None:
        tools.append(tool)
    if record.topic not in (PHASE, RECEIPT):
        tools = [tool for tool in tools if tool not in OF_THE_CYCLE]
    return [(tool, record.agent) for tool in dict.fromkeys(tools)]
