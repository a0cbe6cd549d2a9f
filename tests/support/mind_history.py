"""A random history of the mind room, and what may be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.box import Box
from tests.support.chance import Arguments, ByChance, Drawn
from thoughtbox.domains.mind.cards.card import TYPES

WORDS = ("cache", "index", "replica", "slow", "page", "query")
BRANCHES = ("main", "alt", "side", "deep")
DOCS = ("notes", "ideas")
CARDS = tuple(f"C{number}" for number in range(8))
STATUSES = ("open", "closed", "accepted")
TAGS = ("db", "web", "pinned", "a:storage", "v:draft", "counter")
STEPS = [{"title": "Measure", "success_criteria": ["known"], "tests": ["bench"]}, {"title": "Mend"}]


class MindHistory(ByChance):
    def __init__(self, box: Box, seed: object) -> None:
        super().__init__(box, seed)
        self.targets = ["TASK-404"]
        self.conflicts = ["CONFLICT-" + "0" * 32]
        self.jobs = ["JOB-404"]
        self._call("notes_commit", content=self.text())

    def deeds(self) -> dict[Callable[[], object], int]:
        return {
            self._note: 4,
            self._card: 8,
            self._graph: 5,
            self._branch: 3,
            self._rename: 1,
            self._delete: 1,
            self._checkout: 1,
            self._merge: 3,
            self._resolve: 2,
            self._status: 3,
            self._trace: 2,
            self._commit: 2,
            self._tag: 1,
            self._target: 2,
            self._work: 3,
            self._focus: 1,
            self._anchor: 1,
            self._job: 2,
        }

    def text(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 5)))

    def branch(self) -> str:
        return self.chance.choice(BRANCHES)

    def card(self) -> str:
        return self.chance.choice(CARDS)

    def some(self, values: tuple[str, ...]) -> list[str]:
        return self.chance.sample(values, self.chance.randint(0, 2))

    def _call(self, operation: str, /, **arguments: Any) -> Arguments:
        return self.client.call(operation, **arguments)["result"]

    def _note(self) -> None:
        self._call("notes_commit", branch=self.branch(), doc=self.chance.choice(DOCS), content=self.text())

    def _card(self) -> None:
        card = {
            "id": self.card(),
            "type": self.chance.choice(TYPES),
            "title": self.text(),
            "text": self.text(),
            "status": self.chance.choice(STATUSES),
            "tags": self.some(TAGS),
        }
        self._call("think_card", branch=self.branch(), card=card, supports=[self.card()], blocks=self.some(CARDS))

    def _graph(self) -> None:
        ops: list[Arguments] = [
            {"op": "node_upsert", "id": self.card(), "type": "idea", "title": self.text(), "tags": self.some(TAGS)},
            {"op": "node_delete", "id": self.card()},
            {"op": "edge_upsert", "from": self.card(), "rel": "supports", "to": self.card()},
        ]
        self._call("graph_apply", branch=self.branch(), ops=[self.chance.choice(ops)])

    def _branch(self) -> None:
        self._call("branch_create", name=self.branch(), **{"from": self.branch()})

    def _rename(self) -> None:
        self._call("branch_rename", old=self.branch(), new=self.branch())

    def _delete(self) -> None:
        self._call("branch_delete", name=self.branch())

    def _checkout(self) -> None:
        self._call("checkout", ref=self.branch())

    def _merge(self) -> None:
        operation = self.chance.choice(["merge", "graph_merge"])
        merged = self._call(operation, merge_to_base=True, **{"from": self.branch()})
        self.conflicts += merged.get("conflict_ids", [])

    def _resolve(self) -> None:
        resolution = self.chance.choice(["use_from", "use_into"])
        self._call("graph_conflict_resolve", conflict_id=self.chance.choice(self.conflicts), resolution=resolution)

    def _status(self) -> None:
        if self.chance.random() < 0.5:
            status = self.chance.choice(STATUSES)
            self._call("think_set_status", ref=self.branch(), targets=[self.card()], status=status)
        else:
            self._call("think_pin", ref=self.branch(), targets=[self.card()])

    def _trace(self) -> None:
        number = self.chance.randint(1, 4)
        self._call(
            "trace_sequential_step",
            ref=self.branch(),
            thought=self.text(),
            thoughtNumber=number,
            totalThoughts=4,
            nextThoughtNeeded=True,
            branchFromThought=self.chance.randint(1, 4),
        )

    def _commit(self) -> None:
        self._call("commit", artifact=self.text(), message=self.text())

    def _tag(self) -> None:
        self._call("tag_create", name=self.chance.choice(["v1", "v2"]), force=True)

    def _target(self) -> None:
        plans = [target for target in self.targets if target.startswith("PLAN")]
        if plans and self.chance.random() < 0.6:
            made = self._call(
                "tasks_create", kind="task", parent=self.chance.choice(plans), title=self.text(), steps=STEPS
            )
        else:
            made = self._call("tasks_create", kind="plan", title=self.text())
        self.targets.append(made["id"])

    def _work(self) -> None:
        task = self.target()
        what = self.chance.randrange(4)
        if what == 0:
            self._call("tasks_note", target=task, path="s:0", note=self.text())
        elif what == 1:
            self._call("tasks_close_step", task=task, path="s:0", checkpoints="all")
        elif what == 2:
            self._call("think_card", target=task, step="focus", card={"type": "hypothesis", "title": self.text()})
        else:
            self._call("tasks_edit", target=task, title=self.text())

    def target(self) -> str:
        return self.chance.choice(self.targets)

    def _focus(self) -> None:
        if self.chance.random() < 0.3:
            self._call("tasks_focus_clear")
        else:
            self._call("tasks_focus_set", target=self.target())

    def _anchor(self) -> None:
        self._call(
            "macro_anchor_note",
            anchor=self.anchor(),
            title="t",
            kind="component",
            content=self.text(),
            card_type="note",
        )

    def anchor(self) -> str:
        return self.chance.choice(["a:storage", "a:web"])

    def _job(self) -> None:
        if self.chance.random() < 0.5:
            self.jobs.append(self._call("tasks_jobs_create", title=self.text(), prompt=self.text())["job"]["id"])
        elif self.chance.random() < 0.5:
            self._call("tasks_jobs_claim", job=self.chance.choice(self.jobs), runner_id="r1")
        else:
            self._call("runner_heartbeat", runner_id="r1", status="idle")


class MindQuestions(Drawn):
    """What may be asked of a history."""

    left_out = ("cursor", "as_of", "workspace", "after_seq", "before_seq")

    def __init__(self, history: MindHistory, seed: object) -> None:
        super().__init__(seed)
        self._history = history

    def known(self) -> Mapping[str, Callable[[], Any]]:
        history, chance, some = self._history, self.chance, self._history.chance
        return {
            **dict.fromkeys(("branch", "ref", "from", "to", "into"), lambda: chance.choice(BRANCHES)),
            **dict.fromkeys(("doc", "notes_doc"), lambda: chance.choice(DOCS)),
            "graph_doc": lambda: "graph",
            "trace_doc": lambda: "trace",
            **dict.fromkeys(("target", "task", "plan"), lambda: chance.choice(history.targets)),
            "id": lambda: chance.choice(
                [*CARDS, *history.targets, *history.jobs, "a:storage", "runner:r1", f"notes@{chance.randint(1, 40)}"]
            ),
            "ids": lambda: chance.sample(CARDS, 2),
            "types": lambda: chance.choice(TYPES),
            "type": lambda: chance.choice(TYPES),
            "status": lambda: chance.choice(STATUSES),
            **dict.fromkeys(("tags_any", "tags_all"), lambda: chance.sample(TAGS, 1)),
            **dict.fromkeys(("text", "query"), lambda: chance.choice(WORDS)),
            **dict.fromkeys(("max_chars", "context_budget"), lambda: chance.choice([700, 3_000])),
            "name": lambda: chance.choice(["debug", "strict", "unknown"]),
            "step": lambda: "focus",
            "path": lambda: "s:0",
            "step_id": lambda: "STEP-00000001",
            "anchor": lambda: chance.choice(["a:storage", "a:web", "a:none"]),
            "conflict_id": lambda: chance.choice(history.conflicts),
            "job": lambda: chance.choice(history.jobs),
            "runner_id": lambda: "r1",
            "kind": lambda: chance.choice(["plan", "task"]),
            "since": lambda: f"evt_{some.randint(1, 20):016d}",
            "agent_id": lambda: "agent-1",
        }
