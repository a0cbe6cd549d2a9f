"""A session as a directory of files: written by us, read from us and from the TypeScript Thoughtbox."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.domains.thoughts.files import folder, reading
from thoughtbox.domains.thoughts.files.documents import Rereadable, nodes
from thoughtbox.domains.thoughts.files.imported import ImportedSession
from thoughtbox.domains.thoughts.files.locations import SessionFiles, sessions_in
from thoughtbox.domains.thoughts.files.manifest import Granularity, partition_path
from thoughtbox.domains.thoughts.files.reading import IntegrityValidationResult, read_session, validate
from thoughtbox.domains.thoughts.files.writing import write_session
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.errors import ImportRefused, InvalidPayload, LedgerBroken

ID = "a1b2c3d4-e5f6-4890-abcd-ef1234567890"
OTHER_ID = "00000000-e5f6-4890-abcd-ef1234567890"
AT = "2025-12-07T10:30:00.000Z"
SESSION = Session(
    id=ID,
    title="Slow pages",
    description="Since Monday",
    tags=("db", "latency"),
    created_at=AT,
    updated_at="2025-12-07T11:00:00.000Z",
    last_accessed_at="2025-12-08T12:00:00.000Z",
    project="Shop",
    task="speed",
    stage=2,
    status="completed",
    thought_count=5,
    branch_count=1,
)
CRITIQUE = Critique(text="Says who?", model="some-model", timestamp="2025-12-07T10:31:00.000Z")


def thought(seq: int, **given: Any) -> Thought:
    fields: dict[str, Any] = {
        "session_id": ID,
        "branch_id": None,
        "number": seq,
        "total": 5,
        "next_needed": True,
        "text": f"text {seq}",
        "timestamp": f"2025-12-07T10:30:{seq % 60:02}.000Z",
        "kind": "claim",
        "prev": seq - 1 if seq > 1 else None,
    }
    return Thought(seq=seq, **{**fields, **given})


# Two thoughts, a branch of two from the first, and a third thought that revises the second.
FORKED = [
    thought(1),
    thought(2),
    thought(3, number=2, branch_id="alt", prev=1, origin=1, branch_from=1),
    thought(4, number=3, prev=2, is_revision=True, revises_number=2, revises=2),
    thought(5, number=3, branch_id="alt", prev=3, origin=1, next_needed=False),
]


def written(root: Path, thoughts: list[Thought] | None = None, **given: Any) -> Path:
    session = given.pop("session", SESSION)
    thoughts = FORKED if thoughts is None else thoughts
    return write_session(
        root, given.get("project", "shop"), given.get("granularity", "monthly"), session, thoughts, {3: CRITIQUE}
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def only_session_in(root: Path) -> SessionFiles:
    (files,) = sessions_in(root)
    return files


def change(path: Path, edit: Callable[[Any], Any]) -> None:
    """Change a JSON file: in place, or into what the edit gives."""
    value = json.loads(path.read_text(encoding="utf-8"))
    changed = edit(value)
    path.write_text(json.dumps(value if changed is None else changed), encoding="utf-8")


# Writing


def test_a_session_is_a_manifest_a_file_for_each_thought_and_a_folder_for_each_branch(tmp_path: Path):
    path = written(tmp_path)

    assert path == tmp_path / "projects" / "shop" / "sessions" / "2025-12" / ID
    assert contents(path).keys() == {
        "manifest.json",
        "001.json",
        "002.json",
        "003.json",
        "alt/002.json",
        "alt/003.json",
    }
    found = {node["id"]: node for node in nodes(FORKED, {3: CRITIQUE})}
    assert json.loads((path / "003.json").read_bytes()) == found[f"{ID}:3"]
    assert json.loads((path / "alt" / "002.json").read_bytes()) == found[f"{ID}:alt:2"]


def test_the_manifest_is_that_of_the_document_and_what_is_ours_stands_apart(tmp_path: Path):
    manifest = json.loads((written(tmp_path) / "manifest.json").read_bytes())
    ours = manifest.pop("thoughtbox")

    assert manifest == {
        "id": ID,
        "version": "1.0.0",
        "thoughtFiles": ["001.json", "002.json", "003.json"],
        "branchFiles": {"alt": ["002.json", "003.json"]},
        "metadata": {
            "title": "Slow pages",
            "description": "Since Monday",
            "tags": ["db", "latency"],
            "createdAt": AT,
            "updatedAt": "2025-12-07T11:00:00.000Z",
        },
    }
    assert ours["order"] == ["1", "2", "alt:2", "3", "alt:3"]


def test_the_examples_in_the_documentation_are_what_is_written(tmp_path: Path):
    page = (Path(__file__).parents[4] / "docs" / "file-layout.md").read_text(encoding="utf-8")
    node, manifest = (json.loads(block.partition("```")[0]) for block in page.split("```json\n")[1:])
    session = Session(
        id=ID,
        title="Slow pages",
        tags=("db",),
        created_at=AT,
        updated_at="2025-12-07T11:00:00.000Z",
        last_accessed_at="2025-12-07T11:00:00.000Z",
    )
    branch = thought(3, branch_id="alt", prev=2, origin=2, branch_from=2, text="It may be the network.")

    path = write_session(tmp_path, "shop", "monthly", session, [thought(1), thought(2), branch], {})

    assert json.loads((path / "alt" / "003.json").read_bytes()) == node
    assert json.loads((path / "manifest.json").read_bytes()) == manifest


def test_files_are_listed_by_number_not_by_spelling(tmp_path: Path):
    path = written(tmp_path, [thought(seq, number=number) for seq, number in enumerate((1000, 2, 100, 999), 1)])

    listed = json.loads((path / "manifest.json").read_bytes())["thoughtFiles"]
    assert listed == ["002.json", "100.json", "999.json", "1000.json"]


@pytest.mark.parametrize(
    ("created_at", "granularity", "partition"),
    [
        ("2025-12-07T10:30:00.000Z", "monthly", "2025-12"),
        ("2025-12-07T10:30:00.000Z", "weekly", "2025-W49"),
        ("2025-12-08T00:00:00.000Z", "weekly", "2025-W50"),
        ("2025-12-07T10:30:00.000Z", "daily", "2025-12-07"),
        ("2025-12-07T10:30:00.000Z", "none", None),
        # The last days of December can belong to the next year's first week, the first of January to the last one's.
        ("2024-12-29T23:59:59.999Z", "weekly", "2024-W52"),
        ("2024-12-30T00:00:00.000Z", "weekly", "2025-W01"),
        ("2025-12-31T12:00:00.000Z", "weekly", "2026-W01"),
        ("2021-01-03T12:00:00.000Z", "weekly", "2020-W53"),
        ("2021-01-04T12:00:00.000Z", "weekly", "2021-W01"),
        ("2023-01-01T12:00:00.000Z", "weekly", "2022-W52"),
        # What counts is the day in UTC.
        ("2026-01-01T01:30:00.000+02:00", "daily", "2025-12-31"),
        ("2025-12-31T23:30:00.000-01:00", "monthly", "2026-01"),
        ("0999-05-06T00:00:00.000Z", "monthly", "0999-05"),
    ],
)
def test_a_session_stands_in_the_partition_of_its_time(
    created_at: str, granularity: Granularity, partition: str | None
):
    assert partition_path(created_at, granularity) == partition


@pytest.mark.parametrize(
    ("granularity", "folder"),
    [
        ("monthly", f"sessions/2025-12/{ID}"),
        ("weekly", f"sessions/2025-W49/{ID}"),
        ("daily", f"sessions/2025-12-07/{ID}"),
        ("none", f"sessions/{ID}"),
    ],
)
def test_each_granularity_has_its_folder_and_is_read_back(tmp_path: Path, granularity: Granularity, folder: str):
    path = written(tmp_path, granularity=granularity)

    assert path == tmp_path / "projects" / "shop" / folder
    files = only_session_in(tmp_path)
    assert (files.path, files.project) == (path, "shop")
    assert files.partition == partition_path(AT, granularity)


def test_writing_again_changes_no_byte_and_touches_no_file(tmp_path: Path):
    path = written(tmp_path)
    before = contents(path)
    inodes = {name: (path / name).stat().st_ino for name in before}

    written(tmp_path, granularity="monthly")

    assert contents(path) == before
    assert {name: (path / name).stat().st_ino for name in before} == inodes


def test_writing_elsewhere_gives_the_same_bytes(tmp_path: Path):
    one, other = written(tmp_path / "one"), written(tmp_path / "other")

    assert contents(one) == contents(other)


def test_a_session_that_has_grown_is_written_over_the_earlier_one(tmp_path: Path):
    written(tmp_path, FORKED[:2])
    path = written(tmp_path, FORKED)

    assert contents(path) == contents(written(tmp_path / "afresh"))


def test_what_an_earlier_export_wrote_and_this_one_does_not_is_removed(tmp_path: Path):
    written(tmp_path, FORKED)
    path = written(tmp_path, FORKED[:2])

    assert contents(path) == contents(written(tmp_path / "afresh", FORKED[:2]))
    assert not (path / "alt").exists()


def test_what_no_export_wrote_is_left_alone(tmp_path: Path):
    path = written(tmp_path, FORKED)
    strangers = [path / "004.json", path / "notes.txt", path / "alt" / "009.json", path / "mine" / "001.json"]
    strangers[-1].parent.mkdir()
    for stranger in strangers:
        stranger.write_text("mine", encoding="utf-8")

    written(tmp_path, FORKED[:2])

    assert [stranger.read_text(encoding="utf-8") for stranger in strangers] == ["mine"] * 4
    assert not (path / "alt" / "002.json").exists()


def test_a_forged_manifest_makes_an_export_remove_nothing_but_thoughts_of_that_session(tmp_path: Path):
    path = written(tmp_path, FORKED)
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "001.json").write_text("mine", encoding="utf-8")
    (path / "notes.json").write_text("mine", encoding="utf-8")
    (path / "alt" / "007.json").symlink_to(victim / "001.json")
    (path / "trap").symlink_to(victim)

    def forge(manifest: dict[str, Any]) -> None:
        manifest["thoughtFiles"] += ["notes.json", "../../../../../../victim/001.json", str(victim / "001.json")]
        manifest["branchFiles"] |= {"alt": ["007.json"], "../../../../../../victim": ["001.json"]}

    change(path / "manifest.json", forge)
    written(tmp_path, FORKED[:2])

    assert (victim / "001.json").read_text(encoding="utf-8") == "mine"
    assert (path / "notes.json").exists()
    assert (path / "alt" / "007.json").is_symlink()


def test_the_manifest_comes_last_so_that_it_never_names_a_file_that_is_not_there(tmp_path: Path):
    def fails_halfway() -> Iterator[Thought]:
        nonlocal reads
        reads += 1
        yield from FORKED[:3]
        if reads == 2:
            raise RuntimeError("the power is gone")

    reads = 0
    with pytest.raises(RuntimeError):
        write_session(tmp_path, "shop", "monthly", SESSION, Rereadable(fails_halfway), {})

    files = only_session_in(tmp_path)
    assert (files.path / "002.json").exists()
    assert not validate(files).manifest_exists
    assert contents(written(tmp_path)) == contents(written(tmp_path / "afresh"))


def test_what_a_killed_export_left_behind_is_swept_up(tmp_path: Path):
    path = written(tmp_path)
    (path / "001.json").unlink()
    (path / ".001.json.part").write_text("half a thou", encoding="utf-8")

    written(tmp_path)

    assert contents(path) == contents(written(tmp_path / "afresh"))


def test_a_directory_with_somebody_elses_session_is_not_written_to(tmp_path: Path):
    typescript(tmp_path, project="shop")
    path = tmp_path / "projects" / "shop" / "sessions" / "2025-12" / ID
    before = contents(path)

    with pytest.raises(InvalidPayload, match="was not written by an export"):
        written(tmp_path)

    assert contents(path) == before


def test_a_thought_too_big_to_be_read_back_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(folder, "LARGEST_FILE", 2_000)

    with pytest.raises(InvalidPayload, match="would be bigger"):
        written(tmp_path, [thought(1, text="x" * 2_000)])


def test_two_thoughts_of_one_number_never_share_a_file(tmp_path: Path):
    with pytest.raises(LedgerBroken, match="two thoughts"):
        written(tmp_path, [thought(1), thought(2, number=1)])


# Where nothing may be written

OUTSIDE = [
    "..",
    "../up",
    "a/../../up",
    "/etc",
    "a//b",
    "a/",
    "",
    ".",
    ".hidden",
    "a/./b",
    "a\\..\\b",
    "C:",
    "C:\\temp",
    "a\0b",
    "a b",
    "ä",
    "a\n",
    "a/sessions/b",
    "a/Sessions",
    "x" * 129,
    "/".join("abcdefghi"),
]


@pytest.mark.parametrize("project", OUTSIDE)
def test_a_project_that_could_lead_elsewhere_is_refused(tmp_path: Path, project: str):
    root = tmp_path / "deep" / "down" / "root"

    with pytest.raises(InvalidPayload) as refused:
        written(root, project=project)

    assert refused.value.details == {"fields": ["project"]}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("project", ["shop", "Team_1/app.v2", "_default", "sessions"])
def test_a_projects_name_may_lead_through_folders_and_is_found_again(tmp_path: Path, project: str):
    path = written(tmp_path, project=project)

    files = only_session_in(tmp_path)
    assert (files.path, files.project) == (path, project)


@pytest.mark.parametrize(("first", "second"), [("shop", "Shop"), ("team/App", "team/app"), ("Team/a", "team/b")])
def test_projects_that_differ_only_in_case_are_not_written_side_by_side(tmp_path: Path, first: str, second: str):
    written(tmp_path, project=first)

    with pytest.raises(InvalidPayload, match="differ only in case"):
        written(tmp_path, project=second)


@pytest.mark.parametrize("branch", ["..", "../x", "/etc", "A", "a b", "a.b", "", "x" * 65, "a\0", "a\n"])
def test_a_branch_that_could_lead_elsewhere_is_refused(tmp_path: Path, branch: str):
    with pytest.raises(InvalidPayload) as refused:
        written(tmp_path, [thought(1), thought(2, branch_id=branch, origin=1)])

    assert refused.value.details == {"fields": ["branchId"]}


@pytest.mark.parametrize("session_id", ["..", "../x", "A1", "", "-a", "a/b", "x" * 65])
def test_a_session_id_that_could_lead_elsewhere_is_refused(tmp_path: Path, session_id: str):
    with pytest.raises(InvalidPayload) as refused:
        written(tmp_path, session=replace(SESSION, id=session_id))

    assert refused.value.details == {"fields": ["sessionId"]}
    assert list(tmp_path.iterdir()) == []


def test_what_a_session_says_has_no_part_in_its_path(tmp_path: Path):
    hostile = replace(SESSION, title="../../up", project="/etc", task="..", tags=("../x", "a/b"), description="/")

    assert written(tmp_path, session=hostile) == tmp_path / "projects" / "shop" / "sessions" / "2025-12" / ID


@pytest.mark.parametrize(
    "planted",
    [
        "projects",
        "projects/shop",
        "projects/shop/sessions",
        "projects/shop/sessions/2025-12",
        f"projects/shop/sessions/2025-12/{ID}",
        f"projects/shop/sessions/2025-12/{ID}/alt",
    ],
)
def test_no_link_is_followed_on_the_way(tmp_path: Path, planted: str):
    elsewhere, link = tmp_path / "elsewhere", tmp_path / "root" / planted
    elsewhere.mkdir()
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)

    with pytest.raises(InvalidPayload, match="symbolic link"):
        written(tmp_path / "root")

    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("planted", ["001.json", "manifest.json"])
def test_no_link_is_written_through(tmp_path: Path, planted: str):
    victim = tmp_path / "victim.json"
    victim.write_text("mine", encoding="utf-8")
    link = tmp_path / "root" / "projects" / "shop" / "sessions" / "2025-12" / ID / planted
    link.parent.mkdir(parents=True)
    link.symlink_to(victim)

    with pytest.raises(InvalidPayload, match="symbolic link"):
        written(tmp_path / "root")

    assert victim.read_text(encoding="utf-8") == "mine"


def test_a_link_in_the_place_of_the_unfinished_file_is_replaced_not_followed(tmp_path: Path):
    victim = tmp_path / "victim.json"
    victim.write_text("mine", encoding="utf-8")
    folder = tmp_path / "root" / "projects" / "shop" / "sessions" / "2025-12" / ID
    folder.mkdir(parents=True)
    (folder / ".001.json.part").symlink_to(victim)

    path = written(tmp_path / "root")

    assert victim.read_text(encoding="utf-8") == "mine"
    assert validate(only_session_in(tmp_path / "root")).valid
    assert not (path / "001.json").is_symlink()


def test_the_directory_that_the_user_names_may_be_a_link(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    written(tmp_path / "link")

    assert validate(only_session_in(tmp_path / "link")).valid


# Round trip

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
times = st.integers(0, 10**12).map(
    lambda ms: f"2025-{ms % 12 + 1:02}-{ms % 28 + 1:02}T{ms % 24:02}:00:{ms % 60:02}.{ms % 1000:03}Z"
)
critiques = st.none() | st.builds(Critique, text=words, model=words, timestamp=times)


@st.composite
def graphs(draw: st.DrawFn) -> list[Thought]:
    """Thoughts as the ledger may hold them: lines in any numbering, branches of branches, revisions of anything."""
    thoughts: list[Thought] = []
    ends: dict[str | None, Thought] = {}
    taken: set[tuple[str | None, int]] = set()
    for seq in draw(st.lists(st.integers(1, 50), max_size=12, unique=True).map(sorted)):
        branch = draw(st.sampled_from([None, "a", "b-2", "branches", "001"])) if thoughts else None
        number = draw(st.integers(1, 1_200).filter(lambda n, b=branch: (b, n) not in taken))
        taken.add((branch, number))
        end = ends.get(branch)
        forked = draw(st.sampled_from(thoughts)) if branch is not None and end is None else None
        origin = forked.seq if forked else end.origin if end else None
        revised = draw(st.none() | st.sampled_from(thoughts)) if thoughts else None
        before = forked or end
        ends[branch] = thought(
            seq,
            number=number,
            branch_id=branch,
            total=draw(st.integers(1, 2_000)),
            text=draw(words),
            timestamp=draw(times),
            next_needed=draw(st.booleans()),
            needs_more=draw(st.booleans()),
            action_id=draw(st.none() | st.sampled_from(["deploy-1", "deploy-2"])),
            prev=before.seq if before else None,
            origin=origin,
            branch_from=forked.number if forked else None,
            is_revision=revised is not None,
            revises_number=revised.number if revised else None,
            revises=revised.seq if revised else None,
        )
        thoughts.append(ends[branch])
    return thoughts


named = st.none() | words
sessions = st.builds(
    Session,
    id=st.just(ID),
    title=words,
    description=named,
    tags=st.lists(words, max_size=3).map(tuple),
    created_at=times,
    updated_at=times,
    last_accessed_at=times,
    project=named,
    task=named,
    aspect=named,
    domain=named,
    stage=st.integers(0, 3),
    status=st.sampled_from(["active", "completed"]),
)


def links_of(thoughts: list[Thought]) -> list[tuple[int | None, int | None, int | None]]:
    """Links as places in the list."""
    places = {one.seq: place for place, one in enumerate(thoughts)}
    return [(places.get(one.prev or 0), places.get(one.revises or 0), places.get(one.origin or 0)) for one in thoughts]


FIELDS = (
    "text",
    "number",
    "total",
    "next_needed",
    "timestamp",
    "branch_id",
    "needs_more",
    "is_revision",
    "revises_number",
    "branch_from",
    "action_id",
)


@settings(max_examples=30, deadline=None)
@given(sessions, graphs(), st.sampled_from(["monthly", "weekly", "daily", "none"]), st.data())
def test_what_is_written_is_read_back_the_same(
    session: Session, thoughts: list[Thought], granularity: Granularity, data: st.DataObject
):
    session = replace(
        session,
        thought_count=len(thoughts),
        branch_count=len({one.branch_id for one in thoughts} - {None}),
    )
    drawn = {one.seq: data.draw(critiques) for one in thoughts}
    given_critiques = {seq: critique for seq, critique in drawn.items() if critique is not None}
    with TemporaryDirectory() as folder:
        write_session(Path(folder), "p", granularity, session, thoughts, given_critiques)
        files = only_session_in(Path(folder))
        result = validate(files)
        found = read_session(files)

    assert result.valid, result.errors
    assert found.session == session
    assert [[getattr(one, field) for field in FIELDS] for one in found.thoughts] == [
        [getattr(one, field) for field in FIELDS] for one in thoughts
    ]
    assert [(one.prev, one.revises, one.origin) for one in found.thoughts] == links_of(thoughts)
    assert [one.critique for one in found.thoughts] == [drawn[one.seq] for one in thoughts]
    assert found.notices == ()


def test_two_thousand_thoughts_are_written_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # 4,000 waits for the disk would make this test slow and prove nothing more.
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    thoughts = [thought(1)]
    ends: dict[str | None, int] = {None: 1}
    for seq in range(2, 2_001):
        branch = f"b{seq % 50}" if seq % 4 == 0 else None
        thoughts.append(thought(seq, branch_id=branch, prev=ends.get(branch, 1), origin=1 if branch else None))
        ends[branch] = seq

    written(tmp_path, thoughts)
    found = read_session(only_session_in(tmp_path))

    assert [one.text for one in found.thoughts] == [one.text for one in thoughts]
    assert [(one.prev, one.revises, one.origin) for one in found.thoughts] == links_of(thoughts)


# The TypeScript program's directories


def typescript_node(number: int, branch: str | None = None, **given: Any) -> dict[str, Any]:
    """A node as that program writes it: `next` stays empty, and each thought of a branch follows the fork point."""
    data = {
        "thought": f"thought {number} of {branch or 'main'}",
        "thoughtNumber": number,
        "totalThoughts": 5,
        "nextThoughtNeeded": given.pop("more", True),
        "timestamp": given.pop("at", f"2025-12-07T10:{number % 60:02}:00.000Z"),
    }
    data |= {name: given.pop(name) for name in ("isRevision", "revisesThought", "branchFromThought") if name in given}
    if branch is not None:
        data["branchId"] = branch
    fork = data.get("branchFromThought")
    revised = data.get("revisesThought")
    line = f"{ID}:" if branch is None else f"{ID}:{branch}:"
    return {
        "id": f"{line}{number}",
        "data": data,
        "prev": f"{ID}:{fork}" if fork else (f"{ID}:{number - 1}" if number > 1 else None),
        "next": [],
        "revisesNode": f"{line}{revised}" if revised else None,
        "branchOrigin": f"{ID}:{fork}" if fork else None,
        "branchId": branch,
        **given,
    }


def typescript(
    root: Path, *found: dict[str, Any], project: str = "_default", partition: str = "2025-12", **manifest: Any
) -> Path:
    """A session directory as that program leaves it behind."""
    found = found or (
        typescript_node(1),
        typescript_node(2),
        typescript_node(3, isRevision=True, revisesThought=1, more=False),
        typescript_node(2, "alt", branchFromThought=1),
        typescript_node(3, "alt", branchFromThought=1),
        typescript_node(4, "alt", branchFromThought=1),
    )
    folder = root / "projects" / project / "sessions" / partition / ID
    (folder / "branches").mkdir(parents=True)
    files: dict[str | None, list[str]] = {None: []}
    for node in found:
        branch, name = node["branchId"], f"{node['data']['thoughtNumber']:03}.json"
        place = folder if branch is None else folder / "branches" / branch
        place.mkdir(exist_ok=True)
        (place / name).write_text(json.dumps(node, indent=2, ensure_ascii=False), encoding="utf-8")
        files.setdefault(branch, []).append(name)
    written = {
        "id": ID,
        "version": "1.0.0",
        "thoughtFiles": sorted(files.pop(None)),
        "branchFiles": {branch: sorted(names) for branch, names in files.items()},
        "metadata": {
            "title": "Reasoning session 2025-12-07T10:00:00.000Z",
            "tags": ["project:shop"],
            "createdAt": AT,
            "updatedAt": "2025-12-07T11:00:00.000Z",
        },
        **manifest,
    }
    (folder / "manifest.json").write_text(json.dumps(written, indent=2, ensure_ascii=False), encoding="utf-8")
    (root / "config.json").write_text("{}", encoding="utf-8")
    return folder


def imported(root: Path) -> ImportedSession:
    return read_session(only_session_in(root))


def places(found: ImportedSession) -> list[tuple[str | None, int]]:
    return [(one.branch_id, one.number) for one in found.thoughts]


def test_a_session_of_the_typescript_program_is_read(tmp_path: Path):
    typescript(tmp_path, project="shop")
    found = imported(tmp_path)

    assert found.session == Session(
        id=ID,
        title="Reasoning session 2025-12-07T10:00:00.000Z",
        tags=("project:shop",),
        created_at=AT,
        updated_at="2025-12-07T11:00:00.000Z",
        last_accessed_at="2025-12-07T11:00:00.000Z",
        project="shop",
        status="completed",
        thought_count=6,
        branch_count=1,
    )
    assert places(found) == [(None, 1), (None, 2), (None, 3), ("alt", 2), ("alt", 3), ("alt", 4)]
    assert found.thoughts[2].revises == 0
    assert found.notices == ()


def test_its_fan_of_branch_thoughts_becomes_a_chain_by_number(tmp_path: Path):
    typescript(
        tmp_path,
        typescript_node(1),
        typescript_node(1000, "alt", branchFromThought=1, at="2025-12-07T10:01:00.000Z"),
        typescript_node(2, "alt", branchFromThought=1, at="2025-12-07T10:03:00.000Z"),
        typescript_node(101, "alt", branchFromThought=1, at="2025-12-07T10:02:00.000Z"),
    )
    found = imported(tmp_path)

    assert places(found) == [(None, 1), ("alt", 2), ("alt", 101), ("alt", 1000)]
    assert [one.prev for one in found.thoughts] == [None, 0, 1, 2]
    assert [one.origin for one in found.thoughts] == [None, 0, 0, 0]
    assert [one.branch_from for one in found.thoughts] == [None, 1, None, None]


def test_its_files_are_listed_by_spelling_which_does_not_matter(tmp_path: Path):
    numbers = (1, 100, 1000, 101, 2)
    typescript(tmp_path, *(typescript_node(number, prev=None, at=AT) for number in numbers))

    assert [number for _, number in places(imported(tmp_path))] == [1, 2, 100, 101, 1000]


def test_a_node_without_next_is_read(tmp_path: Path):
    node = typescript_node(1)
    del node["next"]
    typescript(tmp_path, node)

    assert places(imported(tmp_path)) == [(None, 1)]


def test_backward_thinking_keeps_its_order(tmp_path: Path):
    typescript(
        tmp_path,
        typescript_node(3, prev=None, at=AT),
        typescript_node(2, prev=f"{ID}:3", at=AT),
        typescript_node(1, prev=f"{ID}:2", at=AT),
    )
    found = imported(tmp_path)

    assert [number for _, number in places(found)] == [3, 2, 1]
    assert [one.prev for one in found.thoughts] == [None, 0, 1]


def test_a_line_whose_links_make_no_chain_is_put_in_order_by_time(tmp_path: Path):
    """A number sent twice overwrote the file, and left a circle: 2 follows 3, which follows 2."""
    typescript(
        tmp_path,
        typescript_node(1, at="2025-12-07T10:01:00.000Z"),
        typescript_node(2, at="2025-12-07T10:04:00.000Z", prev=f"{ID}:3"),
        typescript_node(3, at="2025-12-07T10:03:00.000Z"),
    )

    assert [number for _, number in places(imported(tmp_path))] == [1, 3, 2]


def test_a_fork_point_that_is_given_by_number_only_is_on_the_main_line(tmp_path: Path):
    node = typescript_node(2, "alt", branchFromThought=1, prev=None, branchOrigin=None)
    typescript(tmp_path, typescript_node(1), node)

    assert imported(tmp_path).thoughts[1].origin == 0


def test_a_fork_point_that_never_was_is_kept_as_a_number_only(tmp_path: Path):
    typescript(tmp_path, typescript_node(1), typescript_node(2, "alt", branchFromThought=9))
    branch = imported(tmp_path).thoughts[1]

    assert (branch.branch_from, branch.prev, branch.origin) == (9, None, None)


def test_a_revision_of_what_never_was_or_came_later_is_kept_as_a_number_only(tmp_path: Path):
    typescript(
        tmp_path,
        typescript_node(1, isRevision=True, revisesThought=2),
        typescript_node(2, isRevision=True, revisesThought=9),
    )

    assert [(one.revises_number, one.revises) for one in imported(tmp_path).thoughts] == [(2, None), (9, None)]


def test_a_revision_on_a_branch_is_of_the_main_line_when_the_branch_has_no_such_thought_before(tmp_path: Path):
    typescript(
        tmp_path,
        typescript_node(1),
        typescript_node(2),
        typescript_node(5, prev=f"{ID}:2"),
        typescript_node(3, "alt", branchFromThought=2, isRevision=True, revisesThought=1),
        typescript_node(4, "alt", branchFromThought=2, isRevision=True, revisesThought=5),
        typescript_node(5, "alt", branchFromThought=2, isRevision=True, revisesThought=3),
    )
    found = imported(tmp_path)

    assert places(found)[2:] == [(None, 5), ("alt", 3), ("alt", 4), ("alt", 5)]
    assert [one.revises for one in found.thoughts[3:]] == [0, 2, 3]


def test_fork_points_and_what_is_revised_come_first_whatever_the_clock_says(tmp_path: Path):
    early, late = "2025-12-07T09:00:00.000Z", "2025-12-07T12:00:00.000Z"
    typescript(
        tmp_path,
        typescript_node(1, at=late),
        typescript_node(2, at=early, isRevision=True, revisesThought=7, revisesNode=f"{ID}:b:7"),
        typescript_node(7, "b", branchFromThought=1, at=late),
        typescript_node(8, "c", branchFromThought=7, at=early, branchOrigin=f"{ID}:b:7", prev=f"{ID}:b:7"),
    )
    found = imported(tmp_path)

    assert places(found) == [(None, 1), ("b", 7), (None, 2), ("c", 8)]
    assert found.thoughts[2].revises == 1
    assert found.thoughts[3].origin == 1


def test_links_in_a_circle_are_cut_and_no_thought_is_lost(tmp_path: Path):
    typescript(
        tmp_path,
        typescript_node(1),
        typescript_node(1, "a", branchFromThought=1, branchOrigin=f"{ID}:b:1", prev=f"{ID}:b:1"),
        typescript_node(1, "b", branchFromThought=1, branchOrigin=f"{ID}:a:1", prev=f"{ID}:a:1"),
    )
    found = imported(tmp_path)

    assert places(found) == [(None, 1), ("a", 1), ("b", 1)]
    assert [one.origin for one in found.thoughts] == [None, None, 1]


@st.composite
def tangles(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Nodes whose links may lead anywhere, also forward, in circles and to nothing."""
    branches = st.sampled_from([None, "a", "b"])
    spots = draw(st.lists(st.tuples(branches, st.integers(1, 6)), unique=True, min_size=1, max_size=10))
    ids = st.sampled_from([None, "nobody", *(f"{ID}:{f'{branch}:' if branch else ''}{n}" for branch, n in spots)])
    return [
        typescript_node(number, branch, prev=draw(ids), revisesNode=draw(ids), branchOrigin=draw(ids))
        for branch, number in spots
    ]


