"""Every operation there is, through the gateway and through a snippet: the same answer, the same records, or a refusal
that says what to do.
"""

from __future__ import annotations

import json
import keyword
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.agent import Agent, Door, Doors
from tests.support.alike import alike
from tests.support.snippets import Envelope, one_by_one, records_of
from thoughtbox import domains
from thoughtbox.domains.code.reachable import RUN_SNIPPETS, name_of
from thoughtbox.operations.registry import TABLE, Operation

domains.load()
GATEWAY = "thoughtbox_gateway"
OPERATIONS = [TABLE.operations[name] for name, known in TABLE.known.items() if known.gateway is None]

Answer = tuple[bool, dict[str, Any]]
"""Whether it is a refusal, and what was said."""


@pytest.fixture(scope="module")
def stranger(doors: Doors, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """A client of whom nothing is remembered, so that each example stands for itself."""
    with doors.fresh_agent(Door("http", "stateless", "sqlite"), tmp_path_factory.mktemp("walk")) as agent:
        yield agent


class Bench:
    """A workspace in which the calls before an example were made."""

    def __init__(self, agent: Agent, name: str, operation: Operation) -> None:
        self._agent = agent
        self.workspace = name
        for before, arguments in operation.example.given:
            refused, said = self.through_gateway(before, arguments)
            assert not refused, said

    def ask(self, tool: str, arguments: Any) -> Answer:
        meta = {"thoughtbox/workspace": self.workspace}
        result = self._agent.raw_call(tool, dict(arguments), **meta)
        assert result.structured_content is not None
        return bool(result.is_error), result.structured_content

    def through_gateway(self, name: str, arguments: Any) -> Answer:
        return self.ask(GATEWAY, {"operation": name, "args": dict(arguments)})

    def in_snippet(self, operation: Operation, arguments: Any, language: str) -> Answer:
        return self.ask("execute", {"code": call_in(language, operation, dict(arguments)), "language": language})

    def records(self) -> list[Envelope]:
        return records_of(lambda tool, arguments: self.ask(tool, arguments)[1])


def call_in(language: str, operation: Operation, arguments: dict[str, Any]) -> str:
    name = name_of(TABLE.known[operation.name])
    if language == "javascript":
        return f"tb.{name}({json.dumps(arguments)})"
    return (
        f"tb.{'.'.join(f'{word}_' if keyword.iskeyword(word) else word for word in name.split('.'))}(**{arguments!r})"
    )


def code_of(refusal: dict[str, Any]) -> str:
    return refusal["code"] if "code" in refusal else refusal["error"]["code"]


def is_refused_in_snippets(operation: Operation) -> bool:
    return operation.name in RUN_SNIPPETS or (operation.works_in_steps and operation.writes)


def shown(record: Envelope, workspace: str) -> dict[str, Any]:
    """A record without its id and time, and without who called whom."""
    return alike({part: value for part, value in record.items() if part not in ("id", "ts", "source")}, workspace)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("language", ["javascript", "python"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_its_example_comes_to_the_same_through_the_gateway_and_in_a_snippet(
    stranger: Agent, operation: Operation, language: str
):
    example = operation.example
    place = f"{operation.name.replace('.', '-')}-{language}"
    direct, within = (Bench(stranger, f"{place}-{how}", operation) for how in ("direct", "within"))
    if operation.writes:
        direct.through_gateway("claim", {"text": "in the place of the snippet's own call"})  # so that numbers agree
    before = len(within.records())

    refused, said = direct.through_gateway(operation.name, example.arguments)
    failed, answer = within.in_snippet(operation, example.arguments, language)

    if is_refused_in_snippets(operation):
        assert (failed, answer["code"]) == (True, "INVALID_OPERATION")
        assert f'by itself: {{"operation": "{operation.name}"}}' in answer["recovery"]
        return
    assert failed == refused, answer
    if refused:
        assert answer["code"] == code_of(said)
        return
    assert alike(answer["result"], within.workspace) == alike(said, direct.workspace)
    call, *own, end = within.records()[before:]
    assert (call["kind"], end["kind"]) == ("tool_call", "tool_result")
    assert one_by_one(answer["records"]) == [{"id": record["id"], "kind": record["kind"]} for record in own]
    wanted = direct.records()[before + operation.writes :]
    assert [shown(each, within.workspace) for each in own] == [shown(each, direct.workspace) for each in wanted]


def test_most_operations_can_be_part_of_a_snippet():
    refused = [operation.name for operation in OPERATIONS if is_refused_in_snippets(operation)]

    assert len(refused) < 20 < 200 < len(OPERATIONS)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("thought_plan", {"sessionId": "s"}),
        ("thought_plan", {"sessionId": "s", "planDescription": "p", "nonsense": 1}),
        ("thought_plan", {"sessionId": 7, "planDescription": "p"}),
        ("ledger_tail", {"limit": 0}),
        ("ledger_tail", {"max_chars": "many"}),
        ("notes_commit", {}),
        ("record_experience", {"type": "effective"}),
        ("start_new", {"sessionTitle": ""}),
        ("claim", {"text": "x", "supports": ["77"]}),
        ("claim", {"text": "x", "confidence": 2}),
        ("ledger_record", {"id": "th:99"}),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_is_wrong_is_refused_in_a_snippet_as_it_is_by_the_gateway(
    stranger: Agent, name: str, arguments: dict[str, Any]
):
    operation = TABLE.operations[name]
    bench = Bench(stranger, "wrong", TABLE.operations["ledger_status"])

    refused, said = bench.through_gateway(name, arguments)
    failed, answer = bench.in_snippet(operation, arguments, "javascript")

    assert refused
    assert failed
    error = said.get("error", said)
    assert answer["code"] == error["code"]
    assert answer["message"].startswith(error["message"].rstrip("."))
    assert answer["recovery"] == error["recovery"]


@pytest.mark.parametrize("max_chars", [600, 2_000])
def test_budgets_are_kept_in_a_snippet_as_they_are_by_the_gateway(stranger: Agent, max_chars: int):
    tail = TABLE.operations["ledger_tail"]
    bench = Bench(stranger, f"budget-{max_chars}", TABLE.operations["ledger_status"])
    for number in range(20):
        bench.through_gateway("thought_plan", {"sessionId": "s", "planDescription": f"Step {number}"})

    _, said = bench.through_gateway("ledger_tail", {"max_chars": max_chars})
    _, answer = bench.in_snippet(tail, {"max_chars": max_chars}, "javascript")

    assert answer["result"] == said
    assert 0 < len(said["records"]) < 20
    assert said["budget"]["max_chars"] == max_chars
