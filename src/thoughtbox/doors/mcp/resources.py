"""Resources: read operations under an address."""

from __future__ import annotations

import re
from collections.abc import Container
from urllib.parse import quote, unquote

from mcp_types import Resource as McpResource
from mcp_types import ResourceTemplate

from thoughtbox.errors import ResourceNotFound
from thoughtbox.operations.registry import Resource, Table

MIME = "application/json"
SCHEME = "thoughtbox://"
PAGE = 100


def argument_of(resource: Resource) -> str | None:
    """The name of the argument that the address carries."""
    found = re.search(r"{(\w+)}", resource.uri)
    return found[1] if found else None


def address(resource: Resource, value: str) -> str:
    return re.sub(r"{\w+}", quote(value, safe=""), resource.uri)


def match(table: Table, uri: str) -> tuple[Resource, dict[str, str]]:
    """The resource at an address, and the argument that the address carries."""
    for resource in table.resources.values():
        pattern = re.escape(resource.uri).replace(r"\{", "{").replace(r"\}", "}")
        found = re.fullmatch(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", pattern), uri)
        if found:
            return resource, {name: unquote(value) for name, value in found.groupdict().items()}
    raise ResourceNotFound(
        f"there is no resource {uri}",
        recovery="resources/list and resources/templates/list show what there is.",
        details={"uri": uri},
    )


def is_listed(table: Table, stream: str) -> bool:
    """Whether the stream is shown by a resource that is listed."""
    listing = [resource for resource in table.resources.values() if resource.listed is not None]
    return any(stream.startswith(_stream(resource, "")) for resource in listing)


def is_concerned(table: Table, uri: str, grown: Container[str]) -> bool:
    """Whether what is at an address may have changed, now that these streams have grown.

    A listed resource shows one stream. Of the others nothing is known but that something was written.
    """
    try:
        resource, arguments = match(table, uri)
    except ResourceNotFound:
        return False
    return resource.listed is None or _stream(resource, *arguments.values()) in grown


def _stream(resource: Resource, value: str) -> str:
    """The stream that a listed resource shows: its address is the stream's name."""
    return resource.uri.removeprefix(SCHEME).partition("{")[0] + value


def fixed(table: Table) -> list[McpResource]:
    """Resources whose address is known beforehand."""
    return [
        _shown(resource, resource.uri, resource.name) for resource in table.resources.values() if _is_fixed(resource)
    ]


def templates(table: Table) -> list[ResourceTemplate]:
    return [
        ResourceTemplate(
            uri_template=resource.uri,
            name=resource.name,
            title=resource.title,
            description=resource.description,
            mime_type=MIME,
        )
        for resource in table.resources.values()
        if not _is_fixed(resource)
    ]


def listed(resource: Resource, values: list[str]) -> list[McpResource]:
    return [_shown(resource, address(resource, value), value) for value in values]


def _is_fixed(resource: Resource) -> bool:
    return argument_of(resource) is None


def _shown(resource: Resource, uri: str, name: str) -> McpResource:
    return McpResource(uri=uri, name=name, title=resource.title, description=resource.description, mime_type=MIME)
