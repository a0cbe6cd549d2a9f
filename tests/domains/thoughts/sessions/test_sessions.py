"""Looking after sessions: read them in pages, search, resume, rename, tag, analyse."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload, SessionNotFound, ThoughtNotFound

CHAIN = """\
S1|O|User reports slow page loads
S2|H|S1|Database queries causing latency
S3|E|S2|Query logs show 2s avg response
S4|H|S3|Missing index on users.email
S5|E|S4|EXPLAIN shows full table scan
S6|C|S4,S5|∴ Add index on users.email
S7|P|S6|1. Create migration 2. Apply to staging 3. Verify 4. Deploy""".splitlines()


def said(answer: dict[str, Any]) -> list[str]:
    return [thought["thought"] for thought in answer["thoughts"]]


@pytest.fixture
def chain(mia: Client) -> Client:
    """The example chain of the document."""
    for line in CHAIN:
        mia.think(line)
    return mia


# session.get


def test_a_session_is_read_with_its_thoughts_and_branches(chain: Client):
    chain.think("aside", branchId="alt", branchFromThought=3)

    got = chain.session_get()

    assert got["session"]["id"] == chain.session_id
    assert said(got) == [*CHAIN, "aside"]
    assert got["branches"] == {"alt": {"length": 1, "head": 4, "tail": 4, "fromThought": 3}}
    assert "cursor" not in got


@pytest.mark.parametrize(
    "arguments", [{"limit": 1}, {"limit": 7}, {"limit": 500}, {"maxChars": 1_500}, {"maxChars": 9_000}]
)
@pytest.mark.parametrize("operation", ["session.get", "read_thoughts"])
def test_pages_together_hold_every_thought_once_and_whole(mia: Client, operation: str, arguments: dict[str, Any]):
    texts = [f"{n} {'思 words ' * (n * 13 % 60)}" for n in range(40)]
    for n, text in enumerate(texts):
        mia.think(text, **({"branchId": "alt", "branchFromThought": 1} if n % 3 == 2 else {}))
    last = {"last": 40} if operation == "read_thoughts" else {}

    pages = list(mia.pages(operation, **last, **arguments))

    assert [text for page in pages for text in said(page)] == texts
    assert not any(page.get("budget", {}).get("truncated") for page in pages)


def test_pages_of_large_thoughts_stay_within_the_budget(tom: Client):
    texts = [f"{n}{'x' * 30_000}" for n in range(12)]
    for text in texts:
        tom.think(text)

    pages = list(tom.pages("session.get"))

    assert [text for page in pages for text in said(page)] == texts
    assert len(pages) > 3
    assert not any("budget" in page for page in pages)


@pytest.mark.parametrize("operation", ["session.get", "read_thoughts"])
def test_what_is_thought_between_two_pages_moves_nothing(mia: Client, operation: str):
    for n in range(9):
        mia.think(f"{n}")
    arguments = {"limit": 4, **({"last": 9} if operation == "read_thoughts" else {})}

    first = mia.call(operation, **arguments)
    mia.think("meanwhile")
    second = mia.call(operation, **arguments, cursor=first["cursor"])
    mia.think("and again")
    third = mia.call(operation, **arguments, cursor=second["cursor"])

    assert (said(first) + said(second) + said(third))[:9] == [f"{n}" for n in range(9)]


@pytest.mark.parametrize(
    "cursor", ["x", "-1", "1.5", "99", "1.99999", "9" * 30, "1.2.3.4", " 1", "１", "1.", ".", "0x1"]
)
@pytest.mark.parametrize("operation", ["session.get", "read_thoughts", "get_structure", "session.export"])
def test_a_cursor_that_no_such_call_gave_out_is_refused(tom: Client, operation: str, cursor: str):
    tom.think()

    with pytest.raises(InvalidPayload, match="cursor") as refused:
        tom.call(operation, cursor=cursor)

    assert refused.value.details["fields"] == ["cursor"]


def test_a_cursor_of_another_operation_is_refused(tom: Client):
    for n in range(9):
        tom.think(f"{n} {'x' * 200}", **({"revisesThought": n} if n else {}))
    cursors = {
        "session.get": tom.session_get(limit=2)["cursor"],
        "read_thoughts": tom.read_thoughts(last=9, limit=2)["cursor"],
        "session.export": tom.session_export(maxChars=500)["cursor"],
    }

    for taker in cursors:
        for giver, cursor in cursors.items():
            if giver != taker:
                with pytest.raises(InvalidPayload, match="cursor"):
                    tom.call(taker, cursor=cursor)


def test_a_session_without_thoughts_is_empty_and_no_error(mia: Client):
    got = mia.session_get()

    assert got["thoughts"] == []
    assert got["branches"] == {}
    assert mia.read_thoughts()["thoughts"] == []
    assert mia.get_structure()["edges"] == []
    assert "mainChain" not in mia.get_structure()


# read_thoughts


def test_the_last_five_thoughts_are_read_unless_asked_otherwise(chain: Client):
    answer = chain.read_thoughts()

    assert answer["query"] == {"last": 5}
    assert said(answer) == CHAIN[-5:]
    assert said(chain.read_thoughts(last=2)) == CHAIN[-2:]
    assert said(chain.read_thoughts(last=500)) == CHAIN


def test_the_last_thoughts_are_those_of_all_lines(chain: Client):
    chain.think("aside", branchId="alt", branchFromThought=1)
    chain.critique(thoughtNumber=1, text="Is that so?")
    chain.session_rename(title="Renamed")

    assert said(chain.read_thoughts(last=2)) == [CHAIN[-1], "aside"]


def test_one_thought_is_read_by_its_number_and_branch(chain: Client):
    chain.think("aside", branchId="alt", branchFromThought=3)

    assert said(chain.read_thoughts(thoughtNumber=4)) == [CHAIN[3]]
    assert said(chain.read_thoughts(thoughtNumber=4, branchId="alt")) == ["aside"]
    with pytest.raises(ThoughtNotFound, match="no thought 1 on branch `alt`"):
        chain.read_thoughts(thoughtNumber=1, branchId="alt")
    with pytest.raises(ThoughtNotFound, match="no thought 99"):
        chain.read_thoughts(thoughtNumber=99)


def test_a_range_is_read_from_either_end(chain: Client):
    assert said(chain.read_thoughts(range=[2, 4])) == CHAIN[1:4]
    assert said(chain.read_thoughts(range=[4, 2])) == CHAIN[1:4]
    assert said(chain.read_thoughts(range=[6, 99])) == CHAIN[5:]
    assert said(chain.read_thoughts(range=[50, 99])) == []


def test_a_branch_is_read_by_its_id(chain: Client):
    chain.think("aside", branchId="alt", branchFromThought=3)
    chain.think("further aside", branchId="alt")

    assert said(chain.read_thoughts(branchId="alt")) == ["aside", "further aside"]
    assert said(chain.read_thoughts(branchId="alt", last=1)) == ["further aside"]
    assert said(chain.read_thoughts(branchId="alt", range=[4, 4])) == ["aside"]
    with pytest.raises(ThoughtNotFound, match="no branch `nowhere`"):
        chain.read_thoughts(branchId="nowhere")


def test_thoughts_are_found_by_kind(chain: Client):
    assert said(chain.read_thoughts(kind="evidence")) == [CHAIN[2], CHAIN[4]]
    assert said(chain.read_thoughts(kind="decision")) == [CHAIN[5]]
    assert said(chain.read_thoughts(kind="question")) == []
    assert said(chain.read_thoughts(kind="evidence", thoughtNumber=3)) == [CHAIN[2]]
    assert said(chain.read_thoughts(kind="evidence", thoughtNumber=2)) == []
    assert said(chain.read_thoughts(kind="evidence", range=[1, 4])) == [CHAIN[2]]
    with pytest.raises(InvalidPayload, match="no kind `guess`"):
        chain.read_thoughts(kind="guess")


def test_thoughts_are_found_by_what_they_refer_to(chain: Client):
    assert said(chain.read_thoughts(refersTo=4)) == [CHAIN[4], CHAIN[5]]
    assert said(chain.read_thoughts(refersTo=4, kind="decision")) == [CHAIN[5]]
    assert said(chain.read_thoughts(refersTo=7)) == []


def test_the_graph_of_the_documents_chain_can_be_queried(chain: Client):
    edges = {(edge["from"], edge["type"], edge["to"]) for edge in chain.get_structure()["edges"]}

    assert edges == {
        *((f"{n + 1}", "next", f"{n}") for n in range(1, 7)),
        ("2", "derived_from", "1"),
        ("3", "supports", "2"),
        ("4", "derived_from", "3"),
        ("5", "supports", "4"),
        ("6", "derived_from", "4"),
        ("6", "derived_from", "5"),
        ("7", "derived_from", "6"),
    }
    kinds = [thought["kind"] for thought in chain.session_get()["thoughts"]]
    assert kinds == ["observation", "claim", "evidence", "claim", "evidence", "decision", "plan"]


@pytest.mark.parametrize(
    "together",
    [
        {"thoughtNumber": 1, "last": 2},
        {"range": [1, 2], "last": 2},
        {"refersTo": 1, "revises": 1},
        {"thoughtNumber": 1, "range": [1, 2]},
    ],
    ids=str,
)
def test_what_cannot_be_asked_together_is_refused(tom: Client, together: dict[str, Any]):
    tom.think()

    with pytest.raises(InvalidPayload, match="cannot be asked for together"):
        tom.read_thoughts(**together)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("last", 0),
        ("last", 501),
        ("range", [1]),
        ("range", [1, 2, 3]),
        ("range", ["1", 2]),
        ("range", [0, 2]),
        ("range", "1-2"),
        ("limit", 0),
        ("limit", 501),
        ("kind", 7),
        ("branchId", "../x"),
        ("cursor", 7),
        ("cursor", ""),
        ("maxChars", -1),
    ],
)
def test_a_question_of_the_wrong_kind_is_refused_by_its_name(tom: Client, field: str, wrong: Any):
    with pytest.raises(InvalidPayload, match=field):
        tom.read_thoughts(**{field: wrong})


# get_thought


def test_a_thought_is_opened_by_its_id_and_by_its_node_id(mia: Client):
    first = mia.think("main 1")
    branch = mia.think("alt 2", branchId="alt", branchFromThought=1)
    mia.critique(thoughtNumber=1, text="Hm")
    reader = Client(mia.box)

    opened = reader.get_thought(id=first["id"])
    assert opened == mia.read_thoughts(thoughtNumber=1)["thoughts"][0]
    assert reader.get_thought(id=f"{mia.session_id}:1") == opened
    assert reader.get_thought(id=f"{mia.session_id}:alt:2") == reader.get_thought(id=branch["id"])


@pytest.mark.parametrize(
    "id",
    [
        "th:1",
        "th:999",
        "th:0",
        "th:-1",
        "th:x",
        "x",
        "{s}",
        "{s}:9",
        "{s}:alt:1",
        "{s}:",
        "nowhere:1",
        "th:" + "9" * 30,
    ],
)
def test_what_is_no_thought_cannot_be_opened(tom: Client, id: str):
    tom.think()

    with pytest.raises(ThoughtNotFound):
        tom.get_thought(id=id.format(s=tom.session_id))


def test_thoughts_of_deleted_sessions_and_other_workspaces_cannot_be_opened(mia: Client):
    opened = mia.think()["id"]
    with pytest.raises(ThoughtNotFound, match="workspace `other`"):
        Client(mia.box, workspace="other").get_thought(id=opened)
    mia.session_delete(sessionId=mia.session_id)

    with pytest.raises(ThoughtNotFound):
        mia.get_thought(id=opened)


# session.search


def test_sessions_are_found_by_their_thoughts_titles_descriptions_and_tags(box: Box, mia: Client):
    mia.think("the albatross flies")
    tom = Client(box)
    tom.start_new(sessionTitle="Badger", description="A capybara", sessionTags=["dingo"])

    for word, title in {"albatross": "Slow pages", "badger": "Badger", "capybara": "Badger", "dingo": "Badger"}.items():
        [found] = mia.session_search(query=word)["sessions"]
        assert found["session"]["title"] == title
        assert f"«{word}»" in found["best"].lower()
    assert mia.session_search(query="albatross")["sessions"][0]["thoughtNumber"] == 1


def test_a_session_is_found_by_its_new_title_and_new_tags(mia: Client):
    mia.session_rename(title="Echidna", description="Fossa")
    mia.session_tag(add=["gecko"])

    for word in ("echidna", "fossa", "gecko"):
        assert mia.session_search(query=word)["count"] == 1


def test_a_session_is_not_found_by_what_it_is_no_longer_called(mia: Client):
    mia.session_rename(title="Quagga", description="Auk")
    mia.session_tag(tags=["dodo"])
    mia.session_rename(title="Echidna", description="Fossa")
    mia.session_tag(tags=[])
    for word in ("quagga", "auk", "dodo"):
        assert mia.session_search(query=word)["count"] == 0

    mia.think("The quagga is gone")

    [found] = mia.session_search(query="quagga")["sessions"]
    assert (found["best"], found["thoughtNumber"]) == ("The «quagga» is gone", 1)


def test_a_search_tells_how_many_thoughts_fit_and_the_best(mia: Client):
    mia.think("an ibis, among much else that has to be said here")
    mia.think("no bird")
    mia.think("an ibis, and its ibis", branchId="alt", branchFromThought=1)

    [found] = mia.session_search(query="ibis")["sessions"]

    assert found["hits"] == 2
    assert (found["thoughtNumber"], found["branchId"]) == (2, "alt")
    assert found["best"] == "an «ibis», and its «ibis»"


def test_a_search_for_nothing_says_so(mia: Client):
    answer = mia.session_search(query="!?")

    assert answer["count"] == 0
    assert "Nothing was looked for" in answer["message"]


def test_pages_of_found_sessions_hold_each_once(box: Box):
    clients = [Client(box).ready(sessionTitle=f"Session {n}") for n in range(7)]
    for client in clients:
        client.think("a jackal")

    seen: list[str] = []
    page = clients[0].session_search(query="jackal", limit=3)
    while True:
        assert page["count"] <= 3
        seen += [found["session"]["id"] for found in page["sessions"]]
        if not page["hasMore"]:
            break
        page = clients[0].session_search(query="jackal", limit=3, offset=page["nextOffset"])

    assert sorted(seen) == sorted(client.session_id for client in clients)


def test_deleted_sessions_leave_no_gaps_in_what_is_found(box: Box):
    clients = [Client(box).ready(sessionTitle=f"Session {n}") for n in range(6)]
    for n, client in enumerate(clients):
        client.think("a kiwi " * (6 - n))
    for client in clients[:4]:
        client.session_delete(sessionId=client.session_id)

    answer = clients[-1].session_search(query="kiwi", limit=1)

    assert answer["count"] == 1
    assert answer["hasMore"] is True
    rest = clients[-1].session_search(query="kiwi", limit=1, offset=answer["nextOffset"])
    assert (rest["count"], rest["hasMore"]) == (1, False)


@pytest.mark.parametrize(
    ("field", "wrong"), [("query", ""), ("query", None), ("query", 7), ("query", "x" * 1_001), ("limit", 0)]
)
def test_a_search_needs_something_to_look_for(tom: Client, field: str, wrong: Any):
    with pytest.raises(InvalidPayload, match=field):
        tom.session_search(**{"query": "x", field: wrong})


# session.resume


def test_resuming_shows_where_the_session_stands(box: Box, mia: Client):
    mia.think("the last word")
    session_id = mia.session_id
    mia.ready()

    answer = mia.session_resume(sessionId=session_id)

    assert answer["success"] is True
    assert answer["sessionId"] == session_id
    assert answer["session"]["title"] == "Slow pages"
    assert answer["thoughtCount"] == 1
    assert answer["lastThought"]["thought"] == "the last word"
    assert answer["nextThoughtNumber"] == 2
    assert "number 2" in answer["message"]
    mia.cipher()
    assert mia.think()["sessionId"] == session_id


def test_the_latest_session_can_be_resumed_without_its_id(box: Box, mia: Client):
    mia.think()

    answer = Client(box).call("session.resume_latest")

    assert answer["sessionId"] == mia.session_id
    assert answer["stage"] == 2


def test_when_there_is_no_session_none_can_be_resumed(box: Box):
    with pytest.raises(SessionNotFound):
        Client(box).call("session.resume_latest")


def test_no_write_answers_more_than_the_budget_however_long_the_texts_are(tom: Client):
    long = "x" * 1_000_000
    tom.think(long)
    answers = [
        tom.call("knowledge.write_note", title="n", content=long),
        tom.call("knowledge.create_pattern", title="p", description="d", content=long),
    ]

    assert all(len(json.dumps(answer)) < 110_000 for answer in answers)
    assert all(answer["budget"]["truncated"] for answer in answers)
    assert all("max_chars" not in answer["budget"]["warnings"][0]["recovery"] for answer in answers)


# rename, tag


def test_titles_and_descriptions_can_be_changed_later(mia: Client):
    assert mia.session_rename(title="Fast pages")["session"]["title"] == "Fast pages"
    session = mia.session_rename(description="Now they are")["session"]
    assert (session["title"], session["description"]) == ("Fast pages", "Now they are")
    with pytest.raises(InvalidPayload, match="neither a title nor a description"):
        mia.session_rename()
    with pytest.raises(InvalidPayload, match="title"):
        mia.session_rename(title="t" * 201)


def test_tags_are_added_taken_away_and_replaced(mia: Client):
    assert mia.session_tag(add=["web", "db", "web"])["session"]["tags"] == ["web", "db"]
    assert mia.session_tag(add=["new"], remove=["web", "unknown"])["session"]["tags"] == ["db", "new"]
    assert mia.session_tag(tags=["only"])["session"]["tags"] == ["only"]
    assert mia.session_tag(tags=[])["session"]["tags"] == []
    assert mia.list_sessions(tags=["web"])["count"] == 0


def test_tags_that_change_nothing_write_nothing(mia: Client):
    mia.session_tag(add=["web"])
    before = mia.records()

    mia.session_tag(add=["web"], remove=["unknown"])

    assert mia.records() == before


def test_a_session_has_fifty_tags_at_most(mia: Client):
    mia.session_tag(add=[f"{n}" for n in range(50)])

    with pytest.raises(InvalidPayload, match="50 tags"):
        mia.session_tag(add=["one more"])


@pytest.mark.parametrize("operation", ["session.rename", "session.tag", "session.complete", "session.get"])
def test_without_a_connection_the_session_has_to_be_named(quick_box: Box, operation: str):
    nobody = Client(quick_box, stateless=True)
    session_id = nobody.start_new()["sessionId"]
    given = {"session.rename": {"title": "t"}, "session.tag": {"add": ["x"]}}.get(operation, {})

    with pytest.raises(InvalidPayload, match="`sessionId` is missing, and nothing is remembered") as refused:
        nobody.call(operation, **given)

    assert session_id in str(refused.value.recovery)
    assert nobody.call(operation, sessionId=refused.value.details["latest"], **given)


# analyze, extract_learnings, deep_analysis


def test_a_session_is_analysed_through_the_operation(chain: Client):
    chain.think("aside", branchId="alt", branchFromThought=3)
    chain.think("S8|R|^[S2]|It was the index all along", critique=True, nextThoughtNeeded=False)

    answer = chain.session_analyze()

    assert answer["sessionId"] == chain.session_id
    assert answer["metadata"]["thoughtCount"] == 9
    assert answer["metadata"]["branchCount"] == 1
    assert answer["metadata"]["revisionCount"] == 1
    assert answer["structure"]["linearityScore"] == round(1 - 2 / 9, 2)
    assert answer["structure"]["revisionRate"] == round(1 / 9, 2)
    assert answer["structure"]["maxDepth"] == 1
    assert answer["quality"] == {"critiqueRequests": 1, "hasConvergence": True, "isComplete": True}
    assert (answer["linearity"], answer["density"]) == (
        answer["structure"]["linearityScore"],
        answer["structure"]["thoughtDensity"],
    )
    assert (answer["branchCount"], answer["completion"]) == (1, 1)


def test_an_empty_session_is_analysed_honestly(mia: Client):
    answer = mia.session_analyze()

    assert answer["metadata"]["thoughtCount"] == 0
    assert answer["structure"] == {"linearityScore": 1, "revisionRate": 0, "maxDepth": 0, "thoughtDensity": 0}
    assert answer["quality"] == {"critiqueRequests": 0, "hasConvergence": False, "isComplete": False}


def test_learnings_are_extracted_and_name_their_thoughts(chain: Client):
    answer = chain.call("session.extract_learnings")

    pattern = next(learning for learning in answer["learnings"] if learning["type"] == "pattern")
    assert 6 in pattern["metadata"]["sourceThoughts"]
    assert pattern["metadata"]["sourceSession"] == chain.session_id
    assert answer["count"] == len(answer["learnings"])
    assert answer["next"]["operation"] == "knowledge.promote"


def test_learnings_of_some_types_only(chain: Client):
    answer = chain.call("session.extract_learnings", targetTypes=["signal"])

    assert {learning["type"] for learning in answer["learnings"]} == {"signal"}


def test_a_key_moment_that_is_not_there_is_an_error(chain: Client):
    with pytest.raises(ThoughtNotFound, match="thought 99"):
        chain.call("session.extract_learnings", keyMoments=[{"thoughtNumber": 99, "type": "decision"}])


def test_what_deleted_sessions_said_is_no_echo(box: Box, chain: Client):
    tom = Client(box).ready(sessionTitle="Another")
    for line in CHAIN:
        tom.think(line)
    before = {learning["id"] for learning in chain.call("session.extract_learnings")["learnings"]}

    tom.session_delete(sessionId=tom.session_id)

    assert {learning["id"] for learning in chain.call("session.extract_learnings")["learnings"]} < before


def test_a_session_can_be_looked_at_more_deeply(chain: Client):
    answer = chain.deep_analysis(analysisType="full", includeTimeline=True)

    assert answer["sessionId"] == chain.session_id
    assert {"patterns", "cognitiveLoad", "decisionPoints", "timeline"} <= set(answer)


@pytest.mark.parametrize(
    "operation",
    ["session.get", "session.export", "session.analyze", "session.extract_learnings", "deep_analysis", "read_thoughts"],
)
def test_a_session_that_is_not_there_is_an_error_everywhere(tom: Client, operation: str):
    with pytest.raises(SessionNotFound):
        tom.call(operation, sessionId="nowhere")
