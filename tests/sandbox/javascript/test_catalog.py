"""A snippet that searches: it has a catalog, and no tb."""

from __future__ import annotations

import orjson
import pytest

from tests.sandbox.javascript.conftest import Tell
from thoughtbox.errors import SnippetFailed

OPERATIONS = [{"name": f"room.op{n}", "input": {"n": n}} for n in range(500)]
CATALOG = orjson.dumps({"operations": OPERATIONS, "kinds": ["claim"]})
CHANGES = ["catalog.operations.push(1)", "catalog.operations[0].name = 'mine'", "delete catalog.kinds"]


def test_the_catalog_is_there_and_tb_is_not(tell: Tell):
    told = tell(
        "[catalog.operations.length, catalog.operations.filter((o) => o.input.n > 497).map((o) => o.name), typeof tb]",
        catalog=CATALOG,
    )

    assert told.result == [500, ["room.op498", "room.op499"], "undefined"]


def test_the_catalog_cannot_be_changed(tell: Tell):
    told = tell("[catalog, catalog.operations, catalog.operations[3].input].every(Object.isFrozen)", catalog=CATALOG)

    assert told.result is True


@pytest.mark.parametrize("code", CHANGES)
def test_changing_the_catalog_fails(tell: Tell, code: str):
    with pytest.raises(SnippetFailed, match="TypeError"):
        tell(code, catalog=CATALOG)


def test_what_a_snippet_did_to_its_world_is_not_in_the_next_one_that_searches(tell: Tell):
    tell("globalThis.left = 1; Array.prototype.filter = () => 'patched'; Object.prototype.x = 1; 0", catalog=CATALOG)

    told = tell("[typeof left, catalog.operations.filter((o) => o.input.n === 1), typeof ({}).x]", catalog=CATALOG)

    assert told.result == ["undefined", [OPERATIONS[1]], "undefined"]


def test_another_catalog_is_another_one(tell: Tell):
    told = [tell("catalog.n", catalog=orjson.dumps({"n": n})).result for n in (1, 2, 1, 3)]

    assert told == [1, 2, 1, 3]


def test_snippets_with_and_without_a_catalog_take_turns(tell: Tell):
    for _ in range(3):
        assert tell("typeof catalog + typeof tb").result == "undefinedobject"
        assert tell("typeof catalog + typeof tb", catalog=CATALOG).result == "objectundefined"


def test_typescript_can_search_too(tell: Tell):
    told = tell("(catalog.operations as { name: string }[])[0]!.name", "typescript", catalog=CATALOG)

    assert told.result == "room.op0"


def test_reading_the_catalog_is_not_the_snippets_time(tell: Tell):
    large = orjson.dumps({"operations": [{"name": f"op{n}", "about": ["x" * 20] * 10} for n in range(3000)]})

    assert tell("catalog.operations.length", catalog=large).result == 3000
