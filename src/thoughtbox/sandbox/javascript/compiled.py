"""The engine's WebAssembly, compiled to machine code once and kept in files beside Python's own bytecode.

Compiling takes about a second; a worker that maps the files is ready within a tenth of it, and shares their memory with
the other workers. A file is named after everything it was made from. Losing one costs time and nothing else.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from binascii import crc32
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from thoughtbox.derived_files import places
from thoughtbox.sandbox.javascript import launch
from thoughtbox.sandbox.javascript.launch import Installed
from thoughtbox.sandbox.javascript.module_files import SUFFIX, is_sound, is_trusted, is_trusted_folder

MODULES: Final = ("guest", "transform")
"""The JavaScript engine, and what takes the types out of TypeScript."""
FORM: Final = 1
"""Changes with the settings of the compiler, in `worker/machine.py`, and with the form of the file."""
BUILD_SECONDS: Final = 120
LOOK_SECONDS: Final = 0.02


def prepare() -> bool:
    """Have all modules compiled, and kept for every user of this installation; whether they are."""
    installed = launch.installed()
    return installed is not None and Modules(installed).prepare(for_all_users=True)


class Modules:
    """The compiled modules of an installed engine."""

    def __init__(self, installed: Installed) -> None:
        self._installed = installed
        self._names = {module: _name(module, installed) for module in MODULES}
        self._unfit: set[Path] = set()

    def files(self) -> tuple[Path, ...] | None:
        """Where they are; None when one is missing, or may not be used."""
        files = [next(filter(is_trusted, self._paths(module)), None) for module in MODULES]
        found = tuple(file for file in files if file is not None)
        return found if len(found) == len(MODULES) else None

    def sources(self) -> tuple[Path, ...]:
        return tuple(map(self._installed.wasm, MODULES))

    def discard(self, unfit: str) -> None:
        """Look past a file that has turned out to be of no use, and remove it if that is possible."""
        for path in self.files() or ():
            if str(path) == unfit:
                try:
                    path.unlink(missing_ok=True)
                except OSError:
                    self._unfit.add(path)

    def prepare(self, is_wanted: Callable[[], bool] = lambda: True, *, for_all_users: bool = False) -> bool:
        """Have all of them; whether they are there. A file that is not what was written is made again.

        Leaves off when that is not wanted any more. What is in the caches of one user does not do for all.
        """
        return all(
            (not for_all_users and any(map(is_sound, self._paths(each)))) or self._is_built(each, is_wanted)
            for each in MODULES
        )

    def _is_built(self, module: str, is_wanted: Callable[[], bool]) -> bool:
        """Compile a module, in a process of its own, into the first place that takes it, unless it is there."""
        for path in self._paths(module, to_write=True):
            if is_sound(path):
                return True
            with suppress(OSError):
                path.parent.mkdir(0o700, parents=True, exist_ok=True)
                if is_trusted_folder(path.parent) and os.access(path.parent, os.W_OK):
                    source = str(self._installed.wasm(module))
                    _run(launch.started(self._installed, "build", source, str(path)), is_wanted)
                    return is_sound(path)
        return False

    def _paths(self, module: str, *, to_write: bool = False) -> Iterator[Path]:
        paths = (folder / self._names[module] for folder in places(Path(__file__).parent, to_write=to_write))
        return (path for path in paths if path not in self._unfit)


def _run(builder: subprocess.Popen[bytes], is_wanted: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BUILD_SECONDS
    with builder:
        while builder.poll() is None:
            if time.monotonic() > deadline or not is_wanted():
                builder.kill()
            time.sleep(LOOK_SECONDS)


def _name(module: str, installed: Installed) -> str:
    """The same wherever the same release is installed: checkouts share what they keep for a user."""
    made_from = crc32(installed.wasm(module).read_bytes(), FORM)
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    return f"{module}-{installed.releases}-{sys.platform}-{machine}-{made_from:08x}{SUFFIX}"
