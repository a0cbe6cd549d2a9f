"""The HTTP API: what every route answers, what it refuses, and that nothing that is asked changes anything."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.support.box import WORKSPACE, Box, empty_schema
from tests.support.boxes import OpenBox
from tests.support.notebooks import NODE
from tests.support.servers import soon
from tests.support.thinker import Client
from tests.support.watching import Observe, Observed, Story, observed
from thoughtbox.domains.thoughts.view.lines import Line, Node
from thoughtbox.domains.thoughts.watched.diff import compared, way_to
from thoughtbox.doors.observatory.reads import records
from thoughtbox.doors.observatory.reads.graph import KINDS
from thoughtbox.ledger.feed import Wanted
from thoughtbox.ledger.record import Record
from thoughtbox.operations.caller import ANONYMOUS
from thoughtbox.verifier import verify

Steps = list[Callable[[], object]]


class Day:
    """A box with something in every room, written step by step."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.story = Story(box)

    def steps(self) -> Steps:
        box, mia = self.box, self.story.mia
        return [
            lambda: box.thought_record(sessionId="s", thoughtType="note", content="because", actionId="act-1"),
            lambda: box.thought_plan(sessionId="s", planDescription="a plan"),
            lambda: box.thought_record(sessionId="s", thoughtType="note", content="and so", actionId="act-2"),
            lambda: box.tasks_create(kind="plan", title="Faster lists"),
            lambda: box.tasks_create(kind="task", title="Ask once", parent="PLAN-001"),
            lambda: box.think_card(card={"type": "hypothesis", "title": "Cache", "text": "A cache would do."}),
            lambda: box.tasks_jobs_create(title="Measure", prompt="measure it"),
            lambda: box.record_episode(summary="Always warm the cache.", outcome="success", source="user"),
            lambda: box.run_consolidation(threshold=1),
            lambda: mia.session_rename(title="Fast pages"),
            lambda: mia.call("branch.adopt", branchId="alt"),
            lambda: mia.think("Done.", nextThoughtNeeded=False),
            lambda: box.call("notebook.create", {"name": "How fast"}),
            lambda: box.call(
                "notebook.add_cell",
                {"notebookId": "latest", "type": "code", "content": "console.log('12 ms')", "filename": "fast.js"},
            ),
            lambda: box.call("notebook.run_cell", {"notebookId": "latest", "cellId": "fast.js"}),
            lambda: box.call("notebook.cite", {"runId": last_run(box), "target": "th:1"}),
        ]


def last_run(box: Box) -> str:
    events = box.call("notebook.history", {"notebookId": "latest"})["events"]
    return next(event["runId"] for event in events if "runId" in event)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def day(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observed]:
    """An Observatory in front of a whole day. Nobody writes to it any more."""
    with ExitStack() as kept:
        place = {}
        if request.param == "postgres":
            place = {"THOUGHTBOX_DATABASE_URL": kept.enter_context(empty_schema(request.config))}
        box = Box(tmp_path_factory.mktemp("day"), THOUGHTBOX_NODE=NODE, **place)
        kept.callback(box.close)
        for step in Day(box).steps():
            step()
        yield kept.enter_context(observed(box))


def session_of(shown: Observed) -> str:
    return shown.ask("/api/sessions")["sessions"][0]["id"]


def routes(shown: Observed) -> dict[str, dict[str, object]]:
    """Every route of the document, with what it takes to get an answer."""
    session = session_of(shown)
    needed: dict[str, dict[str, object]] = {
        "/api/search": {"q": "cache"},
        "/api/diff": {"sessionId": session, "from": "main", "to": "alt"},
        "/api/trail": {"actionId": "act-1"},
    }
    cell = shown.ask("/api/memory/cells")["cells"][0]["cell_id"]
    notebook = shown.ask("/api/notebooks/latest")
    run = notebook["cells"][0]["run"]
    ids = {
        "/api/sessions/{id}": session,
        "/api/records/{id}": "th:3",
        "/api/memory/cells/{id}": str(cell),
        **{f"/api/notebooks/{{id}}{part}": notebook["id"] for part in ("", "/history", "/citations")},
        "/api/runs/{id}": run["runId"],
        "/api/outputs/{id}": run["pieces"][0]["forms"][0]["sha256"],
    }
    document = shown.ask("/api/openapi.json")
    return {path.replace("{id}", ids.get(path, "")): needed.get(path, {}) for path in document["paths"]}


def path_of(route: str) -> str:
    """A route as the document spells it."""
    found = re.fullmatch(r"(/api/(?:sessions|records|memory/cells|notebooks|runs|outputs)/)[^/]+(/\w+)?", route)
    return f"{found[1]}{{id}}{found[2] or ''}" if found is not None else route


def tail(shown: Observed, wanted: Wanted | None = None) -> list[Record]:
    found = shown.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, lambda tx: list(tx.ledger.tail(0))).result()
    return [record for record in found if wanted is None or wanted.fits(record)]


