"""Errors that end a program of Node, as it prints them, and what a cell has printed before."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.notebooks import NODE, Notebook
from thoughtbox.domains.notebooks.running.uncaught import uncaught

CAREFUL = "console.error('careful');\n"
ENDS = {
    "thrown.cjs": ("function f() { throw new TypeError('boom'); }\nf();", "TypeError", "TypeError: boom"),
    "late.mjs": ("Promise.reject(new RangeError('late'));", "RangeError", "RangeError: late"),
    "own.cjs": (
        "class Own extends Error { constructor(m) { super(m); this.name = 'Own'; } } throw new Own('mine');",
        "Own",
        "Own: mine",
    ),
    "lines.cjs": (
        "const e = new Error('two\\nlines'); e.extra = {a: 1}; throw e;",
        "Error",
        "Error: two\nlines",
    ),
    "missing.mjs": ("import('./nope.js');", "Error", "Error [ERR_MODULE_NOT_FOUND]: Cannot find module"),
    "text.cjs": ("throw 'plain';", "Uncaught", "Uncaught: plain"),
    "nothing.cjs": ("throw null;", "Uncaught", "Uncaught: null"),
    "empty.cjs": ("throw new Error();", "Error", "Error"),
}


def printed_by(folder: Path, name: str, source: str) -> str:
    path = folder / name
    path.write_text(source, encoding="utf-8")
    return subprocess.run([NODE, path], capture_output=True, check=False, encoding="utf-8").stderr


@pytest.mark.parametrize("name", ENDS)
def test_what_ended_a_program_is_told_apart_from_what_it_printed(tmp_path: Path, name: str):
    source, kind, said = ENDS[name]

    found = uncaught(printed_by(tmp_path, name, CAREFUL + source))

    assert found is not None
    assert (found.printed, found.name) == ("careful\n", kind)
    assert found.said.startswith(said)
    assert "node:internal" not in found.said
    if name in ("thrown.cjs", "late.mjs", "own.cjs", "text.cjs"):
        assert f"{name}:2" in found.said


def test_of_what_cannot_be_read_the_place_is_shown(tmp_path: Path):
    found = uncaught(printed_by(tmp_path, "bad.mjs", "let x = ;"))

    assert found is not None
    assert found.printed == ""
    assert found.said == f"SyntaxError: Unexpected token ';'\n{tmp_path}/bad.mjs:1\nlet x = ;\n        ^"


@pytest.mark.parametrize("text", ["", "\n", "careful\n", "Node.js v24.0.0\n", "a\n^\nNode.js v24.0.0\n", "/x:1\n"])
def test_what_did_not_end_so_is_nothing_but_printed(text: str):
    assert uncaught(text) is None


def test_a_failed_cell_has_its_error_apart_from_what_it_printed_as_in_python(notebook: Notebook):
    run = notebook.ran(f"{CAREFUL}throw new TypeError('boom');", "a.js")

    assert run["stderr"] == "careful\n"
    assert run["error"].startswith("TypeError: boom\n    at ")
    assert notebook.cells()[0]["error"] == run["error"]
    assert notebook.call("replay")["same"] is True
    quiet = notebook.ran("console.error('only printed'); process.exitCode = 3;", "b.js")
    assert (quiet["error"], quiet["stderr"], quiet["exitCode"]) == ("only printed", "only printed\n", 3)