@settings(max_examples=30, deadline=None)
@given(tangles())
def test_whatever_the_links_say_no_thought_is_lost_and_no_link_leads_forward(tangle: list[dict[str, Any]]):
    with TemporaryDirectory() as folder:
        typescript(Path(folder), *tangle)
        found = imported(Path(folder))

    assert sorted(map(repr, places(found))) == sorted(
        repr((node["branchId"], node["data"]["thoughtNumber"])) for node in tangle
    )
    ends: dict[str | None, int] = {}
    for place, one in enumerate(found.thoughts):
        assert all(link is None or link < place for link in (one.prev, one.revises, one.origin))
        assert one.prev == ends.get(one.branch_id, one.origin)
        ends[one.branch_id] = place


def test_names_of_branches_that_are_no_ids_become_ids_of_their_own(tmp_path: Path):
    names = ["Option A", "option_a", "option-a", "日本", "x" * 80]
    typescript(tmp_path, typescript_node(1), *(typescript_node(2, name, branchFromThought=1) for name in names))
    found = imported(tmp_path)

    by_text = {one.text.removeprefix("thought 2 of "): one.branch_id for one in found.thoughts[1:]}
    assert by_text == {
        "option-a": "option-a",
        "Option A": "option-a-2",
        "option_a": "option-a-3",
        "日本": "branch",
        "x" * 80: "x" * 56,
    }
    assert "Branch 'Option A' became `option-a-2`." in found.notices
    assert len(found.notices) == 4