def head(shown: Observed) -> str:
    return tail(shown)[-1].hash.hex()


# The document


def test_the_document_is_openapi_and_its_parts_fit_together(day: Observed):
    document = day.ask("/api/openapi.json")

    assert document["openapi"].startswith("3.1")
    assert document["info"]["title"]
    assert document["info"]["version"]
    for name, schema in document["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema), name
    for path, item in document["paths"].items():
        assert set(item) == {"get"}, "nothing can be written"
        parameters = item["get"]["parameters"]
        assert [each["name"] for each in parameters if each["in"] == "path"] == (["id"] if "{id}" in path else [])
        assert len({each["name"] for each in parameters}) == len(parameters)
        assert {"200", "default"} <= set(item["get"]["responses"])
        for each in parameters:
            Draft202012Validator.check_schema(each["schema"])
            assert each["in"] == "path" or each["description"]
    for reference in set(_references(document)):
        assert reference.removeprefix("#/components/schemas/") in document["components"]["schemas"], reference


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield part["$ref"]
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _references(each)


def test_every_route_answers_what_the_document_says(day: Observed):
    document = day.ask("/api/openapi.json")
    for route, query in routes(day).items():
        answer = day.get(route, query)
        assert answer.status == 200, (route, answer.body)
        [(kind, media)] = document["paths"][path_of(route)]["get"]["responses"]["200"]["content"].items()
        if kind == "application/json":
            assert answer.headers["content-type"] == "application/json"
            schema = {**media["schema"], "components": document["components"]}
            Draft202012Validator(schema).validate(answer.json())


def test_refusals_have_the_one_shape_that_the_document_gives_them(day: Observed):
    document = day.ask("/api/openapi.json")
    schema = {"$ref": "#/components/schemas/ErrorShown", "components": document["components"]}
    for path, query in (
        ("/api/sessions/nobody", {}),
        ("/api/records/th:9999", {}),
        ("/api/records/x", {}),
        ("/api/memory/cells/x", {}),
        ("/api/notebooks/x", {}),
        ("/api/notebooks/x/history", {}),
        ("/api/notebooks/x/citations", {}),
        ("/api/runs/th:1", {}),
        ("/api/outputs/x", {}),
        ("/api/nothing", {}),
        ("/api/records", {"limit": 0}),
        ("/api/sessions/a%00b", {}),
        ("/nothing", {}),
    ):
        answer = day.get(path, query)
        assert answer.status in (400, 404), path
        Draft202012Validator(schema).validate(answer.json())


def test_health_says_who_is_there(day: Observed):
    health = day.ask("/api/health")

    assert (health["status"], health["workspace"], health["readOnly"]) == ("ok", WORKSPACE, False)
    assert (health["connections"], health["maxConnections"]) == (0, 100)


def test_without_the_http_api_there_is_health_and_nothing_else_and_watching_goes_on(
    open_box: OpenBox, observe: Observe
):
    shown = observe(open_box(THOUGHTBOX_OBSERVATORY_HTTP_API="false"))

    assert shown.ask("/api/health")["status"] == "ok"
    for path in ("/api/records", "/api/openapi.json", "/api/export", "/api/workspaces", "/api/nothing"):
        status, _, message = shown.refusal(path)
        assert (status, "THOUGHTBOX_OBSERVATORY_HTTP_API" in message) == (404, True)
    watcher = shown.watch()
    watcher.subscribe("sessions")
    assert watcher.next()["event"] == "sessions:list"


def test_nothing_that_is_asked_changes_anything(day: Observed):
    before = head(day)

    for route, query in routes(day).items():
        for extra in ({}, {"limit": 1}, {"nonsense": 1}, {"cursor": "x"}, {"workspace": "elsewhere"}):
            day.get(route, {**query, **extra})
            day.get(route, {**query, **extra}, method="HEAD")

    assert head(day) == before
    assert [each["workspace"] for each in day.ask("/api/workspaces")["workspaces"]] == [WORKSPACE]


# Parameters


def test_what_a_route_does_not_take_is_refused_by_name(day: Observed):
    for route, query in routes(day).items():
        if route in ("/api/health", "/api/openapi.json"):
            continue
        status, code, message = day.refusal(route, **query, nonsense="1")
        assert (status, code) == (400, "INVALID_PAYLOAD"), route
        assert "nonsense" in message
        answer = day.get(f"{route}?workspace=a&workspace=b")
        assert answer.status == 400
        assert "workspace" in answer.json()["message"]


@pytest.mark.parametrize(
    ("path", "name", "values"),
    [
        ("/api/records", "limit", ["0", "501", "-1", "1.5", "x", "1e2", "٣", "9" * 40, " 1", "0x1"]),
        ("/api/records", "asOf", ["-1", "x", str(2**53 + 1), "9" * 17]),
        ("/api/records", "after", ["-1", "x", str(2**53 + 1)]),
        ("/api/records", "order", ["up", "ASC"]),
        ("/api/records", "kind", ["opinion"]),
        ("/api/records", "ids", ["17", "th:", "th:0", "th:x", ",".join(["th:1"] * 201)]),
        ("/api/records", "cursor", ["x", "W10", "é", "A" * 900]),
        ("/api/records", "workspace", ["../x", "a b", "x" * 200]),
        ("/api/records", "stream", ["x" * 1001, "a\0b"]),
        ("/api/sessions", "status", ["done"]),
        ("/api/sessions", "limit", ["0", "201"]),
        ("/api/search", "limit", ["101"]),
        ("/api/graph", "limit", ["20001"]),
        ("/api/chain", "limit", ["2001"]),
        ("/api/streams", "limit", ["501"]),
        ("/api/export", "format", ["pdf"]),
        ("/api/tasks", "status", ["SOME"]),
        ("/api/cards", "target", ["x"]),
        ("/api/memory/cells", "scope", ["moon"]),
        ("/api/notebooks", "limit", ["0", "201"]),
        ("/api/notebooks", "cursor", ["x"]),
        ("/api/notebooks/latest", "limit", ["0", "201"]),
        ("/api/notebooks/latest", "cursor", ["x"]),
        ("/api/notebooks/latest/history", "cursor", ["x"]),
        (f"/api/outputs/{'0' * 64}", "type", ["text/javascript", "application/octet-stream"]),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_the_name_of_its_parameter(
    day: Observed, path: str, name: str, values: list[str]
):
    needed = {"q": "cache"} if path == "/api/search" else {}
    for value in values:
        answer = day.get(path, {**needed, name: value})
        assert answer.status == 400, (value, answer.body)
        said = answer.json()
        assert said["message"]
        assert name in json.dumps(said, ensure_ascii=False), said


@pytest.mark.parametrize("query", ["q=%ff", "%ff=1", "&".join(f"a{n}=1" for n in range(60)), "=", "q=a&q=b"])
def test_a_query_that_cannot_be_read_is_refused(day: Observed, query: str):
    assert day.get(f"/api/search?{query}").status == 400


@pytest.mark.parametrize("path", ["/api/search", "/api/diff", "/api/trail"])
def test_what_has_to_be_said_is_asked_for(day: Observed, path: str):
    status, code, message = day.refusal(path)

    assert (status, code) == (400, "INVALID_PAYLOAD")
    assert "missing" in message


def test_a_cursor_of_another_route_is_refused(day: Observed):
    cursors = {
        route: day.ask(route, **{**query, "limit": 1})["nextCursor"]
        for route, query in routes(day).items()
        if route in ("/api/records", "/api/graph", "/api/chain", "/api/streams", "/api/actions", "/api/search")
    }
    assert all(cursors.values())
    for route, cursor in cursors.items():
        for other, query in routes(day).items():
            if other in cursors and other != route:
                status, _, message = day.refusal(other, **{**query, "cursor": cursor})
                assert (status, "cursor" in message) == (400, True)


def test_a_workspace_that_is_empty_answers_with_nothing(day: Observed):
    assert day.ask("/api/records", workspace="empty") == {"records": [], "nextCursor": None, "seq": 0}
    assert day.ask("/api/sessions", workspace="empty") == {"sessions": [], "nextCursor": None, "seq": 0}
    assert day.ask("/api/graph", workspace="empty")["seqs"] == []
    assert day.ask("/api/chain", workspace="empty")["rows"] == []
    assert day.ask("/api/search", workspace="empty", q="cache")["hits"] == []


def test_whatever_a_path_or_a_query_holds_is_answered_and_nothing_falls_over(day: Observed):
    odd = ["'", '"', ";--", "%", "_", "💩", "\u202e", "a" * 900, "../..", "{id}", "<img onerror=x>", "NaN"]
    odd += ["th:" + "9" * 18, "th:0", "th:-1", "th:٣"]
    for text in odd:
        for path in ("sessions/", "records/", "memory/cells/", "notebooks/", "runs/", "outputs/"):
            path = f"/api/{path}"
            assert day.get(path + quote(text, safe="")).status in (400, 404), (path, text)
        assert day.get("/api/search", {"q": text}).status == 200
        for name in ("room", "stream", "sessionId", "agent"):
            assert day.ask("/api/records", **{name: text})["records"] == []
        assert day.get("/api/graph", {"stream": text}).json()["seqs"] == []
        assert day.get("/api/diff", {"sessionId": text, "from": "main", "to": "main"}).status == 404
        assert day.get("/api/trail", {"actionId": text}).status in (200, 400)
        assert day.get("/api/streams", {"room": text}).json()["streams"] == []
        assert day.get("/api/sessions", {"search": text}).status == 200


# Pages


@pytest.mark.parametrize(
    ("about", "wanted"),
    [
        ({}, Wanted()),
        ({"room": "thoughts"}, Wanted(rooms=["thoughts"])),
        ({"kind": "plan"}, Wanted(kinds=["plan"])),
        ({"stream": "trail/s"}, Wanted(streams=["trail/s"])),
        ({"sessionId": "s"}, Wanted(sessions=["s"])),
        ({"agent": "mia"}, Wanted(agents=["mia"])),
        ({"room": "trail", "agent": "tester", "stream": "trail/s"}, Wanted(rooms=["trail"], agents=["tester"])),
        ({"agent": "nobody"}, Wanted(agents=["nobody"])),
    ],
    ids=str,
)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_of_records_are_all_that_fit_once_and_in_order(
    day: Observed, about: dict[str, str], wanted: Wanted, order: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(records, "MOST_LOOKED_AT", 7)  # a page of a rare kind may be empty, and leads on
    expected = [record.seq for record in tail(day, wanted)][:: 1 if order == "asc" else -1]

    for limit in (1, 3, 500):
        found = [
            record["seq"]
            for page in day.pages("/api/records", limit=limit, order=order, **about)
            for record in page["records"]
        ]
        assert found == expected


def test_records_behind_a_number_and_before_it(day: Observed):
    assert [each["seq"] for each in day.ask("/api/records", after=5, limit=2)["records"]] == [6, 7]
    assert [each["seq"] for each in day.ask("/api/records", after=5, limit=2, order="desc")["records"]] == [4, 3]
    assert day.ask("/api/records", after=2**53)["records"] == []


def test_records_by_their_ids_come_in_order_and_those_that_there_are_not_are_left_out(day: Observed):
    found = day.ask("/api/records", ids="th:5, th:1,th:9999,th:5")["records"]

    assert [each["id"] for each in found] == ["th:1", "th:5"]


def test_pages_of_every_other_route_hold_everything_once(day: Observed):
    seqs = [record.seq for record in tail(day)]

    assert [seq for page in day.pages("/api/graph", limit=4) for seq in page["seqs"]] == seqs
    assert [row[0] for page in day.pages("/api/chain", limit=4) for row in page["rows"]] == seqs
    streams = [each["stream"] for page in day.pages("/api/streams", limit=1) for each in page["streams"]]
    assert sorted(streams) == sorted({record.stream for record in tail(day)})
    assert [each["actionId"] for page in day.pages("/api/actions", limit=1) for each in page["actions"]] == [
        "act-2",
        "act-1",
    ]
    hits = [hit["id"] for page in day.pages("/api/search", q="cache", limit=1) for hit in page["hits"]]
    assert len(hits) == len(set(hits))
    assert set(hits) == {hit["id"] for hit in day.ask("/api/search", q="cache", limit=100)["hits"]}
    assert len(hits) > 2


def test_sessions_come_in_pages_by_status_and_by_words(open_box: OpenBox, observe: Observe):
    shown = observe(open_box())
    clients = [Client(shown.box).ready(sessionTitle=f"About {name}") for name in ("caches", "rows", "lists", "pages")]
    clients[1].session_complete()
    clients[3].session_complete()
    ids = [client.session_id for client in clients]

    def found(**query: object) -> list[str]:
        return [each["id"] for page in shown.pages("/api/sessions", limit=1, **query) for each in page["sessions"]]

    assert found() == [ids[3], ids[1], ids[2], ids[0]]
    assert found(status="active") == [ids[2], ids[0]]
    assert found(status="completed") == [ids[3], ids[1]]
    assert found(status="abandoned") == []
    assert found(search="caches") == found(q="caches") == [ids[0]]
    assert found(search="rows", status="active") == []
    shown_there = shown.ask("/api/sessions", search="rows")["sessions"][0]
    assert (shown_there["title"], shown_there["status"]) == ("About rows", "completed")
    assert shown_there["completedAt"] is not None


# What was


def test_as_of_a_record_every_route_answers_as_when_it_was_the_newest(open_box: OpenBox, observe: Observe):
    shown = observe(open_box(THOUGHTBOX_NODE=NODE))
    day = Day(shown.box)
    asked = {
        "/api/sessions": {},
        f"/api/sessions/{day.story.id}": {},
        "/api/records": {"order": "desc"},
        "/api/records/th:3": {},
        "/api/search": {"q": "cache"},
        "/api/diff": {"sessionId": day.story.id, "from": "main", "to": "alt"},
        "/api/graph": {},
        "/api/actions": {},
        "/api/trail": {"actionId": "act-1"},
        "/api/tasks": {},
        "/api/jobs": {},
        "/api/cards": {},
        "/api/memory/cells": {},
        "/api/notebooks": {},
    }
    of_notebook = [f"/api/notebooks/latest{part}" for part in ("", "/history", "/citations")]
    document = shown.ask("/api/openapi.json")
    having = {
        path
        for path, item in document["paths"].items()
        if any(parameter["name"] == "asOf" for parameter in item["get"]["parameters"])
    }
    later = {"/api/memory/cells/{id}", "/api/runs/{id}", "/api/outputs/{id}"}
    assert having == {*map(path_of, asked), *later, *map(path_of, of_notebook), "/api/export"}

    told: dict[tuple[str, int], Any] = {}
    for step in [lambda: None, *day.steps()]:
        step()
        seq = tail(shown)[-1].seq
        told |= {(path, seq): shown.ask(path, **query) for path, query in asked.items()}
        told |= {(path, seq): shown.get(path).json() for path in of_notebook}

    for (path, seq), answer in told.items():
        then = shown.get(path, {**asked.get(path, {}), "asOf": seq}).json()
        assert _without_times(then) == _without_times(answer), (path, seq)


def _without_times(part: Any) -> Any:
    """What is said of the moment of asking is of that moment."""
    if isinstance(part, dict):
        kept = [name for name in part if name not in ("timestamp", "timestamp_ms") or "intent" not in part]
        return {name: _without_times(part[name]) for name in kept}
    return list(map(_without_times, part)) if isinstance(part, list) else part


def test_before_the_first_record_there_is_nothing(day: Observed):
    assert day.ask("/api/records", asOf=0)["records"] == []
    assert day.ask("/api/sessions", asOf=0)["sessions"] == []
    assert day.refusal(f"/api/sessions/{session_of(day)}", asOf=0)[0] == 404
    assert day.refusal("/api/records/th:1", asOf=0)[0] == 404


# One record


def test_a_record_comes_with_its_hashes_its_proof_and_its_neighbours(day: Observed, tmp_path: Path):
    everything = tail(day)
    for record in everything:
        read = day.ask(f"/api/records/{record.id}")
        in_stream = [each.id for each in everything if each.stream == record.stream]
        place = in_stream.index(record.id)
        linked = sha256(bytes.fromhex(read["previousHash"]) + bytes.fromhex(read["contentHash"])).hexdigest()
        assert (read["hash"], read["hash"]) == (linked, record.hash.hex())
        assert read["record"] == dict(record.envelope)
        beside = {name: each and each["id"] for name, each in read["neighbours"].items()}
        assert beside == {
            "previous": in_stream[place - 1] if place else None,
            "next": in_stream[place + 1] if place + 1 < len(in_stream) else None,
            "before": f"th:{record.seq - 1}" if record.seq > 1 else None,
            "after": f"th:{record.seq + 1}" if record.seq < len(everything) else None,
        }
        proof = read["proof"]
        assert (proof["index"], proof["size"]) == (record.seq - 1, len(everything))
        assert _root(bytes.fromhex(read["hash"]), proof) == proof["root"]


def _root(leaf: bytes, proof: dict[str, Any]) -> str:
    """RFC 6962, 2.1.1, written anew: the root that a record leads to."""
    place, last = proof["index"], proof["size"] - 1
    found = sha256(b"\0" + leaf).digest()
    for step in map(bytes.fromhex, proof["path"]):
        if place % 2 or place == last:
            found = sha256(b"\1" + step + found).digest()
            while place and not place % 2:
                place, last = place // 2, last // 2
        else:
            found = sha256(b"\1" + found + step).digest()
        place, last = place // 2, last // 2
    return found.hex()


def test_a_record_says_what_refers_to_it_and_which_session_it_is_of(day: Observed):
    session = session_of(day)
    two = next(record for record in tail(day) if record.text == "Each row asks the database.")

    read = day.ask(f"/api/records/{two.id}")

    assert [(each["relation"], each["text"]) for each in read["referredToBy"]] == [("revises", "Each row asks twice.")]
    assert read["session"]["id"] == session
    assert day.ask("/api/records/th:11")["session"] is None


# Where everything stands


def test_the_graph_has_a_place_for_every_record_and_leads_back_to_the_first(day: Observed):
    graph = day.ask("/api/graph")
    columns = [graph[name] for name in ("seqs", "lane", "kind", "parent", "times", "numbers", "flags")]

    assert {len(column) for column in columns} == {len(tail(day))}
    assert graph["total"] == graph["seq"] == len(tail(day))
    assert all(parent < seq for seq, parent in zip(graph["seqs"], graph["parent"], strict=True))
    lanes = [(lane["stream"], lane["branch"]) for lane in graph["lanes"]]
    assert len(lanes) == len(set(lanes))
    session = session_of(day)
    own = day.ask("/api/graph", sessionId=session)
    read = day.ask(f"/api/sessions/{session}")
    thoughts = [*read["thoughts"], *(each for one in read["branches"].values() for each in one["thoughts"])]
    assert own["seqs"] == sorted(thought["seq"] for thought in thoughts)
    assert own["total"] == len(thoughts)
    nodes = {thought["seq"]: thought for thought in thoughts}
    parents = dict(zip(own["seqs"], own["parent"], strict=True))
    for seq, thought in nodes.items():
        assert (nodes[parents[seq]]["id"] if parents[seq] in nodes else None) == thought.get("parentId")
    flags = dict(zip(own["seqs"], own["flags"], strict=True))
    assert {seq for seq, flag in flags.items() if flag & 1} == {seq for seq in nodes if nodes[seq].get("isRevision")}
    assert {seq for seq, flag in flags.items() if flag & 2} == {
        one["thoughts"][0]["seq"] for one in read["branches"].values()
    }


def test_the_chain_is_raw_and_its_hashes_can_be_computed_anew(day: Observed):
    heads: dict[str, bytes] = {}
    for page in day.pages("/api/chain", limit=7):
        for seq, stream, index, content, linked in page["rows"]:
            genesis = sha256(b"\n".join((b"thoughtbox/stream/v1", WORKSPACE.encode(), stream.encode()))).digest()
            before = heads.get(stream, genesis)
            heads[stream] = sha256(before + sha256(content.encode()).digest()).digest()
            assert heads[stream].hex() == linked, (seq, index)
    assert set(heads) == {record.stream for record in tail(day)}


# Side by side


def test_two_branches_are_compared_from_where_they_part(open_box: OpenBox, observe: Observe):
    shown = observe(open_box())
    story = Story(shown.box)

    found = shown.ask("/api/diff", sessionId=story.id, **{"from": "main", "to": "alt"})

    assert (found["by"], found["common"]) == ("branches", 2)
    assert found["from"] == {"name": "main", "branch": None, "seq": None, "thoughts": 4}
    assert found["to"] == {"name": "alt", "branch": "alt", "seq": None, "thoughts": 5}
    assert (found["fork"]["id"], found["fork"]["recordId"]) == (story.node("2"), f"th:{story.two}")
    assert [each["seq"] for each in found["onlyFrom"]] == [story.three, story.revised]
    assert [each["seq"] for each in found["onlyTo"]] == [story.alt, story.alt_on, story.alt_revised]
    assert found["merge"]["adopts"] == "alt"
    deep = shown.ask("/api/diff", sessionId=story.id, **{"from": "alt", "to": "deep"})
    assert (deep["common"], deep["fork"]["id"]) == (3, story.node("alt:3"))
    assert [each["seq"] for each in deep["onlyTo"]] == [story.deep]
    same = shown.ask("/api/diff", sessionId=story.id, **{"from": "alt", "to": "alt"})
    assert (same["onlyFrom"], same["onlyTo"], same["merge"]) == ([], [], None)


def test_two_moments_are_compared_by_what_came_between(open_box: OpenBox, observe: Observe):
    shown = observe(open_box())
    story = Story(shown.box)

    found = shown.ask("/api/diff", sessionId=story.id, **{"from": story.two, "to": story.deep})
    back = shown.ask("/api/diff", sessionId=story.id, **{"from": story.deep, "to": story.two})

    assert (found["by"], found["merge"], found["common"]) == ("time", None, 2)
    assert [each["seq"] for each in found["onlyTo"]] == [story.three, story.alt, story.alt_on, story.deep]
    assert (found["onlyFrom"], found["from"]["seq"]) == ([], story.two)
    assert (back["onlyFrom"], back["onlyTo"]) == (found["onlyTo"], found["onlyFrom"])


def test_a_branch_that_is_called_main_does_not_stand_in_for_the_main_line(open_box: OpenBox, observe: Observe):
    shown = observe(open_box())
    story = Story(shown.box)
    story.mia.think("Oddly named.", branchId="main", branchFromThought=2)

    found = shown.ask("/api/diff", sessionId=story.id, **{"from": "main", "to": "alt"})

    assert [each["seq"] for each in found["onlyFrom"]] == [story.three, story.revised]


@pytest.mark.parametrize(("from_", "to"), [("main", "nowhere"), ("nowhere", "main"), ("main", "5"), ("", "main")])
def test_what_cannot_be_compared_is_refused_and_the_branches_are_named(day: Observed, from_: str, to: str):
    status, code, _ = day.refusal("/api/diff", sessionId=session_of(day), **{"from": from_, "to": to})

    assert (status, code) == (400, "INVALID_PAYLOAD")


@st.composite
def trees(draw: st.DrawFn) -> tuple[dict[str, Line], dict[str, list[Node]]]:
    """Lines of a session as they grow: each record goes on on a line, or forks off one that there is."""
    nodes: dict[str, list[Node]] = {"": [Node("", 1, 1, "claim")]}
    lines = {"": Line("", None, None, None, 1, 1, 1, 1, 1)}
    for seq in range(2, draw(st.integers(2, 25))):
        name = draw(st.sampled_from(sorted(lines)))
        if draw(st.booleans()):
            origin = draw(st.sampled_from(nodes[name]))
            branch = draw(st.sampled_from(["a", "b", "main", "7", "c"])) + str(len(lines)) * draw(st.integers(0, 1))
            if branch not in lines:
                lines[branch] = Line(branch, name, origin.seq, origin.number, seq, seq, 1, 1, 1)
                nodes[branch] = [Node(branch, origin.number + 1, seq, "claim")]
                continue
        nodes[name].append(Node(name, len(nodes[name]) + 1, seq, "claim"))
    return lines, nodes


@given(trees(), st.data())
def test_the_way_to_a_branch_is_its_own_thoughts_and_those_before_each_fork(
    tree: tuple[dict[str, Line], dict[str, list[Node]]], data: st.DataObject
):
    lines, nodes = tree
    parent = {
        node.seq: before.seq if before is not None else lines[name].origin
        for name, own in nodes.items()
        for before, node in zip([None, *own], own, strict=False)
    }
    branch = data.draw(st.sampled_from(sorted(lines)))
    expected: list[int] = []
    place: int | None = nodes[branch][-1].seq
    while place is not None:
        expected.append(place)
        place = parent[place]

    assert [node.seq for node in way_to(lines, nodes, branch)] == expected[::-1]


@given(trees(), st.data())
def test_what_is_compared_is_what_both_have_and_what_each_has_alone(
    tree: tuple[dict[str, Line], dict[str, list[Node]]], data: st.DataObject
):
    lines, nodes = tree
    ways = [way_to(lines, nodes, data.draw(st.sampled_from(sorted(lines)))) for _ in range(2)]

    common, only_from, only_to = compared(*ways)

    assert common + only_from == ways[0], "two lines of a tree part once"
    assert common + only_to == ways[1]
    assert not {node.seq for node in only_from} & {node.seq for node in only_to}


# Search


def test_search_finds_records_of_every_room_and_narrows_them(day: Observed):
    def found(**query: object) -> list[dict[str, Any]]:
        return day.ask("/api/search", q="cache", **query)["hits"]

    assert {hit["room"] for hit in found()} >= {"thoughts", "mind", "memory"}
    assert all("«" in hit["snippet"] for hit in found())
    for room in ("thoughts", "mind"):
        assert {hit["room"] for hit in found(room=room)} == {room}
    session = session_of(day)
    assert {hit["session"] for hit in found(sessionId=session)} == {session}
    assert {hit["title"] for hit in found(sessionId=session)} == {"Fast pages"}
    assert {hit["kind"] for hit in found(kind="revision")} == {"revision"}
    assert found(room="nowhere") == []


# Verifying and exporting


def test_verify_says_that_the_ledger_stands(day: Observed):
    verdict = day.ask("/api/verify")

    assert (verdict["valid"], verdict["records"]) == (True, len(tail(day)))
    assert verdict["problem"] is None


def test_the_export_of_a_workspace_is_its_file_and_verifies(day: Observed):
    answer = day.get("/api/export")

    assert answer.status == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="thoughtbox-{WORKSPACE}.jsonl"'
    report = verify(io.BytesIO(answer.body), keys=[], notes=[], progress=None)
    assert (report.standing != "broken", report.records) == (True, len(tail(day)))


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("json", "application/json"),
        ("markdown", "text/markdown"),
        ("cipher", "text/plain"),
        ("jsonl", "application/x-ndjson"),
    ],
)
def test_a_session_is_exported_in_four_forms(day: Observed, form: str, kind: str):
    session = session_of(day)

    answer = day.get("/api/export", {"sessionId": session, "format": form})

    assert answer.status == 200
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"].startswith("attachment; ")
    text = answer.body.decode()
    if form == "jsonl":
        lines = [json.loads(line) for line in text.splitlines()]
        assert [line["seq"] for line in lines] == [
            record.seq for record in tail(day) if record.stream == f"thoughts/{session}"
        ]
        assert "A cache would do." in text
    else:
        expected = Client(day.box, stateless=True).exported(form, sessionId=session)
        moment = re.compile(r'"exportedAt":"[^"]+"')
        assert moment.sub("", text) == moment.sub("", expected)


def test_a_workspace_is_exported_to_read_with_everything_that_was_said_in_it(day: Observed):
    answer = day.get("/api/export", {"format": "markdown"})

    assert answer.headers["content-type"].startswith("text/markdown")
    text = answer.body.decode()
    assert "# " in text
    for said in ("Each row asks the database", "A cache would do", "because", "a plan", "and so"):
        assert said in text
    two = next(record for record in tail(day) if record.text == "Each row asks the database.")
    then = day.get("/api/export", {"format": "markdown", "asOf": two.seq}).body.decode()
    assert "Each row asks the database" in then
    assert "A cache would do" not in then
    assert "a plan" not in then


def test_a_session_is_exported_as_it_was(day: Observed):
    session = session_of(day)
    two = next(record for record in tail(day) if record.text == "Each row asks the database.")

    for form in ("jsonl", "markdown"):
        text = day.get("/api/export", {"sessionId": session, "format": form, "asOf": two.seq}).body.decode()
        assert "Each row asks the database." in text
        assert "The database is slow." not in text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"format": "cipher"}, 400),
        ({"format": "json"}, 400),
        ({"asOf": 3}, 400),
        ({"sessionId": "nobody"}, 404),
        ({"sessionId": "nobody", "format": "cipher"}, 404),
    ],
    ids=str,
)
def test_what_cannot_be_exported_is_refused(day: Observed, query: dict[str, object], status: int):
    assert day.refusal("/api/export", **query)[0] == status


