"""`sessions` and `show`: look at the sessions of thought, as the operations give them."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thoughtbox.doors.cli.files import written
from thoughtbox.doors.cli.output import GOOD, QUIET, Output, Styled, UsageError, count
from thoughtbox.doors.cli.session_page import Answer, facts, one_line, place_of, show_session, show_thought, when
from thoughtbox.doors.cli.shell_words import options
from thoughtbox.doors.cli.store import is_there, opened_to_read, settings_of
from thoughtbox.doors.terminal import printable
from thoughtbox.errors import InvalidPayload, SessionNotFound, ThoughtNotFound
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.settings import Settings

if TYPE_CHECKING:
    from thoughtbox.app import Thoughtbox

STDIO = "-"
LATEST = "latest"
LISTED = 20
LARGEST_PAGE = 100
MOST_THOUGHTS_AT_ONCE = 500
WHOLE = 10_000_000
"""Characters of an answer that nothing is to be cut from."""

SHORT_ID = 8
NARROW = 70
"""On fewer columns a table of sessions has no room for their titles."""


def list_sessions(args: Namespace) -> int:
    out, settings = Output(args), settings_of(args)
    limit = _number(getattr(args, "limit", None)) or LISTED
    wanted = {"tags": getattr(args, "tags", []), "search": getattr(args, "search", None)}
    wanted["project"] = getattr(args, "in_project", None)
    found, others = [], []
    if is_there(settings):
        with _reading(settings) as store:
            found = list(islice(store.sessions(wanted, page=min(limit + 1, LARGEST_PAGE)), limit + 1))
            others = store.other_workspaces() if not found else []
    shown, has_more = found[:limit], len(found) > limit
    if out.as_json:
        out.json({"sessions": shown, "count": len(shown), "hasMore": has_more})
    elif shown:
        _show_table(out, shown)
        if has_more:
            out.note(f"There are more: --limit {limit * 2} shows them, --search and --tag find one.")
    elif any(wanted.values()):
        out.say(f"No session of workspace {settings.project} fits. `thoughtbox sessions` lists all.")
    else:
        _say_how_to_begin(out, settings, others, options(args))
    return 0


def show(args: Namespace) -> int:
    out, settings = Output(args), settings_of(args)
    limit = _number(args.limit)
    with _reading(settings) as store:
        if args.what.startswith("th:"):
            try:
                _show_thought(out, store, store.ask("get_thought", id=args.what, maxChars=WHOLE))
            except ThoughtNotFound:
                _show_record(out, store.ask("ledger_record", id=args.what))
            return 0
        session, thoughts, branches = store.session(store.meant(args.what), limit)
    if out.as_json:
        out.json({"session": session, "thoughts": thoughts, "branches": branches})
        return 0
    show_session(out, session, thoughts, branches)
    if left := session["thoughtCount"] - len(thoughts):
        out.note(f"\n{count(left, 'thought')} more: leave --limit out to see all.")
    return 0


def _show_thought(out: Output, store: _Store, thought: Answer) -> None:
    if out.as_json:
        out.json(thought)
        return
    session = store.session_of(thought)
    out.paragraph(Styled(one_line(session["title"]), "bold"))
    about = f"{thought['id']} · {when(thought['timestamp'])} · session {session['id'][:SHORT_ID]}"
    out.paragraph(Styled(about, QUIET))
    out.say()
    show_thought(out, thought, store.places_of(thought))


def _show_record(out: Output, found: Answer) -> None:
    """A record that is no thought of a session: of another room, or one that says what became of a session."""
    if out.as_json:
        out.json(found)
        return
    record = found["record"]
    out.paragraph(Styled(f"{found['id']} · {when(record['ts'])} · {found['stream']}", QUIET))
    out.paragraph(Styled(f"{record['kind']} by {record['agent']}", "cyan"))
    out.paragraph(record["body"]["text"], indent="  ")


def search(args: Namespace) -> int:
    out, settings = Output(args), settings_of(args)
    with _reading(settings) as store:
        found = store.ask("session.search", query=" ".join(args.words), limit=_number(args.limit) or 1)
    if out.as_json:
        out.json(found)
        return 0
    for number, hit in enumerate(found["sessions"]):
        session = _session_of(hit)
        if number:
            out.say()
        out.paragraph(Styled(one_line(session["title"]), "bold"))
        out.paragraph(f"{session['id'][:SHORT_ID]} · {count(hit['hits'], 'hit')} · {facts(session)}", indent="  ")
        place = place_of(hit).seen_from(None) + ": " if hit.get("thoughtNumber") else ""
        out.paragraph(f"{place}{one_line(hit['best'])}", indent="  ")
    if found.get("message"):
        out.note(found["message"])
    elif not found["sessions"]:
        out.note("Nothing was found. `thoughtbox sessions` lists all sessions.")
    return 0


def export(args: Namespace) -> int:
    with _reading(settings_of(args)) as store:
        pieces = store.exported(store.meant(args.what), args.format)
        if args.to == STDIO:
            shown = printable if sys.stdout.isatty() else str
            for piece in pieces:
                sys.stdout.write(shown(piece))
            if args.format == "json":
                sys.stdout.write("\n")
            return 0
        with written(Path(args.to)) as file:
            for piece in pieces:
                file.write(piece.encode())
    return 0


class _Store:
    """Asks the operations of one workspace."""

    def __init__(self, box: Thoughtbox) -> None:
        self._box = box

    def ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return self._box.dispatcher.call(
            Call(
                operation=operation,
                workspace=self._box.settings.project,
                arguments=arguments,
                caller=Caller(agent=self._box.settings.agent or "cli", transport="cli"),
                focus=self._box.first_focus("workspace"),
            )
        )

    def sessions(self, wanted: dict[str, Any], *, page: int = LARGEST_PAGE) -> Iterator[Answer]:
        """All that fit, newest first."""
        offset: int | None = 0
        while offset is not None:
            found = self.ask("session.list", **wanted, limit=page, offset=offset)
            yield from found["sessions"]
            offset = found.get("nextOffset")

    def session(self, session_id: str, limit: int | None) -> tuple[Answer, list[Answer], dict[str, Answer]]:
        """A session with its first thoughts, or all of them, and its branches."""
        thoughts: list[Answer] = []
        cursor: str | None = None
        while True:
            left = MOST_THOUGHTS_AT_ONCE if limit is None else min(limit - len(thoughts), MOST_THOUGHTS_AT_ONCE)
            page = self.ask("session.get", sessionId=session_id, limit=left, cursor=cursor, maxChars=WHOLE)
            thoughts += page["thoughts"]
            cursor = page.get("cursor")
            if cursor is None or len(thoughts) == limit:
                return page["session"], thoughts, page["branches"]

    def session_of(self, thought: Answer) -> Answer:
        return self.ask("session.get", sessionId=thought["nodeId"].partition(":")[0], limit=1)["session"]

    def places_of(self, thought: Answer) -> dict[str, Any]:
        """Where the thoughts stand that a thought is linked to."""
        ids = {relation["to"] for relation in thought["relations"]}
        return {each: place_of(self.ask("get_thought", id=each)) for each in sorted(ids)}

    def exported(self, session_id: str, form: str) -> Iterator[str]:
        cursor: str | None = None
        while True:
            piece = self.ask("session.export", sessionId=session_id, format=form, cursor=cursor)
            content: str = piece["content"]
            yield content
            cursor = piece.get("cursor")
            if cursor is None:
                return

    def meant(self, name: str) -> str:
        """The session of this id, of an id or a title that begins so, or `latest`."""
        if name == LATEST or self._has(name):
            return name
        known = list(self.sessions({}))
        named = name.casefold()
        for fits in (
            [one for one in known if one["title"].casefold() == named],
            [one for one in known if one["id"].startswith(named)],
            [one for one in known if one["title"].casefold().startswith(named)],
        ):
            if len(fits) == 1:
                return fits[0]["id"]
            if fits:
                named_all = "; ".join(f"{one['id']} ({one['title']})" for one in fits[:5])
                raise InvalidPayload(
                    f"`{name}` may be any of {len(fits)} sessions", recovery=f"Name one by its id: {named_all}."
                )
        raise SessionNotFound(
            f"there is no session `{name}` in workspace `{self._box.settings.project}`",
            recovery="`thoughtbox sessions` lists those there are.",
            details={"sessionId": name},
        )

    def _has(self, session_id: str) -> bool:
        try:
            self.ask("session.get", sessionId=session_id, limit=1)
        except SessionNotFound:
            return False
        return True

    def other_workspaces(self) -> list[str]:
        """Where there is something, other than here."""
        from thoughtbox.ledger.verify import known_workspaces

        return sorted(self._box.engine.read(known_workspaces).result() - {self._box.settings.project})


@contextmanager
def _reading(settings: Settings) -> Generator[_Store]:
    with opened_to_read(settings) as (box, _):
        yield _Store(box)


def _session_of(hit: Answer) -> Answer:
    """The session that a search found: its fields stand beside those of the hit, or in one of their own."""
    return hit.get("session", hit)


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdecimal() or int(text) < 1:
        raise UsageError(f"--limit takes a number from 1 on, not `{text}`")
    return int(text)


def _show_table(out: Output, sessions: list[Answer]) -> None:
    short = _short_ids([one["id"] for one in sessions])
    if out.width < NARROW:
        for one in sessions:
            out.paragraph(Styled(one_line(one["title"]), "bold"))
            out.paragraph(f"{short[one['id']]} · {facts(one)}", indent="  ")
        return
    out.table(
        ("id", "title", "thoughts", "updated", "status"),
        [
            (
                short[one["id"]],
                one_line(one["title"]),
                f"{one['thoughtCount']:,}",
                when(one["updatedAt"]),
                Styled(one["status"], GOOD if one["status"] == "active" else QUIET),
            )
            for one in sessions
        ],
        wraps=("title",),
    )


def _short_ids(ids: list[str]) -> dict[str, str]:
    """The beginning of each, long enough to tell them apart."""
    length = next((n for n in range(SHORT_ID, 200) if len({one[:n] for one in ids}) == len(ids)), None)
    return {one: one[:length] for one in ids}


def _say_how_to_begin(out: Output, settings: Settings, others: list[str], options: str) -> None:
    where = "" if settings.database_url else f" of {settings.data_dir}"
    out.paragraph(f"There are no sessions yet in workspace {settings.project}{where}.")
    if others:
        out.paragraph(f"There is something in {', '.join(others)}. To look there:")
        out.say(f"  thoughtbox{options} sessions --workspace {others[0]}")
    out.say()
    out.say("Agents begin one by themselves. To connect one:")
    out.say(f"  claude mcp add thoughtbox -- thoughtbox{options} serve --stdio")
    out.say("To begin one from here:")
    out.say(f"  thoughtbox{options} call start_new sessionTitle='My first session'")
    out.say(f"  thoughtbox{options} call thought thought='What I am thinking about'")
