"""What other processes write appears while one looks at it, and nothing is missing after a break."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Page, expect

from tests.observatory.reading import (
    called,
    entry,
    now_of,
    row_count,
    rows,
    says,
    session_link,
    slider,
    table,
    text_of,
    until,
)
from tests.support.box import Box
from tests.support.browser import OpenPage, watched
from tests.support.forks import PATIENCE
from tests.support.observatory import SERVE_AND_OBSERVE, Observatory, StartObservatory, Store
from tests.support.servers import pause
from tests.support.thinker import Client

BREAK = r"WebSocket|Failed to load resource|ERR_|net::"
"""What a browser says by itself while a server is away."""


@pytest.fixture
def writer(store: Store) -> Iterator[Box]:
    """The store in another process than the server's."""
    with store.opened() as box:
        yield box


@pytest.fixture
def mia(writer: Box) -> Client:
    """An agent with a session that has begun."""
    mia = Client(writer, agent="mia").ready(sessionTitle="Slow pages")
    mia.think("S1|O|Pages are slow")
    return mia


@pytest.fixture
def observed(mia: Client, store: Store, start_observatory: StartObservatory) -> Observatory:
    return start_observatory(store)


def test_records_of_another_process_appear_in_an_open_page(mia: Client, observed: Observatory, open_page: OpenPage):
    page = open_page(observed.link(mia.session_id, view="table"))
    expect(rows(page).filter(has_text="Pages are slow")).to_have_count(1)

    mia.think("S2|H|S1|The cache is cold")
    expect(rows(page).filter(has_text="The cache is cold")).to_have_count(1)
    mia.think("S3|H|S1|The index is missing", branchId="index", branchFromThought=1)

    expect(rows(page).filter(has_text="The index is missing")).to_have_count(1)


def test_a_new_session_appears_in_the_list_and_its_end_is_told(mia: Client, observed: Observatory, open_page: OpenPage):
    page = open_page(observed.url)
    expect(session_link(page, "Slow pages")).to_be_visible()

    noah = Client(mia.box, agent="noah").ready(sessionTitle="Mails are late")
    noah.think("S1|O|They wait in a queue")
    expect(session_link(page, "Mails are late")).to_be_visible()
    noah.call("session.complete")

    expect(entry(page, "Mails are late")).to_contain_text(called("completed|ended|closed"))


def test_new_records_are_told_politely_in_one_sentence(mia: Client, observed: Observatory, open_page: OpenPage):
    page = open_page(observed.link(mia.session_id))
    polite = page.locator("[aria-live=polite], [role=status], [role=log]")
    expect(session_link(page, "Slow pages")).to_be_visible()

    mia.think("S2|H|S1|The cache is cold")
    mia.think("S3|E|S2|It is filled anew with each release")
    mia.think("S4|C|S3|∴ Warm it first")

    # How many come at once is up to the machine; that they are put together is told in the page's own tests.
    sentence = re.compile(r"^(1 new record|[23] new records), last: decision in Slow pages$")
    until(page, lambda: [text for text in polite.all_inner_texts() if sentence.search(text)])
    assert not page.locator("[aria-live=assertive], [role=alert]").filter(has_text="new record").count()


def test_who_looks_at_the_past_stays_there_while_the_present_goes_on(
    mia: Client, observed: Observatory, open_page: OpenPage
):
    mia.think("S2|H|S1|The cache is cold")
    page = open_page(observed.link(mia.session_id, view="table"))
    expect(rows(page).filter(has_text="The cache is cold")).to_have_count(1)
    slider(page).focus()
    page.keyboard.press("Home")
    expect(rows(page).filter(has_text="The cache is cold")).to_have_count(0)
    before = now_of(page)

    mia.think("S3|H|S1|The index is missing")
    says(page, "new record")

    assert now_of(page) == before
    assert not rows(page).filter(has_text="The index is missing").count()


def test_a_burst_from_another_process_is_shown_whole(mia: Client, observed: Observatory, open_page: OpenPage):
    page = open_page(observed.link(mia.session_id, view="table"))
    expect(rows(page).filter(has_text="Pages are slow")).to_have_count(1)
    before = row_count(page)

    for number in range(2, 402):
        mia.think(f"Thought {number}")

    until(page, lambda: row_count(page) == before + 400)
    slider(page).focus()
    page.keyboard.press("End")
    table(page).focus()
    page.keyboard.press("End")
    says(page, "Thought 401")


def test_a_server_that_dies_is_told_and_nothing_is_missing_once_it_is_back(
    mia: Client, observed: Observatory, open_page: OpenPage
):
    page = open_page(observed.link(mia.session_id, view="table"))
    watched(page).expect(BREAK)
    expect(rows(page).filter(has_text="Pages are slow")).to_have_count(1)

    os.kill(observed.pid, signal.SIGKILL)
    observed.ends_within(PATIENCE)
    says(page, "offline|reconnecting")
    for number in range(2, 12):
        mia.think(f"While nobody looked: {number}")
    with ExitStack() as kept:
        back = observed.again()
        kept.callback(back.stop)
        assert back.port == observed.port

        for number in range(2, 12):
            expect(page.get_by_role("cell", name=f"While nobody looked: {number}", exact=True)).to_have_count(1)
        until(page, lambda: not re.search("offline|reconnecting", text_of(page), re.IGNORECASE))
        mia.think("And on it goes")
        expect(rows(page).filter(has_text="And on it goes")).to_have_count(1)
        page.context.close()  # before the server goes, which would be one more break


def test_a_page_that_finds_no_server_says_so_and_comes_to_itself(
    mia: Client, observed: Observatory, open_page: OpenPage
):
    page = open_page(observed.link(mia.session_id, view="table"))
    watched(page).expect(BREAK)
    expect(rows(page).filter(has_text="Pages are slow")).to_have_count(1)

    page.context.set_offline(True)
    pause(observed.popen.pid)
    mia.think("S2|H|S1|The cache is cold")
    observed.popen.send_signal(signal.SIGCONT)
    page.context.set_offline(False)

    expect(rows(page).filter(has_text="The cache is cold")).to_have_count(1)


def test_a_server_of_mcp_shows_what_its_own_clients_write(
    store: Store, start_observatory: StartObservatory, open_page: OpenPage
):
    server = start_observatory(store, words=SERVE_AND_OBSERVE)
    page = open_page(server.url)
    says(page, "connect|claude mcp add")

    with store.opened() as box:
        Client(box, agent="mia").ready(sessionTitle="From another process").think("S1|O|Pages are slow")

    expect(session_link(page, "From another process")).to_be_visible()
    _is_connected(page)


def _is_connected(page: Page) -> None:
    assert not re.search("offline|reconnecting", text_of(page), re.IGNORECASE)
