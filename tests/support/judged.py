"""The judged sessions of `tests/corpus/judged`, and how to record one as a client would."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.thinker import Client

FOLDER = Path(__file__).resolve().parents[1] / "corpus" / "judged"


@dataclass(frozen=True, slots=True)
class Judged:
    """A session of reasoning, and what a careful reader says about it; the README beside the files has the fields."""

    name: str
    title: str
    tags: list[str]
    thoughts: list[dict[str, Any]]
    """In order of recording; one with `fate` is a call of `branch.adopt` or `branch.reject`."""
    judgement: dict[str, Any]
    learnt: list[dict[str, Any]]
    acceptable: list[dict[str, Any]]


def load_judged() -> list[Judged]:
    return [_judged(path) for path in sorted(FOLDER.glob("*.toml"))]


def record_judged(client: Client, judged: Judged) -> str:
    """Record it through the operations; the session's id. The client needs no session of its own."""
    session_id = client.call("start_new", sessionTitle=judged.title, sessionTags=judged.tags)["sessionId"]
    client.call("cipher", sessionId=session_id)
    for thought in judged.thoughts:
        if "fate" in thought:
            _settle(client, session_id, thought["fate"])
            continue
        asked = {"branchId": "branch", "branchFromThought": "from", "revisesThought": "revises"}
        given = {argument: thought[field] for argument, field in asked.items() if field in thought}
        client.call(
            "thought",
            sessionId=session_id,
            thought=thought["text"],
            nextThoughtNeeded=not thought.get("last", False),
            **given,
        )
    return session_id


def _judged(path: Path) -> Judged:
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return Judged(
        name=path.stem,
        title=found["title"],
        tags=found["tags"],
        thoughts=found["thought"],
        judgement=found["judgement"],
        learnt=found["learnt"],
        acceptable=found.get("acceptable", []),
    )


def _settle(client: Client, session_id: str, fate: dict[str, str]) -> None:
    """`fate` is `{adopt = "branch", why = "…"}`, or the same with `reject`."""
    operation, branch = next((name, fate[name]) for name in ("adopt", "reject") if name in fate)
    client.call(f"branch.{operation}", sessionId=session_id, branchId=branch, why=fate["why"])
