"""Notebooks as files: through the operations."""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.domains.notebooks.conftest import OpenClient
from tests.support.notebooks import PIXEL, PLOTTED, PRINTED, RAISED, Notebook, jupyter
from tests.support.thinker import Client
from thoughtbox.errors import FileMissing, InvalidPayload, PathRefused

CORPUS = Path(__file__).parent / "formats" / "corpus"
REFUSED = {"version-3.ipynb.json", "r-kernel.ipynb.json"}
ODD = [
    ("title", "A title"),
    ("markdown", "# looks like a title\n\n###### looks-like-code.js\n\n```js\n1\n```"),
    ("markdown", ""),
    ("markdown", "ends without a line end"),
    ("markdown", "carriage\r\nreturns\rtoo\r\n"),
    ("code", "```\nfences ``` in code ````\n"),
    ("code", ""),
    ("package.json", '{\n  "type": "module"\n}\n'),
    ("title", "second\ntitle"),
]


def filled(client: Client) -> Notebook:
    notebook = Notebook(client, name="Odd")
    for kind, content in ODD:
        notebook.call("add_cell", type=kind, content=content)
    return notebook


def contents(client: Client, notebook_id: str) -> list[dict[str, Any]]:
    cells = client.call("notebook.list_cells", notebookId=notebook_id)["cells"]
    return [{name: value for name, value in cell.items() if name != "id"} for cell in cells]


@pytest.mark.parametrize("form", ["src.md", "ipynb"])
def test_an_export_is_taken_in_as_the_same_cells_and_written_out_as_the_same_bytes(mia: Client, form: str):
    notebook = filled(mia)
    first = notebook.call("export", format=form)["content"]

    taken = mia.call("notebook.import", content=first)

    assert contents(mia, taken["notebookId"]) == contents(mia, notebook.id)
    assert taken["notebook"]["name"] == "Odd"
    assert mia.call("notebook.export", notebookId=taken["notebookId"], format=form)["content"] == first
    # And also where the text it came as is of no help.
    last = mia.call("notebook.add_cell", notebookId=taken["notebookId"], type="title", content="more")
    mia.call("notebook.delete_cell", notebookId=taken["notebookId"], cellId=last["cellId"])
    again = mia.call("notebook.export", notebookId=taken["notebookId"], format=form)["content"]
    if form == "src.md":
        assert again == first
    else:
        assert contents(mia, mia.call("notebook.import", content=again)["notebookId"]) == contents(mia, notebook.id)


@pytest.mark.parametrize("path", sorted(CORPUS.iterdir()), ids=lambda path: path.name)
def test_a_foreign_file_that_was_not_touched_comes_back_as_its_own_bytes(mia: Client, path: Path):
    content = path.read_bytes().decode()
    form = "src.md" if ".src.md" in path.name else "ipynb"
    try:
        taken = mia.call("notebook.import", content=content, format=form)
    except InvalidPayload:
        assert path.name in REFUSED
        return

    assert mia.call("notebook.export", notebookId=taken["notebookId"], format=form)["content"] == content


def test_outputs_go_out_with_an_ipynb_that_is_valid_and_come_in_again(mia: Client):
    notebook = Notebook(mia, language="python")
    notebook.ran("print('hello')\n6 * 7", "a.py")
    notebook.ran("1 / 0", "b.py")
    notebook.ran("import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()", "c.py")

    text = whole(notebook)
    file = nbformat.reads(text, as_version=4)
    nbformat.validate(file)
    first, second, third = file.cells
    assert [output["output_type"] for output in first.outputs] == ["stream", "execute_result"]
    assert second.outputs[0]["ename"] == "ZeroDivisionError"
    assert "image/png" in third.outputs[-1]["data"]

    taken = mia.call("notebook.import", content=text)
    touched = mia.call("notebook.add_cell", notebookId=taken["notebookId"], type="title", content="x")["cellId"]
    mia.call("notebook.delete_cell", notebookId=taken["notebookId"], cellId=touched)
    again = nbformat.reads(whole(Taken(mia, taken["notebookId"])), as_version=4)
    assert [cell.outputs for cell in again.cells] == [cell.outputs for cell in file.cells]


class Taken(Notebook):
    """A notebook that is there already."""

    def __init__(self, client: Client, notebook_id: str) -> None:
        self.client, self.id = client, notebook_id


