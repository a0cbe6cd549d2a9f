"""Finding one's place: where am I, begin, go on, look around, say what I work on, bind a root."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox import content
from thoughtbox.errors import InvalidOperation, InvalidPayload, SessionNotFound
from thoughtbox.operations.caller import Root

SHOP = Root("file:///home/mia/code/web%20shop", "shop")
SITE = Root("file:///home/mia/code/site", None)


def titles(answer: dict[str, Any]) -> list[str]:
    return [session["title"] for session in answer["sessions"]]


@pytest.fixture
def library(box: Box) -> Client:
    """Four sessions, begun in this order: alpha, Beta, gamma, Delta."""
    client = Client(box, stateless=True)
    client.start_new(sessionTitle="alpha", sessionTags=["web", "db"], project="shop", task="speed")
    client.start_new(sessionTitle="Beta", sessionTags=["web"], project="shop", description="Über 100% of users_x")
    client.start_new(sessionTitle="gamma", sessionTags=["db"], project="site", task="speed", aspect="cache")
    client.start_new(sessionTitle="Delta ray", sessionTags=[])
    return client


# get_state


def test_the_state_shows_stage_session_place_and_what_comes_next(box: Box):
    mia = Client(box)
    started = mia.start_new(sessionTitle="Slow pages", project="shop", task="checkout")

    state = mia.get_state()
    began = state["session"]["createdAt"]
    assert state == {
        "stage": 1,
        "stageName": "init_complete",
        "workspace": "tests",
        "session": {
            "id": started["sessionId"],
            "title": "Slow pages",
            "tags": [],
            "thoughtCount": 0,
            "branchCount": 0,
            "createdAt": began,
            "updatedAt": began,
            "lastAccessedAt": began,
            "status": "active",
            "stage": 1,
            "project": "shop",
            "task": "checkout",
        },
        "navigation": {"project": "shop", "task": "checkout"},
        "available": state["available"],
        "next": {"operation": "cipher", "sessionId": started["sessionId"]},
    }


def test_once_the_cipher_is_loaded_the_next_step_names_the_session_and_the_number_and_leaves_the_thought(mia: Client):
    for number in (1, 2, 3):
        assert mia.get_state()["next"] == {"operation": "thought", "sessionId": mia.session_id, "thoughtNumber": number}
        mia.gateway(**mia.get_state()["next"], thought="so it is")
    assert "thought" in mia.get_state()["available"]


def test_the_state_of_a_session_that_is_not_there_is_an_error(box: Box):
    with pytest.raises(SessionNotFound, match="nowhere"):
        Client(box).get_state(sessionId="nowhere")


# start_new


def test_a_session_is_there_as_soon_as_it_is_begun(box: Box):
    mia = Client(box)
    answer = mia.start_new(
        sessionTitle="Slow pages",
        description="Since Monday",
        sessionTags=["web", "web", "db"],
        domain="debugging",
        project="shop",
        task="checkout",
        aspect="speed",
    )

    assert answer == {
        "sessionId": mia.session_id,
        "title": "Slow pages",
        "stage": 1,
        "stageName": "init_complete",
        "next": {"operation": "cipher", "sessionId": mia.session_id},
    }
    session = Client(box, stateless=True).session_get(sessionId=answer["sessionId"])["session"]
    told = {name: session[name] for name in ("description", "tags", "domain", "project", "task", "aspect")}
    assert told == {
        "description": "Since Monday",
        "tags": ["web", "db"],
        "domain": "debugging",
        "project": "shop",
        "task": "checkout",
        "aspect": "speed",
    }


def test_the_next_thought_lands_in_the_session_that_was_begun(mia: Client):
    assert mia.think()["sessionId"] == mia.session_id


def test_a_session_needs_no_title(box: Box):
    assert Client(box).start_new()["title"].startswith("Reasoning session 2025-06-15T")


def test_title_and_session_title_mean_the_same(quick_box: Box):
    mia = Client(quick_box)

    assert mia.start_new(title="Slow pages")["title"] == "Slow pages"
    assert mia.start_new(title="Same", sessionTitle="Same")["title"] == "Same"
    with pytest.raises(InvalidPayload, match="differ"):
        mia.start_new(title="One", sessionTitle="Another")


def test_session_ids_cannot_be_guessed(quick_box: Box):
    mia = Client(quick_box)
    ids = [mia.start_new()["sessionId"] for _ in range(20)]

    assert len(set(ids)) == 20
    assert all(len(id) == 36 and id[14] == "4" for id in ids)


@pytest.mark.parametrize("domain", ["cooking", "Debugging", "", 7, ["debugging"], "debugging "])
@pytest.mark.parametrize("operation", ["start_new", "navigate"])
def test_a_domain_is_one_of_the_six_tags(tom: Client, operation: str, domain: Any):
    with pytest.raises(InvalidPayload, match="domain") as refused:
        tom.call(operation, domain=domain)

    assert "risk-management" in refused.value.message


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("sessionTitle", "t" * 201),
        ("sessionTitle", " "),
        ("sessionTitle", 1),
        ("description", "d" * 10_001),
        ("description", ""),
        ("sessionTags", "web"),
        ("sessionTags", ["web", ""]),
        ("sessionTags", [None]),
        ("project", ""),
        ("project", "p" * 201),
        ("task", "a\nb"),
        ("aspect", {"a": 1}),
        ("newWork", {"project": "p"}),
    ],
)
def test_what_a_session_cannot_begin_with_is_refused_and_none_begins(quick_box: Box, field: str, wrong: Any):
    mia = Client(quick_box)

    with pytest.raises(InvalidPayload, match=field):
        mia.start_new(**{field: wrong})

    assert mia.records() == 0
    assert mia.stage == 0


def test_the_longest_title_has_two_hundred_characters(quick_box: Box):
    assert len(Client(quick_box).start_new(sessionTitle="t" * 200)["title"]) == 200


# load_context


def test_loading_the_context_shows_the_session_and_its_last_five_thoughts(box: Box, mia: Client):
    for number in range(1, 8):
        mia.think(f"thought {number}")
    mia.think("on a branch", branchId="alt", branchFromThought=7)

    context = Client(box).load_context(sessionId=mia.session_id)

    assert context["session"]["title"] == "Slow pages"
    assert context["thoughtCount"] == 8
    assert context["nextThoughtNumber"] == 8
    assert [thought["thought"] for thought in context["lastThoughts"]] == [
        "thought 4",
        "thought 5",
        "thought 6",
        "thought 7",
        "on a branch",
    ]
    assert context["next"] == {"operation": "cipher", "sessionId": mia.session_id}


def test_after_loading_the_context_the_next_thought_lands_there(box: Box, mia: Client):
    mia.think()
    tom = Client(box, agent="tom")
    tom.load_context(sessionId=mia.session_id)
    tom.cipher()

    answer = tom.think()

    assert (answer["sessionId"], answer["thoughtNumber"]) == (mia.session_id, 2)


@pytest.mark.parametrize("operation", ["load_context", "session.resume"])
def test_the_last_thoughts_are_found_behind_whatever_was_recorded_since(box: Box, mia: Client, operation: str):
    mia.think("remember me")
    for n in range(30):
        Client(box).load_context(sessionId=mia.session_id)
        mia.session_rename(title=f"Title {n}")

    answer = Client(box).ready().call(operation, sessionId=mia.session_id)

    last = answer["lastThoughts"][-1] if operation == "load_context" else answer["lastThought"]
    assert last["thought"] == "remember me"


def test_of_long_thoughts_the_last_ones_are_shown_in_part_and_that_is_said(tom: Client):
    for n in range(7):
        tom.think(f"{n} {'so it is, ' * 4_000}")

    context = Client(tom.box).load_context(sessionId=tom.session_id)

    assert context["lastThoughts"][-1]["thought"].startswith("6 so it is")
    assert all(thought["thought"].endswith("…") for thought in context["lastThoughts"])
    longer = Client(tom.box).load_context(sessionId=tom.session_id, maxChars=20_000)
    assert [thought["thought"][0] for thought in longer["lastThoughts"]] == ["2", "3", "4", "5", "6"]


def test_the_next_number_is_behind_the_highest_not_behind_the_count(box: Box, mia: Client):
    mia.think(thoughtNumber=40)
    mia.think(thoughtNumber=3)

    assert Client(box).load_context(sessionId=mia.session_id)["nextThoughtNumber"] == 41


def test_loading_latest_goes_on_with_the_session_that_changed_last(box: Box, mia: Client):
    mia.think()

    assert Client(box).load_context(sessionId="latest")["sessionId"] == mia.session_id


@pytest.mark.parametrize(
    "wrong", ["nowhere", "../etc/passwd", "' OR 1=1 --", "%", "00000000-0000-4000-8000-000000000000"]
)
def test_a_context_that_is_not_there_cannot_be_loaded(tom: Client, wrong: str):
    with pytest.raises(SessionNotFound) as refused:
        tom.load_context(sessionId=wrong)

    assert refused.value.details["sessionId"] == wrong


def test_loading_needs_the_session(tom: Client):
    with pytest.raises(InvalidPayload, match="sessionId"):
        tom.load_context()


# list_sessions


def test_sessions_are_listed_the_one_that_changed_last_first(library: Client):
    assert titles(library.list_sessions()) == ["Delta ray", "gamma", "Beta", "alpha"]

    alpha = library.list_sessions()["sessions"][-1]["id"]
    library.session_tag(sessionId=alpha, add=["new"])

    assert titles(library.list_sessions()) == ["alpha", "Delta ray", "gamma", "Beta"]


def test_several_tags_mean_all_of_them(library: Client):
    assert titles(library.list_sessions(tags=["web"])) == ["Beta", "alpha"]
    assert titles(library.list_sessions(tags=["web", "db"])) == ["alpha"]
    assert titles(library.list_sessions(tags=["db", "web", "db"])) == ["alpha"]
    assert titles(library.list_sessions(tags=["web", "nowhere"])) == []
    assert titles(library.list_sessions(tags=["WEB"])) == []


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("ALPHA", ["alpha"]),
        ("ray delta", ["Delta ray"]),
        ("users", ["Beta"]),
        ("über", ["Beta"]),
        ("100%", ["Beta"]),
        ("users_x", ["Beta"]),
        ("a", ["Delta ray", "gamma", "Beta", "alpha"]),
        ("usersXx", []),
        ("1%0", []),
        ("%", ["Beta"]),
        ("_", ["Beta"]),
        ("\\", []),
        ("'", []),
        ("web", []),
        ("   ", ["Delta ray", "gamma", "Beta", "alpha"]),
    ],
)
def test_words_are_looked_for_in_title_and_description(library: Client, words: str, found: list[str]):
    assert titles(library.list_sessions(search=words)) == found


def test_very_many_words_are_looked_for_all_the_same(library: Client):
    assert titles(library.list_sessions(search="alpha " * 166)) == ["alpha"]
    assert titles(library.list_sessions(search="a " * 500)) == ["Delta ray", "gamma", "Beta", "alpha"]


def test_sessions_of_a_project_task_or_aspect(library: Client):
    assert titles(library.list_sessions(project="shop")) == ["Beta", "alpha"]
    assert titles(library.list_sessions(task="speed")) == ["gamma", "alpha"]
    assert titles(library.list_sessions(project="shop", task="speed")) == ["alpha"]
    assert titles(library.list_sessions(aspect="cache")) == ["gamma"]
    assert titles(library.list_sessions(project="shop", tags=["db"], search="alpha")) == ["alpha"]


@pytest.mark.parametrize(
    ("sort", "order", "expected"),
    [
        ("createdAt", "asc", ["alpha", "Beta", "gamma", "Delta ray"]),
        ("createdAt", "desc", ["Delta ray", "gamma", "Beta", "alpha"]),
        ("updatedAt", "asc", ["Beta", "gamma", "Delta ray", "alpha"]),
        ("updatedAt", "desc", ["alpha", "Delta ray", "gamma", "Beta"]),
        ("title", "asc", ["Beta", "Delta ray", "alpha", "gamma"]),
        ("title", "desc", ["gamma", "alpha", "Delta ray", "Beta"]),
    ],
)
def test_sessions_can_be_sorted_on_both_engines_alike(library: Client, sort: str, order: str, expected: list[str]):
    alpha = library.list_sessions(search="alpha")["sessions"][0]["id"]
    library.session_complete(sessionId=alpha)

    assert titles(library.list_sessions(sortBy=sort, sortOrder=order)) == expected


def test_pages_of_sessions_hold_each_once_and_say_when_there_is_more(library: Client):
    first = library.list_sessions(limit=3)
    second = library.list_sessions(limit=3, offset=first["nextOffset"])

    assert (first["count"], first["hasMore"], first["nextOffset"]) == (3, True, 3)
    assert (second["count"], second["hasMore"]) == (1, False)
    assert "nextOffset" not in second
    assert titles(first) + titles(second) == titles(library.list_sessions())
    assert library.list_sessions(offset=4)["sessions"] == []


def test_twenty_sessions_are_listed_unless_asked_otherwise(quick_box: Box):
    mia = Client(quick_box)
    for n in range(25):
        mia.start_new(sessionTitle=f"{n}")

    assert mia.list_sessions()["count"] == 20
    assert mia.list_sessions(limit=100)["count"] == 25


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("limit", 0),
        ("limit", 101),
        ("limit", "5"),
        ("offset", -1),
        ("offset", 1.5),
        ("sortBy", "thoughtCount"),
        ("sortBy", "title; DROP TABLE records"),
        ("sortOrder", "DESC"),
        ("tags", "web"),
        ("tags", [""]),
        ("search", 7),
        ("search", "x" * 1_001),
        ("filters", {"project": "shop"}),
    ],
)
@pytest.mark.parametrize("operation", ["list_sessions", "session.list"])
def test_a_filter_of_the_wrong_kind_is_refused_by_its_name(tom: Client, operation: str, field: str, wrong: Any):
    with pytest.raises(InvalidPayload, match=field):
        tom.call(operation, **{field: wrong})


def test_both_lists_of_sessions_are_the_same(library: Client):
    mia = Client(library.box).ready()

    for arguments in ({}, {"tags": ["web"]}, {"search": "alpha"}, {"limit": 1, "offset": 2}, {"project": "shop"}):
        assert mia.session_list(**arguments) == mia.list_sessions(**arguments)


# navigate


def test_where_one_works_is_kept_in_the_session(box: Box, mia: Client):
    answer = mia.navigate(project="shop", task="checkout", aspect="speed")

    assert answer["navigation"] == {"project": "shop", "task": "checkout", "aspect": "speed"}
    assert answer["remembered"] == "in the session"
    session = Client(box, stateless=True).session_get(sessionId=mia.session_id)["session"]
    assert (session["project"], session["task"], session["aspect"]) == ("shop", "checkout", "speed")


def test_navigating_further_keeps_what_was_said_before(mia: Client):
    mia.navigate(project="shop", task="checkout")

    assert mia.navigate(task="search")["navigation"] == {"project": "shop", "task": "search"}
    assert mia.navigate()["navigation"] == {"project": "shop", "task": "search"}


def test_saying_the_same_again_writes_nothing(mia: Client):
    mia.navigate(project="shop")
    before = mia.records()

    mia.navigate(project="shop")

    assert mia.records() == before


def test_before_there_is_a_session_the_connection_remembers(box: Box):
    mia = Client(box)
    answer = mia.navigate(project="shop", task="checkout")

    assert answer["remembered"] == "by this connection, until a session begins"
    assert mia.records() == 0
    mia.start_new(task="search")
    assert mia.get_state()["navigation"] == {"project": "shop", "task": "search"}


def test_navigating_shows_the_sessions_there_and_the_projects_there_are(library: Client):
    mia = Client(library.box)

    assert [(each["name"], each["sessions"]) for each in mia.navigate()["projects"]] == [("shop", 2), ("site", 1)]
    answer = mia.navigate(project="shop")
    assert titles(answer) == ["Beta", "alpha"]
    assert "projects" not in answer
    assert titles(mia.navigate(task="speed")) == ["alpha"]


def test_a_project_that_has_no_session_yet_can_be_navigated_to(mia: Client):
    assert titles(mia.navigate(project="new")) == ["Slow pages"]


def test_another_domain_filters_other_models(mia: Client):
    assert mia.navigate(domain="debugging")["stage"] == 3
    assert mia.call("mental_models.list_models")["filter"] == "debugging"
    mia.navigate(domain="planning")
    assert mia.call("mental_models.list_models")["filter"] == "planning"


# roots


def test_a_client_that_does_not_tell_its_roots_gets_a_clear_answer(tom: Client):
    answer = tom.list_roots()

    assert answer["supported"] is False
    assert answer["roots"] == []
    assert "navigate" in answer["message"]
    with pytest.raises(InvalidOperation, match="does not tell its roots") as refused:
        tom.bind_root(rootUri=SHOP.uri)
    recommended = json.loads(str(refused.value.recovery).partition(": ")[2].removesuffix("."))
    assert tom.thoughtbox_gateway(**recommended)["navigation"]["project"] == "web shop"


def test_the_clients_roots_are_listed_and_the_bound_one_is_marked(box: Box):
    mia = Client(box, roots=[SHOP, SITE]).ready()

    assert mia.list_roots() == {
        "supported": True,
        "roots": [{"uri": SHOP.uri, "name": "shop", "bound": False}, {"uri": SITE.uri, "bound": False}],
    }
    mia.bind_root(rootUri=SITE.uri)
    assert [root["bound"] for root in mia.list_roots()["roots"]] == [False, True]


def test_a_client_without_roots_has_none(box: Box):
    mia = Client(box, roots=[])

    assert mia.list_roots() == {"supported": True, "roots": []}
    with pytest.raises(InvalidPayload, match="none of the client's roots"):
        mia.bind_root(rootUri=SHOP.uri)


@pytest.mark.parametrize(("root", "project"), [(SHOP, "shop"), (SITE, "site"), (Root("file:///a%20b", None), "a b")])
def test_a_bound_root_is_the_project(box: Box, root: Root, project: str):
    mia = Client(box, roots=[root]).ready()

    answer = mia.bind_root(rootUri=root.uri)

    assert answer == {"boundRoot": root.uri, "project": project, "remembered": "in the session"}
    session = mia.session_get()["session"]
    assert (session["boundRoot"], session["project"]) == (root.uri, project)
    assert mia.get_state()["navigation"]["root"] == root.uri


def test_only_a_root_that_the_client_has_can_be_bound(box: Box):
    mia = Client(box, roots=[SHOP]).ready()
    before = mia.records()

    for wrong in ("file:///", "file:///etc", SHOP.uri + "/", "nowhere"):
        with pytest.raises(InvalidPayload, match="none of the client's roots"):
            mia.bind_root(rootUri=wrong)

    assert mia.records() == before


def test_sessions_begun_under_a_bound_root_belong_to_it_and_only_they_are_listed(box: Box):
    Client(box).start_new(sessionTitle="elsewhere", project="other")
    mia = Client(box, roots=[SHOP])
    mia.bind_root(rootUri=SHOP.uri)
    mia.start_new(sessionTitle="here")

    assert mia.session_get()["session"]["project"] == "shop"
    assert titles(mia.list_sessions()) == ["here"]
    assert titles(mia.session_list()) == ["here"]
    assert titles(mia.list_sessions(project="other")) == ["elsewhere"]


# cipher


def test_the_cipher_is_the_document_itself(tom: Client):
    answer = tom.cipher()

    assert answer["cipher"] == content.text("cipher.md")
    assert answer["sessionId"] == tom.session_id
    assert (answer["stage"], answer["stageName"]) == (2, "cipher_loaded")


def test_the_cipher_in_brief_is_short_and_opens_thinking_just_the_same(tom: Client):
    tom.start_new()
    assert tom.stage == 1

    answer = tom.cipher(brief=True)

    assert answer["cipher"] == content.text("cipher-brief.md")
    assert len(answer["cipher"]) <= 400
    assert (answer["sessionId"], answer["stage"]) == (tom.session_id, 2)
    assert tom.think("S1|O|Pages are slow")["thoughtNumber"] == 1
    assert tom.cipher(brief=False)["cipher"] == content.text("cipher.md")


# workspaces


def test_workspaces_know_nothing_of_each_other(box: Box, mia: Client):
    mia.think("a secret zebra")
    mia.call("knowledge.create_pattern", title="Secret", description="d", content="zebra")
    mia.call("knowledge.write_note", title="Secret", content="zebra")
    mia.navigate(project="secret")
    eve = Client(box, workspace="other").ready()
    eve.start_new(sessionTitle="Eve's")

    assert titles(eve.list_sessions()) == ["Eve's", "Slow pages"]
    assert eve.list_sessions(project="secret")["count"] == 0
    assert eve.session_search(query="zebra")["count"] == 0
    assert eve.call("knowledge.list_patterns")["count"] == 0
    assert eve.call("knowledge.list_notes", search="zebra")["count"] == 0
    assert eve.navigate()["projects"] == []
    for operation in ("load_context", "session.resume", "session.get", "session.export", "session.delete"):
        with pytest.raises(SessionNotFound, match="workspace `other`"):
            eve.call(operation, sessionId=mia.session_id)
    assert mia.session_get()["session"]["thoughtCount"] == 1
