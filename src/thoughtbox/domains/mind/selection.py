"""Which cards a view shows: what is pinned, what is open, and then what was changed last.

Every question is bounded by how many cards are wanted, and never by how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal, NamedTuple

from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.cards.stamping import PINNED
from thoughtbox.domains.mind.facets import of_state, of_subgoals, of_tag, of_type
from thoughtbox.domains.mind.view.graph import GraphDoc, Node

ViewName = Literal["smart", "explore", "audit"]

MOST_PINS = 8
MOST_OF_A_KIND = 6
MOST_SUBGOALS = 4
MOST_OF_THE_STEP = 4
OPEN = "open"
OPEN_ONLY = ("smart", "audit")
"""Views that show nothing that was settled, unless it is pinned."""
BLOCKER = "blocker"


class Limits(NamedTuple):
    """How many of each kind are wanted."""

    hypotheses: int
    questions: int
    subgoals: int
    tests: int


class Frontier(NamedTuple):
    """What is open, the newest first; a subgoal is no question as well."""

    hypotheses: list[Node]
    questions: list[Node]
    subgoals: list[Node]
    tests: list[Node]


class Signals(NamedTuple):
    """What was decided, what speaks for it and what is in the way: the newest first."""

    blockers: list[Node]
    decisions: list[Node]
    evidence: list[Node]


def is_card(node: Node) -> bool:
    """Plans, tasks and steps are nodes, and so is whatever else was put into the graph."""
    return node.type in TYPES


def selected(
    graph: GraphDoc,
    *,
    view: str,
    limit: int,
    drafts: bool = False,
    step_tag: str | None = None,
    of_step_only: bool = True,
) -> list[Node]:
    """So many cards at most, in order of relevance: pinned, open, of the step in focus, and then the last changed.

    What is pinned is shown whatever the step in focus. All else is of that step, if there is one and `of_step_only`.
    """
    chosen: dict[str, Node] = {}
    within = step_tag if of_step_only else None
    for node in _by_relevance(graph, view, limit, drafts or view == "audit", step_tag, within):
        if len(chosen) >= limit:
            break
        chosen.setdefault(node.id, node)
    return list(chosen.values())


def _by_relevance(
    graph: GraphDoc, view: str, limit: int, drafts: bool, step_tag: str | None, within: str | None
) -> Iterator[Node]:
    if limit <= 0:
        return
    drafts_too = drafts or within is not None
    few = min(MOST_OF_A_KIND, limit)
    yield from islice(_cards(graph.walk(of_tag(PINNED), drafts=True, chunk=MOST_PINS)), MOST_PINS)
    kinds = [
        (of_state("hypothesis", OPEN, within), few),
        (of_state("question", OPEN, within), few),
        (of_subgoals(OPEN, within), min(MOST_SUBGOALS, limit)),
        (of_state("test", OPEN, within), few),
    ]
    for facet, most in kinds:
        yield from graph.newest(facet, drafts=drafts_too, limit=most)
    if step_tag is not None:
        yield from graph.newest(*_of_any_status(step_tag), drafts=True, limit=MOST_OF_THE_STEP)
    fill = [of_state(type, OPEN, within) for type in TYPES] if view in OPEN_ONLY else _of_any_status(within)
    yield from graph.walk(*fill, drafts=drafts_too, chunk=limit)


def _of_any_status(step_tag: str | None) -> list[str]:
    return [of_type(type, step_tag) for type in TYPES]


def _cards(nodes: Iterable[Node]) -> Iterator[Node]:
    return (node for node in nodes if is_card(node))


def frontier(graph: GraphDoc, limits: Limits, *, drafts: bool, step_tag: str | None) -> Frontier:
    """What is open: so many of each kind at most."""
    drafts_too = drafts or step_tag is not None

    def newest(facet: str, limit: int) -> list[Node]:
        return graph.newest(facet, drafts=drafts_too, limit=limit) if limit else []

    subgoals = newest(of_subgoals(OPEN, step_tag), limits.subgoals)
    shown = {node.id for node in subgoals}
    # As many more as might be among the subgoals.
    questions = newest(of_state("question", OPEN, step_tag), limits.questions and limits.questions + len(shown))
    return Frontier(
        hypotheses=newest(of_state("hypothesis", OPEN, step_tag), limits.hypotheses),
        questions=[node for node in questions if node.id not in shown][: limits.questions],
        subgoals=subgoals,
        tests=newest(of_state("test", OPEN, step_tag), limits.tests),
    )


def newest_of(found: Frontier) -> Node | None:
    """The card that was changed last among all that is open."""
    return max((node for nodes in found for node in nodes), key=lambda node: node.last_seq, default=None)


def signals(
    graph: GraphDoc, *, blockers: int, decisions: int, evidence: int, drafts: bool, step_tag: str | None
) -> Signals:
    """What is tagged as a blocker, whatever it is; decisions and evidence: so many of each at most."""
    drafts_too = drafts or step_tag is not None
    hindering = graph.walk(of_tag(BLOCKER), drafts=drafts_too, chunk=max(blockers, 1))
    of_step = (node for node in hindering if step_tag is None or step_tag in node.tags)
    return Signals(
        blockers=list(islice(of_step, blockers)),
        decisions=graph.newest(of_type("decision", step_tag), drafts=drafts_too, limit=decisions),
        evidence=graph.newest(of_type("evidence", step_tag), drafts=drafts_too, limit=evidence),
    )
