"""Recording an episode: what happened, how it went, and where that is known from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thoughtbox.domains.memory.configuration import memory_settings
from thoughtbox.domains.memory.episodes.episode import (
    EPISODE,
    LONGEST_SUMMARY,
    OUTCOMES,
    SCOPES,
    SOURCES,
    STREAM,
)
from thoughtbox.domains.memory.episodes.keys import normalised
from thoughtbox.domains.memory.episodes.salience import episode_salience
from thoughtbox.domains.memory.episodes.trust import capped
from thoughtbox.domains.memory.folder import project_of
from thoughtbox.errors import ValidationFailed
from thoughtbox.ledger.record import Draft, present
from thoughtbox.operations import Tx


def memory_is_on(tx: Tx) -> bool:
    """Whether the project lets memory learn. Where it does not, nothing records or consolidates episodes by itself."""
    return memory_settings(project_of(tx)).memory_enabled


def record_episode(
    tx: Tx,
    *,
    summary: str,
    outcome: str,
    source: str,
    trust: int,
    scope: str = "project",
    context_keys: Iterable[str] = (),
    session_id: int | None = None,
    about: str | None = None,
    validated: bool = False,
) -> int:
    """Write an episode; its id. It is trusted no further than its source allows, whatever `trust` says."""
    if not summary.strip():
        raise _refused("MISSING_REQUIRED", "summary", "an episode needs a summary", "Say in a sentence what happened.")
    if len(summary) > LONGEST_SUMMARY:
        raise _refused(
            "PAYLOAD_TOO_LARGE",
            "summary",
            f"the summary has {len(summary)} characters; {LONGEST_SUMMARY} is the most",
            "Shorten it, or record several episodes.",
        )
    if trust not in range(4):
        raise _refused("INVALID_TRUST", "trust", f"trust is {trust}; it is 0, 1, 2 or 3", "Send one of these.")
    _must_be_among("outcome", outcome, OUTCOMES)
    _must_be_among("source", source, SOURCES)
    _must_be_among("scope", scope, SCOPES)
    granted = capped(trust, source)
    data: dict[str, Any] = {
        "scope": scope,
        "contextKeys": list(normalised(context_keys)),
        "outcome": outcome,
        "trust": granted,
        "salience": episode_salience(granted),
        "source": source,
        **present({"sessionId": session_id, "about": about, "validated": validated or None}),
    }
    draft = Draft(kind="observation", topic=EPISODE, text=summary, session=STREAM, data=data)
    return tx.append(draft, stream=STREAM).seq


def _must_be_among(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise _refused(
            "INVALID_FORMAT",
            name,
            f"`{name}` is {value[:80]!r}; it is one of {', '.join(allowed)}",
            "Send one of these.",
        )


def _refused(reason: str, field: str, message: str, recovery: str) -> ValidationFailed:
    return ValidationFailed(message, recovery=recovery, details={"fields": [field], "reason": reason})
