"""A day with the mind room, call by call: what its page tells, and more of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Answer = dict[str, Any]
Ask = Callable[[str, Answer], Answer]

CONFLICT = "$conflict"
"""Stands for the conflict that the merge before it found."""

GRAPH = "TASK-001-graph"
ON_TRIAL = {"branch": "try/order", "trace_doc": "TASK-001-trace", "graph_doc": GRAPH}
STEPS = [
    {"title": "Find the cause", "success_criteria": ["the cause is measured"], "proof_tests_mode": "require"},
    {"title": "Mend it", "success_criteria": ["no mail later than 20 s"]},
]


def card(id: str, type: str, title: str, text: str | None = None, **more: Any) -> Answer:
    return {"card": {"id": id, "type": type, "title": title, **({"text": text} if text else {})}, **more}


MORNING: list[tuple[str, Answer]] = [
    ("status", {}),
    ("tasks_create", {"kind": "plan", "title": "Sign-in mails in time"}),
    ("tasks_create", {"parent": "PLAN-001", "title": "Find out why they are late", "steps": STEPS}),
    ("tasks_focus_set", {"target": "TASK-001"}),
    ("think_card", card("F-1", "frame", "Sign-in mails arrive 4 min late", step="focus")),
    ("think_card", card("H-queue", "hypothesis", "Newsletters wait in front of the sign-in mails", step="focus")),
    ("think_card", {"card": "id: H-other\ntype: hypothesis\ntitle: The provider throttles us", "step": "focus"}),
    ("think_card", card("T-queue", "test", "Count what waits", "CMD: make mail-load", supports=["H-queue"])),
    ("think_watch", {}),
    ("think_card", card("E-queue", "evidence", "4,100 wait", "CMD: make mail-load", supports=["T-queue", "H-queue"])),
    ("think_card", card("E-other", "evidence", "The provider takes every mail within 1 s", blocks=["H-other"])),
    ("think_set_status", {"targets": ["H-other"], "status": "rejected"}),
    ("think_card", card("D-order", "decision", "One queue, sign-in mails first", step="s:1")),
    ("think_add_question", card("Q-1", "question", "How long may a newsletter wait?")),
    ("think_pack", {"max_chars": 3000}),
    ("notes_commit", {"content": "The queue is first in, first out."}),
]

TRIAL: list[tuple[str, Answer]] = [
    ("macro_branch_note", {"name": "try/order", "from": "task/TASK-001", "content": "What if it had an order?"}),
    ("think_card", {**card("E-order", "evidence", "No mail waits 9 s", supports=["D-order"]), **ON_TRIAL}),
    ("think_set_status", {"ref": "try/order", "graph_doc": GRAPH, "targets": ["D-order"], "status": "accepted"}),
    ("think_set_status", {"targets": ["D-order"], "status": "rejected"}),
    ("graph_diff", {"from": "task/TASK-001", "to": "try/order", "doc": GRAPH}),
    ("graph_merge", {"from": "try/order", "merge_to_base": True}),
    ("graph_merge", {"from": "try/order", "merge_to_base": True, "doc": GRAPH, "dry_run": True}),
    ("graph_merge", {"from": "try/order", "merge_to_base": True, "doc": GRAPH}),
    ("graph_conflicts", {"into": "task/TASK-001", "doc": GRAPH}),
    ("graph_conflict_show", {"conflict_id": CONFLICT}),
    ("graph_conflict_resolve", {"conflict_id": CONFLICT, "resolution": "use_from"}),
    ("merge", {"from": "try/order", "merge_to_base": True}),
    ("checkout", {"ref": "main"}),
]

EVENING: list[tuple[str, Answer]] = [
    ("tasks_lint", {}),
    ("tasks_evidence_capture", {"path": "s:0", "checkpoint": "tests", "checks": ["CMD: make mail-load"]}),
    ("tasks_close_step", {"path": "s:0", "checkpoints": "gate"}),
    ("context_pack", {"max_chars": 4000}),
    ("tasks_snapshot", {}),
    ("tasks_resume_super", {"max_chars": 6000}),
    ("open", {"id": "D-order"}),
    ("open", {"id": "TASK-001"}),
    ("graph_query", {"ids": ["D-order"]}),
    ("mind_search", {"query": "newsletters in the queue"}),
    ("diagnostics", {}),
]

DAY = [*MORNING, *TRIAL, *EVENING]


def spend(ask: Ask, calls: list[tuple[str, Answer]] = DAY) -> Iterator[tuple[str, Answer]]:
    """One call after the other: the tool, and the envelope that it answers with."""
    conflict = None
    for tool, arguments in calls:
        told = {name: conflict if value == CONFLICT else value for name, value in arguments.items()}
        answer = ask(tool, told)
        if tool == "graph_merge":
            conflict = next(iter(answer["result"]["conflict_ids"]), None)
        yield tool, answer


def suggested(answer: object) -> Iterator[tuple[str, Answer]]:
    """Every call that an answer names to be sent as it stands, wherever it does."""
    if isinstance(answer, Mapping):
        for target, params in (("target", "params"), ("tool", "args"), ("tool", "arguments"), ("method", "params")):
            if isinstance(answer.get(target), str) and isinstance(answer.get(params), Mapping):
                yield answer[target], dict(answer[params])
        for part in answer.values():
            yield from suggested(part)
    elif isinstance(answer, list):
        for part in answer:
            yield from suggested(part)
