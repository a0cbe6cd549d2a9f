"""Experiences from files: each once, with its date and what it revises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.domains.memory.knowledge.drafts import DEPLOY, episodes, found, recorded, unlike
from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox
from thoughtbox.errors import FileMissing, ImportRefused, PathRefused
from thoughtbox.ledger.replay import heads

AT = 1_600_000_000_000


def write(project: Path, value: Any, name: str = "in.json") -> None:
    (project / name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def last_seq(box: Box) -> int:
    return box.app.engine.read(lambda sql: heads(sql)[WORKSPACE]).result()


def test_what_was_exported_comes_in_with_its_dates_and_revisions_and_a_second_time_adds_nothing(
    open_box: OpenBox, project: Path
):
    source = open_box("source", THOUGHTBOX_PROJECT_ROOT=str(project))
    first = recorded(source, source="user")
    second = source.update_experience(id=first, changes={"confidence": 0.9}, reason="Seen.")["new_id"]
    source.update_experience(id=second, changes={"outcome": "It paused once."}, reason="Seen again.")
    recorded(source, **unlike(1, scope="global", tags=["a"], confidence=0.0))
    source.export_experiences(format="json", output_path="out.json")
    target = open_box("target", THOUGHTBOX_PROJECT_ROOT=str(project))

    report = target.import_experiences(filename="out.json")
    before = last_seq(target)
    again = target.import_experiences(filename="out.json")
    home = source.import_experiences(filename="out.json")

    assert (report["imported"], report["skipped"], report["duplicates"], report["total"]) == (4, 0, 0, 4)
    assert report["errors"] == []
    for same in (again, home):
        assert (same["imported"], same["skipped"], same["duplicates"], same["total"]) == (0, 0, 4, 4)
    assert last_seq(target) == before
    assert [_said(row) for row in exported(target)] == [_said(row) for row in exported(source)]
    lines = [(row["revision_of"], row["original_id"], row["revision_reason"]) for row in exported(target)]
    ids = sorted(row["id"] for row in exported(target))
    assert lines == [(None, None, None), (ids[1], ids[0], "Seen again."), (ids[0], ids[0], "Seen."), (None, None, None)]
    assert found(target, "paused") == [ids[2]]


def exported(box: Box) -> list[dict[str, Any]]:
    return box.export_experiences(format="json")["output"]


def _said(row: dict[str, Any]) -> dict[str, Any]:
    """What is the same wherever an experience stands."""
    own = {"id", "original_id", "revision_of", "updated_at", "trust", "source"}
    return {name: value for name, value in row.items() if name not in own}


TEXT = st.text("abcdefghij klm\nÄ€🙂", min_size=1, max_size=40).filter(str.strip)
ROWS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["effective", "ineffective"]),
        "domain": st.sampled_from(["Tools", "Protocol", "Decision"]),
        **dict.fromkeys(("situation", "approach", "outcome", "reasoning"), TEXT),
        "confidence": st.one_of(st.none(), st.floats(0, 1)),
        "tags": st.lists(st.sampled_from("abcde"), unique=True),
        "created_at": st.integers(AT, AT + 10**9),
        "scope": st.sampled_from(["project", "global"]),
    }
)


@settings(max_examples=8, deadline=None)
@given(rows=st.lists(ROWS, max_size=6))
def test_whatever_came_in_goes_out_and_comes_in_elsewhere_the_same(tmp_path_factory: Any, rows: list[dict[str, Any]]):
    project = tmp_path_factory.mktemp("project")
    write(project, rows)
    boxes = [Box(THOUGHTBOX_PROJECT_ROOT=str(project)) for _ in range(2)]
    first = boxes[0].import_experiences(filename="in.json")
    boxes[0].export_experiences(format="json", output_path="out.json")

    second = boxes[1].import_experiences(filename="out.json")

    assert first["imported"] + first["duplicates"] == first["total"] == len(rows)
    assert second["imported"] == second["total"] == first["imported"]
    assert [_said(row) for row in exported(boxes[1])] == [_said(row) for row in exported(boxes[0])]
    for box in boxes:
        box.close()


def test_odd_rows_are_skipped_with_reasons_and_the_rest_comes_in(quick: Box, project: Path):
    odd = [
        7,
        {**DEPLOY, "type": "good"},
        {**DEPLOY, "domain": None},
        {**DEPLOY, "confidence": 3},
        {**DEPLOY, "outcome": "\u0000"},
        {**DEPLOY, "approach": 5},
        {name: DEPLOY[name] for name in ("type", "domain", "situation")},
    ]
    write(project, {"experiences": [*odd, unlike(1)]})

    report = quick.import_experiences(filename="in.json")

    assert (report["imported"], report["skipped"], report["duplicates"], report["total"]) == (1, 7, 0, 8)
    assert [(error["row"], error["error"].split(";")[0]) for error in report["errors"]] == [
        (1, "it is no object"),
        (2, "its type is 'good'"),
        (3, "it has no domain"),
        (4, "its confidence is '3'"),
        (5, "its outcome holds a character that no text may have"),
    ]


def test_what_is_known_here_is_not_imported_again_whether_exactly_or_nearly(quick: Box, project: Path):
    recorded(quick)
    near = {**DEPLOY, "outcome": "The next deploys went through without any pause."}
    write(project, [{**DEPLOY, "created_at": AT}, near, unlike(1), unlike(1)])

    report = quick.import_experiences(filename="in.json")

    assert (report["imported"], report["duplicates"]) == (1, 3)


def test_a_filter_leaves_rows_out(quick: Box, project: Path):
    write(project, [unlike(1, domain="Tools", tags=["a"]), unlike(2, domain="Tools"), unlike(3, tags=["a"])])

    report = quick.import_experiences(filename="in.json", filter={"domain": "Tools", "tags": ["a"]})

    assert (report["imported"], report["skipped"], report["total"]) == (1, 2, 3)


def test_imported_content_is_trusted_at_most_1_and_leaves_episodes(quick: Box, project: Path):
    write(project, [unlike(1, source="user", trust=3, confidence=1.0), unlike(2, trust=3, confidence=0.2)])

    quick.import_experiences(filename="in.json")

    assert {(row["trust"], row["source"]) for row in exported(quick)} == {(1, "import"), (0, "import")}
    assert sorted(each.trust for each in episodes(quick)) == [0, 1]
    assert {each.source for each in episodes(quick)} == {"agent"}


def test_revisions_are_linked_however_they_stand_in_the_file(quick: Box, project: Path):
    write(
        project,
        [
            unlike(3, id=30, revision_of=20),
            unlike(2, id=20, revision_of=10),
            unlike(1, id=10),
            unlike(4, id=40, revision_of=99),
            unlike(5, id=50, revision_of=60),
            unlike(6, id=60, revision_of=50),
        ],
    )

    report = quick.import_experiences(filename="in.json")
    again = quick.import_experiences(filename="in.json")

    assert (report["imported"], again["imported"], again["duplicates"]) == (6, 0, 6)
    rows = {row["situation"].split(":")[0]: row for row in exported(quick)}
    assert rows["Case 3"]["revision_of"] == rows["Case 2"]["id"]
    assert rows["Case 3"]["original_id"] == rows["Case 2"]["revision_of"] == rows["Case 1"]["id"]
    assert rows["Case 4"]["revision_of"] is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2020-09-13T12:26:40.000Z", AT),
        ("2020-09-13 12:26:40", AT),
        ("2020-09-13T14:26:40+02:00", AT),
        (AT, AT),
        (AT // 1000, AT),
    ],
)
def test_dates_are_read_in_every_form_they_were_written_in(quick: Box, project: Path, given: Any, expected: int):
    write(project, [unlike(1, created_at=given)])

    quick.import_experiences(filename="in.json")

    assert exported(quick)[0]["created_at"] == expected


def test_archived_experiences_stay_archived_and_are_left_out_of_searches(quick: Box, project: Path):
    write(
        project, [unlike(1, situation="A lock", archived_at=AT, archive_reason="old"), unlike(2, situation="Lock two")]
    )

    quick.import_experiences(filename="in.json")

    [shown] = [row for row in exported(quick) if row["archived_at"] is not None]
    assert (shown["archived_at"], shown["archive_reason"]) == (AT, "old")
    assert shown["id"] not in found(quick, "lock")
    assert shown["id"] in found(quick, "lock", include_superseded=True)


def test_a_large_file_comes_in_by_slices(quick: Box, project: Path):
    write(project, [unlike(number) for number in range(70)])
    reports: list[tuple[int, int]] = []

    answer = quick.call("import_experiences", {"filename": "in.json"}, progress=lambda *done: reports.append(done))

    assert answer["imported"] == 70
    assert reports == [(20, 70), (40, 70), (60, 70), (70, 70)]


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (None, FileMissing, "there is no file"),
        ("{", ImportRefused, "is no JSON"),
        ("[" * 100_000, ImportRefused, "is no JSON"),
        ('{"a": 1}', ImportRefused, "neither an array"),
        ("7", ImportRefused, "neither an array"),
    ],
)
def test_a_file_that_is_not_one_of_experiences_is_refused(
    quick: Box, project: Path, content: str | None, error: type[Exception], said: str
):
    if content is not None:
        write(project, content)

    with pytest.raises(error, match=said):
        quick.import_experiences(filename="in.json")


def test_a_file_outside_of_the_project_is_refused(quick: Box, project: Path):
    write(project.parent, [unlike(1)])

    with pytest.raises(PathRefused):
        quick.import_experiences(filename="../in.json")
