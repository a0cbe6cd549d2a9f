"""The table of routes: what is answered at which path, with which parameters, by what.

The HTTP API and its OpenAPI document come from here. Where an operation answers, its own words and schema are used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from thoughtbox.domains.thoughts.watched import diff
from thoughtbox.domains.thoughts.watched import models as watched
from thoughtbox.domains.thoughts.watched.reading import MOST_THOUGHTS, session_page
from thoughtbox.doors.observatory import models
from thoughtbox.doors.observatory.reads import graph, notebooks, records, search
from thoughtbox.ledger.feed import Wanted
from thoughtbox.ledger.record import KINDS
from thoughtbox.operations import Output, Tx

Given = Mapping[str, Any]
"""The parameters of a request, checked."""

LONGEST_VALUE = 1_000


class Parameter(NamedTuple):
    """What a request may say."""

    name: str
    says: str
    most: int | None = None
    """Of a number: the largest. None stands for a text."""
    least: int = 0
    default: Any = None
    choices: tuple[str, ...] = ()
    is_list: bool = False
    """Several, with commas between them; `most` says how many."""
    is_required: bool = False

    @property
    def is_number(self) -> bool:
        return self.most is not None and not self.is_list


class Route(NamedTuple):
    """A path and what is answered there."""

    path: str
    summary: str
    answers: type[Output] | str | None
    """What the answer is made of, or the operation whose it is; None: bytes."""
    parameters: tuple[Parameter, ...] = ()
    read: Callable[[Tx, Given], Output] | None = None
    send: Callable[[Tx, Given], notebooks.Sent] | None = None
    """For bytes."""
    arguments: Mapping[str, str] = {}
    """For an operation: the name of an argument by that of its parameter."""
    has_as_of: bool = True
    is_long: bool = False
    is_fresh: bool = False
    """Whether the index has to have caught up."""


HIGHEST = 2**53

CURSOR = Parameter("cursor", "`nextCursor` of the page before.")
WORKSPACE = Parameter("workspace", "Which workspace; the server's own when left out.")
AS_OF = Parameter("asOf", "As if this record were the newest: its number.", HIGHEST)
SESSION = Parameter("sessionId", "Of this session.")
STREAM = Parameter("stream", "Of this stream.")
ROOM = Parameter("room", "Of this room: thoughts, trail, mind, memory, notebooks, code, ledger, calls.")
KIND = Parameter("kind", "Of this kind.", choices=tuple(sorted(KINDS)))
AGENT = Parameter("agent", "Written by this agent.")


def limit(most: int, default: int) -> Parameter:
    return Parameter("limit", "How many on a page.", most, 1, default)


def _records(tx: Tx, given: Given) -> models.Records:
    if given["ids"]:
        return records.records_named(tx, given["ids"])
    return records.records_page(
        tx, wanted_by(given), after=given["after"], limit=given["limit"], order=given["order"], place=given["cursor"]
    )


def wanted_by(given: Given) -> Wanted:
    """Which records are meant by filters that stand flat beside each other."""
    one = {name: [value] if (value := given.get(name)) is not None else None for name in FILTERS}
    return Wanted(
        rooms=one["room"], kinds=one["kind"], streams=one["stream"], sessions=one["sessionId"], agents=one["agent"]
    )


FILTERS = ("room", "kind", "stream", "sessionId", "agent")


def _search(tx: Tx, given: Given) -> models.Found:
    return search.search_page(
        tx,
        given["q"],
        room=given["room"],
        kind=given["kind"],
        session_id=given["sessionId"],
        limit=given["limit"],
        place=given["cursor"],
    )


def _session(tx: Tx, given: Given) -> watched.SessionWatched:
    return session_page(tx, given["id"], limit=given["limit"], after=given["cursor"])


def _graph(tx: Tx, given: Given) -> models.Graph:
    return graph.graph_page(
        tx, session_id=given["sessionId"], stream=given["stream"], limit=given["limit"], place=given["cursor"]
    )


def _notebook(tx: Tx, given: Given) -> models.NotebookWatched:
    return notebooks.notebook_page(tx, given["id"], limit=given["limit"], place=given["cursor"])


OWN_CURSOR = Parameter("cursor", "`cursor` of the page before.")

ROUTES: tuple[Route, ...] = (
    Route(
        "/api/sessions/{id}",
        "A session of thoughts: its main line, and its branches with theirs; at most 2,000 thoughts on a page.",
        watched.SessionWatched,
        (limit(MOST_THOUGHTS, MOST_THOUGHTS), CURSOR),
        _session,
        is_long=True,
    ),
    Route(
        "/api/records",
        "Records of every room, in order, by what they are; or those with these ids.",
        models.Records,
        (
            *(ROOM, KIND, STREAM, SESSION, AGENT),
            Parameter("ids", "These records, such as th:1,th:5.", 200, is_list=True),
            Parameter("after", "Behind this record, or with order=desc before it.", HIGHEST, 0, 0),
            Parameter("order", "Which way.", default="asc", choices=("asc", "desc")),
            *(limit(500, 100), CURSOR),
        ),
        _records,
    ),
    Route(
        "/api/records/{id}",
        "One record with its hashes, the proof that it is in the ledger, and what stands around it.",
        models.RecordRead,
        (),
        lambda tx, given: records.record_read(tx, given["id"]),
    ),
    Route(
        "/api/search",
        "Records of every room by a question or by words, the best first.",
        models.Found,
        (
            Parameter("q", 'A question or words. Demanded: +word, "a phrase", begin*, -without.', is_required=True),
            *(ROOM, KIND, SESSION, limit(100, 20), CURSOR),
        ),
        _search,
        is_fresh=True,
    ),
    Route(
        "/api/diff",
        "Two branches of a session, or two moments of it, side by side.",
        watched.SessionDiff,
        (
            Parameter("sessionId", "The session.", is_required=True),
            Parameter("from", "A branch (`main` is the main line), or the number of a record.", is_required=True),
            Parameter("to", "What it is compared with: the same kind of thing.", is_required=True),
        ),
        lambda tx, given: diff.session_diff(tx, given["sessionId"], given["from"], given["to"]),
    ),
    Route(
        "/api/graph",
        "Where many records stand and what they go on from, in columns: of a session, a stream or the whole workspace.",
        models.Graph,
        (SESSION, STREAM, limit(20_000, 20_000), CURSOR),
        _graph,
        is_long=True,
    ),
    Route(
        "/api/chain",
        "Records as their bytes stand in the store, unchecked, for whoever computes the hashes anew.",
        models.Chain,
        (limit(2_000, 2_000), CURSOR),
        lambda tx, given: graph.chain_page(tx, limit=given["limit"], place=given["cursor"]),
        is_long=True,
        has_as_of=False,
    ),
    Route(
        "/api/streams",
        "The streams of all rooms, the one that was written to last first.",
        models.Streams,
        (ROOM, limit(500, 100), CURSOR),
        lambda tx, given: graph.streams_page(tx, room=given["room"], limit=given["limit"], place=given["cursor"]),
        has_as_of=False,
    ),
    Route(
        "/api/actions",
        "Actions that thoughts have led to, the one that was named last first.",
        models.Actions,
        (limit(200, 50), CURSOR),
        lambda tx, given: graph.actions_page(tx, limit=given["limit"], place=given["cursor"]),
    ),
    Route(
        "/api/trail",
        "The paths of thought that led to an action.",
        "thought_reasoning_trail",
        (Parameter("actionId", "The action.", is_required=True),),
        arguments={"actionId": "actionId"},
    ),
    Route(
        "/api/tasks",
        "Plans and tasks, with their status and how far they have come.",
        "tasks_context",
        (Parameter("status", "Only those with this status."), limit(200, 200), CURSOR),
        arguments={"status": "status", "limit": "limit", "cursor": "cursor"},
    ),
    Route(
        "/api/jobs",
        "Jobs, the one that changed last first.",
        "tasks_jobs_list",
        (limit(200, 100), Parameter("cursor", "`next_cursor` of the page before.", HIGHEST)),
        arguments={"limit": "limit", "cursor": "cursor"},
    ),
    Route(
        "/api/cards",
        "Cards of a plan, a task or a branch, the one that changed last first.",
        "think_query",
        (
            Parameter("target", "The plan or task they are about, such as TASK-001."),
            Parameter("ref", "The branch."),
            Parameter("drafts", "Drafts, too.", choices=("true", "false")),
            *(limit(200, 200), Parameter("cursor", "`next_cursor` of the page before.", HIGHEST)),
        ),
        arguments={
            **{name: name for name in ("target", "ref", "limit", "cursor")},
            "drafts": "include_drafts",
        },
    ),
    Route(
        "/api/memory/cells",
        "What memory knows, most trusted first.",
        "list_cells",
        (
            Parameter("scope", "What holds for the project, or everywhere.", choices=("project", "global")),
            Parameter("state", "Only cells of this state."),
            Parameter("type", "Only cells of this type.", choices=("rule", "preference", "policy", "fact")),
            *(limit(100, 100), CURSOR),
        ),
        arguments={**{name: name for name in ("scope", "state", "limit", "cursor")}, "type": "cell_type"},
    ),
    Route(
        "/api/memory/cells/{id}",
        "A cell of memory with what speaks for and against it.",
        "get_cell",
        (),
        arguments={"id": "cell_id"},
    ),
    Route(
        "/api/notebooks",
        "Notebooks, the one that changed last first.",
        "notebook.list",
        (limit(200, 50), OWN_CURSOR),
        arguments={"limit": "limit", "cursor": "cursor"},
    ),
    Route(
        "/api/notebooks/{id}",
        "A notebook: its cells in order, each with what its last run has shown; `latest` is the one that changed last.",
        models.NotebookWatched,
        (limit(notebooks.MOST_CELLS, notebooks.MOST_CELLS), CURSOR),
        _notebook,
        is_long=True,
    ),
    Route(
        "/api/notebooks/{id}/history",
        "What became of a notebook or of one of its cells, the newest first: changes, runs, verdicts of replays.",
        "notebook.history",
        (Parameter("cellId", "Only what became of this cell."), limit(200, 50), OWN_CURSOR),
        arguments={"id": "notebookId", **{name: name for name in ("cellId", "limit", "cursor")}},
    ),
    Route(
        "/api/notebooks/{id}/citations",
        "Runs of a notebook that are evidence, and for what.",
        "notebook.citations",
        (),
        arguments={"id": "notebookId"},
    ),
    Route(
        "/api/runs/{id}",
        "A run of a cell, also one that goes on: what it has shown, piece by piece.",
        models.RunWatched,
        (),
        lambda tx, given: notebooks.run_read(tx, given["id"]),
    ),
    Route(
        "/api/outputs/{id}",
        "Something that a run has shown, whole, by its SHA-256: bytes, never as anything that a browser runs.",
        None,
        (Parameter("type", "What it was shown as, where that was several things.", choices=tuple(notebooks.SENT_AS)),),
        send=lambda tx, given: notebooks.output_sent(tx, given["id"], given["type"]),
        is_long=True,
    ),
    Route(
        "/api/verify",
        "Whether the ledger is intact, as the server finds it.",
        "ledger_verify",
        (Parameter("stream", "This stream alone."),),
        arguments={"stream": "stream"},
        has_as_of=False,
    ),
)
"""What one question or one operation answers. Sessions, workspaces, health and exports stand in `api.py`."""

NUMBERS = frozenset({"cell_id"})
"""Arguments of operations that are numbers, though they stand in a path."""


class Matcher:
    """Finds the route of a path, and what stands in the place of its parameter."""

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], Route]]:
        return [(re.compile(re.escape(route.path).replace(r"\{id\}", r"([^/\0]+)")), route) for route in ROUTES]

    def find(self, path: str) -> tuple[Route, str | None] | None:
        for pattern, route in self._patterns:
            if found := pattern.fullmatch(path):
                return route, found[1] if found.groups() else None
        return None
