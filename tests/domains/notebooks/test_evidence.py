"""Runs as evidence, and notebooks that are run again to see whether they still show the same."""

from __future__ import annotations

import pytest

from tests.domains.notebooks.conftest import OpenClient
from tests.support.notebooks import Notebook
from tests.support.servers import soon
from tests.support.thinker import Client
from thoughtbox.errors import InvalidOperation, InvalidPayload, RecordNotFound

pytestmark = pytest.mark.one_engine


def test_a_run_is_attached_to_what_it_speaks_for_as_evidence_with_its_hash(mia: Client, notebook: Notebook):
    claim = mia.call("claim", text="It is 42.", session="s1")["id"]
    run = notebook.ran("console.log(6 * 7)", "a.js")

    cited = mia.call("notebook.cite", runId=run["runId"], target=claim)

    record = mia.call("ledger_record", id=cited["id"])["record"]
    ended = mia.call("ledger_record", id=f"th:{int(run['runId'][3:]) + 1}")
    assert record["kind"] == "evidence"
    assert record["attrs"]["relations"] == [{"type": "supports", "to": claim}]
    assert record["refs"] == [claim]
    assert "42" in record["body"]["text"]
    assert cited["runHash"] == ended["hash"]
    assert record["attrs"]["sourceUrl"] == f"thoughtbox://run/{run['runId']}" == cited["uri"]
    assert mia.call("notebook.citations", targets=[claim])["citations"][0]["runId"] == run["runId"]
    assert mia.call("notebook.citations", notebookId=notebook.id)["count"] == 1


@pytest.mark.parametrize("target", ["thought", "card", "decision", "claim"])
def test_thoughts_cards_decisions_and_claims_can_be_cited_for(mia: Client, notebook: Notebook, target: str):
    before = mia.records()
    match target:
        case "thought":
            session = mia.call("start_new", sessionTitle="Why")["sessionId"]
            mia.call("cipher", sessionId=session)
            mia.call("thought", sessionId=session, thought="It is 42")
        case "card":
            mia.call("think_card", card={"type": "hypothesis", "title": "It is 42", "text": "It is 42"})
        case kind:
            mia.call(kind, text="It is 42", session="s1")
    record = f"th:{mia.records()}"
    assert mia.records() > before
    run = notebook.ran("console.log(6 * 7)", "a.js")
    cited = mia.call("notebook.cite", runId=run["runId"], target=record, relation="contradicts", note="Not so")
    assert mia.call("ledger_record", id=cited["id"])["record"]["body"]["text"] == "Not so"


def test_only_runs_that_have_ended_and_records_that_are_there_are_cited(mia: Client, notebook: Notebook):
    run = notebook.ran("console.log(1)", "a.js")
    with pytest.raises(RecordNotFound, match="is no run"):
        mia.call("notebook.cite", runId="th:1", target="th:1")
    with pytest.raises(RecordNotFound, match="there is no record th:999"):
        mia.call("notebook.cite", runId=run["runId"], target="th:999")
    with pytest.raises(InvalidPayload, match="th:17"):
        mia.call("notebook.cite", runId=run["runId"], target="CARD-1")
    notebook.code("setTimeout(() => {}, 1e6)", "slow.js")
    running = mia.submit("notebook.run_cell", notebookId=notebook.id, cellId="slow.js")
    soon(lambda: notebook.cells()[-1]["status"] == "running")
    with pytest.raises(InvalidOperation, match="has not ended"):
        mia.call("notebook.cite", runId=f"th:{mia.records()}", target="th:1")
    notebook.call("interrupt")
    running.result()


@pytest.mark.parametrize("form", ["json", "markdown", "cipher"])
def test_an_exported_session_names_the_notebooks_that_its_thoughts_cite(mia: Client, notebook: Notebook, form: str):
    session = mia.call("start_new", sessionTitle="Why")["sessionId"]
    mia.call("cipher", sessionId=session)
    mia.call("thought", sessionId=session, thought="It is 42")
    target = f"th:{mia.records()}"
    assert "notebooks" not in mia.call("session.export", sessionId=session, format=form)
    run = notebook.ran("console.log(6 * 7)", "a.js")
    mia.call("notebook.cite", runId=run["runId"], target=target)

    exported = mia.call("session.export", sessionId=session, format=form)

    [named] = exported["notebooks"]
    assert (named["notebookId"], named["name"]) == (notebook.id, "Trial")
    assert (named["runs"][0]["runId"], named["runs"][0]["target"]) == (run["runId"], target)
    if form != "cipher":
        assert notebook.id in exported["content"]
        assert run["runId"] in exported["content"]
    if form == "json":
        assert mia.call("session.import", content=exported["content"])["sessionId"] == session


