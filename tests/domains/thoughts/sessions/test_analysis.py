"""The figures of a session, and the deeper look: the numbers that `docs/analysis.md` promises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.domains.thoughts.model.reasoning import Settled
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.deep_analysis import look_deeper
from thoughtbox.domains.thoughts.sessions.analysis.figures import analyze
from thoughtbox.domains.thoughts.sessions.analysis.models import (
    LONGEST_EXCERPT,
    MOST_LISTED,
    AnalysisKind,
    DeepAnalysis,
    SessionAnalysis,
)
from thoughtbox.domains.thoughts.sessions.analysis.outcome import Outcome
from thoughtbox.world import iso

SESSION = Session(
    id="5f0c2a44-0000-4000-8000-000000000001",
    title="Slow pages",
    tags=("debugging", "web"),
    created_at="2026-01-01T10:00:00.000Z",
    updated_at="2026-01-01T10:05:00.000Z",
    last_accessed_at="2026-01-01T10:06:00.000Z",
)
MINUTE = 60_000
START = 1_767_261_600_000


class Log:
    """Thoughts in order of recording, one per minute. Sequence numbers are far from thought numbers."""

    def __init__(self) -> None:
        self.thoughts: list[Thought] = []

    def add(
        self,
        text: str = "so it is",
        kind: str = "claim",
        *,
        on: str | None = None,
        forks: Thought | None = None,
        revises: Thought | None = None,
        links: tuple[tuple[str, Thought], ...] = (),
        **fields: Any,
    ) -> Thought:
        line = [thought for thought in self.thoughts if thought.branch_id == on]
        before = line[-1] if line else forks
        origin = line[0].origin if line else forks.seq if forks else None
        pointed = (*links, *((("revises", revises),) if revises else ()))
        given: dict[str, Any] = {
            "seq": 1001 + 3 * len(self.thoughts),
            "session_id": SESSION.id,
            "branch_id": on,
            "number": before.number + 1 if before else 1,
            "total": 10,
            "next_needed": True,
            "text": text,
            "timestamp": iso(START + MINUTE * len(self.thoughts)),
            "kind": "revision" if revises else kind,
            "is_revision": revises is not None,
            "revises": revises.seq if revises else None,
            "revises_number": revises.number if revises else None,
            "branch_from": forks.number if forks else None,
            "origin": origin,
            "prev": before.seq if before else None,
            "relations": tuple({"type": type_, "to": target.id} for type_, target in pointed),
            "refs": tuple(target.id for _, target in pointed),
        }
        thought = Thought(**{**given, **fields})
        self.thoughts.append(thought)
        return thought

    def analyzed(self) -> SessionAnalysis:
        return analyze(SESSION, Outcome(self.thoughts))

    def deeper(self, kind: AnalysisKind = "full", *, timeline: bool = False) -> DeepAnalysis:
        return look_deeper(SESSION, Outcome(self.thoughts), kind, timeline)


def example() -> Log:
    """The session of `docs/analysis.md`."""
    log = Log()
    report = log.add("User reports slow page loads", "observation")
    guess = log.add("Database queries cause the latency", labels=("hypothesis",), links=(("derived_from", report),))
    logs = log.add("Query logs show 2 s on average", "evidence", links=(("supports", guess),), critique_requested=True)
    log.add("A cache would hide it", on="cache", forks=guess)
    index = log.add("It is the missing index on users.email", revises=guess)
    log.add(
        "Add an index on users.email",
        "decision",
        labels=("conclusion",),
        links=(("derived_from", logs), ("derived_from", index)),
        next_needed=False,
    )
    return log


def numbers(mentions: list[Any]) -> list[int]:
    return [mention.thought_number for mention in mentions]


def test_the_example_has_the_figures_that_the_page_shows():
    answer = example().analyzed().answer()

    assert answer == {
        "sessionId": SESSION.id,
        "metadata": {
            "title": "Slow pages",
            "tags": ["debugging", "web"],
            "thoughtCount": 6,
            "branchCount": 1,
            "revisionCount": 1,
            "duration": 5 * MINUTE,
            "createdAt": "2026-01-01T10:00:00.000Z",
            "lastUpdatedAt": "2026-01-01T10:05:00.000Z",
        },
        "structure": {"linearityScore": 0.67, "revisionRate": 0.17, "maxDepth": 1, "thoughtDensity": 1.2},
        "quality": {"critiqueRequests": 1, "hasConvergence": True, "isComplete": True},
        "linearity": 0.67,
        "density": 1.2,
        "completion": 1.0,
        "branchCount": 1,
        "decisions": ["5"],
        "overturned": [],
        "rejected": [],
        "openQuestions": [],
        "untestedAssumptions": [],
        "stale": [],
        "carriedOut": [],
        "branches": {"cache": "open"},
        "leftOut": {},
    }


def test_an_empty_session_is_linear_and_nothing_else():
    analysis = Log().analyzed()

    assert analysis.structure.answer() == {
        "linearityScore": 1.0,
        "revisionRate": 0.0,
        "maxDepth": 0,
        "thoughtDensity": 0.0,
    }
    assert analysis.quality.answer() == {"critiqueRequests": 0, "hasConvergence": False, "isComplete": False}
    assert analysis.metadata.duration == 0
    assert analysis.completion == 0


@pytest.mark.parametrize(("next_needed", "total", "completion"), [(False, 5, 1.0), (True, 5, 0.0), (True, 1, 0.0)])
def test_a_single_thought_is_linear_takes_no_time_and_is_as_complete_as_it_says(next_needed, total, completion):
    log = Log()
    log.add(next_needed=next_needed, total=total)

    analysis = log.analyzed()

    assert (analysis.linearity, analysis.density, analysis.completion) == (1.0, 0.0, completion)
    assert analysis.quality.is_complete is not next_needed


def test_a_session_that_counts_down_ends_with_the_thought_recorded_last():
    log = Log()
    for number in (10, 9, 8):
        log.add(number=number)
    halfway = log.analyzed()
    log.add(number=7, next_needed=False)

    assert (halfway.quality.is_complete, halfway.completion) == (False, 0.0)
    assert log.analyzed().quality.is_complete
    assert log.analyzed().structure.linearity_score == 1.0


def test_more_thoughts_than_were_expected_do_not_complete_a_session():
    log = Log()
    for _ in range(12):
        log.add(total=10)

    assert log.analyzed().completion == 0


def test_a_revision_on_a_branch_counts_twice_and_linearity_stops_at_zero():
    log = Log()
    first = log.add()
    log.add()
    second = log.add(on="alt", forks=first)
    log.add(on="alt", revises=second)
    mixed = log.analyzed()
    for _ in range(4):
        log.add(on="alt", revises=second)

    assert (mixed.linearity, mixed.structure.revision_rate) == (0.25, 0.25)
    assert log.analyzed().linearity == 0.0


@pytest.mark.parametrize(
    ("lines", "converges"),
    [
        ([None, None], False),
        ([None, "alt"], False),
        ([None, "alt", None], True),
        ([None, "alt", None, "other"], False),
        ([None, "alt", "other", None], True),
    ],
)
def test_a_session_converges_when_the_main_line_goes_on_after_the_last_branch_thought(lines, converges):
    log = Log()
    first = log.add(on=lines[0])
    for line in lines[1:]:
        log.add(on=line, forks=first if line else None)

    assert log.analyzed().quality.has_convergence is converges


def test_the_end_of_a_branch_does_not_complete_the_session():
    log = Log()
    first = log.add()
    log.add(on="alt", forks=first, next_needed=False)

    assert not log.analyzed().quality.is_complete


def test_duration_runs_from_the_earliest_to_the_latest_time_whatever_the_order():
    log = Log()
    log.add(timestamp="2026-01-01T10:02:00.000Z")
    log.add(timestamp="2026-01-01T11:01:00+01:00")
    log.add(timestamp="2026-01-01T10:03:00")
    log.add(timestamp="2026-01-01T10:02:30Z")

    assert log.analyzed().metadata.duration == 2 * MINUTE
    assert log.analyzed().density == 2.0


def test_a_time_that_cannot_be_read_is_left_out():
    log = Log()
    log.add(timestamp="yesterday")
    log.add()
    log.add(timestamp="")

    assert log.analyzed().metadata.duration == 0
    assert log.deeper(timeline=True).answer()["timeline"]["firstAt"] == iso(START + MINUTE)


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("patterns", {"patterns"}),
        ("cognitive_load", {"cognitiveLoad"}),
        ("decision_points", {"decisionPoints"}),
        ("full", {"patterns", "cognitiveLoad", "decisionPoints"}),
    ],
)
@pytest.mark.parametrize("timeline", [False, True])
def test_only_the_parts_that_were_asked_for_are_there(kind, parts, timeline):
    answer = example().deeper(kind, timeline=timeline).answer()

    given = {name for name, value in answer.items() if value is not None} - {"sessionId", "analysisType"}
    assert given == parts | ({"timeline"} if timeline else set())


def test_a_deeper_look_at_an_empty_session_finds_nothing():
    answer = Log().deeper(timeline=True).answer()

    assert answer["patterns"]["longestChain"] is None
    assert set(answer["cognitiveLoad"].values()) == {0}
    points = answer["decisionPoints"]
    assert points.pop("leftOut") == {}
    assert all(found == [] for found in points.values())
    assert answer["timeline"]["duration"] == 0
    assert answer["timeline"]["firstAt"] is None


def test_revisions_in_a_row_on_one_line_are_a_run():
    log = Log()
    first = log.add()
    log.add(revises=first)
    log.add(on="alt", forks=first, revises=first)
    log.add(revises=first)
    log.add(revises=first)
    log.add()
    log.add(revises=first)

    (run,) = patterns(log).revision_runs

    assert (run.branch_id, run.first_number, run.last_number, run.count) == (None, 2, 4, 3)


def test_a_chain_leads_from_a_hypothesis_over_its_evidence_to_what_was_concluded():
    log = example()
    log.add("Nothing follows from this", labels=("hypothesis",))

    (chain,) = patterns(log).chains

    assert chain.hypothesis.thought_number == 2
    assert numbers(chain.evidence) == [3]
    assert numbers(chain.conclusions) == [5]


def test_evidence_that_supports_both_a_claim_and_a_decision_makes_a_chain():
    log = Log()
    guess = log.add()
    choice = log.add(kind="decision")
    proof = log.add(kind="evidence", links=(("supports", guess), ("supports", choice)))

    (chain,) = patterns(log).chains

    assert (numbers(chain.evidence), numbers(chain.conclusions)) == ([proof.number], [choice.number])


@pytest.mark.parametrize("broken", ["no evidence", "no conclusion", "a contradiction"])
def test_a_chain_with_a_part_missing_is_none(broken):
    log = Log()
    guess = log.add()
    proof = log.add(kind="evidence", links=() if broken == "no evidence" else (("supports", guess),))
    links = {"no evidence": "derived_from", "no conclusion": None, "a contradiction": "contradicts"}[broken]
    log.add(kind="decision", links=((links, proof), (links, guess)) if links else ())

    assert patterns(log).chains == []


@pytest.mark.parametrize("last_needs_more", [True, False])
@pytest.mark.parametrize(
    ("fate", "how", "said"),
    [
        ("open", None, {}),
        ("open", "derived_from", {}),
        ("adopted", "derived_from", {"adopts": ("alt",)}),
        ("rejected", "contradicts", {"rejects": ("alt",)}),
    ],
)
def test_a_branch_has_the_fate_that_was_said_of_it_and_no_other(fate, how, said, last_needs_more):
    log = Log()
    first = log.add()
    start = log.add(on="alt", forks=first)
    log.add(on="alt", next_needed=last_needs_more)
    log.add("so it is settled", links=((how, start),) if how else (), **said)

    (branch,) = patterns(log).branches

    assert (branch.branch_id, branch.from_number, branch.thought_count, branch.fate) == ("alt", 1, 2, fate)
    assert (branch.rejoined_by.thought_number if branch.rejoined_by else None) == (2 if how else None)
    assert branch.why == ("so it is settled" if fate != "open" else "")
    assert log.analyzed().branches == {"alt": fate}


def test_a_branch_that_only_its_own_branch_speaks_of_was_not_rejoined():
    log = Log()
    first = log.add()
    start = log.add(on="alt", forks=first)
    log.add(on="sub", forks=start, links=(("supports", start),))
    log.add()

    assert [branch.rejoined_by for branch in patterns(log).branches] == [None, None]


def test_a_branch_that_a_call_rejected_takes_its_decisions_along_and_says_why():
    log = Log()
    first = log.add()
    log.add("∴ Go left", "decision", on="alt", forks=first)
    outcome = Outcome(log.thoughts, {"alt": Settled("rejected", 9999)}, {"alt": "Too far"})

    points = look_deeper(SESSION, outcome, "decision_points", False).decision_points

    assert points is not None
    assert points.decisions == []
    (fallen,) = points.overturned
    assert (fallen.branch_id, fallen.how, fallen.by, fallen.why) == ("alt", "branch rejected", None, "Too far")


def test_what_fell_is_told_with_what_it_fell_to_and_why():
    log = Log()
    choice = log.add("∴ Go left", "decision")
    log.add("∴ Go right, left is closed", "decision", links=(("revises", choice),))
    guess = log.add("It rains", labels=("hypothesis",))
    log.add(
        "The ground is dry",
        revises=guess,
        links=(("contradicts", guess),),
        labels=("rejected",),
        relations=({"type": "contradicts", "to": guess.id},),
    )

    found = points(log)

    assert [(each.thought_number, each.how, each.by, each.why) for each in found.overturned] == [
        (1, "revised", "2", "∴ Go right, left is closed")
    ]
    assert [(each.thought_number, each.how, each.by, each.why) for each in found.rejected] == [
        (3, "rejected", "4", "The ground is dry")
    ]
    assert numbers(found.decisions) == [2]


def test_what_rests_on_something_that_fell_says_on_what():
    log = Log()
    measured = log.add("12 ms", "evidence")
    log.add("∴ Fast enough", "decision", links=(("derived_from", measured),))
    log.add("21 ms", revises=measured)

    (stale,) = patterns(log).stale

    assert (stale.thought_number, stale.rests_on, stale.by) == (2, "1", "3")
    assert log.analyzed().stale == ["2"]


def test_an_assumption_is_untested_until_something_is_held_against_it():
    log = Log()
    log.add("Disks are fast", labels=("assumption",))
    tested = log.add("Memory is cheap", labels=("assumption",))
    log.add("A price list", "observation", links=(("relates_to", tested),))

    assert numbers(patterns(log).untested_assumptions) == [1]
    assert log.analyzed().untested_assumptions == ["1"]


def test_the_longest_chain_goes_over_a_fork_point():
    log = Log()
    log.add()
    fork = log.add()
    log.add()
    for _ in range(3):
        log.add(on="alt", forks=fork)

    chain = patterns(log).longest_chain

    assert chain is not None
    assert (chain.length, chain.first.thought_number, chain.last.thought_number) == (5, 1, 5)
    assert chain.last.branch_id == "alt"


def test_a_question_is_open_until_an_answer_is_reached_through_relations():
    log = Log()
    open_one = log.add("Why?", "question")
    answered = log.add("When?", "question")
    revised = log.add("Who?", "question")
    reached = log.add("How?", "question")
    log.add("Still thinking about it", links=(("relates_to", open_one),))
    log.add("At noon", "observation", links=(("answers", answered),))
    again = log.add("Which team?", revises=revised)
    guess = log.add("By cache", labels=("hypothesis",), links=(("derived_from", reached),))
    proof = log.add("It hits", "evidence", links=(("supports", guess),))
    log.add("The cache does it", labels=("conclusion",), links=(("derived_from", proof),))

    assert numbers(patterns(log).open_questions) == [open_one.number, again.number]


def test_a_question_does_not_answer_itself():
    log = Log()
    own_id = "th:1001"
    question = log.add("Why?", "question", relations=({"type": "answers", "to": own_id},), refs=(own_id,))

    assert question.id == own_id
    assert numbers(patterns(log).open_questions) == [question.number]


def test_a_hypothesis_is_untested_until_something_speaks_for_or_against_it():
    log = Log()
    untested = log.add(labels=("hypothesis",))
    log.add("prose is no hypothesis")
    supported = log.add(labels=("hypothesis",))
    contradicted = log.add(labels=("hypothesis",))
    log.add(kind="evidence", links=(("supports", supported), ("contradicts", contradicted), ("relates_to", untested)))

    assert numbers(patterns(log).untested_hypotheses) == [untested.number]


def test_a_rejection_in_cipher_speaks_against_its_target_and_not_against_itself():
    log = Log()
    guess = log.add(labels=("hypothesis",))
    log.add("S2|X|S1|Disproved", "question", links=(("contradicts", guess),), labels=("rejected",))

    assert patterns(log).untested_hypotheses == []
    assert numbers(patterns(log).open_questions) == [2]


def test_the_example_has_the_load_that_the_page_shows():
    load = example().deeper("cognitive_load").answer()["cognitiveLoad"]

    assert load == {
        "complexityScore": 11,
        "meanLength": 29.67,
        "maxLength": 38,
        "openBranches": 1,
        "openQuestions": 0,
        "revisionShare": 0.17,
        "depth": 5,
        "breadth": 2,
    }


@pytest.mark.parametrize(
    ("texts", "kinds", "score"),
    [
        (["x" * 1000], "observation", 25),
        (["x" * 5000], "observation", 25),
        (["x" * 5], "question", 4),
        (["x"] * 10, "question", 23),
        (["x"] * 100, "observation", 15),
    ],
)
def test_each_part_of_the_load_has_its_weight_and_its_ceiling(texts, kinds, score):
    log = Log()
    for text in texts:
        log.add(text, kinds)

    load = log.deeper("cognitive_load").cognitive_load

    assert load is not None
    assert load.complexity_score == score


@pytest.mark.parametrize(
    ("text", "fields", "is_one"),
    [
        ("Go left", {"kind": "decision"}, True),
        ("S1|C|Left is nearer", {"labels": ("conclusion",)}, False),
        ("We've decided to go left", {}, False),
        ("Decision: go left", {"kind": "evidence"}, False),
    ],
)
def test_a_decision_is_what_is_of_that_kind_everywhere(text, fields, is_one):
    log = Log()
    log.add(text, **fields)

    assert bool(points(log).decisions) is is_one
    assert bool(log.analyzed().decisions) is is_one


def test_decision_points_name_forks_and_revisions_with_what_they_point_at():
    log = Log()
    first = log.add("where it began")
    log.add(on="a", forks=first)
    log.add(on="b", forks=first)
    log.add(on="b")
    log.add("better", revises=first)
    log.add("better still", is_revision=True)

    found = points(log)

    assert [(fork.thought.excerpt, fork.branches) for fork in found.forks] == [("where it began", ["a", "b"])]
    assert [(point.thought.excerpt, point.revises.excerpt if point.revises else None) for point in found.revisions] == [
        ("better", "where it began"),
        ("better still", None),
    ]


def test_a_revision_that_names_a_number_only_means_its_own_line_first():
    log = Log()
    first = log.add("main one")
    log.add("main two")
    log.add("branch two", on="alt", forks=first)
    log.add(on="alt", is_revision=True, revises_number=2)
    log.add(on="alt", is_revision=True, revises_number=1)

    assert [point.revises.excerpt for point in points(log).revisions if point.revises] == ["branch two", "main one"]


def test_a_timeline_tells_the_gaps_and_the_longest_pauses():
    log = Log()
    for minute in (0, 1, 3, 12):
        log.add(timestamp=iso(START + minute * MINUTE))

    timeline = log.deeper(timeline=True).timeline

    assert timeline is not None
    assert (timeline.duration, timeline.mean_gap, timeline.median_gap) == (12 * MINUTE, 4 * MINUTE, 2 * MINUTE)
    assert timeline.gaps == [1 * MINUTE, 2 * MINUTE, 9 * MINUTE]
    assert [(pause.milliseconds, pause.after.thought_number) for pause in timeline.longest_pauses] == [
        (9 * MINUTE, 3),
        (2 * MINUTE, 2),
        (1 * MINUTE, 1),
    ]


def test_gaps_are_taken_in_order_of_time():
    log = Log()
    for minute in (5, 0, 2):
        log.add(timestamp=iso(START + minute * MINUTE))

    timeline = log.deeper(timeline=True).timeline

    assert timeline is not None
    assert timeline.gaps == [2 * MINUTE, 3 * MINUTE]
    assert (timeline.first_at, timeline.last_at) == (iso(START), iso(START + 5 * MINUTE))


def test_thoughts_of_the_same_moment_are_no_pause():
    log = Log()
    for _ in range(3):
        log.add(timestamp=iso(START))

    timeline = log.deeper(timeline=True).timeline

    assert timeline is not None
    assert (timeline.gaps, timeline.longest_pauses) == ([0, 0], [])


def test_long_lists_are_cut_and_say_by_how_much():
    log = Log()
    first = log.add()
    for number in range(MOST_LISTED + 5):
        log.add("Why?", "question")
        log.add(kind="decision")
        log.add(on=f"b-{number}", forks=first)

    deep = log.deeper(timeline=True)

    assert deep.patterns is not None
    assert deep.decision_points is not None
    assert deep.timeline is not None
    assert len(deep.patterns.open_questions) == len(deep.patterns.branches) == MOST_LISTED
    assert deep.patterns.left_out == {"openQuestions": 5, "branches": 5}
    assert deep.decision_points.left_out == {"decisions": 5}
    assert deep.decision_points.forks[0].left_out == {"branches": 5}
    assert deep.timeline.left_out == {"gaps": 75 - MOST_LISTED}


def test_a_list_that_just_fits_is_not_called_cut():
    log = Log()
    for _ in range(MOST_LISTED):
        log.add("Why?", "question")

    assert len(patterns(log).open_questions) == MOST_LISTED
    assert patterns(log).left_out == {}


def test_an_excerpt_is_one_short_line():
    log = Log()
    log.add("Why\n\n  now?\t" + "word " * 1000, "question")
    log.add("Why\nnot?", "question")

    long, short = patterns(log).open_questions

    assert long.excerpt.startswith("Why now? word")
    assert long.excerpt.endswith("…")
    assert len(long.excerpt) == LONGEST_EXCERPT
    assert short.excerpt == "Why not?"


KINDS = ["claim", "evidence", "question", "plan", "observation", "decision"]
STEPS = st.tuples(
    st.text(max_size=30),
    st.sampled_from(KINDS),
    st.sampled_from([None, None, "alt", "other"]),
    st.sampled_from(["supports", "contradicts", "answers", "derived_from", "revises", None]),
    st.integers(min_value=0, max_value=30),
    st.booleans(),
)


@settings(deadline=None)
@given(st.lists(STEPS, max_size=25))
def test_no_session_breaks_the_figures_or_their_bounds(steps):
    log = Log()
    for text, kind, line, link, aim, more in steps:
        target = log.thoughts[aim % len(log.thoughts)] if log.thoughts else None
        log.add(
            text,
            kind,
            on=line if target else None,
            forks=target if line else None,
            revises=target if link == "revises" else None,
            links=((link, target),) if link and target and link != "revises" else (),
            next_needed=more,
        )

    analysis = log.analyzed()
    deep = log.deeper(timeline=True)

    assert 0 <= analysis.linearity <= 1
    assert 0 <= analysis.structure.revision_rate <= 1
    assert 0 <= analysis.completion <= 1
    assert (analysis.completion == 1) is analysis.quality.is_complete
    assert deep.cognitive_load is not None
    assert deep.patterns is not None
    assert 0 <= deep.cognitive_load.complexity_score <= 100
    assert len(deep.patterns.branches) == analysis.branch_count == analysis.structure.max_depth
    assert deep.cognitive_load.depth <= len(steps)
    assert log.deeper(timeline=True) == deep


def patterns(log: Log) -> Any:
    return log.deeper("patterns").patterns


def points(log: Log) -> Any:
    return log.deeper("decision_points").decision_points
