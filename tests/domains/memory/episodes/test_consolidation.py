"""Consolidation: what becomes of episodes, run by run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.domains.memory.episodes.conftest import Memory
from tests.support.box import WORKSPACE
from thoughtbox.domains.memory.episodes.cells import write_cell
from thoughtbox.domains.memory.episodes.consolidating import Nothing, prepared, written
from thoughtbox.domains.memory.episodes.identity import canonical_key
from thoughtbox.domains.memory.episodes.recording import record_episode
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.errors import ValidationFailed
from thoughtbox.ledger.replay import rebuild

ALWAYS, NEVER = "Always run the linter.", "Never run the linter."


def states(memory: Memory, body: str) -> tuple[int, str]:
    cell = memory.cell(body)
    return cell["salience"], cell["state"]


def test_a_rule_that_is_repeated_becomes_stable_and_one_that_is_denied_decays(on_both: Memory):
    """The specification's own numbers, one run after the other."""
    seen = []
    for _ in range(4):
        on_both.learns(ALWAYS)
        seen.append(states(on_both, ALWAYS))
    assert seen == [(250, "observed"), (360, "reinforced"), (470, "stable"), (530, "stable")]
    seen = []
    for _ in range(3):
        on_both.learns(NEVER)
        seen.append(states(on_both, ALWAYS))
    assert seen == [(410, "stable"), (165, "decaying"), (45, "decaying")]
    assert on_both.cell(NEVER)["contradiction_count"] == 0
    for view in (Semantic, Episodes):
        assert rebuild(on_both.box.app.engine, view)


def test_cells_scenes_and_evidence_stand_in_the_specifications_tables(on_both: Memory):
    episode = on_both.hears("The cache is warm.", about="Cache deploy")
    run = on_both.run()
    assert run == {
        "processed": 1,
        "cells_created": 1,
        "cells_updated": 0,
        "idempotent": False,
        "cells_archived": 0,
        "conflicts": 0,
        "superseded": 0,
        "scenes_created": 1,
        "episodes_archived": 0,
        "more": False,
    }

    def rows(columns: str, table: str) -> list[tuple[object, ...]]:
        asked = f"SELECT {columns} FROM {table} WHERE workspace = ?"
        return on_both.ask(lambda tx: [tuple(row) for row in tx.sql.rows(asked, (WORKSPACE,))])

    ((scene, *named, made, updated),) = rows(
        "scene_id, scope, label, context_keys_json, created_at, updated_at", "scenes"
    )
    assert named == ["project", "cache, deploy", '["cache","deploy"]']
    assert made == updated
    (cell,) = rows(
        "cell_id, scene_id, scope, cell_type, title, body, trust, salience, state, evidence_count,"
        " contradiction_count, conflict_group, supersedes_cell_id, canonical_key, created_at, updated_at",
        "cells",
    )
    said = ("project", "fact", "The cache is warm.", "The cache is warm.", 1, 250, "observed", 1, 0, None, None)
    assert cell[1:-2] == (scene, *said, canonical_key(int(str(scene)), "fact", "the cache is warm"))
    (evidence,) = rows("cell_id, experience_id, relation", "cell_evidence")
    assert evidence == (cell[0], episode, "supports")
    (meta,) = rows("scope, last_experience_id", "consolidation_meta")
    assert meta == ("project", episode)
    # Every id is a record's.
    assert on_both.box.call("ledger_record", {"id": f"th:{cell[0]}"})["record"]["body"]["text"] == "The cache is warm."
    assert on_both.box.call("ledger_record", {"id": f"th:{scene}"})["record"]["body"]["text"] == "cache, deploy"


def test_the_name_of_a_cell_is_the_specifications():
    golden = "03067815e9b706873417ed2c6ac87902177c3cfbb479f37288ffa7ab20085909"
    assert canonical_key(1, "fact", "System is initialized") == golden
    assert canonical_key(1, "fact", "  system IS\tinitialized. ") == golden


def test_two_long_sentences_that_begin_alike_are_two_cells(memory: Memory):
    begin = "Always " + "check the module very carefully " * 4
    memory.learns(f"{begin} in spring.", f"{begin} in autumn.")
    first, second = memory.cells()
    assert first["title"] == second["title"]
    assert len(first["title"]) <= 80
    assert first["body"] != second["body"]