def test_the_head_of_an_export_has_no_body_and_the_connection_goes_on(day: Observed):
    connection = day.connect(b"HEAD /api/export HTTP/1.1\r\nHost: localhost\r\n\r\n")
    first = _head(connection)
    connection.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")

    assert first.startswith(b"HTTP/1.1 200")
    assert b"thoughtbox-export" not in first
    assert _head(connection).startswith(b"HTTP/1.1 200 OK")


def _head(connection: Any) -> bytes:
    found = b""
    while not found.endswith(b"\r\n\r\n"):
        found += connection.recv(1)
    return found


def test_downloads_that_nobody_takes_any_more_make_room_for_others(day: Observed):
    for _ in range(20):
        day.connect(b"GET /api/export HTTP/1.1\r\nHost: localhost\r\n\r\n").close()

    assert soon(lambda: day.get("/api/export").status == 200)


def test_kinds_are_counted_through_as_the_page_counts_them():
    """A graph names them by their place in this list; the page has a list of its own."""
    text = (Path(__file__).resolve().parents[3] / "ui" / "src" / "lanes" / "kinds.ts").read_text(encoding="utf-8")
    [listed] = re.findall(r"KINDS[^=]*= \[(.*?)\]", text, re.DOTALL)

    assert re.findall(r'"(\w+)"', listed) == list(KINDS)


