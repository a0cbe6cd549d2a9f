"""Names that people and assistive tools rely on."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.observatory.conftest import Shown
from tests.observatory.reading import (
    button,
    called,
    control,
    detail_shows,
    entry,
    now_of,
    row_count,
    rows,
    says,
    searchbox,
    session_link,
    slider,
    table,
    text_of,
    until,
)
from tests.observatory.story import ACTION, CACHE, FLAKY, FORKED_AT, SLOW, TASKS
from tests.support.browser import OpenPage, watched


def test_each_session_is_a_link_named_by_its_title_and_says_its_state_in_words(page: Page):
    states = ((SLOW, "active|live|open"), (CACHE, "completed|ended|closed"), (FLAKY, "active|live|open"))
    for title, state in states:
        expect(session_link(page, title)).to_be_visible()
        expect(entry(page, title)).to_contain_text(called(state))


def test_a_session_opens_by_its_link(page: Page, shown: Shown):
    session_link(page, SLOW).click()

    expect(page).to_have_url(called(re.escape(shown.story.slow)))
    expect(page.get_by_role("heading", name=called(SLOW)).first).to_be_visible()


def test_the_table_has_headers_and_as_many_rows_as_it_says(page: Page, shown: Shown):
    session_link(page, SLOW).click()
    control(page, "^table").click()

    headers = table(page).get_by_role("columnheader")
    expect(headers.first).to_be_visible()
    assert all(text.strip() for text in headers.all_inner_texts())
    records = shown.server.ask("/api/graph", sessionId=shown.story.slow)["total"]
    until(page, lambda: row_count(page) in {records, records + 1})
    numbers = [int(row.get_attribute("aria-rowindex") or 0) for row in rows(page).all()]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_the_table_of_all_records_holds_only_what_is_in_sight_and_tells_how_many_there_are(
    shown: Shown, open_page: OpenPage
):
    page = open_page(shown.server.link(view="table"))

    until(page, lambda: row_count(page) in {shown.story.last, shown.story.last + 1})
    assert rows(page).count() <= shown.story.last


def test_a_row_opens_its_detail_by_click_and_by_enter(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow, view="table"))
    [first, *_] = shown.server.ask(f"/api/sessions/{shown.story.slow}")["thoughts"]
    record = shown.server.ask(f"/api/records/{first['recordId']}")
    row = rows(page).filter(has_text="the page of their orders").first

    row.click()
    detail_shows(page, record["hash"][:8])
    page.keyboard.press("Escape")

    row = rows(page).filter(has_text="Which part of the request").first
    row.focus()
    page.keyboard.press("Enter")
    second = shown.server.ask(f"/api/records/th:{first['seq'] + 1}")
    detail_shows(page, second["hash"][:8])


def test_the_detail_tells_kind_relations_agent_source_and_what_comes_before_and_after(
    shown: Shown, open_page: OpenPage
):
    thoughts = shown.server.ask(f"/api/sessions/{shown.story.slow}")["thoughts"]
    decision = next(thought for thought in thoughts if "The database comes first" in thought["thought"])
    record = shown.server.ask(f"/api/records/{decision['recordId']}")

    page = open_page(shown.server.link(shown.story.slow, sel=decision["recordId"]))

    detail_shows(page, record["hash"][:8])
    text = until(page, lambda: "mia" in text_of(page) and text_of(page))
    known = ("decision", "mia", "The database comes first", record["contentHash"][:8])
    for words in (*known, "previous|before", "next|after"):
        assert re.search(words, text, re.I), words
    for relation in decision["relations"]:
        assert re.search(relation["type"].replace("_", "[ _]"), text, re.I), relation


def test_the_detail_shows_markdown_as_what_it_means(shown: Shown, open_page: OpenPage):
    thoughts = shown.server.ask(f"/api/sessions/{shown.story.slow}")["thoughts"]
    measured = next(thought for thought in thoughts if "Measured over a week" in thought["thought"])

    page = open_page(shown.server.link(shown.story.slow, sel=measured["recordId"]))

    expect(page.get_by_role("cell", name="2,900").first).to_be_visible()
    expect(page.locator("strong", has_text="milliseconds").first).to_be_visible()
    expect(page.locator("code", has_text="SELECT").first).to_be_visible()


def test_the_graph_zooms_by_keys_and_keeps_what_it_shows_in_the_address(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow))
    graph = page.get_by_role("application").first
    expect(graph).to_be_visible()
    whole = graph.screenshot()

    graph.focus()
    for _ in range(3):
        page.keyboard.press("+")
    camera = until(page, lambda: re.search(r"camera=[^&]+", page.url))[0]
    until(page, lambda: graph.screenshot() != whole)

    other = open_page(page.url)
    expect(other.get_by_role("application").first).to_be_visible()
    assert camera in other.url


def test_the_searchbox_finds_in_every_room_and_n_steps_through_what_it_found(page: Page):
    searchbox(page).fill("release")
    says(page, "warm the cache before a release")
    page.keyboard.press("Enter")
    first = _another(page, "")
    searchbox(page).blur()

    page.keyboard.press("n")
    second = _another(page, first)
    page.keyboard.press("n")
    third = _another(page, second)
    page.keyboard.press("Shift+N")

    assert third != first
    assert _another(page, third) == second


def _another(page: Page, selected: str) -> str:
    """The record that is selected, once it is another one than before."""
    found = until(page, lambda: (found := re.search(r"sel=(th:\d+)", page.url)) and found[1] != selected and found)
    return found[1]


def test_a_search_can_be_narrowed_by_room_and_kind(shown: Shown, open_page: OpenPage):
    everywhere = shown.server.ask("/api/search", q="cache", limit=100)["hits"]
    evidence = [hit for hit in everywhere if hit["kind"] == "evidence"]
    assert 0 < len(evidence) < len(everywhere)

    page = open_page(shown.server.link(q="cache", kind="evidence"))

    says(page, "With the cache off")
    expect(page.get_by_text("Every release drops the cache")).to_have_count(0)


def test_the_slider_named_time_goes_by_home_end_and_arrows(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow, view="table"))
    expect(rows(page).filter(has_text="the page of their orders").first).to_be_visible()
    latest = now_of(page)

    slider(page).focus()
    page.keyboard.press("Home")
    first = until(page, lambda: now_of(page) < latest and now_of(page) + 1) - 1
    page.keyboard.press("ArrowRight")
    until(page, lambda: now_of(page) > first)
    page.keyboard.press("ArrowLeft")
    until(page, lambda: now_of(page) == first)
    page.keyboard.press("End")

    until(page, lambda: now_of(page) == latest)


def test_the_past_is_shown_as_it_was(shown: Shown, open_page: OpenPage):
    thoughts = shown.server.ask(f"/api/sessions/{shown.story.slow}")["thoughts"]
    then = thoughts[2]["seq"]

    page = open_page(shown.server.link(shown.story.slow, view="table", at=then))

    expect(rows(page).filter(has_text="Measure the database").first).to_be_visible()
    expect(rows(page).filter(has_text=FORKED_AT)).to_have_count(0)


def test_play_goes_through_time_and_live_comes_back_to_now(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow))
    latest = until(page, lambda: now_of(page))
    slider(page).focus()
    page.keyboard.press("Home")
    start = until(page, lambda: now_of(page) < latest and now_of(page) + 1) - 1

    button(page, "^play").click()
    until(page, lambda: now_of(page) > start)
    button(page, "pause|stop|play").click()
    button(page, "^live").click()

    until(page, lambda: now_of(page) == latest)
    expect(page).not_to_have_url(called(r"[?&]at="))


def test_time_play_and_live_are_on_every_view(shown: Shown, open_page: OpenPage):
    page = open_page()
    for link in (
        *(shown.server.link(shown.story.slow, view=view) for view in ("graph", "table", "diff", "trail")),
        *(shown.server.link(view=view) for view in ("graph", "table", "board", "memory", "notebooks", "trail")),
    ):
        page.goto(link)
        expect(slider(page)).to_be_visible()
        expect(button(page, "^play")).to_be_visible()
        expect(button(page, "^live")).to_be_visible()


def test_diff_opens_with_main_against_a_branch_and_names_the_fork(page: Page, shown: Shown):
    session_link(page, SLOW).click()
    button(page, "^diff").click()

    says(page, FORKED_AT)
    text = until(page, lambda: "index" in text_of(page) and text_of(page))
    assert "main" in text
    assert re.search(r"fork\w*[^\n]*", text, re.I)
    for only in ("The database comes first", "Add the index with the next release"):
        says(page, only)
    assert "view=diff" in page.url


def test_diff_shows_what_adopting_keeps_and_what_falls(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow, view="diff"))

    says(page, "merge|adopt")
    says(page, "keep")
    says(page, "fall")


def test_diff_of_a_time_before_there_was_a_branch_says_that_there_was_none(shown: Shown, open_page: OpenPage):
    thoughts = shown.server.ask(f"/api/sessions/{shown.story.slow}")["thoughts"]
    page = open_page(shown.server.link(shown.story.slow, view="diff"))
    says(page, FORKED_AT)

    slider(page).focus()
    page.keyboard.press("Home")
    until(page, lambda: f"at={thoughts[0]['seq']}" in page.url)

    says(page, "one line|no branch|not begun|nothing to compare")


def test_trail_leads_from_an_action_to_its_reasons(page: Page, shown: Shown):
    button(page, "^trail").click()

    page.get_by_text(ACTION).first.click()

    for reason in ("Bring the index to the shop", "It takes 40 s to make", "Release on Tuesday"):
        says(page, reason)


def test_the_board_shows_tasks_by_status_and_cards_by_type(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(view="board"))

    for words in (*(title for title, _ in TASKS), "Sign-in mails in time", "to ?do", "active", "parked", "done"):
        says(page, words)
    for words in (
        "hypothesis",
        "Newsletters wait in front of the sign-in mails",
        "decision",
        "JOB-001|Measure the page",
    ):
        says(page, words)


def test_the_memory_view_tells_trust_in_words_evidence_conflicts_and_sources(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(view="memory"))
    says(page, "Never warm the cache before a release")

    expect(page.get_by_role("meter").first).to_be_visible()
    page.get_by_text("Never warm the cache before a release").first.click()
    for words in ("trust", "evidence", "conflict", "Always warm the cache before a release", "user"):
        says(page, words)


def test_a_question_mark_opens_the_keyboard_map_and_escape_closes_it(page: Page):
    expect(session_link(page, SLOW)).to_be_visible()

    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text(called("search"))
    page.keyboard.press("Escape")

    expect(dialog).to_have_count(0)


def test_a_question_mark_in_the_searchbox_is_a_question_mark(page: Page):
    searchbox(page).focus()
    page.keyboard.type("why?")

    expect(searchbox(page)).to_have_value("why?")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_nothing_is_asked_of_any_other_server(page: Page, shown: Shown):
    expect(session_link(page, SLOW)).to_be_visible()

    assert watched(page).requests
    assert all(url.startswith((shown.server.origin, "data:", "blob:")) for url in watched(page).requests)