def test_branches_beside_the_thoughts_are_read_too(tmp_path: Path):
    """As the document draws it, without the level that the TypeScript program puts between."""
    folder = typescript(tmp_path)
    (folder / "branches" / "alt").rename(folder / "alt")

    assert places(imported(tmp_path))[3:] == [("alt", 2), ("alt", 3), ("alt", 4)]


def test_the_default_project_is_no_project(tmp_path: Path):
    typescript(tmp_path, project="_default")

    assert imported(tmp_path).session.project is None


def test_a_session_whose_last_thought_wants_more_is_active(tmp_path: Path):
    typescript(tmp_path, typescript_node(1, more=False), typescript_node(2, more=True))

    assert imported(tmp_path).session.status == "active"


def test_a_session_without_thoughts_is_read(tmp_path: Path):
    path = written(tmp_path, [], session=replace(SESSION, thought_count=0, branch_count=0))

    assert contents(path).keys() == {"manifest.json"}
    assert imported(tmp_path).thoughts == []


def test_a_long_title_is_cut_and_said(tmp_path: Path):
    folder = typescript(tmp_path)
    change(folder / "manifest.json", lambda manifest: manifest["metadata"].update(title="t" * 300))
    found = imported(tmp_path)

    assert found.session.title == "t" * 200
    assert found.notices == ("The title was cut to 200 characters.",)


