"""How thoughts stand is kept as they come in, and is what the rules make of the whole session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.box import WORKSPACE, Box
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.model.reasoning import Reasoning, State
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought, stream_of
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import ThoughtboxError
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.view import Views

MOVES = st.lists(
    st.tuples(
        st.sampled_from("HECQRPOAX"),
        st.lists(st.tuples(st.sampled_from(["", "^", "×", "⊕", "⊖", "∵", "+"]), st.integers(1, 14)), max_size=3),
        st.booleans(),
        st.sampled_from(["", "", "", "alt", "deep"]),
        st.sampled_from(["", "", "main:", "alt:"]),
    ),
    min_size=2,
    max_size=14,
)


def ask(box: Box, question: Callable[[Thoughts], Any]) -> Any:
    return box.app.engine.read(lambda sql: question(Thoughts(sql, WORKSPACE))).result()


def thoughts_of(box: Box, session_id: str) -> list[Thought]:
    def read(view: Thoughts) -> list[Thought]:
        records = Ledger(view.sql, WORKSPACE, Views((Thoughts,))).stream(stream_of(session_id))
        return [Thought.of(record) for record in records if record.topic == TOPIC]

    return ask(box, read)


def kept(box: Box, thoughts: list[Thought]) -> dict[int, State]:
    return ask(box, lambda view: view.states(thought.seq for thought in thoughts))


def record(client: Client, moves: list[tuple[str, list[tuple[str, int]], bool, str, str]]) -> None:
    """A session of any shape: what cannot be placed is left out."""
    client.think("S1|O|It is slow")
    for marker, references, decides, branch, line in moves:
        cited = ",".join(f"{sign}{line}S{number}" for sign, number in references)
        where = {"branchId": branch, "branchFromThought": 1} if branch else {}
        try:
            client.think(f"S99|{marker}|{cited}|{'∴ ' if decides else ''}so", **where)
        except ThoughtboxError:
            client.think("so", **{name: value for name, value in where.items() if name == "branchId"})


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(MOVES)
def test_what_is_kept_is_what_the_rules_make_of_the_whole_session(
    quick_box: Box, moves: list[tuple[str, list[tuple[str, int]], bool, str, str]]
):
    mia = Client(quick_box).ready()
    record(mia, moves)
    thoughts = thoughts_of(quick_box, mia.session_id)

    reasoning = Reasoning(thoughts)

    assert kept(quick_box, thoughts) == reasoning.states(thought.seq for thought in thoughts)
    for role, status, expected in (
        ("decision", "stands", reasoning.decisions),
        ("question", "open", reasoning.open_questions),
        ("assumption", "open", reasoning.untested),
    ):
        found = ask(quick_box, lambda view, role=role, status=status: view.points(mia.session_id, role, status, 100))
        assert [state.seq for state in found] == [thought.seq for thought in reversed(expected)]


def told(client: Client) -> dict[str, list[str]]:
    """What is said of a session: places of what stands, fell, is open and is stale."""
    reasoning = Reasoning(thoughts_of(client.box, client.session_id))

    def places(thoughts: list[Thought]) -> list[str]:
        return [
            f"{thought.branch_id}:{thought.number}" if thought.branch_id else f"{thought.number}"
            for thought in thoughts
        ]

    found = {
        "decisions": places(reasoning.decisions),
        "overturned": places(reasoning.overturned),
        "rejected": places(reasoning.rejected),
        "open": places(reasoning.open_questions),
        "untested": places(reasoning.untested),
        "stale": places(reasoning.stale),
    }
    return {name: found[name] for name in found if found[name]}


def test_a_revision_makes_stale_what_rests_on_what_it_revises_through_others_too(mia: Client):
    for line in (
        "S1|O|Pages are slow",
        "S2|H|S1|The cache is cold",
        "S3|E|S2|Hits are at 3 %",
        "S4|C|S2|∴ Warm the cache",
        "S5|P|S4|Do it on Monday",
        "S6|O|The sky is blue",
    ):
        mia.think(line)
    assert told(mia) == {"decisions": ["4"]}

    mia.think("S7|R|^S3|Hits are at 93 %")

    assert told(mia) == {"decisions": ["4"], "stale": ["2", "4", "5"]}


def test_what_falls_itself_is_not_called_stale_and_what_came_later_does_not_rest_on_the_old(mia: Client):
    for line in (
        "S1|E|It takes 4 s",
        "S2|C|S1|∴ Add an index",
        "S3|R|^S1|It takes 0.4 s",
        "S4|C|^S2,S3|∴ Add none",
    ):
        mia.think(line)

    assert told(mia) == {"decisions": ["4"], "overturned": ["2"]}


def test_a_revision_of_a_decision_is_the_decision_from_then_on(mia: Client):
    mia.think("S1|C|∴ Use a queue")
    mia.think("S2|R|^S1|Use two queues")

    assert told(mia) == {"decisions": ["2"], "overturned": ["1"]}


def test_a_question_is_open_until_an_answer_is_reached_from_it_through_relations(mia: Client):
    mia.think("S1|Q|What grew?")
    mia.think("S2|Q|Who is hit?")
    mia.think("S3|H|S1|The log")
    mia.think("S4|E|S3|It is at 40 GB")
    assert told(mia) == {"open": ["1", "2"]}

    mia.think("S5|C|S4|It is the log")
    assert told(mia) == {"open": ["2"]}

    mia.think("S6|O|S2|Only guests are")
    assert told(mia) == {}


def test_a_question_whose_only_answer_was_rejected_is_open_again(mia: Client):
    mia.think("S1|Q|What grew?")
    mia.think("S2|O|S1|The log")
    mia.think("S3|X|S2|That was another disk")

    assert told(mia) == {"rejected": ["2"], "open": ["1"]}


@pytest.mark.parametrize(
    ("line", "is_tested"),
    [
        ("S2|E|S1|They do", True),
        ("S2|E|⊖[S1]|They do not", True),
        ("S2|O|S1|Seen on Monday", True),
        ("S2|C|S1|∴ Go on", False),
        ("S2|H|S1|Perhaps", False),
        ("S2|Q|S1|Do they?", False),
    ],
)
def test_an_assumption_is_untested_until_something_seen_refers_to_it(mia: Client, line: str, is_tested: bool):
    mia.think("S1|A|The clocks agree")
    mia.think(line)

    assert ("untested" not in told(mia)) is is_tested


def test_what_a_rejected_branch_decided_asked_and_assumed_does_not_count(mia: Client):
    mia.think("S1|O|It is slow")
    mia.think("S2|C|S1|∴ Use a queue", branchId="queue", branchFromThought=1)
    mia.think("S3|Q|Which one?", branchId="queue")
    mia.think("S4|A|It is fast", branchId="sub", branchFromThought=3, branchFromBranch="queue")
    assert told(mia) == {"decisions": ["queue:2"], "open": ["queue:3"], "untested": ["sub:4"]}

    mia.think("S2|X|queue:S2|One more thing to run")

    assert told(mia) == {"overturned": ["queue:2"], "rejected": ["queue:2"]}
    assert mia.get_structure()["branches"]["queue"]["fate"] == "rejected"
