"""`export --layout` and `import DIRECTORY`: sessions of thought as files, and back."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thoughtbox.doors.cli.files import written
from thoughtbox.doors.cli.output import BAD, Output, Styled, UsageError, count
from thoughtbox.doors.cli.store import opened_to_read, settings_of
from thoughtbox.doors.terminal import printable
from thoughtbox.errors import ImportRefused
from thoughtbox.operations.caller import Caller
from thoughtbox.settings import WORKSPACE
from thoughtbox.world import iso

if TYPE_CHECKING:
    from thoughtbox.app import Thoughtbox
    from thoughtbox.domains.thoughts.files.locations import SessionFiles
    from thoughtbox.domains.thoughts.files.transfer import ImportOutcome
    from thoughtbox.operations.tx import Tx

STDIO = "-"

CLI = Caller(agent="cli", transport="cli")


def export_sessions(args: Namespace) -> int:
    settings = settings_of(args)
    out = Output(args)
    if args.layout == "files":
        if args.gzip:
            raise UsageError("--gzip goes with the ledger layout only")
        root = settings.data_dir / "exports" if args.output == STDIO else Path(args.output)
        with opened_to_read(settings) as (box, _), out.bar("Exporting sessions") as bar:
            paths = _ask(box, lambda tx: _write_files(tx, args, root.resolve(), settings.rooms["partition"], bar))
        if out.as_json:
            out.json({"directory": str(root), "sessions": [str(path) for path in paths]})
        else:
            out.note(f"{count(len(paths), 'session')} of {settings.project} exported below {root}.")
        return 0
    if len(args.sessions) != 1:
        raise UsageError(f"--layout {args.layout} writes one session: name it with --session ID, or --session latest")
    with opened_to_read(settings) as (box, _):
        _ask(box, lambda tx: _write_document(tx, args))
    return 0


def _ask(box: Thoughtbox, question: Any) -> Any:
    return box.dispatcher.ask(box.settings.project, CLI, question).result()


def _write_files(tx: Tx, args: Namespace, root: Path, granularity: Any, bar: Any) -> list[Path]:
    from thoughtbox.domains.thoughts.files.transfer import every_session, write_files
    from thoughtbox.domains.thoughts.scope import existing

    sessions = [existing(tx, name) for name in args.sessions] or list(every_session(tx))
    paths = []
    for done, session in enumerate(sessions, 1):
        paths.append(write_files(tx, session, root, args.partition or granularity))
        bar(done, len(sessions))
    return paths


def _write_document(tx: Tx, args: Namespace) -> None:
    from thoughtbox.domains.thoughts.scope import existing
    from thoughtbox.domains.thoughts.sessions.export import document

    pieces = document(tx, existing(tx, args.sessions[0]), args.layout, exported_at=iso(tx.now_ms))
    if args.output == STDIO:
        shown = printable if sys.stdout.isatty() else str
        for piece in pieces:
            sys.stdout.write(shown(piece))
        if args.layout == "json":
            sys.stdout.write("\n")
        return
    with written(Path(args.output)) as file:
        for piece in pieces:
            file.write(piece.encode())


def import_directory(box: Thoughtbox, name: str, *, workspace: str | None, out: Output) -> list[dict[str, Any]]:
    """Take in every session below a directory, once all of them are known to be whole."""
    from thoughtbox.domains.thoughts.files.locations import sessions_in
    from thoughtbox.domains.thoughts.files.reading import read_session
    from thoughtbox.domains.thoughts.files.transfer import take_session

    found = list(sessions_in(Path(name).resolve()))
    if not found:
        raise ImportRefused(
            f"there is no session below {name}", recovery="Name the directory that holds the folder `projects`."
        )
    _check_all(found, name)
    rows: list[dict[str, Any]] = []
    with out.bar("Importing sessions") as bar:
        for done, files in enumerate(found, 1):
            session = read_session(files)
            into = workspace or files.project
            taken = box.dispatcher.do(into, CLI, lambda tx, one=session: take_session(tx, one), what="import").result()
            rows.append(row_of(taken, into))
            bar(done, len(found))
    return rows


def _check_all(found: list[SessionFiles], name: str) -> None:
    """Refuse the directory when one of its sessions is not whole: nothing was taken in yet."""
    from thoughtbox.domains.thoughts.files.reading import validate

    broken = [(files, result) for files in found if not (result := validate(files)).valid]
    foreign = [files for files in found if not WORKSPACE.fullmatch(files.project)]
    if foreign:
        raise ImportRefused(
            f"{name}: `{foreign[0].project}` is no name for a workspace; nothing was imported",
            recovery="Say where its sessions go with --workspace.",
        )
    if broken:
        files, result = broken[0]
        others = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
        raise ImportRefused(
            f"{name}: session {files.session_id}{others} is not whole: {result.errors[0]}; nothing was imported",
            recovery="Put it right, or move its directory away; --json shows all that is wrong.",
            details={"sessions": {one.session_id: its.answer() for one, its in broken[:50]}},
        )


def row_of(taken: ImportOutcome, workspace: str) -> dict[str, Any]:
    return {
        "session": taken.session_id,
        "workspace": workspace,
        "thoughts": taken.thoughts,
        "added": taken.added,
        "notices": list(taken.notices),
    }


def show_imported(out: Output, rows: list[dict[str, Any]]) -> None:
    out.table(
        ("session", "workspace", "thoughts", "added"),
        [
            (row["session"], row["workspace"], f"{row['thoughts']:,}", f"{row['added']:,}" if row["added"] else "none")
            for row in rows
        ],
    )
    for note in _notices(rows):
        out.say(Styled(note, BAD))


def _notices(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        for notice in row["notices"]:
            yield f"{row['session']}: {notice}"
