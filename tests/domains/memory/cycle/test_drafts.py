"""The finalisation, held against drafts that a careful reader has judged."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from thoughtbox.domains.memory.cycle.finalization import INFERENCE, finalized
from thoughtbox.domains.memory.episodes.cell import Cell

JUDGED = tomllib.loads(Path(__file__).with_name("drafts.toml").read_text(encoding="utf-8"))
IDS = {name: number for number, name in enumerate([*JUDGED["cells"], *JUDGED["policies"]], 11)}
NAMES = {number: name for name, number in IDS.items()}


def cell(name: str, told: dict[str, Any], cell_type: str) -> Cell:
    at = "2026-01-01T00:00:00.000Z"
    return Cell(
        cell_id=IDS[name],
        scene_id=1,
        scope="project",
        cell_type=cell_type,
        title=told.get("title", told["body"][:80]),
        body=told["body"],
        trust=told.get("trust", 2),
        salience=100,
        state="stable" if cell_type == "policy" else "observed",
        evidence_count=1,
        contradiction_count=told.get("contradictions", 0),
        conflict_group=None,
        supersedes_cell_id=None,
        created_at=at,
        updated_at=at,
        canonical_key=name,
        source="agent",
        base_trust=1,
        user_evidence=0,
        validated_evidence=0,
    )


CELLS = [cell(name, told, told["type"]) for name, told in JUDGED["cells"].items()]
POLICIES = [cell(name, told, "policy") for name, told in JUDGED["policies"].items()]


def named(draft: dict[str, Any]) -> str:
    return draft["text"].replace("{cache}", str(IDS["cache"]))


@pytest.mark.parametrize("draft", JUDGED["draft"], ids=lambda draft: draft["what"])
def test_a_draft_is_judged_as_a_careful_reader_judges_it(draft: dict[str, Any]):
    done = finalized(named(draft), CELLS, POLICIES)

    labelled = re.findall(r"\[Inference\] (.*)", done.response)
    expected = draft.get("inferences", [])
    if "labels_in_all" not in draft:
        assert len(labelled) == len(expected), labelled
        assert all(text.startswith(begins) for text, begins in zip(labelled, expected, strict=True)), labelled
    assert done.response.count(INFERENCE) == draft.get("labels_in_all", len(expected))
    assert [NAMES[id] for id in done.used if NAMES[id] in JUDGED["cells"]] == draft.get("uses", [])
    said = {"inference_labeling", "contradiction_notice"}
    assert [found.rule for found in done.violations if found.rule not in said] == draft.get("rules", [])
    assert [NAMES[int(id)] for id in re.findall(r"\[Conflict\].* cell (\d+)\.", done.response)] == draft.get(
        "conflicts", []
    )
    assert done.response.splitlines()[-1] == f"[INTEGRITY: {draft['integrity']}]" == done.line


def test_what_words_cannot_show_is_a_small_part_of_what_was_judged():
    known = [draft["what"] for draft in JUDGED["draft"] if "missed" in draft or "overdone" in draft]

    assert len(JUDGED["draft"]) >= 50
    assert len(known) <= 4
