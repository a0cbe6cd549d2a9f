"""A SessionExport (spec 1) read back: ours, and those of other programs.

Nothing that stands in it is believed before it is checked. What becomes of other programs' numbering and links is what
`docs/file-layout.md` says of their directories.
"""

from __future__ import annotations

from typing import Annotated, Any, NoReturn

import orjson
from pydantic import AfterValidator, FailFast, ValidationError

from thoughtbox.domains.thoughts.files.folder import shown
from thoughtbox.domains.thoughts.files.imported import ImportedSession, Unfit, session_from
from thoughtbox.domains.thoughts.files.manifest import (
    SESSION_ID,
    Extension,
    InFile,
    Manifest,
    Metadata,
    PlainText,
    Texts,
    Time,
)
from thoughtbox.domains.thoughts.files.nodes import Node, NodeFile
from thoughtbox.domains.thoughts.model.thought import line_and_number, node_id
from thoughtbox.errors import ImportRefused


def _known_version(version: str) -> str:
    if version.split(".")[0] != "1":
        raise ValueError(f"version {shown(version)} is not known; 1.0 is")
    return version


def _session_id(name: str) -> str:
    if not SESSION_ID.fullmatch(name):
        raise ValueError(f"{shown(name)} is no session id; those have only a-z, 0-9 and -")
    return name


class _Session(InFile):
    """The Session of the document."""

    id: Annotated[str, AfterValidator(_session_id)]
    title: PlainText
    description: PlainText | None = None
    tags: Texts
    created_at: Time
    updated_at: Time


class _SessionExport(InFile):
    version: Annotated[str, AfterValidator(_known_version)]
    session: _Session
    nodes: Annotated[list[Node], FailFast()]
    thoughtbox: Extension | None = None


def read_export(text: str | bytes) -> ImportedSession:
    """The session that a SessionExport says; raises `ImportRefused`."""
    export = _parsed(text)
    found = [NodeFile(node.branch_id or node.data.branch_id, node) for node in export.nodes]
    _check(export.session.id, found)
    session, ours = export.session, export.thoughtbox
    if ours is not None:  # its nodes stand in order of recording
        order = [line_and_number(branch, node.data.thought_number) for branch, node in found]
        ours = ours.model_copy(update={"order": order})
    manifest = Manifest(
        id=session.id,
        thought_files=[],
        branch_files={},
        metadata=Metadata(
            title=session.title,
            description=session.description,
            tags=session.tags,
            created_at=session.created_at,
            updated_at=session.updated_at,
        ),
        thoughtbox=ours,
    )
    branches = dict.fromkeys(branch for branch, _ in found if branch is not None)
    try:
        return session_from(manifest, found, list(branches), project=None)
    except Unfit as unfit:
        _refuse(str(unfit))


def _parsed(text: str | bytes) -> _SessionExport:
    try:
        return _SessionExport.model_validate(orjson.loads(text))
    except orjson.JSONDecodeError as error:
        _refuse(f"it is not JSON: {error}")
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, fault["loc"])) or "it"
        _refuse(f"{shown(place)}: {fault['msg'].removeprefix('Value error, ')}", field=place)


def _check(session_id: str, found: list[NodeFile]) -> None:
    """Every node has the id of its place, and none stands twice."""
    ids: set[str] = set()
    for branch, node in found:
        own = node_id(session_id, branch, node.data.thought_number)
        if node.id != own:
            _refuse(f"a node has the id {shown(node.id)}; where it stands, its id is {shown(own)}")
        if node.data.branch_id not in (None, branch) or branch == "":
            _refuse(f"{shown(node.id)} says that it is on branch {shown(str(node.data.branch_id))}")
        if own in ids:
            _refuse(f"{shown(own)} stands twice")
        ids.add(own)


def _refuse(why: str, **details: Any) -> NoReturn:
    raise ImportRefused(
        f"the session cannot be imported: {why}",
        recovery="Put it right and send it again; nothing was imported.",
        details=details,
    )
