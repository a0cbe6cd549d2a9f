"""Arguments that several verbs of this room share."""

from typing import Annotated, Literal

from pydantic import Field

Scope = Literal["project", "global"]

LARGEST_ID = 2**53


SessionId = Annotated[int, Field(ge=1, le=LARGEST_ID, description="Id of the memory session, such as 17.")]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
