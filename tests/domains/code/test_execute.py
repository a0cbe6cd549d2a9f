"""Snippets: all of their records are written or none, in order, and nobody comes in between."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox, box, open_box
from tests.support.snippets import one_by_one
from thoughtbox.errors import (
    HostOnly,
    InvalidOperation,
    LimitExceeded,
    PhaseViolation,
    RecordNotFound,
    SnippetFailed,
    SnippetInvalid,
)
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Slices
from thoughtbox.operations.caller import Caller, Landing
from thoughtbox.sandbox.sandboxes import Sandboxes
from thoughtbox.tbx import decode

__all__ = ["box", "open_box"]


def run(box: Box, code: str, **options: Any) -> dict[str, Any]:
    return box.call("execute", {"code": code, "language": "python", "session": "s1"}, **options)


def written(box: Box) -> list[Record]:
    return box.app.dispatcher.ask(WORKSPACE, Caller(), lambda tx: list(tx.ledger.tail(0))).result()


def kinds(box: Box) -> list[str]:
    return [record.kind for record in written(box)]


def test_records_stand_between_the_call_and_its_result_in_the_order_written(box: Box):
    answer = run(box, 'c = tb.claim("Reads dominate")\ntb.evidence("40 to 1", supports=[c])\nc.id')

    assert answer["result"] == "th:2"
    assert answer["records"] == [{"id": "th:2", "kind": "claim"}, {"id": "th:3", "kind": "evidence"}]
    call, claim, evidence, result = written(box)
    assert (call.kind, claim.text, evidence.text, result.kind) == (
        "tool_call",
        "Reads dominate",
        "40 to 1",
        "tool_result",
    )
    assert call.attrs["args"]["code"].startswith("c = tb.claim")
    assert evidence.attrs["relations"] == [{"type": "supports", "to": claim.id}]
    assert result.attrs == {"callId": call.id, "status": "ok"}


def test_the_answer_has_result_logs_language_and_records(box: Box):
    answer = box.call("execute", {"code": 'print("one", 2)\n{"a": [1, None]}', "session": "s1"})

    assert answer == {
        "result": {"a": [1, None]},
        "logs": ["one 2"],
        "language": "python",
        "records": [],
    }


def test_of_several_records_of_a_kind_in_a_row_the_first_and_the_last_are_told(box: Box):
    answer = run(
        box,
        'for i in range(2): tb.question("q")\n'
        'for i in range(100): tb.claim("c")\n'
        'tb.plan("p")\ntb.claim("c")\ntb.vars.set("a", 1)\ntb.claim("c")\ntb.claim("c")',
    )

    assert answer["records"] == [
        {"id": "th:2", "kind": "question"},
        {"id": "th:3", "kind": "question"},
        {"id": "th:4", "last": "th:103", "kind": "claim"},
        {"id": "th:104", "kind": "plan"},
        {"id": "th:105", "kind": "claim"},
        {"id": "th:106", "kind": "hub_event"},
        {"id": "th:107", "kind": "claim"},
        {"id": "th:108", "kind": "claim"},
    ]
    assert one_by_one(answer["records"]) == [{"id": record.id, "kind": record.kind} for record in written(box)[1:-1]]


def test_where_records_went_is_said_to_who_did_not_name_it_and_is_not_there(box: Box):
    landing = Landing()
    given = {"code": 'tb.claim("Reads dominate")', "language": "python"}
    began = box.call("execute", given, focus=box.app.first_focus("connection"), landing=landing)
    went_on = box.call("execute", given, focus=landing.focus)
    only_read = box.call("execute", {"code": "tb.ledger.ledger_status()", "language": "python"})

    assert written(box)[1].session == began["session"]
    assert "session" not in went_on
    assert "session" not in only_read


def test_a_snippet_that_fails_leaves_nothing_but_its_call_and_an_error(box: Box):
    with pytest.raises(SnippetFailed):
        run(box, 'tb.claim("a")\ntb.thoughts.start_new(sessionTitle="x")\n1 / 0')

    call, result = written(box)
    assert (call.kind, result.kind) == ("tool_call", "tool_result")
    assert result.attrs == {"callId": call.id, "status": "error"}
    assert result.data["error"]["code"] == "SNIPPET_FAILED"
    assert "division" in result.text


def test_an_operation_that_fails_and_is_not_caught_fails_the_snippet_with_its_own_error(box: Box):
    with pytest.raises(RecordNotFound) as refused:
        run(box, 'tb.claim("a")\ntb.ledger.ledger_record(id="th:99")')

    assert "line 2" in refused.value.message
    assert refused.value.details["line"] == 2
    assert kinds(box) == ["tool_call", "tool_result"]


def test_an_operation_that_fails_and_is_caught_leaves_the_rest(box: Box):
    answer = run(
        box,
        'tb.claim("a")\n'
        "try:\n"
        '    tb.trail.thought_plan(sessionId="s1", planDescription="")\n'
        "except tb.Error as e:\n"
        "    problem = e.code\n"
        'tb.claim("b")\n'
        "problem",
    )

    assert answer["result"] == "INVALID_PAYLOAD"
    assert kinds(box) == ["tool_call", "claim", "claim", "tool_result"]


def test_reads_see_what_the_snippet_has_written_before_them(box: Box):
    answer = run(
        box,
        'before = len(tb.code.authored(session="s1")["records"])\n'
        'tb.claim("a")\n'
        'tb.trail.thought_plan(sessionId="s1", planDescription="p")\n'
        'after = [r["text"] for r in tb.code.authored(session="s1")["records"]]\n'
        'found = [r["id"] for r in tb.code.authored_search(query="a")["records"]]\n'
        'tree = tb.trail.thought_tree(sessionId="s1")["count"]\n'
        "[before, after, tree]",
    )

    assert answer["result"] == [0, ["a"], 1]


def test_kinds_of_the_host_are_refused_with_an_error_that_says_so(box: Box):
    for kind in ("tool_call", "tool_result", "hub_event", "checkpoint"):
        with pytest.raises(HostOnly):
            run(box, f'tb.claim("a")\ntb.{kind}("x")')
    assert set(kinds(box)) == {"tool_call", "tool_result"}


def test_a_builder_that_is_called_wrongly_raises_where_it_is_called(box: Box):
    answer = run(
        box,
        "errors = []\n"
        "for attempt in [lambda: tb.claim(''), lambda: tb.claim('x', confidence=7),"
        " lambda: tb.claim('x', supports=['th:77']), lambda: tb.claim('x', **{'nonsense': 1})]:\n"
        "    try:\n"
        "        attempt()\n"
        "    except tb.Error as e:\n"
        "        errors.append(e.code)\n"
        "tb.claim('right')\n"
        "errors",
    )

    assert answer["result"] == ["INVALID_PAYLOAD", "INVALID_PAYLOAD", "RECORD_NOT_FOUND", "INVALID_PAYLOAD"]
    assert kinds(box) == ["tool_call", "claim", "tool_result"]


def test_every_room_is_reached_by_its_name(box: Box):
    answer = run(
        box,
        'tb.thoughts.start_new(sessionTitle="Slow pages")\n'
        "tb.thoughts.cipher()\n"
        'tb.thoughts.thought(thought="S1|O|Pages are slow", thoughtNumber=1, nextThoughtNeeded=True)\n'
        'tb.trail.thought_decision(sessionId="t", decision="warm it", actionId="deploy-7")\n'
        'tb.mind.notes_commit(content="warm the cache")\n'
        'tb.memory.record_experience(type="effective", domain="Decision", situation="cold cache", approach="warm it",'
        ' outcome="fast", reasoning="reads dominate")\n'
        'tb.calls.batch(calls=[{"operation": "ledger_status"}])["answers"][0]["records"] > 4\n',
    )

    assert answer["result"] is True
    surfaces = {record.envelope["source"]["surface"] for record in written(box)}
    assert surfaces >= {"thoughts", "trail", "mind", "memory", "code"}


def test_an_operation_that_is_not_there_is_refused_with_what_was_meant(box: Box):
    with pytest.raises(InvalidOperation) as refused:
        box.call("execute", {"code": "tb.thoughts.sesion.list()", "language": "javascript"})
    with pytest.raises((SnippetInvalid, InvalidOperation)) as checked:  # a checker that is slow to start says nothing
        run(box, "tb.thoughts.sesion.list()")

    assert refused.value.recovery == "Did you mean tb.thoughts.session.list?"
    with pytest.raises(InvalidOperation) as without_room:
        box.call("execute", {"code": "tb.session.list()", "language": "javascript"})
    assert without_room.value.recovery == "Did you mean tb.thoughts.session.list?"
    assert "session" in str(checked.value)


def test_an_operation_that_works_in_steps_can_be_read_before_anything_is_written(box: Box):
    run(box, 'tb.claim("a")')

    answer = run(box, 'verdict = tb.ledger.ledger_verify()\ntb.claim("checked")\nverdict["valid"]')

    assert answer["result"] is True


def test_an_operation_that_works_in_steps_and_writes_is_refused(box: Box):
    with pytest.raises(InvalidOperation) as refused:
        run(box, "tb.memory.run_consolidation()")

    assert "by itself" in (refused.value.recovery or "")


def test_the_records_of_operations_say_that_a_snippet_called_them(box: Box):
    run(box, 'tb.trail.thought_plan(sessionId="t", planDescription="p")')

    plan = next(record for record in written(box) if record.kind == "plan")
    assert plan.envelope["source"]["via"] == ["execute"]


def test_a_caller_stands_afterwards_where_the_snippet_has_ended(box: Box):
    landing = Landing()
    code = 'tb.thoughts.start_new(sessionTitle="Slow pages")["sessionId"]'
    answer = box.call(
        "execute", {"code": code, "language": "python"}, focus=box.app.first_focus("connection"), landing=landing
    )

    assert landing.focus is not None
    assert landing.focus.session_id == answer["result"]


def test_a_caller_whose_snippet_failed_stands_where_it_stood(box: Box):
    landing = Landing()
    code = 'tb.thoughts.start_new(sessionTitle="Slow pages")\n1 / 0'
    with pytest.raises(SnippetFailed):
        box.call(
            "execute", {"code": code, "language": "python"}, focus=box.app.first_focus("connection"), landing=landing
        )

    assert landing.focus is None


def test_the_same_key_again_returns_the_first_answer_and_runs_nothing(box: Box):
    first = run(box, 'tb.claim("once").id', key="k1")
    second = run(box, 'tb.claim("once").id', key="k1")

    assert first == second
    assert kinds(box).count("claim") == 1


def test_records_go_to_the_session_that_a_snippet_begins_if_its_caller_was_in_none(box: Box):
    code = (
        'tb.claim("before")\ns = tb.thoughts.start_new(sessionTitle="t")\n'
        'tb.claim("after")\ntb.claim("asked", cipher="c")\n'
    )
    began = box.call("execute", {"code": code + 's["sessionId"]', "language": "python"})
    named = run(box, code + 's["sessionId"]')

    claims = [record for record in written(box) if record.kind == "claim"]
    assert [record.session for record in claims[:3]] == [began["session"], began["result"], began["result"]]
    assert began["session"] != began["result"]
    assert {record.session for record in claims[3:]} == {"s1"}
    assert named["result"] != "s1"


@pytest.mark.parametrize("wrote", ["", 'tb.claim("x")\n'])
def test_what_a_snippet_reads_is_plain_whatever_form_its_own_answer_has(box: Box, wrote: str):
    run(box, 'for i in range(12): tb.claim(f"c{i}")')
    code = f"{wrote}found = tb.code.authored(kind='claim', limit=50)['records']\n[len(found), found[0]['text']]"

    answer = run_in_tbx(box, code)

    assert decode(answer)["result"] == [12 + bool(wrote), "c0"]


def run_in_tbx(box: Box, code: str) -> dict[str, Any]:
    return box.call("execute", {"code": code, "language": "python", "session": "s1", "format": "tbx"})


def test_values_last_from_one_snippet_to_the_next(box: Box):
    run(box, 'tb.vars.set("page", {"next": 3})')

    answer = run(box, '[tb.vars.get("page"), tb.vars.get("none"), tb.vars.list(), tb.vars.delete("page")]')

    assert answer["result"] == [{"next": 3}, None, ["page"], True]


def test_a_snippet_may_not_ask_for_ever(box: Box):
    with pytest.raises(LimitExceeded) as refused:
        run(box, 'for i in range(2000): tb.claim("x")')

    assert refused.value.details["limit"] == "calls"
    assert kinds(box) == ["tool_call", "tool_result"]


def test_a_refusal_that_is_itself_a_record_is_kept_whether_it_is_caught_or_not(box: Box):
    box.compliance_snapshot()
    before = len(written(box))
    code = 'tb.memory.guarded_cycle(session_id=1, phase="DRAFT")'
    with pytest.raises(PhaseViolation):
        run(box, code)
    alone = _of_memory(written(box)[before:])
    before = len(written(box))
    run(box, f"try:\n    {code}\nexcept tb.Error as e:\n    pass")

    assert alone
    assert _of_memory(written(box)[before:]) == alone


def _of_memory(records: list[Record]) -> list[str]:
    return [record.topic for record in records if record.topic.startswith("memory.")]


def test_snippets_at_once_do_not_interleave(open_box: OpenBox):
    boxes = [open_box() for _ in range(3)]
    code = 'for i in range(12): tb.claim("{name} " + str(i))\ntb.trail.thought_plan(sessionId="t", planDescription="p")'

    with ThreadPoolExecutor(6) as pool:
        calls = [(boxes[number % 3], code.replace("{name}", f"n{number}")) for number in range(12)]
        list(pool.map(lambda call: run(*call), calls))

    runs = list(_runs(written(boxes[0])))
    assert len(runs) == 12
    for records in runs:
        names = {record.text.split()[0] for record in records if record.kind == "claim"}
        assert len(names) == 1
        assert [record.kind for record in records] == ["claim"] * 12 + ["plan"]


def test_what_a_snippet_has_read_still_holds_when_it_writes(open_box: OpenBox):
    boxes = [open_box() for _ in range(3)]
    code = 'tb.vars.set("n", (tb.vars.get("n") or 0) + 1)'

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda number: run(boxes[number % 3], code), range(30)))

    assert run(boxes[0], 'tb.vars.get("n")')["result"] == 30


def test_handles_are_right_however_many_write_meanwhile(open_box: OpenBox):
    boxes = [open_box() for _ in range(3)]
    code = 'c = tb.claim("c")\ne = tb.evidence("e of " + c.id, supports=[c])\n[c.id, e.id]'

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda number: run(boxes[number % 3], code)["result"], range(24)))

    records = {record.id: record for record in written(boxes[0])}
    for claim, evidence in answers:
        assert records[claim].kind == "claim"
        assert records[evidence].text == f"e of {claim}"


def test_others_write_while_a_snippet_computes(box: Box):
    """It computes for all of its time before it writes: whoever else writes does not wait for it."""
    loop = 'n = 0\nwhile True:\n    n += 1\ntb.claim("never")'
    with ThreadPoolExecutor(2) as pool:
        looping = pool.submit(run, box, loop)
        plans = [box.thought_plan(sessionId="t", planDescription="p") for _ in range(5)]
        error = looping.exception()

    assert len(plans) == 5
    assert isinstance(error, LimitExceeded)
    assert error.details["limit"] == "cpu"


def test_a_snippet_behind_which_others_write_again_and_again_is_run_three_times_at_most(
    open_box: OpenBox, monkeypatch: pytest.MonkeyPatch
):
    box, other = open_box(), open_box()
    began: list[int] = []
    real_run = Sandboxes.run

    def counted(sandboxes: Sandboxes, *given: Any) -> Any:
        began.append(len(written(other)))
        return real_run(sandboxes, *given)

    def write_behind(slices: Any, *given: Any, **options: Any) -> Any:
        """The last moment at which others can: the snippet has read, and is about to write."""
        if len(began) < 3:
            other.thought_plan(sessionId="t", planDescription=f"p{len(began)}")
        return real_finish(slices, *given, **options)

    real_finish = Slices.finish
    monkeypatch.setattr(Sandboxes, "run", counted)
    monkeypatch.setattr(Slices, "finish", write_behind)
    answer = run(box, 'before = tb.ledger.ledger_status()["records"]\n[before, tb.claim("x")]')

    assert began == [0, 1, 2]
    assert answer["result"] == [3, {"id": "th:4", "kind": "claim"}]  # the two, and its own call
    assert kinds(box) == ["plan", "plan", "tool_call", "claim", "tool_result"]


ENDLESS = {
    "python": 'tb.thoughts.start_new(sessionTitle="t")\nwhile True:\n    pass',
    "javascript": 'tb.thoughts.start_new({sessionTitle: "t"}); while (true) {}',
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("language", ENDLESS)
def test_a_snippet_that_has_written_keeps_others_from_writing_for_two_seconds_at_most(open_box: OpenBox, language: str):
    """However long it may compute."""
    box, other = open_box(THOUGHTBOX_CODE_CPU_MS="60000", THOUGHTBOX_CODE_WALL_MS="60000"), open_box()
    with ThreadPoolExecutor(1) as pool:
        looping = pool.submit(box.call, "execute", {"code": ENDLESS[language], "language": language, "session": "s1"})
        while not looping.done():
            other.thought_plan(sessionId="t", planDescription="p")
        error = looping.exception()

    assert isinstance(error, LimitExceeded)
    assert error.details == {"limit": "held", "allowed": 2_000}
    assert error.message == "the snippet kept others from writing for longer than 2000 ms"
    assert [kind for kind in kinds(box) if kind != "plan"] == ["tool_call", "tool_result"]


def _runs(records: list[Record]) -> Iterator[list[Record]]:
    """What was written between each call of a snippet and its end."""
    places = [index for index, record in enumerate(records) if record.kind in ("tool_call", "tool_result")]
    for begin, end in pairwise(places):
        if records[begin].kind == "tool_call":
            assert records[end].kind == "tool_result"
            yield records[begin + 1 : end]


def test_what_a_snippet_smuggles_past_its_builders_is_refused_with_all_of_it(box: Box):
    code = "let looks = 0; tb.revision('x', {get replacesId() { return looks++ ? undefined : 'th:1' }})"
    with pytest.raises(SnippetFailed):
        box.call("execute", {"code": f"tb.claim('a'); {code}", "language": "javascript", "session": "s1"})

    assert kinds(box) == ["tool_call", "tool_result"]


def test_a_record_says_where_it_came_from_however_its_builder_was_called(box: Box):
    run(box, 'tb.claim("queued")\ntb.claim("asked for", confidence=None)')

    queued, asked = [record.envelope["source"] for record in written(box) if record.kind == "claim"]
    assert queued == asked
    assert (queued["operation"], queued["via"]) == ("claim", ["execute"])


def test_what_a_snippet_wrote_can_be_taken_to_another_store(open_box: OpenBox):
    here, there = open_box("here"), open_box("there")
    run(here, 'c = tb.claim("a")\ntb.evidence("b", supports=[c])\ntb.vars.set("n", 1)')
    run(here, 'tb.trail.thought_plan(sessionId="t", planDescription="p")')

    lines = here.app.engine.read(lambda sql: list(export_lines(sql, WORKSPACE))).result()
    import_lines(there.app.engine, there.app.views, lines)

    assert [record.envelope for record in written(there)] == [record.envelope for record in written(here)]
    assert run(there, 'tb.vars.get("n")')["result"] == 1
