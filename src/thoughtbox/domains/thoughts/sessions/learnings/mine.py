"""The mine: a session's thoughts, and the findings that can be dug out of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from thoughtbox.domains.thoughts.cipher.meaning import plan_steps
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.outcome import Outcome
from thoughtbox.domains.thoughts.sessions.learnings.echoes import echoes
from thoughtbox.domains.thoughts.sessions.learnings.findings import (
    Finding,
    Quote,
    Statement,
    in_order,
    seqs_of,
    sources_of,
)
from thoughtbox.domains.thoughts.sessions.learnings.grounds import RESTS_ON, Grounds
from thoughtbox.domains.thoughts.sessions.learnings.models import BehaviorCharacteristics
from thoughtbox.domains.thoughts.sessions.learnings.quoting import inline, name_of, names_of
from thoughtbox.domains.thoughts.sessions.learnings.signals import Signals
from thoughtbox.domains.thoughts.sessions.words import WORD, figures_in, said_in, words_of
from thoughtbox.ledger.record import RELATIONS

_NAME = re.compile(r"\d|[_./:]|[a-z][A-Z]")


class Mine:
    """A session's thoughts, and what can be dug out of them."""

    def __init__(self, session: Session, outcome: Outcome, earlier: Sequence[Statement]) -> None:
        self.thoughts = outcome.thoughts
        self._outcome = outcome
        self._grounds = Grounds(outcome)
        self._rejected: defaultdict[str | None, list[Thought]] = defaultdict(list)
        for thought in outcome.reasoning.rejected:
            self._rejected[thought.branch_id].append(thought)
        self._wrong: dict[str, tuple[Thought, Thought]] = {}
        for thought in outcome.corrected:
            by = outcome.fell_to(thought)
            if by is not None:
                for figure in figures_in(thought.text) - figures_in(by.text):
                    self._wrong[figure] = (thought, by)
        words = {thought.seq: words_of(thought.text) for thought in self.thoughts}
        self._echoes = echoes(session, self.thoughts, words, earlier)

    def findings(self) -> list[Finding]:
        """In order of recording within each form."""
        decisions = self._outcome.reasoning.decisions
        found = [
            *(self._settled(decision, "Decided") for decision in decisions),
            *self._plans(),
            *self._overturned(),
            *self._rejections(),
            *Signals(self._outcome, self._grounds, decisions).findings(),
            *self._repetitions(),
        ]
        return [self._honest(self._weighed(finding)) for finding in found]

    def moment(self, thought: Thought, type_: str | None) -> Finding:
        """A thought that matters because somebody says so."""
        found = self._honest(self._settled(thought, "Key moment"))
        return replace(found, form="moment", type="anti-pattern" if type_ == "revision" else "pattern")

    def scores(self, finding: Finding) -> BehaviorCharacteristics:
        """What the finding is worth, counted from its sources."""
        held = said_in(finding.held.text)
        names = {word for word in WORD.findall(held) if _NAME.search(word)}
        repeated = min(3, len(finding.heard_in))
        proof = min(3, finding.evidence) + 2 * finding.done + repeated + (finding.significance or 0) // 3
        return BehaviorCharacteristics(
            specificity=min(10, 1 + len(names)),
            applicability=1 + 3 * repeated,
            complexity=max(1, min(10, len(finding.sources) - 1 + len(plan_steps(held)))),
            maturity=max(1, min(10, 1 + proof - finding.fallen)),
        )

    def _settled(self, thought: Thought, verb: str) -> Finding:
        """What was decided, and what it rests on."""
        grounds, linked = self._grounds.of(thought)
        report = self._outcome.reports.get(thought.seq)
        behind = self._outcome.rests_on(thought)
        remarks = []
        if grounds:
            how = "Rests on" if linked else "Nothing is linked to it; just before came"
            remarks.append(f"{how} {self._grounds.names(grounds)}.")
        if behind is not None and behind.seq not in seqs_of(grounds):
            remarks.append(f"Behind that is {self._grounds.name(behind)}.")
        if report is not None:
            remarks.append(f"Carried out: {name_of(report)}.")
        return Finding(
            form="decision",
            type="pattern",
            verb=verb,
            subject=thought,
            held=thought,
            about=(thought,),
            sources=sources_of([thought], [*grounds, *([report] if report else [])]),
            quotes=(
                Quote(f"{verb} {name_of(thought)}", (thought.text,)),
                *self._grounds.quotes(grounds),
                *([Quote(f"Carried out, by {name_of(report)}", (report.text,), essential=False)] if report else []),
            ),
            remark=" ".join(remarks),
            evidence=sum(map(self._grounds.speaks, grounds)) if linked else 0,
            fallen=max(sum(self._grounds.fell_since(ground, thought) for ground in grounds), int(behind is not None)),
            done=report is not None,
            heard_in=self._heard_in(thought),
        )

    def _plans(self) -> list[Finding]:
        """Plans that were carried out. Where a decision is behind one, that is what there is to learn from."""
        return [
            replace(self._settled(plan, "Planned"), form="plan")
            for plan in self._outcome.carried_out
            if plan.kind == "plan"
            and self._outcome.stands(plan)
            and not any(each.kind == "decision" for each in self._outcome.links.named_by(plan, *RESTS_ON))
        ]

    def _overturned(self) -> list[Finding]:
        """Decisions that fell, with what they fell to."""
        found = []
        for thought in self._outcome.overturned:
            by = self._outcome.fell_to(thought)
            if by is not None:
                how = self._outcome.reasoning.state(thought).status
                lead = f"Decided {name_of(thought)}, {how} by {name_of(by)}"
                found.append(replace(self._fallen(thought, by, lead), form="overturned", verb="Overturned", tier=0))
        return found

    def _rejections(self) -> list[Finding]:
        """What was rejected and is no decision; of a branch that was rejected, one finding for all of it."""
        left = dict.fromkeys(branch for branch, fate in self._outcome.branches.items() if fate == "rejected")
        found = []
        for thought in in_order(*(each for branch, each in self._rejected.items() if branch not in left)):
            by = self._outcome.fell_to(thought)
            if by is not None and thought.kind != "decision":
                lead = f"Rejected {name_of(thought)}, by {name_of(by)}"
                found.append(self._fallen(thought, by, lead))
        return found + [self._branch(branch) for branch in left]

    def _fallen(self, thought: Thought, by: Thought, lead: str) -> Finding:
        links, own = self._outcome.links, (thought.seq, by.seq)
        against = [each for each in links.naming(thought, "contradicts") if each.seq not in own]
        reasons = [
            each
            for each in in_order(links.named_by(by, *RESTS_ON), links.naming(by, "supports"))
            if each.seq not in {*own, *seqs_of(against)}
        ]
        support = [each for each in links.naming(thought, "supports") if each.seq not in own]
        report = self._outcome.reports.get(thought.seq)
        remarks = [f"Against it: {self._grounds.names(against)}."] if against else []
        remarks += [f"{name_of(by)} rests on {self._grounds.names(reasons)}."] if reasons else []
        remarks += [f"For it: {self._grounds.names(support)}."] if support else []
        remarks += [f"It had been carried out: {name_of(report)}."] if report else []
        grounds = [*against, *reasons, *support]
        return Finding(
            form="rejection",
            type="anti-pattern",
            verb="Rejected",
            subject=thought,
            held=by,
            about=(thought,),
            sources=sources_of([thought, by], grounds),
            quotes=(Quote(lead, (thought.text, by.text)), *self._grounds.quotes(grounds)),
            remark=" ".join(remarks),
            evidence=1 + sum(map(self._grounds.speaks, (*against, *reasons))),
            fallen=sum(self._grounds.fell_since(each, by) for each in (*against, *reasons)),
            tier=1 if against or reasons else 2,
            heard_in=self._heard_in(thought),
        )

    def _branch(self, branch: str) -> Finding:
        """A branch that was rejected: what it began with, and why it was left."""
        first = self._outcome.lines[branch][0]
        about = in_order([first], self._rejected[branch])
        by, why = self._outcome.settled_by(branch), self._outcome.why(branch)
        fell_to = (self._outcome.fell_to(thought) for thought in about)
        against = in_order(
            (each for each in fell_to if each is not None),
            *(self._outcome.links.naming(thought, "contradicts") for thought in about),
        )
        against = [each for each in against if by is None or each.seq != by.seq]
        lead = f"Rejected branch {inline(branch)}" + (f", by {name_of(by)}" if by else "")
        return Finding(
            form="branch",
            type="anti-pattern",
            verb="Rejected",
            subject=first,
            held=by or first,
            about=tuple(about),
            sources=sources_of(about, [*([by] if by else []), *against]),
            quotes=(Quote(lead, (first.text, *([why] if why else []))), *self._grounds.quotes(against)),
            remark=f"Against it: {names_of(against)}." if against else "",
            evidence=len(against),
            tier=1 if against else 2,
            heard_in=self._heard_in(first),
        )

    def _repetitions(self) -> list[Finding]:
        """One for all thoughts of this session that echo the same thoughts of others."""
        groups: dict[tuple[tuple[str, int], ...], list[Thought]] = {}
        heard_at: dict[tuple[tuple[str, int], ...], list[Statement]] = {}
        for thought in self.thoughts:
            heard = self._echoes.get(thought.seq)
            if not heard:
                continue
            places = tuple(sorted((each.session_id, each.number) for each in heard))
            groups.setdefault(places, []).append(thought)
            heard_at[places] = heard
        return [self._repetition(said, heard_at[places]) for places, said in groups.items()]

    def _repetition(self, said: Sequence[Thought], heard: Sequence[Statement]) -> Finding:
        elsewhere = [
            Quote(f"[S{each.number}] of session {inline(each.session_id)}", (each.text,), essential=at == 0)
            for at, each in enumerate(heard)
        ]
        return Finding(
            form="repetition",
            type="signal",
            verb="Came up again",
            subject=said[0],
            held=said[0],
            about=tuple(said),
            sources=sources_of(said),
            quotes=(Quote(f"Came up again in {names_of(said)}", (said[0].text,)), *elsewhere),
            tier=3,
            heard_in=frozenset(each.session_id for each in heard),
        )

    def _weighed(self, finding: Finding) -> Finding:
        links = self._outcome.links
        near = [(*links.naming(each, *RELATIONS), *links.named_by(each, *RELATIONS)) for each in finding.about]
        return replace(finding, weight=len({thought.seq for found in near for thought in found}))

    def _honest(self, finding: Finding) -> Finding:
        """What a finding quotes may have a figure that another thought had, too, which was corrected: it says so."""
        texts = [text for quote in finding.quotes for text in quote.texts]
        figures = {figure for text in texts for figure in figures_in(text)}
        said = f"{finding.remark} {' '.join(quote.lead for quote in finding.quotes)}"
        remarks = [finding.remark]
        for figure in sorted(figures & self._wrong.keys()):
            old, new = self._wrong[figure]
            if f"by {name_of(new)}" not in said:
                remarks.append(f"{name_of(old)} had {inline(figure)}, corrected by {name_of(new)}.")
        return replace(finding, remark=" ".join(filter(None, remarks)))

    def _heard_in(self, thought: Thought) -> frozenset[str]:
        return frozenset(heard.session_id for heard in self._echoes.get(thought.seq, ()))
