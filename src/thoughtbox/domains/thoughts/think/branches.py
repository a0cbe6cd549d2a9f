"""What becomes of a branch: it is adopted or rejected. A thought of the main line can say so, too."""

from __future__ import annotations

from thoughtbox.domains.thoughts.events import change
from thoughtbox.domains.thoughts.model.reasoning import FATE_OF
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.scope import current
from thoughtbox.domains.thoughts.stages import CIPHER_LOADED, at
from thoughtbox.domains.thoughts.think.models import BranchSettled, SettleBranch
from thoughtbox.domains.thoughts.think.queries import no_branch
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import SessionNotFound, ThoughtNotFound
from thoughtbox.ledger.record import present
from thoughtbox.operations import Example, Tx

_LATEST = {"sessionId": "latest"}
_GIVEN = (
    ("start_new", {"sessionTitle": "Slow pages"}),
    ("cipher", _LATEST),
    ("thought", {**_LATEST, "thought": "S1|O|User reports slow page loads"}),
    ("thought", {**_LATEST, "thought": "S2|H|S1|A queue", "branchId": "queue", "branchFromThought": 1}),
)


@room.operation(
    "branch.adopt",
    writes=True,
    guard=at(CIPHER_LOADED),
    title="Adopt a branch",
    errors=[SessionNotFound, ThoughtNotFound],
    example=Example({**_LATEST, "branchId": "queue", "why": "It survives a restart."}, given=_GIVEN),
)
def branch_adopt(tx: Tx, call: SettleBranch) -> BranchSettled:
    """Say that a branch is the way to go. A decision (C with ∴) that refers to [branch:Sn] says the same."""
    return _settle(tx, call, "branch_adopted")


@room.operation(
    "branch.reject",
    writes=True,
    effect="ends",
    guard=at(CIPHER_LOADED),
    title="Reject a branch",
    errors=[SessionNotFound, ThoughtNotFound],
    example=Example({**_LATEST, "branchId": "queue", "why": "One more thing to run."}, given=_GIVEN),
)
def branch_reject(tx: Tx, call: SettleBranch) -> BranchSettled:
    """Say that a branch is not the way to go: what it decided does not stand. X on [branch:Sn] says the same."""
    return _settle(tx, call, "branch_rejected")


def _settle(tx: Tx, call: SettleBranch, what: str) -> BranchSettled:
    session = current(tx, call.session_id)
    view = tx.ask(Thoughts)
    if view.line(session.id, call.branch_id) is None:
        raise no_branch(session.id, call.branch_id)
    before = view.fates(session.id).get(call.branch_id)
    if before is None or before.fate != FATE_OF[what] or call.why is not None:
        change(tx, session.id, what, branchId=call.branch_id, **present({"why": call.why}))
    return BranchSettled(
        session_id=session.id,
        branch_id=call.branch_id,
        fate=FATE_OF[what],
        was=before.fate if before is not None else "open",
    )
