"""The reference in `docs/`, made from the tables: operations with real answers, errors, settings.

`make docs` writes it, `python -m thoughtbox.doors.cli.reference --check` says whether it is still true.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from thoughtbox import domains
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.cli.command_lines import command_lines
from thoughtbox.doors.cli.flags import OBSERVE_FLAGS, SERVE_FLAGS, STORE_FLAGS
from thoughtbox.errors import ThoughtboxError, all_codes
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.operations.parts import answer_of, arguments_of
from thoughtbox.operations.registry import TABLE, Operation
from thoughtbox.settings import Settings, all_settings, load
from thoughtbox.world import World

DOCS = Path(__file__).resolve().parents[4] / "docs"

BEGIN, END = "<!-- begin: made by `make docs` -->", "<!-- end -->"
MADE = "<!-- Made by `make docs` from the table of operations. Do not edit: change the code, and make it again. -->"
MOST_NAMED = 24
_MEASURED = re.compile(r'("durationMs": )\d+')
TOOK_MS = 25
HOME = b"/home/ada"
PROGRAMS = b"/usr/local/bin"
"""Where the examples say that things stand, whichever machine they ran on."""
FIRST_MS = 1_767_225_600_000
"""The first moment of 2026: when the examples happen."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(prog="python -m thoughtbox.doors.cli.reference", description="Write the reference.")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    parser.add_argument("--docs", type=Path, default=DOCS, help="the folder of the documentation")
    args = parser.parse_args(argv)
    made = list(pages(args.docs))
    stale = [path for path, text in made if not path.exists() or path.read_text(encoding="utf-8") != text]
    if args.check:
        for path in stale:
            sys.stderr.write(f"{path} is out of date: run `make docs`\n")
        return 1 if stale else 0
    for path, text in made:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


def pages(docs: Path) -> Iterator[tuple[Path, str]]:
    """Every file, as it should be."""
    domains.load()
    yield docs / "reference" / "operations.md", operations_page()
    yield docs / "reference" / "errors.md", errors_page()
    settings = docs / "settings.md"
    around = settings.read_text(encoding="utf-8") if settings.exists() else f"# Settings\n\n{BEGIN}\n{END}\n"
    yield settings, _between_marks(around, settings_table())


@cache
def operations_page() -> str:
    lines = [
        "# Operations",
        "",
        MADE,
        "",
        "Every operation can be called over MCP and as `thoughtbox call NAME`; `thoughtbox ops NAME` shows the same"
        " as this page. The answers below are real ones, but that"
        f" whatever took a time took {TOOK_MS} ms. Errors are explained in [errors.md](errors.md).",
        "",
    ]
    for room in TABLE.rooms.values():
        own = [operation for operation in TABLE if operation.room == room.name]
        lines += [f"- [{room.name}](#room-{room.name}): " + ", ".join(f"[`{o.name}`](#{o.name})" for o in own)]
    for room in TABLE.rooms.values():
        lines += ["", f"## Room {room.name}", "", room.summary]
        for operation in TABLE:
            if operation.room == room.name:
                lines += ["", *_operation(operation)]
    return "\n".join([*lines, ""])


def _operation(operation: Operation) -> Iterator[str]:
    yield f"### {operation.name}"
    yield ""
    yield operation.description
    yield ""
    kind = "Writes." if operation.writes else "Only reads."
    needs = f" {operation.guard.says.capitalize()}." if operation.guard is not None else ""
    yield f"*{operation.title}.* {kind}{needs}{' Not listed as a tool.' if operation.hidden else ''}"
    yield ""
    if parts := arguments_of(operation):
        yield from _table(
            ("argument", "type", "", "what it is"),
            [(f"`{part.name}`", part.type, part.when_left_out, part.description) for part in parts],
        )
    else:
        yield "It takes no arguments."
    yield ""
    if parts := answer_of(operation):
        yield from _table(
            ("answer", "type", "what it is"), [(f"`{part.name}`", part.type, part.description) for part in parts]
        )
        yield ""
    errors = ", ".join(f"[`{error.code}`](errors.md#{error.code.lower()})" for error in dict.fromkeys(operation.errors))
    yield f"Errors: {errors}."
    yield ""
    yield "```sh"
    yield from command_lines(operation)
    yield "```"
    yield ""
    yield "```json"
    answered = orjson.dumps(example_answer(operation), option=orjson.OPT_INDENT_2).decode()
    yield _MEASURED.sub(rf"\g<1>{TOOK_MS}", answered)
    yield "```"


