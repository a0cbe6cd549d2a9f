"""What the tools of workflow and configuration share."""

from typing import Annotated, Any

from pydantic import Field

from thoughtbox.operations import Key, Output

WorkflowSessionId = Annotated[
    Key | None,
    Field(description="The workflow session, by any name you give it; without one, the one named after you."),
]


class Suggested(Output):
    """A call to make, as it can be sent."""

    operation: str
    arguments: dict[str, Any]
