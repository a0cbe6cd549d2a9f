"""The map as text: the same anchors always give the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from thoughtbox.domains.mind.anchors.anchor import PREFIX, Anchor

Resolve = Callable[[str], str]


def mermaid(anchors: Sequence[Anchor], resolved: Resolve) -> str:
    """A flowchart: what contains what, and what needs what. Relations to anchors outside of it are left out."""
    inside = {anchor.id for anchor in anchors}
    lines = ["flowchart TD"]
    lines += [f'  {_node(anchor.id)}["{_quoted(anchor.title)}<br/>{anchor.id}"]' for anchor in anchors]
    for anchor in anchors:
        if anchor.parent_id is not None and (parent := resolved(anchor.parent_id)) in inside - {anchor.id}:
            lines.append(f"  {_node(parent)} -->|contains| {_node(anchor.id)}")
    for anchor in anchors:
        needed = sorted({resolved(id) for id in anchor.depends_on} & inside - {anchor.id})
        lines += [f"  {_node(anchor.id)} -.->|depends_on| {_node(id)}" for id in needed]
    return "\n".join(lines) + "\n"


def text(anchors: Sequence[Anchor], resolved: Resolve) -> str:
    """One line per anchor."""
    return "".join(f"{_line(anchor, resolved)}\n" for anchor in anchors)


def _line(anchor: Anchor, resolved: Resolve) -> str:
    parts = [anchor.id, anchor.kind, anchor.status, anchor.title]
    if anchor.parent_id is not None:
        parts.append(f"parent={resolved(anchor.parent_id)}")
    if anchor.depends_on:
        parts.append(f"depends_on={','.join(sorted({resolved(id) for id in anchor.depends_on}))}")
    return " | ".join(parts)


def _node(id: str) -> str:
    """What mermaid calls an anchor. A slug has no underscore, so that no two of them are alike."""
    return f"a_{id.removeprefix(PREFIX).replace('-', '_')}"


def _quoted(title: str) -> str:
    """A title in a label. What mermaid or the page around it could take for markup is written as its number."""
    return "".join(f"#{ord(letter)};" if letter in '"#<>&`\\' else letter for letter in title)