def test_below_the_threshold_nothing_is_done(memory: Memory):
    for number in range(4):
        memory.hears(f"Always check module {number}.")
    before = memory.ask(lambda tx: tx.ledger.last_seq())
    waiting = memory.run(threshold=None)
    assert (waiting["processed"], waiting["idempotent"], waiting["cells_created"]) == (0, True, 0)
    assert waiting["note"] == "There are 4 new episodes; consolidation begins at 5."
    assert memory.run(threshold=5)["processed"] == 0
    assert memory.ask(lambda tx: tx.ledger.last_seq()) == before
    memory.hears("Always check module 5.")
    assert memory.run(threshold=None)["processed"] == 5
    with pytest.raises(ValidationFailed, match="threshold"):
        memory.run(threshold=0)


def test_the_threshold_of_the_project_counts_where_none_is_given(configured: Callable[[str], Memory]):
    memory = configured('{"consolidation_threshold": 2}')
    memory.hears(ALWAYS)
    assert memory.run(threshold=None)["processed"] == 0
    memory.hears(ALWAYS)
    assert memory.run(threshold=None)["processed"] == 2


def test_each_episode_counts_once_by_its_id_and_not_by_its_time(memory: Memory):
    memory.do(lambda tx: [_heard(tx, ALWAYS) for _ in range(3)])
    memory.run()
    assert memory.cell(ALWAYS)["evidence_count"] == 3
    again = memory.run()
    assert (again["processed"], again["idempotent"]) == (0, True)
    assert again["note"] == "There is no new episode."
    assert memory.cell(ALWAYS)["evidence_count"] == 3


def _heard(tx, summary: str) -> int:
    return record_episode(tx, summary=summary, outcome="success", source="agent", trust=1, context_keys=["release"])


def test_a_sentence_that_an_episode_repeats_is_one_piece_of_evidence(memory: Memory):
    memory.learns(f"{ALWAYS} always run   the linter! {ALWAYS}")
    (cell,) = memory.cells()
    assert cell["evidence_count"] == 1


def test_at_most_one_step_is_taken_in_a_run(memory: Memory):
    memory.learns(*[ALWAYS] * 9)
    assert memory.cell(ALWAYS)["state"] == "reinforced"
    memory.learns("The cache is warm.")
    assert memory.cell(ALWAYS)["state"] == "stable"


def test_both_sides_of_a_contradiction_are_in_one_conflict(memory: Memory):
    memory.learns(ALWAYS)
    run = memory.learns(NEVER)
    assert run["conflicts"] == 1
    one, other = memory.cell(ALWAYS), memory.cell(NEVER)
    assert one["conflict_group"] == other["conflict_group"] is not None
    assert (one["contradiction_count"], other["contradiction_count"]) == (1, 0)
    memory.learns(ALWAYS)
    assert memory.cell(NEVER)["contradiction_count"] == 1
    read = memory.box.get_cell(cell_id=one["cell_id"])
    assert [cell["body"] for cell in read["conflicts_with"]] == [NEVER]


def test_two_conflicts_that_meet_become_one(memory: Memory):
    memory.learns("Always use tabs.", "Never use tabs for indentation.")
    memory.learns("Always use tabs in every new project.", "Never use tabs in every new project.")
    assert len({cell["conflict_group"] for cell in memory.cells()}) == 2
    memory.learns("Never use tabs in project.")
    memory.learns("Always use tabs for project.")
    groups = {cell["conflict_group"] for cell in memory.cells()}
    assert len(groups) == 1


def test_a_newer_cell_with_more_evidence_supersedes_the_older_one(memory: Memory):
    memory.learns(ALWAYS)
    assert memory.learns(NEVER)["superseded"] == 0
    assert memory.cell(NEVER)["supersedes_cell_id"] is None
    assert memory.learns(NEVER)["superseded"] == 1
    older = memory.cell(ALWAYS)
    assert memory.cell(NEVER)["supersedes_cell_id"] == older["cell_id"]
    assert memory.box.get_cell(cell_id=older["cell_id"])["superseded_by"] == [memory.cell(NEVER)["cell_id"]]
    assert memory.learns(NEVER)["superseded"] == 0


