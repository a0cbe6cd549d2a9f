"""Arguments that several verbs of this room share."""

from typing import Annotated, Literal

from pydantic import Field

from thoughtbox.operations import Key, Output

Scope = Literal["project", "global"]

LARGEST_ID = 2**53


SessionId = Annotated[int, Field(ge=1, le=LARGEST_ID, description="Id of the memory session, such as 17.")]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
WorkflowSessionId = Annotated[
    Key | None,
    Field(description="The workflow session, by any name you give it; without one, the one named after you."),
]


class Suggested(Output):
    """A call to make, as it can be sent."""

    operation: str
    arguments: dict[str, Any]
