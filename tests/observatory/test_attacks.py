"""Nothing of a stored text ever runs, loads, leads away or hides: every text of the corpus, through every view."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tests.observatory.attack import ACTION, Planted, plant
from tests.observatory.reading import (
    called,
    drawn,
    in_page,
    now_of,
    ready,
    row_count,
    rows,
    says,
    searchbox,
    settle,
    slider,
    table,
    text_of,
    until,
)
from tests.support.browser import NARROW, OpenPage, watched
from tests.support.hostile_texts import ALL, Hostile
from tests.support.observatory import Observatory, new_store

SESSION_VIEWS = ("graph", "table", "diff", "trail")
WORKSPACE_VIEWS = ("graph", "table", "board", "memory", "notebooks", "trail")
GROUPS = 3
"""So many tests share the texts out among themselves."""


class Attacked:
    """A server whose store is full of hostile texts."""

    def __init__(self, server: Observatory, planted: Planted) -> None:
        self.server = server
        self.planted = planted


@pytest.fixture(scope="session")
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    folder = tmp_path_factory.mktemp("attacked")
    with new_store("sqlite", folder / "store", request.config) as store:
        with store.opened() as box:
            planted = plant(box)
        server = Observatory(store.told, folder / "observatory.txt")
        yield Attacked(server, planted)
        server.stop()


def is_inert(page: Page) -> None:
    """Nothing in the page is more than text, and nothing has happened to it."""
    assert page.evaluate(in_page("suspects")) == []
    assert watched(page).found() == []


def test_the_corpus_is_as_large_as_it_says():
    assert len(ALL) >= 48
    assert len({hostile.name for hostile in ALL}) == len(ALL)
    assert all(hostile.seen in hostile.text for hostile in ALL)


@pytest.mark.sampled(2)
def test_titles_in_the_list_of_sessions_are_text(attacked: Attacked, open_page: OpenPage):
    page = ready(open_page(attacked.server.url))
    _see_all(page)

    is_inert(page)
    says(page, r"<script>__pwned")


@pytest.mark.sampled(GROUPS)
@pytest.mark.parametrize("group", range(GROUPS))
def test_a_session_and_its_thought_are_text_in_every_place_that_shows_them(
    attacked: Attacked, open_page: OpenPage, group: int
):
    page = open_page()
    for hostile in ALL[group::GROUPS]:
        session, thought = attacked.planted.sessions[hostile.name], attacked.planted.thoughts[hostile.name]
        page.goto(attacked.server.link(session, view="table", sel=thought))
        until(page, lambda: rows(page).count())
        _is_seen(page, hostile)
        is_inert(page)


@pytest.mark.sampled(2)
def test_a_session_of_nothing_else_is_text_in_every_view(attacked: Attacked, open_page: OpenPage):
    page = open_page()
    for view in SESSION_VIEWS:
        page.goto(attacked.server.link(attacked.planted.many, view=view))
        ready(page)
        if view == "diff":
            says(page, "Here they part")
        settle(page)
        _see_all(page)
        is_inert(page)
        slider(page).focus()
        page.keyboard.press("Home")
        page.keyboard.press("End")
        is_inert(page)


def test_a_workspace_of_nothing_else_is_text_in_every_view(attacked: Attacked, open_page: OpenPage):
    page = open_page()
    for view in WORKSPACE_VIEWS:
        page.goto(attacked.server.link(view=view))
        ready(page)
        if view == "trail":
            page.get_by_text(ACTION).first.click()
        if view == "memory":
            page.get_by_text("Always mind").first.click()
        settle(page)
        _see_all(page)
        is_inert(page)
        assert page.evaluate(in_page("steering")) == [], view
        if view in {"board", "memory", "trail"}:
            says(page, "<script>__pwned")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name", ["ansi-colour", "bidi-override", "bidi-isolates", "zero-width", "backspaces", "c1-controls"]
)
def test_what_turns_text_around_or_steers_a_terminal_is_shown_by_its_code(
    attacked: Attacked, open_page: OpenPage, name: str
):
    """In titles, tags, tables and details alike: what one reads has to be what stands there."""
    page = open_page()
    session, thought = attacked.planted.sessions[name], attacked.planted.thoughts[name]
    for view in SESSION_VIEWS:
        page.goto(attacked.server.link(session, view=view, sel=thought))
        ready(page)
        settle(page)
        assert "U+" in text_of(page)
        assert page.evaluate(in_page("steering")) == []


def test_hits_of_a_search_are_text(attacked: Attacked, open_page: OpenPage):
    page = ready(open_page(attacked.server.url))
    for words in ("script", "onerror", "javascript", "evil example", "<img src=x onerror=__pwned.push(3)>"):
        searchbox(page).fill(words)
        settle(page)
        is_inert(page)


@pytest.mark.sampled(2)
def test_an_address_is_text(attacked: Attacked, open_page: OpenPage):
    page = open_page()
    watched(page).expect("404|400")
    for hostile in ALL:
        if len(hostile.text) > 500:
            continue
        word = quote(hostile.text, safe="")
        for hash in (f"#/w/{word}", f"#/w/tests/session/{word}", f"#/?q={word}&sel={word}&lane={word}&camera={word}"):
            page.evaluate("hash => { location.hash = hash }", hash)
        is_inert(page)
    settle(page)
    page.goto(attacked.server.link("<img src=x onerror=__pwned.push(4)>", workspace="<svg onload=__pwned.push(5)>"))
    ready_or_not(page)
    is_inert(page)


def test_what_arrives_live_is_text(attacked: Attacked, open_page: OpenPage, request, tmp_path, start_observatory):
    with new_store("sqlite", tmp_path / "live", request.config) as store:
        page = open_page(start_observatory(store).link(view="table"))
        expect(searchbox(page)).to_be_visible()
        with store.opened() as box:
            plant(box, ALL[::7])
            records = box.ledger_status()["records"]

        until(page, lambda: row_count(page) in {records, records + 1})
        until(page, lambda: now_of(page))
        is_inert(page)


def test_a_picture_of_hostile_texts_is_harmless_itself(attacked: Attacked, open_page: OpenPage, tmp_path):
    from xml.etree import ElementTree as ET

    from tests.observatory.test_exports import download

    page = ready(open_page(attacked.server.link(attacked.planted.many)))
    settle(page)

    saved = download(page, "SVG", tmp_path)

    elements = list(ET.fromstring(saved.read_text(encoding="utf-8")).iter())
    names = {element.tag.rpartition("}")[2].lower() for element in elements}
    assert not names & {"script", "foreignobject", "iframe", "image", "use", "a", "animate", "set"}
    assert not [name for element in elements for name in element.attrib if name.lower().startswith("on")]


def test_a_small_page_keeps_long_words_within_its_width(attacked: Attacked, open_page: OpenPage):
    page = open_page(size=NARROW)
    for name in ("long-word", "many-brackets", "combining", "long-line"):
        page.goto(attacked.server.link(attacked.planted.sessions[name], sel=attacked.planted.thoughts[name]))
        ready_or_not(page)
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0], name


def ready_or_not(page: Page) -> None:
    expect(page.locator("body")).to_contain_text(called(r"\w"))


def _is_seen(page: Page, hostile: Hostile) -> None:
    """As it stands: not as what it would like to be. Controls are shown as signs of their own."""
    found = until(page, lambda: hostile.seen in text_of(page) or hostile.seen in _whole(page))
    assert found, hostile.name


def _whole(page: Page) -> str:
    return page.evaluate("document.body.textContent")


def _see_all(page: Page) -> None:
    """Scroll through whatever scrolls, so that what is made when it comes into sight is made."""
    for _ in range(6):
        page.evaluate(
            "() => { for (const it of document.querySelectorAll('*'))"
            " if (it.scrollHeight > it.clientHeight + 4) it.scrollTop += it.clientHeight * 0.9; }"
        )
        drawn(page)
    if table(page).count():
        assert rows(page).count() < 2_000
