"""Jobs: handed out, taken by one runner at a time, reported on, finished, looked at."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.box import WORKSPACE
from tests.support.mind import Mind
from thoughtbox.domains.mind.jobs import lens
from thoughtbox.domains.mind.jobs.job import JOBS_STREAM, RUNNERS_STREAM
from thoughtbox.domains.mind.jobs.records import opened_job, opened_runner
from thoughtbox.domains.mind.jobs.salvage import refs_of
from thoughtbox.domains.mind.view.jobs import Jobs
from thoughtbox.errors import InvalidRecord, ThoughtboxError
from thoughtbox.ledger.record import Draft
from thoughtbox.ledger.replay import rebuild
from thoughtbox.operations.caller import ANONYMOUS

HELD: dict[str, Any] = {"job": "JOB-001", "runner_id": "r1", "claim_revision": 1}
SHORT: dict[str, Any] = {"lease_ttl_ms": 0}
"""A second, which the clock of the tests needs from one look to the next."""


def create(mind: Mind, **more: Any) -> dict[str, Any]:
    return mind.tasks_jobs_create(**{"title": "Measure", "prompt": "Run it twice.", **more})["job"]


def claim(mind: Mind, job: str = "JOB-001", runner: str = "r1", **more: Any) -> dict[str, Any]:
    return mind.tasks_jobs_claim(job=job, runner_id=runner, **more)


def complete(mind: Mind, job: str = "JOB-001", revision: int = 1, **more: Any) -> dict[str, Any]:
    held = {"job": job, "runner_id": "r1", "claim_revision": revision}
    return mind.tasks_jobs_complete(**{**held, "summary": "It is fast.", **more})


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in events]


def ids(jobs: list[dict[str, Any]]) -> list[str]:
    return [job["id"] for job in jobs]


def ask(mind: Mind, look: Callable[[Any], Any]) -> Any:
    return mind.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, look).result()


def flags(mind: Mind, job: str = "JOB-001") -> set[str]:
    """What a job is said to need; None of a job that is not on the radar."""
    found = {job["id"]: job["attention"] for job in mind.tasks_jobs_radar()["jobs"]}
    return {name for name, is_set in found[job].items() if is_set} if job in found else set()


def refused_and_led_on(mind: Mind, tool: str, **arguments: Any) -> ThoughtboxError:
    """A refusal whose suggestions succeed as they stand."""
    error = mind.refused(tool, **arguments)
    for suggestion in error.details["suggestions"]:
        assert mind.send(suggestion)["success"]
    return error


def test_a_job_is_put_into_the_queue_with_all_that_is_said_of_it(mind: Mind):
    mind.tasks_create(title="Plan")
    mind.tasks_create(title="Task", parent="PLAN-001")
    mind.macro_anchor_note(anchor="a:store", title="Store", kind="data", content="x", aliases=["a:db"])
    answer = mind.whole(
        "tasks_jobs_create",
        title="Measure",
        prompt="Run it twice.",
        kind="bench",
        priority="HIGH",
        task="TASK-001",
        anchor="a:db",
        meta={"why": "slow"},
    )

    job, event = answer["result"]["job"], answer["result"]["event"]
    assert job == {
        "id": "JOB-001",
        "revision": 0,
        "status": "QUEUED",
        "title": "Measure",
        "kind": "bench",
        "priority": "HIGH",
        "task_id": "TASK-001",
        "anchor_id": "a:store",
        "meta": {"why": "slow"},
        "created_at_ms": event["ts_ms"],
        "updated_at_ms": event["ts_ms"],
        "last_seq": event["seq"],
    }
    assert event == {
        "ref": f"JOB-001@{mind.head()}",
        "seq": mind.head(),
        "ts": event["ts"],
        "ts_ms": event["ts_ms"],
        "kind": "created",
        "message": "Measure",
        "refs": ["TASK-001"],
    }
    assert [warning["code"] for warning in answer["warnings"]] == ["ANCHOR_ALIAS_RESOLVED"]
    assert create(mind)["id"] == "JOB-002"


def test_a_job_is_for_the_usual_runner_and_of_medium_priority(quick: Mind):
    job = create(quick)
    assert (job["kind"], job["priority"]) == ("codex_cli", "MEDIUM")
    for said, meant in (("normal", "MEDIUM"), ("high", "HIGH"), ("LOW", "LOW")):
        assert create(quick, priority=said)["priority"] == meant
    assert quick.warnings("tasks_jobs_create", title="x", prompt="x", anchor="a:new") == ["ANCHOR_UNREGISTERED"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": "x" * 201},
        {"title": " "},
        {"prompt": "x" * 50_001},
        {"kind": "x" * 33},
        {"priority": "urgent"},
        {"task": "PLAN-001"},
        {"task": "T1"},
        {"anchor": "store"},
    ],
)
def test_what_no_job_can_be_is_refused(quick: Mind, wrong: dict[str, Any]):
    arguments = {"title": "x", "prompt": "x", **wrong}
    assert quick.refused("tasks_jobs_create", **arguments).code == "INVALID_INPUT"
    assert quick.refused("tasks_jobs_create", title="x", prompt="x", task="TASK-001").code == "UNKNOWN_ID"


def test_the_longest_job_is_taken(quick: Mind):
    job = create(quick, title="t" * 200, prompt="p" * 50_000)
    assert job["title"] == "t" * 200
    assert quick.tasks_jobs_open(job="JOB-001", include_prompt=True)["prompt"] == "p" * 50_000


def test_a_claim_makes_a_queued_job_run_and_gives_the_token_and_the_prompt(mind: Mind):
    create(mind)
    answer = mind.whole("tasks_jobs_claim", job="JOB-001", runner_id="r1")

    claimed = answer["result"]
    assert claimed["claim_revision"] == claimed["job"]["revision"] == 1
    assert (claimed["job"]["status"], claimed["job"]["runner"]) == ("RUNNING", "r1")
    assert claimed["prompt"] == "Run it twice."
    assert claimed["event"]["kind"] == "claimed"
    (suggestion,) = answer["suggestions"]
    assert mind.send(suggestion)["result"]["job"]["revision"] == 1


@pytest.mark.parametrize(
    ("asked", "lasts"), [(None, 180_000), (0, 1_000), (5_000, 5_000), (300_001, 300_000), (10**9, 300_000)]
)
def test_a_claim_lasts_for_as_long_as_asked_within_bounds(quick: Mind, asked: int | None, lasts: int):
    create(quick)
    claimed = claim(quick, lease_ttl_ms=asked)
    began = claimed["job"]["claim_expires_at_ms"] - lasts
    assert 0 < claimed["event"]["ts_ms"] - began <= 2_000  # the clock has gone on between the two looks at it


def test_a_job_that_runs_or_is_over_is_not_claimed_again(quick: Mind):
    create(quick)
    claim(quick)

    error = refused_and_led_on(quick, "tasks_jobs_claim", job="JOB-001", runner_id="r2")
    assert (error.code, error.details["runner"], error.details["revision"]) == ("CONFLICT", "r1", 1)
    assert quick.refused("tasks_jobs_claim", job="JOB-001", runner_id="r2", allow_stale=True).code == "CONFLICT"
    complete(quick)
    over = refused_and_led_on(quick, "tasks_jobs_claim", job="JOB-001", runner_id="r2", allow_stale=True)
    assert (over.code, over.details["status"]) == ("CONFLICT", "DONE")
    assert quick.tasks_jobs_open(job="JOB-001")["job"]["status"] == "QUEUED"  # as was suggested


def test_an_expired_claim_is_taken_over_by_whoever_asks_for_it_and_the_first_runner_loses_it(mind: Mind):
    create(mind)
    claim(mind, **SHORT)
    error = mind.refused("tasks_jobs_claim", job="JOB-001", runner_id="r2")
    assert "expired" in error.message
    (suggestion,) = error.details["suggestions"]
    taken = mind.send(suggestion)["result"]

    assert (taken["job"]["runner"], taken["claim_revision"]) == ("r2", 2)
    assert taken["event"]["kind"] == "reclaimed"
    assert taken["event"]["meta"] == {"reason": "ttl_expired", "previous_runner": "r1"}
    for tool, said in (("tasks_jobs_report", {"message": "x"}), ("tasks_jobs_complete", {"summary": "x"})):
        assert refused_and_led_on(mind, tool, **HELD, **said).code == "CONFLICT"


def test_of_two_runners_who_claim_at_once_one_gets_the_job(mind: Mind):
    for _ in range(5):
        create(mind)

    def attempt(place: tuple[str, str]) -> str:
        try:
            return claim(mind, *place)["job"]["runner"]
        except ThoughtboxError as error:
            return error.code

    jobs, runners = [f"JOB-{number:03d}" for number in range(1, 6)], ["r1", "r2", "r3"]
    places = [(job, runner) for job in jobs for runner in runners]
    with ThreadPoolExecutor(6) as pool:
        answers = dict(zip(places, pool.map(attempt, places), strict=True))
    for job in jobs:
        told = sorted(answers[job, runner] for runner in runners)
        assert told == ["CONFLICT", "CONFLICT", mind.tasks_jobs_open(job=job)["job"]["runner"]]


def test_a_report_is_an_event_and_renews_the_lease(mind: Mind):
    create(mind)
    before = claim(mind)["job"]["claim_expires_at_ms"]
    reported = mind.tasks_jobs_report(
        **HELD, message="Half.", percent=50, refs=["CARD-1", "CMD: make"], meta={"n": 1}, kind="measured"
    )

    assert reported["event"] == {
        "ref": f"JOB-001@{mind.head()}",
        "seq": mind.head(),
        "kind": "measured",
        "message": "Half.",
        "percent": 50,
        "refs": ["CARD-1", "CMD: make"],
        "meta": {"n": 1},
        **{name: reported["event"][name] for name in ("ts", "ts_ms")},
    }
    assert reported["renewed"] is True
    assert reported["job"]["claim_expires_at_ms"] > before
    assert (reported["job"]["status"], reported["job"]["revision"]) == ("RUNNING", 1)
    assert reported["job"]["updated_at_ms"] == reported["event"]["ts_ms"]


def test_a_late_report_keeps_a_claim_that_nobody_took_over(quick: Mind):
    create(quick)
    claim(quick, **SHORT)
    assert flags(quick) == {"stale"}
    quick.tasks_jobs_report(**HELD, message="Still here.", lease_ttl_ms=300_000)
    assert flags(quick) == set()


@pytest.mark.parametrize("tool", ["tasks_jobs_report", "tasks_jobs_complete"])
def test_only_the_claim_that_holds_may_report_and_complete(quick: Mind, tool: str):
    said = {"message": "x"} if tool == "tasks_jobs_report" else {"summary": "x"}
    create(quick)
    assert refused_and_led_on(quick, tool, **HELD, **said).code == "CONFLICT"
    claim(quick)
    for wrong in ({"runner_id": "r2"}, {"claim_revision": 0}):
        error = refused_and_led_on(quick, tool, **{**HELD, **wrong}, **said)
        assert (error.code, error.details["revision"]) == ("CONFLICT", 1)
    complete(quick)
    assert refused_and_led_on(quick, tool, **HELD, **said).code == "CONFLICT"


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "x" * 33},
        {"kind": "completed"},
        {"message": "x" * 401},
        {"percent": 101},
        {"refs": ["x" * 129]},
        {"refs": ["x"] * 33},
    ],
)
def test_what_no_report_can_be_is_refused(quick: Mind, wrong: dict[str, Any]):
    create(quick)
    claim(quick)
    assert quick.refused("tasks_jobs_report", **{**HELD, "message": "x", **wrong}).code == "INVALID_INPUT"
    longest = {"kind": "k" * 32, "message": "m" * 400, "percent": 100, "refs": ["r" * 128] * 32}
    assert quick.tasks_jobs_report(**HELD, **longest)["event"]["kind"] == "k" * 32


def test_heartbeats_in_a_row_are_one_event_the_last(mind: Mind):
    create(mind)
    claim(mind, **SHORT)
    for number in range(3):
        last = mind.tasks_jobs_report(**HELD, kind="heartbeat", message=f"{number}", **SHORT)["event"]
    assert kinds(mind.tasks_jobs_open(job="JOB-001")["events"]) == ["heartbeat", "claimed", "created"]
    assert mind.tasks_jobs_open(job="JOB-001")["events"][0] == last

    mind.tasks_jobs_report(**HELD, message="Half.")
    mind.tasks_jobs_report(**HELD, kind="heartbeat", message="3", percent=60)
    shown = [(event["kind"], event["message"]) for event in mind.tasks_jobs_tail(job="JOB-001")["events"]]
    assert shown[2:] == [("heartbeat", "2"), ("progress", "Half."), ("heartbeat", "3")]


def test_a_heartbeat_that_comes_early_is_not_written_and_the_answer_says_so(mind: Mind):
    create(mind)
    before = claim(mind)["job"]
    head = mind.head()
    early = mind.tasks_jobs_report(**HELD, kind="heartbeat", message="here")

    assert early == {"job": before, "renewed": False}
    assert mind.head() == head
    assert mind.tasks_jobs_open(job="JOB-001")["job"] == before
    assert mind.tasks_jobs_report(**HELD, kind="heartbeat", message="here", lease_ttl_ms=9_000)["renewed"] is True
    assert mind.tasks_jobs_report(**HELD, kind="heartbeat", message="here", percent=5)["renewed"] is True


def test_whoever_sends_heartbeats_twice_per_lease_keeps_the_job(quick: Mind):
    create(quick)
    claim(quick, lease_ttl_ms=20_000)
    renewals = 0
    for _ in range(60):  # a second or two pass with each, and three leases in all
        renewals += quick.tasks_jobs_report(**HELD, kind="heartbeat", message="here")["renewed"]
        assert flags(quick) == set()
    assert 6 <= renewals <= 40  # not each was a record


def test_a_finished_job_says_what_was_done_and_refers_to_it(mind: Mind):
    create(mind)
    claim(mind)
    summary = "It is fast, see CARD-7 and notes@12 (a:store).\n- CMD: make bench\nLINK: https://ci.example/9\nTASK-001."
    done = complete(mind, summary=summary, refs=["CARD-1"], meta={"n": 1})

    job, event = done["job"], done["event"]
    assert (job["status"], job["revision"], job["runner"], job["summary"]) == ("DONE", 2, "r1", summary)
    assert job["completed_at_ms"] == job["updated_at_ms"] == event["ts_ms"]
    assert "claim_expires_at_ms" not in job
    assert event["kind"] == "completed"
    assert event["message"] == "It is fast, see CARD-7 and notes@12 (a:store)."
    assert event["refs"] == [
        *("CARD-1", "CARD-7", "notes@12", "a:store", "CMD: make bench", "LINK: https://ci.example/9", "TASK-001"),
        "JOB-001",
    ]
    assert mind.refused("tasks_jobs_complete", **HELD, summary="x" * 801).code == "INVALID_INPUT"


def test_a_job_may_fail(quick: Mind):
    create(quick)
    claim(quick)
    failed = complete(quick, status="FAILED", summary="s" * 800)
    assert (failed["job"]["status"], failed["event"]["kind"]) == ("FAILED", "failed")
    assert len(failed["event"]["message"]) == 400
    assert failed["event"]["refs"] == ["JOB-001"]


def test_what_a_summary_refers_to_keeps_to_the_limits():
    assert refs_of("JOB-001", [], "See https://example.com/a. And JOB-001, JOB-002@17!") == [
        *("LINK: https://example.com/a", "JOB-002@17", "JOB-001"),
    ]
    assert refs_of("JOB-001", [], "CMD:\nCMD: " + "x" * 130 + "\nmail me@example.com, aCARD-1, STEP-0000000A") == [
        *("STEP-0000000A", "JOB-001"),
    ]
    many = refs_of("JOB-001", [f"r{number}" for number in range(32)], "CARD-1")
    assert (len(many), many[-2:]) == (32, ["r30", "JOB-001"])


def test_a_message_reaches_a_job_that_waits_or_runs_and_no_other(quick: Mind):
    create(quick)
    sent = quick.tasks_jobs_message(job="JOB-001", message="Small set.", refs=["CARD-1"], agent_id="boss")
    assert (sent["event"]["kind"], sent["event"]["message"]) == ("message", "Small set.")
    assert (sent["event"]["refs"], sent["event"]["meta"]) == (["CARD-1"], {"agent_id": "boss"})
    assert (sent["job"]["status"], sent["job"]["revision"]) == ("QUEUED", 0)
    claim(quick)
    quick.tasks_jobs_message(job="JOB-001", message="Hurry.")
    quick.tasks_jobs_report(**HELD, message="Yes.")  # the claim holds
    complete(quick)
    assert refused_and_led_on(quick, "tasks_jobs_message", job="JOB-001", message="x").code == "CONFLICT"


def test_a_job_that_is_over_is_put_into_the_queue_again_and_no_other(mind: Mind):
    create(mind)
    assert refused_and_led_on(mind, "tasks_jobs_requeue", job="JOB-001").code == "CONFLICT"
    claim(mind)
    assert refused_and_led_on(mind, "tasks_jobs_requeue", job="JOB-001").code == "CONFLICT"
    complete(mind)
    again = mind.tasks_jobs_requeue(job="JOB-001", reason="Warm cache.")

    assert (again["job"]["status"], again["job"]["revision"]) == ("QUEUED", 3)
    assert not {"runner", "summary", "completed_at_ms", "claim_expires_at_ms"} & again["job"].keys()
    assert (again["event"]["kind"], again["event"]["message"]) == ("requeued", "Warm cache.")
    assert claim(mind)["claim_revision"] == 4


def test_a_job_is_called_off_once(mind: Mind):
    create(mind)
    claim(mind)
    off = mind.tasks_jobs_cancel(job="JOB-001", reason="Not needed.")
    head = mind.head()

    assert (off["job"]["status"], off["event"]["message"], off["changed"]) == ("CANCELED", "Not needed.", True)
    assert mind.tasks_jobs_cancel(job="JOB-001") == {"job": off["job"], "changed": False}
    assert mind.head() == head
    assert mind.refused("tasks_jobs_report", **HELD, message="x").code == "CONFLICT"
    mind.tasks_jobs_requeue(job="JOB-001")
    claim(mind)
    complete(mind, revision=4)
    assert refused_and_led_on(mind, "tasks_jobs_cancel", job="JOB-001").code == "CONFLICT"


def test_jobs_are_listed_by_their_last_change_a_page_at_a_time(mind: Mind):
    for _ in range(4):
        create(mind)
    claim(mind, "JOB-002")

    first = mind.tasks_jobs_list(limit=2)
    assert (ids(first["jobs"]), first["count"], first["has_more"]) == (["JOB-002", "JOB-004"], 2, True)
    rest = mind.tasks_jobs_list(limit=2, cursor=first["next_cursor"])
    assert (ids(rest["jobs"]), rest["has_more"], "next_cursor" in rest) == (["JOB-003", "JOB-001"], False, False)
    assert mind.tasks_jobs_list(limit=0)["count"] == 1
    assert mind.tasks_jobs_list(limit=9_999)["count"] == 4


def test_jobs_are_looked_for_by_state_task_anchor_kind_and_runner(mind: Mind):
    mind.tasks_create(title="Plan")
    mind.tasks_create(title="Task", parent="PLAN-001")
    mind.macro_anchor_note(anchor="a:store", title="Store", kind="data", content="x")
    create(mind, task="TASK-001")
    create(mind, anchor="a:store")
    create(mind, kind="bench")
    claim(mind, "JOB-003")
    mind.anchors_rename(**{"from": "a:store", "to": "a:shop"})

    for narrowed, found in (
        ({"status": "QUEUED"}, ["JOB-002", "JOB-001"]),
        ({"task": "TASK-001"}, ["JOB-001"]),
        ({"anchor": "a:shop"}, ["JOB-002"]),
        ({"anchor": "a:store"}, ["JOB-002"]),
        ({"kind": "bench"}, ["JOB-003"]),
        ({"runner_id": "r1"}, ["JOB-003"]),
        ({"runner_id": "r1", "status": "QUEUED"}, []),
    ):
        assert ids(mind.tasks_jobs_list(**narrowed)["jobs"]) == found
    assert ids(mind.tasks_jobs_radar(anchor="a:store")["jobs"]) == ["JOB-002"]
    assert ids(mind.tasks_jobs_radar(task="TASK-001")["jobs"]) == ["JOB-001"]
    assert mind.refused("tasks_jobs_list", task="TASK-009").code == "UNKNOWN_ID"


def test_an_opened_job_shows_its_last_events_the_newest_first(mind: Mind):
    create(mind)
    claim(mind)
    for number in range(11):
        mind.tasks_jobs_report(**HELD, message=f"{number}")

    shown = mind.tasks_jobs_open(job="JOB-001")
    assert [event["message"] for event in shown["events"]] == [str(number) for number in range(10, 0, -1)]
    assert shown["has_more_events"] is True
    assert "prompt" not in shown
    older = mind.tasks_jobs_open(job="JOB-001", before_seq=shown["next_before_seq"])
    assert kinds(older["events"]) == ["progress", "claimed", "created"]
    assert (older["has_more_events"], "next_before_seq" in older) == (False, False)
    assert mind.tasks_jobs_open(job="JOB-001", include_events=False)["events"] == []
    assert len(mind.tasks_jobs_open(job="JOB-001", max_events=999)["events"]) == 13
    assert refused_and_led_on(mind, "tasks_jobs_open", job="JOB-009").code == "UNKNOWN_ID"
    assert mind.refused("tasks_jobs_open", job="J1").code == "INVALID_INPUT"


def test_a_job_is_followed_from_where_one_was(quick: Mind):
    create(quick)
    claim(quick)
    for number in range(50):
        quick.tasks_jobs_report(**HELD, message=f"{number}")

    first = quick.tasks_jobs_tail(job="JOB-001")
    assert (first["count"], first["has_more"], first["status"]) == (50, True, "RUNNING")
    assert kinds(first["events"])[:3] == ["created", "claimed", "progress"]
    rest = quick.tasks_jobs_tail(job="JOB-001", after_seq=first["next_after_seq"])
    assert ([event["message"] for event in rest["events"]], rest["has_more"]) == (["48", "49"], False)
    over = quick.tasks_jobs_tail(job="JOB-001", after_seq=rest["next_after_seq"])
    assert (over["events"], over["next_after_seq"]) == ([], rest["next_after_seq"])


def test_the_radar_says_what_each_job_needs(mind: Mind):
    create(mind)
    claim(mind)
    assert flags(mind) == set()
    report = lambda kind, **more: mind.tasks_jobs_report(**HELD, message="x", kind=kind, **more)  # noqa: E731
    for kind in ("question", "blocker", "needs_manager"):
        report(kind)
        assert flags(mind) == {"needs_manager"}
        mind.tasks_jobs_message(job="JOB-001", message="Go on.")
        assert flags(mind) == set()
    report("needs_proof")
    assert flags(mind) == {"needs_proof"}
    report("progress", refs=["CMD: make test"])
    assert flags(mind) == set()
    report("error")
    assert flags(mind) == {"has_error"}
    for _ in range(20):
        report("progress")
    assert flags(mind) == set()  # of the last 20 events
    complete(mind)
    assert flags(mind) == {"needs_proof"}
    mind.tasks_jobs_requeue(job="JOB-001")
    assert flags(mind) == set()
    claim(mind)
    complete(mind, revision=4, summary="CMD: make bench")
    assert mind.tasks_jobs_radar()["jobs"] == []
    mind.tasks_jobs_requeue(job="JOB-001")
    claim(mind, **SHORT)
    assert flags(mind) == {"stale"}


def test_the_radar_shows_what_needs_something_first_and_who_is_there(mind: Mind):
    for _ in range(4):
        create(mind)
    for number in (1, 2, 3):
        claim(mind, f"JOB-00{number}")
    mind.tasks_jobs_report(**HELD, message="Which?", kind="question")
    mind.tasks_jobs_complete(**{**HELD, "job": "JOB-002"}, status="FAILED", summary="No.")
    mind.runner_heartbeat(runner_id="r1", status="live", active_job_id="JOB-001", lease_ttl_ms=300_000)
    mind.runner_heartbeat(runner_id="gone", status="idle", **SHORT)

    radar = mind.tasks_jobs_radar()
    assert ids(radar["jobs"]) == ["JOB-001", "JOB-002", "JOB-003", "JOB-004"]
    assert radar["attention"] == {"needs_manager": 1, "needs_proof": 0, "has_error": 1, "stale": 0}
    first = radar["jobs"][0]
    assert (first["runner_status"], first["last_event"]["message"]) == ("live", "Which?")
    assert [(runner["ref"], runner["active_job_id"]) for runner in radar["runners"]] == [("runner:r1", "JOB-001")]
    fewer = mind.tasks_jobs_radar(limit=1)
    assert (ids(fewer["jobs"]), fewer["has_more"]) == (["JOB-001"], True)


def test_an_opened_job_id_shows_the_job_and_with_drafts_its_prompt(quick: Mind):
    create(quick)
    claim(quick)
    head = quick.head()

    shown = ask(quick, lambda tx: lens.job(tx, "JOB-001", include_drafts=False, limit=1))
    assert list(shown) == ["kind", "id", "summary", "job", "events", "has_more_events", "truncated"]
    assert (shown["kind"], shown["id"], shown["summary"]) == ("job", "JOB-001", "RUNNING: Measure")
    assert shown["job"] == quick.tasks_jobs_open(job="JOB-001")["job"]
    assert (kinds(shown["events"]), shown["has_more_events"]) == (["claimed"], True)
    opened = ask(quick, lambda tx: lens.job(tx, "JOB-001", include_drafts=True, limit=20))
    assert (opened["prompt"], opened["has_more_events"]) == ("Run it twice.", False)
    assert quick.head() == head
    with pytest.raises(ThoughtboxError, match="JOB-009") as error:
        ask(quick, lambda tx: lens.job(tx, "JOB-009", include_drafts=False, limit=1))
    assert error.value.code == "UNKNOWN_ID"


def test_an_opened_event_is_shown_with_what_came_around_it(quick: Mind):
    create(quick)
    claim(quick)
    events = [quick.tasks_jobs_report(**HELD, message=f"{number}")["event"] for number in range(12)]

    shown = ask(quick, lambda tx: lens.job_event(tx, events[6]["ref"]))
    assert list(shown) == ["kind", "ref", "summary", "job", "event", "context", "truncated"]
    assert (shown["kind"], shown["ref"], shown["event"]) == ("job_event", events[6]["ref"], events[6])
    assert shown["job"]["id"] == "JOB-001"
    assert shown["context"] == {"events": events[1:12], "has_more_events": True}
    create(quick)
    for wrong in ("JOB-002@2", "JOB-001@99", "JOB-001@0", "JOB-001"):
        with pytest.raises(ThoughtboxError) as error:
            ask(quick, lambda tx, wrong=wrong: lens.job_event(tx, wrong))
        assert error.value.code == "UNKNOWN_ID"


def test_jobs_are_what_a_replay_makes_of_the_records_and_are_read_as_of_then(mind: Mind):
    create(mind)
    claim(mind)
    mind.tasks_jobs_report(**HELD, kind="heartbeat", message="1", percent=1)
    then, shown = mind.head(), mind.tasks_jobs_open(job="JOB-001")
    mind.tasks_jobs_report(**HELD, kind="heartbeat", message="2", percent=2)
    complete(mind)
    mind.runner_heartbeat(runner_id="r1", status="idle")

    assert mind.box.call("tasks_jobs_open", {"job": "JOB-001"}, as_of=then)["result"] == shown
    assert rebuild(mind.box.app.engine, Jobs)


@pytest.mark.parametrize(
    "data",
    [
        {"job": "J1", "event": {"kind": "x"}, "change": {}},
        {"job": "JOB-002", "event": {"kind": "x"}, "change": {}},
        {"job": "JOB-001", "event": {"kind": "x"}, "change": {"status": "LOST", "revision": 1}},
        {"job": "JOB-001", "event": {"kind": "x"}, "change": {"status": "DONE"}},
        {"job": "JOB-001", "event": {"kind": "x"}, "change": {"revision": 7}},
        {"job": "JOB-001", "event": {}, "change": {}},
        {
            "job": "JOB-001",
            "event": {"kind": "x"},
            "change": {},
            "created": {"title": "x", "kind": "x", "priority": "LOW", "prompt": "x"},
        },
    ],
)
def test_a_record_of_a_job_that_could_not_be_read_is_not_taken_in(quick: Mind, data: dict[str, Any]):
    create(quick)
    with pytest.raises(InvalidRecord):
        _taken_in(quick, data, JOBS_STREAM, opened_job)


@pytest.mark.parametrize("wrong", [{"status": "offline"}, {"job": "J1"}, {"ttlMs": "x"}, {"meta": None}])
def test_a_record_of_a_runner_that_could_not_be_read_is_not_taken_in(quick: Mind, wrong: dict[str, Any]):
    data = {"runner": "r1", "status": "idle", "meta": {}, "ttlMs": 1, "expiresAtMs": 1}
    _taken_in(quick, data, RUNNERS_STREAM, opened_runner)
    with pytest.raises(InvalidRecord):
        _taken_in(quick, {**data, **wrong}, RUNNERS_STREAM, opened_runner)


def _taken_in(mind: Mind, data: dict[str, Any], stream: str, opened: Callable[..., None]) -> None:
    def work(tx: Any) -> None:
        draft = Draft(kind="observation", topic="other", text="x", session=stream, data=data)
        opened(tx.append(draft, stream=stream), tx.ledger)

    mind.box.app.dispatcher.do(WORKSPACE, ANONYMOUS, work, what="import").result()
