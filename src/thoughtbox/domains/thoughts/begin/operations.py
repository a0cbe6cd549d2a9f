"""Finding one's place: begin a session or go on with one, say what it is about, learn the cipher."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from thoughtbox import content
from thoughtbox.domains.thoughts.answers import SessionShown
from thoughtbox.domains.thoughts.arguments import LONGEST_PLACE
from thoughtbox.domains.thoughts.begin.models import (
    BindRoot,
    CipherLoaded,
    ContextLoaded,
    GetState,
    ListRoots,
    LoadCipher,
    LoadContext,
    Navigate,
    Navigation,
    ProjectCount,
    Resumable,
    RootBound,
    RootShown,
    RootsListed,
    SessionStarted,
    StartNew,
    State,
)
from thoughtbox.domains.thoughts.brief import fill, notation
from thoughtbox.domains.thoughts.events import change, start
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.numbers import next_number
from thoughtbox.domains.thoughts.resume import attach, in_short, next_step, reach
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.scope import current, existing, latest_session, own_session
from thoughtbox.domains.thoughts.sessions.listing import ListSessions, SessionsListed, listed
from thoughtbox.domains.thoughts.stages import (
    CIPHER_LOADED,
    DOMAIN_ACTIVE,
    ENTRY,
    NAMES,
    RESUME,
    at,
    stage_needed,
    stage_of,
    unlocking,
)
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE, move, standing, work_at
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import InvalidOperation, InvalidPayload, SessionNotFound
from thoughtbox.ledger.record import present
from thoughtbox.operations import TABLE, Example, Tx
from thoughtbox.search.texts import Texts

T = TypeVar("T")

MOST_PROJECTS = 20
RELATED = 10
_STARTED = ("start_new", {"sessionTitle": "Slow pages", "project": "shop"})
_LATEST = {"sessionId": "latest"}


@room.operation(
    "get_state", title="See where you are", errors=[SessionNotFound], example=Example(_LATEST, given=[_STARTED])
)
def get_state(tx: Tx, call: GetState) -> State:
    """The stage, the current session, and what can be done from here."""
    if call.session_id is None:
        _let_go_of_deleted(tx)
    session_id = call.session_id or own_session(tx)
    session = existing(tx, session_id) if session_id else None
    stage = stage_of(tx, call.session_id)
    latest = latest_session(tx) if session is None else None
    return State(
        stage=stage,
        stage_name=NAMES[stage],
        workspace=tx.workspace,
        session=SessionShown.of(session) if session else None,
        navigation=session.place if session else dict(standing(tx).place),
        available=_available(stage if tx.focus.lasts else DOMAIN_ACTIVE),
        resumable=_resumable(latest) if latest is not None else None,
        next=next_step(tx, session, stage) if session else RESUME if latest else unlocking(ENTRY, None),
    )


@room.operation(
    "start_new",
    writes=True,
    title="Begin a session",
    example=Example({"sessionTitle": "Slow pages", "domain": "debugging"}),
)
def start_new(tx: Tx, call: StartNew) -> SessionStarted:
    """Begin a session and work on it. The cipher comes next, then thoughts."""
    title = _one_of({"sessionTitle": call.session_title, "title": call.title})
    tags = _one_of({"sessionTags": call.session_tags, "tags": call.tags})
    named = {"project": call.project, "task": call.task, "aspect": call.aspect, "domain": call.domain}
    place = {**standing(tx).place, **present(named)}
    session = start(tx, title=title, tags=tags or (), description=call.description, place=place)
    move(tx, session.id, INIT_COMPLETE)
    return SessionStarted(
        session_id=session.id,
        title=session.title,
        stage=INIT_COMPLETE,
        stage_name=NAMES[INIT_COMPLETE],
        next=unlocking(INIT_COMPLETE, session.id),
    )


@room.operation(
    "load_context",
    writes=True,
    title="Go on with a session",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=[_STARTED]),
)
def load_context(tx: Tx, call: LoadContext) -> ContextLoaded:
    """Work on an earlier session: what it has come to, in brief. The next thought lands in it."""
    session = attach(tx, call.session_id)
    stage = standing(tx).stage if tx.focus.lasts else session.stage
    loaded = ContextLoaded(
        session_id=session.id,
        session=in_short(session),
        stage=stage,
        stage_name=NAMES[stage],
        thought_count=session.thought_count,
        next=next_step(tx, session, stage),
    )
    fill(tx, session, loaded, call.max_chars)
    return loaded


@room.operation(
    "list_sessions",
    title="List sessions",
    fresh=(Texts,),
    newest_first=frozenset({"sessions"}),
    example=Example({"limit": 5}, given=[_STARTED]),
)
def list_sessions(tx: Tx, call: ListSessions) -> SessionsListed:
    """Sessions, newest first: of all these tags, a project, task or aspect; by `search` in thoughts too, best first."""
    return listed(tx, call)


@room.operation(
    "navigate",
    writes=True,
    effect="overwrites",
    title="Say what you work on",
    errors=[SessionNotFound],
    example=Example({**_LATEST, "domain": "debugging"}, given=[_STARTED]),
)
def navigate(tx: Tx, call: Navigate) -> Navigation:
    """Say which project, task and aspect you work on, or which domain; see the sessions there are."""
    given = {"project": call.project, "task": call.task, "aspect": call.aspect, "domain": call.domain}
    named = present(given)
    session, remembered = _remember(tx, call.session_id, named)
    if session is not None and session.domain is not None:
        session = _raise_stage(tx, session, call.session_id)
    navigation = session.place if session else dict(standing(tx).place)
    where = {name: navigation[name] for name in ("project", "task", "aspect") if name in navigation}
    stage = stage_of(tx, call.session_id)
    view = tx.ask(Thoughts)
    return Navigation(
        stage=stage,
        stage_name=NAMES[stage],
        navigation=navigation,
        remembered=remembered,
        sessions=[SessionShown.of(found) for found in view.sessions(where=where, limit=RELATED)] if where else [],
        projects=None
        if "project" in where
        else [ProjectCount(name=name, sessions=count) for name, count in view.values("project", MOST_PROJECTS)],
    )


@room.operation("list_roots", title="List the client's root directories", needs_roots=True, example=Example({}))
def list_roots(tx: Tx, call: ListRoots) -> RootsListed:
    """The directories that the client says it works in."""
    if tx.roots is None:
        return RootsListed(
            supported=False,
            roots=[],
            message="This client does not tell its roots. Name the project instead: navigate with project.",
        )
    bound = _bound_root(tx, call.session_id)
    return RootsListed(
        supported=True, roots=[RootShown(uri=root.uri, name=root.name, bound=root.uri == bound) for root in tx.roots]
    )


@room.operation(
    "bind_root",
    writes=True,
    effect="overwrites",
    title="Bind a root directory as the project",
    needs_roots=True,
    errors=[InvalidOperation, SessionNotFound],
    example=Example({"rootUri": "file:///home/me/shop"}, fails_with=InvalidOperation),
)
def bind_root(tx: Tx, call: BindRoot) -> RootBound:
    """Take one of the client's root directories as the project: sessions begun from now on belong to it."""
    _bound_root(tx, call.session_id)  # a session that is not there is told first
    if tx.roots is None:
        session = present({"sessionId": call.session_id})
        named = {"operation": "navigate", "project": _last_part(call.root_uri)[:LONGEST_PLACE], **session}
        raise InvalidOperation(
            "this client does not tell its roots, so none can be bound",
            recovery=f"Name the project instead: {json.dumps(named, ensure_ascii=False)}.",
        )
    root = next((root for root in tx.roots if root.uri == call.root_uri), None)
    if root is None:
        raise InvalidPayload(
            "rootUri is none of the client's roots",
            recovery=f"They are {', '.join(root.uri for root in tx.roots[:10]) or 'none at all'}.",
            details={"fields": ["rootUri"]},
        )
    project = root.name or _last_part(root.uri)
    _, remembered = _remember(tx, call.session_id, {"root": root.uri, "project": project})
    return RootBound(bound_root=root.uri, project=project, remembered=remembered)


