"""Everybody can use it: by keyboard, by ear, in the dark, on a small screen, with strong contrast."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.observatory.conftest import Shown
from tests.observatory.reading import (
    button,
    called,
    control,
    detail_shows,
    in_page,
    ready,
    rows,
    says,
    searchbox,
    session_link,
    settle,
    text_of,
    until,
)
from tests.observatory.story import SLOW
from tests.support.browser import MEDIUM, NARROW, WIDE, OpenPage
from tests.support.observatory import StartObservatory, Store

ROOT = Path(__file__).resolve().parent.parent.parent
AXE = ROOT / "ui" / "node_modules" / "axe-core" / "axe.min.js"
THEMES = ("light", "dark")
OF_COLOURS = ("color-contrast", "link-in-text-block")
"""Axe's rules that a theme matters to; the others have nothing new to say of the second one."""

SESSION_VIEWS = ("graph", "table", "diff", "trail")
WORKSPACE_VIEWS = ("graph", "table", "board", "memory", "notebooks", "trail")
PLACES = [
    *(f"session {view}" for view in SESSION_VIEWS),
    *(f"workspace {view}" for view in WORKSPACE_VIEWS),
    "detail",
    "search",
    "keyboard map",
    "export menu",
]


def findings(page: Page, *rules: str) -> list[str]:
    """What axe has to say of the page as it is, by these rules or by all."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate(in_page("findings"), rules)


def findings_in_any_theme_at_any_width(page: Page) -> list[str]:
    found: list[str] = []
    for theme, rules in (("light", ()), ("dark", OF_COLOURS)):
        page.emulate_media(color_scheme=theme)
        for width, height in (WIDE, MEDIUM, NARROW):
            page.set_viewport_size({"width": width, "height": height})
            found += [f"{theme} {width}: {finding}" for finding in findings(page, *rules)]
    return found


def go(page: Page, shown: Shown, place: str) -> None:
    """To one of the places that the page has."""
    scope, _, view = place.partition(" ")
    if scope in {"session", "workspace"}:
        page.goto(shown.server.link(shown.story.slow if scope == "session" else None, view=view))
        return
    thoughts = shown.server.ask(f"/api/sessions/{shown.story.slow}")["thoughts"]
    chosen = {"sel": thoughts[3]["recordId"]} if place == "detail" else {"q": "cache"} if place == "search" else {}
    page.goto(shown.server.link(shown.story.slow, **chosen))
    ready(page)
    if place == "keyboard map":
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
    if place == "export menu":
        button(page, "^export").click()
        expect(control(page, "SVG")).to_be_visible()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("place", PLACES)
def test_axe_finds_nothing_serious_in_any_theme_at_any_width(shown: Shown, open_page: OpenPage, place: str):
    # The policy of the page forbids what axe is put into it with; every other test has it.
    page = open_page(bypass_csp=True)
    go(page, shown, place)
    settle(page)

    found = findings_in_any_theme_at_any_width(page)

    assert not found, "\n".join(["", *found])


def test_axe_finds_nothing_serious_in_an_empty_page(
    store: Store, start_observatory: StartObservatory, open_page: OpenPage
):
    page = open_page(start_observatory(store).url, bypass_csp=True)
    says(page, "claude mcp add")

    assert not findings(page)


def test_every_action_can_be_reached_by_tab_and_shows_where_one_is(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow, view="table"))
    expect(rows(page).first).to_be_visible()

    reached = _walk(page)

    names = [stop["name"] for stop in reached]
    for words in ("play", "live", "verif", "diff", "trail", "export", "table", "time", "search", SLOW):
        assert any(re.search(words, name, re.IGNORECASE) for name in names), f"{words} is not among {names}"
    unseen = [stop["name"] for stop in reached if not stop["marked"]]
    assert not unseen, f"nothing shows that the focus is on {unseen}"


def test_a_session_is_found_read_compared_and_verified_without_a_mouse(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.url)
    expect(session_link(page, SLOW)).to_be_visible()

    _tab_to(page, SLOW)
    page.keyboard.press("Enter")
    expect(page).to_have_url(called(re.escape(shown.story.slow)))
    _tab_to(page, "^table")
    page.keyboard.press("Enter")
    expect(rows(page).first).to_be_visible()
    _tab_to_row(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    until(page, lambda: re.search(r"sel=th:\d+", page.url))
    _tab_to(page, "^diff")
    page.keyboard.press("Enter")
    says(page, "index")
    _tab_to(page, "verif")
    page.keyboard.press("Enter")

    says(page, f"verified to #{shown.story.last}")


def test_the_graph_is_walked_through_by_arrows_and_tells_what_is_selected(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow))
    graph = page.get_by_role("application").first
    expect(graph).to_be_visible()
    assert graph.get_attribute("aria-label")

    graph.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    first = until(page, lambda: re.search(r"sel=th:\d+", page.url))[0]
    page.keyboard.press("ArrowRight")
    until(page, lambda: (found := re.search(r"sel=th:\d+", page.url)) and found[0] != first)
    page.keyboard.press("Enter")

    until(page, lambda: any(page.locator("[aria-live]").all_inner_texts()))
    record = shown.server.ask(f"/api/records/{until(page, lambda: re.search(r'sel=(th:[0-9]+)', page.url))[1]}")
    detail_shows(page, record["hash"][:8])


def test_a_dialog_keeps_the_focus_and_gives_it_back(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.url)
    expect(session_link(page, SLOW)).to_be_visible()
    session_link(page, SLOW).focus()

    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    for _ in range(8):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog, [role=dialog]')"
        )
    page.keyboard.press("Escape")

    assert SLOW in page.evaluate("document.activeElement.textContent")


@pytest.mark.parametrize("theme", THEMES)
def test_strong_contrast_is_seven_to_one_for_every_text(shown: Shown, open_page: OpenPage, theme: str):
    page = open_page(color_scheme=theme, contrast="more")
    for place in ("session table", "session diff", "workspace board", "workspace memory", "workspace trail", "detail"):
        go(page, shown, place)
        settle(page)

        weak = page.evaluate(in_page("contrasts"))

        assert not weak, f"{place}: {weak[:10]}"


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_is_what_the_system_prefers(shown: Shown, open_page: OpenPage, theme: str):
    page = ready(open_page(shown.server.url, color_scheme=theme))

    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(part) for part in re.findall(r"\d+", colour)[:3])

    assert (red + green + blue > 3 * 128) == (theme == "light"), colour


def test_letters_of_twice_the_size_leave_everything_within_reach(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow, view="table"), size=(800, 500), device_scale_factor=2)

    expect(searchbox(page).or_(control(page, "search")).first).to_be_visible()
    expect(control(page, "^diff")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 800


def _walk(page: Page) -> list[dict[str, Any]]:
    """Everything that Tab comes to, once around."""
    page.evaluate("document.activeElement.blur()")
    reached: list[dict[str, Any]] = []
    for _ in range(200):
        page.keyboard.press("Tab")
        stop = page.evaluate(in_page("stop"))
        if stop is None or any(stop["path"] == before["path"] for before in reached):
            break
        reached.append(stop)
    return reached


def _tab_to(page: Page, words: str) -> None:
    for _ in range(200):
        stop = page.evaluate(in_page("stop"))
        if stop is not None and re.search(words, stop["name"], re.IGNORECASE):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not come to {words!r}; the page says: {text_of(page)[:500]}")


def _tab_to_row(page: Page) -> None:
    for _ in range(200):
        if page.evaluate("!!document.activeElement.closest('[role=grid], table, [role=row]')"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab does not come to the table")
