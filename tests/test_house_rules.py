"""What holds for every file of the project, whoever wrote it."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
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


def python_files() -> Iterator[tuple[Path, ast.Module]]:
    for path in project_files():
        if path.suffix == ".py":
            yield path, ast.parse(path.read_text(encoding="utf-8"), str(path))


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
        for path, tree in python_files()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"read_text", "write_text"}
        and not any(keyword.arg == "encoding" for keyword in node.keywords)
    ]
    assert not found, listing(found)


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_every_declared_dependency_is_locked(lock: str):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    declared = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["postgres"]
    if lock == "requirements-dev.lock":
        declared += project["dependency-groups"]["dev"]
    pinned = set(re.findall(r"^([a-z0-9-]+)(?:\[[^]]*])?==", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))
    names = {re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0].lower() for requirement in declared}
    assert names <= pinned, f"{lock} lacks {sorted(names - pinned)}: run `make lock`"


def imports_of(path: Path, tree: ast.Module) -> set[str]:
    """The modules of ours that a file imports when it is imported."""
    named = [
        (node.module, alias.name) for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]
    return {f"{module}.{name}" for module, name in named} | {str(module) for module, _ in named}


def test_no_files_import_each_other():
    found = {
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__"): imports_of(
            path, tree
        )
        for path, tree in python_files()
        if SOURCE in path.parents
    }
    graph = {name: sorted((imports & found.keys()) - {name}) for name, imports in found.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(" imports ".join(circle.args[1]))
