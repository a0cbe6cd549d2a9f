"""A notebook as `.src.md`: an ordinary one is plain srcbook, and only what would be misread has markers."""

from __future__ import annotations

import pytest

from thoughtbox.domains.notebooks.formats import src_md
from thoughtbox.domains.notebooks.formats.document import CellDoc, Document

ORDINARY = """\
<!-- srcbook:{"language":"typescript","tsconfig.json":"{\\n  \\"strict\\": true\\n}"} -->

# How tides work

###### package.json

```json
{ "type": "module" }
```

The moon pulls.

- twice a day

```sh
# no title, since it stands in a fence
```

###### pull.ts

```typescript
console.log("pull");
```

###### check.py

```python
print(1)
```
"""


def notebook(*cells: CellDoc, name: str = "Untitled") -> Document:
    return Document(name, "javascript", cells)


def body(*cells: CellDoc) -> str:
    """What is written of some cells."""
    return src_md.write(
        notebook(*cells, name=next((c.text for c in cells if c.type == "title"), "Untitled"))
    ).partition("\n\n")[2]


def test_an_ordinary_notebook_is_written_as_srcbook_writes_it_and_has_no_markers():
    document = src_md.read(ORDINARY)
    assert document == Document(
        "How tides work",
        "typescript",
        (
            CellDoc("title", "How tides work"),
            CellDoc("package.json", '{ "type": "module" }', "package.json"),
            CellDoc(
                "markdown",
                "The moon pulls.\n\n- twice a day\n\n```sh\n# no title, since it stands in a fence\n```",
            ),
            CellDoc("code", 'console.log("pull");', "pull.ts", "typescript"),
            CellDoc("code", "print(1)", "check.py", "python"),
        ),
        '{\n  "strict": true\n}',
    )
    assert src_md.write(document) == ORDINARY


def test_an_empty_notebook_is_one_line():
    assert src_md.write(notebook()) == '<!-- srcbook:{"language":"javascript"} -->\n'
    assert src_md.read(src_md.write(notebook())) == notebook()


def test_a_name_that_is_not_the_title_stands_in_the_first_line():
    document = notebook(CellDoc("title", "Tides"), name="tides -- draft 2 -->")
    written = src_md.write(document)
    assert written.startswith('<!-- srcbook:{"language":"javascript","name":"tides -\\u002d draft 2 -\\u002d>"} -->\n')
    assert src_md.read(written) == document


def test_code_with_fences_in_it_gets_a_longer_fence():
    cell = CellDoc("code", "const s = `\n```js\n````\n`;", "fences.js", "javascript")
    assert body(cell) == "###### fences.js\n\n`````javascript\nconst s = `\n```js\n````\n`;\n`````\n"
    assert src_md.read(src_md.write(notebook(cell))).cells == (cell,)


def test_prose_that_begins_like_a_title_stays_prose_between_markers():
    cell = CellDoc("markdown", "# Not a title\n\ntext")
    assert body(cell) == "<!-- thoughtbox:markdown -->\n# Not a title\n\ntext\n<!-- /thoughtbox:markdown -->\n"
    assert src_md.read(src_md.write(notebook(cell))).cells == (cell,)


def test_of_two_cells_of_prose_only_the_second_has_markers():
    one, two, three = (CellDoc("markdown", text) for text in ("one", "two", "three"))
    assert body(one, two, three) == (
        "one\n\n<!-- thoughtbox:markdown -->\ntwo\n<!-- /thoughtbox:markdown -->\n\nthree\n"
    )
    assert src_md.read(src_md.write(notebook(one, two, three))).cells == (one, two, three)


def test_prose_that_shows_our_own_markers_ends_at_a_numbered_one():
    cell = CellDoc("markdown", "<!-- thoughtbox:markdown -->\nx\n<!-- /thoughtbox:markdown -->")
    assert body(cell) == (
        '<!-- thoughtbox:markdown {"end":2} -->\n'
        "<!-- thoughtbox:markdown -->\nx\n<!-- /thoughtbox:markdown -->\n"
        "<!-- /thoughtbox:markdown 2 -->\n"
    )
    assert src_md.read(src_md.write(notebook(cell))).cells == (cell,)


def test_prose_that_opens_a_marker_does_not_swallow_the_next_cell():
    cells = (CellDoc("markdown", "<!-- thoughtbox:markdown -->"), CellDoc("markdown", "# x"))
    assert src_md.read(src_md.write(notebook(*cells))).cells == cells


def test_code_with_the_line_ends_of_windows_is_shown_with_ours():
    cell = CellDoc("code", "a();\r\nb();\r\n", "win.js", "javascript")
    assert body(cell) == (
        '<!-- thoughtbox:code {"lineEnds":"\\r\\n"} -->\n\n###### win.js\n\n```javascript\na();\nb();\n\n```\n'
    )
    assert src_md.read(src_md.write(notebook(cell))).cells == (cell,)


def test_a_carriage_return_among_other_line_ends_is_shown_as_its_picture():
    cell = CellDoc("markdown", "10 %\r100 %\nend")
    assert body(cell) == ('<!-- thoughtbox:markdown {"cr":"␍"} -->\n10 %␍100 %\nend\n<!-- /thoughtbox:markdown -->\n')
    assert src_md.read(src_md.write(notebook(cell))).cells == (cell,)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_a_checkout_with_other_line_ends_changes_no_cell(end: str):
    cells = (
        CellDoc("title", "T"),
        CellDoc("code", "a\r\nb", "a.py", "python"),
        CellDoc("markdown", "x\ry\n"),
        CellDoc("code", "a\nb\n", "b.py", "python"),
    )
    document = notebook(*cells, name="T")
    assert src_md.read(src_md.write(document).replace("\n", end)) == document


@pytest.mark.parametrize(
    "cell",
    [
        CellDoc("title", ""),
        CellDoc("title", "two\nlines"),
        CellDoc("title", "trailing  "),
        CellDoc("title", "# hashed"),
        CellDoc("markdown", ""),
        CellDoc("markdown", "\n\nblank lines around\n\n"),
        CellDoc("markdown", "no fence ends this:\n```\nx"),
        CellDoc("markdown", "nor this comment <!--\n<!--\nx"),
        CellDoc("markdown", "###### run.js\n\n```js\nx\n```"),
        CellDoc("markdown", "\x0c\u2028\x85"),
        CellDoc("code", "", "empty.py", "python"),
        CellDoc("code", "\n", "line.py", "python"),
        CellDoc("code", "x", None, "python"),
        CellDoc("code", "x", "odd\nname -->.js", "javascript"),
        CellDoc("code", "x", "no-language", None),
        CellDoc("code", "x", "package.json", "javascript"),
        CellDoc("package.json", "{}", None),
        CellDoc("package.json", "{}", "other.json"),
    ],
    ids=repr,
)
def test_an_odd_cell_comes_back_as_it_was_between_others(cell: CellDoc):
    around = CellDoc("markdown", "prose")
    code = CellDoc("code", "1", "one.py", "python")
    for cells in ((cell,), (around, cell, around), (code, cell, code), (cell, cell)):
        document = notebook(*cells, name="N")
        assert src_md.read(src_md.write(document)) == document


def test_what_the_first_line_says_beyond_what_we_know_is_written_again():
    text = '<!-- srcbook:{"language":"javascript","theme":{"dark":true}} -->\n'
    document = src_md.read(text)
    assert document.extra == {"srcbook": {"theme": {"dark": True}}}
    assert src_md.write(document) == text
