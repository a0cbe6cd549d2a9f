"""What nodes of a graph are looked for by: any at all, a status, a type with a status, a tag; some by type alone."""

from __future__ import annotations

from collections.abc import Sequence

ANY = ""

UNMARKED = frozenset({"v:canon", "v:draft", "lane:shared"})
"""Tags that nearly everything has, and that nothing is looked for by."""

SOUGHT = frozenset({"decision", "evidence"})
"""Types that are looked for whatever their status."""


def of_type(type: str) -> str:
    """Of a type that is sought."""
    return f"t|{type}"


def of_status(status: str) -> str:
    return f"s|{status}"


def of_state(type: str, status: str) -> str:
    return f"t|{type}|{status}"


def of_tag(tag: str) -> str:
    return f"#|{tag}"


def facets(type: str, status: str | None, tags: Sequence[str]) -> list[str]:
    """All that a node is found by. No name contains `|`, so that no two of them are alike."""
    own = [] if status is None else [of_status(status), of_state(type, status)]
    alone = [of_type(type)] if type in SOUGHT else []
    return [ANY, *own, *alone, *(of_tag(tag) for tag in tags if tag not in UNMARKED)]
