"""What runs show: kept by its hash, cut in answers, whole as a resource."""

from __future__ import annotations

import base64
from hashlib import sha256
from typing import Any

import pytest

from tests.support.notebooks import Notebook
from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload, ResourceNotFound

PICTURE = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()"
TABLE = "import pandas as pd\npd.DataFrame({'n': [1, 2], 'square': [1, 4]})"
SVG = 'from IPython.display import SVG\nSVG(\'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>\')'


def by_mime(run: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {output["mime"]: output for output in run["outputs"]}


def test_text_errors_tables_and_pictures_are_kept_by_their_hash(mia: Client, notebook: Notebook):
    table = by_mime(notebook.ran(TABLE, "table.py"))
    picture = by_mime(notebook.ran(PICTURE, "picture.py"))
    drawing = by_mime(notebook.ran(SVG, "svg.py"))
    error = by_mime(notebook.ran("1 / 0", "error.py"))

    for found, mime in (
        (table, "text/html"), (table, "text/plain"), (picture, "image/png"), (drawing, "image/svg+xml"),
        (error, "text/plain"),
    ):  # fmt: skip
        output = found[mime]
        assert output["uri"] == f"thoughtbox://output/{output['sha256']}"
        whole = mia.call("notebook.output", sha256=output["sha256"])
        content = base64.b64decode(whole["content"]) if whole["encoding"] == "base64" else whole["content"].encode()
        assert sha256(content).hexdigest() == output["sha256"]
        assert (whole["mime"], whole["size"]) == (mime, len(content))
        assert output["size"] == len(content)
    assert (
        base64.b64decode(mia.call("notebook.output", sha256=picture["image/png"]["sha256"])["content"])[:4]
        == b"\x89PNG"
    )
    assert "<td>4</td>" in mia.call("notebook.output", sha256=table["text/html"]["sha256"])["content"]


def test_an_error_has_its_trace(notebook: Notebook):
    python = notebook.ran("def f():\n    return 1 / 0\nf()", "a.py")["error"]
    assert python.startswith("ZeroDivisionError: division by zero\n")
    assert "line 2, in f" in python or "f()" in python
    javascript = notebook.ran("function f() { throw new Error('no'); }\nf();", "a.js")["error"]
    assert "Error: no" in javascript
    assert "/notebook/a.js:1" in javascript


@pytest.mark.parametrize(
    ("filename", "source"), [("a.js", "console.log('x'.repeat(50000))"), ("a.py", "print('x' * 50000)")]
)
def test_a_long_output_is_cut_in_the_answer_and_whole_as_a_resource(
    mia: Client, notebook: Notebook, filename: str, source: str
):
    run = notebook.ran(source, filename)

    assert run["truncated"] is True
    assert len(run["output"]) < 11_000
    assert "… 40001 characters …" in run["output"]
    assert mia.call("notebook.output", sha256=run["outputs"][0]["sha256"])["content"] == "x" * 50_000 + "\n"


def test_the_same_output_is_kept_once(mia: Client, notebook: Notebook):
    notebook.code("console.log('x'.repeat(50000))", "a.js")
    first = notebook.run("a.js")
    before = mia.records()
    second = notebook.run("a.js")
    assert first["outputs"] == second["outputs"]
    assert mia.records() == before + 2


def test_outputs_stay_in_the_order_in_which_they_were_shown(notebook: Notebook):
    run = notebook.ran("print('one')\ndisplay('two')\nprint('three')\n'four'", "a.py")
    assert run["output"] == "one\n'two'\nthree\n'four'\n"


def test_what_is_no_text_is_shown_as_text_that_can_be_stored(notebook: Notebook):
    run = notebook.ran("process.stdout.write(Buffer.from([0x61, 0x00, 0xff, 0xf0, 0x9f, 0x98, 0x80]))", "a.js")
    assert run["output"] == "a\N{SYMBOL FOR NULL}\N{REPLACEMENT CHARACTER}\U0001f600"
    assert notebook.ran("print('a\\0b', '\\udc80')", "a.py")["status"] in ("completed", "failed")


def test_an_output_that_nothing_has_shown_is_not_found(mia: Client):
    with pytest.raises(ResourceNotFound):
        mia.call("notebook.output", sha256="0" * 64)
    with pytest.raises(InvalidPayload):
        mia.call("notebook.output", sha256="zero")