def whole(notebook: Notebook, form: str = "ipynb") -> str:
    """An export put together from its pieces."""
    piece = notebook.call("export", format=form)
    text = piece["content"]
    while cursor := piece.get("cursor"):
        piece = notebook.call("export", format=form, cursor=cursor)
        text += piece["content"]
    return text


def test_a_long_export_comes_in_pieces_that_fit_together_whatever_happens_meanwhile(mia: Client, notebook: Notebook):
    for number in range(3):
        notebook.call("add_cell", type="markdown", content=f"{number} " + "é\n" * 30_000)
    first = notebook.call("export")
    notebook.call("add_cell", type="title", content="later")
    rest = notebook.call("export", cursor=first["cursor"])
    text = first["content"] + rest["content"]
    while cursor := rest.get("cursor"):
        rest = notebook.call("export", cursor=cursor)
        text += rest["content"]

    taken = mia.call("notebook.import", content=text)
    assert len(taken["notebook"]["cells"]) == 3
    assert whole(Taken(mia, taken["notebookId"]), "src.md") == text
    assert text.count("é") == 90_000


def test_markdown_is_for_reading_with_outputs(mia: Client, notebook: Notebook):
    notebook.call("add_cell", type="title", content="Answer")
    notebook.ran("console.log('```\\n# not a heading')", "a.js")
    text = notebook.call("export", format="markdown")["content"]
    assert "# Answer" in text
    assert "a.js" in text
    assert "# not a heading" in text
    assert mia.call("notebook.list")["count"] == 1


def test_a_file_is_loaded_from_allowed_folders_only(open_client: OpenClient, tmp_path_factory: pytest.TempPathFactory):
    allowed, outside = tmp_path_factory.mktemp("allowed"), tmp_path_factory.mktemp("outside")
    text = '<!-- srcbook:{"language":"javascript"} -->\n\n# Here\n'
    (allowed / "below").mkdir()
    for path in (allowed / "a.src.md", allowed / "below" / "b.src.md", outside / "c.src.md"):
        path.write_text(text, encoding="utf-8")
    (allowed / "link.src.md").symlink_to(outside / "c.src.md")
    (allowed / "link").symlink_to(outside)
    twin = Path(f"{allowed}-evil")
    twin.mkdir()
    (twin / "d.src.md").write_text(text, encoding="utf-8")
    mia = open_client(THOUGHTBOX_NOTEBOOK_FOLDERS=str(allowed))

    for good in (str(allowed / "a.src.md"), "a.src.md", "below/b.src.md"):
        assert mia.call("notebook.load", path=good)["notebook"]["cells"][0]["text"] == "Here"
    before = mia.records()
    for bad in (
        str(outside / "c.src.md"), "../outside/c.src.md", f"{allowed}/../outside/c.src.md", "/etc/passwd",
        str(twin / "d.src.md"), "link.src.md", "link/c.src.md", "below/../../x", "", ".", "below", "a.src.md/x",
    ):  # fmt: skip
        with pytest.raises((PathRefused, FileMissing)):
            mia.call("notebook.load", path=bad)
    assert mia.records() == before
    assert mia.call("notebook.load", content=text)["notebook"]["name"] == "Here"
    with pytest.raises(InvalidPayload, match="one of the two"):
        mia.call("notebook.load")
    with pytest.raises(InvalidPayload, match="one of the two"):
        mia.call("notebook.load", content=text, path="a.src.md")


def test_without_folders_no_path_is_read(mia: Client, tmp_path: Path):
    with pytest.raises(PathRefused, match="no folder may be read") as refused:
        mia.call("notebook.load", path=str(tmp_path / "a.src.md"))
    assert "THOUGHTBOX_NOTEBOOK_FOLDERS" in (refused.value.recovery or "")


def test_trust_is_never_taken_from_a_file(mia: Client):
    notebook = Notebook(mia, name="Trusted", trusted=True)
    for form in ("src.md", "ipynb"):
        text = notebook.call("export", format=form)["content"]
        assert mia.call("notebook.import", content=text)["notebook"]["trusted"] is False
        assert mia.call("notebook.import", content=text, trusted=True)["notebook"]["trusted"] is True


