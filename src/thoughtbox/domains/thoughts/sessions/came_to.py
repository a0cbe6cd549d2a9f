"""What a session came to, with what was said of its branches outside thoughts."""

from __future__ import annotations

from thoughtbox.domains.thoughts.model.session import CHANGED
from thoughtbox.domains.thoughts.records import thoughts_of
from thoughtbox.domains.thoughts.sessions.analysis.outcome import Outcome
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Tx


def outcome_of(tx: Tx, session_id: str) -> Outcome:
    fates = tx.ask(Thoughts).fates(session_id)
    said = {
        record.seq: record.data.get("why", "")
        for record in tx.ledger.records({settled.by for settled in fates.values()})
        if record.topic == CHANGED
    }
    whys = {branch: said[settled.by] for branch, settled in fates.items() if settled.by in said}
    return Outcome(list(thoughts_of(tx, session_id)), fates, whys)
