"""Files in `.ipynb` that others wrote: what is not ours is kept, what is no notebook of ours to be is refused."""

from __future__ import annotations

import json
from typing import Any

import nbformat
import pytest

from tests.domains.notebooks.formats.foreign_files import corpus, text_of
from thoughtbox.domains.notebooks.formats import ipynb
from thoughtbox.domains.notebooks.formats.document import CellDoc, OutputDoc
from thoughtbox.errors import InvalidPayload

REFUSED = {
    "r-kernel.ipynb.json": "a kernel of the language R",
    "version-3.ipynb.json": "of nbformat 3, and only 4 can be read",
}
READ = [name for name in corpus(".ipynb.json") if name not in REFUSED]


def file(**parts: Any) -> str:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [], **parts})


def one_cell(**parts: Any) -> str:
    return file(cells=[{"cell_type": "code", "source": "", "metadata": {}, "outputs": [], **parts}])


def names(name: str) -> list[str | None]:
    return [cell.filename or cell.type for cell in ipynb.read(text_of(name)).cells]


@pytest.mark.parametrize("name", READ)
def test_a_foreign_file_is_read_and_written_as_a_valid_one(name: str):
    document = ipynb.read(text_of(name))
    written = ipynb.write(document)
    nbformat.validate(json.loads(written))
    assert ipynb.read(written) == document
    assert ipynb.write(ipynb.read(written)) == written


@pytest.mark.parametrize("name", ["jupyterlab.ipynb.json", "deno.ipynb.json"])
def test_all_that_a_valid_foreign_file_had_is_in_it_again(name: str):
    before, after = json.loads(text_of(name)), json.loads(ipynb.write(ipynb.read(text_of(name))))
    for was, now in zip(before["cells"], after["cells"], strict=True):
        now["metadata"].pop("thoughtbox", None)
        assert joined(now) == joined(was)
    del after["metadata"]["thoughtbox"]
    assert after["metadata"] == before["metadata"]


def joined(value: Any) -> Any:
    """The same with its texts in one piece."""
    if isinstance(value, dict):
        return {name: joined(part) for name, part in value.items()}
    is_lines = isinstance(value, list) and all(isinstance(part, str) for part in value)
    return "".join(value) if is_lines else [joined(part) for part in value] if isinstance(value, list) else value


def test_the_cells_of_jupyterlab_keep_their_outputs():
    document = ipynb.read(text_of("jupyterlab.ipynb.json"))
    assert document.name == "Rolling dice"
    prose, code, empty = document.cells
    assert prose == CellDoc(
        "markdown",
        "# Rolling dice\n\nWhat is the mean?",
        extra={"id": "0f6b1c1e-9b6a-4c5e-8f0a-1f6a2f7d9a11", "metadata": {"tags": ["intro"]}},
    )
    assert (code.filename, code.language, empty.filename) == ("cell-2.py", "python", "cell-3.py")
    assert code.outputs == (
        OutputDoc("stream", "stdout", "rolling\ndone\n"),
        OutputDoc("result", data={"text/plain": "3.5"}, extra={"execution_count": 3}),
        OutputDoc(
            "display",
            data={"image/png": "iVBORw0KGgo=\n", "text/plain": "<Figure size 640x480>"},
            extra={"metadata": {"needs_background": "light"}},
        ),
        OutputDoc(
            "error",
            text="\x1b[0;31m----\x1b[0m\nZeroDivisionError: division by zero",
            ename="ZeroDivisionError",
            evalue="division by zero",
        ),
    )


def test_content_that_is_json_is_kept_beside_the_texts_with_numbers_as_a_browser_has_them():
    (output,) = ipynb.read(text_of("json-bundles.ipynb.json")).cells[0].outputs
    assert output.data == {"text/html": "<div>\n</div>"}
    assert output.extra["data"] == {
        "application/vnd.plotly.v1+json": {"data": [{"y": [1, None, None, 1.2345678901234567e19]}]},
        "application/json": ["a", "b"],
        "odd/type": {"not": "text"},
    }


