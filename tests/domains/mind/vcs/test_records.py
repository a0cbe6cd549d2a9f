"""Records of branches, merges, pointers and tags: made anew they give the same views, and nonsense is not let in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox
from tests.support.branching import merge
from tests.support.exports import Placed, export_of, records_in
from tests.support.mind import Mind
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.refs import Refs
from thoughtbox.errors import ImportRefused
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.replay import rebuild
from thoughtbox.operations import TABLE

READS: list[tuple[str, dict[str, Any]]] = [
    ("branch_list", {}),
    ("show", {"branch": "main", "doc_kind": "notes"}),
    ("show", {"branch": "trunk", "doc_kind": "notes"}),
    ("diff", {"from": "main", "to": "trunk"}),
    ("log", {"ref": "main"}),
    ("log", {"ref": "v1"}),
    ("reflog", {"ref": "main"}),
    ("tag_list", {}),
    ("docs_list", {"ref": "main"}),
]


def told(box: Box) -> list[Any]:
    return [Mind(box).whole(tool, **arguments)["result"] for tool, arguments in READS]


def lived_in(box: Box) -> None:
    """A bit of everything that branches and pointers record."""
    mind = Mind(box)
    first = mind.commit(artifact="a", message="m")["commits"][0]["seq"]
    mind.tag_create(name="v1")
    mind.macro_branch_note(name="alt", content="b")
    mind.macro_branch_note(name="gone", content="c")
    mind.tag_create(name="v2")
    merge(mind, "gone", "main")
    merge(mind, "main", "alt")
    mind.checkout(ref="main")
    mind.branch_delete(name="gone")
    mind.branch_rename(old="alt", new="trunk")
    mind.commit(artifact="d", message="m")
    mind.reset(ref=first)
    mind.commit(artifact="e", message="m", docs=["notes", "ideas"])
    mind.tag_create(name="v3")
    mind.tag_delete(name="v3")


def exported(box: Box) -> list[bytes]:
    return box.app.engine.read(lambda sql: list(export_lines(sql, WORKSPACE))).result()


def take_in(box: Box, lines: list[bytes]) -> None:
    import_lines(box.app.engine, box.app.views, lines, check=TABLE.check)


def test_views_made_anew_and_exports_taken_in_elsewhere_answer_the_same(open_box: OpenBox):
    box, other = open_box(), open_box("other")
    lived_in(box)
    before = told(box)

    assert all(rebuild(box.app.engine, view) for view in (Documents, Refs))
    take_in(other, exported(box))

    assert told(box) == told(other) == before


@pytest.fixture(scope="module")
def records() -> Iterator[list[Placed]]:
    box = Box()
    lived_in(box)
    yield records_in(exported(box))
    box.close()


def of(topic: str, **said: Any) -> dict[str, Any]:
    return {"topic": topic, **said}


MADE = of("mind.branch", name="alt", change="created")
RENAMED = of("mind.branch", change="renamed")
NOTED = of("mind.note", branch=1)
COMMITTED = of("mind.ref", change="commit")
RESET = of("mind.ref", change="reset")
TAGGED = of("mind.tag", name="v1")

NONSENSE: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (MADE, {"name": "main"}, "there is a branch main"),
    (RENAMED, {"name": "main"}, "there is a branch main"),
    (NOTED, {"mergedFrom": {"branch": 1, "seq": 99}}, "not before it"),
    (NOTED, {"mergedFrom": {"branch": 1, "seq": 1, "origin": 99}}, "not before it"),
    (NOTED, {"mergedFrom": {"seq": 1}}, "branch"),
    (NOTED, {"mergedFrom": {"branch": 2, "seq": 1}}, "which was never there"),
    (COMMITTED, {"head": 1}, "shows no note 1"),
    (RESET, {"head": 99}, "shows no note 99"),
    (RESET, {"doc": "ideas"}, "in `ideas`"),
    (RESET, {"change": "jump"}, "change"),
    (TAGGED, {"entry": 1}, "shows no note 1"),
    (TAGGED, {"name": " "}, "is blank"),
    (TAGGED, {"branch": 2}, "mind/2"),
]


@pytest.mark.parametrize(("wanted", "changes", "why"), NONSENSE)
def test_a_record_that_could_not_be_read_is_not_taken_in(
    records: list[Placed], wanted: dict[str, Any], changes: dict[str, Any], why: str
):
    number = next(number for number, (_, record) in enumerate(records) if wanted.items() <= _plain(record).items())
    changed = [*records]
    record = changed[number].envelope
    changed[number] = changed[number]._replace(envelope={**record, "data": {**record["data"], **changes}})
    box = Box()

    with pytest.raises(ImportRefused, match=why):
        take_in(box, export_of(changed, WORKSPACE))

    take_in(box, export_of(records, WORKSPACE))
    assert len(told(box)) == len(READS)
    box.close()


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record["data"].items() if not isinstance(value, dict | list)}
