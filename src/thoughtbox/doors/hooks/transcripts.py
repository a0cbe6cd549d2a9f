"""What an agent had said last, from the end of the host's own transcript."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

TAIL = 256 << 10
"""Bytes that are looked at, from the end."""


def last_said(path: Path) -> str:
    """The last words of the agent, or nothing: a transcript is the host's own, and may look otherwise tomorrow."""
    for line in reversed(_tail(path).splitlines()):
        try:
            said = _said(json.loads(line))
        except (ValueError, RecursionError):
            continue
        if said:
            return said
    return ""


def _tail(path: Path) -> str:
    try:
        # A pipe is not waited for.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(size - TAIL, 0))
            return file.read(TAIL).decode(errors="replace")
    except OSError:
        return ""


def _said(entry: Any) -> str:
    """The text of a line, when it is the agent's: Claude Code has it in `message`, Codex in `payload`."""
    if not isinstance(entry, dict):
        return ""
    message = entry.get("message") if entry.get("type") == "assistant" else entry.get("payload")
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return ""
    content = message.get("content")
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return " ".join(block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str))
