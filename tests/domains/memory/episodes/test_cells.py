"""Single cells: written, supported, read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domains.memory.episodes.conftest import Memory
from tests.support.box import WORKSPACE
from thoughtbox.domains.memory.episodes.cells import support, write_cell
from thoughtbox.domains.memory.episodes.recording import record_episode
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.errors import InvalidPayload, ValidationFailed
from thoughtbox.ledger.replay import rebuild
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call

POLICY: dict[str, Any] = {
    "scope": "project",
    "label": "phases",
    "context_keys": ["behavioral_violation", "phase"],
    "cell_type": "policy",
    "title": "Keep the order of the phases.",
    "body": "Keep the order of the phases.",
    "trust": 2,
    "state": "stable",
    "source": "system",
}


def policy(**changed: Any) -> dict[str, Any]:
    return {**POLICY, **changed}


def violation(memory: Memory) -> int:
    said: dict[str, Any] = {"summary": "A phase was skipped.", "outcome": "fail", "source": "system", "trust": 2}
    return memory.do(lambda tx: record_episode(tx, **said))


def test_a_policy_is_written_once_and_grows_by_evidence_that_it_has_not(on_both: Memory):
    first, second = violation(on_both), violation(on_both)
    id = on_both.do(lambda tx: write_cell(tx, **policy(state="observed", evidence=[first])))
    for _ in range(2):
        again = on_both.do(lambda tx: write_cell(tx, **policy(evidence=[second, first])))
        assert again == id
    (cell,) = on_both.ask(lambda tx: tx.ask(Semantic).policies(["project"]))
    assert (cell.cell_id, cell.state, cell.trust, cell.evidence_count, cell.source) == (id, "stable", 2, 2, "system")
    assert on_both.ask(lambda tx: tx.ask(Semantic).policies(["global"])) == []
    scene = on_both.ask(lambda tx: tx.ask(Semantic).scene(cell.scene_id))
    assert scene is not None
    assert (scene.label, scene.context_keys) == ("phases", ("behavioral_violation", "phase"))
    assert rebuild(on_both.box.app.engine, Semantic)


def test_keys_that_have_gone_to_a_scene_find_it_again(memory: Memory):
    first = memory.do(lambda tx: write_cell(tx, **policy(context_keys=["rule", "a"], evidence=[])))
    second = memory.do(lambda tx: write_cell(tx, **policy(context_keys=["rule", "b"], body="Other.", evidence=[])))
    memory.learns("Always check module 1.", about="b")
    third = memory.do(lambda tx: write_cell(tx, **policy(context_keys=["b", "rule"], body="Third.", evidence=[])))
    scenes = {memory.box.get_cell(cell_id=id)["cell"]["scene_id"] for id in (first, second, third)}
    assert len(scenes) == 1


def test_a_cell_is_trusted_no_further_than_its_source_allows(memory: Memory):
    id = memory.do(lambda tx: write_cell(tx, **policy(source="agent", trust=3, evidence=[])))
    assert memory.box.get_cell(cell_id=id)["cell"]["trust"] == 1


def test_evidence_must_be_an_episode_of_the_workspace(memory: Memory):
    with pytest.raises(ValidationFailed, match="no episode 99"):
        memory.do(lambda tx: write_cell(tx, **policy(evidence=[99])))
    assert memory.ask(lambda tx: tx.ledger.last_seq()) == 0


def test_a_validation_verifies_the_cells_that_it_rests_on_and_support_counts_once(memory: Memory):
    memory.learns("Always run the linter.", "The cache is warm.")
    rule, fact = (memory.cell(body)["cell_id"] for body in ("Always run the linter.", "The cache is warm."))
    episode = violation(memory)
    assert memory.do(lambda tx: support(tx, [rule, 999], episode, validated=True)) == [rule]
    assert memory.do(lambda tx: support(tx, [rule], episode, validated=True)) == []
    assert memory.do(lambda tx: support(tx, [fact], episode, validated=False)) == [fact]
    shown = {cell["cell_id"]: (cell["trust"], cell["evidence_count"]) for cell in memory.cells()}
    assert shown == {rule: (3, 2), fact: (2, 2)}


def test_three_agents_never_verify_and_a_user_among_three_pieces_does(memory: Memory):
    said = "Always run the linter."
    memory.learns(*[said] * 5)
    assert memory.cell(said)["trust"] == 1
    memory.learns(said, source="user")
    cell = memory.cell(said)
    assert (cell["trust"], cell["source"]) == (3, "agent")


def test_two_users_statements_are_stated_and_the_third_verifies(memory: Memory):
    said = "I prefer short answers."
    seen = []
    for _ in range(3):
        memory.learns(said, source="user")
        seen.append(memory.cell(said)["trust"])
    assert seen == [2, 2, 3]
    assert memory.cell(said)["cell_type"] == "preference"


def test_a_contradiction_takes_verification_back(memory: Memory):
    memory.learns(*["Always run the linter."] * 3, source="user")
    assert memory.cell("Always run the linter.")["trust"] == 3
    memory.learns("Never run the linter.")
    assert memory.cell("Always run the linter.")["trust"] == 2


def test_an_episode_that_passed_a_validation_verifies_what_it_says(memory: Memory):
    said: dict[str, Any] = {
        "summary": "The cache is warm.",
        "outcome": "success",
        "source": "system",
        "trust": 1,
        "validated": True,
    }
    memory.do(lambda tx: record_episode(tx, **said))
    memory.run()
    assert memory.cell("The cache is warm.")["trust"] == 3


def test_what_an_agent_doubts_is_untrusted(memory: Memory):
    said: dict[str, Any] = {"summary": "The cache is warm.", "outcome": "success", "source": "agent", "trust": 0}
    memory.do(lambda tx: record_episode(tx, **said))
    memory.run()
    assert memory.cell("The cache is warm.")["trust"] == 0


def test_cells_come_best_first_a_page_at_a_time(on_both: Memory):
    on_both.learns(*[f"Always check module {number}." for number in range(4)])
    on_both.learns("Always check module 2.")
    on_both.learns("I prefer tabs.", source="user", scope="global")
    shown, cursor = [], None
    while True:
        page = on_both.box.list_cells(limit=2, **({"cursor": cursor} if cursor else {}))
        shown += page["cells"]
        cursor = page["cursor"]
        if cursor is None:
            break
    key = [(-cell["trust"], -cell["salience"], cell["updated_at"], cell["cell_id"]) for cell in shown]
    assert [cell["body"] for cell in shown[:2]] == ["I prefer tabs.", "Always check module 2."]
    assert [part[:2] for part in key] == sorted(part[:2] for part in key)
    # Those of one salience: the newest first, as their records came a moment apart.
    assert [cell["body"][-2] for cell in shown[2:]] == ["3", "1", "0"]
    assert len(shown) == 5
    assert [cell["cell_type"] for cell in on_both.cells(cell_type="preference")] == ["preference"]
    assert [cell["state"] for cell in on_both.cells(state="reinforced")] == ["reinforced"]
    assert on_both.cells(state="archived") == []
    with pytest.raises(InvalidPayload, match="cursor"):
        on_both.box.list_cells(cursor="bm8")


def test_with_keys_come_the_cells_of_the_scenes_about_them_and_all_where_there_is_none(on_both: Memory):
    on_both.learns("Always check module 1.", about="cache deploy")
    on_both.learns("Always check module 2.", about="cache mail index")
    on_both.learns("Always check module 3.", about="index")

    def about(*keys: str, **more: Any) -> list[str]:
        asked: dict[str, Any] = {"limit": 9, **more}
        found = on_both.ask(lambda tx: tx.ask(Semantic).cells(["project"], keys=keys, **asked))
        return [cell.body[-2] for cell in found]

    assert about("cache") == ["1"]
    assert about("index") == ["3"]
    assert about("mail", "index") == ["3", "2"]
    assert about("mail", "index", limit=1) == ["3"]
    assert about("nothing") == ["3", "2", "1"]
    assert about() == ["3", "2", "1"]
    first = on_both.ask(lambda tx: tx.ask(Semantic).cells(["project"], limit=1))[0]
    place = (first.trust, first.salience, first.updated_at, first.cell_id)
    assert about(after=place) == ["2", "1"]


def test_a_cell_is_read_with_where_each_piece_of_evidence_comes_from(memory: Memory):
    for_it = memory.hears("Always run the linter.", source="user")
    against = memory.hears("Never run the linter.")
    memory.run()
    read = memory.box.get_cell(cell_id=memory.cell("Always run the linter.")["cell_id"])
    told = [(piece["relation"], piece["experience_id"], piece["source"], piece["trust"]) for piece in read["evidence"]]
    assert told == [("supports", for_it, "user", 2), ("contradicts", against, "agent", 1)]
    assert read["scene"]["label"] == "release"
    assert read["evidence"][1]["summary"] == "Never run the linter."
    with pytest.raises(ValidationFailed, match="no cell 999"):
        memory.box.get_cell(cell_id=999)


@pytest.mark.parametrize(("door", "trust"), [("stdio", 2), ("http", 2), ("cli", 3), ("hook", 3)])
def test_an_agents_word_that_a_user_said_so_verifies_nothing(memory: Memory, door: str, trust: int):
    said = {"summary": "Always measure first.", "source": "user", "context_keys": ["release"]}
    for _ in range(3):
        caller = Caller(agent="tester", transport=door)
        memory.box.app.dispatcher.call(
            Call(operation="record_episode", workspace=WORKSPACE, arguments=said, caller=caller)
        )

    memory.run()

    assert memory.cell("Always measure first.")["trust"] == trust
