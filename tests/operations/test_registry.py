"""Every operation keeps the promises of the table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from thoughtbox import domains
from thoughtbox.operations.registry import TABLE, Operation

domains.load()
OPERATIONS = list(TABLE)
names = [operation.name for operation in OPERATIONS]
WITHOUT_A_RECORD = {"context_pack_export", "export_experiences", "import_experiences", "notebook.interrupt"}
"""They write a file, or what their example brings in is here already."""


@pytest.fixture
def box() -> Iterator[Box]:
    box = Box()
    yield box
    box.close()


def head(box: Box) -> Any:
    """All there is to a ledger, as far as anybody could have changed it."""
    return box.app.engine.read(
        lambda sql: (
            sql.rows("SELECT workspace, last_seq FROM workspaces"),
            sql.rows("SELECT stream, length, head_hash FROM streams WHERE workspace = ?", (WORKSPACE,)),
        )
    ).result()


def prepared(box: Box, operation: Operation) -> None:
    for name, arguments in operation.example.given:
        box.call(name, dict(arguments))


def run_example(box: Box, operation: Operation) -> dict[str, Any] | None:
    """The answer of the example; None where the example is there to show a refusal."""
    if operation.example.fails_with is None:
        return box.call(operation.name, dict(operation.example.arguments))
    with pytest.raises(operation.example.fails_with):
        box.call(operation.name, dict(operation.example.arguments))
    return None


@pytest.mark.parametrize("operation", OPERATIONS, ids=names)
def test_it_says_what_it_is_for_in_one_sentence(operation: Operation):
    assert operation.title
    assert operation.summary.endswith(".")
    # What is shown to everybody has to be enough for those who have never seen the product.
    assert len(operation.description) < (1_200 if "default" in operation.toolsets else 400)


@pytest.mark.parametrize("operation", OPERATIONS, ids=names)
def test_its_example_runs_and_the_answer_has_the_declared_shape(box: Box, operation: Operation):
    prepared(box, operation)

    answer = run_example(box, operation)

    if answer is not None:
        own = answer if operation.envelope is None else answer[operation.envelope.part]
        own.pop("budget", None)  # what is said of a budget comes on top
        operation.output.model_validate_json(json.dumps(own), by_alias=True)


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if not o.writes], ids=lambda o: o.name)
def test_one_that_only_reads_leaves_the_ledger_as_it_was(box: Box, operation: Operation):
    prepared(box, operation)
    before = head(box)

    run_example(box, operation)

    assert head(box) == before


@pytest.mark.parametrize(
    "operation",
    [o for o in OPERATIONS if o.writes and o.example.fails_with is None and o.name not in WITHOUT_A_RECORD],
    ids=lambda o: o.name,
)
def test_one_that_writes_leaves_a_record(box: Box, operation: Operation):
    prepared(box, operation)
    before = head(box)

    run_example(box, operation)

    assert head(box) != before


@pytest.mark.parametrize("operation", OPERATIONS, ids=names)
def test_every_argument_is_described(operation: Operation):
    schema = operation.input.model_json_schema(by_alias=True)

    bare = [name for name, part in schema.get("properties", {}).items() if not part.get("description")]

    assert not bare


@pytest.mark.parametrize("operation", OPERATIONS, ids=names)
def test_every_error_it_may_give_has_a_code_and_a_meaning(operation: Operation):
    assert operation.errors
    assert all(error.code and error.meaning for error in operation.errors)


def test_every_resource_and_prompt_is_a_text_or_leads_to_a_read_operation():
    used = [resource.operation for resource in TABLE.resources.values() if resource.text is None]
    used += [prompt.operation for prompt in TABLE.prompts.values() if prompt.operation is not None]

    assert not [name for name in used if TABLE.find(name).writes]


def test_every_argument_of_a_resource_address_can_be_completed_or_is_a_record_id():
    named = {(one.room, argument) for one in TABLE.resources.values() for argument in _arguments(one.uri)}

    assert {argument for _, argument in named - set(TABLE.completions)} <= {"id"}


def _arguments(uri: str) -> list[str]:
    return [part.partition("}")[0] for part in uri.split("{")[1:]]
