"""The catalog is the table without its code: it says the same, and a process that has only it answers the same."""

from __future__ import annotations

import json
import marshal
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.operations.questions_of_names import QUESTIONS
from thoughtbox import domains
from thoughtbox.app import all_views
from thoughtbox.engine.protocol import DIALECTS
from thoughtbox.operations.catalog import Catalog
from thoughtbox.operations.derived import OWN_VIEWS, catalog_of
from thoughtbox.operations.registry import TABLE, known
from thoughtbox.operations.schemas import input_schema, output_schema
from thoughtbox.search.registry import SEARCHABLE

domains.load()
MODULES = sorted({operation.module for operation in TABLE.known.values()})
LIGHT = {
    "thoughtbox.domains.calls",
    "thoughtbox.domains.calls.gateway_route",
    "thoughtbox.domains.calls.gateway_text",
    "thoughtbox.domains.thoughts",
    "thoughtbox.domains.thoughts.gateway_lines",
    "thoughtbox.domains.thoughts.standing",
}
"""All of the rooms that answers about names may need: what describes the gateway to whoever stands somewhere."""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_of(TABLE)


def in_a_process(code: str, *words: str, **variables: str) -> Any:
    """What a fresh interpreter prints."""
    ran = subprocess.run(
        [sys.executable, "-P", "-c", code, *words],
        env={**_environment(), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    return json.loads(ran.stdout)


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("THOUGHTBOX_")}


def test_it_says_all_that_the_table_says(catalog: Catalog):
    told = dict(catalog._asdict())

    operations = told.pop("operations")
    assert list(operations) == [operation.name for operation in TABLE]
    for operation in TABLE:
        expected = known(operation, sys.modules[operation.function.__module__].__name__)
        assert operations[operation.name]._replace(gateway=None) == expected._replace(gateway=None)
        if operation.gateway is not None:
            assert [place.target for place in operations[operation.name].gateway] == list(operation.gateway)
    schemas = told.pop("schemas")
    assert list(schemas) == list(operations)
    for operation in TABLE:
        assert json.loads(schemas[operation.name].input) == input_schema(TABLE, operation)
        output = schemas[operation.name].output
        assert (json.loads(output) if output else None) == (
            output_schema(operation) if operation.gateway is None and operation.output.listed else None
        )
    usages = told.pop("usages")
    assert list(usages) == list(operations)
    for operation in TABLE:
        usage = json.loads(usages[operation.name])
        assert usage["arguments"] == operation.example.arguments
        assert [(call["operation"], call["arguments"]) for call in usage["before"]] == list(operation.example.given)
        assert usage.get("refused") == getattr(operation.example.fails_with, "code", None)
        assert set(usage["errors"]) == {error.code for error in operation.errors if "code" in vars(error)}
        assert usage.get("part") == getattr(operation.envelope, "part", None)
    rooms = told.pop("rooms")
    assert list(rooms) == list(domains.ROOMS)
    for name, room in TABLE.rooms.items():
        assert (rooms[name].summary, rooms[name].gateway_names) == (room.summary, room.gateway_names)
        assert rooms[name].gateway_arguments == room.gateway_arguments
        assert rooms[name].remembers is room.remembers
        assert all(
            (said if isinstance(said, str) or said is None else said.target) == meant
            for said, meant in ((rooms[name].gateway, room.gateway), (rooms[name].first_focus, room.first_focus))
        )
    resources = told.pop("resources")
    assert {uri: {**each.fields, "listed": None} for uri, each in resources.items()} == {
        uri: each._replace(listed=None)._asdict() for uri, each in TABLE.resources.items()
    }
    assert {uri: each.fields["listed"] for uri, each in resources.items()} == {
        uri: each.listed is not None for uri, each in TABLE.resources.items()
    }
    prompts = told.pop("prompts")
    assert {name: each.fields for name, each in prompts.items()} == {
        name: each._asdict() for name, each in TABLE.prompts.items()
    }
    assert list(told.pop("completions")) == list(TABLE.completions)
    topics = told.pop("topics")
    assert {name: streams for name, (streams, _) in topics.items()} == {
        name: topic.streams for name, topic in TABLE.topics.items()
    }
    assert {topic: version for topic, (version, _) in told.pop("searchable").items()} == {
        topic: each.version for topic, each in SEARCHABLE.items()
    }
    assert list(told.pop("tallies")) == list(TABLE.tallies)
    views = told.pop("views")
    kinds = [*OWN_VIEWS, *(view for view, _ in TABLE.declared_views())]
    assert [view.kind for view in views] == kinds
    for view, kind in zip(views, kinds, strict=True):
        assert (view.name, view.generation, view.pace) == (kind.name, kind.generation, kind.pace)
        assert (view.stride, view.follows, view.schema) == (kind.stride, kind.follows, kind.schema)
        for dialect in DIALECTS:
            assert view.made_in(dialect) == kind.made_in(dialect)
            assert (view.script(dialect), view.tables(dialect)) == (kind.script(dialect), kind.tables(dialect))
    assert told == {}, "what is in a catalog is compared here"


def test_every_module_that_it_names_declares_what_it_says(catalog: Catalog):
    named: Iterator[tuple[str, Any, str]] = iter(
        [
            *(("operation", name, each.module) for name, each in catalog.operations.items()),
            *(("room", name, each.module) for name, each in catalog.rooms.items()),
            *(("resource", uri, each.module) for uri, each in catalog.resources.items()),
            *(("prompt", name, each.module) for name, each in catalog.prompts.items()),
            *(("completion", key, module) for key, module in catalog.completions.items()),
            *(("topic", name, module) for name, (_, module) in catalog.topics.items()),
            *(("tally", name, module) for name, module in catalog.tallies.items()),
        ]
    )

    assert [(what, name) for what, name, module in named if TABLE.modules[what, name] != module] == []
    assert {module for _, module in catalog.searchable.values()} <= {each.module for each in SEARCHABLE.values()}


def test_it_is_plain_and_comes_back_as_it_was(catalog: Catalog):
    again = Catalog.of(marshal.loads(marshal.dumps(catalog.plain())))

    assert again == catalog
    assert [list(part) for part in again] == [list(part) for part in catalog]


@pytest.fixture(scope="module")
def answers() -> Any:
    """What a process says that has imported every room, and has no catalog."""
    return in_a_process(QUESTIONS, "all")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "first",
    [
        "",
        "thoughtbox.domains.memory.config.operations",
        "thoughtbox.domains.calls.operations,thoughtbox.domains.mind.vcs.operations",
    ],
    ids=["nothing", "one module", "modules in another order"],
)
def test_names_texts_and_lists_are_the_same_whatever_is_imported(first: str, answers: Any):
    told = in_a_process(QUESTIONS, first)

    rooms, told["imported"] = set(told["imported"]), None
    assert answers["has catalog"] is False
    assert told == {**answers, "imported": None, "has catalog": True}
    if not first:
        assert rooms <= LIGHT


