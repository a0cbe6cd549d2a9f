"""Two processes on branches of one session, at once: what came of it is what one of them alone could have done."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.faults.store import Store
from tests.faults.test_many_thinkers import Thinker
from thoughtbox.ledger.record import Record

SEED = 5
TOLD_ANEW = {"sessionId", "thoughtId", "timestamp", "record", "id"}
"""Parts of an answer that are another one in every store."""


def a_plan(client: int, length: int, chance: Random) -> Iterator[dict[str, Any]]:
    """Thoughts on the main line, on a branch of one's own, and on one that both grow."""
    own = 0
    for number in range(length):
        text = f"client {client} thought {number}"
        match chance.randrange(4):
            case 0 | 1:
                yield {"thought": text}
            case 2:
                own += 1
                yield {"thought": text, "branchId": f"own-{client}", **({"branchFromThought": 1} if own == 1 else {})}
            case _:
                yield {"thought": text, "branchId": "shared"}


def shown(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in TOLD_ANEW}


def told(record: Record) -> dict[str, Any]:
    return {name: record.data.get(name) for name in ("thought", "thoughtNumber", "branchId", "totalThoughts")}


def think_at_once(settings: dict[str, str], plans: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    with ThreadPoolExecutor(len(plans)) as pool:
        thinkers = list(pool.map(lambda _: Thinker(settings), plans))
        try:
            session = begin(thinkers[0])
            for thinker in thinkers[1:]:
                thinker.ask(operation="load_context", sessionId=session)
                thinker.ask(operation="cipher")
            return list(
                pool.map(
                    lambda thinker, plan: [thinker.ask(operation="thought", **call) for call in plan], thinkers, plans
                )
            )
        finally:
            for thinker in thinkers:
                thinker.end()


def begin(thinker: Thinker) -> str:
    session: str = thinker.ask(operation="start_new", sessionTitle="Both of us")["sessionId"]
    thinker.ask(operation="cipher")
    thinker.ask(operation="thought", thought="the beginning")
    thinker.ask(operation="thought", thought="a fork", branchId="shared", branchFromThought=1)
    return session


@pytest.mark.parametrize("length", [25, pytest.param(250, marks=pytest.mark.torture)])
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_two_processes_on_branches_do_what_one_could_have_done(
    engine: str, length: int, tmp_path: Path, request: pytest.FixtureRequest
):
    url = request.getfixturevalue("postgres_url") if engine == "postgres" else ""
    chance = Random(SEED)
    plans = [list(a_plan(client, length, chance)) for client in range(2)]
    settings = {"THOUGHTBOX_DATA_DIR": str(tmp_path / "both"), "THOUGHTBOX_PROJECT": "tests"}
    answers = think_at_once({**settings, **({"THOUGHTBOX_DATABASE_URL": url} if url else {})}, plans)

    with Store(tmp_path / "both", workspace="tests", database_url=url) as store:
        store.assert_whole()
        together = [record for record in store.by_number() if record.topic == "thoughts.thought"]
    answered = {
        call["thought"]: answer
        for plan, own in zip(plans, answers, strict=True)
        for call, answer in zip(plan, own, strict=True)
    }
    calls = {call["thought"]: call for plan in plans for call in plan}
    order = [record.text for record in together if record.text in calls]
    for plan in plans:
        own = [call["thought"] for call in plan]
        assert [text for text in order if text in own] == own, "each client's thoughts are in the order sent"

    alone = Thinker({"THOUGHTBOX_DATA_DIR": str(tmp_path / "alone"), "THOUGHTBOX_PROJECT": "tests"})
    try:
        begin(alone)
        for text in order:
            assert shown(alone.ask(operation="thought", **calls[text])) == shown(answered[text])
    finally:
        alone.end()
    with Store(tmp_path / "alone", workspace="tests") as store:
        serial = [record for record in store.by_number() if record.topic == "thoughts.thought"]
    assert list(map(told, serial)) == list(map(told, together))
