"""What hooks say, from the files that people edit and from the project's own; without the product around it."""

from __future__ import annotations

from hashlib import md5
from pathlib import Path
from string import Template
from typing import Any

from thoughtbox.domains.memory.compaction.packing import HOW_TO_CALL
from thoughtbox.domains.memory.project import ProjectFolder, read_object
from thoughtbox.domains.memory.quoting import one_line

TEXTS = Path(__file__).resolve().parents[2] / "content" / "memory" / "hooks"

MOST = {"highlights": 5, "reminders": 3, "preImplementation": 10, "postImplementation": 10}
LONGEST = {"summary": 200, "highlights": 100, "reminders": 100, "preImplementation": 200, "postImplementation": 200}
HEADINGS = {
    "highlights": "Worth knowing:",
    "reminders": "Remember:",
    "preImplementation": "Before you write files:",
    "postImplementation": "After writing files:",
}
LONGEST_CONTEXT = 3_000
LONGEST_PROMPT = 2_000


def text(name: str, **values: str) -> str:
    """A text of ours, filled in."""
    return Template((TEXTS / f"{name}.md").read_text(encoding="utf-8")).substitute(values).strip()


def how_to_call(*, takes_tools: bool) -> str:
    return HOW_TO_CALL["tools" if takes_tools else "gateway"]


def project_context(root: Path) -> str:
    """What a project tells every agent: its summary, what is worth knowing, what to think of, what comes first."""
    told = _told(root)
    summary = told.get("summary")
    first = [one_line(summary, LONGEST["summary"])] if isinstance(summary, str) and summary.strip() else []
    parts = [_listed(told, name) for name in ("highlights", "reminders", "preImplementation")]
    return "\n".join([*first, *(line for part in parts for line in part)])[:LONGEST_CONTEXT]


def chores(root: Path) -> str:
    """How an agent should check itself, where a project has a preset; elsewhere nobody has asked for it."""
    return text("chores") if ProjectFolder(root).config.exists() else ""


def left_by_the_installation(root: Path) -> str:
    """What an installer has left to be said when the next session begins, in a file named after the project's path."""
    named = md5(str(root).encode(), usedforsecurity=False).hexdigest()
    try:
        with (ProjectFolder(root).claude / "post-install-prompts" / f"{named}.md").open("rb") as file:
            return file.read(LONGEST_PROMPT).decode(errors="ignore").strip()
    except OSError:
        return ""


def checklist(root: Path) -> str:
    """What a project wants done after files were written."""
    return "\n".join(_listed(_told(root), "postImplementation"))


def _told(root: Path) -> dict[str, Any]:
    found = read_object(ProjectFolder(root).context) or {}
    return found if found.get("enabled") is True else {}


def _listed(told: dict[str, Any], name: str) -> list[str]:
    found = told.get(name)
    lines = (
        [one_line(line, LONGEST[name]) for line in found if isinstance(line, str)] if isinstance(found, list) else []
    )
    return [HEADINGS[name], *(f"- {line}" for line in lines[: MOST[name]])] if lines else []
