"""An `experiences.db` as the JavaScript server leaves it, with what its bugs have made of some rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw

SCHEMA = """
CREATE TABLE schema_info (version INTEGER PRIMARY KEY, applied_at TEXT);
CREATE TABLE experiences (
  id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, domain TEXT NOT NULL, situation TEXT NOT NULL,
  approach TEXT NOT NULL, outcome TEXT NOT NULL, reasoning TEXT NOT NULL,
  confidence REAL CHECK (confidence BETWEEN 0 AND 1), tags TEXT, revision_of INTEGER, created_at TEXT,
  updated_at TEXT, archived_at TEXT, archive_reason TEXT, last_accessed_at TEXT, access_count INTEGER DEFAULT 0
);
CREATE VIRTUAL TABLE experiences_fts USING fts5(
  situation, approach, outcome, reasoning, tags, content='experiences', content_rowid='id', tokenize='porter unicode61'
);
CREATE TABLE reasoning_sessions (
  session_id TEXT PRIMARY KEY, problem TEXT, user_intent TEXT, phase TEXT, created_at TEXT, updated_at TEXT,
  finalized_at TEXT, conclusion TEXT, experience_id INTEGER
);
CREATE TABLE reasoning_thoughts (
  id INTEGER PRIMARY KEY, session_id TEXT, thought_number INTEGER, thought TEXT, confidence REAL, is_revision INTEGER,
  revises_thought INTEGER, created_at TEXT
);
CREATE TABLE workflow_sessions (session_id TEXT PRIMARY KEY, preset TEXT);
CREATE TABLE activity_log (id INTEGER PRIMARY KEY, timestamp TEXT, event_type TEXT, session_id TEXT, details TEXT);
CREATE TABLE memory_sessions (session_id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT, scope_mode TEXT);
CREATE TABLE invocations (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id INTEGER, tool_name TEXT, hash TEXT);
CREATE TABLE episodic_experiences (
  experience_id INTEGER PRIMARY KEY AUTOINCREMENT, session_id INTEGER, scope TEXT NOT NULL DEFAULT 'project',
  context_keys_json TEXT NOT NULL DEFAULT '[]', summary TEXT NOT NULL, outcome TEXT NOT NULL DEFAULT 'unknown',
  trust INTEGER NOT NULL DEFAULT 1, salience INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'system'
);
CREATE TABLE cells (cell_id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, body TEXT);
CREATE TABLE cell_evidence (id INTEGER PRIMARY KEY AUTOINCREMENT, cell_id INTEGER, experience_id INTEGER);
"""

DOCUMENTED = """
CREATE TABLE experiences (
  id INTEGER PRIMARY KEY, type TEXT, domain TEXT, situation TEXT, approach TEXT, outcome TEXT, reasoning TEXT,
  confidence REAL, tags TEXT, scope TEXT, created_at INTEGER, original_id INTEGER
);
"""
"""The table as the specification has it, without the columns that came later."""


def insert(store: apsw.Connection, table: str, **row: Any) -> None:
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    store.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))


def experience(word: str, **changes: Any) -> dict[str, Any]:
    return {
        "type": "effective",
        "domain": "Debugging",
        "situation": f"The {word} was slow after every restart of the {word} host.",
        "approach": f"Warmed the {word} before traffic.",
        "outcome": f"No slow {word} since.",
        "reasoning": f"A cold {word} is what users see first.",
        "confidence": 0.9,
        "tags": json.dumps([word]),
        "created_at": "2026-01-15T12:00:00.000Z",
        **changes,
    }


def write_store(path: Path) -> Path:
    """A store with one of everything."""
    path.parent.mkdir(parents=True, exist_ok=True)
    store = apsw.Connection(str(path))
    store.execute(SCHEMA)
    insert(store, "schema_info", version=3, applied_at="2026-01-01T00:00:00.000Z")
    insert(store, "experiences", id=1, **experience("cache"))
    twice = json.dumps(json.dumps(["cache", "warm"]))
    insert(
        store,
        "experiences",
        id=2,
        **experience("cache", tags=twice, revision_of=1, confidence=None, created_at="2026-01-16 08:30:00"),
    )
    insert(store, "experiences", id=3, **experience("queue", type="ineffective", domain="Tools", confidence=0.2))
    insert(store, "experiences", id=4, **experience("index", archived_at="2026-02-01T00:00:00.000Z", tags=None))
    insert(store, "experiences", id=5, **experience("socket", domain="Gardening"))
    insert(store, "reasoning_sessions", session_id="r-1", problem="Why slow?", conclusion="Warm it.", experience_id=1)
    insert(store, "reasoning_sessions", session_id="r-2", problem="Why not?", experience_id=None)
    for number, session in enumerate(("r-1", "r-1", "r-2"), 1):
        insert(store, "reasoning_thoughts", session_id=session, thought_number=number, thought=f"thought {number}")
    insert(
        store,
        "episodic_experiences",
        summary=experience("cache")["situation"],
        outcome="success",
        trust=3,
        created_at="2026-01-15T12:00:00.000Z",
        source="agent",
    )
    insert(
        store,
        "episodic_experiences",
        summary="Always warm the cache.",
        outcome="success",
        trust=3,
        context_keys_json='["Cache"]',
        created_at="2026-01-15 12:00:00",
        source="user",
    )
    insert(store, "cells", title="t", body="b")
    insert(store, "memory_sessions", created_at="x", scope_mode="project")
    insert(store, "invocations", session_id=1, tool_name="t", hash="h")
    store.close()
    return path
