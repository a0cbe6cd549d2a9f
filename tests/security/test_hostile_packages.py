"""Installing has a network, and cells have none: nothing that a cell or a package has left is run while it goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.box import Box
from tests.support.registries import near

__all__ = ["near"]

LEAVES = """
import fs from "node:fs";
fs.writeFileSync("evil", "#!/bin/sh\\ntouch /notebook/was-run\\n"); fs.chmodSync("evil", 0o755);
for (const folder of [".", process.env.HOME]) {
  fs.writeFileSync(`${folder}/.npmrc`, "git=/notebook/evil\\nscript-shell=/notebook/evil\\nignore-scripts=false\\n");
  fs.writeFileSync(`${folder}/.gitconfig`, "[core]\\n  sshCommand = /notebook/evil\\n");
}
"""
LOOKS = 'import fs from "node:fs"; console.log(fs.existsSync("was-run"));'


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    yield box
    box.close()


def run(box: Box, source: str, language: str = "javascript") -> str:
    """What a new cell of the newest notebook prints."""
    cell = {"notebookId": "latest", "type": "code", "content": source, "language": language}
    added = box.call("notebook.add_cell", cell)
    return box.call("notebook.run_cell", {"notebookId": "latest", "cellId": added["cellId"]})["output"]


@pytest.mark.parametrize(
    "wanted",
    [
        {"dependencies": {"evil": "git+ssh://git@127.0.0.1:1/evil.git"}},
        {"dependencies": {"evil": "git+https://127.0.0.1:1/evil.git"}},
        {"scripts": {"preinstall": "/notebook/evil", "prepare": "/notebook/evil", "postinstall": "/notebook/evil"}},
    ],
    ids=["git over ssh", "git over https", "scripts"],
)
def test_what_a_cell_has_left_is_not_run_by_npm(box: Box, wanted: dict[str, object]):
    notebook = box.call("notebook.create", {"name": "packages"})["notebookId"]
    given = {"type": "package.json", "content": json.dumps({"name": "x", "version": "1.0.0", **wanted})}
    box.call("notebook.add_cell", {"notebookId": notebook, **given})
    run(box, LEAVES)

    box.call("notebook.install_deps", {"notebookId": notebook})

    assert run(box, LOOKS) == "false\n"


@pytest.mark.usefixtures("near")
def test_what_a_package_has_left_is_not_run_by_pip(box: Box):
    notebook = box.call("notebook.create", {"name": "packages"})["notebookId"]

    def installed(name: str) -> dict[str, object]:
        return box.call("notebook.install_deps", {"notebookId": notebook, "language": "python", "packages": [name]})

    assert installed("evil")["success"] is True
    again = installed("tiny-answer==1.0")

    assert again["success"] is True, again
    assert run(box, LOOKS) == "false\n"
    assert run(box, "import tiny_answer, evil_is_here; tiny_answer.ANSWER", "python") == "42\n"
    assert run(box, LOOKS) == "true\n"  # cells run it: they have no network
