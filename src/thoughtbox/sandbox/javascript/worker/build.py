"""Compile one module of the engine and keep it in a file: `build PARENT WASM FILE`."""

from __future__ import annotations

import sys
from pathlib import Path

from thoughtbox.sandbox.javascript import module_files
from thoughtbox.sandbox.javascript.worker.confinement import end_with
from thoughtbox.sandbox.javascript.worker.machine import compiler


def main() -> None:
    import wasmtime

    end_with(int(sys.argv[3]))
    source, target = map(Path, sys.argv[4:6])
    module_files.write(target, bytes(wasmtime.Module(compiler(), source.read_bytes()).serialize()))