def test_a_foreign_code_cell_is_named_by_its_place_and_like_no_other():
    assert names("raw-and-unknown.ipynb.json") == ["markdown", "markdown", "cell-3-2.py", "cell-3.py"]
    assert names("deno.ipynb.json") == ["cell-1.ts"]
    assert names("streams-with-metadata.ipynb.json") == ["cell-1.js"]


def test_a_raw_cell_is_prose_and_raw_again_when_it_is_written():
    document = ipynb.read(text_of("raw-and-unknown.ipynb.json"))
    assert document.cells[0] == CellDoc(
        "markdown", "\\alpha", extra={"cell_type": "raw", "metadata": {"format": "text/latex"}}
    )
    assert json.loads(ipynb.write(document))["cells"][0]["cell_type"] == "raw"


def test_what_was_changed_in_jupyter_is_believed_before_what_we_had_written():
    document = ipynb.read(text_of("changed-in-jupyter.ipynb.json"))
    assert [cell[:4] for cell in document.cells] == [
        ("title", "No hash", None, None),
        ("markdown", "was code", None, None),
        ("code", "was a title", "cell-3.py", "python"),
        ("code", "x", "cell-4.py", "python"),
        ("package.json", "{}", "package.json", None),
    ]
    assert (document.name, document.tsconfig) == ("Ours", None)


def test_of_a_repeated_key_the_last_value_counts():
    (cell,) = ipynb.read(text_of("repeated-keys.ipynb.json")).cells
    assert (cell.type, cell.text) == ("markdown", "last")


def test_a_file_may_begin_with_a_byte_order_mark():
    assert ipynb.read("\ufeff" + file()).cells == ()


def test_a_notebook_that_does_not_name_a_language_is_in_python():
    assert ipynb.read(file(metadata={"kernelspec": {"name": "my-env"}})).language == "python"


@pytest.mark.parametrize("name", REFUSED)
def test_a_notebook_that_cannot_be_ours_is_refused_with_the_reason(name: str):
    with pytest.raises(InvalidPayload) as refused:
        ipynb.read(text_of(name))
    assert REFUSED[name] in refused.value.message
    assert refused.value.recovery


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is not JSON"),
        ("{", "it is not JSON"),
        ("[]", "the file is no object"),
        ("{}", "no number `nbformat`"),
        ('{"nbformat": true}', "no number `nbformat`"),
        (file(nbformat=5), "nbformat 5"),
        (file(cells=None), "`cells` is no list"),
        (file(metadata=[]), "`metadata` is no object"),
        (file(cells=[5]), "cell 1 is no object"),
        (one_cell(cell_type=None), "`cell_type` of cell 1 is no text"),
        (one_cell(source=5), "`source` of cell 1 is no text"),
        (one_cell(source=["a", 5]), "line 2 of `source` of cell 1 is no text"),
        (one_cell(metadata="x"), "`metadata` of cell 1 is no object"),
        (one_cell(outputs={}), "`outputs` of cell 1 is no list"),
        (one_cell(outputs=[None]), "output 1 of cell 1 is no object"),
        (one_cell(outputs=[{}]), "`output_type` of output 1 of cell 1 is no text"),
        (one_cell(outputs=[{"output_type": "stream", "text": {}}]), "`text` of output 1 of cell 1 is no text"),
        (one_cell(outputs=[{"output_type": "error", "traceback": 5}]), "`traceback` of output 1 of cell 1"),
        (one_cell(outputs=[{"output_type": "display_data", "data": []}]), "`data` of output 1 of cell 1"),
        (one_cell(source="a\0"), "NUL"),
        (one_cell(source="\ud800"), "surrogate"),
        ("[" * 100_000, "nested more than 100 levels"),
        (file(x=json.loads("[" * 110 + "]" * 110)), "nested more than 100 levels"),
    ],
    ids=range(23),
)
def test_what_is_no_notebook_is_refused_by_the_place_that_is_wrong(text: str, said: str):
    with pytest.raises(InvalidPayload) as refused:
        ipynb.read(text)
    assert said in refused.value.message
    assert refused.value.recovery


def test_a_number_of_any_length_is_read():
    document = ipynb.read(file().replace('"metadata": {}', '"metadata": {"n": ' + "9" * 10_000 + "}"))
    assert document.extra == {"metadata": {"n": None}}
    nbformat.validate(json.loads(ipynb.write(document)))
