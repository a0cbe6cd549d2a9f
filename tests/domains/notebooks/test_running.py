"""Cells that are run: in three languages, each in its own way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.domains.notebooks.conftest import OpenClient
from tests.support.notebooks import Notebook
from tests.support.thinker import Client
from thoughtbox.domains.notebooks.running.node import Node
from thoughtbox.errors import CellNotFound, InvalidOperation, RuntimeUnavailable

pytestmark = pytest.mark.one_engine


def test_a_run_answers_with_its_status_output_exit_code_time_and_id(notebook: Notebook):
    cell = notebook.code("console.log(6 * 7); console.error('aside')", "a.js")

    run = notebook.run(cell)

    assert {name: run[name] for name in ("notebookId", "cellId", "status", "output", "error", "exitCode")} == {
        "notebookId": notebook.id,
        "cellId": cell,
        "status": "completed",
        "output": "42\n",
        "error": None,
        "exitCode": 0,
    }
    assert run["stderr"] == "aside\n"
    assert run["truncated"] is False
    assert run["durationMs"] >= 0
    assert run["runId"].startswith("th:")
    shown = notebook.call("get_cell", cellId=cell)["cell"]
    assert (shown["status"], shown["output"], shown["error"]) == ("completed", "42\n", None)


@pytest.mark.parametrize(
    ("filename", "source", "error", "code"),
    [
        ("a.js", "console.log('so far'); throw new TypeError('too bad')", "TypeError: too bad", 1),
        ("a.js", "console.log('so far'); process.exit(7)", "exit code 7", 7),
        ("a.ts", "console.log('so far'); const x: number = null!; (x as any).y.z", "TypeError: Cannot read", 1),
        ("a.py", "print('so far')\n1 / 0", "ZeroDivisionError: division by zero", 1),
        ("a.py", "print('so far')\nraise SystemExit(3)", "SystemExit: 3", 1),
        ("a.js", "console.log('so far'", "SyntaxError", 1),
        ("a.py", "print('so far'\n", "SyntaxError", 1),
    ],
)
def test_a_cell_that_fails_is_an_answer_with_its_error(
    notebook: Notebook, filename: str, source: str, error: str, code: int
):
    run = notebook.ran(source, filename)

    assert run["status"] == "failed"
    assert error in run["error"]
    assert run["exitCode"] == code
    assert run["output"] in ("so far\n", "")
    assert notebook.cells()[0]["status"] == "failed"


def test_typescript_runs_as_it_is(notebook: Notebook):
    source = "interface P { x: number }\nconst p: P = { x: 2 };\nconsole.log(p.x satisfies number);\nexport {};"
    assert notebook.ran(source, "a.ts")["output"] == "2\n"


def test_cells_import_one_another_also_those_that_never_ran(notebook: Notebook):
    notebook.code("export const seven = 7;", "seven.mjs")
    notebook.code("export const six: number = 6;", "six.ts")
    notebook.code("def times(a, b):\n    return a * b\n", "helpers.py")

    js = "import { seven } from './seven.mjs'; import { six } from './six.ts'; console.log(seven * six);"
    assert notebook.ran(js, "main.mjs")["output"] == "42\n"
    assert notebook.ran("import helpers\nhelpers.times(6, 7)", "main.py")["output"] == "42\n"


def test_an_imported_cell_is_what_it_says_now(notebook: Notebook):
    notebook.code("export const n = 1;", "n.mjs")
    notebook.code("import { n } from './n.mjs'; console.log(n);", "main.mjs")
    assert notebook.run("main.mjs")["output"] == "1\n"
    notebook.call("update_cell", cellId="n.mjs", content="export const n = 2;")
    assert notebook.run("main.mjs")["output"] == "2\n"


def test_state_lives_from_cell_to_cell_in_python_and_not_in_javascript(notebook: Notebook):
    notebook.ran("x = 41", "a.py")
    assert notebook.ran("x + 1", "b.py")["output"] == "42\n"
    notebook.ran("globalThis.x = 41", "a.js")
    assert notebook.ran("console.log(globalThis.x)", "b.js")["output"] == "undefined\n"
    assert notebook.ran("x + 2", "c.py")["output"] == "43\n"  # a cell in another language ends no kernel


def test_two_notebooks_share_no_state_and_no_files(mia: Client):
    one, two = Notebook(mia), Notebook(mia)
    one.ran("x = 1\nopen('mine.txt', 'w').write('one')", "a.py")

    assert "NameError" in two.ran("x", "a.py")["error"]
    assert two.ran("import os; sorted(os.listdir('.'))", "b.py")["output"] == "['a.py', 'b.py']\n"
    assert one.ran("open('mine.txt').read()", "b.py")["output"] == "'one'\n"


def test_files_of_a_notebook_last_and_are_gone_with_it(notebook: Notebook, mia: Client):
    notebook.ran("require('fs').writeFileSync('kept.txt', 'yes')", "a.cjs")
    assert notebook.ran("console.log(require('fs').readFileSync('kept.txt', 'utf8'))", "b.cjs")["output"] == "yes\n"
    folder = mia.box.app.settings.data_dir / "notebooks"
    assert [path.name for path in folder.rglob("kept.txt")] == ["kept.txt"]
    notebook.call("delete")
    assert not list(folder.rglob("kept.txt"))


def test_all_cells_run_in_order_up_to_the_first_that_fails(notebook: Notebook):
    notebook.call("add_cell", type="title", content="All")
    notebook.code("x = 1", "a.py")
    broken = notebook.code("x / 0", "b.py")
    last = notebook.code("console.log('end')", "c.js")

    stopped = notebook.call("run_all")
    through = notebook.call("run_all", continueOnError=True)

    assert (stopped["status"], stopped["count"], stopped["notRun"]) == ("failed", 2, [last])
    assert stopped["runs"][-1]["cellId"] == broken
    assert (through["status"], through["count"], through["notRun"]) == ("failed", 3, [])
    notebook.call("update_cell", cellId=broken, content="x / 1")
    assert notebook.call("run_all")["status"] == "completed"


def test_only_code_cells_are_run(notebook: Notebook):
    title = notebook.call("add_cell", type="title", content="x")["cellId"]
    with pytest.raises(InvalidOperation, match="a title cell is not run"):
        notebook.run(title)
    with pytest.raises(CellNotFound):
        notebook.run("nothing.js")


def test_the_environment_of_the_server_is_not_the_cells_unless_it_is_named(
    open_client: OpenClient, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SECRET_OF_THE_SERVER", "told")
    monkeypatch.setenv("OPEN_TO_CELLS", "shown")
    notebook = Notebook(open_client(THOUGHTBOX_NOTEBOOK_ENVIRONMENT="OPEN_TO_CELLS"))
    for filename, source in (
        ("a.js", "console.log(JSON.stringify(process.env))"),
        ("a.py", "import os, json; print(json.dumps(dict(os.environ)))"),
    ):
        said = notebook.ran(source, filename)["output"]
        assert "told" not in said
        assert "shown" in said


def test_without_node_the_answer_says_what_to_do(open_client: OpenClient, monkeypatch: pytest.MonkeyPatch):
    named = Notebook(open_client(THOUGHTBOX_NODE="/nowhere/node"))
    named.code("1", "a.js")
    with pytest.raises(RuntimeUnavailable, match="need Node") as refused:
        named.run("a.js")
    assert "THOUGHTBOX_NODE" in (refused.value.recovery or "")
    assert named.cells()[0]["status"] == "idle"
    assert named.ran("6 * 7", "a.py")["output"] == "42\n"


def test_a_node_that_is_too_old_for_types_is_refused_with_what_typescript_needs(
    open_client: OpenClient, tmp_path_factory: pytest.TempPathFactory
):
    from tests.support.notebooks import NODE

    old = tmp_path_factory.mktemp("old") / "node"
    old.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo v22.17.1 || exec {NODE} "$@"\n', encoding="utf-8")
    old.chmod(0o755)
    notebook = Notebook(open_client(THOUGHTBOX_NODE=str(old)))
    notebook.code("1", "a.ts")
    with pytest.raises(RuntimeUnavailable, match=r"need Node 22\.18 or later") as refused:
        notebook.run("a.ts")
    assert "Node 24" in (refused.value.recovery or "")
    assert notebook.ran("console.log([1, 2].at(-1))", "a.js")["output"] == "2\n"


@pytest.mark.parametrize(
    ("version", "option"),
    [
        ((18, 0, 0), "--no-warnings"),
        ((20, 10, 0), "--no-warnings"),
        ((20, 11, 0), "--disable-warning=ExperimentalWarning"),
        ((21, 2, 0), "--no-warnings"),
        ((24, 0, 0), "--disable-warning=ExperimentalWarning"),
    ],
)
def test_node_is_given_only_options_that_it_knows(version: tuple[int, int, int], option: str):
    assert Node(Path("node"), version).quiet == option


def test_the_newest_node_on_the_path_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
):
    from thoughtbox.domains.notebooks.running import node

    folders = []
    for version in ("v20.1.0", "v24.9.9", "v22.18.0"):
        folder = tmp_path_factory.mktemp(version)
        (folder / "node").write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        (folder / "node").chmod(0o755)
        folders.append(str(folder))
    monkeypatch.setenv("PATH", ":".join([*folders, "/usr/bin", "/bin"]))

    found = node.best(None)

    assert found is not None
    assert found.version >= (24, 9, 9)


def test_a_run_is_recorded_at_its_start_and_at_its_end(mia: Client, notebook: Notebook):
    run = notebook.ran("console.log(1)", "a.js")

    begun = mia.call("ledger_record", id=run["runId"])["record"]
    ended = mia.call("ledger_record", id=f"th:{int(run['runId'][3:]) + 1}")["record"]

    assert (begun["kind"], begun["data"]["topic"]) == ("tool_call", "notebook.run")
    assert (ended["kind"], ended["attrs"]) == ("tool_result", {"callId": run["runId"], "status": "ok"})
    assert ended["data"]["outcome"] == "completed"
