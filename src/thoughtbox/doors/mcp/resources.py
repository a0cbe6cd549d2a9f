"""Resources: texts and read operations under an address."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cache
from typing import Any

from thoughtbox.doors.mcp import apps
from thoughtbox.errors import ResourceNotFound
from thoughtbox.operations.addressed import Resource
from thoughtbox.operations.table import Table

SCHEME = "thoughtbox://"
PAGE = 100

_ARGUMENT = re.compile(r"{(\w+)}")


def match(table: Table, uri: str) -> tuple[Resource, dict[str, str]]:
    """The resource at an address, and the arguments that the address carries, as the operation calls them."""
    resource, values = _at(table, uri)
    return resource, {resource.names.get(name, name): value for name, value in values.items()}


def must_exist(table: Table, uri: str) -> None:
    """Refuse an address that nothing can be at."""
    if apps.at(uri) is None:
        _at(table, uri)


def _at(table: Table, uri: str) -> tuple[Resource, dict[str, str]]:
    if (known := table.resources.get(uri)) is not None and _is_fixed(known):
        return known, {}
    for resource in table.resources.values():
        if found := _pattern(resource.uri).fullmatch(uri):
            from urllib.parse import unquote

            return resource, {name: unquote(value) for name, value in found.groupdict().items()}
    raise ResourceNotFound(
        f"there is no resource {uri}",
        recovery="resources/list and resources/templates/list show what there is.",
        details={"uri": uri},
    )


@cache
def _pattern(template: str) -> re.Pattern[str]:
    parts = _ARGUMENT.split(template)  # texts, and between them names
    return re.compile("".join(f"(?P<{part}>[^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts)))


def is_listed(table: Table, stream: str) -> bool:
    """Whether the stream is shown by a resource that is listed."""
    listing = [resource for resource in table.resources.values() if resource.listed is not None]
    return any(stream.startswith(_stream(resource).partition("{")[0]) for resource in listing)


def is_concerned(table: Table, uri: str, grown: Container[str]) -> bool:
    """Whether what is at an address may have changed, now that these streams have grown.

    Some show one stream, and a text or a page of ours never changes. Of the others nothing is known but that
    something was written.
    """
    try:
        resource, values = _at(table, uri)
    except ResourceNotFound:
        return False
    if resource.text is not None:
        return False
    return not (stream := _stream(resource)) or _filled(stream, values) in grown


def _stream(resource: Resource) -> str:
    """The name of the stream that a resource shows, arguments in braces; empty when it shows more than one."""
    if resource.stream is not None:
        return resource.stream
    return resource.uri.removeprefix(SCHEME) if resource.listed is not None else ""


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _ARGUMENT.sub(lambda found: values[found[1]], template)


def fixed(table: Table) -> list[dict[str, Any]]:
    """Resources whose address is known beforehand: those of the rooms, and the pages of apps."""
    of_rooms = [
        {"uri": resource.uri, "name": resource.name, **_described(resource)}
        for resource in table.resources.values()
        if _is_fixed(resource)
    ]
    return [*of_rooms, *apps.listed()]


def templates(table: Table) -> list[dict[str, Any]]:
    return [
        {"uriTemplate": resource.uri, "name": resource.name, **_described(resource)}
        for resource in table.resources.values()
        if not _is_fixed(resource)
    ]


def listed(resource: Resource, titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """A resource with one argument, for each value that there is of it, with the title of what is there."""
    from urllib.parse import quote

    (argument,) = _ARGUMENT.findall(resource.uri)
    return [
        {
            "uri": _filled(resource.uri, {argument: quote(value, safe="")}),
            "name": value,
            **_described(resource._replace(title=title)),
        }
        for value, title in titles.items()
    ]


def _is_fixed(resource: Resource) -> bool:
    return "{" not in resource.uri


def _described(resource: Resource) -> dict[str, str]:
    return {"title": resource.title, "description": resource.description, "mimeType": resource.mime}
