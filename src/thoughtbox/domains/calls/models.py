"""What goes in and what comes out of calls on other operations."""

from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from thoughtbox.operations import CamelInput, CamelOutput, Input, Key, Output

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


class Describe(CamelInput):
    name: Annotated[Key | None, Field(description="An operation, a family such as session, or a room.")] = None
    operation: Annotated[Key | None, Field(description="The same as name.")] = None
    sub_operation: Annotated[Key | None, Field(description="Of the family that is named.")] = None


class Described(CamelOutput):
    """One operation in full, or those there are."""

    sparse: ClassVar[bool] = True

    operation: str | None = None
    does: str | None = None
    needs: str | None = None
    arguments: dict[str, str] | None = None
    """Those that are needed first; without a text where there is no room for it."""
    answers: str | None = None
    example: dict[str, Any] | None = None
    """A call that can be sent as it stands, once those in `before` were."""
    before: list[str] | None = None
    refused_with: str | None = None
    """The example only shows the form."""
    errors: list[str] | None = None
    rooms: dict[str, str] | None = None
    operations: dict[str, str] | list[str] | None = None
    """By name, what each is for; without that, where there is no room for it."""
    message: str | None = None