def test_files_and_branches_that_the_manifest_does_not_name_are_left_out_and_said(tmp_path: Path):
    folder = typescript(tmp_path)
    for place in ("004.json", "branches/alt/005.json", "branches/new/001.json"):
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text("{}", encoding="utf-8")
    found = imported(tmp_path)

    assert len(found.thoughts) == 6
    assert found.notices == (
        "Files that manifest.json does not name were left out: '004.json'.",
        "Files of branch 'alt' that manifest.json does not name were left out: '005.json'.",
        "Branches that manifest.json does not name were left out: 'new'.",
    )


def test_times_are_read_in_utc_with_milliseconds(tmp_path: Path):
    typescript(tmp_path, typescript_node(1, at="2025-12-07T12:00:00+02:00"))

    assert imported(tmp_path).thoughts[0].timestamp == "2025-12-07T10:00:00.000Z"


# Finding sessions


def test_sessions_of_all_projects_partitions_and_programs_are_found(tmp_path: Path):
    for number, granularity in enumerate(("monthly", "weekly", "daily", "none")):
        session = replace(SESSION, id=f"{number}0000000-e5f6-4890-abcd-ef1234567890")
        thoughts = [replace(one, session_id=session.id) for one in FORKED]
        written(tmp_path, thoughts, session=session, granularity=granularity)
    typescript(tmp_path, project="team/app", partition="2025-W49")
    (tmp_path / "projects" / "README.md").write_text("no session", encoding="utf-8")
    (tmp_path / "projects" / "shop" / "sessions" / ".index").mkdir()

    found = list(sessions_in(tmp_path))

    assert sorted((files.project, files.partition, files.session_id[:2]) for files in found if files.partition) == [
        ("shop", "2025-12", "00"),
        ("shop", "2025-12-07", "20"),
        ("shop", "2025-W49", "10"),
        ("team/app", "2025-W49", "a1"),
    ]
    assert [files.session_id[:2] for files in found if files.partition is None] == ["30"]
    assert all(validate(files).valid for files in found)