def test_what_is_no_longer_backed_by_more_evidence_supersedes_no_more(memory: Memory):
    memory.learns(*[ALWAYS] * 3, *[NEVER] * 4)
    assert memory.cell(NEVER)["supersedes_cell_id"] == memory.cell(ALWAYS)["cell_id"]
    memory.learns(*[ALWAYS] * 3)
    assert memory.cell(NEVER)["supersedes_cell_id"] is None


def test_an_agent_does_not_overrule_a_user_by_repeating_itself(memory: Memory):
    memory.learns(ALWAYS, source="user")
    memory.learns(NEVER, NEVER)
    memory.learns(NEVER)
    assert memory.cell(NEVER)["supersedes_cell_id"] is None
    assert (memory.cell(ALWAYS)["state"], memory.cell(ALWAYS)["contradiction_count"]) == ("observed", 3)
    memory.learns(NEVER, source="user")
    assert memory.cell(NEVER)["supersedes_cell_id"] == memory.cell(ALWAYS)["cell_id"]
    assert memory.cell(ALWAYS)["state"] == "archived"


def test_what_decays_comes_back_when_new_evidence_outweighs_what_speaks_against_it(memory: Memory):
    memory.learns(ALWAYS, ALWAYS, ALWAYS)
    memory.learns(NEVER, NEVER)
    assert memory.cell(ALWAYS)["state"] == "decaying"
    memory.learns(ALWAYS)
    assert memory.cell(ALWAYS)["state"] == "decaying"
    memory.learns(ALWAYS)
    assert memory.cell(ALWAYS)["state"] == "observed"
    memory.learns("The cache is warm.")
    assert memory.cell(ALWAYS)["state"] == "observed"
    memory.learns(NEVER)
    assert memory.cell(ALWAYS)["state"] == "decaying"


def test_what_has_faded_is_archived_and_new_evidence_brings_it_back(memory: Memory):
    memory.learns(ALWAYS)
    assert memory.learns(NEVER, NEVER)["cells_archived"] == 1
    assert states(memory, ALWAYS) == (0, "archived")
    assert ALWAYS not in [cell["body"] for cell in memory.cells()]
    memory.learns(*[ALWAYS] * 3)
    assert memory.cell(ALWAYS)["state"] == "archived"
    memory.learns(ALWAYS)
    assert memory.cell(ALWAYS)["state"] == "observed"
    assert memory.cell(ALWAYS)["evidence_count"] == 5


def test_a_scene_and_all_of_memory_hold_no_more_cells_than_the_project_allows(configured: Callable[[str], Memory]):
    memory = configured('{"max_cells_per_scene": 2, "max_cells_total": 3}')
    memory.learns("Always check module 1.", "Always check module 1.", about="a")
    run = memory.learns(*[f"Always check module {number}." for number in (2, 3)], about="a")
    # Of equal salience the older goes.
    assert run["cells_archived"] == 1
    assert {cell["body"] for cell in memory.cells()} == {"Always check module 1.", "Always check module 3."}
    memory.learns("Always check module 4.", "Always check module 4.", about="b", scope="global")
    run = memory.learns("Always check module 5.", "Always check module 5.", about="c")
    assert run["cells_archived"] == 1
    archived = {cell["body"] for cell in memory.cells(state="archived")}
    assert archived == {"Always check module 2.", "Always check module 3."}
    assert len(memory.cells()) == 3
    assert memory.cell("Always check module 2.")["evidence_count"] == 1


def test_the_last_episodes_in_order_are_archived_when_there_are_too_many_and_none_is_lost(
    configured: Callable[[str], Memory],
):
    memory = configured('{"max_experiences_total": 3}')
    agent = [memory.hears(f"Note number {number}.") for number in range(3)]
    user = [memory.hears(f"Wish number {number}.", source="user") for number in range(2)]
    assert memory.run()["episodes_archived"] == 2
    best = memory.ask(lambda tx: tx.ask(Episodes).best(["project"], limit=9))
    assert [episode.experience_id for episode in best] == [user[1], user[0], agent[2]]
    found = memory.ask(lambda tx: tx.ask(Episodes).episodes(agent))
    assert [found[id].archived for id in agent] == [True, True, False]
    assert memory.ask(lambda tx: tx.ask(Episodes).best(["project"], keys=["release"], limit=9)) == best
    assert rebuild(memory.box.app.engine, Episodes)


