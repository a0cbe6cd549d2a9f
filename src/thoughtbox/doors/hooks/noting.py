"""What is taken down of a tool call and of a prompt: hashes, and a few words that no secret is in."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from typing import Any

from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.quoting import one_line
from thoughtbox.doors.hooks.gate import FILE_TOOLS, files_written
from thoughtbox.doors.hooks.host import SILENCE, Answer, Told, context
from thoughtbox.doors.hooks.spool import Spool
from thoughtbox.doors.hooks.texts import checklist
from thoughtbox.redaction import redacted
from thoughtbox.world import iso

LONGEST_PROMPT = 500
LONGEST_WORDS = 200
"""Characters that are kept of a path or a command."""

GATEWAY = "thoughtbox_gateway"

_OWN_TOOL = re.compile(r"(?:mcp__thoughtbox__|thoughtbox_gateway\Z)")
_SESSION = re.compile(r'\\*"session_id\\*":\s*(\d{1,15})\b')
_OF_A_CYCLE = re.compile(r"compliance_snapshot|compliance_router|guarded_cycle|finalize_response|governance_validate")


def post_tool_use(told: Told) -> Answer:
    """Take down that a tool was called; after one that writes files, say what the project wants done then."""
    if told.place.root is None:
        return SILENCE
    spool = Spool(told.place)
    is_own = _OWN_TOOL.match(told.tool) is not None
    if is_own and _has_failed(told):
        return SILENCE  # a refusal of ours that matters is a record already
    spool.append(_line(told, "invocation") | _invocation(told))
    if is_own and (cycle := _cycle(told)) is not None:
        spool.append(_line(told, "cycle") | {"cycle": cycle})
    bring_in(told, spool)
    if told.tool in FILE_TOOLS:
        return context(told.text("hook_event_name") or "PostToolUse", checklist(told.place.root))
    return SILENCE


def note_prompt(told: Told) -> None:
    """Take down what the user asked."""
    if told.place.root is None:
        return
    if prompt := one_line(redacted(told.text("prompt")), LONGEST_PROMPT):
        spool = Spool(told.place)
        spool.append(_line(told, "prompt") | {"text": prompt})
        bring_in(told, spool)


def bring_in(told: Told, spool: Spool) -> None:
    """Start a process that brings lines into the store, unless one began a moment ago. Nobody waits for it."""
    if not spool.is_due():
        return
    words = [sys.executable, "-P", "-m", "thoughtbox", "hook", "drain", "--client", told.client, *told.place.options]
    root = {} if told.place.root is None else {"THOUGHTBOX_PROJECT_ROOT": str(told.place.root)}
    nowhere = subprocess.DEVNULL
    subprocess.Popen(
        words, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True, env={**os.environ, **root}
    )


def _cycle(told: Told) -> int | None:
    """The memory session that a call of ours worked on: which agent is in which cycle, only its host can say."""
    if not _OF_A_CYCLE.search(f"{told.tool} {told.tool_input.get('operation', '')}"):
        return None
    given, told_back = told.tool_input.get("session_id"), _SESSION.search(json.dumps(told.input["tool_response"]))
    found = int(told_back.group(1)) if told_back is not None else given
    return found if isinstance(found, int) else None


def _line(told: Told, kind: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "client": told.client,
        "host_session": told.host_session[:200],
        "ts": iso(time.time_ns() // 1_000_000),
    }


def _invocation(told: Told) -> dict[str, Any]:
    """The hashes of what went in and what came out; a tool that failed has an error for an answer."""
    output = told.input.get("tool_response", told.input.get("error"))
    meta = {"event": told.text("hook_event_name")} | ({"failed": True} if _has_failed(told) else {}) | _words(told)
    return {
        "tool_name": _name(told),
        "input_hash": _hash(told.input.get("tool_input")),
        "output_hash": _hash(output),
        "meta": meta,
    }


def _has_failed(told: Told) -> bool:
    """A tool that failed has an error in the place of a response, or a response that says so."""
    response = told.input.get("tool_response")
    is_refused = isinstance(response, dict) and (response.get("isError") is True or response.get("is_error") is True)
    return "tool_response" not in told.input or is_refused


def _name(told: Told) -> str:
    """What was called; behind the gateway, the operation."""
    operation = told.tool_input.get("operation") if _OWN_TOOL.match(told.tool) else None
    behind = f"__{operation}" if isinstance(operation, str) and told.tool.endswith(GATEWAY) else ""
    return f"{told.tool}{behind}"[:200] or "unknown"


def _hash(value: Any) -> str:
    """What has no canonical form is hashed as it reads."""
    try:
        return digest(value)
    except (TypeError, ValueError, RecursionError):
        return digest(repr(value))


def _words(told: Told) -> dict[str, Any]:
    """The files that were written or read, or the command that was run."""
    if files := files_written(told):
        return {"files": [_short(file) for file in files[:10]]}
    for name, said in (("command", "command"), ("file_path", "path"), ("path", "path"), ("pattern", "pattern")):
        if isinstance(found := told.tool_input.get(name), str):
            return {said: _short(found)}
    return {}


def _short(text: str) -> str:
    return one_line(redacted(text), LONGEST_WORDS)
