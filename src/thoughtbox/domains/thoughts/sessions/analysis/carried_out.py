"""What was carried out: decisions and plans that a later thought reports as done, all of it.

A report is read clause by clause, by rules that would rather miss one than say what is not so. `docs/analysis.md` has
them in words. They know English only.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from thoughtbox.domains.thoughts.cipher.meaning import plan_steps
from thoughtbox.domains.thoughts.model.reasoning import Reasoning
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.words import WORD, said_in, stems_of
from thoughtbox.ledger.record import seq_of
from thoughtbox.search.english import stem

DOABLE = frozenset({"decision", "plan"})
_REPORTING = frozenset({"observation", "evidence", "claim"})
_GUESSES = frozenset({"hypothesis", "assumption", "rejected"})
_NOT_ABOUT = frozenset({"contradicts", "revises", "blocks"})
"""Relations of a thought that speaks against another one or takes its place."""

RECENT = 100
"""Decisions and plans that a report without a reference may be about: the newest before it."""
_ALIKE = 0.5
_FEWEST_SHARED = 2

_CLAUSE = re.compile(r"[.;:!?]+(?=\s|$)|\n+|,\s+(?!\d)|\s+(?:but|though|although|while)\s+")
_MENTION = re.compile(r"(?<![\w:])(?:([a-z0-9-]{1,64}):)?S([0-9]{1,9})(?!\w)")
_STEPS = re.compile(r"\bsteps?\s+(\d{1,4}(?:\s*(?:,|and|&|to|-|–)\s*\d{1,4})*)", re.IGNORECASE)
_RANGE = re.compile(r"(\d+)\s*(?:to|-|–)\s*(\d+)")
_MOST_STEPS = 1000

_SAYS_DONE = """
    done finished completed shipped deployed merged released launched implemented migrated installed removed
    deleted rebuilt built fixed mended delivered published switched enabled disabled executed
"""
_DONE = frozenset(_SAYS_DONE.split())
_PHRASE = re.compile(
    r"\b(?:rolled out|carried out|in production|in place|in use|(?:is|are|was|were|went) live|(?:is|are) complete)\b"
)
_SAYS_IS = "is are was were be been has have had got it's they're"
_IS = frozenset(_SAYS_IS.split())
_SAYS_HOW = "on by since after in at to for from with off out over the a an our all today yesterday last this and"
_HOW = frozenset(_SAYS_HOW.split())
"""What follows a word that says what happened; behind one that only describes comes what it describes."""
_THROUGH = re.compile(r"\b(?:is|are) through\b")
_SAYS_NOT = "not never nobody none nothing neither isn't aren't wasn't weren't hasn't haven't yet"
_NEGATIONS = frozenset(_SAYS_NOT.split())
_SAYS_PERHAPS = """
    no nor cannot without hardly will would can could may might must should shall be being need needs if once when
    whenever until unless before after soon almost nearly
