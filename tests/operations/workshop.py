"""A room that only these tests know, on an engine of its own: verbs that call each other, fail, and work in slices."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from tests.support.box import WORKSPACE, ticking_world
from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Engine
from thoughtbox.errors import InvalidPayload, PhaseViolation
from thoughtbox.ledger.answers import Answers
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft
from thoughtbox.ledger.replay import ensure
from thoughtbox.ledger.view import Views
from thoughtbox.operations import Example, Input, Output, Room, Slices, Steps, Tx
from thoughtbox.operations.caller import Caller, Focus, Landing
from thoughtbox.operations.dispatch import Call, Dispatcher
from thoughtbox.operations.registry import Table
from thoughtbox.search.texts import Texts

TOPIC = "workshop.piece"


class Piece(Input):
    text: str


class Made(Output):
    id: str
    count: int


class Several(Input):
    texts: list[str]
    tolerant: bool = False


class SeveralMade(Output):
    ids: list[str]
    refused: list[str]


class Nothing(Input):
    pass


class Counted(Output):
    count: int


class Search(Input):
    query: str


class Results(Output):
    found: list[int]


@dataclass(frozen=True, slots=True)
class Bench:
    """What the room remembers of a caller: the piece that lies on its bench."""

    piece: str = ""


def table() -> Table:
    table = Table()
    room = Room("workshop", summary="Pieces.", remembers=Bench, table=table)
    other = Room("yard", summary="Another room.", table=table)

    @room.operation("make", example=Example({"text": "t"}), writes=True)
    def make(tx: Tx, call: Piece) -> Made:
        """Make a piece, and lay it on the bench. One that is called `bad` breaks after it was made."""
        record = tx.append(Draft(kind="observation", topic=TOPIC, text=call.text, session="s"), stream="pieces")
        tx.focus_on(Bench(call.text))
        if call.text == "bad":
            raise InvalidPayload("it broke", recovery="Make another.", details={"field": "text"})
        return Made(id=record.id, count=tx.ledger.last_seq())

    @room.operation("try_the_lock", example=Example({"text": "t"}), writes=True, errors=[PhaseViolation])
    def try_the_lock(tx: Tx, call: Piece) -> Made:
        """Make a piece where nobody may: it is not made, but that it was tried is kept."""
        tx.call("make", {"text": call.text})
        raise PhaseViolation("it is locked", leaves=lambda tx: tx.call("make", {"text": f"{call.text} was tried"}))

    @other.operation("make_several", example=Example({"texts": ["t"]}), writes=True)
    def make_several(tx: Tx, call: Several) -> SeveralMade:
        """Have pieces made by the other room."""
        ids, refused = [], []
        for text in call.texts:
            try:
                ids.append(tx.call("make", {"text": text})["id"])
            except InvalidPayload as error:
                if not call.tolerant:
                    raise
                refused.append(error.message)
        return SeveralMade(ids=ids, refused=refused)

    @other.operation("make_together", example=Example({"texts": ["t"]}), writes=True)
    def make_together(tx: Tx, call: Several) -> SeveralMade:
        """The same, all of them or none; a tolerant one passes over what it must not."""
        with tx.together():
            return make_several(tx, call)

    @other.operation("make_tolerantly_together", example=Example({"texts": ["t"]}), writes=True)
    def make_tolerantly_together(tx: Tx, call: Several) -> SeveralMade:
        """One call that passes over what fails inside of it, which is its own affair."""
        with tx.together():
            return SeveralMade(**tx.call("make_several", {"texts": call.texts, "tolerant": True}))

    @other.operation("nest", example=Example({"texts": ["t"]}), writes=True)
    def nest(tx: Tx, call: Several) -> Made:
        """Make a piece for every text, each inside the call for the one before."""
        if len(call.texts) > 1:
            tx.call("nest", {"texts": call.texts[1:]})
        return Made(**tx.call("make", {"text": call.texts[0]}))

    @room.operation("count", example=Example({}))
    def count(tx: Tx, call: Nothing) -> Counted:
        """How many pieces there are."""
        return Counted(count=tx.ledger.last_seq())

    @room.operation("find", example=Example({"query": "q"}), fresh=(Texts,))
    def find(tx: Tx, call: Search) -> Results:
        """Find pieces."""
        return Results(found=sorted(hit.seq for hit in tx.ask(Texts).find(call.query).hits))

    @other.operation("make_and_find", example=Example({"text": "t"}), writes=True)
    def make_and_find(tx: Tx, call: Piece) -> Results:
        """Make a piece, and find it at once."""
        tx.call("make", {"text": call.text})
        return Results(**tx.call("find", {"query": call.text}))

    @other.operation("look_and_make", example=Example({"text": "t"}))
    def look_and_make(tx: Tx, call: Piece) -> Made:
        """Say that it only reads, and try to write."""
        return Made(**tx.call("make", {"text": call.text}))

    @other.operation("look_and_find", example=Example({"query": "q"}))
    def look_and_find(tx: Tx, call: Search) -> Results:
        """Ask for what must have caught up, without having said so."""
        return Results(**tx.call("find", {"query": call.query}))

    @room.operation("make_in_slices", example=Example({"texts": ["t"]}), writes=True)
    def make_in_slices(slices: Slices, call: Several) -> Steps[SeveralMade]:
        """Make pieces, each in a transaction of its own."""
        before: int = yield slices.read(lambda tx: tx.ledger.last_seq())
        ids: list[str] = []
        for done, text in enumerate(call.texts, 1):
            made = yield slices.write(lambda tx, text=text: tx.call("make", {"text": text}))
            ids.append(made["id"])
            slices.report(done, len(call.texts))
        after: int = yield slices.read(lambda tx: tx.ledger.last_seq(), long=True)
        return SeveralMade(ids=ids, refused=[f"{after - before} records more"])

    return table


class Workshop:
    """The operations above, on an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.world = ticking_world()
        self.views = Views([Answers, Texts])
        ensure(engine, self.views)
        self.dispatcher = Dispatcher(
            engine, self.views, world=self.world, keyring=Keyring(None, self.world), table=table()
        )
        self.focus = Focus()

    def submit(self, operation: str, *, agent: str = "mia", here: bool = False, **more: Any) -> Future[dict[str, Any]]:
        options = {name: more.pop(name) for name in ("key", "as_of", "progress", "landing", "focus") if name in more}
        caller = Caller(agent=agent, transport="test")
        return self.dispatcher.submit(
            Call(operation=operation, workspace=WORKSPACE, arguments=more, caller=caller, **options), here=here
        )

    def call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return self.submit(operation, **arguments).result(PATIENCE)

    def landed(self, operation: str, **arguments: Any) -> Focus:
        """The focus that a call comes to."""
        landing = Landing()
        self.call(operation, landing=landing, focus=self.focus, **arguments)
        assert landing.focus is not None
        return landing.focus

    def records(self) -> list[Any]:
        """All that was written: text, and where it came from."""
        return self.engine.read(
            lambda sql: [
                (record.text, record.envelope["source"]) for record in Ledger(sql, WORKSPACE, self.views).tail(0)
            ]
        ).result(PATIENCE)
