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
from importlib.util import cache_from_source
from pathlib import Path
from typing import Final

from thoughtbox.sandbox.javascript import launch
from thoughtbox.sandbox.javascript.launch import Installed
from thoughtbox.sandbox.javascript.module_files import SUFFIX, is_sound, is_trusted, is_trusted_folder

MODULES: Final = ("guest", "transform")
"""The JavaScript engine, and what takes the types out of TypeScript."""
FORM: Final = 1
"""Changes with the settings of the compiler, in `worker/machine.py`, and with the form of the file."""
BUILD_SECONDS: Final = 120
LOOK_SECONDS: Final = 0.02


def prepare(is_wanted: Callable[[], bool] = lambda: True) -> bool:
    """Have all modules compiled and kept; whether they are. A file that is not what was written is made again.

    Leaves off when it is not wanted any more.
    """
    installed = launch.installed()
    return installed is not None and all(_is_prepared(module, installed, is_wanted) for module in MODULES)


def kept(installed: Installed) -> tuple[Path, ...] | None:
    """The files that hold the modules; None when one is missing, or may not be used."""
    files = [next(filter(is_trusted, _paths(module, installed)), None) for module in MODULES]
    found = tuple(file for file in files if file is not None)
    return found if len(found) == len(MODULES) else None


def discard(installed: Installed, unfit: str) -> None:
    """Remove a file that has turned out to be of no use."""
    for path in kept(installed) or ():
        if str(path) == unfit:
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _is_prepared(module: str, installed: Installed, is_wanted: Callable[[], bool]) -> bool:
    return any(map(is_sound, _paths(module, installed))) or _is_built(module, installed, is_wanted)


def _is_built(module: str, installed: Installed, is_wanted: Callable[[], bool]) -> bool:
    """Compile a module, in a process of its own, into the first place that takes it."""
    for path in _paths(module, installed, to_write=True):
        with suppress(OSError):
            path.parent.mkdir(0o700, parents=True, exist_ok=True)
            if is_trusted_folder(path.parent):
                _run(launch.started(installed, "build", str(installed.wasm(module)), str(path)), is_wanted)
                if is_sound(path):
                    return True
    return False


def _run(builder: subprocess.Popen[bytes], is_wanted: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BUILD_SECONDS
    with builder:
        while builder.poll() is None:
            if time.monotonic() > deadline or not is_wanted():
                builder.kill()
            time.sleep(LOOK_SECONDS)


def _paths(module: str, installed: Installed, *, to_write: bool = False) -> Iterator[Path]:
    name = _name(module, installed)
    return (folder / name for folder in _places(to_write=to_write))


def _name(module: str, installed: Installed) -> str:
    source = installed.wasm(module).stat()
    made_from = repr((FORM, str(installed.folder), source.st_size, source.st_mtime_ns)).encode()
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    return f"{module}-{installed.releases}-{sys.platform}-{machine}-{crc32(made_from):08x}{SUFFIX}"


def _places(*, to_write: bool) -> Iterator[Path]:
    """Folders that a file may be in: where the package's bytecode is, or else where this user's caches are."""
    if not (to_write and sys.dont_write_bytecode):
        yield Path(cache_from_source(str(Path(__file__).with_name("__init__.py")))).parent
    caches = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # nobody's home
        if sys.platform == "win32":
            caches = caches or os.environ.get("LOCALAPPDATA") or str(Path.home())
        elif sys.platform == "darwin":
            caches = caches or str(Path.home() / "Library" / "Caches")
        yield Path(caches or Path.home() / ".cache") / "thoughtbox"
