"""Calls that take their time report how far they are, and stop when nobody waits for them any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartAgent
from tests.support.agent import Agent
from tests.support.giving_up import give_up_after_the_first_report
from tests.support.preludes import slow_verify
from tests.support.servers import soon
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.dispatch import Call

everywhere = pytest.mark.doors(engine="sqlite", every=True)


@everywhere
def test_verifying_reports_its_progress_to_who_asks_for_it(fresh_agent: Agent):
    agent = fresh_agent
    arguments = {"sessionId": "s1", "thoughtType": "note", "content": "x"}
    with Thoughtbox(agent.settings) as box:
        for written in [
            box.dispatcher.submit(Call(operation="thought_record", workspace=agent.workspace, arguments=arguments))
            for _ in range(3000)
        ]:
            written.result()
    reports: list[tuple[float, float | None, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        reports.append((progress, total, message))

    result = agent.run(lambda: agent.client.call_tool("ledger_verify", {}, progress_callback=report, meta=agent.meta))

    assert result.structured_content
    assert (result.structured_content["valid"], result.structured_content["records"]) == (True, 3000)
    assert reports
    done = [progress for progress, _, _ in reports]
    assert done == sorted(done)
    assert {total for _, total, _ in reports} == {3000}
    assert reports[-1][2] == f"{done[-1]:.0f} of 3000 records"


@everywhere
def test_a_call_that_the_client_gives_up_is_stopped_and_the_server_goes_on(start_agent: StartAgent, tmp_path: Path):
    mark = tmp_path / "ended"
    agent = start_agent(prelude=slow_verify(mark))

    give_up_after_the_first_report(agent, "ledger_verify", {})

    soon(lambda: mark.exists() and mark.stat().st_size > 0)
    assert mark.read_text(encoding="utf-8") == "GivenUp"
    assert agent.ledger_status()["records"] == 0
