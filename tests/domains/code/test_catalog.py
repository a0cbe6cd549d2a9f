"""The catalog that a snippet searches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.domains.code.checking import named, plain
from tests.support.box import Box
from thoughtbox.domains.code.catalog import Catalog, catalog_json
from thoughtbox.domains.code.catalog import catalog as catalog_of
from thoughtbox.domains.code.reachable import name_of
from thoughtbox.domains.code.signatures import BUILDERS
from thoughtbox.errors import all_codes
from thoughtbox.ledger.record import KINDS, RELATIONS
from thoughtbox.operations import Example, Gateway, Input, Output, Room, Table, Tx


class Nothing(Input):
    pass


class Told(Output):
    told: str


def route(table: Table, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    return "tell", {}


def small_table() -> Table:
    """A table with every sort of operation that a snippet may not call, and one that it may."""
    table = Table()
    room = Room("code", summary="A room.", table=table)

    def tell(tx: Tx, call: Nothing) -> Told:
        """Tell something."""
        return Told(told="it")

    leading = Gateway(route=route, described=lambda table, focus: "", properties=lambda table: {})
    room.operation("tell", example=Example({}))(tell)
    room.operation("search", example=Example({}))(tell)
    room.operation("execute", example=Example({}))(tell)
    room.operation("secret", example=Example({}), hidden=True)(tell)
    room.operation("gateway", example=Example({}), gateway=leading)(tell)
    return table


def test_it_holds_what_a_snippet_can_call_and_nothing_else():
    assert [each["name"] for each in catalog_of(small_table())["operations"]] == ["code.tell"]


def test_every_other_operation_of_the_product_is_in_it_under_a_name_that_the_table_knows(
    table: Table, catalog: Catalog
):
    listed = [each for each in table.known.values() if not each.hidden and each.gateway is None]
    names = {each["operation"]: each["name"] for each in catalog["operations"]}

    assert [each.name for each in listed if each.name not in names] == [*BUILDERS, "search", "execute"]
    assert all(table.look_up(name).name == operation for operation, name in names.items())
    assert names["session.get"] == "thoughts.session.get"
    assert names["mind.context_pack"] == "mind.context_pack"


def test_an_operation_is_told_with_all_that_is_needed_to_call_it(table: Table, catalog: Catalog):
    told = named(catalog, "trail.thought_tree")
    schemas = table.schemas("thought_tree")

    assert told == {
        "name": "trail.thought_tree",
        "room": "trail",
        "operation": "thought_tree",
        "title": "Read a session's thoughts as a tree",
        "summary": "All thoughts of a session: roots at the top, their children nested when asked for.",
        "description": "All thoughts of a session: roots at the top, their children nested when asked for.",
        "writes": False,
        "needs": None,
        "signature": "tb.trail.thought_tree({sessionId: string, includeContent?: boolean, includeChildren?: boolean, "
        "maxChars?: number}): {success, count, tree: {…}[]}",
        "input": json.loads(schemas.input),
        "output": json.loads(schemas.output or b""),
        "example": {
            "arguments": {"sessionId": "s1", "includeChildren": True},
            "before": [
                {
                    "name": "trail.thought_plan",
                    "arguments": {"sessionId": "s1", "planDescription": "Move the cache", "actionId": "deploy-7"},
                }
            ],
            "refused": None,
        },
        "errors": [
            {"code": code, "meaning": all_codes()[code].meaning} for code in ("INVALID_PAYLOAD", "SESSION_NOT_FOUND")
        ],
    }


def test_examples_and_errors_are_those_that_the_rooms_declare(table: Table, catalog: Catalog):
    for told in catalog["operations"]:
        operation = table.find(told["operation"])
        example = operation.example
        assert told["example"]["arguments"] == plain(dict(example.arguments))
        given = [(table.look_up(name), plain(arguments)) for name, arguments in example.given]
        assert [(call["name"], call["arguments"]) for call in told["example"]["before"]] == [
            (name_of(operation), arguments) for operation, arguments in given if not operation.hidden
        ]
        assert told["example"]["refused"] == getattr(example.fails_with, "code", None)
        assert all(all_codes()[error["code"]].meaning == error["meaning"] for error in told["errors"])


def test_an_example_runs_without_what_only_a_host_does_before_it(table: Table, catalog: Catalog):
    shortened = [
        told
        for told in catalog["operations"]
        if len(told["example"]["before"]) < len(table.find(told["operation"]).example.given)
    ]

    assert [told["name"] for told in shortened] == ["memory.session_pack"]
    for told in shortened:
        box = Box()
        assert box.call(told["operation"], told["example"]["arguments"])
        box.close()


def test_needs_of_an_operation_are_in_words(catalog: Catalog):
    assert named(catalog, "thoughts.thought")["needs"] == "needs stage 2"


def test_every_kind_says_who_writes_it_and_how(catalog: Catalog):
    kinds = {kind["name"]: kind for kind in catalog["kinds"]}

    assert set(kinds) == KINDS
    assert kinds["plan"]["authored"]
    assert kinds["plan"]["attrs"] == {"steps?": "string[]", "relations?": "{type, to}[]"}
    assert kinds["plan"]["signature"] is not None
    assert kinds["plan"]["signature"].startswith("tb.plan(text: string, options?: {steps?: string[], ")
    assert kinds["plan"]["example"] is not None
    assert kinds["plan"]["example"]["python"].startswith('tb.plan("Move the cache.", steps=["Measure."')
    assert not kinds["tool_call"]["authored"]
    assert kinds["tool_call"]["attrs"] == {"toolName": "string", "args": "object"}
    assert (kinds["tool_call"]["signature"], kinds["tool_call"]["example"]) == (None, None)
    assert [error["code"] for error in kinds["tool_call"]["errors"]] == ["HOST_ONLY"]


def test_every_relation_has_its_meaning(catalog: Catalog):
    assert {relation["name"] for relation in catalog["relations"]} == RELATIONS
    assert all(relation["summary"].endswith(".") for relation in catalog["relations"])
    assert len({relation["summary"] for relation in catalog["relations"]}) == len(RELATIONS)


def test_prompts_and_resources_are_told_with_what_they_take(table: Table, catalog: Catalog):
    prompts = {prompt["name"]: prompt for prompt in catalog["prompts"]}
    resources = {resource["uri"]: resource for resource in catalog["resources"]}

    assert set(prompts) == set(table.prompts)
    assert prompts["interleaved-thinking"]["arguments"] == [
        {"name": "task", "description": "What is to be done.", "required": True},
        {"name": "thoughts_limit", "description": "How many thoughts at most.", "required": False},
    ]
    assert set(resources) == set(table.resources)
    assert resources["thoughtbox://mental-models/{tag}/{model}"]["arguments"] == ["tag", "model"]
    assert all(entry["title"] and entry["description"] for entry in (*prompts.values(), *resources.values()))


def test_it_is_plain_json_and_made_once(table: Table, catalog: Catalog):
    made = catalog_json(table)

    assert json.loads(made) == plain(catalog)
    assert catalog_json(table) is made


def test_it_is_known_without_importing_a_room(tmp_path: Path):
    code = """
import sys
from thoughtbox import domains
table = domains.known()
from thoughtbox.domains.code.catalog import catalog_json
from thoughtbox.domains.code.declarations import python, typescript
catalog_json(table), python(table), typescript(table)
rooms = {name.split(".")[2] for name in sys.modules if name.startswith("thoughtbox.domains.")}
print(table.catalog is not None, sorted(rooms))
"""
    said = [_in_a_process(code, tmp_path) for _ in range(2)]  # the first one may have to derive what is known

    assert said[1] == "True ['code']"


def _in_a_process(code: str, caches: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "XDG_CACHE_HOME": str(caches)},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.strip()
