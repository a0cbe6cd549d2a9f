"""The table refuses what is declared twice, and finds what is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from thoughtbox.domains.calls import gateway_text
from thoughtbox.errors import InvalidOperation
from thoughtbox.operations import Example, Focus, Input, Output, Prompt, Resource, Room, Table, Tx


class Nothing(Input):
    pass


class Named(Input):
    name: str
    label: str | None = None


class Done(Output):
    room: str


def declare(room: Room, name: str, **options: Any) -> None:
    @room.operation(name, example=Example({}), **options)
    def operation(tx: Tx, call: Nothing) -> Done:
        """Do it."""
        return Done(room=tx.task.room)


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def room(table: Table) -> Room:
    return Room("attic", summary="Old things.", table=table)


RESOURCE = Resource(uri="thoughtbox://attic", name="attic", title="Attic", description="d", text="t")
PROMPT = Prompt(name="tidy", title="Tidy", description="d", text="t", arguments={})


@pytest.mark.parametrize(
    ("what", "declaration"),
    [
        ("operation sweep", lambda room: declare(room, "sweep")),
        ("operation attic_sweep", lambda room: (declare(room, "attic.sweep"), declare(room, "attic_sweep"))),
        ("resource thoughtbox://attic", lambda room: room.resource(RESOURCE)),
        ("prompt tidy", lambda room: room.prompt(PROMPT)),
        ("topic attic.box", lambda room: room.topic("attic.box", lambda record, before: None, streams="attic")),
        ("completion", lambda room: room.completion("boxId", lambda tx, typed, limit: [])),
        ("room cellar", lambda room: Room("cellar", summary="s", table=room._table)),
    ],
)
def test_what_is_declared_twice_is_refused(room: Room, what: str, declaration: Callable[[Room], object]):
    def twice() -> None:
        declaration(room)
        declaration(room)

    with pytest.raises(ValueError, match=f"{what}.* is declared twice"):
        twice()


def test_a_word_that_an_operation_does_not_have_is_refused(room: Room):
    with pytest.raises(TypeError, match="tier"):
        declare(room, "sweep", tier="core")


def test_a_name_that_two_rooms_share_works_in_both(table: Table, room: Room):
    cellar = Room("cellar", summary="More old things.", table=table)
    declare(room, "pack", shared=True, toolsets=["attic", "both"])
    declare(cellar, "pack", shared=True, toolsets=["cellar", "both"])

    assert table.find("attic.pack").room == "attic"
    assert table.find("cellar.pack").room == table.find("cellar_pack").room == "cellar"
    assert {name: one.room for name, one in table.shown_in("attic").items()} == {"pack": "attic"}
    assert {name: one.room for name, one in table.shown_in("cellar").items()} == {"pack": "cellar"}
    assert {name: one.room for name, one in table.shown_in("both").items()} == {
        "pack": "attic",
        "cellar_pack": "cellar",
    }
    assert {name: one.room for name, one in table.shown_in("all").items()} == {"pack": "attic", "cellar_pack": "cellar"}
    with pytest.raises(InvalidOperation, match="several rooms") as refused:
        table.find("pack")
    assert refused.value.recovery == "Name the room, too: attic.pack, cellar.pack."


def test_a_shared_name_means_the_room_whose_arguments_are_given(table: Table, room: Room):
    cellar = Room("cellar", summary="More old things.", table=table)
    declare(room, "pack", shared=True)

    @cellar.operation("pack", example=Example({"name": "n"}), shared=True)
    def pack(tx: Tx, call: Named) -> Done:
        """Pack what is named."""
        return Done(room=call.name)

    assert table.find("pack", []).room == "attic"
    assert table.find("pack", ["name"]).room == table.resolve("pack", {"name": "n", "label": "l"})[0].room == "cellar"
    with pytest.raises(InvalidOperation, match="several rooms"):
        table.find("pack", ["label"])


@pytest.mark.parametrize("shares", [(True, False), (False, True)])
def test_a_shared_name_must_be_said_to_be_shared_by_all(table: Table, room: Room, shares: tuple[bool, bool]):
    cellar = Room("cellar", summary="More old things.", table=table)

    declare(room, "pack", shared=shares[0])

    with pytest.raises(ValueError, match="not all of them say that it is shared"):
        declare(cellar, "pack", shared=shares[1])


def test_every_operation_is_found_by_its_name_by_its_tools_name_and_with_its_room(table: Table, room: Room):
    declare(room, "box.open")

    assert {table.find(name).name for name in ("box.open", "box_open", "attic.box.open")} == {"box.open"}
    assert table.family("box") == ["open"]
    assert not table.family("open")


def test_one_that_is_hidden_is_in_no_list_and_can_be_called(table: Table, room: Room):
    declare(room, "sweep", hidden=True)

    assert table.shown_in("all") == {}
    assert table.find("sweep").name == "sweep"


def test_an_argument_is_completed_by_its_own_room_only(table: Table, room: Room):
    room.completion("boxId", lambda tx, typed, limit: ["of the attic"])

    assert table.completion("boxId", "attic") is not None
    assert table.completion("boxId", "cellar") is None


def with_rooms(table: Table, count: int) -> None:
    """A table as it will be: many rooms, with lines of their own."""
    for number in range(count):
        room = Room(f"room{number}", summary="s", gateway=f"room{number}: {'x' * 390}", table=table)
        for verb in range(30):
            declare(room, f"verb{number}_{verb}")


def test_the_gateway_says_what_rooms_declare_and_stays_short_however_many_there_are(table: Table):
    with_rooms(table, 9)

    said = gateway_text.described(table, Focus())

    assert len(table.operations) == 270
    assert len(said) <= gateway_text.LONGEST
    assert "room0: xxx" in said
    assert said.endswith("Also the rooms room1, room2, room3, room4, room5, room6, room7, room8.")


def test_finding_an_operation_takes_the_same_time_however_many_there_are(table: Table):
    with_rooms(table, 9)

    assert table._by_any_name["verb8_29"] is table.look_up("verb8_29")
    assert table.family("verb8_29") == ()
