"""A random history of the memory room, and what may be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.box import Box
from tests.support.chance import Arguments, ByChance, Drawn

WORDS = ("cache", "index", "replica", "slow", "page", "query")
KEYS = ("cache", "deploy", "mail")
DOMAINS = ("Tools", "Process", "Debugging")
HOST = {"client": "claude-code", "host_session": "host-1"}
PHASES = (
    "SNAPSHOT",
    "ROUTER",
    "CONTEXT_PACK",
    "DRAFT",
    "FINALIZE_RESPONSE",
    "GOVERNANCE_VALIDATE",
    "MEMORY_UPDATE",
)
RULES = (
    "Always warm the cache before a release.",
    "Never warm the cache before a release.",
    "The index is stale. I prefer short pages.",
    "You must not deploy on a Friday.",
    "You must deploy on a Friday.",
)


class MemoryHistory(ByChance):
    def __init__(self, box: Box, seed: object) -> None:
        super().__init__(box, seed)
        self.ids = [404]
        self.sessions = [404]
        self.receipts = [404]
        self.reasoning = ["reasoning-1750000000000-000000000"]
        self.workflows = ["w1", "w2"]
        self._record()

    def deeds(self) -> dict[Callable[[], object], int]:
        return {
            self._record: 6,
            self._update: 2,
            self._tag: 2,
            self._episode: 8,
            self._consolidate: 3,
            self._begin: 3,
            self._advance: 12,
            self._invoke: 3,
            self._comply: 3,
            self._reset: 1,
            self._preset: 1,
            self._reason: 3,
            self._host: 3,
        }

    def text(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 6)))

    def keys(self) -> list[str]:
        return self.chance.sample(KEYS, self.chance.randint(1, 2))

    def _call(self, operation: str, /, **arguments: Any) -> Arguments:
        return self.client.call(operation, **arguments)

    def _record(self) -> None:
        recorded = self._call(
            "record_experience",
            type=self.chance.choice(["effective", "ineffective"]),
            domain=self.chance.choice(DOMAINS),
            **{part: self.text() for part in ("situation", "approach", "outcome", "reasoning")},
            confidence=self.chance.choice([0.1, 0.6, 0.9]),
            tags=self.keys(),
            scope=self.chance.choice(["project", "global"]),
            source=self.chance.choice(["agent", "user"]),
        )
        self.ids += [recorded["experience_id"]] if recorded["recorded"] else []

    def _update(self) -> None:
        changes = {"outcome": self.text()}
        updated = self._call("update_experience", id=self.chance.choice(self.ids), changes=changes, reason=self.text())
        self.ids.append(updated["new_id"])

    def _tag(self) -> None:
        self._call("tag_experience", id=self.chance.choice(self.ids), tags=self.keys())

    def _episode(self) -> None:
        self._call(
            "record_episode",
            summary=self.chance.choice(RULES),
            outcome=self.chance.choice(["success", "fail"]),
            source=self.chance.choice(["agent", "user"]),
            context_keys=self.keys(),
            scope=self.chance.choice(["project", "global"]),
        )

    def _consolidate(self) -> None:
        self._call("run_consolidation", scope=self.chance.choice(["project", "global"]), threshold=1)

    def _begin(self) -> None:
        begun = self._call("compliance_snapshot", context=self.text(), context_keys=self.keys())
        self.sessions.append(begun["session_id"])

    def _advance(self) -> None:
        """Mostly the phase that is next, and sometimes any."""
        session = self.chance.choice(self.sessions[-3:])
        status = self._call("memory_session_status", session_id=session)
        phase = status["next_phase"] if self.chance.random() < 0.8 else self.chance.choice(PHASES)
        given = {"user_input": self.text(), "draft": self.chance.choice(RULES), "context_keys": self.keys()}
        if phase == "ROUTER":
            given.pop("draft")
        done = self._call("guarded_cycle", session_id=session, phase=phase, input=given)
        receipt = done["output"].get("receipt") if isinstance(done["output"], dict) else None
        self.receipts += [receipt["id"]] if receipt else []

    def _invoke(self) -> None:
        self._call(
            "record_invocation",
            session_id=self.chance.choice(self.sessions),
            tool_name=self.chance.choice(["Bash", "Edit"]),
            input={"command": self.text()},
            output=self.text(),
        )

    def _comply(self) -> None:
        verified = self._call(
            "verify_compliance",
            current_phase=self.chance.choice(["teach", "learn", "reason"]),
            action="Write",
            session_id=self.chance.choice(self.workflows),
        )
        if verified.get("operation_token") and self.chance.random() < 0.7:
            token = verified["operation_token"]
            self._call("authorize_operation", operation_token=token, create_session_token=True)

    def _reset(self) -> None:
        self._call("reset_workflow", session_id=self.chance.choice(self.workflows))

    def _preset(self) -> None:
        name = self.chance.choice(["minimal", "three-gate"])
        self._call("apply_preset", preset_name=name, session_id=self.chance.choice(self.workflows))

    def _reason(self) -> None:
        begun = self._call("analyze_problem", problem=f"How to fix the {self.text()}")["session_id"]
        self.reasoning.append(begun)
        session = self.chance.choice(self.reasoning)
        self._call("reason_through", session_id=session, thought=self.text(), thought_number=1)
        if self.chance.random() < 0.4:
            self._call("finalize_decision", session_id=session, conclusion=self.text())

    def _host(self) -> None:
        begun = self._call("memory_host_session", **HOST)["session_id"]
        self.sessions.append(begun)
        self._call("memory_host_note", **HOST, kind="prompt", text=self.text())
        if self.chance.random() < 0.5:
            self._call("save_before_compaction", **HOST, said=self.text())
        else:
            self._call("memory_host_close", session_id=begun)


class MemoryQuestions(Drawn):
    """What may be asked of a history."""

    always = ("session_id", "receipt_id")
    left_out = ("cursor", "offset", "limit", "max_chars", "receipt", "pack_chars")

    def __init__(self, history: MemoryHistory, seed: object, operation: str) -> None:
        super().__init__(seed)
        self._history = history
        self._operation = operation

    def known(self) -> Mapping[str, Callable[[], Any]]:
        history, chance = self._history, self.chance
        return {
            "id": lambda: chance.choice(history.ids),
            "cell_id": lambda: chance.randint(1, history.records() + 1),
            "session_id": self._session,
            "receipt_id": lambda: chance.choice(history.receipts),
            "query": lambda: chance.choice(WORDS),
            "text": lambda: " ".join(chance.sample(WORDS, 3)),
            "domain": lambda: chance.choice(DOMAINS),
            "min_confidence": lambda: 0.5,
            "state": lambda: chance.choice(["observed", "stable"]),
            "cell_type": lambda: chance.choice(["rule", "policy"]),
            "action": lambda: "Write",
            "client": lambda: HOST["client"],
            "host_session": lambda: HOST["host_session"],
        }

    def _session(self) -> Any:
        """Sessions of the cycle are numbers, those of the workflow and of the old tools have names."""
        history = self._history
        if self._operation in ("check_compliance", "get_workflow_status", "get_session_state"):
            return self.chance.choice([*history.workflows, *history.reasoning])
        return self.chance.choice(history.sessions)
