"""Whatever a notebook holds, `.src.md` gives it back, and a second writing is the same as the first."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.domains.notebooks.formats.values import ENDS, LINES, documents, thorough, wild
from thoughtbox.domains.notebooks.formats import src_md
from thoughtbox.domains.notebooks.formats.document import CellDoc, Document

HEADER = '<!-- srcbook:{"language":"javascript"} -->\n'
NO_MARKERS = [line for line in LINES if "thoughtbox" not in line and "srcbook" not in line]

foreign = st.lists(st.tuples(st.sampled_from(LINES) | wild, st.sampled_from(ENDS)), max_size=25).map(
    lambda lines: HEADER + "".join(line + end for line, end in lines)
)
without_markers = st.lists(st.sampled_from(NO_MARKERS) | wild, max_size=25).map(lambda lines: HEADER + "\n".join(lines))


@thorough
@given(documents())
def test_any_notebook_comes_back_and_is_written_the_same_again(document: Document):
    written = src_md.write(document)
    assert src_md.read(written) == document
    assert src_md.write(src_md.read(written)) == written


@thorough
@given(documents(), st.sampled_from(["\r\n", "\r"]))
def test_any_notebook_outlives_a_change_of_all_line_ends(document: Document, end: str):
    written = src_md.write(document)
    assert "\r" not in written
    assert src_md.read(written.replace("\n", end)) == document


@thorough
@given(foreign)
def test_any_text_below_a_srcbook_line_is_a_notebook(text: str):
    document = src_md.read(text)
    again = src_md.read(src_md.write(document))
    assert carried(again.cells) == carried(document.cells)
    assert again[:2] == document[:2]


@thorough
@given(without_markers)
def test_no_word_of_a_foreign_text_is_lost(text: str):
    found = []
    for cell in src_md.read(text).cells:
        found += [cell.filename or "", cell.language or "", cell.extra.get("fence", ""), cell.text]
    words = " ".join(found)
    missing = [word for word in re.findall(r"\w+", text.partition("\n")[2]) if word not in words]
    # The language of a fence is told by another name for the same.
    assert set(missing) <= {"js"}


def carried(cells: tuple[CellDoc, ...]) -> list[CellDoc]:
    return [cell._replace(extra={}) for cell in cells]
