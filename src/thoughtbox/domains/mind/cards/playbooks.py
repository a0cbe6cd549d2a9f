"""Playbooks: what to write as which card, step by step, and when to stop. Each is a file that people edit."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from functools import cache
from typing import Any

from thoughtbox import content

FOLDER = "mind/playbooks"
GENERIC = "generic"
"""For names that have no playbook of their own."""


def playbook(name: str) -> dict[str, Any]:
    """The playbook of this name, or the generic one, which then says so and names all that there are."""
    found = _aliases().get(re.sub(r"[\s-]+", "_", name.strip().lower()))
    # Copies: what is kept must not be changed by whoever shortens it for a budget.
    if found is not None:
        return {"name": found, "template": deepcopy(_template(found))}
    return {"name": name, "template": {**deepcopy(_template(GENERIC)), "fallback": True, "known": list(names())}}


@cache
def names() -> tuple[str, ...]:
    """All playbooks, the generic one excepted."""
    return tuple(name for name in content.names(FOLDER) if name != GENERIC)


@cache
def _aliases() -> dict[str, str]:
    """What may be asked for, and the playbook that is meant."""
    others = {alias: name for name in names() for alias in _front(name).get("aliases", "").split(", ") if alias}
    return {**{name: name for name in names()}, **others}


@cache
def _template(name: str) -> dict[str, Any]:
    """A file: lines of `name: value` between two lines of dashes, objects in JSON; then a heading for each step."""
    front = {key: value for key, value in _front(name).items() if key != "aliases"}
    return {
        "use": front.pop("use"),
        "cards": _paragraph(content.text("mind/playbook-cards.md")),
        "steps": [f"{label}: {_paragraph(said)}" for label, said in _steps(name)],
        **{key: json.loads(value) if value.startswith("{") else value for key, value in front.items()},
    }


def _front(name: str) -> dict[str, str]:
    _, front, _ = content.text(f"{FOLDER}/{name}.md").split("---\n", 2)
    return {key: value for key, _, value in (line.partition(": ") for line in front.strip().splitlines())}


def _steps(name: str) -> list[tuple[str, str]]:
    _, _, body = content.text(f"{FOLDER}/{name}.md").split("---\n", 2)
    _, *parts = re.split(r"^## (.+)$", body, flags=re.MULTILINE)
    return list(zip(parts[::2], parts[1::2], strict=True))


def _paragraph(text: str) -> str:
    return " ".join(text.split())