VIEWS = """
import json, sys
from thoughtbox.app import all_views
views = all_views()
from thoughtbox.search.texts import Texts
print(json.dumps({
    "shapes": {view.name: [view.made_in(dialect)[1] for dialect in ("sqlite", "postgres")] for view in views._all},
    "texts": [Texts.shape(dialect) for dialect in ("sqlite", "postgres")],
    "rooms": [name for name in sys.modules if name.startswith("thoughtbox.domains.")],
}))
"""


def test_the_shapes_of_views_and_of_the_index_do_not_depend_on_what_is_imported():
    told = in_a_process(VIEWS)

    assert told["rooms"] == []
    assert told["shapes"] == {kind.name: [kind.shape(dialect) for dialect in DIALECTS] for kind in all_views().kinds}
    assert told["texts"] == told["shapes"]["texts"]


EXAMPLES = """
import json, sys
from thoughtbox.app import Thoughtbox
from thoughtbox.errors import ThoughtboxError
from thoughtbox.settings import load

settings = load({"THOUGHTBOX_STORAGE": "memory", "THOUGHTBOX_PROJECT_ROOT": sys.argv[2]})
names = [known.name for known in Thoughtbox(settings).table.known.values() if known.module == sys.argv[1]]
failed = []
for name in names:
    with Thoughtbox(settings) as box:
        from thoughtbox.operations.dispatch import Call
        operation = box.table.operations[name]
        if operation.gateway is not None:
            continue
        example = operation.example
        for call, arguments in (*example.given, (name, example.arguments)):
            try:
                box.dispatcher.call(Call(operation=call, workspace="w", arguments=arguments))
                refused = None
            except ThoughtboxError as error:
                refused = type(error)
        if refused is not example.fails_with:
            failed.append([name, repr(refused)])
whole = [room for room in ("thoughts", "mind", "memory") if f"thoughtbox.domains.{room}.operations" in sys.modules]
print(json.dumps([len(names), failed, whole]))
"""


