"""What nodes of a graph are looked for by: any at all, a type, a status, a tag, and those of a step by the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thoughtbox.domains.mind.records import is_draft

ANY = ""

UNMARKED = frozenset({"v:canon", "v:draft", "lane:shared"})
"""Tags that nearly everything has, and that nothing is looked for by."""

SUBGOAL = "subgoal"
_STEP = "step:"


def of_status(status: str) -> str:
    return f"s|{status}"


def of_type(type: str, step_tag: str | None = None) -> str:
    """Of that type, whatever its status; with a step's tag, those of the step."""
    return f"y|{type}" if step_tag is None else f"#|{step_tag}|y|{type}"


def of_state(type: str, status: str, step_tag: str | None = None) -> str:
    return f"t|{type}|{status}" if step_tag is None else f"#|{step_tag}|t|{type}|{status}"


def of_subgoals(status: str, step_tag: str | None = None) -> str:
    """Questions that are a subgoal of another one."""
    return of_state(f"question|{SUBGOAL}", status, step_tag)


def of_tag(tag: str) -> str:
    return f"#|{tag}"


def facets(type: str, status: str | None, tags: Sequence[str]) -> list[str]:
    """All that a node is found by. No name contains `|`, so that no two of them are alike."""
    steps = [tag for tag in tags if tag.startswith(_STEP)]
    kinds = [facet for step in (None, *steps) for facet in _kinds(type, status, tags, step)]
    states = [] if status is None else [of_status(status)]
    return [ANY, *states, *kinds, *(of_tag(tag) for tag in tags if tag not in UNMARKED)]


def _kinds(type: str, status: str | None, tags: Sequence[str], step_tag: str | None) -> Iterator[str]:
    yield of_type(type, step_tag)
    if status is not None:
        yield of_state(type, status, step_tag)
        if type == "question" and SUBGOAL in tags:
            yield of_subgoals(status, step_tag)


def is_hidden(tags: Sequence[str]) -> bool:
    """Whether a node is shown only to whoever asks for drafts; what is pinned is shown to all."""
    return is_draft(tags) and "pinned" not in tags
