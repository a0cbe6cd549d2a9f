"""What a request of the newest era says of itself in `_meta`, and in the headers beside it, checked rung by rung.

The first check that fails is the one that is told, in the order that the revision asks for.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from thoughtbox.doors.mcp.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    UNSUPPORTED_PROTOCOL_VERSION,
    Incoming,
    Params,
    ProtocolError,
)
from thoughtbox.doors.mcp.revisions import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION, STATELESS

VERSION_HEADER = "mcp-protocol-version"
METHOD_HEADER = "mcp-method"
NAME_HEADER = "mcp-name"
ROUTING_HEADERS = frozenset({VERSION_HEADER, METHOD_HEADER, NAME_HEADER})

NAMED_IN_HEADER: Mapping[str, str] = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods whose object stands in a header, too, so that a proxy can tell: by the parameter that names it."""

_ENCODED = re.compile(r"=\?base64\?(.*)\?=")

Headers = Mapping[str, str]


class Peer(NamedTuple):
    """What is known of a client: the revision it speaks, what it calls itself, and what it can do."""

    version: str
    name: str = ""
    capabilities: Mapping[str, Any] = {}

    @property
    def is_stateless(self) -> bool:
        """Whether its revision knows no connection: every request stands for itself."""
        return self.version in STATELESS


def is_enveloped(params: Params | None) -> bool:
    """Whether a request claims to be of the newest era: only there a request names its revision."""
    meta = params.get("_meta") if params else None
    return type(meta) is dict and PROTOCOL_VERSION in meta


def sender(message: Incoming, headers: Headers | None = None) -> Peer:
    """Who sends a request, by what it says of itself; refused where that is not whole, or contradicts the headers."""
    meta = message.params.get("_meta") if message.params else None
    if type(meta) is not dict:
        raise ProtocolError(
            INVALID_PARAMS,
            f"params._meta must be an object carrying the required {PROTOCOL_VERSION!r} and"
            f" {CLIENT_CAPABILITIES!r} envelope keys",
        )
    if missing := [key for key in (PROTOCOL_VERSION, CLIENT_CAPABILITIES) if key not in meta]:
        raise ProtocolError(
            INVALID_PARAMS, f"params._meta is missing the required envelope key(s): {', '.join(missing)}"
        )
    version = meta[PROTOCOL_VERSION]
    if headers is not None:
        _must_agree(message, version, headers)
    if type(version) is not str:
        raise ProtocolError(INVALID_PARAMS, "the protocol-version envelope value must be a string")
    must_be_served(version)
    info, capabilities = meta.get(CLIENT_INFO), meta[CLIENT_CAPABILITIES]
    name = info.get("name") if type(info) is dict else None
    return Peer(version, name if type(name) is str else "", capabilities if type(capabilities) is dict else {})


def must_be_served(version: str) -> None:
    """Refuse a revision of the newest era that is not spoken here."""
    if version not in STATELESS:
        raise ProtocolError(
            UNSUPPORTED_PROTOCOL_VERSION,
            "Unsupported protocol version",
            {"supported": list(STATELESS), "requested": version},
        )


def _must_agree(message: Incoming, version: Any, headers: Headers) -> None:
    """Refuse a request whose headers say something else than its body: whoever routes by them would be deceived."""
    if headers.get(VERSION_HEADER) is None or headers[VERSION_HEADER] != version:
        raise _mismatch(f"{VERSION_HEADER} header does not match the request envelope's protocol version")
    if headers.get(METHOD_HEADER) != message.method:
        raise _mismatch(f"{METHOD_HEADER} header does not match the request body's method")
    parameter = NAMED_IN_HEADER.get(message.method)
    if parameter is not None:
        named = (message.params or {}).get(parameter)
        if named is not None and decoded(headers.get(NAME_HEADER)) != named:
            raise _mismatch(f"{NAME_HEADER} header does not match the request body's {parameter!r} parameter")


def _mismatch(message: str) -> ProtocolError:
    return ProtocolError(HEADER_MISMATCH, message)


def decoded(value: str | None) -> str | None:
    """What a header stands for: itself, or what is encoded in it as base64; None when that cannot be read."""
    found = _ENCODED.fullmatch(value) if value is not None else None
    if found is None:
        return value
    try:
        content = base64.b64decode(found[1], validate=True)
        # Only the one way in which this would be written, so that no two headers mean the same.
        return content.decode() if base64.b64encode(content).decode() == found[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None
