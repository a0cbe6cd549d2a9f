"""Every requirement names the tests that prove it, and every story is named by a requirement.

The requirements are data, one file per room in `tests/requirements`. Tests are
found by reading the files, not by collecting them, so that a test which cannot
be imported is still known.
"""

from __future__ import annotations

import ast
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "tests" / "requirements"
STORIES = ("tests/scenarios", "tests/domains")
FIELDS = {"id", "spec", "says", "tests", "declined"}


@dataclass(frozen=True)
class Entry:
    """One requirement as it stands in its file."""

    room: str
    place: str
    fields: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.place} {self.fields.get('id', '(no id)')}"

    @property
    def tests(self) -> list[str]:
        return self.fields.get("tests", [])


def entries() -> list[Entry]:
    return [
        Entry(path.stem, f"{path.name}#{number}", fields)
        for path in sorted(REQUIREMENTS.glob("*.toml"))
        for number, fields in enumerate(tomllib.loads(path.read_text(encoding="utf-8")).get("requirement", []), 1)
    ]


@cache
def named_in(path: Path) -> frozenset[str]:
    """The tests of a file as `name` or `Class::name`, methods of base classes in the same file included."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}

    def methods(node: ast.ClassDef) -> set[str]:
        inherited = (classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes)
        return functions(node.body).union(*(methods(base) for base in inherited))

    found = functions(tree.body)
    for name, node in classes.items():
        if name.startswith("Test"):
            found |= {f"{name}::{method}" for method in methods(node)}
    for statement in tree.body:
        found |= state_machines(statement)
    return frozenset(found)


def functions(body: list[ast.stmt]) -> set[str]:
    return {
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")
    }


def state_machines(statement: ast.stmt) -> set[str]:
    """`TestBranches = Branches.TestCase`, as Hypothesis' state machines are named, is one test."""
    if not isinstance(statement, ast.Assign):
        return set()
    if not (isinstance(statement.value, ast.Attribute) and statement.value.attr == "TestCase"):
        return set()
    return {f"{target.id}::runTest" for target in statement.targets if isinstance(target, ast.Name)}


def exists(node_id: str) -> bool:
    path, _, name = node_id.partition("::")
    return (ROOT / path).is_file() and name.partition("[")[0] in named_in(ROOT / path)


def stories() -> set[str]:
    return {
        f"{path.relative_to(ROOT).as_posix()}::{name}"
        for folder in STORIES
        for path in (ROOT / folder).rglob("test_*.py")
        for name in named_in(path)
    }


def listing(offenders: list[str], what_to_do: str) -> str:
    return "\n".join(["", *(f"  {offender}" for offender in offenders), what_to_do])


def test_every_entry_says_what_is_required_and_by_which_spec():
    wrong = [
        f"{entry.name}: {field} is missing or empty"
        for entry in entries()
        for field in ("id", "spec", "says")
        if not (isinstance(entry.fields.get(field), str) and entry.fields[field].strip())
    ]
    wrong += [
        f"{entry.name}: unknown field {field!r}"
        for entry in entries()
        for field in sorted(entry.fields.keys() - FIELDS)
    ]
    assert not wrong, listing(wrong, "An entry has id, spec, says, and either tests or declined.")


def test_every_id_is_unique_and_begins_with_its_file():
    ids = [(entry, entry.fields["id"]) for entry in entries() if "id" in entry.fields]
    times = Counter(found for _, found in ids)
    wrong = [f"{entry.name}: used {times[found]} times" for entry, found in ids if times[found] > 1]
    wrong += [
        f"{entry.name}: should begin with '{entry.room}.'"
        for entry, found in ids
        if not found.startswith(f"{entry.room}.")
    ]
    assert not wrong, listing(wrong, "An id is '<file>.<subject>.<sentence>', used once.")


def test_every_entry_is_either_proved_or_declined():
    wrong = [
        f"{entry.name}: {'both tests and declined' if entry.tests else 'neither tests nor a reason to decline'}"
        for entry in entries()
        if bool(entry.tests) == bool(entry.fields.get("declined"))
    ]
    assert not wrong, listing(wrong, 'Give tests = ["path::name"], or declined = "the reason".')


def test_every_entry_names_tests_that_exist():
    missing = [f"{entry.name}: {node_id}" for entry in entries() for node_id in entry.tests if not exists(node_id)]
    assert not missing, listing(
        missing, "A test is named 'tests/folder/test_file.py::test_name', or '::TestClass::test_name'."
    )


def test_every_story_is_named_by_an_entry():
    named = {node_id.partition("[")[0] for entry in entries() for node_id in entry.tests}
    unnamed = sorted(stories() - named)
    assert not unnamed, listing(unnamed, "Add each to the entry it proves, in tests/requirements/<room>.toml.")
