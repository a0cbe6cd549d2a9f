"""Arguments that several verbs of this room share."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from thoughtbox.operations import Key, Output

Scope = Literal["project", "global"]

LARGEST_ID = 2**53


def _number(value: Any) -> Any:
    """Clients that keep ids as text send them as text."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 16 else value


SessionId = Annotated[
    int, BeforeValidator(_number), Field(ge=1, le=LARGEST_ID, description="Id of the memory session, such as 17.")
]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
WorkflowSessionId = Annotated[
    Key | None,
    Field(description="The workflow session, by any name you give it; without one, the one named after you."),
]


class Suggested(Output):
    """A call to make, as it can be sent."""

    operation: str
    arguments: dict[str, Any]
