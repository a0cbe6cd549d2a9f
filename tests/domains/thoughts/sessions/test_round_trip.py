"""A session goes out and comes in again as it was: through files, JSON and cipher."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.box import Box
from tests.support.judged import Judged, load_judged, record_judged
from tests.support.thinker import Answer, Client
from thoughtbox.domains.thoughts.files.locations import sessions_in
from thoughtbox.domains.thoughts.files.reading import read_session
from thoughtbox.domains.thoughts.files.transfer import take_session, write_files
from thoughtbox.domains.thoughts.scope import existing

JUDGED = load_judged()
FORMS = ["files", "json", "cipher"]
NOT_IN_CIPHER = {"timestamp", "totalThoughts", "nextThoughtNeeded", "needsMoreThoughts", "critique", "notes"}


def moved(here: Client, session_id: str, form: str) -> tuple[Client, str]:
    """The session in another workspace, by way of this form."""
    there = Client(here.box, workspace=f"by-{form}", stateless=True)
    if form != "files":
        taken = there.call("session.import", content=here.exported(form, sessionId=session_id), format=form)
        assert "notices" not in taken
        return there, taken["sessionId"]
    dispatcher = here.box.app.dispatcher
    with TemporaryDirectory() as folder:
        root = Path(folder)
        dispatcher.ask(
            here.workspace, here.caller, lambda tx: write_files(tx, existing(tx, session_id), root, "monthly")
        ).result()
        (files,) = sessions_in(root)
        found = read_session(files)
    dispatcher.do(there.workspace, here.caller, lambda tx: take_session(tx, found), what="import").result()
    return there, session_id


def told(client: Client, session_id: str) -> Iterator[Answer]:
    """All thoughts, with the places of others instead of their ids."""
    thoughts = [one for page in client.pages("session.get", sessionId=session_id) for one in page["thoughts"]]
    places = {one["id"]: one["nodeId"].partition(":")[2] for one in thoughts}
    for one in thoughts:
        yield {
            **one,
            "id": None,
            "nodeId": places[one["id"]],
            "refs": [places[ref] for ref in one["refs"]],
            "relations": [(relation["type"], places[relation["to"]]) for relation in one["relations"]],
        }


def all_said(client: Client, session_id: str, *, left_out: set[str] | None = None) -> dict[str, Any]:
    """What there is to say of a session, but for what differs from store to store."""
    thoughts = [
        {name: value for name, value in one.items() if name not in (left_out or ())} for one in told(client, session_id)
    ]
    structure = client.call("get_structure", sessionId=session_id)
    return {
        "thoughts": thoughts,
        "branches": structure["branches"],
        "edges": sorted(map(str, structure["edges"])),
        "revisions": structure["revisions"],
        "record": client.exported("markdown", sessionId=session_id, includeMetadata=False) if not left_out else None,
    }


def must_be_the_same(here: Client, session_id: str, form: str) -> None:
    left_out = NOT_IN_CIPHER if form == "cipher" else None
    before = all_said(here, session_id, left_out=left_out)
    there, moved_id = moved(here, session_id, form)

    assert all_said(there, moved_id, left_out=left_out) == before
    assert there.exported("cipher", sessionId=moved_id) == here.exported("cipher", sessionId=session_id)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("judged", JUDGED, ids=[judged.name for judged in JUDGED])
def test_a_session_of_reasoning_comes_back_as_it_was(box: Box, judged: Judged, form: str):
    here = Client(box)

    must_be_the_same(here, record_judged(here, judged), form)


@pytest.mark.parametrize("judged", JUDGED, ids=[judged.name for judged in JUDGED])
def test_the_cipher_of_a_session_of_reasoning_is_short_and_needs_no_help(quick_box: Box, judged: Judged):
    here = Client(quick_box)
    session_id = record_judged(here, judged)

    text = here.exported("cipher", sessionId=session_id)

    said = sum(len(thought["text"]) + 1 for thought in judged.thoughts if "text" in thought)
    assert len(text) <= min(3_600, said + 500)
    assert "# Reading" not in text
    assert "# Thought" not in text


def everything(mia: Client) -> str:
    """A session with all that exports have to keep."""
    mia.think("S1|O|Pages are slow", totalThoughts=9, needsMoreThoughts=True)
    mia.think("S7|H|S1|It is the cache (~)", critique=True)
    mia.critique(thoughtNumber=2, text="Which\none?", model="m")
    mia.think("aside, see [S1]\n\n  and more\n", branchId="alt", branchFromThought=1)
    mia.think("deeper", branchId="deep", branchFromThought=2, branchFromBranch="alt", revisesThought=1)
    mia.think("backward", thoughtNumber=50)
    mia.think("S4|E|S7|It is cold\nas the log says", thoughtNumber=40)
    mia.think("S1|H|of this call\nS2|E|S1|so it is\nS3|X|S1,alt:S2|no", branchId="alt")
    mia.think("# Decision: by [alt:S2]\n  indented")
    mia.think("Decision: do it [alt:S2]", actionId="deploy-7")
    mia.think("S52|P|1. one 2. two")
    mia.think("S53|R|^S7,S4|put right")
    mia.think("S54|C|S99|∴ to nothing", revisesThought=40)
    mia.call("branch.reject", branchId="alt", why="Too\nslow")
    mia.think("S55|C|alt:S2|∴ after all")
    mia.call("branch.adopt", branchId="deep")
    mia.session_rename(title="New", description="思考")
    mia.session_tag(add=["a", "b"])
    mia.navigate(project="p", task="t", aspect="a", domain="planning")
    mia.think("done", nextThoughtNeeded=False)
    return mia.session_id


@pytest.mark.parametrize("form", FORMS)
def test_all_that_a_session_can_hold_comes_back(mia: Client, form: str):
    session_id = everything(mia)

    must_be_the_same(mia, session_id, form)


@pytest.mark.parametrize("form", ["files", "json"])
def test_what_is_said_of_the_session_itself_comes_back(mia: Client, form: str):
    session_id = everything(mia)
    shown = mia.call("session.get", sessionId=session_id)["session"]

    there, _ = moved(mia, session_id, form)

    fields = ("id", "title", "description", "tags", "status", "domain", "project", "task", "aspect", "createdAt")
    again = there.call("session.get", sessionId=session_id)["session"]
    assert {name: again.get(name) for name in fields} == {name: shown.get(name) for name in fields}
    assert there.session_analyze(sessionId=session_id) == mia.session_analyze(sessionId=session_id)


TEXTS = st.sampled_from(
    [
        *("S{n}|O|seen", "S{n}|H|S{a}|perhaps (~)", "S{n}|E|S{a}|so (!)", "S{n}|X|S{a}|no", "S{n}|R|^S{a}|rather"),
        *("S{n}|C|S{a},S{b}|∴ do it", "S{n}|Q|S{a}|why?", "S{n}|A|S{a}|granted", "S{a}|H|a slip of S{b}"),
        *("S{n}|C|alt:S{a}|∴ adopt it", "S{n}|X|[alt:S{a}]|reject it", "S{n}|E|⊖[S{a}]|against it"),
        *("prose", "Decision: [S{a}]", "# prose\n  [S{a}]", "see [alt:S{b}]", "S{n}|P|S{a}|1. one 2. two"),
        *("S{a}|H|first\nS{b}|E|S{a}|second\nS{n}|C|S{a},S{b}|∴ third",),
    ]
)
STEPS = st.tuples(TEXTS, st.integers(1, 9), st.integers(1, 9), st.sampled_from(["", "", "alt", "b"]), st.integers(0, 9))


@settings(max_examples=25, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=14))
def test_whatever_was_thought_comes_back_through_every_form(steps: list[tuple[str, int, int, str, int]]):
    box = Box()
    here = Client(box).ready()
    try:
        here.think("S1|O|the root")
        for n, (text, a, b, branch, more) in enumerate(steps, 2):
            given: dict[str, Any] = {"branchId": branch, "branchFromThought": 1} if branch else {}
            given |= {"revisesThought": a} if more == 1 else {}
            here.refusal("thought", thought=text.format(n=n, a=a, b=b), **given)
            if more in (2, 3):
                here.refusal("branch.adopt" if more == 2 else "branch.reject", branchId="alt", why=f"because {n}")
        for form in FORMS:
            must_be_the_same(here, here.session_id, form)
    finally:
        box.close()
