"""A model that is shown the three tools of the default toolset does the main job of every room.

It knows nothing but what it reads: names of operations and of arguments come out of `search`. The jobs:
thoughts: reason something out, with a branch that is rejected, and read back what was decided;
trail: answer why an action was done; mind: take up a task, write down what is assumed, close a step, and resume;
memory: keep what worked and find it again, and prove that an answer came about as it should;
ledger: show that nothing was touched, and that a record is in it; code: write what is held, on what, and ask for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.agent import Agent
from tests.support.newcomer import SPOKEN, TOOLS, Code, Newcomer, Spoken

MOST_CHARACTERS = 1_200
"""Of the description of a tool."""

MOST_PHASES = 8


@pytest.fixture(params=SPOKEN)
def newcomer(request: pytest.FixtureRequest, start_agent: Callable[..., Agent]) -> Newcomer:
    language: Spoken = request.param
    return Newcomer(start_agent(), language)


def test_three_tools_are_all_that_is_shown(newcomer: Newcomer):
    assert list(newcomer.shown) == TOOLS
    assert max(map(len, newcomer.shown.values())) <= MOST_CHARACTERS


def test_the_example_of_each_description_runs_as_it_stands(newcomer: Newcomer):
    examples = {tool: _example(newcomer.shown[tool]) for tool in ("search", "execute")}

    found = newcomer.call("search", code=examples["search"])
    done = newcomer.call("execute", code=examples["execute"])

    assert all(signature.startswith("tb.mind.") for signature in found["result"])
    assert [record["kind"] for record in done["records"]] == ["question", "claim", "evidence"]


def test_thoughts_something_is_reasoned_out_and_what_was_decided_is_read_back(newcomer: Newcomer):
    begin = newcomer.find("start a session", "title")
    think = newcomer.find("record a thought on a branch", "thought: string")
    reject = newcomer.find("reject a branch", "branchId", "why")
    brief = newcomer.find("session in brief", "problem")

    [begun] = newcomer.run(begin.call(title="Which cache?"))
    here = {"session": begun["sessionId"]}
    notation = newcomer.open(begun["next"]["operation"])

    def thought(text: str, **more: Any) -> Code:
        return think.call(thought=text, **here, **more)

    _, read, *_ = newcomer.run(
        notation.call(**here),
        thought("S1|Q|Which cache?"),
        thought("S2|O|S1|Reads dominate 40 to 1"),
        thought("S3|H|S2|One for all", branch_it_stands_on="shared", fork_point=2),
        thought("S4|E|⊖[S3]|It lost a node a week", branch_it_stands_on="shared"),
        reject.call(branch="shared", why="It loses nodes.", **here),
        thought("S3|C|S2|∴ One on each node"),
    )
    [said] = newcomer.run(brief.call(**here))

    assert read["read"] == "Q"
    assert said["decisions"] == ["S3 ∴ One on each node"]
    assert "rejected" in said["branches"][0]


def test_trail_why_an_action_was_done_is_answered(newcomer: Newcomer):
    plan = newcomer.find("record a plan", "sessionId")
    decide = newcomer.find("record a decision and the action it leads to", "decision: string", "actionId")
    why = newcomer.find("which thoughts led to an action", "actionId", "trails")

    [planned] = newcomer.run(plan.call(session="review", what_is_going_to_be_done="Move the cache"))
    newcomer.run(
        decide.call(
            session="review",
            what_was_decided="A cache on each node: reads dominate.",
            follows_from=planned["thought"]["thoughtId"],
            action="deploy-7",
        )
    )
    [told] = newcomer.run(why.call(action="deploy-7"))

    [trail] = told["trails"]
    assert [step["content"] for step in trail] == ["Move the cache", "A cache on each node: reads dominate."]


def test_mind_a_task_is_taken_up_a_step_closed_and_the_task_resumed(newcomer: Newcomer):
    create = newcomer.find("create a task with steps", "title: string", "parent")
    write = newcomer.find("write down a hypothesis", "card: string")
    close = newcomer.find("close a step of a task", "checkpoints")
    resume = newcomer.find("where was I: resume my task", "plan")

    [plan] = newcomer.run(create.call(what_it_is="Move the cache"))
    steps = [{"title": title, "success_criteria": ["A number"]} for title in ("Count reads", "Count writes")]
    [task] = newcomer.run(create.call(what_it_is="Measure", plan_that=plan["result"]["id"], steps=steps))
    about = {"target": task["result"]["id"]}
    card, closed, stands = newcomer.run(
        write.call(card="Reads dominate", **about),
        close.call(checkpoints="gate", **about),
        resume.call(**about),
    )

    assert card["result"]["inserted"]
    assert closed["result"]["next_step"]["title"] == "Count writes"
    assert "Count writes" in str(stands["result"])


def test_memory_what_worked_is_kept_and_found_again(newcomer: Newcomer):
    keep = newcomer.find("record an experience", "situation", "outcome")
    recall = newcomer.find("find earlier experiences", "query: string")

    newcomer.run(
        keep.call(
            whether_it_worked="effective",
            domain="Debugging",
            situation="A test failed on every tenth run.",
            approach="Ran the suite in random order with a printed seed.",
            outcome="Another test had left a setting changed.",
            reasoning="A failure that needs company comes from shared state.",
        )
    )
    [found] = newcomer.run(recall.call(query="flaky test that fails on every tenth run"))

    assert [each["outcome"] for each in found["results"]] == ["Another test had left a setting changed."]


def test_memory_a_guarded_cycle_is_gone_through_by_what_each_answer_names_next(newcomer: Newcomer):
    begin = newcomer.find("begin a governed cycle", "context")
    known: dict[str, Any] = {"draft": "The cache is cold after every merge.", "user_input": "Why are builds slow?"}

    [answer] = newcomer.run(begin.call(what_the_work="Why are builds slow?"))
    for _ in range(MOST_PHASES):
        if answer.get("receipt"):
            break
        known |= {name: answer[name] for name in ("session_id", "snapshot_hash") if name in answer}
        [answer] = newcomer.run(_named_next(newcomer, answer, known))

    assert answer["valid"]


def test_ledger_nothing_was_touched_and_a_record_is_proven_to_be_in_it(newcomer: Newcomer):
    verify = newcomer.find("verify the ledger", "valid")
    prove = newcomer.find("prove that a record is in the ledger", "id: string", "root")

    id = newcomer.execute(f'tb.claim("Reads dominate").id{_mark(newcomer)}')["result"]
    verdict, proof = newcomer.run(verify.call(), prove.call(id=id))

    assert verdict["valid"]
    assert (proof["id"], proof["record"]["body"]["text"]) == (id, "Reads dominate")


def test_code_what_is_held_is_written_with_what_it_stands_on_and_asked_for(newcomer: Newcomer):
    claim, evidence = (_builder(newcomer, f"write {kind}") for kind in ("a claim", "evidence"))
    relations = newcomer.look(
        "catalog.relations.filter(r => /reason to believe/.test(r.summary)).map(r => r.name)",
        '[r["name"] for r in catalog["relations"] if "reason to believe" in r["summary"]]',
    )
    read = newcomer.find("records that refer to a record", "about", "relation")

    option = f"{{{relations[0]}: [c]}}" if newcomer.language == "javascript" else f"{relations[0]}=[c]"
    held = "const c" if newcomer.language == "javascript" else "c"
    lines = [f'{held} = {claim}("Reads dominate")', f'{evidence}("40 to 1 in the logs", {option})', "c.id"]
    id = newcomer.execute("\n".join(lines))["result"]
    [found] = newcomer.run(read.call(about=id, relation=relations[0]))

    assert [(each["kind"], each["text"]) for each in found["records"]] == [("evidence", "40 to 1 in the logs")]


def test_every_name_that_a_search_tells_is_one_that_the_gateway_knows(newcomer: Newcomer):
    names = newcomer.look("catalog.operations.map(o => o.name)", '[o["name"] for o in catalog["operations"]]')

    described = [newcomer.call("thoughtbox_gateway", operation="describe", name=name) for name in names]

    assert all(each.get("operation") for each in described)


def _example(description: str) -> str:
    """The lines of a description that are code and nothing else."""
    is_code = re.compile(r"(const \w+ = )?(tb|catalog)\.\w+[.(].*\)")
    return "\n".join(filter(is_code.fullmatch, description.splitlines()))


def _named_next(newcomer: Newcomer, answer: dict[str, Any], known: dict[str, Any]) -> Code:
    """The call that an answer names, in full or in words; what it does not say is among what is known."""
    if answer["next_call"]:
        given = dict(answer["next_call"])
        return newcomer.open(given.pop("operation")).call(**given)
    named = re.findall(r"[a-z]+_[a-z_]+", answer["next_step"])[0]
    step = newcomer.open(named)
    phase = {"phase": answer["next_phase"], "input": known} if "phase" in step.arguments else {}
    return step.call(**{name: value for name, value in known.items() if name in step.arguments}, **phase)


def _builder(newcomer: Newcomer, query: str) -> str:
    """What the first kind of record that fits is written with, as its signature begins."""
    kinds = [hit for hit in newcomer.search(query) if hit["is"] == "kind"]
    return kinds[0]["signature"].partition("(")[0]


def _mark(newcomer: Newcomer) -> str:
    return ";" if newcomer.language == "javascript" else "  # in Python"
