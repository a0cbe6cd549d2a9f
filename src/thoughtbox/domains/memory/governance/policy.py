"""What is violated is recorded; what is violated often becomes a policy.

The first violations of a rule are kept as episodes. With the third, they become the evidence of a policy cell, which is
then found in packs; from the next snapshot on, sessions that see it are held to the rule more strictly: a draft that
breaks it is blocked, and a router that was asked out of order before lets nobody skip a phase.
"""

from __future__ import annotations

from thoughtbox.domains.memory.episodes.cells import write_cell
from thoughtbox.domains.memory.episodes.recording import memory_is_on, record_episode
from thoughtbox.domains.memory.episodes.trust import ENTERED, STATED
from thoughtbox.domains.memory.governance.records import write_violation
from thoughtbox.domains.memory.governance.rules import rules
from thoughtbox.domains.memory.governance.sessions import in_sight
from thoughtbox.domains.memory.view.sessions import Session, Sessions
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import Tx

THRESHOLD = 3
"""Violations of one rule in one scope that make it a policy."""

BEHAVIOUR = "behavioral_violation"


def violated(tx: Tx, session: Session, rule: str, said: str) -> None:
    """Record that a rule was not kept, and make it a policy if that was once too often."""
    view = tx.ask(Sessions)
    last = view.last_violation(session.scope_mode, rule)
    position = last.position + 1 if last else 1
    policy, keys = rules()[rule].policy if _may_learn(tx) else None, (BEHAVIOUR, rule)
    episode = None
    if policy is not None and position <= THRESHOLD:
        episode = record_episode(
            tx,
            summary=policy,
            outcome="fail",
            source="system",
            trust=ENTERED,
            scope=session.scope_mode,
            context_keys=keys,
            session_id=session.session_id,
        )
    write_violation(
        tx, session.session_id, scope=session.scope_mode, rule=rule, position=position, said=said, episode=episode
    )
    if policy is not None and position == THRESHOLD:
        first = view.first_violations(session.scope_mode, rule, THRESHOLD)
        write_cell(
            tx,
            scope=session.scope_mode,
            label=rule,
            context_keys=keys,
            cell_type="policy",
            title=policy,
            body=policy,
            trust=STATED,
            state="stable",
            source="system",
            evidence=[violation.episode_id for violation in first if violation.episode_id is not None],
        )


def _may_learn(tx: Tx) -> bool:
    """Whether memory may learn from it; a configuration that cannot be read is no reason to lose the violation."""
    try:
        return memory_is_on(tx)
    except ThoughtboxError:
        return False


def escalated(tx: Tx, scope: str) -> list[str]:
    """The rules that have become policies for a session of this scope."""
    view, scopes = tx.ask(Sessions), in_sight(scope)

    def is_policy(rule: str) -> bool:
        last = (view.last_violation(within, rule) for within in scopes)
        return any(violation is not None and violation.position >= THRESHOLD for violation in last)

    return [name for name, rule in rules().items() if rule.policy is not None and is_policy(name)]
