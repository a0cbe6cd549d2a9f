"""Notebooks as wholes: made, listed, read, deleted."""

from __future__ import annotations

import pytest

from tests.domains.notebooks.conftest import OpenClient
from tests.support.notebooks import Notebook
from tests.support.servers import soon
from tests.support.thinker import Client
from thoughtbox.errors import InvalidOperation, InvalidPayload, NotebookNotFound


def test_a_notebook_has_the_fields_of_the_document_and_a_name(mia: Client):
    answer = mia.call("notebook.create", name="Primes", language="typescript", tsconfig='{"a":1}')

    notebook = answer["notebook"]
    assert notebook["id"] == answer["notebookId"]
    assert {name: notebook[name] for name in ("name", "cells", "language", "tsconfig.json", "trusted")} == {
        "name": "Primes",
        "cells": [],
        "language": "typescript",
        "tsconfig.json": '{"a":1}',
        "trusted": False,
    }
    assert isinstance(notebook["createdAt"], int)
    assert notebook["updatedAt"] >= notebook["createdAt"]


def test_name_and_title_mean_the_same(mia: Client):
    assert mia.call("notebook.create", title="Primes")["notebook"]["name"] == "Primes"
    with pytest.raises(InvalidPayload, match="`name` is missing"):
        mia.call("notebook.create")
    with pytest.raises(InvalidPayload, match="say different things"):
        mia.call("notebook.create", name="a", title="b")


def test_a_blank_notebook_has_no_cells_and_the_template_has_code_that_runs_in_each_language(mia: Client):
    for language in ("javascript", "typescript", "python"):
        made = Notebook(mia, name="Rainbows", template="sequential-feynman", language=language)

        cells = made.cells()
        assert cells[0]["type"] == "title"
        assert cells[0]["text"] == "Rainbows"
        assert {cell["language"] for cell in cells if cell["type"] == "code"} == {language}
        run = made.call("run_all")
        assert run["status"] == "completed", run
        assert run["count"] >= 3


def test_notebooks_are_listed_newest_change_first_and_a_page_at_a_time(mia: Client):
    first, second, third = (Notebook(mia, name=name) for name in ("one", "two", "three"))
    first.code("1")

    page = mia.call("notebook.list", limit=2)
    rest = mia.call("notebook.list", limit=2, cursor=page["cursor"])

    assert [each["name"] for each in page["notebooks"]] == ["one", "three"]
    assert [each["name"] for each in rest["notebooks"]] == ["two"]
    assert page["notebooks"][0]["cells"] == 1
    assert "cursor" not in rest
    assert second.id != third.id


def test_latest_is_the_notebook_that_changed_last(mia: Client):
    first, _ = Notebook(mia, name="one"), Notebook(mia, name="two")
    assert mia.call("notebook.get", notebookId="latest")["notebook"]["name"] == "two"
    first.code("1")
    assert mia.call("notebook.get", notebookId="latest")["notebook"]["name"] == "one"


def test_a_deleted_notebook_is_out_of_sight_and_can_be_read_as_of_earlier(mia: Client, notebook: Notebook):
    notebook.code("1")
    before = mia.records()

    deleted = notebook.call("delete")

    assert deleted["name"] == "Trial"
    assert mia.call("notebook.list")["notebooks"] == []
    for operation in ("get", "list_cells", "delete", "export", "history"):
        with pytest.raises(NotebookNotFound, match="it was deleted") as refused:
            notebook.call(operation)
        assert '"notebook.list"' in (refused.value.recovery or "")
    for operation in ("get", "list_cells", "export", "history"):
        assert mia.call(f"notebook.{operation}", notebookId=notebook.id, as_of=before)
    assert mia.call("notebook.list", as_of=before)["count"] == 1


def test_everything_of_a_notebook_outlives_its_server(open_client: OpenClient):
    mia = open_client()
    notebook = Notebook(mia, name="Kept")
    notebook.code("console.log('kept')", "a.js")
    notebook.run("a.js")
    shown = notebook.call("get")
    mia.box.close()

    again = open_client()

    assert again.call("notebook.get", notebookId=notebook.id) == shown
    assert shown["notebook"]["cells"][0]["output"] == "kept\n"


def test_what_is_wrong_with_a_call_is_said_and_changes_nothing(mia: Client, notebook: Notebook):
    before = mia.records()
    for wrong, said in (
        ({"name": ""}, "must not be empty"),
        ({"name": "x" * 300}, "too long"),
        ({"name": "x", "language": "ruby"}, "javascript"),
        ({"name": "x", "template": "other"}, "blank"),
        ({"name": "x", "colour": "red"}, "unknown argument"),
        ({"name": "x", "tsconfig": "{"}, "no JSON"),
    ):
        with pytest.raises(InvalidPayload, match=said):
            mia.call("notebook.create", **wrong)
    with pytest.raises(NotebookNotFound):
        mia.call("notebook.get", notebookId="nothing")
    assert mia.records() == before
    assert notebook.id


def test_a_notebook_whose_cell_runs_is_not_deleted(mia: Client, notebook: Notebook):
    notebook.code("import time; time.sleep(1000)", "a.py")
    running = mia.submit("notebook.run_cell", notebookId=notebook.id, cellId="a.py")
    soon(lambda: notebook.cells()[0]["status"] == "running")

    with pytest.raises(InvalidOperation, match="is running") as refused:
        notebook.call("delete")

    assert '"notebook.interrupt"' in (refused.value.recovery or "")
    notebook.call("interrupt")
    running.result()
    notebook.call("delete")
