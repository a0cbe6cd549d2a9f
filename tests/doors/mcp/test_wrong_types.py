"""Every argument of every tool, with every kind of value that it does not take."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.conftest import StartAgent
from tests.support.agent import ToolFailed
from thoughtbox import domains
from thoughtbox.operations.registry import ALL, TABLE

domains.load()

WRONG: dict[str, list[Any]] = {
    "string": [0, 1.5, True, [], ["x"], {}, {"a": "b"}, 10**15],
    "boolean": ["yes", "1", 0, 1, [], {}],
    "integer": ["one", "1.5", "1e3", 1.5, True, [], {}, -1],
    "array": ["x", "x, y", "{}", 0, True, {}, [None], [[]], [{}]],
}


def wrong(schema: dict[str, Any]) -> list[Any]:
    if "anyOf" in schema:
        first, *others = (wrong(each) for each in schema["anyOf"])
        return [value for value in first if all(repr(value) in map(repr, other) for other in others)]
    if "enum" in schema:
        return ["yes", 0, True, [], {}]
    return WRONG[schema["type"]] + ([schema["maximum"] + 1] if "maximum" in schema else [])


def right(schema: dict[str, Any]) -> Any:
    if "anyOf" in schema:
        return right(schema["anyOf"][0])
    if "enum" in schema:
        return schema["enum"][0]
    return {"string": "x", "boolean": True, "integer": 500, "array": []}[schema["type"]]


@pytest.mark.sampled(2)
@pytest.mark.doors(engine="sqlite")
def test_a_value_of_the_wrong_type_is_refused_by_name_and_nothing_is_written(start_agent: StartAgent):
    agent = start_agent(THOUGHTBOX_TOOLSET="all", THOUGHTBOX_STAGES="guide")  # what comes too early is told that first
    gateway, *others = agent.list_tools()
    # Arguments of these rooms may be of several kinds, and their refusals are provoked with the recoveries.
    elsewhere = {name for name, one in TABLE.shown_in(ALL).items() if one.room in ("mind", "memory", "code")}
    tools = [tool for tool in others if tool.name not in elsewhere]
    assert gateway.output_schema is None, "what it leads to is here by itself"
    tried = 0
    for tool in tools:
        fields: dict[str, Any] = tool.input_schema["properties"]
        arguments = {name: right(schema) for name, schema in fields.items()}
        for name, schema in fields.items():
            for value in wrong(schema):
                with pytest.raises(ToolFailed) as failure:
                    agent.call(tool.name, {**arguments, name: value})
                assert failure.value.code == "INVALID_PAYLOAD"
                assert re.search(rf"`{name}[`.]", failure.value.message), failure.value.message
                tried += 1
        for name in tool.input_schema.get("required", []):
            for missing in (None, ...):
                given = {**arguments, name: missing}
                if missing is ...:
                    del given[name]
                with pytest.raises(ToolFailed, match=f"`{name}` is missing"):
                    agent.call(tool.name, given)
                tried += 1

    assert tried > 1000
    assert agent.ledger_status()["records"] == 0
