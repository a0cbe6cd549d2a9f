"""What the document says in one sentence, proved as a whole where other tests prove its parts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.domains.thoughts.content.test_resources import texts
from tests.support.box import Box
from tests.support.pages import GATEWAY
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.files.manifest import partition_path
from thoughtbox.errors import InvalidPayload
from thoughtbox.operations.arguments import bind
from thoughtbox.operations.registry import TABLE


@pytest.mark.parametrize("granularity", ["monthly", "weekly", "daily", "none"])
def test_an_exported_session_says_in_which_partition_it_stands(granularity: Any):
    box = Box(THOUGHTBOX_PARTITION=granularity)
    tom = Client(box).ready()

    session = json.loads(tom.exported())["session"]

    assert session.get("partitionPath") == partition_path(session["createdAt"], granularity)
    assert ("partitionPath" in session) is (granularity != "none")
    box.close()


def test_the_session_that_changed_last_is_resumed_without_its_id_and_the_next_thought_lands_in_it(box: Box):
    older, newer = Client(box).ready(), Client(box).ready()
    newer.think("in the newer one")
    older.think("in the older one, later")

    late = Client(box)
    answer = late.call("session.resume_latest")
    late.cipher()
    recorded = late.think("going on")

    assert answer["sessionId"] == recorded["sessionId"] == older.session_id
    assert recorded["thoughtNumber"] == 2


def test_a_thought_may_bring_the_time_it_was_thought_at(mia: Client):
    mia.think("then", timestamp="2024-12-07T10:30:00.000Z")
    mia.think("now")

    then, now = mia.read_thoughts(last=2)["thoughts"]

    assert then["timestamp"] == "2024-12-07T10:30:00.000Z"
    assert now["timestamp"] > "2025", "without one, it is the time at which it is recorded"
    nodes = json.loads(mia.exported())["nodes"]
    assert [node["data"]["timestamp"] for node in nodes] == [then["timestamp"], now["timestamp"]]


@pytest.mark.parametrize("wrong", ["yesterday", "2025-12-07", "2025-13-07T10:30:00Z", "2025-12-07T10:30:00", 5])
def test_what_is_no_time_is_refused_by_its_name(tom: Client, wrong: Any):
    before = tom.records()

    with pytest.raises(InvalidPayload, match="timestamp"):
        tom.think("then", timestamp=wrong)

    assert tom.records() == before


def calls_in(text: str) -> Iterator[dict[str, Any]]:
    """The calls in a text, but for the one that only shows how a call looks."""
    decoder = json.JSONDecoder()
    for found in re.finditer(r'{\s*"operation"(?!:"NAME")', text):
        yield decoder.raw_decode(text, found.start())[0]


@pytest.mark.parametrize("name", sorted(name for name, text in texts().items() if '{"operation"' in text))
def test_every_call_that_agents_are_shown_takes_the_arguments_it_is_shown_with(name: str):
    for call in calls_in(texts()[name]):
        operation, arguments = TABLE.resolve(GATEWAY, call)
        bind(operation, arguments)
