"""Somebody edits a view, so that it leads to another record: a read says so rather than show that one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.box import Box
from tests.support.boxes import box
from tests.support.boxes import open_box_on_both as open_box
from tests.support.thinker import Client
from thoughtbox.errors import LedgerBroken
from thoughtbox.ledger.replay import rebuild

__all__ = ["box", "open_box"]

Read = Callable[[Client], object]


@pytest.fixture
def mia(box: Box) -> Client:
    """Thoughts 1 to 3 are th:3 to th:5, alt:2 is th:6, and their critique th:7; two notes are th:8 and th:9."""
    mia = Client(box)
    mia.start_new(sessionTitle="Slow pages")
    mia.cipher()
    for text in ("S1|O|pages are slow", "S2|H|S1|a missing index", "S3|C|S2|add it"):
        mia.thought(thought=text)
    mia.thought(thought="another way", branchId="alt", branchFromThought=1)
    mia.critique(thoughtNumber=2, text="Is it?")
    mia.call("knowledge.write_note", title="Open ends", content="ask about the replica")
    mia.call("knowledge.write_note", title="Done", content="nothing")
    box.call("thought_plan", {"sessionId": "s", "planDescription": "p", "actionId": "deploy-1"}, key="k1")
    box.call("thought_plan", {"sessionId": "s", "planDescription": "q", "actionId": "deploy-2"}, key="k2")
    return mia


def edit(box: Box, statement: str) -> None:
    box.app.engine.write("", lambda sql: sql.run(statement)).result()


EDITS = {
    "another number": ("UPDATE thought_nodes SET number = 12 WHERE number = 1", {"thoughtNumber": 12}),
    "another line": ("UPDATE thought_nodes SET branch = 'alt' WHERE number = 3 AND branch = ''", {"branchId": "alt"}),
    "another kind": ("UPDATE thought_nodes SET kind = 'decision' WHERE number = 1", {"kind": "decision"}),
    "no thought": ("UPDATE thought_nodes SET seq = 1 WHERE number = 1 AND branch = ''", {"range": [1, 1]}),
    "another room": ("UPDATE thought_nodes SET seq = 11 WHERE number = 1 AND branch = ''", {"thoughtNumber": 1}),
}  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("what", EDITS)
def test_a_thought_that_is_not_the_one_asked_for_is_not_shown(mia: Client, box: Box, what: str):
    statement, asked = EDITS[what]
    edit(box, statement)

    with pytest.raises(LedgerBroken, match="the view `thoughts` names th:") as refusal:
        mia.read_thoughts(**asked)

    assert "thoughtbox rebuild thoughts" in (refusal.value.recovery or "")
    assert box.ledger_verify(deep=True)["problem"]["wrong"] == "view"
    [kind] = [kind for kind in box.app.views.kinds if kind.name == "thoughts"]
    rebuild(box.app.engine, kind)
    assert mia.read_thoughts(thoughtNumber=1)["thoughts"][0]["thought"] == "S1|O|pages are slow"


READS: dict[str, tuple[str, str, Read]] = {
    "a thought by its node": (
        "thoughts",
        "UPDATE thought_nodes SET number = 12 WHERE number = 2 AND branch = ''",
        lambda mia: mia.get_thought(id=f"{mia.session_id}:12"),
    ),
    "a critique of another thought": (
        "thoughts",
        "UPDATE thought_links SET target = 3 WHERE type = 'critique'",
        lambda mia: mia.read_thoughts(thoughtNumber=1),
    ),
    "a critique that is none": (
        "thoughts",
        "UPDATE thought_links SET source = 1 WHERE type = 'critique'",
        lambda mia: mia.read_thoughts(thoughtNumber=2),
    ),
    "another note": (
        "knowledge",
        "UPDATE knowledge_entries SET from_seq = 9 WHERE id = 'open-ends'",
        lambda mia: mia.call("knowledge.get_note", noteId="open-ends"),
    ),
    "a thought of another action": (
        "trail_actions",
        "UPDATE trail_actions SET action_id = 'deploy-3' WHERE action_id = 'deploy-2'",
        lambda mia: mia.call("thought_for_action", actionId="deploy-3"),
    ),
    "a trail from what is no thought of it": (
        "trail_actions",
        "UPDATE trail_actions SET seq = 1 WHERE action_id = 'deploy-2'",
        lambda mia: mia.call("thought_reasoning_trail", actionId="deploy-2"),
    ),
    "the answer to another key": (
        "answers",
        "UPDATE answers SET seq = 15 WHERE key = 'k1'",
        lambda mia: mia.box.call(
            "thought_plan", {"sessionId": "s", "planDescription": "p", "actionId": "deploy-1"}, key="k1"
        ),
    ),
    "an answer that is none": (
        "answers",
        "UPDATE answers SET seq = 1 WHERE key = 'k1'",
        lambda mia: mia.box.call(
            "thought_plan", {"sessionId": "s", "planDescription": "p", "actionId": "deploy-1"}, key="k1"
        ),
    ),
}


@pytest.mark.parametrize("what", READS)
def test_no_read_shows_another_record_than_was_asked_for(mia: Client, box: Box, what: str):
    view, statement, read = READS[what]
    edit(box, statement)

    with pytest.raises(LedgerBroken, match=f"the view `{view}` names th:") as refusal:
        read(mia)

    assert f"thoughtbox rebuild {view}" in (refusal.value.recovery or "")