@room.operation(
    "cipher",
    writes=True,
    guard=at(INIT_COMPLETE),
    title="Load the cipher",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=[_STARTED]),
)
def cipher(tx: Tx, call: LoadCipher) -> CipherLoaded:
    """The notation for thoughts. Loading it, in full or in brief, opens thought, read_thoughts and mental_models."""
    session = current(tx, call.session_id)
    session = _raise_stage(tx, session, call.session_id, at_least=CIPHER_LOADED)
    stage = stage_of(tx, call.session_id)
    return CipherLoaded(
        session_id=session.id,
        stage=stage,
        stage_name=NAMES[stage],
        cipher=notation() if call.brief else content.text("cipher.md"),
        next_thought_number=next_number(tx.ask(Thoughts), session.id),
        next=next_step(tx, session, CIPHER_LOADED),
    )


def _resumable(session: Session) -> Resumable:
    return Resumable(
        session_id=session.id,
        title=session.title,
        thought_count=session.thought_count,
        updated_at=session.updated_at,
        call=RESUME,
    )


def _one_of(given: Mapping[str, T | None]) -> T | None:
    """What an argument says that has two names; refused when both are given, and differ."""
    said = present(given)
    first = next(iter(said.values()), None)
    if any(value != first for value in said.values()):
        raise InvalidPayload(
            f"{' and '.join(f'`{name}`' for name in said)} are given, and differ",
            recovery=f"Send {next(iter(said))} alone.",
            details={"fields": list(said)},
        )
    return first


