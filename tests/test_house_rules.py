"""What holds for every file of the project, whoever wrote it."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "thoughtbox"

# Put together from parts, so that this file does not find itself.
REGISTRIES = [
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npm" + "js.com",
    "yarn" + "pkg.com",
    "deb." + "debian.org",
    '"resolved": ' + '"http',
    "--index" + "-url",
    "--extra-index" + "-url",
]
MACHINE_PATHS = re.compile(rb"(?<![\w.~/-])/(?:" + b"|".join([b"wo" + b"rk", b"ro" + b"ot"]) + rb")/")


@cache
def project_files() -> list[Path]:
    """What is committed, and what would be."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def lines_with(pattern: re.Pattern[bytes]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100].decode(errors='replace')}"
        for path in project_files()
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1)
        if pattern.search(line)
    ]


def python_files(below: Path, naming: re.Pattern[str] = re.compile("")) -> Iterator[tuple[Path, ast.Module]]:
    """Those that have such a name somewhere: only they are parsed."""
    for path in project_files():
        if path.suffix == ".py" and path.is_relative_to(below):
            text = path.read_text(encoding="utf-8")
            if naming.search(text):
                yield path, ast.parse(text, str(path))


def listing(offenders: list[str]) -> str:
    return "\n".join(["", *(f"  {offender}" for offender in offenders)])


def test_no_file_names_a_package_registry():
    found = lines_with(re.compile("|".join(map(re.escape, REGISTRIES)).encode()))
    assert not found, listing(found)


def test_no_file_names_a_path_of_one_machine():
    found = lines_with(MACHINE_PATHS)
    assert not found, listing(found)


def test_every_package_says_what_it_is_for():
    folders = {path.parent for path in SOURCE.rglob("*.py")}
    silent = [
        str(folder.relative_to(ROOT))
        for folder in sorted(folders)
        if not (folder / "__init__.py").is_file()
        or not ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    ]
    assert not silent, listing([f"{folder}/__init__.py has no docstring" for folder in silent])


def test_text_is_always_read_and_written_with_its_encoding():
    """The linter knows this of plain paths only; here the method's name is enough."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.func.attr}() without encoding="
        for path, tree in python_files(ROOT, re.compile("read_text|write_text"))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"read_text", "write_text"}
        and not any(keyword.arg == "encoding" for keyword in node.keywords)
    ]
    assert not found, listing(found)


LONGEST_FILE = 450
LONG_FILES = {"src/thoughtbox/verifier.py": 843, "src/thoughtbox/errors.py": 496}
"""Longer than that for a reason: one file to audit, and one with every code, which grows by a code at a time."""


def test_no_file_of_the_product_grows_beyond_what_can_be_read_at_once():
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines())
        for path in project_files()
        if path.suffix == ".py" and path.is_relative_to(SOURCE)
    }
    grown = [
        f"{name} has {length} lines; {LONG_FILES.get(name, LONGEST_FILE)} is the most"
        for name, length in lengths.items()
        if length > LONG_FILES.get(name, LONGEST_FILE)
    ]
    shrunk = [
        f"{name} has {lengths.get(name, 0)} lines: lower its number"
        for name, most in LONG_FILES.items()
        if lengths.get(name, 0) < most
    ]
    assert not grown + shrunk, listing(grown + shrunk)


def test_rooms_use_nothing_of_operations_but_what_stands_at_its_door():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: from {node.module}"
        for path, tree in python_files(SOURCE / "domains", re.compile(r"thoughtbox\.operations\."))
        if path.parent != SOURCE / "domains"  # which is no room
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("thoughtbox.operations.")
    ]
    assert not found, listing(found)


def test_no_two_files_of_the_product_import_each_other():
    """What stands below `if TYPE_CHECKING` is a matter of types, and does not count."""
    imports = {module_of(path): imported(tree) for path, tree in python_files(SOURCE)}
    pairs = sorted(
        (one, other)
        for one, names in imports.items()
        for other in names
        if one < other and one in imports.get(other, set())
    )
    assert not pairs, listing([f"{one} and {other}" for one, other in pairs])


def test_nothing_of_the_product_imports_the_sdk():
    """It is what the protocol core is held against, and costs half a second of every start."""
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, tree in python_files(SOURCE.parent, re.compile("mcp"))
        for name in imported_anywhere(tree)
        if name.partition(".")[0] in {"mcp", "mcp_types"}
    ]
    assert not found, listing(found)


def test_the_door_on_the_sdk_takes_nothing_from_the_one_it_is_held_against():
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, tree in python_files(ROOT / "tests" / "support" / "sdk_door")
        for name in imported_anywhere(tree)
        if name.startswith("thoughtbox.doors.mcp")
    ]
    assert not found, listing(found)


def imported_anywhere(tree: ast.Module) -> set[str]:
    """The modules that a file imports, at whatever time."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.Module) -> set[str]:
    """The modules that a file imports when it is imported itself, and names in them that may be modules, too."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_every_declared_dependency_is_locked(lock: str):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    declared = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["postgres"]
    if lock == "requirements-dev.lock":
        declared += project["dependency-groups"]["dev"]
    pinned = set(re.findall(r"^([a-z0-9-]+)(?:\[[^]]*])?==", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))
    names = {re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0].lower() for requirement in declared}
    assert names <= pinned, f"{lock} lacks {sorted(names - pinned)}: run `make lock`"
