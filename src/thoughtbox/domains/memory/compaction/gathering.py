"""Finding what an agent was doing: in this room's records, and in the other rooms by what they answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.domains.memory.compaction.packing import Section, packed, spelled
from thoughtbox.domains.memory.cycle.packing import experiences_of
from thoughtbox.domains.memory.cycle.steps import Ahead, ahead
from thoughtbox.domains.memory.episodes.episode import Episode, seen_from
from thoughtbox.domains.memory.knowledge.experience import Experience
from thoughtbox.domains.memory.quoting import PREAMBLE, one_line, quoted
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.host_notes import HostNote, HostNotes
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.domains.memory.view.sessions import Invocation, Session, Sessions
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import Tx, redacted

PROMPTS, CELLS, EPISODES, FILES, COMMANDS = 3, 4, 3, 8, 4
CALLS_LOOKED_AT = 60
SESSIONS_LOOKED_AT = 5
NOTES_LOOKED_AT = 50
WORDS_SEARCHED = 8
WORDS_LOOKED_AT = 20
SCOPES = seen_from("project")
STABLE = "stable"

_WORD = re.compile(r"\w{3,30}")


class Doing(NamedTuple):
    """What is known of a host's session, and of what was done beside it."""

    prompts: Sequence[HostNote]
    said: HostNote | None
    """What the agent had last said when a compaction came."""
    cycle: Session | None
    """The newest guarded cycle that is not finished."""
    calls: Sequence[Invocation]
    thoughts: Mapping[str, Any] | None
    task: Mapping[str, Any] | None

    @property
    def is_known(self) -> bool:
        """Whether this host's session has left anything."""
        return bool(self.prompts or self.said or self.cycle or self.calls)


def doing(tx: Tx, client: str, host_session: str) -> Doing:
    notes = tx.ask(HostNotes)
    return Doing(
        prompts=notes.newest(client, host_session, "prompt", PROMPTS),
        said=next((note for note in notes.newest(client, host_session, "compaction", 1) if note.text), None),
        cycle=unfinished(tx, client, host_session),
        calls=_calls(tx, client, host_session),
        thoughts=_answer(tx, "session.brief", {"sessionId": "latest", "maxChars": 1_000}),
        task=_answer(tx, "tasks_radar", {}),
    )


def unfinished(tx: Tx, client: str, host_session: str) -> Session | None:
    """The newest cycle of a host's session that was begun, is open, and not at its end."""
    return next((session for session in _open(tx, client, host_session) if _is_under_way(session)), None)


def finished(tx: Tx, client: str, host_session: str, limit: int) -> list[int]:
    """The open sessions of a host's session in which no cycle is under way, in the order they were begun."""
    found = [session.session_id for session in _open(tx, client, host_session) if not _is_under_way(session)]
    return sorted(found)[:limit]


def _open(tx: Tx, client: str, host_session: str) -> list[Session]:
    """The open sessions that a host's session has worked on, the newest first: its own, and those of its cycles."""
    view = tx.ask(Sessions)
    noted = tx.ask(HostNotes).newest(client, host_session, "cycle", NOTES_LOOKED_AT)
    own = view.of_host(client, host_session)
    ids = {note.cycle for note in noted if note.cycle is not None} | ({own.session_id} if own is not None else set())
    found = [view.session(id) for id in sorted(ids, reverse=True)]
    return [session for session in found if session is not None and session.closed_at is None]


def _is_under_way(session: Session) -> bool:
    return bool(session.done) and ahead(session).phase is not None


def _calls(tx: Tx, client: str, host_session: str) -> list[Invocation]:
    """The newest tool calls, over the last sessions: one is closed with every answer."""
    view, found = tx.ask(Sessions), list[Invocation]()
    for id in view.ids_of_host(client, host_session, SESSIONS_LOOKED_AT):
        found += view.newest_invocations(id, CALLS_LOOKED_AT - len(found))
    return found


