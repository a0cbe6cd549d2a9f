"""Stores to measure on, written through the real ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thoughtbox.app import Thoughtbox
from thoughtbox.domains.trail.thoughts import draft, stream_of
from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record, Source
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.settings import Settings

SESSIONS_AT_ONCE = 100
THOUGHTS_PER_SESSION = 50
BATCH = 10_000
"""Records in one transaction, each followed by a signed checkpoint."""

TEXT = (
    "Reads dominate writes 40 to 1, so a read-through cache in front of the database pays off; "
    "invalidation on write keeps it correct, and the first minute after a deploy stays slow."
)

CALLER = Caller(agent="bench", transport="bench")


def thought(session: str, number: int) -> dict[str, Any]:
    """The arguments of a `thought_record`."""
    return {"sessionId": session, "thoughtType": "analysis", "content": f"{number}. {TEXT}"}


def record_thought(workspace: str, session: str, number: int) -> Call:
    return Call(operation="thought_record", workspace=workspace, arguments=thought(session, number), caller=CALLER)


def session_of(number: int) -> str:
    """The session of a thought: a hundred at a time, each of fifty thoughts."""
    crowd, place = divmod(number, SESSIONS_AT_ONCE * THOUGHTS_PER_SESSION)
    return f"session-{crowd * SESSIONS_AT_ONCE + place % SESSIONS_AT_ONCE}"


SOURCE = Source(agent="bench", surface="trail", operation="thought_record", transport="bench")


def sealed_thought(box: Thoughtbox, session: str, number: int) -> Callable[[Sql], Record]:
    """The work of appending one thought, for the engine to run: the ledger alone, no operation around it."""
    drafted = draft(
        session_id=session,
        thought_type="analysis",
        content=f"{number}. {TEXT}",
        context_id=None,
        action_id=None,
        parent_id=None,
        parent_is_known=False,
    )
    workspace, stream = box.settings.project, stream_of(session)
    return lambda sql: Ledger(sql, workspace, box.views).append(drafted, stream=stream, source=SOURCE, world=box.world)


def fill(settings: Settings, records: int) -> None:
    """Write that many thoughts in many sessions, a batch to a transaction, and sign every batch."""
    with Thoughtbox(settings) as box:
        for start in range(0, records, BATCH):

            def batch(sql: Sql, numbers: range = range(start, min(start + BATCH, records))) -> None:
                for number in numbers:
                    sealed_thought(box, session_of(number), number)(sql)

            box.engine.write(settings.project, batch).result()
            checkpoint(box.engine, box.views, box.keyring, box.world, settings.project)
