"""Every argument of every tool, with every kind of value that it does not take."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agent import Agent, ToolFailed

WRONG: dict[str, list[Any]] = {
    "string": [0, 1.5, True, [], ["x"], {}, {"a": "b"}, 10**15],
    "boolean": ["true", 0, 1, [], {}],
    "integer": ["1", 1.5, True, [], {}, -1, 10**18],
}


def right(schema: dict[str, Any]) -> Any:
    return {"string": "x", "boolean": True, "integer": 500}[schema["type"]]


@pytest.mark.doors(engine="sqlite", every=True)
def test_a_value_of_the_wrong_type_is_refused_by_name_and_nothing_is_written(agent: Agent):
    tried = 0
    for tool in agent.list_tools():
        fields: dict[str, Any] = tool.input_schema["properties"]
        arguments = {name: right(schema) for name, schema in fields.items()}
        for name, schema in fields.items():
            for value in WRONG[schema["type"]]:
                with pytest.raises(ToolFailed) as failure:
                    agent.call(tool.name, {**arguments, name: value})
                assert failure.value.code == "INVALID_PAYLOAD"
                assert f"`{name}`" in failure.value.message
                tried += 1
        for name in tool.input_schema["required"]:
            for missing in (None, ...):
                given = {**arguments, name: missing}
                if missing is ...:
                    del given[name]
                with pytest.raises(ToolFailed, match=f"`{name}` is missing"):
                    agent.call(tool.name, given)
                tried += 1

    assert tried > 200
    assert agent.ledger_status()["records"] == 0
