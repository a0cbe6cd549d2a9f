"""What an agent is told with every prompt: the project's own words, and what stands before it may write files."""

from __future__ import annotations

import time
from pathlib import Path

from thoughtbox.domains.memory.configuration import active_config, gates_of
from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.domains.memory.tokens.files import live_session_token
from thoughtbox.doors.hooks.host import Answer, Told, context
from thoughtbox.doors.hooks.noting import note_prompt
from thoughtbox.doors.hooks.texts import how_to_call, project_context, text
from thoughtbox.errors import ThoughtboxError


def user_prompt_submit(told: Told) -> Answer:
    """The project's context and its gates; the prompt is taken down, for when the agent has forgotten it."""
    complaints: list[str] = []
    shown: list[str] = []
    if told.place.root is not None:
        for part in (lambda root: _gates(root, takes_tools=told.takes_tools), project_context):
            try:
                shown.append(part(told.place.root))
            except ThoughtboxError as error:
                complaints.append(f"thoughtbox hook user-prompt-submit: {error.message}")
    try:
        note_prompt(told)
    except OSError as error:
        complaints.append(f"thoughtbox hook user-prompt-submit: the prompt is not kept: {error.strerror}")
    answer = context("UserPromptSubmit", "\n\n".join(filter(None, shown)))
    return answer._replace(said="\n".join(complaints))


def _gates(root: Path, *, takes_tools: bool) -> str:
    folder = ProjectFolder(root)
    if not folder.config.exists():
        return ""
    config = active_config(folder)
    closed = [gate for gate in gates_of(config) if gate.required_tools]
    if not closed or live_session_token(folder, time.time_ns() // 1_000_000) is not None:
        return ""
    is_asked = any(gate.level != "lenient" for gate in closed)
    return text(
        "gates" if is_asked else "gates-lenient",
        preset=str(config.get("name")),
        gates="\n".join(f"- {gate.name}: {', '.join(gate.required_tools)}. {gate.description}" for gate in closed),
        how=how_to_call(takes_tools=takes_tools),
    )
