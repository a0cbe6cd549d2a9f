"""How a forest of thoughts is shown."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.trail.models import SHOWN_IN_TREE
from thoughtbox.domains.trail.thoughts import DEEPEST, Node, Thought, shorten


def shape_forest(roots: list[Node], *, content: bool, children: bool) -> list[dict[str, Any]]:
    """The roots, with their children below them when asked for.

    Nothing is lost to depth: where nesting would go deeper than `DEEPEST`, the branch
    goes on in an entry of its own at the top, which says what it `continues`.
    """
    if not children:
        return [_shape(root.thought, whole=content) for root in roots]
    forest: list[dict[str, Any]] = []
    beginnings = [(root, False) for root in roots]
    for start, is_continued in beginnings:
        entry = _shape(start.thought, whole=content)
        if is_continued:
            entry["continues"] = start.thought.parent_id
        forest.append(entry)
        waiting = [(start, entry, 1)]
        while waiting:
            node, shown, depth = waiting.pop()
            shown["children"] = below = []
            for child in node.children:
                if depth == DEEPEST:
                    beginnings.append((child, True))
                    continue
                child_shown = _shape(child.thought, whole=content)
                below.append(child_shown)
                waiting.append((child, child_shown, depth + 1))
    return forest


def _shape(thought: Thought, *, whole: bool) -> dict[str, Any]:
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