def example_answer(operation: Operation) -> dict[str, Any]:
    """What the example really answers, on a store of its own, at a fixed time."""
    ticks = count(FIRST_MS, 1000)
    world = World(now_ms=lambda: next(ticks), random_bytes=_chance())
    calls = [*operation.example.given, (operation.name, operation.example.arguments)]
    answer: dict[str, Any] = {}
    with _away_from_home() as home, Thoughtbox(_settings(home), world=world) as box:
        for name, arguments in calls:
            call = Call(
                operation=name,
                workspace=box.settings.project,
                arguments=arguments,
                caller=Caller(agent="cli", transport="cli"),
                focus=box.first_focus("workspace"),
            )
            try:
                answer = box.dispatcher.call(call)
            except ThoughtboxError as error:
                if operation.example.fails_with is None:
                    raise
                answer = error.payload()
    elsewhere = {str(home).encode(): HOME, str(Path(sys.executable).parent).encode(): PROGRAMS}
    said = orjson.dumps(answer)
    for place, shown in elsewhere.items():
        said = said.replace(place, shown)
    return orjson.loads(said)


def _settings(home: Path) -> Settings:
    return load({"THOUGHTBOX_STORAGE": "memory", "THOUGHTBOX_PROJECT_ROOT": str(home / "project")})


@contextmanager
def _away_from_home() -> Generator[Path]:
    """An empty home for what looks into one: what stands in the reference is no matter of whose machine made it."""
    own = {name: os.environ.get(name) for name in ("HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR")}
    with TemporaryDirectory() as folder:
        try:
            for name in own:
                os.environ.pop(name, None)
            os.environ["HOME"] = folder
            yield Path(folder)
        finally:
            os.environ.pop("HOME")
            os.environ |= {name: value for name, value in own.items() if value is not None}


def _chance() -> Callable[[int], bytes]:
    """The same in every run: one key, and ids that differ from each other."""
    numbers = count()
    return lambda length: bytes((next(numbers) + place) % 256 for place in range(length))


def errors_page() -> str:
    lines = [
        "# Errors",
        "",
        MADE,
        "",
        "An error is `{code, message, recovery, details}` on every door: `message` says what was wrong, `recovery` what"
        " to do. Over MCP it is the structured content of a result with `isError`; `thoughtbox call` prints it on"
        " standard error and exits with 1.",
    ]
    family: type[ThoughtboxError] | None = None
    for code, error in all_codes().items():
        mine = _family(error)
        if mine is not family:
            family = mine
            lines += ["", f"## {mine.__doc__ or mine.__name__}"]
        users = [f"[`{o.name}`](operations.md#{o.name})" for o in TABLE if error in o.errors]
        lines += ["", f"### {code}", "", error.meaning]
        if users:
            lines += ["", f"Given by {', '.join(users) if len(users) <= MOST_NAMED else 'nearly every operation'}."]
    return "\n".join([*lines, ""])


def _family(error: type[ThoughtboxError]) -> type[ThoughtboxError]:
    """The branch of the tree of errors that it belongs to."""
    return next(branch for branch in ThoughtboxError.__subclasses__() if issubclass(error, branch))


def settings_table() -> list[str]:
    return list(
        _table(
            ("setting", "variable", "option", "default", "what for"),
            [
                (
                    setting.field,
                    f"`{setting.variable}`",
                    _option(setting.field),
                    f"`{setting.default}`" if setting.default else "none",
                    setting.help,
                )
                for setting in all_settings()
            ],
        )
    )


def _option(field: str) -> str:
    name = f"`--{field.replace('_', '-')}`"
    if field in STORE_FLAGS:
        return name
    return f"{name} (serve, doctor, config)" if field in SERVE_FLAGS else OBSERVE_FLAGS.get(field, "")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        cells = (cell.replace("|", "\\|").replace("\n", " ") for cell in row)
        yield f"| {' | '.join(cells)} |"


def _between_marks(text: str, lines: Sequence[str]) -> str:
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return "\n".join([f"{before}{BEGIN}", "", *lines, "", f"{END}{after}"])


if __name__ == "__main__":
    sys.exit(main())
