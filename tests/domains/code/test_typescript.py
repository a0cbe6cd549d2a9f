"""The declarations in TypeScript, held against the compiler itself."""

from __future__ import annotations

from pathlib import Path

from tests.domains.code.checking import compiled, in_javascript
from thoughtbox.domains.code.catalog import Catalog
from thoughtbox.domains.code.declarations import typescript
from thoughtbox.operations import Table

RIGHT = {
    "builders": """
        const c = tb.claim("a", {supports: ["th:1"], confidence: 0.5, labels: ["x"], metrics: {n: 1}});
        const e = await tb.evidence("b", {supports: c, sourceUrl: "https://example.org"});
        tb.question("c", {answeredBy: [c, "th:2"]});
        tb.plan("d", {steps: ["one"], derived_from: [c, e]});
        tb.observation("e", {context: "here", session: "s", branch: "b"});
        tb.decision("f", {alternativesConsidered: ["g"], refines: e.id});
        tb.revision("h", {replacesId: c, cipher: "C"});
        const kind: "claim" | string = c.kind;
        console.log(kind, c.id);
    """,
    "operations": """
        const page = tb.thoughts.session.get({sessionId: "latest", cursor: null});
        for (const each of page.thoughts) console.log(each.thought.length, each.refs.join());
        const next: string = page.cursor;
        tb.thoughts.session.get({cursor: next});
        tb.thoughts.session.list();
        tb.ledger.ledger_record({id: tb.claim("a")});
        tb.mind.graph_apply({ops: [{op: "node_upsert", id: "a", type: "note"}]});
        const card = tb.mind.think_card({card: {type: "note", title: "x"}});
        console.log(card.result.card_id, card.budget?.truncated);
    """,
    "errors": """
        try {
          tb.thoughts.session.get({sessionId: "nowhere"});
        } catch (error) {
          if (error instanceof tb.Error) console.warn(error.code, error.message, error.recovery);
        }
    """,
    "variables": """
        tb.vars.set("a", {b: [1]});
        console.log(tb.vars.get("a").b[0], tb.vars.list(), tb.vars.delete("a"));
    """,
    "searching": """
        const found = catalog.operations.filter((each) => each.summary.includes("merge"));
        console.log(found.map((each) => each.signature), catalog.kinds, catalog.relations[0].name);
    """,
}

WRONG = {
    "an_unknown_operation": 'tb.thoughts.session.gett({sessionId: "s"});',
    "an_unknown_argument": 'tb.thoughts.session.get({session: "s"});',
    "a_missing_argument": 'tb.trail.thought_plan({sessionId: "s"});',
    "nothing_where_something_must_be": "tb.thoughts.session.resume();",
    "another_type": "tb.thoughts.session.get({limit: true});",
    "another_value": 'tb.thoughts.session.export({format: "pdf"});',
    "another_value_further_in": 'tb.mind.graph_apply({ops: [{op: "node_explode", id: "a"}]});',
    "an_unknown_builder": 'tb.clam("a");',
    "an_unknown_option": 'tb.claim("a", {suports: []});',
    "another_option": 'tb.claim("a", {confidence: "high"});',
    "a_missing_option": 'tb.revision("a");',
    "a_field_that_no_answer_has": "tb.thoughts.session.get().thoghts;",
    "a_kind_that_the_host_writes": 'tb.tool_call("a", {});',
    "what_does_not_return": 'const id: string = tb.hub_event("a").id;',
    "a_handle_that_is_changed": 'tb.claim("a").id = "b";',
    "what_a_snippet_does_not_have": 'fetch("https://example.org");',
    "a_snippet_in_a_snippet": 'tb.code.execute({code: "1"});',
}


def test_every_operations_own_example_is_right_and_so_is_every_kinds(table: Table, catalog: Catalog, tmp_path: Path):
    examples = {"operations": "\n".join(map(in_javascript, catalog["operations"]))}
    examples |= {kind["name"]: kind["example"]["javascript"] for kind in catalog["kinds"] if kind["example"]}

    assert compiled(tmp_path, typescript(table), examples) == {}


def test_what_is_right_is_taken(table: Table, tmp_path: Path):
    assert compiled(tmp_path, typescript(table), RIGHT) == {}


def test_what_is_wrong_is_found(table: Table, tmp_path: Path):
    assert sorted(compiled(tmp_path, typescript(table), WRONG)) == sorted(WRONG)


def test_declarations_of_a_part_compile_too_and_know_nothing_else(table: Table, tmp_path: Path):
    of_one = typescript(table, ["thoughts.session.get", "trail"])
    told = compiled(
        tmp_path,
        of_one,
        {
            "one": "tb.thoughts.session.get();",
            "room": 'tb.trail.thought_plan({sessionId: "s", planDescription: "p"});',
            "other": "tb.thoughts.session.list();",
        },
    )

    assert list(told) == ["other"]
    assert len(of_one) < len(typescript(table)) / 10


def test_texts_of_the_table_stand_beside_what_they_are_about(table: Table):
    lines = typescript(table).split("\n")
    method = next(place for place, line in enumerate(lines) if line.startswith("  ledger_prove("))

    assert lines[method - 1] == f"  /** {table.known['ledger_prove'].summary} */"
    assert "  /** Fork point; needed on the first thought of a branch only. */" in lines
