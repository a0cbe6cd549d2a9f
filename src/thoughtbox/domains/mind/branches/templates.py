"""Notes to begin a branch with: headings, and under each what belongs there."""

from __future__ import annotations

from thoughtbox import content

FOLDER = "mind/notes"
NOT_SAID = "(not said yet)"


class UnknownTemplate(ValueError):
    """There is no note template of this name."""

    field = "template"

    def __init__(self, name: str) -> None:
        self.message = f"there is no note template `{name.strip()[:60]}`"
        self.recovery = f"Send one of: {', '.join(names())}; or the note itself as `content`."
        super().__init__(self.message)


def names() -> tuple[str, ...]:
    """All templates of notes."""
    return content.names(FOLDER)


def note_from(template: str, goal: str | None) -> str:
    """A note from a template; the goal stands under its first heading."""
    name = template.strip().lower()
    if name not in names():
        raise UnknownTemplate(template)
    said = goal.strip() if goal else ""
    return content.text(f"{FOLDER}/{name}.md").replace("{goal}", said or NOT_SAID, 1)
