"""Stages: the state diagram of the document, one stage for each client, and the call that leads further."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.domains.calls import gateway_schema, gateway_text
from thoughtbox.domains.thoughts.stages import stage_needed
from thoughtbox.domains.thoughts.standing import Standing
from thoughtbox.errors import SessionNotFound, StageRequirementNotMet, ThoughtboxError
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.registry import TABLE

MINIMUM_STAGE = {
    "get_state": 0,
    "start_new": 0,
    "load_context": 0,
    "list_sessions": 0,
    "navigate": 0,
    "list_roots": 0,
    "bind_root": 0,
    "cipher": 1,
    "session.list": 1,
    "session.get": 1,
    "session.search": 1,
    "session.resume": 1,
    "session.export": 1,
    "session.analyze": 1,
    "session.extract_learnings": 1,
    "thought": 2,
    "mental_models.get_model": 2,
    "mental_models.list_models": 2,
    "mental_models.list_tags": 2,
}
"""The routing table of the document."""

NAMES = ["entry", "init_complete", "cipher_loaded", "domain_active"]


@pytest.fixture
def guided() -> Any:
    box = Box(THOUGHTBOX_STAGES="guide")
    yield Client(box)
    box.close()


def test_every_operation_of_the_document_has_its_minimum_stage():
    assert {name: stage_needed(TABLE.operations[name]) for name in MINIMUM_STAGE} == MINIMUM_STAGE


def test_whoever_just_came_is_at_stage_0(box: Box):
    state = Client(box).get_state()

    assert (state["stage"], state["stageName"]) == (0, "entry")
    assert "session" not in state
    assert state["next"]["operation"] == "start_new"


def test_the_way_leads_from_stage_0_to_stage_3(box: Box):
    mia = Client(box)
    seen = [mia.get_state()["stage"]]
    for call in ("start_new", "cipher"):
        answer = mia.call(call)
        seen.append(answer["stage"])
        assert answer["stageName"] == NAMES[answer["stage"]]
        assert mia.get_state()["stage"] == answer["stage"]
    seen.append(mia.navigate(domain="planning")["stage"])

    assert seen == [0, 1, 2, 3]
    assert mia.get_state()["stageName"] == "domain_active"


def test_loading_the_context_of_a_session_leads_to_stage_1(box: Box, mia: Client):
    tom = Client(box)

    assert tom.load_context(sessionId=mia.session_id)["stage"] == 1
    assert tom.get_state()["session"]["id"] == mia.session_id


@pytest.mark.parametrize("operation", ["get_state", "list_sessions", "navigate", "list_roots"])
def test_looking_around_changes_no_stage(box: Box, operation: str):
    mia = Client(box)
    mia.call(operation)
    assert mia.stage == 0
    mia.start_new()
    mia.call(operation)
    assert mia.stage == 1
    mia.cipher()
    mia.call(operation)
    assert mia.stage == 2


@pytest.mark.parametrize("operation", ["session.list", "session.get", "session.analyze", "session.export"])
def test_session_operations_stay_at_their_stage(box: Box, operation: str):
    mia = Client(box)
    mia.start_new()

    mia.call(operation)

    assert mia.stage == 1


def test_thoughts_and_mental_models_stay_at_stage_2(mia: Client):
    mia.think()
    mia.call("mental_models.list_tags")

    assert mia.stage == 2


def test_starting_anew_begins_again_at_stage_1(mia: Client):
    mia.start_new()

    assert mia.get_state()["stage"] == 1
    with pytest.raises(StageRequirementNotMet):
        mia.think()


def test_loading_the_cipher_again_changes_nothing(mia: Client):
    before = mia.records()

    assert mia.cipher()["stage"] == 2

    assert mia.records() == before


@pytest.mark.parametrize("operation", ["session.resume", "load_context"])
def test_going_on_with_another_session_leads_back_to_stage_1(mia: Client, operation: str):
    first = mia.session_id
    mia.ready()
    second = mia.session_id

    assert mia.call(operation, sessionId=first)["stage"] == 1

    assert mia.get_state()["stage"] == 1
    with pytest.raises(StageRequirementNotMet):
        mia.think()
    mia.cipher()
    assert mia.think()["sessionId"] == first != second


@pytest.mark.parametrize("operation", ["session.resume", "load_context", "session.resume_latest"])
def test_going_on_with_the_same_session_changes_nothing(mia: Client, operation: str):
    before = mia.records()

    arguments = {} if operation == "session.resume_latest" else {"sessionId": mia.session_id}
    assert mia.call(operation, **arguments)["stage"] == 2

    assert mia.stage == 2
    assert mia.records() == before


def test_a_domain_chosen_before_the_cipher_counts_once_it_is_loaded(box: Box):
    mia = Client(box)
    mia.start_new(domain="analysis")
    assert mia.stage == 1
    assert mia.cipher()["stage"] == 3

    tom = Client(box)
    tom.start_new()
    assert tom.navigate(domain="analysis")["stage"] == 1
    assert tom.cipher()["stage"] == 3


def test_a_domain_named_before_there_is_a_session_goes_into_it(box: Box):
    mia = Client(box)
    mia.navigate(domain="analysis", project="shop")
    mia.start_new()
    mia.cipher()

    assert mia.get_state()["stage"] == 3
    assert mia.get_state()["navigation"] == {"domain": "analysis", "project": "shop"}


CALLS: dict[str, dict[str, Any]] = {
    "cipher": {},
    "session.list": {},
    "session.get": {},
    "session.search": {"query": "x"},
    "session.resume": {"sessionId": "latest"},
    "session.export": {},
    "session.analyze": {},
    "session.extract_learnings": {},
    "session.rename": {"title": "x"},
    "session.tag": {"add": ["x"]},
    "session.complete": {},
    "session.delete": {"sessionId": "latest"},
    "deep_analysis": {},
    "knowledge.create_pattern": {"title": "t", "description": "d", "content": "c"},
    "knowledge.get_pattern": {"patternId": "t"},
    "knowledge.update_pattern": {"patternId": "t", "title": "u"},
    "knowledge.list_patterns": {},
    "knowledge.delete_pattern": {"patternId": "t"},
    "knowledge.promote": {"learningId": "best"},
    "knowledge.write_note": {"title": "t", "content": "c"},
    "knowledge.get_note": {"noteId": "t"},
    "knowledge.list_notes": {},
    "knowledge.delete_note": {"noteId": "t"},
    "knowledge.undelete_note": {"noteId": "t"},
    "knowledge.undelete_pattern": {"patternId": "t"},
    "thought": {"thought": "x"},
    "read_thoughts": {},
    "get_structure": {},
    "critique": {"thoughtNumber": 1, "text": "x"},
    "branch.adopt": {"branchId": "x"},
    "branch.reject": {"branchId": "x"},
    "mental_models.get_model": {"modelId": "five-whys"},
    "mental_models.list_models": {},
    "mental_models.list_tags": {},
}


def test_every_operation_that_has_a_stage_is_tried_below_it():
    ours = {operation.name for operation in TABLE if operation.room == "thoughts" and stage_needed(operation) > 0}

    assert set(CALLS) == ours


@pytest.mark.parametrize("operation", CALLS)
def test_an_operation_before_its_stage_is_refused_and_nothing_is_written(quick_box: Box, operation: str):
    mia = Client(quick_box)
    before = mia.records()

    with pytest.raises(ThoughtboxError) as refused:
        mia.call(operation, **CALLS[operation])

    assert refused.value.code in {"STAGE_REQUIREMENT_NOT_MET", "SESSION_NOT_FOUND"}
    assert (refused.value.code == "SESSION_NOT_FOUND") == (CALLS[operation].get("sessionId") == "latest")
    assert mia.records() == before


@pytest.mark.parametrize("operation", [name for name, call in CALLS.items() if "sessionId" not in call])
def test_the_call_that_the_refusal_names_leads_on_until_the_operation_is_open(quick_box: Box, operation: str):
    mia = Client(quick_box)
    refusals = 0
    while isinstance(refused := mia.refusal(operation, **CALLS[operation]), StageRequirementNotMet):
        refusals += 1
        assert refused.details["currentStage"] == mia.stage
        assert refused.details["requiredStage"] == stage_needed(TABLE.operations[operation])
        way_out = refused.details["next"]
        assert json.dumps(way_out, ensure_ascii=False) in str(refused.recovery)
        mia.gateway(**way_out)

    assert refusals == stage_needed(TABLE.operations[operation])


def test_what_comes_too_early_is_told_so_before_what_is_wrong_with_it(quick_box: Box):
    mia = Client(quick_box)
    wrong = {"thoughtNumber": "many", "colour": "red"}

    def refused(operation: str, **arguments: Any) -> str | None:
        refusal = mia.refusal(operation, **arguments)
        return refusal.code if refusal else None

    assert refused("thought", **wrong) == refused("session.search") == "STAGE_REQUIREMENT_NOT_MET"
    mia.ready()
    assert refused("thought", **wrong) == "INVALID_PAYLOAD"
    assert refused("thought", **wrong, sessionId="nowhere") == "INVALID_PAYLOAD"
    assert refused("start_new", colour="red") == "INVALID_PAYLOAD"


def test_the_refusal_says_how_to_go_on_with_an_earlier_session(quick_box: Box):
    session_id = Client(quick_box).start_new()["sessionId"]
    mia = Client(quick_box)

    with pytest.raises(StageRequirementNotMet) as refused:
        mia.think()

    way_out = {"operation": "session.resume_latest"}
    assert json.dumps(way_out) in str(refused.value.recovery)
    assert mia.gateway(**way_out)["sessionId"] == session_id
    assert mia.think()["sessionId"] == session_id


def test_a_read_that_comes_too_early_is_told_what_is_open_at_any_stage(quick_box: Box):
    Client(quick_box).start_new(sessionTitle="Slow pages")
    mia = Client(quick_box)

    refused = mia.refusal("session.search", query="slow")
    assert refused
    instead = {"operation": "list_sessions", "search": "slow"}
    assert f"Open at any stage: {json.dumps(instead)}, session.brief, get_thought, describe." in str(refused.recovery)
    assert mia.gateway(**instead)["count"] == 1
    assert "Open at any stage" not in str(mia.refusal("thought", thought="x"))


def test_nothing_is_refused_for_its_stage_to_whoever_has_no_connection(quick_box: Box):
    nobody = Client(quick_box, stateless=True)
    session_id = nobody.start_new()["sessionId"]

    assert nobody.think(sessionId=session_id)["thoughtNumber"] == 1
    for operation, arguments in CALLS.items():
        refused = nobody.refusal(operation, **{"sessionId": session_id, **arguments})
        assert refused is None or refused.code != "STAGE_REQUIREMENT_NOT_MET"


def test_without_a_connection_the_session_is_named_and_is_all_there_is(box: Box):
    nobody = Client(box, stateless=True)
    session_id = nobody.start_new(sessionTitle="T")["sessionId"]

    assert nobody.get_state()["stage"] == 0
    assert nobody.get_state(sessionId=session_id)["stage"] == 1
    assert nobody.cipher(sessionId=session_id)["stage"] == 2
    assert nobody.get_state(sessionId=session_id)["stage"] == 2
    assert nobody.think(sessionId=session_id)["sessionId"] == session_id
    assert nobody.navigate(sessionId=session_id, domain="planning")["stage"] == 3
    assert nobody.call("mental_models.list_models", sessionId=session_id)["filter"] == "planning"


def test_latest_means_the_session_that_changed_last(box: Box):
    nobody = Client(box, stateless=True)
    with pytest.raises(SessionNotFound):
        nobody.get_state(sessionId="latest")
    first = nobody.start_new(sessionTitle="first")["sessionId"]
    second = nobody.start_new(sessionTitle="second")["sessionId"]
    assert nobody.get_state(sessionId="latest")["session"]["id"] == second

    nobody.cipher(sessionId=first)
    assert nobody.get_state(sessionId="latest")["session"]["id"] == second
    nobody.think(sessionId=first)
    assert nobody.get_state(sessionId="latest")["session"]["id"] == first
    assert nobody.think(sessionId="latest")["sessionId"] == first


def test_two_clients_never_move_each_others_stage(box: Box):
    mia, tom = Client(box), Client(box, agent="tom")
    mia.start_new()
    assert (mia.get_state()["stage"], tom.get_state()["stage"]) == (1, 0)
    mia.cipher()
    assert (mia.get_state()["stage"], tom.get_state()["stage"]) == (2, 0)
    tom.start_new()
    assert (mia.get_state()["stage"], tom.get_state()["stage"]) == (2, 1)


def test_two_clients_on_one_session_have_each_their_own_stage(box: Box, mia: Client):
    tom = Client(box, agent="tom")
    tom.load_context(sessionId=mia.session_id)

    assert (mia.get_state()["stage"], tom.get_state()["stage"]) == (2, 1)
    with pytest.raises(StageRequirementNotMet):
        tom.think()
    assert tom.think(sessionId=mia.session_id)["thoughtNumber"] == 1, "whoever names it is where the session is"
    mia.navigate(domain="planning")
    assert (mia.get_state()["stage"], tom.get_state()["stage"]) == (3, 1)
    tom.ready()
    tom.load_context(sessionId=mia.session_id)
    assert (mia.get_state()["stage"], tom.get_state()["stage"]) == (3, 1)
    assert mia.think()["thoughtNumber"] == 2


def test_a_session_of_another_workspace_opens_nothing(box: Box, mia: Client):
    stranger = Client(box, stateless=True, workspace="elsewhere")

    for operation in ("get_state", "load_context", "cipher", "read_thoughts", "get_structure", "session.get"):
        with pytest.raises(SessionNotFound):
            stranger.call(operation, sessionId=mia.session_id)
    with pytest.raises(SessionNotFound):
        stranger.think(sessionId=mia.session_id)


def test_a_refused_call_leaves_the_connection_where_it_was(mia: Client):
    before = (mia.session_id, mia.stage)

    for operation, arguments in {
        "load_context": {"sessionId": "nowhere"},
        "session.resume": {"sessionId": "nowhere"},
        "start_new": {"title": "a", "sessionTitle": "b"},
        "navigate": {"domain": "cooking"},
        "session.delete": {"sessionId": "nowhere"},
    }.items():
        with pytest.raises(ThoughtboxError):
            mia.call(operation, **arguments)
        assert (mia.session_id, mia.stage) == before


def test_a_connection_whose_session_was_deleted_is_told_where_it_stands(box: Box, mia: Client):
    Client(box, stateless=True).session_delete(sessionId=mia.session_id)

    with pytest.raises(SessionNotFound):
        mia.think()
    state = mia.get_state()

    assert state["stage"] == 0
    assert "session" not in state
    assert mia.start_new()["stage"] == 1


def test_whoever_deletes_its_own_session_is_at_stage_0(mia: Client):
    mia.session_delete(sessionId=mia.session_id)

    assert mia.get_state()["stage"] == 0
    with pytest.raises(StageRequirementNotMet):
        mia.think()


def test_where_stages_only_guide_nothing_is_refused_and_the_way_is_told(guided: Client):
    answer = guided.think(sessionTitle="Right away")

    assert answer["thoughtNumber"] == 1
    assert "`thought` needs stage 2" in answer["hint"]
    assert '"operation": "start_new"' in answer["hint"]
    assert '"operation": "cipher"' in guided.think()["hint"]
    assert guided.session_get()["session"]["title"] == "Right away"


def test_where_stages_only_guide_the_hint_ends_when_the_stage_is_reached(guided: Client):
    guided.ready()

    assert "hint" not in guided.think()
    assert "hint" not in guided.call("mental_models.list_models")


def test_where_stages_only_guide_mental_models_need_no_session(guided: Client):
    answer = guided.call("mental_models.list_models")

    assert answer["count"] == 15
    assert answer["hint"]


def test_the_state_lists_what_is_open_and_nothing_else(quick_box: Box):
    mia = Client(quick_box)
    at_0 = mia.get_state()["available"]
    mia.start_new()
    at_1 = mia.get_state()["available"]
    mia.cipher()
    at_2 = mia.get_state()["available"]

    assert {name for name, stage in MINIMUM_STAGE.items() if stage == 0} <= set(at_0)
    assert not {"cipher", "session", "thought", "mental_models", "knowledge"} & set(at_0)
    assert {"cipher", "session", "knowledge"} <= set(at_1)
    assert not {"thought", "mental_models"} & set(at_1)
    assert {"thought", "mental_models", "read_thoughts", "get_structure", "critique"} <= set(at_2)


def descriptions() -> list[str]:
    """What the gateway says of itself to a caller at each stage."""
    return [gateway_text.described(TABLE, Focus().on(Standing(stage=stage))) for stage in range(4)]


def test_the_gateway_is_described_anew_at_every_stage():
    described = descriptions()

    assert len({*described, gateway_text.described(TABLE, Focus("none"))}) == 5
    assert "Go on: session.resume_latest. Begin: start_new" in described[0]
    assert "cipher, which opens thought" in described[1]
    assert "All is open" in described[2]
    assert "your domain" in described[3]


def test_the_gateway_names_every_operation_of_the_document_at_every_stage():
    seen = [f"{text} {gateway_schema.properties(TABLE)['operation']}" for text in descriptions()]

    for name in MINIMUM_STAGE:
        for part in name.split("."):
            assert all(part in text for text in seen), name


def test_every_text_of_the_gateway_names_every_room_and_how_to_go_on():
    for text in (*descriptions(), gateway_text.described(TABLE, Focus("none"))):
        for name in (
            "thought ",
            "session.",
            "knowledge.",
            "mental_models.",
            "mind:",
            "memory:",
            "trail:",
            "ledger:",
            "batch ",
            "notebook.",
            "describe ",
        ):
            assert name in text
        assert "session.resume_latest" in text or "All is open; mental_models" in text
        assert "Also the rooms" not in text
