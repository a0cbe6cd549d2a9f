"""The ledger against a plain list: whatever is done to it, in whatever order, it holds what the list holds.

Hypothesis makes up the story: thoughts in several sessions, repeated and failing calls,
checkpoints, crashes, restarts, rebuilt views, exports taken in elsewhere. A failure is
shown as the shortest story that leads to it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.faults.store import Store
from tests.support.box import WORKSPACE
from tests.support.postgres import fresh_schema, server_url
from thoughtbox.errors import (
    CallError,
    IdempotencyConflict,
    Immutable,
    InvalidOperation,
    InvalidPayload,
    SessionNotFound,
)
from thoughtbox.ledger.importing import Imported, import_lines
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.replay import rebuild

SESSIONS = st.sampled_from(["s1", "s2", "früh/spät"])
ACTIONS = st.sampled_from([None, None, "deploy", "rollback"])
TYPES = st.sampled_from(["plan", "analysis", "decision", "hunch"])
CONTENTS = st.one_of(st.sampled_from(["yes", "no"]), st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
KEYS = st.sampled_from(["k1", "k2", "k3"])
NUMBERS = st.integers(0, 10**6)
"""Picks one of what there is at the time."""
Draft = tuple[str, str, str, str | None, int | None]
DRAFTS = st.tuples(SESSIONS, TYPES, CONTENTS, ACTIONS, st.none() | NUMBERS)


@dataclass
class Thought:
    """A thought as a plain list would hold it."""

    id: str
    session: str
    step: int
    type: str
    content: str
    parent: str | None
    action: str | None


@dataclass
class Model:
    """What the ledger should hold."""

    thoughts: list[Thought] = field(default_factory=list)
    records: int = 0
    signed_at: int = 0
    answers: dict[str, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)

    def of(self, session: str) -> list[Thought]:
        return [thought for thought in self.thoughts if thought.session == session]

    def forest(self, session: str) -> list[dict[str, Any]]:
        """Roots with their children below them."""
        nodes: dict[str, dict[str, Any]] = {}
        roots: list[dict[str, Any]] = []
        for thought in self.of(session):
            above = nodes.get(thought.parent or "")
            nodes[thought.id] = node = {"id": thought.id, "content": thought.content, "children": []}
            (roots if above is None else above["children"]).append(node)
        return roots


@dataclass(frozen=True)
class Seen:
    """What was read when the ledger had this many records."""

    records: int
    answers: list[Any]


def shape(tree: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": node["thoughtId"], "content": node["content"], "children": shape(node["children"])} for node in tree]


class LedgerMachine(RuleBasedStateMachine):
    """One store at a time, and what it should hold."""

    fresh_place: Callable[[], AbstractContextManager[str]] = staticmethod(lambda: nullcontext(""))
    """A database URL for a new store; empty for a file."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="thoughtbox-machine-"))
        self.model = Model()
        self.seen: list[Seen] = []
        self.exports: list[tuple[int, list[bytes]]] = []
        self._left_open: list[Store] = []
        self._lives = 0
        self._place = self.fresh_place()
        self.url = self._place.__enter__()
        self.directory = self.root / "store"
        self.store = self._opened()

    def teardown(self) -> None:
        try:
            self.store.assert_whole()
        finally:
            for store in [self.store, *self._left_open]:
                store.close()
            self._place.__exit__(None, None, None)
            shutil.rmtree(self.root)

    def _opened(self) -> Store:
        return Store(self.directory, database_url=self.url)

    @invariant()
    def the_ledger_is_as_long_as_the_model(self) -> None:
        assert self.store.call("ledger_status", {})["records"] == self.model.records

    # Writing.

    @initialize(drafts=st.lists(DRAFTS, min_size=4, max_size=12))
    def begin(self, drafts: list[Draft]) -> None:
        self.think(drafts)

    @rule(drafts=st.lists(DRAFTS, min_size=1, max_size=8))
    def think(self, drafts: list[Draft]) -> None:
        for session, type, content, action, parent in drafts:
            arguments = self._arguments(session, type, content, action, self._parent(parent))
            if self._is_refused(arguments):
                self._fails("thought_record", arguments, InvalidPayload)
            else:
                self.model.records += 1
                self._took_in(arguments, self.store.call("thought_record", arguments), self.model.records)

    @rule(key=KEYS, session=SESSIONS, content=st.sampled_from(["yes", "no"]))
    def think_once(self, key: str, session: str, content: str) -> None:
        arguments = self._arguments(session, "analysis", content, None, None)
        earlier = self.model.answers.get(key)
        if earlier is None:
            answer = self.store.call("thought_record", arguments, key=key)
            self._took_in(arguments, answer, self.model.records + 2)
            self.model.records += 3
            self.model.answers[key] = (arguments, answer)
        elif earlier[0] != arguments:
            self._fails("thought_record", arguments, IdempotencyConflict, key=key)

    @precondition(lambda self: self.model.answers)
    @rule()
    def think_the_same_once_more(self) -> None:
        for key, (arguments, answer) in self.model.answers.items():
            assert self.store.call("thought_record", arguments, key=key) == answer

    @rule(key=KEYS, session=SESSIONS)
    def a_failing_call_leaves_its_key_unused(self, key: str, session: str) -> None:
        expected = IdempotencyConflict if key in self.model.answers else SessionNotFound
        self._fails("thought", {"sessionId": session, "thought": "in a session that nobody began"}, expected, key=key)

    @rule(session=SESSIONS)
    def calls_that_make_no_sense_change_nothing(self, session: str) -> None:
        self._fails("thought_record", {"sessionId": session, "thoughtType": "plan", "content": ""}, InvalidPayload)
        self._fails("thought_record", {"sessionId": session, "content": "no type"}, InvalidPayload)
        self._fails("thought_plan", {"sessionId": session, "planDescription": "x", "plan": "y"}, InvalidPayload)
        self._fails("link_thought_to_action", {"thoughtId": "th:1", "actionId": "deploy"}, Immutable)
        self._fails("thought_forget", {"thoughtId": "th:1"}, InvalidOperation)
        self._fails("thought_tree", {"sessionId": "nobody"}, SessionNotFound)

    @rule()
    def sign(self) -> None:
        app = self.store.app
        taken = checkpoint(app.engine, app.views, app.keyring, app.world, WORKSPACE)
        if self.model.records == self.model.signed_at:
            assert taken is None
            return
        assert taken
        assert taken.size == self.model.records
        self.model.records += 1
        self.model.signed_at = self.model.records
        assert taken.seq == self.model.records

    # Reading.

    @rule(session=SESSIONS)
    def a_session_reads_as_the_model_says(self, session: str) -> None:
        if not self.model.of(session):
            self._fails("thought_tree", {"sessionId": session}, SessionNotFound)
            return
        answer = self._tree(session)
        assert answer["count"] == len(self.model.of(session))
        assert shape(answer["tree"]) == self.model.forest(session)
        assert self.store.call("thought_verify_chain", {"sessionId": session})["valid"]

    @rule(action=st.sampled_from(["deploy", "rollback"]))
    def an_action_has_the_thoughts_that_name_it(self, action: str) -> None:
        answer = self.store.call("thought_for_action", {"actionId": action})
        expected = [thought.id for thought in self.model.thoughts if thought.action == action]
        assert [thought["thoughtId"] for thought in answer["thoughts"]] == expected

    @rule()
    def look_around(self) -> None:
        self.seen.append(Seen(self.model.records, self._all_answers(None)))

    @precondition(lambda self: self.seen)
    @rule(which=NUMBERS)
    def look_back(self, which: int) -> None:
        """A read as of an earlier record answers what it answered then."""
        seen = self.seen[which % len(self.seen)]
        assert self._all_answers(seen.records) == seen.answers

    @rule()
    def verify(self) -> None:
        self.store.assert_whole()

    # What happens to stores.

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = self._opened()

    @rule()
    def crash(self) -> None:
        """The files as they are at this moment are all that is left. A server of PostgreSQL just goes away."""
        self._lives += 1
        if self.url:
            self._left_open.append(self.store)
        else:
            elsewhere = self.root / f"life-{self._lives}"
            shutil.copytree(self.directory, elsewhere, ignore=shutil.ignore_patterns("*-shm"))
            self.store.close()
            self.directory = elsewhere
        self.store = self._opened()

    @rule()
    def rebuild(self) -> None:
        assert all(rebuild(self.store.engine, kind) for kind in self.store.app.views.kinds)

    @rule()
    def export(self) -> None:
        lines = self.store.export()
        assert len(lines) == self.model.records + len(self._streams()) + 2
        self.exports.append((self.model.records, lines))

    @precondition(lambda self: self.exports)
    @rule(which=NUMBERS)
    def an_older_export_is_already_here(self, which: int) -> None:
        records, lines = self.exports[which % len(self.exports)]
        assert self._taken_in(self.store, lines) == Imported(WORKSPACE, records, 0)

    @precondition(lambda self: self.exports)
    @rule(which=NUMBERS)
    def an_older_export_and_then_the_newest_make_the_same_store(self, which: int) -> None:
        records, older = self.exports[which % len(self.exports)]
        newest = self.store.export()
        with Store(None) as other:
            assert self._taken_in(other, older) == Imported(WORKSPACE, records, records)
            assert other.export() == older
            assert self._taken_in(other, newest) == Imported(
                WORKSPACE, self.model.records, self.model.records - records
            )
            assert other.export() == newest
            assert other.views_that_differ() == []

    @rule()
    def move(self) -> None:
        """Life goes on in a store that was made from an export."""
        if self.url:
            return
        self._lives += 1
        lines = self.store.export()
        elsewhere = self.root / f"life-{self._lives}"
        elsewhere.mkdir()
        if self.model.signed_at:
            shutil.copytree(self.directory / "checkpoints", elsewhere / "checkpoints")
            shutil.copy(self.directory / "signing.key", elsewhere)
        self.store.close()
        self.directory = elsewhere
        self.store = self._opened()
        self._taken_in(self.store, lines)
        assert self.store.export() == lines

    # The machine's own.

    def _arguments(
        self, session: str, type: str, content: str, action: str | None, parent: str | None
    ) -> dict[str, Any]:
        given = {"sessionId": session, "thoughtType": type, "content": content}
        linked = {"actionId": action, "parentId": parent}
        return {**given, **{name: value for name, value in linked.items() if value is not None}}

    def _parent(self, number: int | None) -> str | None:
        """Any record there is, a thought or not, of this session or another; and some that are not there."""
        return None if number is None else f"th:{number % (self.model.records + 3) + 1}"

    def _is_refused(self, arguments: dict[str, Any]) -> bool:
        content = arguments["content"]
        return not content.strip() or "\0" in content

    def _took_in(self, arguments: dict[str, Any], answer: dict[str, Any], seq: int) -> None:
        session = arguments["sessionId"]
        step = len(self.model.of(session))
        receipt = answer["thought"]
        assert (receipt["thoughtId"], receipt["stepIndex"]) == (f"th:{seq}", step)
        self.model.thoughts.append(
            Thought(
                f"th:{seq}",
                session,
                step,
                arguments["thoughtType"],
                arguments["content"],
                arguments.get("parentId"),
                arguments.get("actionId"),
            )
        )

    def _fails(self, operation: str, arguments: dict[str, Any], error: type[CallError], **options: Any) -> None:
        with pytest.raises(error):
            self.store.call(operation, arguments, **options)

    def _tree(self, session: str, **options: Any) -> dict[str, Any]:
        asked = {"sessionId": session, "includeContent": True, "includeChildren": True}
        return self.store.call("thought_tree", asked, **options)

    def _all_answers(self, as_of: int | None) -> list[Any]:
        """Everything that can be asked about; a session that was not there yet has no answer."""
        answers: list[Any] = []
        for session in sorted({thought.session for thought in self.model.thoughts} | {"s1"}):
            with suppress(SessionNotFound):
                answers.append(self._tree(session, as_of=as_of))
        for action in ("deploy", "rollback"):
            for operation in ("thought_for_action", "thought_reasoning_trail"):
                answers.append(self.store.call(operation, {"actionId": action}, as_of=as_of))
        answers.append(self.store.call("ledger_tail", {"limit": 500}, as_of=as_of))
        return answers

    def _streams(self) -> set[str]:
        streams = {thought.session for thought in self.model.thoughts}
        return streams | ({"calls"} if self.model.answers else set()) | ({"signed"} if self.model.signed_at else set())

    def _taken_in(self, store: Store, lines: list[bytes]) -> Imported:
        """Who signed it is another matter."""
        return replace(import_lines(store.engine, store.app.views, lines), signers=())


def run(machine: type[LedgerMachine], *, stories: int, steps: int, derandomize: bool) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=stories,
            stateful_step_count=steps,
            derandomize=derandomize,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_the_ledger_holds_what_a_plain_list_would_hold():
    run(LedgerMachine, stories=5, steps=30, derandomize=True)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(4))
def test_the_ledger_holds_what_a_plain_list_would_hold_in_many_stories(part: int):
    run(LedgerMachine, stories=150, steps=80, derandomize=False)


@pytest.mark.torture
def test_the_ledger_on_postgres_holds_what_a_plain_list_would_hold(request: pytest.FixtureRequest):
    server = server_url(request.config)

    class OnPostgres(LedgerMachine):
        fresh_place = staticmethod(lambda: fresh_schema(server))

    run(OnPostgres, stories=50, steps=50, derandomize=False)
