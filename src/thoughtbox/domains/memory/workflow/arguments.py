"""What the tools of workflow and configuration share."""

from typing import Annotated

from pydantic import Field

from thoughtbox.operations import Key

WorkflowSessionId = Annotated[
    Key | None,
    Field(description="The workflow session, by any name you give it; without one, the one named after you."),
]
