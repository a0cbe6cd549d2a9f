"""A notebook for people to read: everything in its place, and outputs that are shown and never rendered."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from tests.domains.notebooks.formats.values import cells, documents, extras, outputs, texts, thorough
from thoughtbox.domains.notebooks.formats import markdown
from thoughtbox.domains.notebooks.formats.document import CellDoc, Document, OutputDoc

SHA = "ab" * 32


def shown(*outputs: OutputDoc) -> str:
    """What is shown of the outputs of a cell."""
    document = Document("N", "python", (CellDoc("code", "x", "x.py", "python", outputs),))
    return markdown.write(document).removeprefix("# N\n\n**`x.py`**\n\n```python\nx\n```\n\n").removesuffix("\n")


def test_a_notebook_is_headings_prose_and_code_below_its_filename():
    document = Document(
        "N",
        "python",
        (
            CellDoc("title", "Tides\nand <b>moons</b>"),
            CellDoc("package.json", "{}", "package.json"),
            CellDoc("markdown", "\nThe moon *pulls*.\n\n"),
            CellDoc("markdown", " "),
            CellDoc("code", "print('```')\n", "a`b.py", "python"),
            CellDoc("code", "", None, None),
        ),
    )
    assert markdown.write(document) == (
        "# Tides and &lt;b>moons&lt;/b>\n\n"
        "**`package.json`**\n\n```json\n{}\n```\n\n"
        "The moon *pulls*.\n\n"
        "**``a`b.py``**\n\n````python\nprint('```')\n````\n\n"
        "**Code**\n\n```\n\n```\n"
    )


def test_a_notebook_without_a_title_has_its_name_above_it():
    assert markdown.write(Document("Plan", "python", ())) == "# Plan\n"
    prose = CellDoc("markdown", "text")
    assert markdown.write(Document("Plan", "python", (prose,))) == "# Plan\n\ntext\n"


def test_a_notebook_whose_prose_begins_with_a_heading_is_not_named_twice():
    assert markdown.write(Document("Plan", "python", (CellDoc("markdown", "# Plan\n\ntext"),))) == "# Plan\n\ntext\n"


def test_outputs_are_left_out_when_nobody_wants_them():
    cell = CellDoc("code", "x", "x.py", "python", (OutputDoc("stream", "stdout", "hello"),))
    assert "hello" not in markdown.write(Document("N", "python", (cell,)), outputs=False)


def test_streams_and_errors_are_shown_as_text_without_colours():
    assert shown(OutputDoc("stream", "stdout", "\x1b[1mone\x1b[0m\ntwo\n")) == "Output:\n\n```text\none\ntwo\n```"
    assert shown(OutputDoc("stream", "stderr", "no")) == "Output to `stderr`:\n\n```text\nno\n```"
    error = OutputDoc("error", text="\x1b[0;31mTraceback\x1b[0m", ename="ValueError", evalue="bad `x`")
    assert shown(error) == "Error: `` ValueError: bad `x` ``\n\n```text\nTraceback\n```"


def test_an_image_is_shown_by_its_hash_or_else_named_with_its_size():
    data = {"image/png": "iVBORw0KGgo=\n", "text/plain": "<Figure>"}
    assert shown(OutputDoc("display", data=data, extra={"sha256": SHA})) == (
        f"Output:\n\n![output](thoughtbox://output/{SHA})"
    )
    assert shown(OutputDoc("display", data=data)) == "Output:\n\n`image/png`, 8 bytes"
    hostile = OutputDoc("display", data=data, extra={"sha256": "x) ![](http://evil"})
    assert shown(hostile) == "Output:\n\n`image/png`, 8 bytes"


def test_of_several_media_types_the_plainest_is_shown():
    both = {"text/html": "<table>", "text/plain": "a  b"}
    assert shown(OutputDoc("result", data=both)) == "Result:\n\n```text\na  b\n```"
    html = OutputDoc("result", data={"text/html": "<script>"})
    assert shown(html) == "Result:\n\n```html\n<script>\n```"
    value = OutputDoc("result", extra={"data": {"application/json": {"a": 1}}})
    assert shown(value) == 'Result:\n\n```json\n{\n  "a": 1\n}\n```'
    other = OutputDoc("display", data={"application/pdf": "AAAA", "x`](y)": "AA=="})
    assert shown(other) == "Output:\n\n`application/pdf`, 3 bytes\n\n``x`](y)``, 1 byte"


@pytest.mark.parametrize(
    ("prose", "end"),
    [("```js\nx", "```"), ("~~~~\nx", "~~~~"), ("<!-- x", "-->"), ("<pre>\n`", "</pre>"), ("a\r```\rx", "```")],
)
def test_prose_that_leaves_something_open_is_closed_behind_it(prose: str, end: str):
    document = Document("N", "python", (CellDoc("markdown", prose), CellDoc("markdown", "next")))
    assert markdown.write(document) == f"# N\n\n{prose}\n{end}\n\nnext\n"


@thorough
@given(texts)
def test_no_output_closes_its_fence(text: str):
    first, *lines = re.split(r"\r\n|\r|\n", shown(OutputDoc("stream", "stdout", text)).partition("\n\n")[2])
    fence = first.removesuffix("text")
    assert [line for line in lines if line.strip(" \t").startswith(fence)] == [fence]
    assert lines[-1] == fence


@thorough
@given(documents(cells(outputs, extras), extras))
def test_any_notebook_can_be_shown(document: Document):
    assert markdown.write(document).startswith("#") or any(cell.type == "title" for cell in document.cells)
