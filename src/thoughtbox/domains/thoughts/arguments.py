"""Arguments that several operations of the room take."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from thoughtbox.domains.thoughts.model.session import LONGEST_TITLE
from thoughtbox.domains.thoughts.model.thought import BRANCH_ID
from thoughtbox.operations import Key, Text

HIGHEST_NUMBER = 1_000_000_000
MOST_TAGS = 50
LONGEST_TAG = 100
MOST_LISTED = 100
LISTED_BY_DEFAULT = 20


def _branch_id(text: str) -> str:
    if not BRANCH_ID.fullmatch(text):
        raise ValueError("it has a-z, 0-9 and - only, 64 at most")
    return text


SessionId = Annotated[
    Key | None, Field(description="The session meant, or `latest`; without it, the one this connection works on.")
]
Number = Annotated[int, Field(ge=1, le=HIGHEST_NUMBER)]
BranchId = Annotated[str, AfterValidator(_branch_id)]
Title = Annotated[Text, Field(max_length=LONGEST_TITLE)]
Tag = Annotated[Key, Field(max_length=LONGEST_TAG)]
Tags = Annotated[list[Tag], Field(max_length=MOST_TAGS)]
LONGEST_PLACE = 200
Place = Annotated[Key, Field(max_length=LONGEST_PLACE)]
Domain = Literal["debugging", "planning", "decision-making", "risk-management", "problem-solving", "analysis"]

Limit = Annotated[int, Field(ge=1, le=MOST_LISTED, description="How many in one answer.")]
Offset = Annotated[int, Field(ge=0, le=1_000_000, description="How many to pass over.")]
SortedBy = Annotated[Literal["createdAt", "updatedAt", "title"], Field(description="What the order goes by.")]
SortOrder = Annotated[Literal["asc", "desc"], Field(description="Rising or falling.")]
