"""What the page is like when there is nothing to show, or something is wrong."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.observatory.conftest import Shown
from tests.observatory.reading import button, called, control, row_count, rows, says, searchbox, session_link, until
from tests.observatory.story import SLOW
from tests.support.browser import OpenPage, watched
from tests.support.observatory import OBSERVE, StartObservatory, Store

UNKNOWN = "00000000-0000-4000-8000-000000000000"


def test_an_empty_store_tells_how_to_connect_an_agent(
    store: Store, start_observatory: StartObservatory, open_page: OpenPage
):
    page = open_page(start_observatory(store).url)

    for words in ("claude mcp add", "codex mcp add", "thoughtbox"):
        says(page, words)
    expect(searchbox(page)).to_be_visible()


def test_a_session_that_is_not_there_is_told_with_a_way_back(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(UNKNOWN))
    watched(page).expect("404")

    says(page, "no such|not found|there is no|does not exist|unknown")
    session_link(page, SLOW).click()

    expect(page.get_by_role("heading", name=called(SLOW)).first).to_be_visible()


def test_a_record_that_is_not_there_is_told(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.slow, sel="th:999999"))
    watched(page).expect("404")

    says(page, "no such|not found|there is no|does not exist|no record|unknown")
    expect(page.get_by_role("heading", name=called(SLOW)).first).to_be_visible()


def test_a_workspace_without_records_is_told(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(workspace="nobody-was-here"))
    watched(page).expect("404")

    expect(searchbox(page)).to_be_visible()
    assert not rows(page).count()


def test_a_search_that_finds_nothing_says_so(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.url)
    searchbox(page).fill("zebra-crossing-without-a-zebra")

    says(page, "no (hits|results|records|matches)|nothing|found none|0 (hits|results|records)")


def test_a_session_without_branches_says_that_there_is_nothing_to_compare(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.link(shown.story.flaky, view="diff"))

    says(page, "no (other )?branch|one line|nothing to compare|only")


def test_an_exported_file_is_shown_read_only(
    shown: Shown, tmp_path: Path, store: Store, start_observatory: StartObservatory, open_page: OpenPage
):
    exported = tmp_path / "export.jsonl"
    exported.write_text(shown.store.run("export"), encoding="utf-8")
    before = exported.read_bytes()

    server = start_observatory(store, words=[*OBSERVE, str(exported)])
    assert server.url, server.said
    page = open_page(server.url)
    watched(page).expect("404")

    says(page, "read.only")
    session_link(page, SLOW).click()
    control(page, "^table").click()
    until(page, lambda: row_count(page) > 10)
    button(page, "verif").click()
    says(page, f"verified to #{shown.story.last}")
    assert exported.read_bytes() == before
    assert server.ask("/api/health")["readOnly"] is True


def test_a_server_that_cannot_answer_is_told_and_asked_again(shown: Shown, open_page: OpenPage):
    page = open_page()
    watched(page).expect("500")
    failing = {"code": "STORAGE_ERROR", "message": "The disk is full.", "recovery": "Make room."}
    page.route("**/api/sessions?*", lambda route: route.fulfill(status=500, json=failing))
    page.goto(shown.server.url)
    says(page, "The disk is full")

    page.unroute("**/api/sessions?*")
    control(page, "again|retry").click()

    expect(session_link(page, SLOW)).to_be_visible()
