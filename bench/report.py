"""The table on the terminal, and the same as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.table import HEADINGS, Line


@dataclass(frozen=True, slots=True)
class Report:
    """All that came of a run."""

    command: str
    seconds: float
    facts: dict[str, str]
    lines: list[Line]
    notes: list[str]

    @property
    def barred(self) -> list[Line]:
        return [line for line in self.lines if line.bar is not None]

    @property
    def compared(self) -> list[Line]:
        return [line for line in self.lines if line.bar is None]


def show(report: Report) -> None:
    table = Table(title=f"{report.command} · {report.seconds:.0f} s", title_justify="left")
    for heading in HEADINGS:
        table.add_column(heading, justify="right" if heading in ("measured", "ratio") else "left")
    for line in report.barred:
        table.add_row(*line.cells(), style=None if line.holds else "bold red")
    table.add_section()
    for line in report.compared:
        table.add_row(*line.cells(), style="dim")
    console = Console(width=None if Console().is_terminal else 160)
    console.print(table)
    console.print(" · ".join(f"{name}: {fact}" for name, fact in report.facts.items()), style="dim")
    for note in report.notes:
        console.print(note, style="yellow")
    missed = sum(not line.holds for line in report.barred)
    console.print(f"{len(report.barred) - missed} of {len(report.barred)} bars hold.")


def store(report: Report, directory: Path) -> None:
    """Keep the run as a file of its own."""
    taken = datetime.now(UTC)
    found = {
        "taken": taken.isoformat(timespec="seconds"),
        "command": report.command,
        "seconds": round(report.seconds, 1),
        "facts": report.facts,
        "lines": [{**asdict(line), "ratio": line.ratio, "holds": line.holds} for line in report.lines],
        "notes": report.notes,
    }
    path = directory / f"{taken:%Y%m%d-%H%M%S}.json"
    path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
