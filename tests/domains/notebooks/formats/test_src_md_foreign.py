"""Files in `.src.md` that we have not written: srcbook's own layout, what hands make of it, and what is none."""

from __future__ import annotations

import pytest

from tests.domains.notebooks.formats.foreign_files import corpus, text_of
from thoughtbox.domains.notebooks.formats import src_md
from thoughtbox.domains.notebooks.formats.document import CellDoc
from thoughtbox.errors import InvalidPayload

HEADER = '<!-- srcbook:{"language":"javascript"} -->\n'


def short(cell: CellDoc) -> str:
    """A cell in a line: its type or file, and how its text begins."""
    named = f"{cell.filename} {cell.language}" if cell.type == "code" else cell.type
    return f"{named}: {cell.text.partition(chr(10))[0]}"


CELLS = {
    "ordinary.src.md": [
        "title: Rolling dice",
        "package.json: {",
        "markdown: ## Two dice",
        "dice.js javascript: export const roll = () => 1 + Math.floor(Math.random() * 6);",
        "sum.js javascript: import { roll } from './dice.js';",
        "markdown: Use `process.env` for secrets:",
    ],
    "linked.src.md": ["title: In a folder", "markdown: ###### package.json"],
    "nested-fences.src.md": [
        "title: The format, in itself",
        "markdown: ###### example.src.md",
        'real.ts typescript: const fence = "```";',
    ],
    "unclosed.src.md": ["title: Cut off", 'cut.py python: print("the file ends here")'],
    "prose-only.src.md": ["markdown: Some words."],
    "many-titles.src.md": [
        "title: One",
        "markdown: #Not one",
        "title: Two #",
        "markdown: ####### seven",
        "title: Three",
    ],
    "other-languages.src.md": [
        "title: Polyglot",
        "markdown: ###### run.sh",
        "view.tsx typescript: <p/>",
        "bare javascript: plain()",
        "script.py python: print(1)",
    ],
    "commented-out.src.md": ["title: Kept", "markdown: <!--", "kept.py python: y"],
    "stray-markers.src.md": [
        "title: Edited by hand",
        "markdown: <!-- thoughtbox:markdown -->",
        "title: Without its hash",
        "odd.py python: z",
    ],
    "object-tsconfig.src.md": ["a.ts typescript: 1", "a.ts typescript: 2"],
}


@pytest.mark.parametrize("name", corpus(".src.md"))
def test_a_foreign_file_is_read_and_comes_back_when_it_is_written(name: str):
    document = src_md.read(text_of(name))
    assert [short(cell) for cell in document.cells] == CELLS[name]
    again = src_md.read(src_md.write(document))
    assert [cell._replace(extra={}) for cell in document.cells] == list(again.cells)
    assert again[:2] + again[3:] == document[:2] + document[3:]


def test_a_file_without_a_title_is_untitled():
    assert src_md.read(text_of("prose-only.src.md")).name == "Untitled"


def test_a_configuration_that_is_written_as_an_object_becomes_its_text():
    document = src_md.read(text_of("object-tsconfig.src.md"))
    assert document.name == "By hand"
    assert document.tsconfig == '{\n  "compilerOptions": {\n    "strict": true\n  }\n}'


def test_what_a_fence_says_beyond_its_language_is_kept_beside_the_cell():
    document = src_md.read(text_of("other-languages.src.md"))
    assert [cell.extra for cell in document.cells if cell.type == "code"] == [
        {"fence": "tsx {highlight: [1]}"},
        {},
        {},
    ]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("name", corpus(".src.md"))
def test_a_foreign_file_with_other_line_ends_is_the_same_notebook(name: str, end: str):
    text = text_of(name)
    assert src_md.read("\ufeff" + text.replace("\n", end)) == src_md.read(text)


def test_a_fence_is_closed_by_nothing_but_a_fence_that_is_as_long():
    source = "``` js\n~~~\n``\n    ```\n`````x"
    document = src_md.read(f"{HEADER}###### a.js\n\n```js\n{source}\n   ```` \t\n# T\n")
    assert document.cells == (CellDoc("code", source, "a.js", "javascript"), CellDoc("title", "T"))


def test_lone_carriage_returns_in_a_file_of_ours_stay_where_they_are():
    document = src_md.read(f"{HEADER}# T\r\n\nten\rtwenty\n\n###### a.js\r\n```js\r\nx\r\n```\r\n")
    assert document.cells == (
        CellDoc("title", "T"),
        CellDoc("markdown", "ten\rtwenty"),
        CellDoc("code", "x\r", "a.js", "javascript"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "does not begin with a srcbook line"),
        ("# A title\n", "does not begin with a srcbook line"),
        ("<!-- srcbook -->", "does not begin with a srcbook line"),
        ("<!-- srcbook:{language} -->", "it is not JSON"),
        ('<!-- srcbook:{"language":"cobol"} -->', "`language` of the srcbook line is 'cobol'"),
        ('<!-- srcbook:{"language":7} -->', "`language` of the srcbook line is 7"),
        ('<!-- srcbook:{"a":"\\u0000"} -->', "NUL"),
        ('<!-- srcbook:{"a":"\\ud800"} -->', "surrogate"),
        ('<!-- srcbook:{"a":' + "[" * 5000 + "]" * 5000 + "} -->", "nested more than 100 levels"),
        (f"{HEADER}a\0b", "NUL"),
    ],
    ids=range(10),
)
def test_what_is_no_notebook_is_refused_with_what_to_send_instead(text: str, said: str):
    with pytest.raises(InvalidPayload) as refused:
        src_md.read(text)
    assert said in refused.value.message
    assert refused.value.recovery


def test_ten_thousand_openings_without_an_end_are_prose():
    text = HEADER + "<!-- thoughtbox:markdown -->\n###### a.js\n<!-- thoughtbox:code -->\n\n" * 10_000
    assert [cell.type for cell in src_md.read(text).cells] == ["markdown"]
