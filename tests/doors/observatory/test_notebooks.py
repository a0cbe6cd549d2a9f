"""Notebooks over HTTP: what cells have shown, piece by piece; outputs that do nothing; records as they come."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.box import Box, empty_schema
from tests.support.notebooks import NODE, Notebook
from tests.support.servers import soon
from tests.support.thinker import Client
from tests.support.watching import Observed, observed

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
PAGE = "<script>alert(1)</script>"
SHOWN: dict[str, str] = {
    "image/png": base64.b64encode(PNG).decode(),
    "image/svg+xml": SVG,
    "text/html": PAGE,
    "text/markdown": "*so*",
    "application/json": '{"a": 1}',
    "application/javascript": "alert(2)",
    "application/xhtml+xml": "<html xmlns='http://www.w3.org/1999/xhtml'/>",
    "text/x-unheard": "unheard",
    "text/html\r\nx-evil: 1": "split",
}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observed]:
    """An Observatory in front of a box that can run cells."""
    with ExitStack() as kept:
        engine = {}
        if request.param == "postgres":
            engine = {"THOUGHTBOX_DATABASE_URL": kept.enter_context(empty_schema(request.config))}
        box = Box(tmp_path_factory.mktemp("notebooks"), THOUGHTBOX_NODE=NODE, **engine)
        kept.callback(box.close)
        yield kept.enter_context(observed(box))


def made(place: Observed, **given: Any) -> Notebook:
    return Notebook(Client(place.box, stateless=True, agent="mia"), **given)


def shown_by(notebook: Notebook, data: dict[str, str], name: str = "shown.py") -> dict[str, str]:
    """What a Python cell shows as these things: their hashes."""
    source = f"import json\nfrom IPython.display import display\ndisplay(json.loads({json.dumps(data)!r}), raw=True)"
    ran = notebook.ran(source, name)
    assert ran["status"] == "completed", ran
    return {output["mime"]: output["sha256"] for output in ran["outputs"]}


def test_notebooks_come_in_pages_the_one_that_changed_last_first(place: Observed):
    ids = [made(place, name=f"Number {number}").id for number in range(3)]

    found: list[str] = []
    cursor: dict[str, object] = {}
    while len(found) < 3:
        page = place.ask("/api/notebooks", limit=1, **cursor)
        found += [each["id"] for each in page["notebooks"]]
        cursor = {"cursor": page["cursor"]} if "cursor" in page else {}

    assert found == ids[::-1]
    assert place.ask("/api/notebooks", limit=200) == place.box.call("notebook.list", {"limit": 200})


def test_a_notebook_has_its_cells_in_order_with_what_their_last_runs_have_shown(place: Observed):
    notebook = made(place, name="Trial")
    notebook.call("add_cell", type="title", content="Trial")
    notebook.call("add_cell", type="markdown", content="*so*")
    well = notebook.code("console.log('a'); console.error('b'); console.log('c')", "well.js")
    bad = notebook.code("1 / 0", "bad.py")
    notebook.code("never", "never.js")
    run = notebook.run(well)
    notebook.run(bad)

    read = place.ask(f"/api/notebooks/{notebook.id}")

    assert (read["name"], read["count"], read["nextCursor"]) == ("Trial", 5, None)
    title, prose, first, second, third = read["cells"]
    assert (title["type"], title["text"], title.get("status")) == ("title", "Trial", None)
    assert (prose["type"], prose["text"], prose["changedBy"]) == ("markdown", "*so*", "mia")
    assert (first["filename"], first["language"], first["status"]) == ("well.js", "javascript", "completed")
    assert first["run"]["runId"] == run["runId"]
    assert {first["run"][name] for name in ("outcome", "exitCode")} == {"completed", 0}
    said = "".join(piece["forms"][0]["text"] for piece in first["run"]["pieces"] if piece["name"] == "stdout")
    assert said == "a\nc\n"
    assert [piece["forms"][0]["text"] for piece in first["run"]["pieces"] if piece["name"] == "stderr"] == ["b\n"]
    assert second["status"] == "failed"
    [error] = second["run"]["pieces"]
    assert (error["kind"], error["name"]) == ("error", "ZeroDivisionError")
    assert "Traceback" in error["forms"][0]["text"]
    assert (third["status"], "run" in third) == ("idle", False)
    ended = place.ask(f"/api/records/{first['run']['endedId']}")
    assert ended["hash"] == first["run"]["hash"]


def test_cells_come_in_pages(place: Observed):
    notebook = made(place)
    for number in range(5):
        notebook.call("add_cell", type="markdown", content=f"{number}")

    pages = list(place.pages(f"/api/notebooks/{notebook.id}", limit=2))

    assert [[cell["text"] for cell in page["cells"]] for page in pages] == [["0", "1"], ["2", "3"], ["4"]]
    assert {page["count"] for page in pages} == {5}


def test_one_thing_in_several_forms_is_one_piece_and_only_its_texts_are_in_the_answer(place: Observed):
    notebook = made(place)
    shown_by(notebook, {"image/png": SHOWN["image/png"], "text/html": PAGE, "text/plain": "plain"})

    [cell] = place.ask(f"/api/notebooks/{notebook.id}")["cells"]

    [piece] = cell["run"]["pieces"]
    forms = {form["mime"]: form for form in piece["forms"]}
    assert forms["text/html"]["text"] == PAGE
    assert forms["text/plain"]["text"] == "plain"
    assert "text" not in forms["image/png"]
    assert forms["image/png"]["sha256"] == sha256(PNG).hexdigest()


def test_what_is_large_is_cut_and_its_hash_leads_to_all_of_it(place: Observed):
    notebook = made(place)
    long = notebook.ran("for (let n = 0; n < 20000; n += 1) console.log(n)", "long.js")
    notebook.ran("for (let n = 0; n < 300; n += 1) { console.log(n); console.error(n) }", "many.js")

    first, second = place.ask(f"/api/notebooks/{notebook.id}")["cells"]

    [form] = first["run"]["pieces"][0]["forms"]
    assert form["cut"]
    assert form["text"].startswith("0\n1\n")
    assert form["text"].endswith("19999\n")
    assert len(form["text"]) < 11_000
    whole = place.get(f"/api/outputs/{form['sha256']}").body
    assert whole.decode() == "".join(f"{n}\n" for n in range(20_000))
    assert long["outputs"][0]["size"] == form["size"] == len(whole)
    kept = len(second["run"]["pieces"]) + second["run"].get("morePieces", 0)
    assert len(second["run"]["pieces"]) <= 100
    assert kept >= 2


def test_history_and_citations_are_what_the_operations_answer(place: Observed):
    notebook = made(place)
    cell = notebook.code("console.log(1)", "a.js")
    run = notebook.run(cell)
    other = notebook.code("console.log(2)", "b.js")
    place.box.call("notebook.cite", {"runId": run["runId"], "target": "th:1"})
    notebook.call("replay")
    address = f"/api/notebooks/{notebook.id}"

    assert place.ask(f"{address}/history") == notebook.call("history")
    assert place.ask(f"{address}/history", cellId=other) == notebook.call("history", cellId=other)
    page = place.ask(f"{address}/history", limit=1)
    assert page["events"][0]["what"] == "replayed"
    assert place.ask(f"{address}/history", limit=1, cursor=page["cursor"])["events"][0]["what"] == "cited"
    assert place.ask(f"{address}/citations") == place.box.call("notebook.citations", {"notebookId": notebook.id})
    assert place.ask(f"{address}/citations")["citations"][0]["runId"] == run["runId"]


def test_a_run_that_was_followed_by_others_can_be_read(place: Observed):
    notebook = made(place)
    cell = notebook.code("console.log(1)", "a.js")
    first = notebook.run(cell)
    notebook.call("update_cell", cellId=cell, content="console.log(2)")
    notebook.run(cell)

    run = place.ask(f"/api/runs/{first['runId']}")

    assert run["pieces"][0]["forms"][0]["text"] == "1\n"
    assert (run["cellId"], run["outcome"], run["agent"]) == (cell, "completed", "mia")


def test_a_run_is_told_while_it_goes_on_and_read_as_of_then(place: Observed):
    notebook = made(place)
    notebook.code("let n = 0; setInterval(() => console.log(`step ${n += 1}`), 50)", "endless.js")
    watcher = place.watch()
    watcher.subscribe("records", room="notebooks", since=place.ask("/api/records")["seq"])

    running = notebook.client.submit("notebook.run_cell", notebookId=notebook.id, cellId="endless.js")
    told = []
    while len(told) < 2:
        event = watcher.next()
        if event["data"]["stream"] == f"notebooks/{notebook.id}":
            told.append(event["data"])

    assert [each["record"]["data"]["topic"] for each in told] == ["notebook.run", "notebook.told"]
    [cell] = place.ask(f"/api/notebooks/{notebook.id}")["cells"]
    assert (cell["status"], cell["run"]["runId"], "outcome" in cell["run"]) == ("running", told[0]["id"], False)
    assert "step 1" in cell["run"]["tail"]
    assert "step 1" in place.ask(f"/api/runs/{told[0]['id']}")["tail"]
    place.box.call("notebook.interrupt", {"notebookId": notebook.id})
    assert running.result()["status"] == "failed"
    [ended] = soon(lambda: place.ask(f"/api/notebooks/{notebook.id}")["cells"])
    assert (ended["run"]["outcome"], "tail" in ended["run"]) == ("interrupted", False)
    [begun] = place.ask(f"/api/notebooks/{notebook.id}", asOf=told[0]["seq"])["cells"]
    assert (begun["status"], begun["run"]["tail"]) == ("running", "")
    [then] = place.ask(f"/api/notebooks/{notebook.id}", asOf=told[1]["seq"])["cells"]
    assert then["run"]["tail"] == told[1]["record"]["body"]["text"]
    [before] = place.ask(f"/api/notebooks/{notebook.id}", asOf=told[0]["seq"] - 1)["cells"]
    assert (before["status"], "run" in before) == ("idle", False)


def test_a_notebook_that_was_deleted_is_there_as_of_earlier(place: Observed):
    notebook = made(place, name="Gone")
    seq = place.ask("/api/records")["seq"]
    notebook.call("delete")

    status, code, message = place.refusal(f"/api/notebooks/{notebook.id}")
    assert (status, code) == (404, "NOTEBOOK_NOT_FOUND")
    assert "deleted" in message
    assert place.ask(f"/api/notebooks/{notebook.id}", asOf=seq)["name"] == "Gone"
    assert place.refusal(f"/api/notebooks/{notebook.id}", asOf=seq - 1)[0] == 404


SENT = [
    ("image/png", "image/png", "inline", PNG),
    ("image/svg+xml", "image/svg+xml", "attachment", SVG.encode()),
    ("text/html", "text/plain; charset=utf-8", "inline", PAGE.encode()),
    ("text/markdown", "text/plain; charset=utf-8", "inline", b"*so*"),
    ("application/json", "application/json", "inline", b'{"a": 1}'),
    ("application/javascript", "application/octet-stream", "attachment", b"alert(2)"),
    ("application/xhtml+xml", "application/octet-stream", "attachment", SHOWN["application/xhtml+xml"].encode()),
    ("text/x-unheard", "application/octet-stream", "attachment", b"unheard"),
    ("text/html\r\nx-evil: 1", "application/octet-stream", "attachment", b"split"),
]


def test_an_output_is_sent_as_something_that_a_browser_does_not_run(place: Observed):
    hashes = shown_by(made(place), SHOWN)

    for mime, sent_as, how, body in SENT:
        answer = place.get(f"/api/outputs/{hashes[mime]}")
        assert (answer.status, answer.body) == (200, body), mime
        assert answer.headers["content-type"] == sent_as
        assert answer.headers["content-disposition"].startswith(f'{how}; filename="output-')
        assert answer.headers["x-content-type-options"] == "nosniff"
        policy = answer.headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "sandbox"} <= set(policy), "no script, and no origin"
        assert "x-evil" not in answer.headers
        head = place.get(f"/api/outputs/{hashes[mime]}", method="HEAD")
        assert (head.body, head.headers["content-length"]) == (b"", str(len(body)))


def test_what_was_shown_as_two_things_is_sent_as_the_one_that_is_asked_for(place: Observed):
    """Kept once, under one hash: a text that is a picture as well."""
    hashes = shown_by(made(place), {"text/plain": f"{SVG}<!-- twice -->", "image/svg+xml": f"{SVG}<!-- twice -->"})
    assert len(set(hashes.values())) == 1

    for mime, sent_as in (("image/svg+xml", "image/svg+xml"), ("text/plain", "text/plain; charset=utf-8")):
        address = f"/api/outputs/{next(iter(hashes.values()))}?type={quote(mime, safe='')}"
        assert place.get(address).headers["content-type"] == sent_as
    refused = place.get(f"/api/outputs/{next(iter(hashes.values()))}?type={quote('text/html; x', safe='')}")
    assert refused.status == 400


def test_an_output_of_another_workspace_or_of_later_is_not_there(place: Observed):
    seq = place.ask("/api/records")["seq"]
    [digest] = set(shown_by(made(place), {"text/plain": "only here"}).values())

    assert place.get(f"/api/outputs/{digest}").status == 200
    assert place.get(f"/api/outputs/{digest}", {"asOf": seq}).status == 404
    assert place.get(f"/api/outputs/{digest}", {"workspace": "elsewhere"}).status == 404
    assert place.refusal(f"/api/outputs/{'0' * 64}")[:2] == (404, "RESOURCE_NOT_FOUND")