def _answer(tx: Tx, operation: str, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What another room says; nothing where it has nothing to say."""
    try:
        return tx.call(operation, arguments)
    except ThoughtboxError:
        return None


class Pack(NamedTuple):
    """What an agent is told, and the call that it goes on with."""

    text: str
    next_call: dict[str, Any]


def pack(tx: Tx, client: str, host_session: str, *, how: str, longest: int) -> Pack:
    """All of it within so many characters. `how` says how calls are sent."""
    found = doing(tx, client, host_session)
    coming = ahead(found.cycle) if found.cycle is not None else None
    call = _next_call(found, coming)
    head = f"From Thoughtbox, what this session was doing. {PREAMBLE}"
    go_on = f"{how} Go on with {spelled(call)}"
    sections = [*_sections(found, coming), *known(tx, found.prompts)]
    return Pack(packed(head, sections, go_on, longest), call)


def _sections(found: Doing, coming: Ahead | None) -> Iterator[Section]:
    asked = [quoted(redacted(note.text), source="prompt", trust=2, longest=240) for note in found.prompts]
    yield Section("The user asked, the newest first:", asked)
    if found.said is not None:
        yield Section("You last said:", [quoted(redacted(found.said.text), source="agent", trust=1, longest=280)])
    if found.cycle is not None and coming is not None:
        yield Section(
            "Guarded cycle:",
            [f"Memory session {found.cycle.session_id} stands at {found.cycle.last_phase}. {coming.step}"],
        )
    files, commands = _touched(found.calls)
    yield Section(
        "Files you wrote:", [quoted(", ".join(files), source="tool calls", trust=1, longest=280)] if files else []
    )
    yield Section("Commands you ran, the newest first:", commands)
    yield Section("Task in focus:", list(_task(found.task)))
    yield Section("Thoughts:", list(_thoughts(found.thoughts)))


def _touched(calls: Sequence[Invocation]) -> tuple[list[str], list[str]]:
    files: dict[str, None] = {}
    commands: dict[str, None] = {}
    for call in calls:
        meta = json.loads(call.meta_json)
        for file in meta.get("files", ()):
            files.setdefault(one_line(str(file), 100))
        if isinstance(command := meta.get("command"), str):
            failed = ", failed" if meta.get("failed") else ""
            commands.setdefault(quoted(command, source=f"{call.tool_name}{failed}", trust=1, longest=120))
    return list(files)[:FILES], list(commands)[:COMMANDS]


def _task(radar: Mapping[str, Any] | None) -> Iterator[str]:
    if not radar or not radar.get("focus") or not radar.get("radar"):
        return
    told = radar["radar"]
    yield quoted(str(told.get("now", "")), source=str(radar["focus"]), trust=1)
    yield from (quoted(str(step), source="next step", trust=1) for step in told.get("next", ())[:1])


def _thoughts(brief: Mapping[str, Any] | None) -> Iterator[str]:
    if not brief:
        return
    title, thoughts = str(brief.get("title", "")), brief.get("thoughtCount", 0)
    yield quoted(title, source=f"session of {thoughts} thoughts, changed {brief.get('updatedAt')}", trust=1)
    for name, what in (("decisions", "decision"), ("openQuestions", "open question")):
        yield from (quoted(str(line), source=what, trust=1) for line in brief.get(name, ())[:1])
    last = brief.get("lastThoughts") or ()
    yield from (quoted(str(thought.get("thought", "")), source="last thought", trust=1) for thought in last[-1:])


def known(tx: Tx, prompts: Sequence[HostNote] = ()) -> list[Section]:
    """What memory holds and is worth most: policies and what is stable, then what happened, that asked about first."""
    semantic = tx.ask(Semantic)
    policies = semantic.policies(SCOPES)
    stable = [cell for cell in semantic.cells(SCOPES, limit=CELLS * 2) if cell.state == STABLE and cell not in policies]
    cells = [*policies, *stable][:CELLS]
    episodes = _about(tx, prompts)
    told = experiences_of(tx, episodes)
    return [
        Section("Known here:", [quoted(cell.body, source=cell.source, trust=cell.trust) for cell in cells]),
        Section("Happened before:", [_happened(episode, told.get(episode.about)) for episode in episodes]),
    ]


def _about(tx: Tx, prompts: Sequence[HostNote]) -> list[Episode]:
    """The best episodes that have a word of the prompts among their keys, and then the best of all."""
    view = tx.ask(Episodes)
    words = [word.lower() for note in prompts for word in _WORD.findall(note.text)[:WORDS_LOOKED_AT]]
    asked = view.best(SCOPES, keys=list(dict.fromkeys(words)), limit=EPISODES) if words else []
    known = {episode.experience_id for episode in asked}
    return [*asked, *(each for each in view.best(SCOPES, limit=EPISODES) if each.experience_id not in known)][:EPISODES]


def _happened(episode: Episode, experience: Experience | None) -> str:
    said = episode.summary if experience is None else f"{one_line(episode.summary, 120)} → {experience.approach}"
    named = f", {episode.about}" if experience is not None else ""
    return quoted(said, source=f"{episode.source}, {episode.outcome}{named}", trust=episode.trust, longest=260)


def _next_call(found: Doing, coming: Ahead | None) -> dict[str, Any]:
    """The call that leads on from here; one that succeeds as it stands."""
    if found.cycle is not None:
        status = {"operation": "memory_session_status", "session_id": found.cycle.session_id}
        return dict(coming.call) if coming is not None and coming.call is not None else status
    if found.task and found.task.get("focus"):
        return {"operation": "tasks_radar"}
    if found.thoughts:
        return {"operation": "session.resume_latest"}
    if found.prompts:
        words = _WORD.findall(redacted(found.prompts[0].text))[:WORDS_SEARCHED]
        return {"operation": "search_experiences", "query": " ".join(words) or found.prompts[0].kind}
    return {"operation": "session_pack"}
