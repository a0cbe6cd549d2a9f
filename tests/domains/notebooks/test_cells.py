"""The cells of a notebook: added, changed, moved, taken out, read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.notebooks import Notebook
from tests.support.thinker import Client
from thoughtbox.errors import CellNotFound, InvalidPayload


def test_cells_have_the_shapes_of_the_document(notebook: Notebook):
    notebook.call("add_cell", type="title", content="Primes")
    notebook.call("add_cell", cellType="markdown", content="*Text*")
    notebook.call("add_cell", type="package.json", content='{"name":"x"}')
    notebook.call("add_cell", type="code", content="1", filename="a.js")

    title, markdown, package, code = notebook.cells()

    ids = [cell.pop("id") for cell in (title, markdown, package, code)]
    assert len(set(ids)) == 4
    assert title == {"type": "title", "text": "Primes"}
    assert markdown == {"type": "markdown", "text": "*Text*"}
    state = {"status": "idle", "output": None, "error": None}
    assert package == {"type": "package.json", "source": '{"name":"x"}', "filename": "package.json", **state}
    assert code == {"type": "code", "language": "javascript", "filename": "a.js", "source": "1", **state}


def test_a_cell_goes_to_the_end_behind_another_or_to_the_position_that_it_gets(notebook: Notebook):
    first = notebook.code("a")
    notebook.code("b")
    notebook.call("add_cell", type="code", content="c", afterCellId=first)
    at_place = notebook.call("add_cell", type="code", content="d", position=1)

    assert notebook.names() == ["a", "d", "c", "b"]
    assert at_place["position"] == 1
    with pytest.raises(InvalidPayload, match="0 to 4"):
        notebook.call("add_cell", type="code", content="e", position=5)
    with pytest.raises(InvalidPayload, match="`afterCellId` says already"):
        notebook.call("add_cell", type="code", content="e", position=1, afterCellId=first)


def test_a_moved_cell_has_the_position_that_was_asked_for(notebook: Notebook):
    ids = [notebook.code(name) for name in "abcd"]

    assert notebook.call("move_cell", cellId=ids[0], position=2)["position"] == 2
    assert notebook.names() == ["b", "c", "a", "d"]
    notebook.call("move_cell", cellId=ids[3], afterCellId=ids[1])
    assert notebook.names() == ["b", "d", "c", "a"]
    notebook.call("move_cell", cellId=ids[0], position=0)
    assert notebook.names() == ["a", "b", "d", "c"]
    with pytest.raises(InvalidPayload, match="behind itself"):
        notebook.call("move_cell", cellId=ids[0], afterCellId=ids[0])
    with pytest.raises(InvalidPayload, match="not said where"):
        notebook.call("move_cell", cellId=ids[0])


def test_many_moves_to_one_place_keep_their_order(notebook: Notebook):
    for number in range(60):
        notebook.call("add_cell", type="markdown", content=str(number), position=min(1, number))

    assert notebook.names() == ["0", *map(str, range(59, 0, -1))]


def test_a_change_sets_a_cell_to_idle_and_clears_what_it_showed_and_earlier_runs_stay(notebook: Notebook):
    cell = notebook.code("console.log('before')", "a.js")
    run = notebook.run(cell)

    changed = notebook.call("update_cell", cellId=cell, content="console.log('after')")

    assert changed["cell"] == {
        "id": cell,
        "type": "code",
        "language": "javascript",
        "filename": "a.js",
        "source": "console.log('after')",
        "status": "idle",
        "output": None,
        "error": None,
    }
    events = notebook.call("history", cellId=cell)["events"]
    assert [event["what"] for event in events] == ["cell updated", "run ended", "run begun", "cell added"]
    assert events[1]["output"] == "before\n"
    assert notebook.client.call("notebook.run", runId=run["runId"]) == run


def test_a_filename_and_a_language_follow_from_each_other(notebook: Notebook):
    assert notebook.call("add_cell", type="code", content="1")["cell"]["filename"] == "cell-1.js"
    assert notebook.call("add_cell", type="code", content="1", filename="x.py")["cell"]["language"] == "python"
    made = notebook.call("add_cell", type="code", content="1", language="typescript")["cell"]
    assert made["filename"] == "cell-1.ts"
    renamed = notebook.call("update_cell", cellId=made["id"], filename="y.py", language="python")["cell"]
    assert (renamed["filename"], renamed["language"], renamed["source"]) == ("y.py", "python", "1")
    other = notebook.call("update_cell", cellId=made["id"], language="javascript")["cell"]
    assert (other["filename"], other["language"]) == ("cell-2.js", "javascript")


@pytest.mark.parametrize(
    "filename",
    ["../a.js", "a/b.js", "a\\b.js", ".a.js", "..js", "package.json", "node_modules", "a.py", "a", "-a.js", "x" * 200],
)
def test_a_filename_that_is_no_plain_name_of_the_language_is_refused(notebook: Notebook, filename: str):
    before = notebook.client.records()
    with pytest.raises(InvalidPayload) as refused:
        notebook.call("add_cell", type="code", content="1", filename=filename, language="javascript")
    assert refused.value.details["fields"] == ["filename"]
    assert notebook.client.records() == before


def test_a_filename_is_unique_in_its_notebook(notebook: Notebook, made: Callable[..., Notebook]):
    notebook.code("1", "a.js")
    other = notebook.code("2", "b.js")
    with pytest.raises(InvalidPayload, match=r"another cell is called a\.js"):
        notebook.code("3", "a.js")
    with pytest.raises(InvalidPayload, match=r"another cell is called a\.js"):
        notebook.call("update_cell", cellId=other, filename="a.js")
    notebook.call("add_cell", type="package.json", content="{}")
    with pytest.raises(InvalidPayload, match=r"has a package\.json already"):
        notebook.call("add_cell", type="package.json", content="{}")
    assert made().code("1", "a.js")


def test_a_cell_is_found_by_its_id_or_its_filename(notebook: Notebook):
    cell = notebook.code("1", "a.js")
    assert notebook.call("get_cell", cellId="a.js") == notebook.call("get_cell", cellId=cell)
    with pytest.raises(CellNotFound, match=r"no cell `b\.js`") as refused:
        notebook.call("get_cell", cellId="b.js")
    assert notebook.id in (refused.value.recovery or "")


def test_a_cell_that_was_taken_out_leaves_its_history(mia: Client, notebook: Notebook):
    cell = notebook.code("1", "a.js")
    before = mia.records()

    gone = notebook.call("delete_cell", cellId=cell)

    assert gone["cells"] == 0
    assert notebook.names() == []
    assert [event["what"] for event in notebook.call("history", cellId=cell)["events"]] == [
        "cell deleted",
        "cell added",
    ]
    assert mia.call("notebook.get_cell", notebookId=notebook.id, cellId=cell, as_of=before)["cell"]["source"] == "1"
    with pytest.raises(CellNotFound):
        notebook.call("update_cell", cellId=cell, content="2")


def test_what_does_not_fit_a_cells_type_is_refused(notebook: Notebook):
    for wrong in (
        {"type": "title", "content": "x", "filename": "a.js"},
        {"type": "markdown", "content": "x", "language": "python"},
        {"type": "package.json", "content": "not json"},
        {"type": "package.json", "content": "{}", "filename": "other.json"},
        {"content": "x"},
        {"type": "code", "cellType": "title", "content": "x"},
        {"type": "image", "content": "x"},
    ):
        with pytest.raises(InvalidPayload):
            notebook.call("add_cell", **wrong)
    title = notebook.call("add_cell", type="title", content="x")["cellId"]
    with pytest.raises(InvalidPayload):
        notebook.call("update_cell", cellId=title, filename="a.js")
    with pytest.raises(InvalidPayload, match="nothing is said"):
        notebook.call("update_cell", cellId=title)
    assert notebook.names() == ["x"]


def test_secrets_in_cells_and_outputs_are_not_kept(notebook: Notebook):
    secret = "ghp_" + "a1B2" * 9
    cell = notebook.code(f"console.log('ghp' + '_{'a1B2' * 9}'); // {secret}", "a.js")
    run = notebook.run(cell)
    assert "ghp_" not in run["output"]
    assert secret not in notebook.call("get_cell", cellId=cell)["cell"]["source"]