# A store that was tampered with


@pytest.fixture
def tampered(tmp_path: Path) -> Iterator[Observed]:
    box = Box(tmp_path)
    for number in range(1, 6):
        box.thought_plan(sessionId="s", planDescription=f"Step {number}.")
    with observed(box) as shown:
        [file] = tmp_path.glob("*.db")
        connection = apsw.Connection(str(file))
        connection.execute("UPDATE records SET content = CAST(replace(content, 'Step', 'Stop') AS BLOB) WHERE seq = 3")
        connection.close()
        yield shown
    box.close()


def test_a_record_that_was_changed_is_shown_raw_and_never_as_if_it_were_whole(tampered: Observed):
    rows = tampered.ask("/api/chain")["rows"]
    assert [row[0] for row in rows] == [1, 2, 3, 4, 5]
    assert "Stop 3." in rows[2][3]

    for path in ("/api/records", "/api/records/th:3"):
        status, code, message = tampered.refusal(path)
        assert (status, code, "th:3" in message) == (500, "LEDGER_BROKEN", True)
    verdict = tampered.ask("/api/verify")
    assert (verdict["standing"], verdict["problem"]["record"]) == ("broken", "th:3")
    assert tampered.ask("/api/graph")["seqs"] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("id", "side"), [("th:2", "next"), ("th:4", "previous")])
