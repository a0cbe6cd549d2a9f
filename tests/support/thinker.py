"""Clients of the thoughts room, in this process: each has a connection of its own, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tests.support.box import WORKSPACE, Box
from thoughtbox.domains.thoughts.standing import Standing
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations.caller import Caller, Landing, Root
from thoughtbox.operations.dispatch import Call

Answer = dict[str, Any]


class Client:
    """Calls operations by name: `mia.start_new(sessionTitle="…")`, `mia.session_get()`, `mia.call("session.get")`.

    One that is `stateless` has a new connection for every call, and names its session each time.
    """

    def __init__(
        self,
        box: Box,
        *,
        stateless: bool = False,
        workspace: str = WORKSPACE,
        agent: str = "mia",
        roots: Sequence[Root] | None = None,
    ) -> None:
        self.box = box
        self.workspace = workspace
        self.focus = box.app.first_focus("none" if stateless else "connection")
        self.roots = roots
        self.caller = Caller(agent=agent, transport="test")
        self._turn = ThreadPoolExecutor(1)

    @property
    def standing(self) -> Standing:
        return self.focus.of(Standing)

    @property
    def session_id(self) -> str:
        """The session that the connection works on."""
        assert self.standing.session_id is not None
        return self.standing.session_id

    @property
    def stage(self) -> int:
        return self.standing.stage

    def submit(self, operation: str, /, **arguments: Any) -> Future[Answer]:
        """Send a call without waiting for those before it. As at every door, they run in the order sent."""
        return self._turn.submit(self._run, operation, **arguments)

    def call(self, operation: str, /, **arguments: Any) -> Answer:
        return self._run(operation, **arguments)

    def _run(self, operation: str, /, *, as_of: int | None = None, key: str | None = None, **arguments: Any) -> Answer:
        if as_of is not None and "as_of" in self.box.app.dispatcher.table.find(operation).input.model_fields:
            arguments, as_of = {**arguments, "as_of": as_of}, None  # it has one of its own
        return self.send(operation, arguments, as_of=as_of, key=key)

    def send(self, operation: str, arguments: Answer, *, as_of: int | None = None, key: str | None = None) -> Answer:
        """A call with these arguments, whatever they are called."""
        landing = Landing()
        call = Call(
            operation=operation,
            workspace=self.workspace,
            arguments=arguments,
            caller=self.caller,
            focus=self.focus,
            landing=landing,
            roots=self.roots,
            as_of=as_of,
            key=key,
        )
        answer = self.box.app.dispatcher.call(call)
        if landing.focus is not None and landing.focus.lasts:
            self.focus = landing.focus
        return answer

    def refusal(self, operation: str, /, **arguments: Any) -> ThoughtboxError | None:
        """Why a call is refused; none when it is not."""
        try:
            self.call(operation, **arguments)
        except ThoughtboxError as refused:
            return refused
        return None

    def __getattr__(self, operation: str) -> Callable[..., Answer]:
        if operation.startswith("_"):
            raise AttributeError(operation)
        return lambda **arguments: self.call(operation, **arguments)

    def gateway(self, **arguments: Any) -> Answer:
        return self.call("thoughtbox_gateway", **arguments)

    def think(self, text: str = "so it is", /, **arguments: Any) -> Answer:
        return self.call("thought", thought=text, **arguments)

    def ready(self, **arguments: Any) -> Client:
        """Begins a session and loads the cipher."""
        self.call("start_new", **{"sessionTitle": "Slow pages", **arguments})
        self.call("cipher")
        return self

    def records(self) -> int:
        """How many records the workspace has."""
        return self.call("ledger_status")["records"]

    def pages(self, operation: str, /, **arguments: Any) -> Iterator[Answer]:
        """All pages of an answer, each asked for with the cursor of the one before."""
        cursor: dict[str, str] = {}
        while True:
            page = self.call(operation, **arguments, **cursor)
            yield page
            if "cursor" not in page:
                return
            cursor = {"cursor": page["cursor"]}

    def exported(self, form: str = "json", **arguments: Any) -> str:
        """A whole session as text, put together from its pieces."""
        pieces = self.pages("session.export", format=form, **arguments)
        return "".join(piece["content"] for piece in pieces)
