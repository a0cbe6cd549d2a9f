"""Which thoughts `read_thoughts` asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thoughtbox.domains.thoughts.answers import ThoughtShown
from thoughtbox.domains.thoughts.cipher.meaning import kinds_labelled
from thoughtbox.domains.thoughts.model.thought import node_id
from thoughtbox.domains.thoughts.numbers import Numbers, missing, structure_of
from thoughtbox.domains.thoughts.paging import OPENED_AT_ONCE
from thoughtbox.domains.thoughts.records import last_of, thoughts_at
from thoughtbox.domains.thoughts.think.models import READ_BY_DEFAULT, ReadThoughts
from thoughtbox.domains.thoughts.view.lines import MAIN
from thoughtbox.domains.thoughts.view.links import NEXT, REVISES
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import InvalidPayload, ThoughtNotFound
from thoughtbox.ledger.record import AUTHORED, present, seq_of
from thoughtbox.ledger.view import NOW, astray
from thoughtbox.operations import Tx


def seq_meant(tx: Tx, thought_id: str) -> int | None:
    """The record that an id means: of the ledger, or of a node."""
    if (seq := seq_of(thought_id)) is not None:
        return seq
    session_id, _, rest = thought_id.partition(":")
    branch, _, number = rest.rpartition(":")
    if not number.isascii() or not number.isdigit() or len(number) > 10:
        return None
    node = tx.ask(Thoughts).node(session_id, branch or MAIN, int(number))
    return node.seq if node is not None else None


def asked_for(tx: Tx, session_id: str, call: ReadThoughts) -> tuple[dict[str, Any], list[int]]:
    """What was asked for, said again, and the records it comes to, in order of recording."""
    view = tx.ask(Thoughts)
    numbers = Numbers(view, session_id)
    branch = call.branch_id
    given = {
        "thoughtNumber": call.thought_number,
        "range": call.range,
        "refersTo": call.refers_to,
        "revises": call.revises,
        "last": call.last,
    }
    asked = present(given)
    if len(asked) > 1:
        raise InvalidPayload(
            f"{' and '.join(asked)} cannot be asked for together",
            recovery="Send one of them; branchId, kind and label may go with it.",
            details={"fields": list(asked)},
        )
    if call.kind is not None and call.kind not in AUTHORED:
        raise InvalidPayload(
            f"there is no kind `{call.kind}` of thought",
            recovery=f"Send label instead: {call.kind} is one."
            if call.kind in kinds_labelled()
            else f"The kinds are {', '.join(sorted(AUTHORED))}.",
            details={"fields": ["kind"]},
        )
    if call.label is not None and call.label not in kinds_labelled():
        raise InvalidPayload(
            f"there is no label `{call.label}`",
            recovery=f"Send kind instead: {call.label} is one."
            if call.label in AUTHORED
            else f"The labels are {', '.join(kinds_labelled())}.",
            details={"fields": ["label"]},
        )
    if branch is not None and numbers.line(branch) is None:
        raise no_branch(session_id, branch)
    if not asked and branch is None and call.kind is None and call.label is None:
        asked = {"last": READ_BY_DEFAULT}
    seqs = _found(tx, numbers, session_id, call, asked)
    if call.label is not None:
        seqs = _labelled(tx, session_id, seqs, call.label)
    if call.last is not None:
        seqs = seqs[-call.last :]
    extra = {"branchId": branch, "kind": call.kind, "label": call.label}
    return {**asked, **present(extra)}, seqs


def no_branch(session_id: str, branch: str) -> ThoughtNotFound:
    return ThoughtNotFound(
        f"the session has no branch `{branch}`",
        recovery=f"{structure_of(session_id)} shows its branches.",
        details={"sessionId": session_id, "branchId": branch},
    )


def _found(tx: Tx, numbers: Numbers, session_id: str, call: ReadThoughts, asked: dict[str, Any]) -> list[int]:
    view = tx.ask(Thoughts)
    branch, kind = call.branch_id, call.kind
    if call.thought_number is not None:
        node = view.node(session_id, branch, call.thought_number) if branch else None
        node = node or (numbers.seen_from(MAIN, call.thought_number) if branch is None else None)
        if node is None:
            raise missing(session_id, call.thought_number, "thoughtNumber", on=branch)
        return [node.seq] if kind in (None, node.kind) else []
    if call.refers_to is not None or call.revises is not None:
        target = numbers.target(branch or MAIN, call.refers_to or call.revises or 0, next(iter(asked)))
        pointing = view.links([target.seq]).get(target.seq, [])
        wanted = {source for how, source in pointing if _refers(how, only_revisions=call.revises is not None)}
        return [node.seq for node in view.nodes(session_id, kind=kind) if node.seq in wanted]
    if call.range is not None:
        low, high = sorted(call.range)
        return [node.seq for node in view.nodes(session_id, branch=branch or MAIN, numbers=(low, high), kind=kind)]
    if branch is None and kind is None and call.label is None:
        return last_of(tx, session_id, asked["last"])
    return [node.seq for node in view.nodes(session_id, branch=branch, kind=kind)]


def _labelled(tx: Tx, session_id: str, seqs: list[int], label: str) -> list[int]:
    """Those with the label. It stands in their records, which are opened where their kind can have it."""
    kinds = kinds_labelled()[label]
    nodes = tx.ask(Thoughts).nodes_at(session_id, seqs)
    able = [seq for seq in seqs if nodes[seq].kind in kinds]
    pages = (able[begin : begin + OPENED_AT_ONCE] for begin in range(0, len(able), OPENED_AT_ONCE))
    return [thought.seq for page in pages for thought in thoughts_at(tx, page) if label in thought.labels]


def _refers(how: str, *, only_revisions: bool) -> bool:
    """Whether a link says something of the thought, rather than that it comes next or criticises it."""
    return how == REVISES if only_revisions else how not in (NEXT, "branch", "critique")


def must_be_asked_for(shown: Sequence[ThoughtShown], session_id: str, call: ReadThoughts) -> None:
    """What the view led to says of itself what was asked for: its session, its number, its line, its kind."""
    low, high = sorted(call.range or (call.thought_number or 1, call.thought_number or NOW))
    on_main = call.range is not None and call.branch_id is None
    on_any = call.refers_to is not None or call.revises is not None  # the branch only says whose number is meant
    for each in shown:
        fits = (
            each.node_id == node_id(session_id, each.branch_id, each.thought_number)
            and low <= each.thought_number <= high
            and (each.branch_id == call.branch_id or on_any or (call.branch_id is None and not on_main))
            and call.kind in (None, each.kind)
            and (call.label is None or call.label in (each.labels or ()))
        )
        if not fits:
            raise astray(Thoughts, seq_of(each.id) or 0, f"a thought of session `{session_id}`")
