"""`describe`: what an operation takes and answers, for whoever can ask over a wire only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox import domains
from thoughtbox.domains.calls import descriptions
from thoughtbox.errors import InvalidOperation, InvalidPayload
from thoughtbox.operations import TABLE, Example, Input, Operation, Output, Room, Table, Tx

domains.load()

LONGEST = 1_500
OPERATIONS = [operation for operation in TABLE if operation.gateway is None]


@pytest.fixture
def box() -> Iterator[Box]:
    box = Box()
    yield box
    box.close()


@pytest.fixture
def newcomer(box: Box) -> Client:
    """A connection that has only just begun: at stage 0."""
    return Client(box)


def described(client: Client, **arguments: Any) -> dict[str, Any]:
    answer = client.gateway(operation="describe", **arguments)
    assert len(orjson.dumps(answer).decode()) <= LONGEST
    return answer


@pytest.mark.sampled(2)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_is_described_in_short_and_its_example_runs(box: Box, operation: Operation):
    nobody = Client(box, stateless=True)
    found = described(nobody, args={"operation": operation.name})

    assert found["operation"] == operation.name
    assert found["does"]
    assert found["answers"]
    assert set(found.get("arguments", {})) == set(operation.arguments)
    needed = {info.alias or name for name, info in operation.input.model_fields.items() if info.is_required()}
    assert {name for name, text in found.get("arguments", {}).items() if ", needed" in text} == needed
    assert {error.code for error in operation.errors} == set(found["errors"])
    for name, arguments in operation.example.given:
        nobody.call(name, **arguments)
    assert found.get("before", []) == [name for name, _ in operation.example.given]
    refused = nobody.refusal("thoughtbox_gateway", **found["example"])
    assert (refused.code if refused else None) == found.get("refusedWith")


@pytest.mark.parametrize(
    "form",
    [
        {"name": "session.get"},
        {"args": {"name": "session.get"}},
        {"args": {"operation": "session.get"}},
        {"args": {"operation": "session", "subOperation": "get"}},
        {"args": '{"operation": "session_get"}'},
        {"subOperation": "session.get"},
        {"name": "session.get", "args": {"operation": "session.get"}},
    ],
)
def test_it_may_be_asked_in_any_form_and_at_any_stage(newcomer: Client, form: dict[str, Any]):
    assert described(newcomer, **form)["operation"] == "session.get"


def test_an_argument_says_its_type_whether_it_is_needed_and_what_it_is(newcomer: Client):
    found = described(newcomer, name="thought")

    assert found["needs"] == "stage 2"
    assert found["arguments"]["thought"].startswith("string, needed: The thought, in words or in cipher")
    assert found["arguments"]["thoughtNumber"].startswith("integer from 1: ")
    assert found["arguments"]["nextThoughtNeeded"].startswith("boolean, default true: ")
    assert found["arguments"]["sessionTags"].startswith("list of strings")
    assert described(newcomer, name="session.export")["arguments"]["format"].startswith("json or markdown or cipher")


def test_without_a_name_it_lists_all_operations_by_their_rooms(newcomer: Client):
    rooms = described(newcomer)["rooms"]

    assert set(rooms) == set(TABLE.rooms)
    for operation in OPERATIONS:
        if not operation.hidden and not rooms[operation.room].endswith(" operations"):
            assert operation.name.rpartition(".")[2] in rooms[operation.room]
    counted = [room for room, said in rooms.items() if said.endswith(" operations")]
    assert counted == ["mind", "memory"], "only what there is no space for is counted, and its name leads to all of it"
    unfolded = set[str]()
    for folded in described(newcomer, name="mind")["operations"]:
        word, _, rest = folded.partition("{")
        unfolded |= {f"{word}{name}" for name in rest.rstrip("}").split(", ")}
    assert unfolded == {each.name for each in TABLE if each.room == "mind" and not each.hidden}


@pytest.mark.parametrize("family", ["session", "knowledge", "mental_models"])
def test_of_a_family_it_says_which_there_are_and_what_for(newcomer: Client, family: str):
    found = described(newcomer, name=family)["operations"]

    assert set(found) == {f"{family}.{sub}" for sub in TABLE.family(family)}
    assert all(found[name] in (TABLE.operations[name].summary, TABLE.operations[name].title) for name in found)


@pytest.mark.parametrize("room", ["trail", "ledger", "calls"])
def test_of_a_room_it_says_which_there_are(newcomer: Client, room: str):
    found = described(newcomer, name=room)["operations"]

    assert set(found) == {each.name for each in TABLE if each.room == room and not each.hidden}


def test_what_is_not_there_leads_to_the_list(newcomer: Client):
    for name in ("workbook", "overview"):
        for call in ({"operation": name}, {"operation": "describe", "name": name}):
            with pytest.raises(InvalidOperation) as refused:
                newcomer.gateway(**call)
            assert refused.value.recovery == '{"operation":"describe"} shows all operations.'
    with pytest.raises(InvalidOperation, match="thuoght") as refused:
        newcomer.gateway(operation="describe", name="thuoght")
    assert refused.value.recovery == "Did you mean `thought`?"


def test_two_names_that_differ_are_refused(newcomer: Client):
    with pytest.raises(InvalidPayload, match="differ"):
        newcomer.gateway(operation="describe", name="thought", args={"operation": "cipher"})


class Nothing(Input):
    pass


class Done(Output):
    done: bool


def test_a_table_of_many_rooms_is_still_listed_in_short():
    table = Table()
    for number in range(9):
        room = Room(f"room{number}", summary="s", table=table)
        for verb in range(30):

            @room.operation(
                f"verb_{number}_{verb}", title="Do what takes many more words than are needed", example=Example({})
            )
            def operation(tx: Tx, call: Nothing) -> Done:
                """Do what takes a whole sentence to say, and then some more words."""
                return Done(done=True)

    everything = descriptions.of_all(table).answer()
    one_room = descriptions.of_several(table, [f"verb_3_{verb}" for verb in range(30)]).answer()

    assert len(orjson.dumps(everything)) <= LONGEST
    assert set(everything["rooms"]) == set(table.rooms)
    assert "30 operations" in everything["rooms"].values()
    assert len(orjson.dumps(one_room)) <= LONGEST
    assert one_room["operations"] == [f"verb_3_{verb}" for verb in range(30)]
