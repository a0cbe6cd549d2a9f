"""Which format a text is in."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.domains.notebooks.formats.foreign_files import corpus, text_of
from tests.domains.notebooks.formats.values import documents, thorough
from thoughtbox.domains.notebooks.formats import ipynb, markdown, src_md
from thoughtbox.domains.notebooks.formats.detecting import detected
from thoughtbox.domains.notebooks.formats.document import Document


@pytest.mark.parametrize("name", corpus(""))
def test_every_foreign_file_is_known_for_what_it_is(name: str):
    assert detected(text_of(name)) == ("ipynb" if name.endswith(".ipynb.json") else "src.md")
    assert detected("\ufeff\r\n " + text_of(name)) == detected(text_of(name))


@thorough
@given(documents())
def test_what_we_write_is_known_for_what_it_is(document: Document):
    assert detected(src_md.write(document)) == "src.md"
    assert detected(ipynb.write(document)) == "ipynb"


@pytest.mark.parametrize("text", ["", "# Title\n", "{}", '["nbformat"]', '{"a": 1}', "<!-- srcbook -->", "\0"])
def test_what_is_no_notebook_is_none(text: str):
    assert detected(text) is None


def test_markdown_for_people_is_no_notebook():
    assert detected(markdown.write(Document("N", "python", ()))) is None
