"""What goes in and what comes out of calls on other operations."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from thoughtbox.operations import CamelInput, Input, Output

MOST_CALLS = 1_000


class GatewayCall(CamelInput):
    model_config = ConfigDict(extra="allow")

    operation: Annotated[str, Field(description="What to do.")]
    sub_operation: Annotated[str | None, Field(description="Of a family such as session or knowledge.")] = None
    args: Annotated[dict[str, Any] | None, Field(description="Its arguments, if not beside `operation`.")] = None


class Routed(Output):
    """The answer of the operation that was meant."""

    model_config = ConfigDict(extra="allow")


class BatchedCall(Input):
    operation: Annotated[str, Field(description="The name of an operation.")]
    arguments: Annotated[dict[str, Any], Field(default_factory=dict, description="Its arguments.")]


class Batch(Input):
    calls: Annotated[
        list[BatchedCall],
        Field(min_length=1, max_length=MOST_CALLS, description="Calls, in the order they are to run."),
    ]


class BatchAnswered(Output):
    answers: list[dict[str, Any]]
    """What each call answered, in its place."""
