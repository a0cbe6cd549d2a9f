"""A home with transcripts in it, as Codex and Claude Code write them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.transcripts.digest import digest
from thoughtbox.domains.mind.transcripts.models import TranscriptsDigest, TranscriptsOpen, TranscriptsSearch
from thoughtbox.domains.mind.transcripts.opening import open_window
from thoughtbox.domains.mind.transcripts.roots import Surroundings
from thoughtbox.domains.mind.transcripts.search import search
from thoughtbox.operations import Input, Output

Said = tuple[str, str]
"""A role and a text."""

CALLS: dict[str, tuple[type[Input], Callable[..., tuple[Output, list[Notice], list[dict[str, Any]]]]]] = {
    "transcripts_search": (TranscriptsSearch, search),
    "transcripts_open": (TranscriptsOpen, open_window),
    "transcripts_digest": (TranscriptsDigest, digest),
}


@dataclass(frozen=True)
class Answer:
    """What a call answered, as it would go over the wire."""

    result: dict[str, Any]
    warnings: list[Notice]
    suggestions: list[dict[str, Any]]

    @property
    def codes(self) -> list[str]:
        return [warning.code for warning in self.warnings]


def line(value: object, *, ascii_only: bool = False) -> bytes:
    return json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"


def codex_meta(cwd: str | None, session: str = "s1", instructions: str | None = None, **more: Any) -> dict[str, Any]:
    at = "2026-05-04T10:00:00.000Z"
    payload = {"id": session, "timestamp": at, "cwd": cwd, "originator": "codex_exec", "instructions": instructions}
    return {"timestamp": at, "type": "session_meta", "payload": payload | more}


def codex_message(role: str, text: str, ts: str = "2026-05-04T10:00:01.000Z") -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}]
    return {"timestamp": ts, "type": "response_item", "payload": {"type": "message", "role": role, "content": content}}


def codex_event(text: str) -> dict[str, Any]:
    """The same message once more, for the client's screen."""
    payload = {"type": "agent_message", "message": text}
    return {"timestamp": "2026-05-04T10:00:01.000Z", "type": "event_msg", "payload": payload}


def claude_message(
    role: str,
    content: Any,
    cwd: str = "/srv/app",
    session: str = "c1",
    ts: str = "2026-05-04T11:00:00.000Z",
    **more: Any,
) -> dict[str, Any]:
    return {
        "parentUuid": None,
        "isSidechain": False,
        "type": role,
        "message": {"role": role, "content": content},
        "uuid": "00000000-0000-4000-8000-000000000001",
        "timestamp": ts,
        "cwd": cwd,
        "sessionId": session,
        "version": "2.1.325",
        "gitBranch": "HEAD",
    } | more


@dataclass
class Home:
    """Somebody's home folder, and a server that knows it."""

    path: Path
    project_root: Path | None = Path("/srv/app")
    environment: Mapping[str, str] = field(default_factory=dict)
    markers: tuple[str, ...] = ()
    written: int = 0

    @property
    def codex(self) -> Path:
        return self.path / ".codex" / "sessions"

    @property
    def claude(self) -> Path:
        return self.path / ".claude" / "projects"

    def write_codex(
        self,
        *said: Said | dict[str, Any],
        cwd: str | None = "/srv/app",
        at: str = "2026-05-04T10-00-00",
        session: str = "",
    ) -> Path:
        """A session of Codex: where it ran, then what was said; each next one has another id."""
        self.written += 1
        session = session or f"s{self.written}"
        year, month, day = at[:10].split("-")
        path = self.codex / year / month / day / f"rollout-{at}-{session}.jsonl"
        stamp = f"{at[:10]}T{at[11:].replace('-', ':')}.000Z"
        lines = [one if isinstance(one, dict) else codex_message(*one, ts=stamp) for one in said]
        return self.write(path, [codex_meta(cwd, session), *lines])

    def write_claude(
        self, *said: Said | dict[str, Any], cwd: str = "/srv/app", session: str = "c1", mtime: int = 1_777_888_999
    ) -> Path:
        """A session of Claude Code, in the folder that is named after where it ran."""
        path = self.claude / re.sub(r"[^A-Za-z0-9]", "-", cwd) / f"{session}.jsonl"
        first = {"type": "queue-operation", "operation": "enqueue", "sessionId": session, "content": "x"}
        lines = [one if isinstance(one, dict) else claude_message(*one, cwd=cwd, session=session) for one in said]
        self.write(path, [first, *lines])
        os.utime(path, (mtime, mtime))
        return path

    @staticmethod
    def write(path: Path, lines: Iterable[object]) -> Path:
        """A file of these lines; bytes are written as they are."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(one if isinstance(one, bytes) else line(one) for one in lines))
        return path

    @property
    def surroundings(self) -> Surroundings:
        return Surroundings(self.path, self.environment, self.project_root, self.markers)

    def call(self, target: str, params: Mapping[str, Any], surroundings: Surroundings | None = None) -> Answer:
        model, function = CALLS[target]
        result, warnings, suggestions = function(model.model_validate(params), surroundings or self.surroundings)
        return Answer(result.answer(), warnings, suggestions)

    def search(self, query: str, **params: Any) -> Answer:
        return self.call("transcripts_search", {"query": query, **params})

    def open(self, ref: Mapping[str, Any], **params: Any) -> Answer:
        return self.call("transcripts_open", {"ref": ref, **params})

    def digest(self, **params: Any) -> Answer:
        return self.call("transcripts_digest", params)
