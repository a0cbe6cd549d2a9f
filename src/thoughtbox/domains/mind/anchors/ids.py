"""Ids of anchors as callers send them."""

from typing import Annotated

from pydantic import AfterValidator, Field

from thoughtbox.domains.mind.anchors.anchor import ANCHOR_ID, ID_RULE


def _anchor_id(text: str) -> str:
    id = text.strip().lower()
    if not ANCHOR_ID.fullmatch(id):
        raise ValueError(ID_RULE)
    return id


AnchorName = Annotated[str, AfterValidator(_anchor_id)]
AnchorId = Annotated[AnchorName, Field(description="Anchor, such as a:storage.")]
