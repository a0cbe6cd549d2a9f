"""What careful readers say should be remembered, held against what is."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.domains.memory.episodes.conftest import Memory

SETS = sorted((Path(__file__).resolve().parents[1] / "judged").glob("*.toml"))
NAMES = {"type": "cell_type", "evidence": "evidence_count", "contradictions": "contradiction_count"}


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_what_is_remembered_is_what_a_careful_reader_would_remember(memory: Memory, path: Path):
    judged = tomllib.loads(path.read_text(encoding="utf-8"))
    episodes = judged["episode"]
    for run in sorted({episode.get("run", 1) for episode in episodes}):
        for episode in episodes:
            if episode.get("run", 1) == run:
                about = " ".join(episode["about"])
                memory.hears(episode["summary"], source=episode.get("source", "agent"), about=about)
        memory.run()
    cells = {cell["body"]: cell for cell in (*memory.cells(), *memory.cells(state="archived"))}
    wanted = {cell["body"]: cell for cell in judged.get("cell", [])}
    assert {body: cell["cell_type"] for body, cell in cells.items()} == {
        body: cell["type"] for body, cell in wanted.items()
    }
    for body, cell in wanted.items():
        assert _told(cells, body, cell) == cell
    groups: dict[str, set[str]] = {}
    for body, cell in cells.items():
        if cell["conflict_group"] is not None:
            groups.setdefault(cell["conflict_group"], set()).add(body)
    assert sorted(map(sorted, groups.values())) == sorted(map(sorted, judged["conflicts"]))


def _told(cells: dict[str, dict[str, Any]], body: str, asked: dict[str, Any]) -> dict[str, Any]:
    bodies = {cell["cell_id"]: name for name, cell in cells.items()}
    superseded = cells[body]["supersedes_cell_id"]
    own = {**cells[body], "supersedes": bodies.get(superseded)}
    return {name: own[NAMES.get(name, name)] for name in asked}


def test_there_are_at_least_a_dozen_judged_sets():
    assert len(SETS) >= 12
