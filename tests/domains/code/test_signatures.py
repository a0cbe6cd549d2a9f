"""Signatures in one line, and the table of builders."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest

from thoughtbox.domains.code.reachable import name_of, reachable
from thoughtbox.domains.code.signatures import (
    BUILDERS,
    HOST_ONLY,
    LONGEST,
    RELATION_OPTIONS,
    OptionType,
    builder_signature,
    options_of,
    python_name,
    references_of,
    signature,
)
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.record import AUTHORED, KINDS, RELATIONS, check_attrs
from thoughtbox.operations import Table

SAMPLES: dict[OptionType, Any] = {
    "text": "ok",
    "texts": ["one", "two"],
    "reference": "th:1",
    "references": ["th:1"],
    "object": {},
}


def test_a_signature_says_what_goes_in_and_what_comes_out(table: Table):
    assert signature(table, table.known["session.get"]) == (
        "tb.thoughts.session.get({sessionId?: string, limit?: number, cursor?: string, maxChars?: number}): "
        "{session: {…}, thoughts: {…}[], branches: {…}, cursor}"
    )


def test_without_arguments_there_is_nothing_to_hand_over(table: Table):
    assert signature(table, table.known["list_presets"]).startswith("tb.memory.list_presets(): {presets: {…}[], count")


def test_where_a_room_puts_something_around_its_answers_the_answer_itself_is_shown(table: Table):
    shown = signature(table, table.known["branch_delete"])

    assert shown == (
        "tb.mind.branch_delete({name: string, workspace?: string}): {result: {workspace, name, deleted}, …}"
    )


def test_no_signature_is_long_and_what_must_be_given_is_always_shown(table: Table):
    for operation in reachable(table):
        shown = signature(table, operation)
        assert len(shown) <= LONGEST, shown
        assert shown.startswith(f"tb.{name_of(operation)}("), shown
        assert all(f"{name}: " in shown for name in operation.required), shown


def test_what_many_operations_take_gives_way_to_what_is_special_about_one(table: Table):
    shown = signature(table, table.known["think_pipeline"])

    assert "hypothesis?: " in shown
    assert "workspace?: " not in shown
    assert ", …})" in shown


def test_values_that_are_named_are_shown_as_far_as_there_is_room(table: Table):
    shown = signature(table, table.known["check_compliance"])
    cut = signature(table, table.known["search_experiences"])

    assert 'current_phase: "teach" | "learn" | "reason"' in shown
    assert re.search(r'domain\?: ("\w+" \| )+…', cut)


def test_a_builder_takes_a_text_and_options(table: Table):
    assert builder_signature("plan") == (
        "tb.plan(text: string, options?: {steps?: string[], [relation]?: Ref | Ref[], confidence?: number, "
        "labels?: string[], cipher?: string, metrics?: {[name]: number}, session?: string, …}): Handle"
    )
    assert builder_signature("claim").startswith("tb.claim(text: string, options?: {[relation]?: Ref | Ref[], ")
    assert all(len(builder_signature(kind)) <= LONGEST for kind in BUILDERS)


def test_there_is_a_builder_for_each_kind_that_a_model_writes_and_none_for_the_others():
    assert set(BUILDERS) == AUTHORED
    assert set(HOST_ONLY) == KINDS - AUTHORED
    assert set(RELATION_OPTIONS) == RELATIONS


@pytest.mark.parametrize("kind", BUILDERS)
def test_the_table_of_builders_has_the_options_that_the_operation_of_each_takes(table: Table, kind: str):
    schema = orjson.loads(table.schemas(kind).input)

    assert set(schema["properties"]) - {"text"} == set(options_of(kind))
    needed = {name for name, option in options_of(kind).items() if option.required}
    assert set(schema["required"]) - {"text"} == needed


@pytest.mark.parametrize("kind", [*BUILDERS, *HOST_ONLY])
def test_what_a_kind_has_of_its_own_is_what_the_ledger_takes(kind: str):
    own = BUILDERS[kind].own if kind in BUILDERS else HOST_ONLY[kind].attrs
    given = {name: SAMPLES[option.type] for name, option in own.items()}
    related = {"relations": []} if kind in BUILDERS else {}

    check_attrs(kind, {**given, **related})
    with pytest.raises(InvalidRecord, match=f"it has {', '.join(sorted({**given, **related}))}.$"):
        check_attrs(kind, {**given, **related, "nonsense": 1})
    for name in (name for name, option in own.items() if option.required):
        with pytest.raises(InvalidRecord, match=f"needs `attrs.{name}`"):
            check_attrs(kind, {other: value for other, value in {**given, **related}.items() if other != name})


def test_options_that_take_handles_are_known():
    assert set(references_of("revision")) == {"replacesId", *RELATIONS}
    assert set(references_of("question")) == {"answeredBy", *RELATIONS}
    assert set(references_of("claim")) == RELATIONS
    assert set(references_of("plan")) < set(options_of("plan"))


def test_a_word_of_pythons_own_gets_an_underscore():
    assert [python_name(name) for name in ("from", "import", "session", "type")] == [
        "from_",
        "import_",
        "session",
        "type",
    ]
