"""Snippets for tests: the same in every language, and what they leave in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

from tests.support.agent import Agent
from tests.support.servers import children, command

LANGUAGES = ("javascript", "typescript", "python")

BUILDS = {
    "javascript": "const c = tb.claim('Reads dominate'); tb.evidence('40 to 1', {supports: [c]}); print('seen'); c.id",
    "typescript": "const c = tb.claim('Reads dominate'); tb.evidence('40 to 1', {supports: [c]}); print('seen');"
    " const id: string = c.id; id",
    "python": "c = tb.claim('Reads dominate')\ntb.evidence('40 to 1', supports=[c])\nprint('seen')\nc.id",
}
"""A claim and evidence for it, one line logged, and the claim's id."""

Envelope = Mapping[str, Any]


def records_of(call: Callable[..., Mapping[str, Any]], after: int = 0) -> list[Envelope]:
    """Everything in a workspace behind a record, in order; `call` calls an operation there."""
    found: list[Envelope] = []
    at: int | None = after
    while at is not None:
        page = call("ledger_tail", {"after": at, "limit": 500, "max_chars": 1_000_000})
        found += page["records"]
        at = page["next_after"]
    return found


def written(agent: Agent) -> list[Envelope]:
    """Everything in an agent's workspace."""
    return records_of(agent.call)


def kinds(records: Iterable[Envelope]) -> list[str]:
    return [record["kind"] for record in records]


def is_pair(call: Envelope, result: Envelope, status: str) -> bool:
    """Whether two records are those of a snippet that came to such an end, and has left nothing else."""
    kinds_are_right = (call["kind"], result["kind"]) == ("tool_call", "tool_result")
    return kinds_are_right and result["attrs"] == {"callId": call["id"], "status": status}


def runs(records: Iterable[Envelope]) -> list[list[Envelope]]:
    """What stands between the call and the result of each snippet; every call must have its result."""
    found = list(records)
    places = [index for index, record in enumerate(found) if record["kind"] in ("tool_call", "tool_result")]
    assert [found[index]["kind"] for index in places] == ["tool_call", "tool_result"] * (len(places) // 2)
    return [found[begin + 1 : end] for begin, end in list(pairwise(places))[::2]]


def one_by_one(told: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """The records of an answer, each by itself: of a run of one kind, the answer tells the first and the last."""
    return [
        {"id": f"th:{number}", "kind": entry["kind"]}
        for entry in told
        for number in range(int(entry["id"][3:]), int(entry.get("last", entry["id"])[3:]) + 1)
    ]


def sandboxes(pid: int) -> list[int]:
    """The processes in which a server runs snippets, and which have not ended."""
    return [child for child in children(pid) if _is_sandbox(child)]


def _is_sandbox(pid: int) -> bool:
    said = command(pid)  # nothing of one that has ended and was not looked after yet
    return "monty subprocess" in said or "thoughtbox.sandbox" in said
