"""What hooks do with the store: bring in what was taken down, give back what was done, validate and close."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thoughtbox import domains
from thoughtbox.app import Thoughtbox
from thoughtbox.domains.memory.configuration import gates
from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.domains.memory.quoting import one_line
from thoughtbox.domains.memory.tokens.files import sweep
from thoughtbox.doors.hooks.host import SILENCE, Answer, Place, Told, context, notice, refusal
from thoughtbox.doors.hooks.spool import Spool
from thoughtbox.doors.hooks.texts import chores, how_to_call, left_by_the_installation, project_context, text
from thoughtbox.doors.hooks.transcripts import last_said
from thoughtbox.errors import LedgerError, StorageError, ThoughtboxError, ValidationFailed
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.redaction import redacted
from thoughtbox.settings import load

TRANSPORT = "hook"
LONGEST_SAID = 500
MOST_ROUNDS = 100
CYCLES_CLOSED = 20


@dataclass(frozen=True, slots=True)
class Store:
    """The store that goes with a project, and who asks."""

    box: Thoughtbox
    place: Place
    client: str
    host_session: str

    def call(self, operation: str, arguments: Mapping[str, Any], *, key: str | None = None) -> dict[str, Any]:
        caller = Caller(agent=self.box.settings.agent or self.client, transport=TRANSPORT)
        return self.box.dispatcher.call(
            Call(operation=operation, workspace=self.place.workspace, arguments=arguments, caller=caller, key=key)
        )

    @property
    def who(self) -> dict[str, str]:
        return {"client": self.client, "host_session": self.host_session}

    def bring_in(self, *, waits: bool) -> None:
        """Write what hooks have taken down, in order, each line once."""
        spool = Spool(self.place)
        for _ in range(MOST_ROUNDS):
            with spool.taken(waits=waits) as lines:
                if not lines:
                    return
                for line in lines:
                    self._write(line)

    def _write(self, line: Mapping[str, Any]) -> None:
        try:
            WRITTEN[line["kind"]](self, line)
        except (StorageError, LedgerError):
            raise  # it is kept, and comes in when the store is well
        except (ThoughtboxError, KeyError):
            pass  # a line that no store would ever take must not keep those behind it waiting

    def write_invocation(self, line: Mapping[str, Any]) -> None:
        who = {name: line[name] for name in ("client", "host_session")}
        told = {name: line[name] for name in ("tool_name", "input_hash", "output_hash", "ts", "meta")}

        def record() -> None:
            session = self.call("memory_host_session", who)["session_id"]
            self.call("record_invocation", {"session_id": session, **told}, key=line["key"])

        try:
            record()
        except ValidationFailed:
            record()  # an answer may end between the two, and its session with it: the next one is begun then

    def write_note(self, line: Mapping[str, Any]) -> None:
        self.call("memory_host_note", {name: line[name] for name in line if name != "key"}, key=line["key"])


WRITTEN: dict[str, Callable[[Store, Mapping[str, Any]], None]] = {
    "invocation": Store.write_invocation,
    "prompt": Store.write_note,
    "cycle": Store.write_note,
}


@contextmanager
def opened(told: Told, *, waits: bool = True) -> Generator[Store]:
    """The store, with all that waited for it."""
    place = told.place
    root = {} if place.root is None else {"project_root": str(place.root)}
    settings = load(None, data_dir=str(place.data_dir), project=place.workspace, **root)
    domains.known()
    with Thoughtbox(settings) as box:
        store = Store(box, place, told.client, told.host_session)
        store.bring_in(waits=waits)
        yield store


def drain(told: Told) -> Answer:
    """Bring in what waits, unless somebody is at it."""
    with opened(told, waits=False):
        return SILENCE


def session_start(told: Told) -> Answer:
    """Give an agent back what it was doing; a session that begins is told of the project and of what is known."""
    root = told.place.root
    if root is None:
        return SILENCE
    begins = told.text("source") in ("startup", "clear", "")
    with opened(told) as store:
        calls = "tools" if told.takes_tools else "gateway"
        found = store.call("session_pack", {**store.who, "starts": True, "calls": calls})
    told_first = (left_by_the_installation(root), chores(root), project_context(root)) if begins else ()
    parts = [*told_first, found["pack"]]
    return context("SessionStart", "\n\n".join(filter(None, parts)))


def pre_compact(told: Told) -> Answer:
    """Save what an agent was doing. Nothing is said: what a hook says here is an order to whoever sums up."""
    if told.place.root is None:
        return SILENCE
    said = one_line(redacted(last_said(Path(told.text("transcript_path")))), LONGEST_SAID)
    with opened(told) as store:
        store.call(
            "save_before_compaction", {**store.who, "trigger": told.text("trigger")[:40] or "auto", "said": said}
        )
    return SILENCE


def stop(told: Told) -> Answer:
    """Validate and close what the agent did; a cycle that it left in the middle holds it back once, if that is strict.

    Session tokens live on: an answer's end is not the end of the work.
    """
    root = told.place.root
    if root is None:
        return SILENCE
    folder = ProjectFolder(root)
    with opened(told) as store:
        if not folder.config.exists():
            return SILENCE
        sweep(folder, time.time_ns() // 1_000_000)
        left = store.call("memory_host_unfinished", store.who)
        if left["session_id"] is not None and _is_strict(folder) and told.input.get("stop_hook_active") is not True:
            return refusal(_unfinished(told, left))
        closed = [store.call("memory_host_close", {"session_id": id}) for id in _finished(store)]
    said = [*map(_closed, closed), *([_unfinished(told, left)] if left["session_id"] is not None else [])]
    return notice("\n".join(said)) if said else SILENCE


def _finished(store: Store) -> list[int]:
    """The sessions of this host that can be closed: cycles that are at their end, and the host's own session."""
    return store.call("memory_host_finished", {**store.who, "limit": CYCLES_CLOSED})["sessions"]


def _is_strict(folder: ProjectFolder) -> bool:
    return any(gate.level == "strict" and gate.required_tools for gate in gates(folder))


def _unfinished(told: Told, left: Mapping[str, Any]) -> str:
    from thoughtbox.domains.memory.compaction.packing import spelled

    call = left["next_call"] or {"operation": "memory_session_status", "session_id": left["session_id"]}
    return text(
        "unfinished",
        session=str(left["session_id"]),
        phase=str(left["phase"]),
        step=str(left["step"]),
        how=how_to_call(takes_tools=told.takes_tools),
        call=spelled(call),
    )


def _closed(closed: Mapping[str, Any]) -> str:
    named = f"Thoughtbox: memory session {closed['session_id']}"
    if not closed["valid"]:
        return f"{named} does not validate: {'; '.join(closed['errors'])}."
    counted = f"{closed['chain_count']} tool calls" if closed["chain_count"] != 1 else "1 tool call"
    token = " and a session token" if closed["token"] else ""
    return f"{named} is valid ({counted}): receipt {closed['receipt']['id']}{token}."
