"""The name that was meant: near ones are found, far ones are not, and nothing that takes away is ever suggested."""

from __future__ import annotations

import pytest

from thoughtbox import domains
from thoughtbox.errors import InvalidOperation, InvalidPayload
from thoughtbox.operations import TABLE
from thoughtbox.operations.arguments import bind
from thoughtbox.operations.misspelt import nearest

domains.load()


def suggested(name: str) -> str | None:
    with pytest.raises(InvalidOperation) as refused:
        TABLE.find(name)
    [*found] = refused.value.details["nearest"]
    if not found:
        assert refused.value.recovery == '{"operation":"describe"} shows all operations.'
        return None
    assert refused.value.recovery == f"Did you mean `{found[0]}`?"
    return found[0]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("thuoght", "thought"),
        ("thoughts", "thought"),
        ("THOUGHT", "thought"),
        ("sesion.get", "session.get"),
        ("session.gte", "session.get"),
        ("session-get", "session.get"),
        ("sessionGet", "session.get"),
        ("list_session", "list_sessions"),
        ("listSessions", "list_sessions"),
        ("startnew", "start_new"),
        ("start", "start_new"),
        ("cypher", "cipher"),
        ("list_notes", "knowledge.list_notes"),
        ("resume_latest", "session.resume_latest"),
        ("session.extract", "session.extract_learnings"),
        ("mental_models.get", "mental_models.get_model"),
        ("thought_plam", "thought_plan"),
        ("ledger_prov", "ledger_prove"),
        ("descirbe", "describe"),
    ],
)
def test_a_near_miss_leads_to_what_was_meant(name: str, meant: str):
    assert suggested(name) == meant


@pytest.mark.parametrize(
    "name",
    [
        *(
            "manual",
            "notebook",
            "think",
            "…",
            "",
            "思考",
            "x" * 9_999,
            "session.fetch",
            "session.set",
            "session.remove",
        ),
        *("get", "list", "verify", "knowledge.list", "begin", "remember", "undo", "branch", "thought_undo"),
        *("session.", ".", "_", "session.get.get", "untag"),
    ],
)
def test_a_far_miss_leads_to_no_operation_and_to_what_describes_them(name: str):
    assert suggested(name) is None


@pytest.mark.parametrize(
    "name",
    [
        *("delete", "session.delte", "sesion.delete", "session.deletee", "delete_note", "knowledge.delete_notes"),
        *("knowledge.delete_patern", "session.complet", "complete", "session.completed", "batc", "thoughtbox_gatewai"),
    ],
)
def test_nothing_that_takes_away_or_ends_something_is_suggested(name: str):
    assert suggested(name) is None


def test_every_operation_that_removes_says_so_by_its_name_and_the_other_way_round():
    removing = {operation.name for operation in TABLE if operation.effect == "removes"}

    assert removing - {"thoughtbox_gateway", "batch", "execute", "graph_apply"} == {
        operation.name
        for operation in TABLE
        if ("delete" in operation.name and "undelete" not in operation.name) or operation.name.startswith("uninstall")
    }
    assert not any(operation.destructive for operation in TABLE if not operation.writes)


@pytest.mark.parametrize(
    ("operation", "argument", "meant"),
    [
        ("thought_plan", "parentid", "parentId"),
        ("thought_plan", "parent_id", "parentId"),
        ("session.get", "sesionId", "sessionId"),
        ("session.get", "session", "sessionId"),
        ("critique", "number", "thoughtNumber"),
        ("thought", "tags", "sessionTags"),
        ("thought_record", "contents", "content"),
        ("navigate", "tags", None),
        ("navigate", "tag", None),
        ("session.get", "zzz", None),
        ("thought", "branch", None),
        ("thought", "id", None),
    ],
)
def test_an_unknown_argument_leads_to_the_one_that_was_meant_or_to_the_description(
    operation: str, argument: str, meant: str | None
):
    found = TABLE.operations[operation]
    with pytest.raises(InvalidPayload, match=f"unknown argument `{argument}`") as refused:
        bind(TABLE, found, {**found.example.arguments, argument: "x"})

    described = f'{{"operation":"describe","name":"{operation}"}} shows how.'
    assert refused.value.recovery == (f"Did you mean `{meant}`?" if meant else described)


def test_of_two_that_are_as_near_as_each_other_neither_is_named():
    assert nearest("plan", ["plane", "plant"]) is None
    assert nearest("notes", ["list_notes", "find_notes"]) is None
    assert nearest("notes", ["list_notes", "find_birds"]) == "list_notes"
