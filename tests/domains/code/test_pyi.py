"""The declarations in Python, held against the checker that snippets meet: what is right must pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic_monty import Monty, MontySession

from tests.domains.code.checking import in_python, refused
from thoughtbox.domains.code.catalog import Catalog
from thoughtbox.domains.code.declarations import python
from thoughtbox.domains.code.pyi import SEARCHING
from thoughtbox.operations import Table

RIGHT = {
    "a page after the other": """
cursor = None
while True:
    page = tb.thoughts.session.get(sessionId="latest", cursor=cursor)
    for each in page["thoughts"]:
        print(each["thought"].upper())
    cursor = page.get("cursor")
    if not cursor:
        break
""",
    "what is in an answer is not known": """
answer = tb.thoughts.session.list(limit=3)
[each["title"] for each in answer["sessions"] if each["thoughtCount"] > 3]
sorted(answer["sessions"], key=lambda each: each["title"])[0]["id"]
""",
    "handles in lists": """
handles = [tb.claim(text) for text in ["a", "b"]]
tb.decision("d", supports=handles, contradicts=handles[0], relates_to=handles + ["th:1"])
tb.decision("e", supports=[each.id for each in handles], derived_from=tuple(handles))
by_name = {"a": handles[0]}
tb.plan("p", steps=["one"], answers=list(by_name.values()))
{"first": handles[0], "all": handles}
""",
    "every builder": """
c = tb.claim("a", confidence=1, labels=["x"], metrics={"n": 1}, session="s", branch="b", cipher="C")
tb.evidence("b", supports=c, sourceUrl="https://example.org", confidence=0.5)
tb.question("c", answeredBy=[c, "th:2"], labels=("x", "y"))
tb.plan("d", steps=[f"step {n}" for n in range(3)])
tb.observation("e", context="here")
tb.decision("f", alternativesConsidered=["g"], refines=c.id)
tb.revision("h", replacesId=c)
print(c.id, c.kind)
""",
    "figures that a variable holds": """
whole = {"n": 1}
mixed = {"n": 1, "share": 0.5}
tb.claim("a", metrics=whole)
tb.claim("b", metrics=mixed, confidence=mixed["share"])
""",
    "objects that a variable holds": """
ops = [{"op": "node_delete", "id": "a"}, {"op": "node_upsert", "id": "b", "type": "note", "tags": ["x"]}]
tb.mind.graph_apply(ops=ops)
card = {"type": "note", "title": "x"}
tb.mind.think_card(card=card, supports=["CARD-1"])
""",
    "a handle where an id is wanted": 'tb.ledger.ledger_record(id=tb.claim("a"))',
    "values that only a variable knows": """
for each in ["json", "markdown"]:
    tb.thoughts.session.export(format=each)
formats = ["json", "markdown"]
for each in formats:
    tb.thoughts.session.export(format=each)
def written(form: str):
    return tb.thoughts.session.export(format=form)
""",
    "words of Python's own": """
tb.mind.branch_create(name="x", from_="main")
tb.thoughts.session.import_(content="x")
tb.mind.branch_create(name="x", **{"from": "main"})
""",
    "a family as a value": """
session = tb.thoughts.session
session.list(tags=["a"])
""",
    "what fails": """
try:
    tb.thoughts.session.get(sessionId="nowhere")
except tb.Error as error:
    print(error.code, error.message, error.recovery, error.details.get("fields"))
""",
    "variables": """
tb.vars.set("a", {"b": [1]})
for name in tb.vars.list():
    print(tb.vars.get(name)["b"][0], tb.vars.delete(name))
""",
    "what was none at first": """
found = None
for each in tb.mind.think_query()["result"]["cards"]:
    if found is None:
        found = tb.claim(each["title"])
if found is not None:
    tb.evidence("b", supports=found)
""",
}

WRONG = {
    "an unknown operation": 'tb.thoughts.session.gett(sessionId="s")',
    "an unknown family": "tb.thoughts.sesion.get()",
    "an unknown room": "tb.thinking.get()",
    "an unknown argument": 'tb.thoughts.session.get(session="s")',
    "a missing argument": 'tb.trail.thought_plan(sessionId="s")',
    "another type": 'tb.thoughts.session.get(limit="many")',
    "a number for an id": 'tb.trail.thought_plan(sessionId=3, planDescription="p")',
    "a text for a list": 'tb.thoughts.session.list(tags="a")',
    "none where something must be": "tb.thoughts.session.resume(sessionId=None)",
    "arguments in an object": 'tb.thoughts.session.get({"sessionId": "s"})',
    "an unknown builder": 'tb.clam("a")',
    "a builder without a text": "tb.claim()",
    "an unknown option": 'tb.claim("a", suports=[])',
    "another option": 'tb.claim("a", confidence="high")',
    "a text for labels": 'tb.claim("a", labels="x")',
    "a missing option": 'tb.revision("a")',
    "options in an object": 'tb.claim("a", {"labels": ["x"]})',
    "a name that nobody has given": "prnt(1)",
    "a snippet in a snippet": 'tb.code.execute(code="1")',
    "what leads to others": 'tb.calls.thoughtbox_gateway(operation="status")',
}


def test_every_operations_own_example_is_right(catalog: Catalog, checker: MontySession):
    assert refused(checker, "\n".join(map(in_python, catalog["operations"]))) is None


def test_every_kinds_own_example_is_right(catalog: Catalog, checker: MontySession):
    examples = [kind["example"]["python"] for kind in catalog["kinds"] if kind["example"]]

    assert [refused(checker, each) for each in examples] == [None] * len(examples)


@pytest.mark.parametrize("code", RIGHT.values(), ids=RIGHT)
def test_what_is_right_is_let_run(code: str, checker: MontySession):
    assert refused(checker, code) is None


@pytest.mark.parametrize("code", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_found_before_it_runs(code: str, checker: MontySession):
    assert refused(checker, code) is not None


def test_what_only_a_host_writes_is_declared_so_that_whoever_tries_is_told_why(checker: MontySession):
    assert refused(checker, 'tb.tool_call("a", {})') is None
    assert refused(checker, 'tb.checkpoint("a", stateHash="0")') is None


def test_declarations_of_a_part_know_nothing_else(table: Table):
    part = python(table, ["thoughts.session.get", "trail"])
    with Monty() as pool, pool.checkout(type_check=True, type_check_stubs=part) as session:
        assert refused(session, "tb.thoughts.session.get()") is None
        assert refused(session, 'tb.trail.thought_plan(sessionId="s", planDescription="p")') is None
        assert refused(session, 'tb.evidence("a", supports=[tb.claim("b")])') is None
        assert refused(session, "tb.thoughts.session.list()") is not None
    assert len(part) < len(python(table)) / 5


def test_a_snippet_that_searches_has_a_catalog():
    with Monty() as pool, pool.checkout(type_check=True, type_check_stubs=SEARCHING) as session:
        given = {"catalog": {"operations": [{"name": "a.b", "summary": "merge"}]}}
        found = session.feed_run(
            '[each["name"] for each in catalog["operations"] if "merge" in each["summary"]]', inputs=given
        )
        assert found == ["a.b"]
        assert refused(session, 'catalog["operatoins"]') is not None
        assert refused(session, "tb.claim('a')") is not None


def test_the_declarations_themselves_are_right(table: Table, tmp_path: Path):
    (tmp_path / "tb.pyi").write_text(python(table), encoding="utf-8")
    ran = subprocess.run(
        [Path(sys.executable).parent / "ty", "check", "--python", sys.prefix, "--error-on-warning", "tb.pyi"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout
