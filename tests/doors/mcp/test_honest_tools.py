"""What `tools/list` says of every tool is so: the example of each is called through the door."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp_types import CallToolResult, RequestParamsMeta, Tool

from tests.support.agent import Agent, Door, Doors
from thoughtbox import domains
from thoughtbox.operations.registry import ALL, TABLE, Operation, tool_name

domains.load()
SHOWN = [operation for operation in TABLE if not operation.hidden]

MOST_TOOLS = 8
MOST_TOKENS = 3_000
CHARACTERS_PER_TOKEN = 4


@pytest.fixture(scope="module")
def everything(doors: Doors, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    """A client of whom nothing is remembered, so that each example stands for itself."""
    door = Door("http", "stateless", "sqlite")
    with doors.fresh_agent(door, tmp_path_factory.mktemp("tools"), settings={"THOUGHTBOX_TOOLSET": "all"}) as agent:
        yield agent


@pytest.fixture(scope="module")
def tools(everything: Agent) -> dict[str, Tool]:
    return {tool.name: tool for tool in everything.list_tools()}


WITHOUT_A_RECORD = {
    *("context_pack_export", "export_experiences", "import_experiences"),
    *("install_hooks", "uninstall_hooks", "authorize_operation", "notebook.interrupt"),
}
"""They write a file, or nothing as their example has it: on trial, with a token of nobody's, what is here already, or
where nothing runs."""


def tool_of(operation: Operation) -> str:
    """What a tool is called where all are shown."""
    return next(name for name, one in TABLE.shown_in(ALL).items() if one.name == operation.name)


class Workshop:
    """A workspace for one example."""

    def __init__(self, agent: Agent, operation: Operation, prefix: str = "") -> None:
        self._agent = agent
        self._meta: RequestParamsMeta = {"thoughtbox/workspace": f"{prefix}{tool_name(operation.name)}"}
        self._operation = operation

    def call(self, name: str, arguments: dict[str, Any]) -> CallToolResult:
        return self._agent.run(lambda: self._agent.client.call_tool(tool_name(name), arguments, meta=self._meta))

    def prepare(self) -> None:
        for name, arguments in self._operation.example.given:
            assert not self.call(name, dict(arguments)).is_error

    def run_example(self) -> CallToolResult:
        return self.call(self._operation.name, dict(self._operation.example.arguments))

    def head(self) -> Any:
        """All that a write would change: how many records there are, and the root over their hashes."""
        verified = self.call("ledger_verify", {}).structured_content
        assert verified is not None
        assert verified["valid"]
        return verified["records"], verified["root"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("operation", SHOWN, ids=lambda operation: operation.name)
def test_its_answer_fits_its_schema_and_it_writes_only_if_it_says_so(
    everything: Agent, tools: dict[str, Tool], operation: Operation
):
    tool = tools[tool_of(operation)]
    assert tool.annotations
    workshop = Workshop(everything, operation)
    workshop.prepare()
    before = workshop.head()

    result = workshop.run_example()

    assert bool(result.is_error) is (operation.example.fails_with is not None), result.structured_content
    is_left = tool.annotations.read_only_hint or result.is_error or operation.name in WITHOUT_A_RECORD
    assert (workshop.head() == before) is bool(is_left)
    text = getattr(result.content[0], "text", "")
    assert json.loads(text) == result.structured_content, "both forms of the answer say the same"
    if tool.output_schema is not None and not result.is_error:
        Draft202012Validator.check_schema(tool.output_schema)
        Draft202012Validator(tool.output_schema).validate(result.structured_content)


def test_a_write_that_says_it_is_idempotent_changes_nothing_the_second_time(everything: Agent, tools: dict[str, Tool]):
    for operation in SHOWN:
        hints = tools[tool_of(operation)].annotations
        assert hints
        assert hints.idempotent_hint or operation.writes, "a read is idempotent"
        if not (operation.writes and hints.idempotent_hint):
            continue
        workshop = Workshop(everything, operation, "twice-")
        workshop.prepare()
        workshop.run_example()
        before = workshop.head()

        workshop.run_example()

        assert workshop.head() == before, operation.name


def test_every_tool_is_an_operation_and_every_shown_operation_is_a_tool(tools: dict[str, Tool]):
    assert set(tools) == set(map(tool_of, SHOWN))


@pytest.mark.parametrize("era", ["handshake", "stateless"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_default_tools_are_few_short_and_the_same_for_every_caller(
    doors: Doors, tmp_path_factory: pytest.TempPathFactory, transport: Any, era: Any
):
    door = Door(transport, era, "sqlite")
    lists = []
    for name in ("first", "second"):
        with doors.fresh_agent(
            door, tmp_path_factory.mktemp("default"), settings={"THOUGHTBOX_PROJECT": name}
        ) as agent:
            lists += [[tool.model_dump_json(by_alias=True) for tool in agent.list_tools()] for _ in range(2)]

    assert all(found == lists[0] for found in lists)
    assert 0 < len(lists[0]) <= MOST_TOOLS
    assert sum(map(len, lists[0])) <= MOST_TOKENS * CHARACTERS_PER_TOKEN