def test_a_session_that_is_called_like_a_partition_is_still_a_session(tmp_path: Path):
    thoughts = [replace(one, session_id="2025-12") for one in FORKED]
    written(tmp_path, thoughts, session=replace(SESSION, id="2025-12"), granularity="none")

    files = only_session_in(tmp_path)
    assert (files.session_id, files.partition) == ("2025-12", None)
    assert validate(files).valid


def test_a_directory_without_projects_has_no_sessions(tmp_path: Path):
    assert list(sessions_in(tmp_path)) == []


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(ImportRefused, match="No such file"):
        list(sessions_in(tmp_path / "nowhere"))


@pytest.mark.parametrize(
    "link", ["projects", "projects/shop", "projects/shop/sessions", "projects/shop/sessions/2025-12", "session"]
)
def test_a_link_on_the_way_is_refused_and_not_followed(tmp_path: Path, link: str):
    path = written(tmp_path / "root")
    place = path if link == "session" else tmp_path / "root" / link
    place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")

    files = only_session_in(tmp_path / "root")
    result = validate(files)

    assert files.path == place
    assert not result.valid
    assert not result.session_exists
    assert result.errors == [f"'{place.name}' is a symbolic link, and links are not followed"]
    with pytest.raises(ImportRefused):
        read_session(files)


