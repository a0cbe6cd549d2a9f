"""An `experiences.db` as an earlier server left it: what can come over does, what cannot is counted, with the reason.

The store is only read: its files are copied, and the copy is opened. So what its server had not finished is put in
order in the copy, and nothing is left beside the original.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from thoughtbox.domains.memory.episodes.episode import LONGEST_SUMMARY, OUTCOMES, SCOPES
from thoughtbox.domains.memory.episodes.recording import record_episode
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.knowledge.importing import Taken, missing, shown_errors, take_in
from thoughtbox.domains.memory.knowledge.incoming import Fault, Incoming, moment_of, read_rows, tags_of
from thoughtbox.domains.memory.knowledge.models import StoreImported, TableImported
from thoughtbox.domains.memory.knowledge.recording import OUTCOMES as OUTCOME_OF_TYPE
from thoughtbox.domains.memory.view.imports import IMPORT, Imports
from thoughtbox.errors import ImportRefused
from thoughtbox.operations import Slices, Steps, Tx

MAGIC = b"SQLite format 3\x00"
LARGEST = 2 << 30
"""Bytes of a store."""

AT_ONCE = 50
"""Episodes that one slice takes in."""

MOST_THOUGHTS = 50
LONGEST_THOUGHT = 2_000
"""Of a reasoning session that led to an experience: what is kept with it."""

_NEEDED = frozenset({"type", "domain", "situation", "approach", "outcome", "reasoning"})
_OURS = "view_cursors"
"""A table that a store of this product has, which has a table `experiences` as well."""

_LEFT_OUT = {
    "scenes": "run_consolidation makes scenes anew from the episodes",
    "cells": "run_consolidation makes cells anew from the episodes, with evidence that can be followed",
    "cell_evidence": "it comes with the cells",
    "consolidation_meta": "nothing here was consolidated there",
    "memory_sessions": "their cycles ended with that server",
    "invocations": "their chain is another store's, and covers nothing here",
    "receipts": "they are signed for another store",
    "memory_tokens": "they are signed for another store",
    "workflow_sessions": "they ended with that server",
    "activity_log": "it is a log of that server's own",
}


class _Episode(NamedTuple):
    """An episode of the old store."""

    row: int
    key: str
    summary: str
    outcome: str
    trust: int
    scope: str
    source: str
    context_keys: tuple[str, ...]


class _Contents(NamedTuple):
    """What an old store holds, as far as it is looked at."""

    experiences: list[Incoming]
    faults: list[Fault]
    episodes: list[_Episode]
    odd_episodes: int
    counts: dict[str, int]
    """Rows by table."""


def store_imported(slices: Slices, path: Path, named: str | None = None) -> Steps[StoreImported]:
    """Take in what a store holds; a second time nothing is added."""
    shown = named or path.name
    contents: _Contents = yield slices.read(lambda tx: _read(path, shown), long=True)
    taken = yield from take_in(slices, contents.experiences)
    said = {(each.item.entry.situation[:LONGEST_SUMMARY], OUTCOME_OF_TYPE[each.item.entry.type]) for each in taken}
    apart = [episode for episode in contents.episodes if (episode.summary, episode.outcome) not in said]
    episodes = yield from _take_episodes(slices, apart)
    return _report(shown, contents, taken, bridged=len(contents.episodes) - len(apart), episodes=episodes)


def _take_episodes(slices: Slices, episodes: Sequence[_Episode]) -> Steps[int]:
    new = 0
    for start in range(0, len(episodes), AT_ONCE):
        some = episodes[start : start + AT_ONCE]
        new += yield slices.write(lambda tx, some=some: sum(_take_episode(tx, each) for each in some))
    return new


def _take_episode(tx: Tx, episode: _Episode) -> bool:
    """Whether it is new here. What a user said there is an import here: nobody has said it to this store."""
    if tx.ask(Imports).has(episode.key):
        return False
    record_episode(
        tx,
        summary=episode.summary,
        outcome=episode.outcome,
        source=episode.source,
        trust=min(episode.trust, 1),
        scope=episode.scope,
        context_keys=episode.context_keys,
        about=f"{IMPORT}{episode.key}",
    )
    return True


def _report(named: str, contents: _Contents, taken: Sequence[Taken], *, bridged: int, episodes: int) -> StoreImported:
    new = sum(each.is_new for each in taken)
    tables = [
        TableImported(
            table="experiences",
            rows=contents.counts["experiences"],
            imported=new,
            already_here=len(taken) - new,
            left_out=len(contents.faults),
            why="they could not be read: see errors" if contents.faults else None,
        )
    ]
    if "episodic_experiences" in contents.counts:
        tables.append(
            TableImported(
                table="episodic_experiences",
                rows=contents.counts["episodic_experiences"],
                imported=episodes,
                already_here=len(contents.episodes) - episodes,
                left_out=contents.odd_episodes,
                why="they have no summary" if contents.odd_episodes else None,
            )
        )
    tables += _reasoning(contents.counts, taken)
    tables += [
        TableImported(table=table, rows=rows, imported=0, already_here=0, left_out=rows, why=_LEFT_OUT[table])
        for table, rows in contents.counts.items()
        if table in _LEFT_OUT and rows
    ]
    return StoreImported(
        source=named,
        tables=tables,
        experiences=new,
        episodes=episodes,
        errors=shown_errors(contents.faults),
        message=f"{new} experiences and {episodes} episodes came over from {named};"
        f" {len(taken) - new} experiences were here already, {len(contents.faults)} could not be read.",
    )


def _reasoning(counts: Mapping[str, int], taken: Sequence[Taken]) -> Iterator[TableImported]:
    """What led to experiences came over with them; the rest led nowhere."""
    kept = [(each.is_new, each.item.entry.context["reasoning_session"]) for each in taken if each.item.entry.context]
    parts = {"reasoning_sessions": lambda session: 1, "reasoning_thoughts": lambda session: len(session["thoughts"])}
    for table, size in parts.items():
        if table in counts:
            new = sum(size(session) for is_new, session in kept if is_new)
            known = sum(size(session) for is_new, session in kept if not is_new)
            left = counts[table] - new - known
            yield TableImported(
                table=table,
                rows=counts[table],
                imported=new,
                already_here=known,
                left_out=left,
                why=f"they led to no experience that came over, or are not among its first {MOST_THOUGHTS} thoughts"
                if left
                else None,
            )


def _read(path: Path, named: str) -> _Contents:
    """All that is to come over, read from a copy."""
    import apsw

    with TemporaryDirectory(prefix="thoughtbox-import-") as folder:
        copy = _copied(path, named, Path(folder))
        try:
            with closing(apsw.Connection(str(copy))) as store:
                return _contents(store, named)
        except apsw.Error as error:
            raise _refused(named, f"is damaged, or was being written to ({error})") from None


def _copied(path: Path, named: str, folder: Path) -> Path:
    """A copy of the store with what its server had not finished; refused if it changes meanwhile."""
    copy = folder / "store.db"
    files = {path: copy}
    for ending in ("-wal", "-journal"):
        files[path.with_name(path.name + ending)] = folder / f"store.db{ending}"
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise _refused(named, "is no SQLite database")
        if path.stat().st_size > LARGEST:
            raise _refused(named, f"has more than {LARGEST >> 30} GB")
        before = _state(files)
        for source, target in files.items():
            if source.is_file():
                shutil.copyfile(source, target)
        if _state(files) != before:
            raise _refused(named, "is being written to", recovery="Stop the server that uses it, and send this again.")
    except (FileNotFoundError, NotADirectoryError):
        raise missing(named) from None
    except OSError as error:
        raise _refused(named, f"cannot be read: {error.strerror}") from None
    return copy


def _state(files: Mapping[Path, Path]) -> list[tuple[int, int] | None]:
    return [(found.st_size, found.st_mtime_ns) if (found := _stat(source)) else None for source in files]


def _stat(path: Path) -> Any:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _contents(store: Any, named: str) -> _Contents:
    tables = {row[0] for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if _OURS in tables:
        raise _refused(
            named,
            "is a store of this product, not an experiences.db",
            recovery="Export a workspace of it with `thoughtbox export`, and import that file.",
        )
    if "experiences" not in tables or not _columns(store, "experiences") >= _NEEDED:
        raise _refused(named, "has no table of experiences: it is another program's")
    if store.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise _refused(named, "is damaged")
    counts = {
        table: store.execute(f'SELECT COUNT(*) FROM "{table}"').fetchone()[0]
        for table in ("experiences", "episodic_experiences", "reasoning_sessions", "reasoning_thoughts", *_LEFT_OUT)
        if table in tables
    }
    sessions = _sessions(store, counts)
    rows = [_experience(row, sessions) for row in _rows(store, "experiences")]
    experiences, faults = read_rows(rows)
    found = list(map(_episode, _rows(store, "episodic_experiences"))) if "episodic_experiences" in counts else []
    return _Contents(
        experiences=experiences,
        faults=faults,
        episodes=[episode for episode in found if episode is not None],
        odd_episodes=sum(episode is None for episode in found),
        counts=counts,
    )


def _columns(store: Any, table: str) -> set[str]:
    return {row[1] for row in store.execute(f'PRAGMA table_info("{table}")')}


def _rows(store: Any, table: str) -> Iterator[dict[str, Any]]:
    cursor = store.execute(f'SELECT * FROM "{table}" ORDER BY rowid')
    names: list[str] | None = None
    for row in cursor:
        names = names or [column[0] for column in cursor.getdescription()]
        yield dict(zip(names, row, strict=True))


def _experience(row: dict[str, Any], sessions: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    """A row as an export would have it: a text that was a number is a text, and what led to it goes with it."""
    texts = {name: str(row[name]) for name in _NEEDED if isinstance(row.get(name), int | float)}
    context = sessions.get(row.get("id", 0))
    return {**row, **texts, "context": {"reasoning_session": context} if context is not None else None}


def _sessions(store: Any, counts: Mapping[str, int]) -> dict[int, dict[str, Any]]:
    """By experience: the reasoning session that led to it."""
    if "reasoning_sessions" not in counts:
        return {}
    found: dict[int, dict[str, Any]] = {}
    for row in _rows(store, "reasoning_sessions"):
        if not isinstance(row.get("experience_id"), int):
            continue
        thoughts = _thoughts(store, row["session_id"]) if "reasoning_thoughts" in counts else []
        said = {name: row.get(name) for name in ("problem", "user_intent", "conclusion")}
        session = {name: text[:LONGEST_THOUGHT] for name, text in said.items() if isinstance(text, str)}
        found[row["experience_id"]] = {
            "session_id": str(row["session_id"]),
            **session,
            "thoughts": [thought[:LONGEST_THOUGHT] for thought in thoughts[:MOST_THOUGHTS]],
        }
    return found


def _thoughts(store: Any, session: Any) -> list[str]:
    rows = store.execute(
        "SELECT thought FROM reasoning_thoughts WHERE session_id = ? ORDER BY thought_number, rowid", (session,)
    )
    return [row[0] for row in rows if isinstance(row[0], str)]


def _episode(row: dict[str, Any]) -> _Episode | None:
    summary = row.get("summary")
    if not isinstance(summary, str) or not summary.strip() or "\x00" in summary:
        return None
    outcome, scope, trust = row.get("outcome"), row.get("scope"), row.get("trust")
    summary = summary[:LONGEST_SUMMARY]
    return _Episode(
        row=row.get("experience_id", 0),
        key=digest([summary, outcome, row.get("experience_id"), moment_of(row.get("created_at"))])[:32],
        summary=summary,
        outcome=outcome if outcome in OUTCOMES else "unknown",
        trust=trust if isinstance(trust, int) and 0 <= trust <= 3 else 0,
        scope=scope if scope in SCOPES else "project",
        source="derived" if row.get("source") == "derived" else "agent",
        context_keys=tags_of(row.get("context_keys_json")),
    )


def _refused(
    named: str, why: str, recovery: str = "Name the experiences.db in the .claude folder of a project."
) -> ImportRefused:
    return ImportRefused(f"{named[:200]} {why}; nothing was imported", recovery=recovery, details={"path": named[:200]})
