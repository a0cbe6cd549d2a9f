"""The table in `docs/performance.md`, between two marks; the words around it are written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from bench.report import Report
from bench.table import HEADINGS, Line

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"


def write(report: Report) -> None:
    page = PAGE.read_text(encoding="utf-8")
    marked = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    if not marked.search(page):
        raise SystemExit(f"{PAGE} has no place for the table: it lies between {BEGIN} and {END}")
    PAGE.write_text(marked.sub(lambda _: f"{BEGIN}\n{_section(report)}\n{END}", page), encoding="utf-8")


def _section(report: Report) -> str:
    facts = "; ".join(f"{name} {fact}" for name, fact in report.facts.items())
    parts = [
        f"`{report.command}` on {datetime.now(UTC):%Y-%m-%d}, {report.seconds:.0f} s. {facts}.",
        _table(report.barred, len(HEADINGS)),
        "For comparison, from the same run:",
        _table(report.compared, len(HEADINGS) - 2),
        *report.notes,
    ]
    return "\n\n".join(parts)


def _table(lines: Iterable[Line], columns: int) -> str:
    """What there is for comparison has no bar and no verdict: its last columns would be empty."""
    rows = [HEADINGS, ["---"] * len(HEADINGS), *(line.cells() for line in lines)]
    return "\n".join(f"| {' | '.join(row[:columns])} |" for row in rows)
