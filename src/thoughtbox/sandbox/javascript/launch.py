"""How a process of the sandbox is started: Python alone, with nothing of ours in its environment."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

_START: Final = """
import sys
sys.path[:0] = sys.argv[1:3]
from thoughtbox.sandbox.javascript.worker import {entry}
{entry}.main()
"""
"""The process runs without `site`, which would go through all that is installed: the two folders it needs are named."""
_RELEASES: Final = ("quickjs_rs-", "wasmtime-")


class Installed(NamedTuple):
    """Where the engine is installed, and which releases of it."""

    folder: Path
    releases: str

    def wasm(self, module: str) -> Path:
        return self.folder / "quickjs_rs" / f"_{module}.wasm"


def installed() -> Installed | None:
    """Found without importing anything of it; None when a part is missing."""
    found = [find_spec(name) for name in ("quickjs_rs", "wasmtime")]
    folders = {Path(each.origin).parent.parent for each in found if each is not None and each.origin is not None}
    if None in found or len(folders) != 1:
        return None
    folder = folders.pop()
    releases = sorted(path.stem for path in folder.glob("*.dist-info") if path.name.startswith(_RELEASES))
    return Installed(folder, "-".join(releases))


def started(engine: Installed, entry: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A process with two pipes to us, and nothing else of ours: no environment, no directory, no open file."""
    told = [str(Path(__file__).parents[3]), str(engine.folder), str(os.getpid()), *arguments]
    return subprocess.Popen(
        # -I: no environment variables, no user's packages; -S: no site; -B: writes no bytecode.
        [sys.executable, "-I", "-S", "-B", "-c", _START.format(entry=entry), *told],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
        cwd=Path(sys.executable).anchor,
        start_new_session=True,
        close_fds=True,
    )


def _environment() -> dict[str, str]:
    """Nothing, but what Windows cannot start a process without."""
    if sys.platform == "win32":
        return {"SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    return {}
