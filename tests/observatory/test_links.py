"""Whatever is shown has an address."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.observatory.conftest import Shown
from tests.observatory.reading import called, control, now_of, rows, says, searchbox, session_link, table, until
from tests.observatory.story import CACHE, SLOW
from tests.support.browser import NARROW, OpenPage


def test_what_is_shown_stands_in_the_address_and_comes_back_from_it(page: Page, shown: Shown, open_page: OpenPage):
    session_link(page, SLOW).click()
    control(page, "^table").click()
    rows(page).filter(has_text="Which part of the request").first.click()
    until(page, lambda: "sel=th:" in page.url)
    searchbox(page).fill("database")
    until(page, lambda: "q=database" in page.url)

    other = open_page(page.url)

    expect(other.get_by_role("heading", name=called(SLOW)).first).to_be_visible()
    expect(table(other)).to_be_visible()
    expect(searchbox(other)).to_have_value("database")
    says(other, "Which part of the request takes the time")


def test_back_and_forward_go_through_what_was_shown(page: Page):
    session_link(page, SLOW).click()
    expect(page.get_by_role("heading", name=called(SLOW)).first).to_be_visible()
    session_link(page, CACHE).click()
    expect(page.get_by_role("heading", name=called(CACHE)).first).to_be_visible()

    page.go_back()
    expect(page.get_by_role("heading", name=called(SLOW)).first).to_be_visible()
    page.go_forward()

    expect(page.get_by_role("heading", name=called(CACHE)).first).to_be_visible()


def test_an_address_of_the_past_opens_the_past(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow, at=shown.server.ask("/api/graph")["seq"]))
    latest = until(page, lambda: now_of(page))

    thoughts = shown.server.ask(f"/api/sessions/{shown.story.slow}")["thoughts"]
    page.goto(shown.server.link(shown.story.slow, at=thoughts[1]["seq"]))

    until(page, lambda: now_of(page) < latest)


def test_every_view_of_a_session_has_an_address(shown: Shown, open_page: OpenPage):
    page = open_page()
    for view in ("table", "diff", "trail", "graph"):
        page.goto(shown.server.link(shown.story.slow, view=view))
        expect(page.get_by_role("heading", name=called(SLOW)).first).to_be_visible()
        until(page, lambda view=view: _is_chosen(control(page, f"^{view}")))


def _is_chosen(control: Locator) -> bool:
    states = control.evaluate("it => [it.ariaSelected, it.ariaPressed, it.ariaCurrent, it.ariaChecked]")
    return any(state not in {None, "false"} for state in states)


def test_an_address_that_means_nothing_opens_the_page_all_the_same(shown: Shown, open_page: OpenPage):
    page = open_page()
    for nonsense in ("#/w", "#/session", "#?view=x&at=x&sel=y&camera=%00", "#/?q=%ff&at=-1&lane=x"):
        page.goto("about:blank")
        page.goto(f"{shown.server.url}{nonsense}")
        expect(searchbox(page)).to_be_visible()


def test_on_a_narrow_page_everything_is_still_within_reach(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow, view="table"), size=NARROW, has_touch=True)

    rows(page).filter(has_text="Which part of the request").first.click()
    says(page, "Which part of the request takes the time")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= NARROW[0], f"it is {width} wide"
    assert re.search(r"sel=th:\d+", page.url)
