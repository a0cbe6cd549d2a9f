"""Appending to a session's chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.domains.memory.governance.chain import link
from thoughtbox.domains.memory.governance.records import write_invocation
from thoughtbox.domains.memory.governance.sessions import open_for_writing
from thoughtbox.domains.memory.hashing import canonical
from thoughtbox.domains.memory.view.sessions import Invocation, Sessions, invocation_from
from thoughtbox.ledger.record import present
from thoughtbox.operations import Tx
from thoughtbox.world import iso


def record_invocation(
    tx: Tx,
    session_id: int,
    tool_name: str,
    input_hash: str,
    output_hash: str,
    ts: str | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Invocation:
    """Append an invocation to the chain of a session that is open. What goes with it is covered by the ledger."""
    session = open_for_writing(tx, session_id)
    last = tx.ask(Sessions).last_invocation(session.session_id)
    at, before = ts or iso(tx.now_ms), last.hash if last else None
    data = {
        "position": last.position + 1 if last else 1,
        "toolName": tool_name,
        "inputHash": input_hash,
        "outputHash": output_hash,
        "ts": at,
        "meta": canonical(dict(meta or {})),
        "hash": link(before, tool_name, input_hash, output_hash, at),
        **present({"prevHash": before}),
    }
    return invocation_from(write_invocation(tx, session_id, f"{tool_name} was called", data))