def test_scopes_are_consolidated_apart_and_a_project_sees_what_is_global(memory: Memory):
    memory.hears(ALWAYS, scope="global")
    memory.hears("Always check module 1.")
    assert memory.run(scope="global")["processed"] == 1
    assert [cell["body"] for cell in memory.cells()] == [ALWAYS]
    assert memory.run()["processed"] == 1
    assert {cell["body"] for cell in memory.cells()} == {ALWAYS, "Always check module 1."}
    assert [cell["body"] for cell in memory.cells(scope="global")] == [ALWAYS]


def test_where_memory_is_off_nothing_is_recorded_or_consolidated_and_the_answer_says_so(
    configured: Callable[[str], Memory],
):
    memory = configured('{"memory_enabled": true}')
    memory.hears(ALWAYS)
    config = json.dumps({"memory_enabled": False})
    project = memory.ask(lambda tx: tx.project_root)
    assert project is not None
    (project / ".claude" / "config.json").write_text(config, encoding="utf-8")
    before = memory.ask(lambda tx: tx.ledger.last_seq())
    run = memory.run()
    assert (run["processed"], run["idempotent"]) == (0, True)
    assert "memory_enabled is false" in run["note"]
    recorded = memory.box.record_episode(summary=ALWAYS)
    assert recorded["recorded"] is False
    assert "memory_enabled is false" in recorded["note"]
    assert memory.ask(lambda tx: tx.ledger.last_seq()) == before
    assert memory.cells() == []


def test_nothing_is_written_by_a_run_whose_cells_have_changed_since_it_was_prepared(memory: Memory):
    memory.hears(ALWAYS)
    ready = memory.ask(lambda tx: prepared(tx, "project", 1))
    assert not isinstance(ready, Nothing)
    policy: dict[str, Any] = {"scope": "project", "label": "p", "context_keys": ["p"], "cell_type": "policy"}
    policy |= {"title": "P.", "body": "P.", "trust": 1, "state": "stable", "source": "system", "evidence": []}
    memory.do(lambda tx: write_cell(tx, **policy))
    before = memory.ask(lambda tx: tx.ledger.last_seq())
    assert memory.do(lambda tx: written(tx, ready)) is None
    assert memory.ask(lambda tx: tx.ledger.last_seq()) == before
    memory.hears(ALWAYS)
    fresh = memory.ask(lambda tx: prepared(tx, "project", 1))
    assert not isinstance(fresh, Nothing)
    # An episode that comes meanwhile waits for the next run.
    memory.hears(ALWAYS)
    assert memory.do(lambda tx: written(tx, fresh)) is not None
    assert memory.cell(ALWAYS)["evidence_count"] == 2
    assert memory.run()["processed"] == 1


def test_of_many_runs_at_once_each_episode_is_taken_by_one(on_both: Memory):
    for number in range(20):
        on_both.hears(f"Always check module {number % 10}.")
    asked = [on_both.box.submit("run_consolidation", {"threshold": 1}) for _ in range(6)]
    runs = [run.result() for run in asked]
    assert sum(run["processed"] for run in runs) == 20
    assert sum(run["cells_created"] for run in runs) == 10
    assert {cell["evidence_count"] for cell in on_both.cells()} == {2}


def test_a_run_as_of_then_shows_what_was_known_then(memory: Memory):
    memory.learns(ALWAYS)
    then = memory.ask(lambda tx: tx.ledger.last_seq())
    memory.learns(NEVER)
    shown = memory.box.call("list_cells", {}, as_of=then)["cells"]
    assert [(cell["body"], cell["conflict_group"], cell["salience"]) for cell in shown] == [(ALWAYS, None, 250)]


def test_the_same_keys_find_their_scene_again_whatever_scenes_came_between(memory: Memory):
    memory.learns(ALWAYS, about="a b")
    memory.learns(ALWAYS, about="b c")
    memory.learns(ALWAYS, about="b c d")
    memory.learns(ALWAYS, about="b c")
    (first, *_) = memory.cells()
    assert (first["evidence_count"], len(memory.cells())) == (3, 2)
