"""Apps: pages that clients show beside what tools answer, where they can (the extension `io.modelcontextprotocol/ui`).

An operation names its app; the door has the page, as a resource under `ui://`. Whoever knows nothing of apps sees
`_meta` in the list of tools, and everything else as ever.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

from thoughtbox import content
from thoughtbox.derived_files import PACKAGE

MIME: Final = "text/html;profile=mcp-app"

_PLACES = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")
META: Final = {"ui": {"csp": {name: [] for name in _PLACES}, "prefersBorder": True}}
"""A page brings all that it needs and asks its client for the rest, so that it may be kept from every other place."""


class App(NamedTuple):
    """One page."""

    uri: str
    name: str
    title: str
    description: str
    page: Path
    """A file that stands for itself. The front end is built into it."""

    def shown(self) -> dict[str, Any]:
        """As it is listed."""
        about = {"uri": self.uri, "name": self.name, "title": self.title, "description": self.description}
        return {**about, "mimeType": MIME, "_meta": META}

    def contents(self) -> dict[str, Any]:
        """As it is read, from the file as it is now; in a checkout where nothing was built, from a text that says so.

        What a page may do is said here once more: this is where clients look first.
        """
        try:
            text = self.page.read_text(encoding="utf-8")
        except FileNotFoundError:
            text = content.text("app-not-built.html")
        return {"uri": self.uri, "mimeType": MIME, "text": text, "_meta": META}


APPS: Final = {
    "session": App(
        uri="ui://thoughtbox/session",
        name="session",
        title="Session",
        description="The session of thought that a call was about, for people to look at.",
        page=PACKAGE / "doors" / "observatory" / "page" / "app.html",
    ),
}
"""By the names that operations know them under."""


def link(app: str) -> dict[str, Any]:
    """What leads from a tool to its app."""
    return {"ui": {"resourceUri": APPS[app].uri}}


def listed() -> list[dict[str, Any]]:
    return [app.shown() for app in APPS.values()]


def at(uri: str) -> App | None:
    """The app whose page is at an address."""
    return next((app for app in APPS.values() if app.uri == uri), None)
