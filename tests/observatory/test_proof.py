"""The badge: how far the hashes hold, computed in the page."""

from __future__ import annotations

import apsw
from playwright.sync_api import expect

from tests.observatory.conftest import Shown
from tests.observatory.reading import button, called, row_count, says, session_link, text_of, until
from tests.observatory.story import SLOW, tell
from tests.support.browser import OpenPage, watched
from tests.support.observatory import StartObservatory, Store
from tests.support.thinker import Client


def test_the_badge_says_how_far_the_page_itself_has_verified(shown: Shown, open_page: OpenPage):
    page = open_page(shown.server.url)
    expect(session_link(page, SLOW)).to_be_visible()

    button(page, "verif").click()

    says(page, f"verified to #{shown.story.last}")
    read = [url for url in watched(page).requests if "/api/chain" in url]
    assert read, "the page asked for no records to compute hashes from"
    assert not [url for url in watched(page).requests if "/api/verify" in url]


def test_it_goes_on_with_what_is_written_after(store: Store, start_observatory: StartObservatory, open_page: OpenPage):
    with store.opened() as box:
        mia = Client(box, agent="mia").ready(sessionTitle="Slow pages")
        server = start_observatory(store)
        page = open_page(server.url)
        button(page, "verif").click()
        says(page, f"verified to #{mia.records()}")

        mia.think("S1|O|Pages are slow")

        until(page, lambda: f"verified to #{mia.records()}" in text_of(page))


def test_a_record_that_was_changed_behind_its_back_is_named(
    store: Store, start_observatory: StartObservatory, open_page: OpenPage
):
    with store.opened() as box:
        story = tell(box)
        thoughts = box.call("session.get", {"sessionId": story.slow})["thoughts"]
    changed = int(thoughts[1]["id"].removeprefix("th:"))
    _reword(store, changed)

    server = start_observatory(store)
    assert server.url, server.said
    page = open_page(server.url)
    button(page, "verif|broken").click()

    says(page, f"broken at #{changed}")
    assert f"verified to #{story.last}" not in text_of(page)
    says(page, "changed|tampered|does not match|broken")


def test_what_is_broken_can_still_be_looked_at(store: Store, start_observatory: StartObservatory, open_page: OpenPage):
    with store.opened() as box:
        story = tell(box)
    _reword(store, story.last - 20)
    server = start_observatory(store)

    page = open_page(server.link(story.slow, view="table"))

    until(page, lambda: row_count(page) > 10)
    says(page, "broken at #")
    expect(page.get_by_role("heading", name=called(SLOW)).first).to_be_visible()


def test_a_server_is_believed_in_nothing(shown: Shown, open_page: OpenPage):
    """Somebody between the server and the page changes a letter of one record: its hash no longer fits."""
    page = open_page()

    def change(route, request):
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("Customers say", "Customers sat"))

    page.route("**/api/chain*", change)
    page.goto(shown.server.url)
    button(page, "verif|broken").click()

    says(page, r"broken at #\d+")


def _reword(store: Store, seq: int) -> None:
    connection = apsw.Connection(str(store.database))
    try:
        connection.execute(
            'UPDATE records SET content = CAST(replace(CAST(content AS TEXT), \'"ts":"2\', \'"ts":"3\') AS BLOB)'
            " WHERE seq = ?",
            (seq,),
        )
        assert connection.changes() == 1
    finally:
        connection.close()
