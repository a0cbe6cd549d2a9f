"""Resources: read operations under an address."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from mcp_types import Resource as McpResource
from mcp_types import ResourceTemplate

from thoughtbox.errors import ResourceNotFound
from thoughtbox.operations.registry import Resource, Table

MIME = "application/json"
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