@pytest.mark.parametrize("content", ["", "hello", "{}", "[1]", '{"cells": 3, "nbformat": 4}', "<!-- srcbook:{ -->"])
def test_what_is_no_notebook_is_refused_and_changes_nothing(mia: Client, content: str):
    before = mia.records()
    with pytest.raises(InvalidPayload):
        mia.call("notebook.import", content=content)
    assert mia.records() == before


def test_filenames_of_a_file_that_two_cells_have_are_made_different(mia: Client):
    text = (
        '<!-- srcbook:{"language":"javascript"} -->\n\n###### a.js\n\n```javascript\n1\n```\n\n'
        "###### a.js\n\n```javascript\n2\n```\n"
    )
    cells = mia.call("notebook.import", content=text)["notebook"]["cells"]
    assert [cell["filename"] for cell in cells] == ["a.js", "cell-1.js"]


def test_what_a_file_has_shown_below_its_cells_is_shown_until_they_are_run_or_changed(mia: Client):
    taken = mia.call("notebook.import", content=jupyter(PRINTED, PLOTTED, RAISED))

    cell = taken["notebook"]["cells"][0]
    assert (cell["status"], cell["output"]) == ("idle", "seven towers\n<Figure>\n")
    assert cell["error"] == "KeyError: 'x'\nKeyError: 'x'"
    picture = sha256(base64.b64decode(PIXEL)).hexdigest()
    assert mia.call("notebook.output", sha256=picture)["content"] == PIXEL
    [hit] = mia.call("notebook.search", query="towers")["hits"]
    assert (hit["foundIn"], hit["filename"]) == ("cell", "cell-1.py")

    named = {"notebookId": taken["notebookId"], "cellId": "cell-1.py"}
    renamed = mia.call("notebook.update_cell", **named, filename="plot.py")["cell"]
    assert (renamed["output"], renamed["error"], renamed["source"]) == (None, None, "plot()")
    assert mia.call("notebook.search", query="towers")["hits"] == []
    written = json.loads(mia.call("notebook.export", notebookId=taken["notebookId"], format="ipynb")["content"])
    assert written["cells"][0]["metadata"]["tags"] == ["kept"]
    assert written["cells"][0]["execution_count"] is None
    assert written["cells"][0]["outputs"] == []


def test_a_run_takes_the_place_of_what_a_file_has_shown(mia: Client):
    taken = mia.call("notebook.import", content=jupyter(PRINTED).replace("plot()", "6 * 7"))

    run = mia.call("notebook.run_cell", notebookId=taken["notebookId"], cellId="cell-1.py")

    assert run["output"] == "42\n"
    assert mia.call("notebook.list_cells", notebookId=taken["notebookId"])["cells"][0]["output"] == "42\n"


SECRET = "ghp_" + "a1B2" * 9
PRIVATE = "-----BEGIN " + "PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n" * 3 + "-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    "content",
    [
        jupyter({**PRINTED, "text": [f"token {SECRET}\n"]}),
        jupyter({**PRINTED, "text": PRIVATE}),
        jupyter({**PLOTTED, "data": {"text/html": f"<b>{SECRET}</b>"}}),
        jupyter({**PLOTTED, "data": {"application/json": {"deep": [SECRET]}}}),
        jupyter({**RAISED, "evalue": SECRET}),
        jupyter(note={"deep": SECRET}),
        jupyter().replace("plot()", f"log_in('{SECRET}')"),
        f'<!-- srcbook:{{"language":"javascript"}} -->\n\n# Keys\n\nMine is {SECRET}.\n',
    ],
    ids=["stream", "lines", "html", "json", "error", "metadata", "code", "src.md"],
)
def test_secrets_of_a_file_are_kept_nowhere_and_the_answer_says_so(mia: Client, tmp_path: Path, content: str):
    taken = mia.call("notebook.import", content=content)

    assert "<redacted>" in taken["notice"]
    form = "src.md" if content.startswith("<!--") else "ipynb"
    written = mia.call("notebook.export", notebookId=taken["notebookId"], format=form)["content"]
    assert "<redacted>" in written
    kept = json.dumps(mia.call("ledger_tail", after=0, limit=100))
    for secret in (SECRET, "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"):
        assert secret not in written
        assert secret not in kept
        assert not [path for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