def test_a_record_beside_one_that_was_changed_can_be_opened_and_names_it(tampered: Observed, id: str, side: str):
    neighbour = tampered.ask(f"/api/records/{id}")["neighbours"][side]

    assert (neighbour["id"], neighbour["kind"], neighbour["text"]) == ("th:3", None, "")


@pytest.mark.parametrize("about", [{}, {"sessionId": "s"}, {"agent": "nobody"}], ids=str)
def test_a_record_that_was_changed_is_told_as_an_error_and_the_others_as_they_are(
    tampered: Observed, about: dict[str, str]
):
    watcher = tampered.watch()

    watcher.subscribe("records", since=0, **about)

    told = watcher.some(1 if "agent" in about else 5)
    broken = next(event for event in told if event["event"] == "error")
    assert (broken["channel"], broken["data"]["code"]) == ("records", "LEDGER_BROKEN")
    others = [] if "agent" in about else [1, 2, 4, 5]
    assert [event["seq"] for event in told if event["event"] != "error"] == others
    tampered.box.thought_plan(sessionId="s", planDescription="On.")
    if not about.get("agent"):
        assert watcher.next()["seq"] == 6


def test_a_session_with_a_record_that_was_changed_is_told_so(tmp_path: Path):
    box = Box(tmp_path)
    story = Story(box)
    with observed(box) as shown:
        [file] = tmp_path.glob("*.db")
        connection = apsw.Connection(str(file))
        connection.execute("UPDATE records SET content = x'7b7d' WHERE seq = ?", (story.three,))
        connection.close()
        watcher = shown.watch()
        watcher.subscribe("reasoning", sessionId=story.id, since=0)
        told = watcher.until_seq(story.last)
        assert [event["data"]["code"] for event in told if event["event"] == "error"] == ["LEDGER_BROKEN"]
        assert [event["seq"] for event in told if event["event"] != "error"][:2] == [story.one, story.two]
    box.close()
