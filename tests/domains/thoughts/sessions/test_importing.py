"""What was exported as JSON or cipher can be taken in: checked first, and all of it or nothing."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.files.taking import MOST_THOUGHTS
from thoughtbox.errors import InvalidPayload

CIPHER = """# Slow pages
# Tags: web
S1|O|Pages are slow
Perhaps the cache
# Branch alt from S1
S2|H|S1|The pool
# Main line
S3|C|alt:S2|∴ A larger pool
"""
ID = "a1b2c3d4-e5f6-4890-abcd-ef1234567890"
FOREIGN: dict[str, Any] = {
    "version": "1.0",
    "session": {
        "id": ID,
        "title": "Old one",
        "tags": ["old"],
        "thoughtCount": 3,
        "branchCount": 1,
        "createdAt": "2025-12-07T10:00:00.000Z",
        "updatedAt": "2025-12-07T10:03:00.000Z",
        "lastAccessedAt": "2025-12-07T10:03:00.000Z",
    },
    "nodes": [],
    "exportedAt": "2025-12-08T10:00:00.000Z",
}
"""As another program may have written it, that knows the document and nothing else."""


def node(number: int, branch: str | None = None, **given: Any) -> dict[str, Any]:
    line = f"{ID}:" if branch is None else f"{ID}:{branch}:"
    data = {
        "thought": f"S{number}|H|thought {number}",
        "thoughtNumber": number,
        "totalThoughts": 3,
        "nextThoughtNeeded": True,
        "timestamp": f"2025-12-07T10:0{number}:00.000Z",
        **({"branchId": branch, "branchFromThought": 1} if branch else {}),
    }
    return {
        "id": f"{line}{number}",
        "data": {**data, **given.pop("data", {})},
        "prev": f"{ID}:{number - 1}" if number > 1 else None,
        "next": [],
        "revisesNode": None,
        "branchOrigin": f"{ID}:1" if branch else None,
        "branchId": branch,
        **given,
    }


def foreign(*nodes: dict[str, Any]) -> str:
    return json.dumps({**FOREIGN, "nodes": list(nodes)})


@pytest.fixture
def elsewhere(mia: Client) -> Client:
    """Another workspace, where nothing is remembered."""
    return Client(mia.box, workspace="elsewhere", stateless=True)


def test_a_json_session_keeps_its_id_and_is_added_to_when_it_comes_again(mia: Client, elsewhere: Client):
    mia.think("S1|O|Pages are slow")
    early = mia.exported()
    mia.think("S2|H|S1|Cold cache")
    mia.think("S2|H|S1|The pool", branchId="alt", branchFromThought=1)
    mia.call("branch.reject", branchId="alt", why="No")
    late = mia.exported()

    first = elsewhere.call("session.import", content=early)
    second = elsewhere.call("session.import", content=late)
    before = elsewhere.records()
    third = elsewhere.call("session.import", content=late)

    assert (first["sessionId"], first["format"], first["thoughtCount"], first["added"]) == (
        *(mia.session_id, "json", 1, 1),
    )
    assert (second["thoughtCount"], second["added"]) == (3, 2)
    assert (third["added"], elsewhere.records()) == (0, before)
    assert elsewhere.get_structure(sessionId=mia.session_id) == mia.get_structure()


def test_a_cipher_text_begins_a_session_each_time(elsewhere: Client):
    one = elsewhere.call("session.import", content=CIPHER)
    other = elsewhere.call("session.import", content=CIPHER, title="Mine")

    assert (one["format"], one["thoughtCount"], one["added"]) == ("cipher", 4, 4)
    assert one["sessionId"] != other["sessionId"]
    read = elsewhere.call("session.get", sessionId=one["sessionId"])
    assert (read["session"]["title"], read["session"]["tags"]) == ("Slow pages", ["web"])
    assert [(each["kind"], each["thoughtNumber"]) for each in read["thoughts"]] == [
        *(("observation", 1), ("claim", 2), ("claim", 2), ("decision", 3))
    ]
    assert read["branches"]["alt"]["fate"] == "adopted"
    assert elsewhere.call("session.get", sessionId=other["sessionId"])["session"]["title"] == "Mine"


def test_at_any_stage_a_session_can_be_brought_in_and_gone_on_with(box: Box):
    stranger = Client(box, agent="new")

    taken = stranger.call("session.import", content=CIPHER)
    operation = taken["next"].pop("operation")
    stranger.call(operation, **taken["next"])
    stranger.cipher()

    assert stranger.think("and on")["thoughtNumber"] == 4
    assert stranger.session_id == taken["sessionId"]


def test_an_export_of_another_program_is_read_as_its_directories_are(elsewhere: Client):
    text = foreign(node(1), node(2), node(2, "Option A"), node(3, data={"nextThoughtNeeded": False}))

    taken = elsewhere.call("session.import", content=text)

    assert taken["notices"] == ["Branch 'Option A' became `option-a`."]
    read = elsewhere.call("session.get", sessionId=ID)
    assert (read["session"]["title"], read["session"]["status"], read["session"]["createdAt"]) == (
        *("Old one", "completed", "2025-12-07T10:00:00.000Z"),
    )
    assert read["branches"] == {"option-a": {"length": 1, "head": 2, "tail": 2, "fromThought": 1}}
    assert [each["labels"] for each in read["thoughts"]] == [["hypothesis"]] * 4


def test_a_title_can_be_given_to_a_session_that_is_new_here(elsewhere: Client):
    elsewhere.call("session.import", content=foreign(node(1)), title="Mine")
    elsewhere.call("session.import", content=foreign(node(1)), title="Theirs")

    assert elsewhere.call("session.get", sessionId=ID)["session"]["title"] == "Mine"


def test_a_session_that_was_deleted_here_stays_so(mia: Client):
    mia.think()
    exported, session_id = mia.exported(), mia.session_id
    mia.session_delete(sessionId=session_id)

    taken = mia.call("session.import", content=exported)

    assert (taken["added"], taken["notices"]) == (0, ["it was deleted here, and stays so"])


def changed(edit: Callable[[dict[str, Any]], Any]) -> str:
    """An export of ours with a branch, a relation and a fate, changed somewhere."""
    read = {"kind": "evidence", "relations": [{"type": "supports", "to": f"{ID}:1"}]}
    first = node(1, thoughtbox={"kind": "claim"})
    found = {
        **copy.deepcopy(FOREIGN),
        "nodes": [first, node(2, thoughtbox=read), node(2, "alt", prev=f"{ID}:1", thoughtbox={"kind": "claim"})],
        "thoughtbox": {
            "layout": 1,
            "lastAccessedAt": "2025-12-07T10:03:00.000Z",
            "status": "active",
            "stage": 2,
            "settled": [
                {"branchId": "alt", "fate": "rejected", "timestamp": "2025-12-07T10:03:00.000Z", "after": "alt:2"}
            ],
        },
    }
    edit(found)
    return json.dumps(found)


WRONG: list[tuple[str, str]] = [
    ("{", "it is not JSON"),
    ("[" * 2_000, "it is not JSON"),
    ("{}", "'version': Field required"),
    ("[]", "'it': Input should be"),
    (changed(lambda one: one.update(version="2.0")), "'version': version '2.0' is not known"),
    (changed(lambda one: one["session"].update(id="../up")), "is no session id"),
    (changed(lambda one: one["session"].update(createdAt="yesterday")), "'session.createdAt': it must be a date"),
    (changed(lambda one: one["session"].update(title="a\0b")), "'session.title': it holds a NUL character"),
    (changed(lambda one: one.update(nodes={})), "'nodes': Input should be a valid list"),
    (changed(lambda one: one["nodes"].append(7)), "'nodes.3': Input should be"),
    (changed(lambda one: one["nodes"].append(one["nodes"][0])), f"'{ID}:1' stands twice"),
    (changed(lambda one: one["nodes"][1].update(id=f"{ID}:9")), f"its id is '{ID}:2'"),
    (changed(lambda one: one["nodes"][2].update(branchId="b")), f"its id is '{ID}:b:2'"),
    (changed(lambda one: one["nodes"][0]["data"].update(thoughtNumber="1")), "'nodes.0.data.thoughtNumber'"),
    (changed(lambda one: one["nodes"][0]["data"].update(thoughtNumber=0)), "'nodes.0.data.thoughtNumber'"),
    (changed(lambda one: one["nodes"][0]["data"].update(thought="x\0")), "'nodes.0.data.thought': it holds a NUL"),
    (changed(lambda one: one["nodes"][0]["thoughtbox"].update(kind="hub_event")), "'nodes.0.thoughtbox.kind'"),
    (changed(lambda one: one["nodes"][0]["thoughtbox"].update(confidence=2)), "'nodes.0.thoughtbox.confidence'"),
    (changed(lambda one: one["nodes"][1]["thoughtbox"]["relations"][0].update(type="x")), "there is no such relation"),
    (
        changed(lambda one: one["nodes"][1]["thoughtbox"]["relations"][0].update(to=f"{ID}:alt:2")),
        f"has a relation to '{ID}:alt:2', which is no earlier thought",
    ),
    (changed(lambda one: one["nodes"][1]["thoughtbox"].update(kind="revision")), "is a revision of no earlier thought"),
    (changed(lambda one: one["nodes"][1]["thoughtbox"].update(adopts=["alt"])), "which has not begun before it"),
    (changed(lambda one: one["thoughtbox"].update(status="gone")), "'thoughtbox.status'"),
    (changed(lambda one: one["thoughtbox"]["settled"][0].update(branchId="b")), "branch 'b' is rejected before it"),
    (changed(lambda one: one["thoughtbox"]["settled"][0].update(after="2")), "branch 'alt' is rejected before it has"),
    (changed(lambda one: one["thoughtbox"]["settled"][0].update(after="7")), "after '7', which is not there"),
    (changed(lambda one: one["thoughtbox"]["settled"][0].update(fate="open")), "'thoughtbox.settled.0.fate'"),
    ("a\n# Branch alt from S7\nb", "line 2: there is no thought S7 before it"),
    ("line\n" * (MOST_THOUGHTS + 1), f"there are {MOST_THOUGHTS + 1:,} thoughts in it"),
]


def test_what_is_changed_below_is_right_when_it_is_not(tom: Client):
    assert tom.call("session.import", content=changed(lambda one: None))["added"] == 3


@pytest.mark.parametrize(("content", "why"), WRONG, ids=[f"{n}: {why}" for n, (_, why) in enumerate(WRONG, 1)])
def test_what_is_not_whole_is_refused_and_nothing_is_changed(tom: Client, content: str, why: str):
    before = tom.records()

    form = "cipher" if content.startswith(("a\n", "line")) else "json"
    with pytest.raises(InvalidPayload) as refused:
        tom.call("session.import", content=content, format=form)

    assert why in refused.value.message
    assert refused.value.recovery
    assert refused.value.details["fields"] == ["content"]
    assert tom.records() == before


def test_branches_before_their_origin_are_put_behind_it(elsewhere: Client):
    elsewhere.call("session.import", content=foreign(node(2, "alt"), node(2), node(1)))

    edges = elsewhere.get_structure(sessionId=ID)["edges"]
    assert {"from": "alt:2", "to": "1", "type": "next"} in edges
    assert {"from": "2", "to": "1", "type": "next"} in edges
