"""What a request may say beside its arguments, in `_meta`: a key for repeating it, as of when, in which workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.doors.http.principal import reached
from thoughtbox.doors.mcp.request import Request
from thoughtbox.errors import InvalidPayload
from thoughtbox.operations.storable import unstorable
from thoughtbox.settings import WORKSPACE, WORKSPACE_RULE

KEY = "thoughtbox/idempotencyKey"
AS_OF = "thoughtbox/asOf"
IN_WORKSPACE = "thoughtbox/workspace"


def option(meta: Mapping[str, Any], name: str, kind: type) -> Any:
    """What is said under that name, if anything is; refused when it is of another kind."""
    value = meta.get(name)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        raise InvalidPayload(f"_meta `{name}` must be a {'number' if kind is int else 'text'}")
    if isinstance(value, str) and (what := unstorable(value)) is not None:
        raise InvalidPayload(f"_meta `{name}` contains {what}, which cannot be stored")
    return value


def workspace_of(request: Request, project: str, named: str | None = None) -> str:
    """The workspace that a request is about: the one named, in its arguments or beside them, or the server's own.

    Refused when its token does not reach that.
    """
    where = "workspace"
    if named is None and request.meta:
        where, named = f"_meta `{IN_WORKSPACE}`", option(request.meta, IN_WORKSPACE, str)
    if named is not None and not WORKSPACE.fullmatch(named):
        raise InvalidPayload(f"{where} cannot be the name of a workspace", recovery=f"It has {WORKSPACE_RULE}.")
    return reached(request.connection.principal, named, project)