"""
_NOT_SO = _NEGATIONS | frozenset(_SAYS_PERHAPS.split())
"""Before a word that says "done" in its clause, these make it untrue, possible, or a condition."""
_IN_PART = re.compile(
    r"\b(?:half|quarter|tenth|part|partly|partially|some|most|mostly|few|staging|prototype|draft|"
    r"pull request|first (?:\d+|two|three|four|five|six|ten|twenty|few|half|batch|part|step|phase)|yet)\b"
)
_SHARE = re.compile(r"(\d[\d,.]*)\s*(?:of|out of)\s+(?:the\s+)?(\d[\d,.]*)|(\d[\d,.]*)\s*%")
_LEFT = re.compile(
    r"\b(?:behind a flag|feature flag|canary|pilot|to go|to do|waits?|waiting|pending|remaining|in progress|under ?way|"
    r"begins|left (?:is|are|to)|(?:is|are) left|not yet|no date|tomorrow|tonight|"
    r"next (?:week|month|sprint|release))\b"
)
_WHOLE = frozenset({"all", "every", "everything", "whole", "entire", "entirely", "fully", "completely"})


def carried_out(reasoning: Reasoning) -> dict[int, Thought]:
    """By decision or plan: the thought that reports it as done, or the one that completes the report."""
    found: dict[int, Thought] = {}
    places: dict[tuple[str | None, int], Thought] = {}
    recent: deque[_Recent] = deque(maxlen=RECENT)
    steps: defaultdict[int, set[int]] = defaultdict(set)
    for thought in reasoning.thoughts.values():
        if _may_report(thought, reasoning):
            report = _Report(said_in(thought.text), bare=thought.kind == "evidence")
            targets = _targets(thought, report, places, reasoning)
            if not targets and report.begins_with_done:
                targets = _meant(report, [each for each in recent if _within_reach(each.thought, thought)])
            beside_a_plan = any(target.kind == "plan" for target in targets)
            for target in targets:
                if report.covers(target, steps[target.seq], beside_a_plan=beside_a_plan):
                    found.setdefault(target.seq, thought)
        places[thought.branch_id, thought.number] = thought
        if thought.kind in DOABLE:
            recent.append(_Recent(thought, frozenset(stems_of(said_in(thought.text)) - _SAYING_SO)))
    return found


def _may_report(thought: Thought, reasoning: Reasoning) -> bool:
    """Whether it says what is so, was not taken back, and is no part of what was rejected."""
    if thought.kind not in _REPORTING or not _GUESSES.isdisjoint(thought.labels):
        return False
    return not reasoning.state(thought).has_fallen and reasoning.counts(thought)


def _targets(
    thought: Thought, report: _Report, places: dict[tuple[str | None, int], Thought], reasoning: Reasoning
) -> list[Thought]:
    """The decisions and plans that it refers to, or that its words name by number."""
    related = (seq_of(each["to"]) for each in thought.relations if each["type"] not in _NOT_ABOUT)
    named = [reasoning.thoughts.get(seq) for seq in related if seq is not None]
    for line, number in report.mentioned:
        if line:
            named.append(places.get((None if line == "main" else line, number)))
        else:
            named.append(places.get((thought.branch_id, number)) or places.get((None, number)))
    once = {each.seq: each for each in named if each is not None and each.kind in DOABLE and each.seq < thought.seq}
    return list(once.values())


def _within_reach(target: Thought, thought: Thought) -> bool:
    return target.branch_id == thought.branch_id or None in (target.branch_id, thought.branch_id)


class _Recent(NamedTuple):
    """A decision or plan, and its words."""

    thought: Thought
    stems: frozenset[str]


def _meant(report: _Report, recent: Iterable[_Recent]) -> list[Thought]:
    """The decision or plan that shares the most words with a report that refers to none, if it shares enough."""
    best: tuple[float, int] | None = None
    meant: list[Thought] = []
    for target, stems in recent:
        shared = len(stems & report.stems)
        alike = shared / max(1, min(len(stems), len(report.stems)))
        if shared >= _FEWEST_SHARED and alike >= _ALIKE and (best is None or (alike, target.seq) > best):
            best, meant = (alike, target.seq), [target]
    return meant


_SAYING_SO = frozenset(map(stem, (*_DONE, "decision", "decided")))


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    words: list[str]
    stems: frozenset[str]


class _Report:
    """What a thought says, and whether that is that something is done."""

    def __init__(self, said: str, *, bare: bool) -> None:
        """Of what is evidence for a decision, `All requests completed in 5 ms`, only a `bare` "done" is a report."""
        self._bare = bare
        self.mentioned = [(found[1] or "", int(found[2])) for found in _MENTION.finditer(said)]
        plain = _MENTION.sub("", said).replace("[", "").replace("]", "")
        self._clauses = [_clause(part) for part in _CLAUSE.split(plain) if part and part.strip()]
        self.stems = {word for clause in self._clauses for word in clause.stems} - _SAYING_SO
        self._left = any(_LEFT.search(clause.text) for clause in self._clauses)

    @property
    def begins_with_done(self) -> bool:
        return bool(self._clauses) and _has_no_subject(self._clauses[0])

    def covers(self, target: Thought, steps_before: set[int], *, beside_a_plan: bool) -> bool:
        """Whether it says that all of this is done. The steps that it reports are added to those of reports before."""
        said = said_in(target.text)
        stems = stems_of(said)
        verbs = {stem(word.casefold()) for word in WORD.findall(said) if not word.casefold().endswith("ed")}
        if any(_is_negated(clause, verbs) for clause in self._clauses):
            return False
        done = [clause for clause in self._clauses if _is_done(clause, verbs)]
        if self._bare:
            done = [clause for clause in done if _has_no_subject(clause)]
        steps = plan_steps(said) if target.kind == "plan" else []
        if len(steps) > 1:
            return self._covers_plan(done, steps, steps_before)
        if not done or (self._left and not beside_a_plan):
            return False
        if any(_is_whole(clause) for clause in done):
            return True
        named = [clause for clause in done if not _STEPS.search(clause.text)]
        return bool(named) and (any(map(_has_no_subject, named)) or not stems.isdisjoint(self.stems))

    def _covers_plan(self, done: Sequence[_Clause], steps: Sequence[str], before: set[int]) -> bool:
        before.update(number for clause in done for number in _step_numbers(clause.text))
        if before.issuperset(range(1, len(steps) + 1)):
            return True
        if self._left:
            return False
        by_step = [stems_of(step) for step in steps]
        named = [clause for clause in done if not _STEPS.search(clause.text)]
        if len(steps) == 2 and any("both" in clause.words for clause in named):
            return True
        return any(_is_whole(clause) or _ends(clause, by_step) for clause in named)


def _clause(part: str) -> _Clause:
    text = part.strip().casefold().replace("’", "'")
    return _Clause(text, re.findall(r"\w+(?:['./-]\w+)*", text), frozenset(stems_of(text)))


def _said_done_at(clause: _Clause, verbs: set[str]) -> int | None:
    """Which word of a clause says "done": one of ours, or what was to be done in the past tense."""
    for at, word in enumerate(clause.words):
        is_ours = word in _DONE
        if (is_ours or (_is_past(word) and stem(word) in verbs)) and _tells(clause.words, at):
            return at
    if phrase := _PHRASE.search(clause.text) or _THROUGH.search(clause.text):
        return len(clause.text[: phrase.start()].split())
    return None


def _tells(words: Sequence[str], at: int) -> bool:
    """Whether a participle says what happened (`jobs were moved`) or only describes (`moved jobs are slow`)."""
    if at == len(words) - 1 or words[at + 1] in _HOW or words[at + 1][0].isdigit():
        return True
    if not _IS.isdisjoint(words[max(0, at - 2) : at]):
        return True
    return at == 0 and _IS.isdisjoint(words[2:4])


_PAST = frozenset(
    {"bought", "built", "chosen", "given", "kept", "made", "rebuilt", "rewritten", "sent", "taken", "written"}
)


def _is_past(word: str) -> bool:
    return word.endswith("ed") or word in _PAST


def _is_done(clause: _Clause, verbs: set[str]) -> bool:
    at = _said_done_at(clause, verbs)
    if at is None or not _NOT_SO.isdisjoint(clause.words[:at]) or _IN_PART.search(clause.text):
        return False
    return not any(_is_a_part(found) for found in _SHARE.finditer(clause.text))


def _is_negated(clause: _Clause, verbs: set[str]) -> bool:
    """`The script is not changed yet`, `nobody has listed owners`."""
    if _NEGATIONS.isdisjoint(clause.words):
        return False
    return any(word in _DONE or (_is_past(word) and stem(word) in verbs) for word in clause.words)


def _is_a_part(found: re.Match[str]) -> bool:
    """`20 of 64`, `50 %`; not `64 of 64`."""
    some, whole = (found[1], found[2]) if found[1] else (found[3], "100")
    return some.strip(".,") != whole.strip(".,")


def _is_whole(clause: _Clause) -> bool:
    return not _WHOLE.isdisjoint(clause.words)


def _has_no_subject(clause: _Clause) -> bool:
    """`Shipped on 4 April`: what was shipped is what the thought refers to. Of `S4 is done`, `is done` is left."""
    first = next((word for word in clause.words if word not in _IS), "")
    return first in _DONE or clause.text.startswith(("rolled out", "carried out"))


def _ends(clause: _Clause, steps: Sequence[set[str]]) -> bool:
    """Whether it speaks of the last step more than of any other; without a subject, of none at all."""
    shared = [len(stems & clause.stems) for stems in steps]
    if not any(shared):
        return _has_no_subject(clause)
    return shared[-1] > max(shared[:-1])


def _step_numbers(text: str) -> set[int]:
    numbers: set[int] = set()
    for found in _STEPS.finditer(text):
        numbers.update(map(int, re.findall(r"\d+", found[1])))
        for first, last in _RANGE.findall(found[1]):
            numbers.update(range(int(first), min(int(last), _MOST_STEPS) + 1))
    return numbers
