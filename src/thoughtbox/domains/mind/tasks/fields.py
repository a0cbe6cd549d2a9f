"""What plans, tasks and steps are made of: their fields, what each holds, and what it is when nobody said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from thoughtbox.domains.mind.names import bad_name

CHECKPOINTS = ("criteria", "tests", "security", "perf", "docs")
ALWAYS = ("criteria", "tests")
"""Checkpoints that every step has to pass."""
STATUSES = ("TODO", "ACTIVE", "PARKED", "DONE", "CANCELED")
PRIORITIES = ("LOW", "MEDIUM", "HIGH")
REASONING_MODES = ("normal", "deep", "strict")
PROOF_MODES = ("off", "warn", "require")
PROVED = ("tests", "security", "perf", "docs")
"""Checkpoints that may want proof."""
ANCHOR = re.compile(r"a:[a-z0-9][a-z0-9-]{0,63}")
MOST_ITEMS = 200
LONGEST_FIELD = 100_000


class Field(NamedTuple):
    """A field: what it holds, and the words that it may be, if not any."""

    holds: Literal["text", "texts", "flag", "object", "index", "word"]
    words: tuple[str, ...] = ()
    default: Any = None


TEXT = Field("text")
TEXTS = Field("texts")
FLAG = Field("flag", default=False)

_BOTH = {
    "title": TEXT,
    "description": TEXT,
    "context": TEXT,
    "contract": TEXT,
    "contract_data": Field("object"),
    "priority": Field("word", PRIORITIES, "MEDIUM"),
    "tags": TEXTS,
    "depends_on": TEXTS,
}
PLAN_FIELDS: Mapping[str, Field] = {**_BOTH, "plan_doc": TEXT, "plan_current": Field("index"), "checklist": TEXTS}
TASK_FIELDS: Mapping[str, Field] = {
    **_BOTH,
    "domain": TEXT,
    "phase": TEXT,
    "component": TEXT,
    "assignee": TEXT,
    "blocked": FLAG,
    "reasoning_mode": Field("word", REASONING_MODES, "normal"),
}
STEP_FIELDS: Mapping[str, Field] = {
    "title": TEXT,
    "success_criteria": TEXTS,
    "tests": TEXTS,
    "blockers": TEXTS,
    "next_action": TEXT,
    "stop_criteria": TEXT,
    "blocked": FLAG,
    "block_reason": TEXT,
    **{f"proof_{name}_mode": Field("word", PROOF_MODES, "off") for name in PROVED},
}
FIELDS: Mapping[str, Mapping[str, Field]] = {"plan": PLAN_FIELDS, "task": TASK_FIELDS, "step": STEP_FIELDS}


def bad_value(field: Field, value: Any) -> str | None:
    """What is wrong with a value; None when nothing is."""
    match field.holds:
        case "text":
            return None if isinstance(value, str) and len(value) <= LONGEST_FIELD else "it must be a text"
        case "texts":
            if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
                return "it must be a list of texts, none of them empty"
            return None if len(value) <= MOST_ITEMS else f"it has more than {MOST_ITEMS} items"
        case "flag":
            return None if isinstance(value, bool) else "it must be true or false"
        case "object":
            return None if isinstance(value, dict) else "it must be an object"
        case "index":
            return None if type(value) is int and 0 <= value < MOST_ITEMS else "it must be a number, 0 or more"
        case "word":
            return None if value in field.words else f"it must be one of {', '.join(field.words)}"


def bad_details(kind: str, details: Mapping[str, Any]) -> str | None:
    """What is wrong with the fields of a plan, task or step, as far as they are known here."""
    known = FIELDS[kind]
    for name, value in details.items():
        wrong = bad_value(known[name], value) if name in known and value is not None else None
        if wrong is not None:
            return f"`{name}`: {wrong}"
    return None


def with_defaults(kind: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """All fields of a plan, task or step: lists are empty when nobody said anything, what is unknown is left out."""
    told = {}
    for name, field in FIELDS[kind].items():
        value = details.get(name, [] if field.holds == "texts" else field.default)
        if value is not None and name != "title":
            told[name] = value
    return told


def proof_mode(step: Mapping[str, Any], checkpoint: str) -> str:
    """Whether closing a step with these fields wants proof of a checkpoint."""
    return step.get(f"proof_{checkpoint}_mode", "off")


def required(step: Mapping[str, Any]) -> list[str]:
    """The checkpoints that closing needs: two always, the others once something was shown or asked for about them."""
    shown = step.get("evidence", {})
    return [
        name
        for name in CHECKPOINTS
        if name in ALWAYS or name in shown or (name in PROVED and proof_mode(step, name) == "require")
    ]


def normal_tags(tags: Sequence[str]) -> list[str]:
    """Tags in the one spelling that equal tags share; ValueError says what is wrong with one."""
    known = sorted({tag.strip().lower() for tag in tags})
    for tag in known:
        if (wrong := bad_name(tag)) is not None:
            raise ValueError(wrong)
    return known


def anchors(tags: Sequence[str]) -> list[str]:
    """The anchors among tags: what the work is about."""
    return [tag for tag in tags if ANCHOR.fullmatch(tag)]
