"""Installing has a network, and cells have none: nothing that a cell has left is run when packages are installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.box import Box

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

    def run(source: str) -> str:
        added = box.call("notebook.add_cell", {"notebookId": notebook, "type": "code", "content": source})
        return box.call("notebook.run_cell", {"notebookId": notebook, "cellId": added["cellId"]})["output"]

    given = {"type": "package.json", "content": json.dumps({"name": "x", "version": "1.0.0", **wanted})}
    box.call("notebook.add_cell", {"notebookId": notebook, **given})
    run(LEAVES)

    box.call("notebook.install_deps", {"notebookId": notebook})

    assert run(LOOKS) == "false\n"
