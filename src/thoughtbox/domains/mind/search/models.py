"""What goes in and what comes out of a search."""

from typing import Annotated, Any

from pydantic import Field

from thoughtbox.domains.mind.arguments import BoundedInput, Drafts
from thoughtbox.operations import Output, Text


class Search(BoundedInput):
    query: Annotated[Text, Field(max_length=2_000, description="A question, or words; the best fits come first.")]
    limit: Annotated[int, Field(ge=1, le=50, description="How many in one answer.")] = 10
    offset: Annotated[int, Field(ge=0, description="next_offset of the page before.")] = 0
    include_drafts: Drafts = False


class Found(Output):
    sparse = True

    query: str
    hits: list[dict[str, Any]]
    count: int
    has_more: bool
    next_offset: int | None = None
    message: Annotated[str | None, Field(description="What there is to say of what was asked or found.")] = None
    truncated: bool = False
