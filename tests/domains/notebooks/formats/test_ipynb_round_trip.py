"""Whatever a notebook holds, and whatever came with it, `.ipynb` gives it back and is valid."""

from __future__ import annotations

import json
from typing import Any

import nbformat
from hypothesis import given
from hypothesis import strategies as st

from tests.domains.notebooks.formats.foreign_files import corpus, text_of
from tests.domains.notebooks.formats.values import cells, documents, extras, json_values, outputs, thorough
from thoughtbox.domains.notebooks.formats import ipynb, markdown, src_md
from thoughtbox.domains.notebooks.formats.document import Document
from thoughtbox.domains.notebooks.formats.json_text import parsed
from thoughtbox.errors import InvalidPayload

FILES = [parsed(text_of(name)) for name in corpus(".ipynb.json")]


@thorough
@given(documents(cells(outputs, extras), extras))
def test_any_notebook_comes_back_is_valid_and_is_written_the_same_again(document: Document):
    written = ipynb.write(document)
    nbformat.validate(json.loads(written))
    assert ipynb.read(written) == document
    assert ipynb.write(ipynb.read(written)) == written


@thorough
@given(st.sampled_from(FILES), st.data())
def test_a_file_with_anything_in_the_wrong_place_is_refused_or_read(file: Any, data: st.DataObject):
    changed = with_something_else_in_it(file, data)
    try:
        document = ipynb.read(json.dumps(changed))
    except InvalidPayload:
        return
    written = ipynb.write(document)
    nbformat.validate(json.loads(written))
    assert ipynb.read(written) == document
    assert markdown.write(document)
    assert src_md.write(src_md.read(src_md.write(document))) == src_md.write(document)


def with_something_else_in_it(value: Any, data: st.DataObject) -> Any:
    """The value with something else in one place, which is found by going down from the top."""
    steps = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    if not steps or data.draw(st.integers(0, 5)) == 0:
        return data.draw(json_values)
    place, inside = data.draw(st.sampled_from(steps))
    changed = with_something_else_in_it(inside, data)
    return {**value, place: changed} if isinstance(value, dict) else [*value[:place], changed, *value[place + 1 :]]