def _let_go_of_deleted(tx: Tx) -> None:
    """Somebody else may have deleted the session that a connection works on: it then works on none."""
    own = standing(tx).session_id
    session = Thoughts(tx.sql, tx.workspace).session(own) if own is not None else None
    if session is not None and session.deleted:
        move(tx, None, ENTRY)


def _available(stage: int) -> list[str]:
    """What is open at this stage: families of operations once, or what is open of them."""
    ours = [operation for operation in TABLE.known.values() if operation.room == room.name and not operation.hidden]
    closed = {operation.name.partition(".")[0] for operation in ours if stage_needed(operation) > stage}
    names = (operation.name for operation in ours if stage_needed(operation) <= stage)
    families = ((name, name.partition(".")[0]) for name in names)
    return list(dict.fromkeys(name if family in closed else family for name, family in families))


def _raise_stage(tx: Tx, session: Session, named: str | None, *, at_least: int = 0) -> Session:
    """Take the caller, and the session if it has not been there, to the stage that it has earned."""
    return reach(tx, session, max(stage_of(tx, named), at_least))


def _remember(tx: Tx, named: str | None, given: Mapping[str, str]) -> tuple[Session | None, str]:
    """Keep what a caller says of its work in its session, or else with its connection."""
    session_id = named or own_session(tx)
    if session_id is None:
        if given:
            work_at(tx, given)
        return None, "by this connection, until a session begins"
    session = existing(tx, session_id)
    if any(getattr(session, name) != value for name, value in given.items()):
        session = change(tx, session.id, "navigated", **given)
    if session.id == standing(tx).session_id:
        work_at(tx, given)
    return session, "in the session"


def _bound_root(tx: Tx, named: str | None) -> str | None:
    session_id = named or own_session(tx)
    if session_id is None:
        return standing(tx).place.get("root")
    return existing(tx, session_id).root


def _last_part(uri: str) -> str:
    return PurePosixPath(unquote(urlsplit(uri).path)).name.strip() or uri
