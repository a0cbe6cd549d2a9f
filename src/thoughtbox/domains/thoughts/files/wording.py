"""What a thought is and says, in words for people: its label without markers, its text without the notation."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from thoughtbox.domains.thoughts.cipher.notation import Step, parse
from thoughtbox.domains.thoughts.files.inert import one_line
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.ledger.record import seq_of

LONGEST = 300
"""Characters of a thought where it is told in passing."""
_MOST_NAMED = 8

_OF_LABEL = {
    "hypothesis": "Hypothesis",
    "assumption": "Assumption",
    "conclusion": "Conclusion",
    "revision": "Revision",
    "rejected": "Rejection",
}
_OF_KIND = {
    "observation": "Observation",
    "evidence": "Evidence",
    "question": "Question",
    "plan": "Plan",
    "decision": "Decision",
}
_OF_RELATION = {"derived_from": "from", "relates_to": "on"}
_OF_EVIDENCE = {"supports": "for", "contradicts": "against"}
_SAID_BEFORE = re.compile(r"\A(?:\s*∴|\W*decision\s*:)\s*", re.IGNORECASE)
"""What a decision begins with, and its label says already."""

Names = Callable[[int], str | None]
"""What a thought of the session is called: `S4`, `alt:S4`."""


def content_of(text: str) -> str:
    """What a thought says, without number, marker and references of its lines of cipher."""
    lines = parse(text).lines
    if not any(isinstance(line, Step) for line in lines):
        return text
    said = (
        f"{line.statement.removeprefix('∴').strip()}\n" if isinstance(line, Step) else line.source for line in lines
    )
    return "".join(said).strip("\r\n")


def told(text: str) -> str:
    """What a thought says, in passing: on one line, cut between words."""
    # Only so much is looked at as can be told: a thought may have a million characters.
    said = one_line(_SAID_BEFORE.sub("", content_of(text[: LONGEST * 4])))
    if len(said) <= LONGEST:
        return said
    cut = said[: LONGEST - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


def label(thought: Thought, names: Names) -> str:
    """`Hypothesis from S1`, `Evidence against S2`, `Rejects S4; from S7`, `Decision from S4, S5; answers S2`."""
    said: defaultdict[str, list[str]] = defaultdict(list)
    for relation in thought.relations:
        seq = seq_of(relation["to"])
        named = names(seq) if seq is not None else None
        said[_relation(thought, relation["type"])].append(named or one_line(relation["to"]))
    begins = _begins(thought)
    if thought.revises_number is not None and not said.keys() & {"revises", "rejects"}:
        revised = names(thought.revises) if thought.revises is not None else None
        said = defaultdict(list, {"revises": [revised or f"S{thought.revises_number}"], **said})
    if thought.kind == "revision":
        done = next((word for word in ("rejects", "revises") if word in said), None)
        if done is not None:
            begins = f"{done.capitalize()} {_listed(said.pop(done))}"
            return "; ".join([begins, *(f"{word} {_listed(found)}" for word, found in said.items())])
    parts = "; ".join(f"{word} {_listed(found)}" for word, found in said.items())
    return f"{begins} {parts}".strip()


def _begins(thought: Thought) -> str:
    if thought.kind in _OF_KIND:
        return _OF_KIND[thought.kind]
    return next((_OF_LABEL[each] for each in thought.labels if each in _OF_LABEL), "Thought")


def _relation(thought: Thought, relation: str) -> str:
    if thought.kind == "evidence" and relation in _OF_EVIDENCE:
        return _OF_EVIDENCE[relation]
    if thought.kind == "revision" and relation == "contradicts" and "rejected" in thought.labels:
        return "rejects"
    return _OF_RELATION.get(relation, relation.replace("_", " "))


def _listed(names: Sequence[str]) -> str:
    names = list(dict.fromkeys(names))
    if len(names) > _MOST_NAMED:
        names = [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"]
    return ", ".join(names)
