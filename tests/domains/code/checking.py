"""Snippets held against declarations: by the TypeScript compiler, and by the checker that Python runs under."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic_monty import MontyRuntimeError, MontySession, MontyTypingError

from tests.support.clients import program, surroundings
from tests.support.forks import PATIENCE
from thoughtbox.domains.code.catalog import Catalog, OperationEntry
from thoughtbox.domains.code.signatures import python_name

_STRICTLY = ("--noEmit", "--strict", "--target", "es2023", "--lib", "es2023", "--module", "esnext")
_ERROR = re.compile(r"^(\S+?)\.ts\(\d+,\d+\): error (TS\d+: .*)$", re.MULTILINE)


def compiled(folder: Path, declarations: str, snippets: Mapping[str, str]) -> dict[str, list[str]]:
    """What the compiler says of each snippet that it does not like, by the snippet's name."""
    (folder / "tb.d.ts").write_text(declarations, encoding="utf-8")
    for name, code in snippets.items():
        (folder / f"{name}.ts").write_text(f"{code}\nexport {{}};\n", encoding="utf-8")
    files = ["tb.d.ts", *(f"{name}.ts" for name in snippets)]
    ran = subprocess.run(
        [program("tsc"), *_STRICTLY, *files],
        cwd=folder,
        env=surroundings(folder),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )
    found: dict[str, list[str]] = defaultdict(list)
    for name, error in _ERROR.findall(ran.stdout):
        found[name].append(error)
    assert ran.returncode == 0 or found, ran.stdout + ran.stderr
    return dict(found)


def refused(session: MontySession, code: str) -> str | None:
    """Why a snippet is not let run; None when it is. There is no `tb` then, so that it ends where it first needs it."""
    try:
        session.feed_run(code)
    except MontyTypingError as error:
        return error.display()
    except MontyRuntimeError as error:
        if "'tb' is not defined" not in str(error):
            raise
    return None


def in_javascript(operation: OperationEntry) -> str:
    """Its example as a call."""
    arguments = operation["example"]["arguments"]
    return f"tb.{operation['name']}({json.dumps(arguments) if arguments else ''});"


def in_python(operation: OperationEntry) -> str:
    name = ".".join(map(python_name, operation["name"].split(".")))
    arguments = operation["example"]["arguments"].items()
    return f"tb.{name}({', '.join(f'{python_name(argument)}={value!r}' for argument, value in arguments)})"


def named(catalog: Catalog, name: str) -> OperationEntry:
    (found,) = (operation for operation in catalog["operations"] if operation["name"] == name)
    return found


def plain(value: Any) -> Any:
    return json.loads(json.dumps(value))
