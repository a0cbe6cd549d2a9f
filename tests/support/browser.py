"""A real browser, and pages that are watched: one Chromium per test process, a context of its own for every page.

    def test_the_page_opens(open_page):
        page = open_page(url)

Whatever a test does, its pages may not run into an error, break the content security policy, open a dialog or ask any
other server for anything: that is looked at when the test has ended. A folder's conftest takes what it needs:
`from tests.support.browser import browser, open_page`.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Request, ViewportSize, WebSocket, sync_playwright

from tests.browser.chromium import NAMED, Chromium, find
from tests.support.forks import PATIENCE

LEFT_OUT = (
    "HttpsUpgrades",
    "MediaRouter",
    "OptimizationHints",
    "PaintHolding",
    "SpareRendererForSitePerProcess",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)
"""Features of a window that nobody looks at: without them a page takes half the time."""

ARGUMENTS = (
    "--no-sandbox",  # there is none for root, and the only pages are our own
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--force-color-profile=srgb",
    f"--disable-features={','.join(LEFT_OUT)}",
)
PATIENCE_MS = round(PATIENCE * 1000)

STILL: dict[str, Any] = {"reduced_motion": "reduce"}

WIDE, MEDIUM, NARROW = (1600, 1000), (1024, 768), (390, 844)

OpenPage = Callable[..., Page]

_WATCH = """
window.__pwned = [];
window.__violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.__violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser of this test process, started when first asked for."""
    found = browser_to_drive()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=found.program, args=list(ARGUMENTS), env={**os.environ, **found.variables}
        )
        with _running(None):
            yield launched
        launched.close()


def browser_to_drive() -> Chromium:
    """The one that is there. Without one, tests are skipped; where they are to be run for others, they fail."""
    if (found := find()) is not None:
        return found
    reason = f"there is no Chromium: `make setup` could not get one, and {NAMED} names none"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def _running(loop: asyncio.AbstractEventLoop | None) -> Generator[None]:
    """Have this count as the event loop that runs in this thread.

    Playwright's own stays in the middle of running from the first page to the last, and tests that have nothing to do
    with it run others.
    """
    before = asyncio._get_running_loop()
    asyncio._set_running_loop(loop)
    try:
        yield
    finally:
        asyncio._set_running_loop(before)


class Watched:
    """What happened in a page that should not have."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.wrong: list[str] = []
        self.requests: list[str] = []
        self.pending: set[Request] = set()
        self.expected: list[re.Pattern[str]] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        page.on("dialog", self._asked)
        page.on("request", self._requested)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)
        page.on("websocket", self._connected)
        page.on("popup", lambda popup: self.wrong.append(f"popup: {popup.url}"))
        page.on("crash", lambda _: self.wrong.append("the page crashed"))

    def expect(self, pattern: str) -> None:
        """Let this pass: what a test brings about on purpose."""
        self.expected.append(re.compile(pattern))

    def found(self) -> list[str]:
        """All that was wrong and is not expected."""
        found = list(self.wrong)
        if not self.page.is_closed():
            ran, violations = self.page.evaluate("[window.__pwned ?? [], window.__violations ?? []]")
            found += [f"ran: {what}" for what in ran]
            found += [f"violation: {what}" for what in violations]
        return [what for what in found if not any(pattern.search(what) for pattern in self.expected)]

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.wrong.append(f"console {message.type}: {message.text} {message.location.get('url', '')}")

    def _asked(self, dialog: Dialog) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _requested(self, request: Request) -> None:
        self.requests.append(request.url)
        self.pending.add(request)
        self._stays_here(request.url, request.frame.url)

    def _ended(self, request: Request) -> None:
        self.pending.discard(request)

    def _connected(self, socket: WebSocket) -> None:
        self._stays_here(socket.url, self.page.url)

    def _stays_here(self, url: str, page: str) -> None:
        asked, own = urlsplit(url), urlsplit(page)
        if asked.scheme not in {"data", "blob"} and own.scheme != "about" and asked.netloc != own.netloc:
            self.wrong.append(f"request to another server: {url}")


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Opens a page: `open_page(url, size=NARROW, color_scheme="dark", contrast="more")`, and watches it.

    What else is given is an option of the browser's context.
    """
    pages: list[Watched] = []

    def open_page(url: str | None = None, size: tuple[int, int] = WIDE, **options: Any) -> Page:
        viewport: ViewportSize = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, locale="en-GB", timezone_id="UTC", **{**STILL, **options})
        context.set_default_timeout(PATIENCE_MS)
        context.add_init_script(_WATCH)
        page = context.new_page()
        pages.append(Watched(page))
        _WATCHED[page] = pages[-1]
        if url is not None:
            page.goto(url)
        return page

    with _running(browser._loop):
        yield open_page
        for watched in pages:
            if not watched.page.is_closed():
                watched.page.unroute_all(behavior="wait")  # an answer under way ends here, and not in the next test
        wrong = [what for watched in pages for what in watched.found()]
        for watched in pages:
            _WATCHED.pop(watched.page)
            watched.page.context.close()
    assert not wrong, "\n".join(["", *wrong])


_WATCHED: dict[Page, Watched] = {}


def watched(page: Page) -> Watched:
    """What is known of a page that `open_page` opened."""
    return _WATCHED[page]