def test_a_session_that_is_gone_by_now_is_said_to_be_missing(tmp_path: Path):
    path = written(tmp_path)
    files = only_session_in(tmp_path)
    path.rename(tmp_path / "gone")

    result = validate(files)
    assert (result.session_exists, result.errors) == (False, ["the session's directory is missing"])


def test_folders_that_lead_outside_are_refused_whoever_made_them_up(tmp_path: Path):
    written(tmp_path / "elsewhere")
    (tmp_path / "root").mkdir()
    files = SessionFiles(root=tmp_path / "root", folders=("..", "elsewhere", "projects"), project="p")

    assert validate(files).errors == ["'..' is no name for a file"]


# Integrity


def test_a_whole_session_is_valid_in_every_field(tmp_path: Path):
    written(tmp_path)

    assert validate(only_session_in(tmp_path)).answer() == {
        "valid": True,
        "sessionExists": True,
        "manifestExists": True,
        "manifestValid": True,
        "missingThoughtFiles": [],
        "missingBranchFiles": {},
        "errors": [],
    }


def test_missing_files_are_listed_line_by_line(tmp_path: Path):
    path = written(tmp_path)
    for name in ("001.json", "003.json", "alt/002.json"):
        (path / name).unlink()

    result = validate(only_session_in(tmp_path))

    assert not result.valid
    assert result.manifest_valid
    assert result.missing_thought_files == ["001.json", "003.json"]
    assert result.missing_branch_files == {"alt": ["002.json"]}
    assert result.errors == [
        "2 files of the main line are missing: '001.json', '003.json'",
        "1 files of branch 'alt' are missing: '002.json'",
    ]


