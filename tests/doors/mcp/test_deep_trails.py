"""A chain of thought as long as they get, through clients whose JSON readers have their limits."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agent import Agent
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.dispatch import Call

THOUGHTS = 10_000


@pytest.mark.sampled(2)
@pytest.mark.doors(engine="sqlite", every=True)
def test_a_chain_of_10000_thoughts_comes_through_whole(fresh_agent: Agent):
    agent = fresh_agent
    last = record_chain(agent, THOUGHTS)

    answer = agent.thought_tree(sessionId="deep", includeChildren=True, includeContent=True)

    assert answer["count"] == THOUGHTS
    assert "budget" not in answer
    steps, links = walked(answer["tree"])
    assert steps == list(range(THOUGHTS))
    assert links == [None, *(f"th:{number}" for number in range(1, THOUGHTS))]

    trail = agent.thought_reasoning_trail(actionId="deploy-7")["trails"][0]
    assert [step["stepIndex"] for step in trail] == list(range(THOUGHTS))
    assert trail[-1]["thoughtId"] == last


def record_chain(agent: Agent, length: int) -> str:
    """Every thought follows from the one before; the last one leads to an action. Written next door: it is quicker."""
    calls = [
        Call(
            operation="thought_record",
            workspace=agent.workspace,
            arguments={
                "sessionId": "deep",
                "thoughtType": "note",
                "content": f"thought {number}",
                **({"parentId": f"th:{number - 1}"} if number > 1 else {}),
                **({"actionId": "deploy-7"} if number == length else {}),
            },
        )
        for number in range(1, length + 1)
    ]
    with Thoughtbox(agent.settings) as box:
        writing = [box.dispatcher.submit(call) for call in calls]
        return [written.result() for written in writing][-1]["thought"]["thoughtId"]


def walked(forest: list[dict[str, Any]]) -> tuple[list[int], list[str | None]]:
    """Step and parent of every thought, down each branch and on where it continues."""
    steps: list[int] = []
    links: list[str | None] = []
    for entry in forest:
        assert entry.get("continues") == (entry["parentId"] if steps else None)
        below = [entry]
        while below:
            (node,) = below
            steps.append(node["stepIndex"])
            links.append(node["parentId"])
            below = node["children"]
    return steps, links
