"""A session's thoughts as a forest, the way it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thoughtbox.domains.trail.models import SHOWN_IN_TREE
from thoughtbox.domains.trail.thoughts import DEEPEST, Thought, shorten

Entry = dict[str, Any]


def forest(thoughts: Iterable[Thought], *, whole: bool, nested: bool) -> list[Entry]:
    """Roots in order of recording, with their children below them when asked for.

    A thought whose parent is not in the session before it is a root. "Before it" keeps
    a trail from ever closing into a circle: a parent id that was unknown when the
    thought was recorded stays unknown. Nothing is lost to depth: where nesting would go
    deeper than `DEEPEST`, the branch goes on in an entry of its own at the top, which
    says what it `continues`.
    """
    top: list[Entry] = []
    shown: dict[str, Entry] = {}
    depths: dict[str, int] = {}
    for thought in thoughts:
        parent = shown.get(thought.parent_id) if thought.parent_id is not None else None
        entry = shown[thought.thought_id] = _entry(thought, whole=whole)
        if nested:
            entry["children"] = []
        if parent is None:
            depths[thought.thought_id] = 1
            top.append(entry)
        elif nested:
            depth = depths[parent["thoughtId"]] % DEEPEST + 1
            depths[thought.thought_id] = depth
            if depth == 1:
                entry["continues"] = parent["thoughtId"]
            (top if depth == 1 else parent["children"]).append(entry)
    return top


def _entry(thought: Thought, *, whole: bool) -> Entry:
    return {
        "thoughtId": thought.thought_id,
        "thoughtType": thought.thought_type,
        "stepIndex": thought.step_index,
        "content": thought.content if whole else shorten(thought.content, SHOWN_IN_TREE),
        "parentId": thought.parent_id,
        "actionId": thought.action_id,
        "contextId": thought.context_id,
        "recordedAt": thought.recorded_at,
    }