def test_a_replay_says_cell_by_cell_whether_the_outputs_are_the_same_and_records_it(mia: Client, notebook: Notebook):
    notebook.code("export const six = 6;", "six.mjs")
    notebook.code("import { six } from './six.mjs'; console.log(six * 7);", "main.mjs")
    notebook.code("x = 41", "a.py")
    notebook.code("x + 1", "b.py")
    changing = notebook.code("import time; print(time.monotonic_ns())", "c.py")
    notebook.call("run_all")

    verdict = notebook.call("replay")

    assert [cell["same"] for cell in verdict["cells"]] == [True, True, True, True, False]
    assert verdict["cells"][4]["cellId"] == changing
    assert verdict["cells"][4]["why"] == "stdout differs"
    assert verdict["cells"][4]["before"] != verdict["cells"][4]["after"]
    assert verdict["same"] is False
    record = mia.call("ledger_record", id=verdict["id"])["record"]
    assert (record["kind"], record["data"]["same"]) == ("observation", False)
    assert [cell["same"] for cell in record["data"]["cells"]] == [True, True, True, True, False]


def test_times_and_addresses_can_be_masked_by_patterns(notebook: Notebook):
    notebook.code("import time; print('took', time.monotonic_ns()); object()", "a.py")
    notebook.call("run_all")
    assert notebook.call("replay")["same"] is False
    assert notebook.call("replay", mask=[r"took \d+", r"0x[0-9a-f]+"])["same"] is True
    with pytest.raises(InvalidPayload, match="is no regular expression"):
        notebook.call("replay", mask=["("])


@pytest.mark.one_engine
def test_a_pattern_that_takes_for_ever_holds_nobody_up(open_client: OpenClient):
    notebook = Notebook(open_client(THOUGHTBOX_NOTEBOOK_WALL_SECONDS="5"))
    notebook.ran("console.log('a'.repeat(40) + '!')", "a.js")
    with pytest.raises(InvalidPayload, match="took too long"):
        notebook.call("replay", mask=["(a+)+$"])


def test_a_replay_leaves_the_kernel_the_folder_and_the_cells_as_they_were(mia: Client, notebook: Notebook):
    notebook.ran("import os\nx = len(os.listdir('.'))\nopen('made.txt', 'a').write('x')\nprint('ran')", "a.py")
    shown = notebook.call("get")

    verdict = notebook.call("replay")

    assert verdict["same"] is True
    assert {**notebook.call("get")["notebook"], "updatedAt": 0} == {**shown["notebook"], "updatedAt": 0}
    assert notebook.ran("x, open('made.txt').read()", "b.py")["output"] == "(1, 'x')\n"
    folder = mia.box.app.settings.data_dir / "notebooks" / "tests"
    assert [path.name for path in folder.iterdir()] == [notebook.id]


def test_a_cell_that_was_never_run_or_changed_since_is_not_the_same(notebook: Notebook):
    notebook.ran("console.log(1)", "a.js")
    notebook.code("console.log(2)", "b.js")
    verdict = notebook.call("replay")
    assert [(cell["same"], cell.get("why")) for cell in verdict["cells"]] == [
        (True, None),
        (False, "it has not been run since it was written"),
    ]


def test_a_failing_cell_that_fails_alike_is_the_same(notebook: Notebook):
    notebook.ran("1 / 0", "a.py")
    notebook.ran("throw new Error('no')", "a.js")
    assert notebook.call("replay")["same"] is True
    notebook.call("update_cell", cellId="a.py", content="{}['x']")
    notebook.run("a.py")
    assert notebook.call("replay")["same"] is True


@pytest.mark.parametrize(
    ("filename", "source"),
    [
        ("a.py", "import time; print(1, flush=True); time.sleep(1000)"),
        ("a.js", "console.log(1); setTimeout(() => {}, 1e6);"),
    ],
)
def test_a_cell_that_takes_too_long_each_time_is_the_same(open_client: OpenClient, filename: str, source: str):
    notebook = Notebook(open_client(THOUGHTBOX_NOTEBOOK_WALL_SECONDS="5"))
    assert notebook.ran(source, filename)["error"].startswith("timeout: ")

    assert notebook.call("replay")["cells"][0]["same"] is True


def test_what_is_found_in_cells_and_outputs_names_what_to_open(mia: Client, notebook: Notebook):
    cell = notebook.code("// computes the zebrafish number\nconsole.log('ostrich' + 6 * 7)", "zebra.js")
    run = notebook.run(cell)

    in_cell = mia.call("notebook.search", query="zebrafish")["hits"]
    in_output = mia.call("notebook.search", query="ostrich42")["hits"]

    assert [(hit["foundIn"], hit["cellId"], hit["filename"]) for hit in in_cell] == [("cell", cell, "zebra.js")]
    assert (in_output[0]["foundIn"], in_output[0]["runId"]) == ("output", run["runId"])
    notebook.call("update_cell", cellId=cell, content="1")
    assert mia.call("notebook.search", query="zebrafish")["hits"] == []
    notebook.call("delete")
    assert mia.call("notebook.search", query="ostrich42")["hits"] == []


def test_a_large_output_is_found_too(mia: Client, notebook: Notebook):
    notebook.ran("console.log('filler '.repeat(5000) + 'needle' + 77)", "a.js")
    assert mia.call("notebook.search", query="needle77")["hits"][0]["foundIn"] == "output"


def test_a_picture_is_the_same_when_it_is_drawn_again(notebook: Notebook):
    run = notebook.ran("import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.show()", "a.py")
    assert run["stderr"] == ""
    verdict = notebook.call("replay")
    assert verdict["same"] is True, verdict
