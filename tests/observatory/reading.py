"""How these tests find things in the page: as people and assistive tools do, by role and name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.support.browser import PATIENCE_MS, watched

expect.set_options(timeout=PATIENCE_MS)

CONTROLS = ("button", "tab", "link", "radio", "menuitem", "menuitemradio", "switch", "checkbox")


def called(words: str) -> re.Pattern[str]:
    """A name with these words in it, however it is written."""
    return re.compile(words, re.IGNORECASE)


def button(page: Page | Locator, words: str) -> Locator:
    return page.get_by_role("button", name=called(words)).first


def control(page: Page | Locator, words: str) -> Locator:
    """Whatever can be operated and has such a name."""
    found = page.get_by_role("button", name=called(words))
    for role in CONTROLS[1:]:
        found = found.or_(page.get_by_role(role, name=called(words)))
    return found.first


def session_link(page: Page, title: str) -> Locator:
    """The link or row that a session is opened by."""
    name = called(re.escape(title))
    return page.get_by_role("link", name=name).or_(page.get_by_role("row", name=name)).first


def entry(page: Page, title: str) -> Locator:
    """All that the list says of a session."""
    named = page.get_by_role("link", name=called(re.escape(title)))
    return page.get_by_role("listitem").or_(page.get_by_role("row")).filter(has=named).first


def table(page: Page) -> Locator:
    """The table of records, as grids and treegrids are tables to assistive tools."""
    return page.get_by_role("grid").or_(page.get_by_role("table")).or_(page.get_by_role("treegrid")).first


def rows(page: Page) -> Locator:
    """The rows of the table that are there at the moment, without that of the headers."""
    cell = page.get_by_role("cell").or_(page.get_by_role("gridcell"))
    return table(page).get_by_role("row").filter(has=cell)


def row_count(page: Page) -> int:
    """How many rows the table says it has; that of the headers is one."""
    return int(table(page).get_attribute("aria-rowcount") or 0)


def slider(page: Page) -> Locator:
    return page.get_by_role("slider", name=called("time"))


def now_of(page: Page) -> int:
    """Where the slider stands."""
    value: Any = slider(page).evaluate("it => it.getAttribute('aria-valuenow') ?? it.value")
    return int(value)


def most_of(page: Page) -> int:
    value: Any = slider(page).evaluate("it => it.getAttribute('aria-valuemax') ?? it.max")
    return int(value)


def searchbox(page: Page) -> Locator:
    return page.get_by_role("searchbox").first


def until(page: Page, holds: Callable[[], Any]) -> Any:
    """Wait until this holds of the page, and return what it said."""
    for _ in range(PATIENCE_MS // 50):
        if found := holds():
            return found
        page.wait_for_timeout(50)
    raise AssertionError("waited in vain")


def settle(page: Page) -> None:
    """Wait until the page asks for nothing any more, and has drawn what it got."""
    quiet = 0
    while quiet < 3:
        page.wait_for_timeout(50)
        drawn(page)
        quiet = 0 if watched(page).pending else quiet + 1


def drawn(page: Page) -> None:
    """Wait until the page has drawn what it has."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def in_page(name: str) -> str:
    """A function to be run in the page."""
    return (Path(__file__).parent / "in_page" / f"{name}.js").read_text(encoding="utf-8")


def text_of(page: Page) -> str:
    """All that a person can read."""
    return page.locator("body").inner_text()


def says(page: Page, words: str) -> None:
    """Wait until the page shows these words."""
    expect(page.locator("body")).to_contain_text(called(words))


def ready(page: Page) -> Page:
    """The page, once it has read what it shows."""
    expect(slider(page)).to_be_enabled()
    return page


def detail_shows(page: Page, words: str) -> Locator:
    """Wait until something that is not the table shows these words."""
    beside = page.get_by_text(called(words)).and_(page.locator(":not(table *):not([role=grid] *):not([role=table] *)"))
    expect(beside.first).to_be_visible()
    return beside.first
