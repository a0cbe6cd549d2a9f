"""Taking experiences in from a file."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.automation.models import DataImported, ImportData
from thoughtbox.domains.memory.folder import confined
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.errors import ConfigInvalid, FileMissing, PathRefused, ProjectUnavailable
from thoughtbox.operations import Example, Slices, Steps, Tx

MOST_ERRORS = 20
CONFIDENCE = 0.5
"""What a row is believed with that does not say how far."""


@room.operation(
    "import_data",
    writes=True,
    title="Take experiences in from a file",
    toolsets=TOOLS,
    errors=[FileMissing, PathRefused, ProjectUnavailable, ConfigInvalid],
    example=Example({"source_file": "incoming.json"}, fails_with=FileMissing),
)
def import_data(slices: Slices, call: ImportData) -> Steps[DataImported]:
    """Take the experiences of a file {"experiences": […]} in, each as if recorded; what is there is passed over."""
    from thoughtbox.domains.memory.knowledge.importing import take_in
    from thoughtbox.domains.memory.knowledge.incoming import read_rows

    rows: list[Any] = yield slices.read(lambda tx: _experiences(tx, call.source_file))
    items, faults = read_rows(map(_believed, rows))
    taken = yield from take_in(slices, items)
    imported = sum(each.is_new for each in taken)
    duplicates = len(taken) - imported
    return DataImported(
        imported=imported,
        skipped=duplicates + len(faults),
        duplicates=duplicates,
        errors=[f"{fault.row}: {fault.error}" for fault in faults[:MOST_ERRORS]],
        total_records=len(rows),
        source_file=call.source_file,
        message=f"{imported} of {len(rows)} came in; {duplicates} were there already,"
        f" {len(faults)} are no experiences.",
    )


def _believed(row: Any) -> Any:
    is_said = not isinstance(row, dict) or row.get("confidence") is not None
    return row if is_said else {**row, "confidence": CONFIDENCE}


def _experiences(tx: Tx, given: str) -> list[Any]:
    """The experiences in a file of the project."""
    from thoughtbox.domains.memory.automation.reading import experiences_in

    return experiences_in(confined(tx, given), given)
