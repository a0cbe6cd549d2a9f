"""A session as a person reads it: thoughts in order, each branch where it forks, labels and links in words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from thoughtbox.doors.cli.output import QUIET, Output, Styled, count

Answer = Mapping[str, Any]
"""Part of what an operation answers."""

Branch = str | None
"""None is the main line."""

SEPARATOR = " · "
STEP = "   "
DEEPEST = 4
"""Branches of branches are not indented any further."""

REJECTED = "rejected"
LABELS = {REJECTED: "rejection", "claim": "thought"}
"""What a label or a kind is called where it is not called by its own name."""

LINKS = {"derived_from": "from", "relates_to": "about", REJECTED: "rejects"}
STANDS = {
    "revisedBy": "revised by",
    "rejectedBy": "rejected by",
    "answeredBy": "answered by",
    "restsOn": "rests on",
    "actionId": "leads to",
}
"""What later thoughts made of one, and what became of it."""

_NAME = re.compile(r"\bS(?=[0-9]+\b)")
"""Before the number of a thought, in the words of the cipher."""


class Place(NamedTuple):
    """Where a thought stands: on which line, under which number."""

    branch: Branch
    number: int

    def seen_from(self, branch: Branch) -> str:
        return str(self.number) if self.branch == branch else f"{self.branch or 'main'}:{self.number}"


class Reading(NamedTuple):
    """A thought in the order of reading; `opens` when it is the first of its branch."""

    depth: int
    thought: Answer
    opens: bool


def when(time: str) -> str:
    """A time of the store, where the reader is."""
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def one_line(text: str) -> str:
    return " ".join(text.split())


def facts(session: Answer) -> str:
    """How large a session is, how far it is, and what it is about."""
    said = [count(session["thoughtCount"], "thought")]
    if branches := session["branchCount"]:
        said.append(f"{branches:,} branch" if branches == 1 else f"{branches:,} branches")
    said += [session["status"], f"updated {when(session['updatedAt'])}"]
    said += [str(session[name]) for name in ("project", "task", "aspect", "domain") if session.get(name)]
    said += [f"tags: {', '.join(session['tags'])}"] * bool(session["tags"])
    return SEPARATOR.join(said)


def show_session(out: Output, session: Answer, thoughts: Sequence[Answer], branches: Mapping[str, Answer]) -> None:
    """All of a session that was read."""
    out.paragraph(Styled(one_line(session["title"]), "bold"))
    out.say(Styled(session["id"], QUIET))
    out.paragraph(facts(session))
    if session.get("description"):
        out.say()
        out.paragraph(session["description"])
    places = {thought["id"]: place_of(thought) for thought in thoughts}
    for depth, thought, opens in reading_order(thoughts, branches):
        indent = STEP * min(depth, DEEPEST)
        out.say()
        if opens:
            out.paragraph(Styled(_branch_heading(thought, branches), "bold"), indent=indent)
        show_thought(out, thought, places, indent=indent)


def show_thought(out: Output, thought: Answer, places: Mapping[str, Place], *, indent: str = "") -> None:
    """One thought: its number and what it is, then what it says."""
    number = f"{thought['thoughtNumber']:>2}  "
    inside = indent + " " * len(number)
    heading = SEPARATOR.join(_heading(thought, places))
    out.paragraph(Styled(heading, "cyan"), indent=inside, first=indent + number)
    out.paragraph(in_words(thought["thought"]), indent=inside)
    for note in thought.get("notes") or ():
        out.paragraph(f"(note: {note})", indent=inside)
    if critique := thought.get("critique"):
        out.paragraph(f"critique by {critique['model']}: {critique['text']}", indent=inside)


def reading_order(thoughts: Sequence[Answer], branches: Mapping[str, Answer]) -> Iterator[Reading]:
    """The main line, and each branch behind the thought it forks from; last, those whose fork is not among them."""
    lines: dict[Branch, list[Answer]] = defaultdict(list)
    for thought in thoughts:
        lines[thought.get("branchId")].append(thought)
    forks: dict[Place, list[str]] = defaultdict(list)
    for name, line in branches.items():
        if name in lines:
            forks[Place(line.get("fromBranch"), line.get("fromThought", 0))].append(name)
    left = dict.fromkeys(name for name in lines if name is not None)
    waiting = [(0, iter(lines[None]), False)]
    while waiting or left:
        if not waiting:
            waiting.append((1, iter(lines[next(iter(left))]), True))
        depth, line, opens = waiting.pop()
        thought = next(line, None)
        if thought is None:
            continue
        left.pop(thought.get("branchId") or "", None)
        yield Reading(depth, thought, opens)
        waiting.append((depth, line, False))
        waiting += [(depth + 1, iter(lines[name]), True) for name in reversed(forks.pop(place_of(thought), []))]


def place_of(thought: Answer) -> Place:
    return Place(thought.get("branchId"), thought["thoughtNumber"])


def in_words(text: str) -> str:
    """What a thought says, without the fields of its cipher."""
    from thoughtbox.domains.thoughts.cipher.notation import Step, parse

    lines = parse(text).lines
    return "".join(line.content + line.end if isinstance(line, Step) else line.source for line in lines).strip()


def label(thought: Answer) -> str:
    """What a thought is, in a word. A conclusion that decides something is a decision."""
    labels = thought.get("labels") or ()
    name = thought["kind"] if thought["kind"] == "decision" or not labels else labels[0]
    return LABELS.get(name, name)


def _links(thought: Answer) -> Iterator[tuple[str, str]]:
    """How a thought is linked, and to which other. What a rejection contradicts, it rejects."""
    rejects = REJECTED in (thought.get("labels") or ())
    for relation in thought["relations"]:
        how: str = relation["type"]
        to: str = relation["to"]
        yield REJECTED if rejects and how == "contradicts" else how, to


def _heading(thought: Answer, places: Mapping[str, Place]) -> Iterator[str]:
    branch = thought.get("branchId")
    yield label(thought)
    if (confidence := thought.get("confidence")) is not None:
        yield f"{confidence:.0%} sure"
    links: dict[str, list[str]] = defaultdict(list)
    for how, to in _links(thought):
        target = places.get(to)
        links[LINKS.get(how, how.replace("_", " "))].append(target.seen_from(branch) if target else to)
    yield from (f"{how} {', '.join(targets)}" for how, targets in links.items())
    for name, said in STANDS.items():
        if value := thought.get(name):
            shown = value if name == "actionId" else _NAME.sub("", value).replace(f"{branch}:", "")
            yield f"{said} {shown}"


def _branch_heading(thought: Answer, branches: Mapping[str, Answer]) -> str:
    name = thought["branchId"]
    line = branches.get(name, {})
    fork = Place(line.get("fromBranch"), line.get("fromThought", 0))
    fate = f" ({line['fate']})" if line.get("fate") else ""
    return f"branch {name}, from {fork.seen_from(None)}{fate}" if fork.number else f"branch {name}{fate}"
