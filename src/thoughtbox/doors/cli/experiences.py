"""`import FILE` of an `experiences.db`: what an older server has remembered."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thoughtbox.doors.cli.output import Output, UsageError
from thoughtbox.doors.cli.sessions import CLI
from thoughtbox.doors.cli.store import opened
from thoughtbox.settings import Settings

if TYPE_CHECKING:
    from thoughtbox.app import Thoughtbox

_MAGIC = b"SQLite format 3\x00"


def is_store(name: str) -> bool:
    """Whether a file is a database, whatever it is called."""
    path = Path(name)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None


def import_stores(args: Namespace, settings: Settings, out: Output) -> int:
    """Take in each store; it is only read."""
    if not all(map(is_store, args.files)):
        raise UsageError("databases and exports cannot be imported together")
    with opened(settings) as box:
        reports = [_import_store(box, name, args.workspace or settings.project, out) for name in args.files]
    if out.as_json:
        out.json({"imported": reports})
    else:
        _show(out, reports)
    return 0


def _import_store(box: Thoughtbox, name: str, workspace: str, out: Output) -> dict[str, Any]:
    from thoughtbox.domains.memory.knowledge.old_store import store_imported

    with out.bar(f"Importing {name}") as bar:
        done = box.dispatcher.work(
            workspace,
            CLI,
            lambda slices: store_imported(slices, Path(name).resolve(), name),
            what="import",
            progress=bar,
        )
        report = done.result().answer()
    return {"file": name, "workspace": workspace, **report}


def _show(out: Output, reports: Sequence[dict[str, Any]]) -> None:
    for report in reports:
        out.table(
            ("table", "rows", "imported", "here already", "left out", "why"),
            [
                (
                    table["table"],
                    *(f"{table[name]:,}" for name in ("rows", "imported", "already_here", "left_out")),
                    table["why"] or "",
                )
                for table in report["tables"]
            ],
        )
        for error in report["errors"]:
            out.say(f"  row {error['row']}: {error['error']}")
        out.say(report["message"])
