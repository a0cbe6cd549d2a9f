"""Records of notebooks: made anew they give the same views, taken in elsewhere the same answers, and no nonsense."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox
from tests.support.exports import Placed, export_of, records_in
from tests.support.notebooks import NODE, PRINTED, Notebook, jupyter
from tests.support.thinker import Client
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import ImportRefused
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.replay import rebuild
from thoughtbox.operations import TABLE


def lived_in(box: Box) -> None:
    """A bit of everything that notebooks record."""
    mia = Client(box, stateless=True)
    mia.call("thought_decision", sessionId="s1", decision="It is 42.")
    notebook = Notebook(mia, name="First")
    notebook.call("add_cell", type="markdown", content="Is it?")
    run = notebook.ran("console.log(6 * 7)", "a.js")
    notebook.ran("console.log('long'.repeat(10_000)); throw new Error('no');", "b.js")
    notebook.call("update_cell", cellId="a.js", content="console.log(7 * 6)")
    notebook.call("move_cell", cellId="b.js", position=0)
    notebook.call("delete_cell", cellId="b.js")
    mia.call("notebook.cite", runId=run["runId"], target="th:1")
    notebook.call("replay")
    mia.call("notebook.import", content=jupyter(PRINTED), name="Brought")
    gone = Notebook(mia, name="Gone")
    gone.call("delete")


def told(box: Box) -> list[Any]:
    mia = Client(box, stateless=True)
    listed = mia.call("notebook.list")["notebooks"]
    reads = ("get", "history", "citations", "export")
    by_notebook = [mia.call(f"notebook.{read}", notebookId=each["id"]) for each in listed for read in reads]
    return [listed, *by_notebook, mia.call("notebook.search", query="towers 42")["hits"]]


def exported(box: Box) -> list[bytes]:
    return box.app.engine.read(lambda sql: list(export_lines(sql, WORKSPACE))).result()


def take_in(box: Box, lines: list[bytes]) -> None:
    import_lines(box.app.engine, box.app.views, lines, check=TABLE.check)


def test_views_made_anew_and_exports_taken_in_elsewhere_answer_the_same(open_box: OpenBox):
    box, other = open_box("store", THOUGHTBOX_NODE=NODE), open_box("other")
    lived_in(box)
    before = told(box)

    assert rebuild(box.app.engine, Notebooks)
    take_in(other, exported(box))

    assert told(box) == told(other) == before
    assert box.ledger_verify(deep=True)["standing"] == "valid"


@pytest.fixture(scope="module")
def records() -> Iterator[list[Placed]]:
    box = Box(THOUGHTBOX_NODE=NODE)
    lived_in(box)
    yield records_in(exported(box))
    box.close()


NO_TEXT = {"kind": "stream", "name": "stdout", "text": 7, "data": {}, "ename": "", "evalue": "", "extra": {}}
NONSENSE: list[tuple[str, dict[str, Any], str]] = [
    ("notebook.created", {"language": "cobol"}, "language"),
    ("notebook.created", {"trusted": 1}, "trusted"),
    ("notebook.created", {"cells": -1}, "cells"),
    ("notebook.created", {"notebookId": "another"}, "notebooks/another"),
    ("notebook.created", {"origin": "a file"}, "origin"),
    ("notebook.created", {"origin": {"format": "ipynb", "extra": "no json"}}, "extra"),
    ("notebook.cell", {"text": None}, "a rank, a type and a text"),
    ("notebook.cell", {"rank": ""}, "rank"),
    ("notebook.cell", {"type": "chapter"}, "type"),
    ("notebook.cell", {"shown": "no json"}, "shown"),
    ("notebook.cell", {"shown": '[{"kind": "stream"}]'}, "shown"),
    ("notebook.cell", {"shown": json.dumps([NO_TEXT])}, "shown"),
    ("notebook.cell", {"extra": "[]"}, "extra"),
    ("notebook.run", {"owner": None}, "owner"),
    ("notebook.output", {"encoding": "rot13"}, "encoding"),
    ("notebook.ended", {"outcome": "maybe"}, "outcome"),
    ("notebook.ended", {"parts": [{"kind": "song"}]}, "parts"),
    ("notebook.ended", {"contents": {"0": {}}}, "contents"),
    ("notebook.replayed", {"cells": [{"same": True}]}, "cells"),
    ("notebook.cited", {"runId": "th:1"}, "th:1"),
    ("notebook.cited", {"runHash": None}, "runHash"),
]


@pytest.mark.parametrize(("topic", "changes", "why"), NONSENSE)
def test_a_record_that_could_not_be_read_is_not_taken_in(
    records: list[Placed], topic: str, changes: dict[str, Any], why: str
):
    number = next(number for number, (_, record) in enumerate(records) if record["data"].get("topic") == topic)
    changed = [*records]
    record = changed[number].envelope
    changed[number] = changed[number]._replace(envelope={**record, "data": {**record["data"], **changes}})
    box = Box()

    with pytest.raises(ImportRefused, match=why):
        take_in(box, export_of(changed, WORKSPACE))

    take_in(box, export_of(records, WORKSPACE))
    assert len(told(box)) > 1
    box.close()
