"""A session and its thoughts made by hand, for what is pure: no store has recorded them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought

SESSION = Session(
    id="5f2a",
    title="Slow pages",
    created_at="2026-01-02T03:04:05.000Z",
    updated_at="2026-01-02T04:00:00.000Z",
    last_accessed_at="2026-01-02T05:00:00.000Z",
    tags=("db", "latency"),
    thought_count=5,
    branch_count=1,
)
CRITIQUE = Critique(text="Says who?\n# Nobody", model="some-model", timestamp="2026-01-02T03:05:00.000Z")
AT = "2026-02-01T00:00:00.000Z"

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=80)
line_ends = st.sampled_from(["\n", "\r", "\r\n", "\v"])
marks = st.sampled_from(["# a", "## Thoughts", "```", "~~~", "---", "> b", ">", " ", "\t", "<!--", "<pre>", "* c", ""])
nasty = st.lists(st.tuples(line_ends, marks).map("".join), min_size=1, max_size=8).map("".join)
"""Texts that would be more than text to Markdown, if they could."""


def thought(seq: int, **given: Any) -> Thought:
    fields: dict[str, Any] = {
        "session_id": SESSION.id,
        "branch_id": None,
        "number": seq,
        "total": 5,
        "next_needed": True,
        "text": f"text {seq}",
        "timestamp": f"2026-01-02T03:04:{seq:02}.000Z",
        "kind": "claim",
        "prev": seq - 1 if seq > 1 else None,
    }
    return Thought(seq=seq, **{**fields, **given})


def relation(kind: str, seq: int) -> dict[str, str]:
    return {"type": kind, "to": f"th:{seq}"}


# Two thoughts, a branch of two from the first, and a third thought that revises the second.
FORKED = [
    thought(1, kind="observation"),
    thought(2, kind="question", relations=(relation("relates_to", 1),)),
    thought(3, number=2, branch_id="alt", prev=1, origin=1, branch_from=1, relations=(relation("supports", 2),)),
    thought(
        4,
        number=3,
        prev=2,
        kind="revision",
        is_revision=True,
        revises_number=2,
        revises=2,
        relations=(relation("revises", 2),),
    ),
    thought(5, number=3, branch_id="alt", prev=3, origin=1, next_needed=False),
]
