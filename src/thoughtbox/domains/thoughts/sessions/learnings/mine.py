"""The mine: a session's thoughts, and the findings that can be dug out of them."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

from thoughtbox.domains.thoughts.cipher.meaning import plan_steps
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.figures import analyze
from thoughtbox.domains.thoughts.sessions.analysis.links import (
    BUILDS_ON,
    Links,
    is_complete,
    is_decision,
    is_revision,
    is_tentative,
    lines_of,
)
from thoughtbox.domains.thoughts.sessions.analysis.patterns import open_questions, untested_hypotheses
from thoughtbox.domains.thoughts.sessions.learnings.echoes import echoes
from thoughtbox.domains.thoughts.sessions.learnings.findings import (
    MOST_SOURCES,
    Finding,
    Part,
    Statement,
    in_order,
    seqs_of,
    sources_of,
)
from thoughtbox.domains.thoughts.sessions.learnings.models import BehaviorCharacteristics
from thoughtbox.domains.thoughts.sessions.learnings.quoting import count_of, inline, name_of, names_of, plural
from thoughtbox.domains.thoughts.sessions.learnings.words import said_in, words_of

_JUST_BEFORE = 3


_RESTS_ON = ("derived_from", "refines", "answers", "relates_to")
"""Relations from a thought to what it rests on."""
_RARE_WEIGHT = 0.25


class Mine:
    """A session's thoughts, and what can be dug out of them."""

    def __init__(self, session: Session, thoughts: Sequence[Thought], earlier: Sequence[Statement]) -> None:
        self.thoughts = thoughts
        self.links = Links(thoughts)
        self._lines = lines_of(thoughts)
        self._revisions = [thought.seq for thought in thoughts if is_revision(thought)]
        self._session = session
        self._words = {thought.seq: words_of(thought.text) for thought in thoughts}
        self._used = Counter(word for words in self._words.values() for word in words)
        self._echoes = echoes(session, thoughts, self._words, earlier)

    def findings(self) -> list[Finding]:
        """In order of recording within each form."""
        forms: tuple[Callable[[Thought], Finding | None], ...] = (
            self._decision,
            self._revision,
            self._rejection,
            self._plan,
        )
        found = (form(thought) for form in forms for thought in self.thoughts)
        return [finding for finding in (*found, self._outcome()) if finding is not None] + self._repetitions()

    def moment(self, thought: Thought, type_: str | None) -> Finding:
        """A thought that matters because somebody says so."""
        found = self._settled(thought, "Key moment", f"A thought named as a key moment ({name_of(thought)})")
        return replace(found, form="moment", type="anti-pattern" if type_ == "revision" else "pattern")

    def figures(self) -> Finding:
        count, half = len(self.thoughts), MOST_SOURCES // 2
        ends = self.thoughts if count <= MOST_SOURCES else [*self.thoughts[:half], *self.thoughts[-half:]]
        return Finding(
            form="figures",
            type="signal",
            verb="Figures",
            subject=self.thoughts[0],
            standing=None,
            about=(),
            sources=tuple(ends),
            description=f"The session in figures, counted over {plural(count, 'thought')}.",
            json=self._figures_as_json(),
        )

    def scores(self, finding: Finding) -> BehaviorCharacteristics:
        """What the finding is worth, counted from its sources."""
        specificity = 1 + _rounded(9 * self._specific_share(finding.sources))
        repeated = min(3, len(finding.heard_in))
        steps = len(plan_steps(said_in(finding.standing.text))) if finding.standing else 1
        proof = min(3, finding.evidence) + min(2, self._survived(finding)) + repeated
        return BehaviorCharacteristics(
            specificity=specificity,
            applicability=min(10, 11 - specificity + repeated),
            complexity=max(1, min(10, len(finding.sources) - 1 + steps)),
            maturity=min(10, 1 + proof + (finding.significance or 0) // 3),
        )

    def _decision(self, thought: Thought) -> Finding | None:
        if not is_decision(thought) or not self.links.stands(thought):
            return None
        return self._settled(thought, "Decided", f"A decision ({name_of(thought)}) that still stands")

    def _outcome(self) -> Finding | None:
        """How a complete session ended, when none of its thoughts is a decision."""
        end = self._lines.get(None, [])[-1:]
        if not is_complete(end) or any(map(is_decision, self.thoughts)):
            return None
        last = end[0]
        if last.kind in ("question", "plan") or not self.links.stands(last) or not self._grounds(last)[0]:
            return None
        return self._settled(last, "Concluded", f"How the session ended ({name_of(last)}), without a decision")

    def _settled(self, thought: Thought, verb: str, what: str) -> Finding:
        grounds, linked = self._grounds(thought)
        return Finding(
            form="decision",
            type="pattern",
            verb=verb,
            subject=thought,
            standing=thought,
            about=(thought,),
            sources=sources_of(thought, grounds),
            description=f"{what}; it rests on {count_of(grounds, linked)}.",
            parts=(Part(verb, [thought]), *_grounds_part(grounds, linked)),
            evidence=self._still_standing(grounds) if linked else 0,
            heard_in=self._heard_in(thought),
        )

    def _revision(self, thought: Thought) -> Finding | None:
        revised = self.links.revised_by(thought)
        if revised is None or thought.seq in seqs_of(self.links.rejecting(revised)):
            return None
        reasons = [
            reason
            for reason in in_order(
                self.links.rejecting(revised),
                self.links.naming(thought, "supports"),
                self.links.named_by(thought, *_RESTS_ON),
            )
            if reason.seq not in (thought.seq, revised.seq)
        ]
        return Finding(
            form="revision",
            type="anti-pattern",
            verb="Revised",
            subject=revised,
            standing=thought,
            about=(revised, thought),
            sources=sources_of(revised, [thought, *reasons]),
            description=f"{name_of(revised)} was revised by {name_of(thought)}. Reasons: {count_of(reasons, True)}.",
            parts=(
                Part("What was thought first", [revised]),
                Part("What took its place", [thought]),
                *([Part("What spoke for the change", reasons)] if reasons else []),
            ),
            evidence=self._still_standing(reasons),
            heard_in=self._heard_in(revised, thought),
        )

    def _rejection(self, thought: Thought) -> Finding | None:
        if not self.links.is_rejected(thought):
            return None
        against = self.links.rejecting(thought)
        # What replaced it tells more than what rejected it, and names that among its reasons.
        if not seqs_of(self.links.revisions_of(thought)) <= seqs_of(against):
            return None
        support = self.links.naming(thought, "supports")
        return Finding(
            form="rejection",
            type="anti-pattern",
            verb="Rejected",
            subject=thought,
            standing=against[-1] if against else thought,
            about=(thought, *against),
            sources=sources_of(thought, [*against, *support]),
            description=(
                f"{name_of(thought)} was rejected."
                f" Against it: {count_of(against, True)}; for it: {count_of(support, True)}."
            ),
            parts=(
                Part("What was rejected", [thought]),
                *([Part("What speaks against it", against)] if against else []),
                *([Part("What spoke for it", support)] if support else []),
            ),
            evidence=max(0, len(against) - len(support)),
            heard_in=self._heard_in(thought),
        )

    def _plan(self, thought: Thought) -> Finding | None:
        if thought.kind != "plan" or not self.links.stands(thought):
            return None
        if not is_complete(self._lines[thought.branch_id], thought.branch_id):
            return None
        linked = [step for step in self.links.naming(thought, *BUILDS_ON) if step.seq > thought.seq]
        steps = linked or self._until_the_next_plan(thought)
        if not steps:
            return None
        remark = None if linked else "No thought is linked to the plan: these came after it, which is weaker."
        return Finding(
            form="plan",
            type="pattern",
            verb="Carried out",
            subject=thought,
            standing=thought,
            about=(thought,),
            sources=sources_of(thought, steps),
            description=(
                f"A plan ({name_of(thought)}) whose line was brought to its end, by {count_of(steps, bool(linked))}."
            ),
            parts=(Part("The plan", [thought]), Part("How it was carried out", steps, remark)),
            evidence=self._still_standing(linked),
            heard_in=self._heard_in(thought),
        )

    def _repetitions(self) -> list[Finding]:
        """One for all thoughts of this session that echo the same thoughts of others."""
        groups: dict[tuple[tuple[str, int], ...], list[Thought]] = {}
        heard_at: dict[tuple[tuple[str, int], ...], list[Statement]] = {}
        for thought in self.thoughts:
            echoes = self._echoes.get(thought.seq)
            if not echoes:
                continue
            places = tuple(sorted((heard.session_id, heard.number) for heard in echoes))
            groups.setdefault(places, []).append(thought)
            heard_at[places] = echoes
        return [self._repetition(said, heard_at[places]) for places, said in groups.items()]

    def _repetition(self, said: Sequence[Thought], echoes: Sequence[Statement]) -> Finding:
        sessions = frozenset(heard.session_id for heard in echoes)
        elsewhere = "another session" if len(sessions) == 1 else f"{len(sessions)} other sessions"
        quotes = [(f"[S{heard.number}] of session {inline(heard.session_id)}", heard.text) for heard in echoes]
        return Finding(
            form="repetition",
            type="signal",
            verb="Came up again",
            subject=said[0],
            standing=said[0],
            about=(),
            sources=sources_of(said[0], said[1:]),
            description=f"{names_of(said)} said what {elsewhere} said in nearly the same words.",
            parts=(Part("In this session", said), Part("In other sessions", quotes=quotes)),
            heard_in=sessions,
        )

    def _grounds(self, thought: Thought) -> tuple[list[Thought], bool]:
        """What a thought rests on, and whether links say so: else it is just what came before."""
        direct = in_order(self.links.naming(thought, "supports"), self.links.named_by(thought, *_RESTS_ON))
        behind = [self.links.naming(ground, "supports") for ground in direct if is_tentative(ground)]
        linked = [ground for ground in in_order(direct, *behind) if ground.seq != thought.seq]
        if linked:
            return linked, True
        before: list[Thought] = []
        at = self.links.before(thought)
        while at is not None and len(before) < _JUST_BEFORE:
            before.append(at)
            at = self.links.before(at)
        return [ground for ground in reversed(before) if self.links.stands(ground)], False

    def _until_the_next_plan(self, plan: Thought) -> list[Thought]:
        line = self._lines[plan.branch_id]
        after = line[bisect_right(line, plan.seq, key=lambda thought: thought.seq) :]
        return list(takewhile(lambda thought: thought.kind != "plan", after))

    def _still_standing(self, grounds: Iterable[Thought]) -> int:
        return sum(map(self.links.stands, grounds))

    def _survived(self, finding: Finding) -> int:
        """Revisions that came later and left what holds alone."""
        held = finding.standing
        if held is None or self.links.revisions_of(held):
            return 0
        return len(self._revisions) - bisect_right(self._revisions, held.seq)

    def _specific_share(self, sources: Sequence[Thought]) -> float:
        """Identifiers and numbers among the words, and a quarter of those that no other thought uses."""
        here = [self._words[thought.seq] for thought in sources]
        used_here = Counter(word for words in here for word in words)
        if not used_here:
            return 0.0
        exact = {word for words in here for word, is_exact in words.items() if is_exact}
        others = len(self.thoughts) > len(sources)
        rare = sum(others and self._used[word] == count for word, count in used_here.items() if word not in exact)
        return (len(exact) + _RARE_WEIGHT * rare) / len(used_here)

    def _heard_in(self, *thoughts: Thought) -> frozenset[str]:
        return frozenset(heard.session_id for thought in thoughts for heard in self._echoes.get(thought.seq, ()))

    def _figures_as_json(self) -> str:
        analysis = analyze(self._session, self.thoughts)
        figures = {
            "sessionId": self._session.id,
            "outcome": "complete" if analysis.quality.is_complete else "incomplete",
            "thoughtCount": analysis.metadata.thought_count,
            "branchCount": analysis.metadata.branch_count,
            "revisionCount": analysis.metadata.revision_count,
            "duration": analysis.metadata.duration,
            **analysis.structure.answer(),
            **analysis.quality.answer(),
            "completion": analysis.completion,
            "decisions": sum(map(is_decision, self.thoughts)),
            "rejected": sum(map(self.links.is_rejected, self.thoughts)),
            "openQuestions": len(open_questions(self.thoughts, self.links)),
            "untestedHypotheses": len(untested_hypotheses(self.thoughts, self.links)),
        }
        return json.dumps(figures, ensure_ascii=False)


def _grounds_part(grounds: Sequence[Thought], linked: bool) -> list[Part]:
    if not grounds:
        return []
    if linked:
        return [Part("What it rests on", grounds)]
    return [Part("What came just before", grounds, "No thought is linked to it, so that this is weaker than evidence.")]


def _rounded(value: float) -> int:
    return int(value + 0.5)