@pytest.mark.sampled(6)
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.removeprefix("thoughtbox.domains."))
def test_the_examples_of_a_module_run_where_nothing_else_was_imported(module: str, tmp_path: Path):
    count, failed, whole_rooms = in_a_process(EXAMPLES, module, str(tmp_path))

    assert count
    assert failed == []
    assert whole_rooms == [], "examples import what they need, not whole rooms"


SEVERAL_THREADS = """
import json, sys, threading
from thoughtbox import domains

table, found, wrong = domains.known(), [], []
names = list(table.known)

def ask(first):
    try:
        for name in names[first:] + names[:first]:
            found.append(table.operations[name].name == name)
    except BaseException as error:
        wrong.append(repr(error))

threads = [threading.Thread(target=ask, args=(number * len(names) // 6,)) for number in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps([len(found), all(found), wrong, [operation.name for operation in table] == names]))
"""


def test_several_threads_may_ask_for_operations_that_nobody_has_imported():
    assert in_a_process(SEVERAL_THREADS) == [6 * len(TABLE.known), True, [], True]


WARM = """
import json, sys, threading
from thoughtbox.app import Thoughtbox
from thoughtbox.settings import load

def rooms():
    found = {name: module for name, module in sys.modules.items() if name.startswith("thoughtbox.domains.")}
    modules = [name for name, module in found.items() if not hasattr(module, "__path__")]
    return [name for name in modules if not name.endswith(".settings")]

with Thoughtbox(load({"THOUGHTBOX_STORAGE": "memory"})) as box:
    before = [rooms(), "pydantic" in sys.modules]
    warming = threading.Thread(target=lambda: (box.warm(), box.warm_rooms()))
    warming.start()
    from thoughtbox.operations.dispatch import Call
    answer = box.dispatcher.call(Call(operation="thought_plan", workspace="w",
                                      arguments={"sessionId": "s", "planDescription": "p"}))
    warming.join()
    missing = [each for each in box._likely() if each not in sys.modules]
    print(json.dumps([*before, bool(answer), missing, "thoughtbox.domains.code.execute" in sys.modules]))
"""


def test_a_start_imports_no_room_and_what_is_likely_comes_behind_it():
    assert in_a_process(WARM) == [[], False, True, [], False], "of a room that begins ahead nothing is"


ONE_MORE = """
import json, sys
from thoughtbox.operations import Example, Input, Output, Room, Tx
from thoughtbox.ledger.record import Draft
from thoughtbox.search.registry import searchable

room = Room("shelf", summary="Books.")
searchable("shelf.book")
room.topic("shelf.book", lambda record, before: None, streams="shelf")

class Put(Input):
    title: str

class Done(Output):
    id: str

@room.operation("put", writes=True, title="Put", example=Example({"title": "t"}))
def put(tx: Tx, call: Put) -> Done:
    '''Put a book there.'''
    book = Draft(kind="observation", topic="shelf.book", text=call.title, session="s")
    return Done(id=tx.append(book, stream="shelf/s").id)

from thoughtbox.app import Thoughtbox
from thoughtbox.settings import load

with Thoughtbox(load({"THOUGHTBOX_STORAGE": "memory"})) as box:
    from thoughtbox.ledger.replay import catch_up_all
    from thoughtbox.operations.dispatch import Call
    from thoughtbox.search.texts import Texts
    box.dispatcher.call(Call(operation="put", workspace="w", arguments={"title": "The whale"}))
    catch_up_all(box.engine, box.views, "w")
    hits = box.engine.read(lambda sql: Texts(sql, "w").find("whale").hits).result()
    print(json.dumps([list(box.table.known)[-1], len(hits), "thoughtbox.domains.trail.operations" in sys.modules]))
"""


def test_a_room_that_the_catalog_does_not_know_comes_behind_it_and_is_found_too():
    assert in_a_process(ONE_MORE) == ["put", 1, False]
