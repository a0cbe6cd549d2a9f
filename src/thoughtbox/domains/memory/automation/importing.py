"""Taking experiences in from a file."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.automation.models import (
    DataImported,
    ImportData,
)
from thoughtbox.domains.memory.folder import confined
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.errors import (
    FileMissing,
    PathRefused,
    ProjectUnavailable,
    ThoughtboxError,
    ValidationFailed,
)
from thoughtbox.operations import Example, Slices, Steps, Tx

AT_ONCE = 50
"""Experiences that one slice takes in."""
MOST_ERRORS = 20


@room.operation(
    "import_data",
    writes=True,
    title="Take experiences in from a file",
    toolsets=TOOLS,
    errors=[FileMissing, PathRefused, ProjectUnavailable],
    example=Example({"source_file": "incoming.json"}, fails_with=FileMissing),
)
def import_data(slices: Slices, call: ImportData) -> Steps[DataImported]:
    """Take the experiences of a file {"experiences": […]} in, each as if recorded; what is there is passed over."""
    rows: list[Any] = yield slices.read(lambda tx: _experiences(tx, call.source_file))
    came = Came()
    for begin in range(0, len(rows), AT_ONCE):
        some = rows[begin : begin + AT_ONCE]
        yield slices.write(lambda tx, some=some, begin=begin: came.take(tx, some, begin))
        slices.report(begin + len(some), len(rows))
    skipped = came.duplicates + came.refused
    return DataImported(
        imported=came.imported,
        skipped=skipped,
        duplicates=came.duplicates,
        errors=came.errors,
        total_records=len(rows),
        source_file=call.source_file,
        message=f"{came.imported} of {len(rows)} came in; {came.duplicates} were there already, {came.refused} are no"
        " experiences.",
    )


class Came:
    """What came of an import."""

    def __init__(self) -> None:
        self.imported = self.duplicates = self.refused = 0
        self.errors: list[str] = []

    def take(self, tx: Tx, rows: list[Any], begin: int) -> None:
        """Record these, each by itself: one that is refused leaves nothing, and the others go on."""
        for number, row in enumerate(rows, begin + 1):
            try:
                answer = tx.call("record_experience", _row(row))
            except ThoughtboxError as error:
                self.refused += 1
                if len(self.errors) < MOST_ERRORS:
                    self.errors.append(f"{number}: {error.message}")
            else:
                self.imported += answer["recorded"]
                self.duplicates += not answer["recorded"]


_FIELDS = ("type", "domain", "situation", "approach", "outcome", "reasoning", "confidence", "tags", "scope")


def _row(row: Any) -> dict[str, Any]:
    """An experience of the file as arguments; of what a file has beside them, ids and dates, nothing is taken over."""
    if not isinstance(row, dict):
        raise ValidationFailed("it is no object")
    return {"confidence": 0.5, **{name: row[name] for name in _FIELDS if row.get(name) is not None}}


def _experiences(tx: Tx, given: str) -> list[Any]:
    """The experiences in a file of the project."""
    from thoughtbox.domains.memory.automation.reading import experiences_in

    return experiences_in(confined(tx, given), given)