def test_a_missing_branch_folder_is_all_its_files_missing(tmp_path: Path):
    path = written(tmp_path)
    (path / "alt").rename(path / "away")

    assert validate(only_session_in(tmp_path)).missing_branch_files == {"alt": ["002.json", "003.json"]}


def test_a_missing_manifest_is_said(tmp_path: Path):
    (written(tmp_path) / "manifest.json").unlink()
    result = validate(only_session_in(tmp_path))

    assert (result.session_exists, result.manifest_exists, result.manifest_valid) == (True, False, False)
    assert result.errors == ["manifest.json is missing"]


def a_link(path: Path) -> None:
    path.rename(path.with_suffix(".moved"))
    path.symlink_to(path.with_suffix(".moved"))


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def bytes_of(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


def edited(**given: Any) -> Callable[[Path], object]:
    return lambda path: change(path, lambda value: value.update(given))


def with_data(**given: Any) -> Callable[[Path], object]:
    return lambda path: change(path, lambda node: node["data"].update(given))


def with_metadata(**given: Any) -> Callable[[Path], object]:
    return lambda path: change(path, lambda manifest: manifest["metadata"].update(given))


def with_ours(**given: Any) -> Callable[[Path], object]:
    return lambda path: change(path, lambda manifest: manifest["thoughtbox"].update(given))


def without(name: str) -> Callable[[Path], object]:
    return lambda path: change(path, lambda value: {key: part for key, part in value.items() if key != name})


Fault = tuple[Callable[[Path], object], str]
"""What is done to a file, and what has to be said of it."""


def numbered(faults: list[Fault]) -> list[str]:
    return [f"{number}: {said}" for number, (_, said) in enumerate(faults, 1)]


FILE_FAULTS: list[Fault] = [
    (a_link, "is a symbolic link, and links are not followed"),
    (a_pipe, "is not a plain file"),
    (a_folder, "is not a plain file"),
    (bytes_of(b"x" * (4 << 20) + b"x"), "is bigger than 4 MB"),
    (bytes_of(b""), "is not JSON"),
    (bytes_of(b"{"), "is not JSON"),
    (bytes_of(b'{"id": NaN}'), "is not JSON"),
    (bytes_of(b"[" * 100_000), "depth limit exceeded"),
    (bytes_of(b'{"id": "\xff"}'), "not valid UTF-8"),
    (bytes_of(b'{"id": "\\ud800"}'), "is not JSON"),
    (bytes_of(b"[]"), "'the file': Input should be"),
    (bytes_of(b"null"), "'the file': Input should be"),
    (edited(id=7), "'id': Input should be a valid string"),
    (without("id"), "'id': Field required"),
]

MANIFEST_FAULTS: list[Fault] = [
    *FILE_FAULTS,
    (without("thoughtFiles"), "'thoughtFiles': Field required"),
    (without("branchFiles"), "'branchFiles': Field required"),
    (without("metadata"), "'metadata': Field required"),
    (edited(thoughtFiles="001.json"), "'thoughtFiles': Input should be a valid list"),
    (edited(thoughtFiles=[1] * 200_000), "'thoughtFiles.0': Input should be a valid string"),
    (edited(branchFiles=["alt"]), "'branchFiles': Input should be a valid dictionary"),
    (edited(branchFiles={"alt": "002.json"}), "'branchFiles': it must hold lists of file names"),
    (edited(branchFiles={"alt": [2]}), "'branchFiles': it must hold lists of file names"),
    (edited(version="2.0.0"), "version '2.0.0' is not known"),
    (edited(version=1), "'version': Input should be a valid string"),
    (with_metadata(title=None), "'metadata.title': Input should be a valid string"),
    (with_metadata(title="a\0b"), "'metadata.title': it holds a NUL character"),
    (with_metadata(tags="db"), "'metadata.tags': Input should be a valid list"),
    (with_metadata(createdAt="yesterday"), "'metadata.createdAt': it must be a date and time"),
    (with_metadata(createdAt="2025-13-01T00:00:00Z"), "'metadata.createdAt': month must be in 1..12"),
    (with_metadata(createdAt="0001-01-01T00:00:00+10:00"), "it lies outside of the calendar"),
    (with_metadata(updatedAt=1765103400), "'metadata.updatedAt': Input should be a valid string"),
    (with_ours(layout=2), "'thoughtbox.layout': Input should be 1"),
    (with_ours(status="gone"), "'thoughtbox.status'"),
    (with_ours(stage=4), "'thoughtbox.stage'"),
]


@pytest.mark.parametrize(("fault", "said"), MANIFEST_FAULTS, ids=numbered(MANIFEST_FAULTS))
def test_a_manifest_that_is_not_right_is_not_valid(tmp_path: Path, fault: Callable[[Path], object], said: str):
    fault(written(tmp_path) / "manifest.json")
    result = validate(only_session_in(tmp_path))

    assert (result.valid, result.session_exists, result.manifest_exists) == (False, True, True)
    assert not result.manifest_valid
    assert said in result.errors[0]
    assert "manifest.json" in result.errors[0]
    assert len(result.errors) == 1


LISTING_FAULTS: list[Fault] = [
    (edited(id=OTHER_ID), f"manifest.json is of session '{OTHER_ID}'"),
    (edited(thoughtFiles=["001.json", "002.json", "003.json", "002.json"]), "names '002.json' twice"),
    (edited(thoughtFiles=["../001.json"]), "names '../001.json', which is no name"),
    (edited(thoughtFiles=["/etc/passwd"]), "names '/etc/passwd', which is no name"),
    (edited(thoughtFiles=["0001.json"]), "names '0001.json', which is no name"),
    (edited(thoughtFiles=["000.json"]), "names '000.json', which is no name"),
    (edited(thoughtFiles=["1.json"]), "names '1.json', which is no name"),
    (edited(thoughtFiles=["9" * 5_000 + ".json"]), "which is no name"),
    (edited(thoughtFiles=["٣٣٣.json"]), "which is no name"),
    (edited(branchFiles={"../../x": ["001.json"]}), "'../../x' is no name for a file"),
    (edited(branchFiles={"": ["001.json"]}), "'' is no name for a file"),
    (edited(branchFiles={"a\0": ["001.json"]}), "is no name for a file"),
    (edited(branchFiles={"x" * 300: ["001.json"]}), "cannot be opened: File name too long"),
    (edited(branchFiles={"alt": ["../001.json"]}), "names 'alt/../001.json', which is no name"),
]


@pytest.mark.parametrize(("fault", "said"), LISTING_FAULTS, ids=numbered(LISTING_FAULTS))
def test_a_manifest_that_names_the_wrong_things_is_refused(tmp_path: Path, fault: Callable[[Path], object], said: str):
    fault(written(tmp_path) / "manifest.json")
    result = validate(only_session_in(tmp_path))

    assert (result.valid, result.manifest_valid) == (False, True)
    assert any(said in error for error in result.errors), result.errors


NODE_FAULTS: list[Fault] = [
    *FILE_FAULTS,
    (edited(id=f"{OTHER_ID}:2"), f"is of session '{OTHER_ID}', not of '{ID}'"),
    (edited(id=f"{ID}:3"), "which is not its own"),
    (edited(id=f"{ID}:b:2"), "which is not its own"),
    (edited(branchId="b"), "says that it is on branch 'b'"),
    (edited(prev=1), "'prev': Input should be a valid string"),
    (edited(next="x"), "'next': Input should be a valid list"),
    (edited(data=[]), "'data': Input should be"),
    (with_data(branchId="b"), "says that it is on branch 'b'"),
    (with_data(thoughtNumber=1, id=f"{ID}:1"), "holds thought 1"),
    (with_data(thoughtNumber=0), "'data.thoughtNumber': Input should be greater than or equal to 1"),
    (with_data(thoughtNumber=-2), "'data.thoughtNumber'"),
    (with_data(thoughtNumber=2.5), "'data.thoughtNumber': Input should be a valid integer"),
    (with_data(thoughtNumber=True), "'data.thoughtNumber': Input should be a valid integer"),
    (with_data(thoughtNumber="2"), "'data.thoughtNumber': Input should be a valid integer"),
    (with_data(totalThoughts=2**60), "'data.totalThoughts'"),
    (with_data(thought=None), "'data.thought': Input should be a valid string"),
    (with_data(thought="a\0b"), "'data.thought': it holds a NUL character"),
    (with_data(thought="x" * 1_000_001), "'data.thought': String should have at most 1000000 characters"),
    (with_data(nextThoughtNeeded="yes"), "'data.nextThoughtNeeded': Input should be a valid boolean"),
    (with_data(timestamp="2025-12-07"), "'data.timestamp': it must be a date and time"),
    (with_data(revisesThought="1"), "'data.revisesThought'"),
    (with_data(critique={"text": "no"}), "'data.critique"),
]


@pytest.mark.parametrize("place", ["002.json", "alt/002.json"])
@pytest.mark.parametrize(("fault", "said"), NODE_FAULTS, ids=numbered(NODE_FAULTS))
def test_a_file_that_is_not_right_is_refused_and_named(
    tmp_path: Path, place: str, fault: Callable[[Path], object], said: str
):
    fault(written(tmp_path) / place)
    result = validate(only_session_in(tmp_path))

    assert (result.valid, result.manifest_valid) == (False, True)
    assert any(said in error and "002.json" in error for error in result.errors), result.errors
    assert result.missing_thought_files == []
    assert result.missing_branch_files == {}


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written(tmp_path)
    files = only_session_in(tmp_path)
    really_open = os.open

    def open_but_not_002(path: Any, *given: Any, **named: Any) -> int:
        if path == "002.json":
            raise PermissionError(13, "Permission denied")
        return really_open(path, *given, **named)

    # The tests may run as a user to whom every file is open.
    monkeypatch.setattr(os, "open", open_but_not_002)

    assert validate(files).errors[0] == "'002.json' cannot be opened: Permission denied"


def test_two_files_with_the_same_thought_are_refused(tmp_path: Path):
    path = written(tmp_path)
    (path / "003.json").write_bytes((path / "002.json").read_bytes())

    assert validate(only_session_in(tmp_path)).errors == [
        "'003.json' holds thought 2",
        "'003.json' is a second thought 2",
    ]


def test_a_linked_branch_folder_is_refused_and_not_followed(tmp_path: Path):
    path = written(tmp_path / "root")
    (path / "alt").rename(tmp_path / "alt")
    (path / "alt").symlink_to(tmp_path / "alt")

    result = validate(only_session_in(tmp_path / "root"))
    assert result.errors == ["the folder of branch 'alt': 'alt' is a symbolic link, and links are not followed"]


def test_a_directory_whose_name_is_no_session_id_is_refused(tmp_path: Path):
    path = written(tmp_path)
    path.rename(path.with_name("My Session"))

    assert "'My Session' is no session id; those have only a-z, 0-9 and -" in validate(only_session_in(tmp_path)).errors


def test_a_session_that_would_fill_the_memory_is_refused_without_being_read_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    written(tmp_path, [thought(seq, branch_id="b" if seq > 3 else None, origin=1) for seq in range(1, 7)])
    monkeypatch.setattr(reading, "LARGEST_SESSION", 1_000)
    reads = []
    really_read = folder.Folder.read
    monkeypatch.setattr(folder.Folder, "read", lambda self, name: reads.append(name) or really_read(self, name))

    assert validate(only_session_in(tmp_path)).errors == ["the session is bigger than 0 MB"]
    assert reads == ["manifest.json", "001.json", "002.json", "003.json"]


def test_many_faults_are_counted_not_listed(tmp_path: Path):
    path = written(tmp_path)
    change(path / "manifest.json", lambda manifest: manifest.update(thoughtFiles=["bad"] * 1_000))

    errors = validate(only_session_in(tmp_path)).errors
    assert len(errors) == 101
    assert errors[-1] == "… and 900 errors more"


def test_names_chosen_by_others_are_shown_on_one_line(tmp_path: Path):
    path = written(tmp_path)
    change(path / "manifest.json", lambda manifest: manifest.update(thoughtFiles=["a\nb\x1b[31m" + "c" * 500]))

    (error,) = validate(only_session_in(tmp_path)).errors
    assert error.isprintable()
    assert len(error) < 200


def test_what_is_not_valid_is_not_read_and_the_refusal_says_all(tmp_path: Path):
    path = written(tmp_path)
    (path / "002.json").unlink()
    files = only_session_in(tmp_path)

    with pytest.raises(ImportRefused, match=r"1 files of the main line are missing") as refused:
        read_session(files)

    assert refused.value.details == validate(files).answer()
    assert refused.value.details["missingThoughtFiles"] == ["002.json"]


def test_the_result_is_spelled_as_the_document_spells_it():
    assert list(IntegrityValidationResult.model_json_schema()["required"]) == [
        "valid",
        "sessionExists",
        "manifestExists",
        "manifestValid",
        "missingThoughtFiles",
        "missingBranchFiles",
        "errors",
    ]
