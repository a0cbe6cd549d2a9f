"""What each phase does, once it is its turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from thoughtbox.domains.memory.configuration import memory_settings
from thoughtbox.domains.memory.cycle.finalization import Violation, finalized
from thoughtbox.domains.memory.cycle.given import Given
from thoughtbox.domains.memory.cycle.packing import MOST_CELLS, MOST_EXPERIENCES, NOTICE, Pack, chosen_cells, packed
from thoughtbox.domains.memory.cycle.phases import SKIPPED_WITH_A_DRAFT, Phase, Status
from thoughtbox.domains.memory.episodes.cell import Cell
from thoughtbox.domains.memory.episodes.cells import support
from thoughtbox.domains.memory.episodes.keys import normalised
from thoughtbox.domains.memory.episodes.recording import memory_is_on, record_episode
from thoughtbox.domains.memory.episodes.trust import entry_trust
from thoughtbox.domains.memory.folder import project_of
from thoughtbox.domains.memory.governance.policy import escalated, violated
from thoughtbox.domains.memory.governance.proof import proven
from thoughtbox.domains.memory.governance.rules import PHASE_ORDER
from thoughtbox.domains.memory.governance.sessions import in_sight, kept_text
from thoughtbox.domains.memory.governance.validation import validate
from thoughtbox.domains.memory.hashing import canonical, digest
from thoughtbox.domains.memory.quoting import one_line
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.domains.memory.view.sessions import Session, Sessions
from thoughtbox.errors import ValidationFailed
from thoughtbox.ledger.record import present
from thoughtbox.operations import Tx

LARGEST_CONTEXT = 200_000
_LONGEST_SUMMARY = 500


class Turn(NamedTuple):
    """What a phase came to, and what its record keeps of it."""

    status: Status
    output: dict[str, Any]
    changes: Mapping[str, Any]


def snapshot(tx: Tx, session: Session, given: Given) -> Turn:
    """Fix what the cycle starts from: the session, its scope, the policies that it is held to, what it is about."""
    if given.scope not in (None, session.scope_mode):
        raise _refused("scope", f"session {session.session_id} is of scope {session.scope_mode}")
    strict = escalated(tx, session.scope_mode)
    flags = {"escalated": strict} if strict else {}
    keys = list(normalised(given.context_keys or ()))
    last = tx.ask(Sessions).last_invocation(session.session_id)
    whole = {
        "session": session.session_id,
        "scope": session.scope_mode,
        "flags": flags,
        "context": given.context,
        "keys": keys,
        "chain_head": last.hash if last else None,
    }
    text = _canonical("context", whole)
    if len(text) > LARGEST_CONTEXT:
        raise _refused("context", f"it makes a snapshot of {len(text)} characters; {LARGEST_CONTEXT} is the most")
    output = {
        "snapshot_hash": digest(whole),
        "session_id": session.session_id,
        "scope_mode": session.scope_mode,
        "flags": flags,
        "context_keys": keys,
        "last_phase": session.last_phase,
        "last_context_hash": session.last_context_hash,
    }
    changes = {"flags": flags, "contextKeys": keys, "snapshot": text, "snapshotHash": output["snapshot_hash"]}
    return Turn("ok", output, changes)


def router(tx: Tx, session: Session, given: Given) -> Turn:
    """Say where to go: to the finalisation if a draft is there, unless phases were asked for out of order too often."""
    if given.snapshot_hash not in (None, session.snapshot_hash):
        raise _refused(
            "snapshot_hash",
            f"it is not the snapshot of session {session.session_id}",
            f'{{"operation": "memory_session_status", "session_id": {session.session_id}}} shows the right one.',
        )
    _narrowed(session, given.scope)
    asked, draft = _said(given.user_input), _said(given.draft)
    if asked is None and draft is None:
        output = {"next_action": None, "has_draft": False, "missing": ["user_input or draft"], "skipped": []}
        return Turn("blocked", output, {})
    is_strict = PHASE_ORDER in session.flags.get("escalated", ())
    skips = list(SKIPPED_WITH_A_DRAFT) if draft is not None and not is_strict else []
    route: Phase = "FINALIZE_RESPONSE" if skips else "CONTEXT_PACK"
    output = {"next_action": route, "has_draft": draft is not None, "missing": [], "skipped": skips}
    changes = present({"userInput": asked, "draft": draft if skips else None, "skipped": skips or None})
    return Turn("ok", output, changes)


def context_pack(tx: Tx, session: Session, given: Given) -> Turn:
    """Pack what is known about the keys, within the budget."""
    settings = memory_settings(project_of(tx))
    scope = _narrowed(session, given.scope)
    keys = session.context_keys if given.context_keys is None else normalised(given.context_keys)
    pack = (
        packed(
            tx,
            scope,
            keys,
            byte_budget=settings.byte_budget_default if given.byte_budget is None else given.byte_budget,
            max_cells=MOST_CELLS if given.max_cells is None else given.max_cells,
            max_experiences=MOST_EXPERIENCES if given.max_experiences is None else given.max_experiences,
        )
        if settings.memory_enabled
        else Pack([], [], 0)
    )
    output = {
        "packed_cells": pack.cells,
        "packed_experiences": pack.experiences,
        "context_hash": pack.context_hash,
        "byte_size": pack.byte_count,
        "notice": NOTICE,
    }
    return Turn("ok", output, {"contextHash": pack.context_hash, "packed": pack.cell_ids})


def draft(tx: Tx, session: Session, given: Given) -> Turn:
    """Keep the draft."""
    text = _said(given.draft)
    if text is None:
        return Turn("waiting", {"draft_provided": False, "missing": ["draft"]}, {})
    output = {"draft_provided": True, "draft_hash": digest(text)}
    return Turn("ok", output, present({"draft": text, "userInput": _said(given.user_input)}))


def finalize_response(tx: Tx, session: Session, given: Given) -> Turn:
    """Hold the draft to what is known and to the rules; what it violates is recorded."""
    text = _said(given.draft) or kept_text(tx, session.draft_seq, "draft")
    if text is None:
        return Turn("waiting", {"missing": ["draft"]}, {})
    if given.context_hash not in (None, session.last_context_hash):
        raise _refused("context_hash", f"it is not that of the pack of session {session.session_id}")
    policies = tx.ask(Semantic).policies(in_sight(session.scope_mode))
    strict = session.flags.get("escalated", ())
    done = finalized(text, _cells(tx, session, given.cells), policies, escalated=strict)
    for violation in done.violations:
        if violation.severity != "info":
            violated(tx, session, violation.rule, _told(violation))
    output = {
        "response": done.response,
        "integrity": done.integrity,
        "integrity_line": done.line,
        "violations": [_shown(violation) for violation in done.violations],
        "used_cells": done.used,
    }
    changes = {"integrity": done.integrity, "used": done.used, "inferred": done.inferred}
    return Turn("ok", output, {**changes, **present({"draft": _said(given.draft)})})


def governance_validate(tx: Tx, session: Session, given: Given) -> Turn:
    """Prove the session from its records; one that holds gets a receipt and a token."""
    validation = validate(tx, session.session_id, given.context_hash)
    proof = proven(tx, session, validation, "guarded_cycle") if validation.valid else None
    output = {
        "valid": validation.valid,
        "errors": validation.errors,
        "warnings": validation.warnings,
        "chain_count": validation.chain_count,
        "context_hash_match": validation.context_hash_match,
        "receipt": proof.receipt if proof else None,
        "token": proof.token if proof else None,
    }
    return Turn("ok" if validation.valid else "failed", output, {})


def memory_update(tx: Tx, session: Session, given: Given) -> Turn:
    """Keep what came of the cycle as an episode, and let it support the cells that the response rests on.

    A response that was found to be in order verifies what it rests on, but not what it had to call an inference.
    """
    outcome = "success" if session.integrity == "OK" else "partial"
    if not memory_is_on(tx):
        return Turn("ok", {"outcome": outcome, "experience_id": None, "supported_cells": []}, {})
    asked = _said(given.user_input) or kept_text(tx, session.asked_seq, "userInput")
    about = kept_text(tx, session.draft_seq, "draft") if asked is None else asked
    episode = record_episode(
        tx,
        summary=f"Guarded cycle: {one_line(about or '', _LONGEST_SUMMARY)}",
        outcome=outcome,
        source="agent",
        trust=entry_trust("agent", None),
        scope=session.scope_mode,
        context_keys=session.context_keys,
        session_id=session.session_id,
    )
    verified = [id for id in session.used if id not in session.inferred] if session.integrity == "OK" else []
    supported = support(tx, verified, episode, validated=True)
    supported += support(tx, [id for id in session.used if id not in verified], episode, validated=False)
    return Turn("ok", {"outcome": outcome, "experience_id": episode, "supported_cells": sorted(supported)}, {})


RUNS: dict[Phase, Callable[[Tx, Session, Given], Turn]] = {
    "SNAPSHOT": snapshot,
    "ROUTER": router,
    "CONTEXT_PACK": context_pack,
    "DRAFT": draft,
    "FINALIZE_RESPONSE": finalize_response,
    "GOVERNANCE_VALIDATE": governance_validate,
    "MEMORY_UPDATE": memory_update,
}


def _cells(tx: Tx, session: Session, named: tuple[int, ...]) -> list[Cell]:
    """The cells of the session's pack and those named; where no pack was made, those that it would have had."""
    view, scopes = tx.ask(Semantic), in_sight(session.scope_mode)
    known = view.cells_named([*session.packed, *named])
    strangers = [id for id in named if id not in known or known[id].scope not in scopes]
    if strangers:
        raise _refused("cells", f"there is no cell {strangers[0]} in sight of session {session.session_id}")
    if "CONTEXT_PACK" in session.skipped:
        chosen = chosen_cells(tx, session.scope_mode, session.context_keys, MOST_CELLS)
        known = {cell.cell_id: cell for cell in chosen} | known
    return list(known.values())


def _narrowed(session: Session, scope: str | None) -> str:
    """The scope asked for: a session sees its own, and what is global; none sees more than its own."""
    if scope is None or scope in in_sight(session.scope_mode):
        return scope or session.scope_mode
    raise _refused("scope", f"session {session.session_id} is of scope {session.scope_mode}, and sees no other")


def _said(text: str | None) -> str | None:
    return text if text is not None and text.strip() else None


def _canonical(name: str, value: Any) -> str:
    try:
        return canonical(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise _refused(name, f"it cannot be hashed: {error}") from None


def _told(violation: Violation) -> str:
    shown = ", ".join(violation.found)
    return f"{violation.rule}: {shown}" if shown else violation.message


def _shown(violation: Violation) -> dict[str, Any]:
    return {
        "rule": violation.rule,
        "severity": violation.severity,
        "message": violation.message,
        "found": list(violation.found),
        "cells": list(violation.cells),
    }


def _refused(field: str, why: str, recovery: str | None = None) -> ValidationFailed:
    return ValidationFailed(f"`{field}`: {why}", recovery=recovery, details={"fields": [field]})
