"""docs_list: which documents a branch shows."""

from __future__ import annotations

from typing import Any

from tests.support.box import WORKSPACE
from tests.support.mind import Mind
from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.scope import branch_named
from thoughtbox.domains.mind.view.graph import edge_state, node_state
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import ANONYMOUS
from thoughtbox.world import milliseconds


def write(mind: Mind, work: Any) -> int:
    return mind.box.app.dispatcher.do(WORKSPACE, ANONYMOUS, work, what="write").result()


def node(mind: Mind, branch: str, doc: str, id: str) -> int:
    def work(tx: Tx) -> int:
        return records.write_node(tx, branch_named(tx, branch).id, branch, doc, node_state(id=id, type="t"), "test").seq

    return write(mind, work)


def edge(mind: Mind, branch: str, doc: str) -> int:
    def work(tx: Tx) -> int:
        return records.write_edge(tx, branch_named(tx, branch).id, branch, doc, edge_state("a", "r", "b"), "test").seq

    return write(mind, work)


def time_of(mind: Mind, seq: int) -> int:
    return milliseconds(mind.box.call("ledger_record", {"id": f"th:{seq}"})["record"]["ts"])


def listed(mind: Mind, **options: Any) -> dict[str, tuple[str, int, int]]:
    docs = mind.docs_list(**options)["docs"]
    return {doc["doc"]: (doc["kind"], doc["created_at_ms"], doc["updated_at_ms"]) for doc in docs}


def test_documents_are_listed_with_when_they_were_begun_and_last_written(mind: Mind):
    first = mind.notes_commit(content="one")["entry"]["seq"]
    began = node(mind, "main", "graph", "a")
    mind.branch_create(name="alt")
    second = mind.notes_commit(content="two")["entry"]["seq"]
    linked = edge(mind, "main", "graph")
    own = mind.notes_commit(branch="alt", doc="ideas", content="three")["entry"]["seq"]
    at = {seq: time_of(mind, seq) for seq in (first, began, second, linked, own)}

    assert mind.docs_list()["branch"] == "main"
    assert listed(mind) == {"graph": ("graph", at[began], at[linked]), "notes": ("notes", at[first], at[second])}
    assert listed(mind, ref="alt") == {
        "graph": ("graph", at[began], at[began]),
        "ideas": ("notes", at[own], at[own]),
        "notes": ("notes", at[first], at[first]),
    }
    last = mind.notes_commit(branch="alt", content="four")["entry"]["seq"]
    assert listed(mind, ref="alt")["notes"] == ("notes", at[first], time_of(mind, last))
    assert listed(mind, as_of=second)["graph"] == ("graph", at[began], at[began])
    assert listed(mind, as_of=first) == {"notes": ("notes", at[first], at[first])}


def test_a_list_of_documents_is_by_name_and_goes_on_behind_the_last_one_shown(quick: Mind):
    for doc in ("b", "a", "c"):
        quick.notes_commit(branch="main", doc=doc, content="x")
    quick.branch_create(name="alt")
    quick.notes_commit(branch="alt", doc="aa", content="x")

    page = quick.docs_list(ref="alt", limit=2)

    assert ([doc["doc"] for doc in page["docs"]], page["truncated"], page["next_cursor"]) == (["a", "aa"], True, "aa")
    rest = quick.docs_list(ref="alt", limit=2, cursor=page["next_cursor"])
    assert ([doc["doc"] for doc in rest["docs"]], rest["truncated"]) == (["b", "c"], False)


def test_documents_are_those_of_the_branch_checked_out_or_of_one_that_is_there(quick: Mind):
    assert quick.docs_list()["docs"] == []
    quick.macro_branch_note(name="alt", content="x")

    assert quick.docs_list()["branch"] == "alt"
    assert quick.docs_list(ref="main")["docs"] == []
    assert quick.refused("docs_list", ref="nowhere").code == "UNKNOWN_ID"
