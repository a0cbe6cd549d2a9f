"""Notebooks in the page: what cells say and have shown, while they run, and as it was. None of it does anything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.observatory.conftest import Noted
from tests.observatory.notebook_attack import MARKED, Planted, plant
from tests.observatory.notebook_story import NAME, OTHER
from tests.observatory.reading import called, detail_shows, drawn, in_page, ready, says, settle, slider, until
from tests.observatory.test_access import findings_in_any_theme_at_any_width
from tests.observatory.test_attacks import is_inert
from tests.support.box import Box
from tests.support.browser import NARROW, OpenPage, watched
from tests.support.hostile_texts import ALL
from tests.support.notebooks import NODE, PLOTTED, PRINTED, RAISED, Notebook, jupyter
from tests.support.observatory import Observatory, StartObservatory, Store, new_store
from tests.support.servers import soon
from tests.support.thinker import Client


def opened(noted: Noted, open_page: OpenPage, **options: Any) -> Page:
    page = open_page(noted.server.link(view="notebooks", notebook=noted.story.id), **options)
    expect(page.get_by_role("heading", name=NAME).first).to_be_visible()
    return page


def cell(page: Page, filename: str) -> Locator:
    return page.get_by_role("article", name=called(re.escape(filename)))


# What there is


def test_notebooks_are_links_the_one_that_changed_last_first_and_open_by_them(noted: Noted, open_page: OpenPage):
    page = open_page(noted.server.link(view="notebooks"))
    listed = page.get_by_role("navigation", name="Notebooks")
    expect(listed.get_by_role("link")).to_have_count(2)
    assert [NAME in text for text in listed.get_by_role("link").all_inner_texts()] == [True, False]
    expect(page.get_by_role("heading", name=NAME).first).to_be_visible()

    listed.get_by_role("link", name=called(OTHER)).click()

    expect(page.get_by_role("heading", name=OTHER)).to_be_visible()
    expect(page).to_have_url(called("notebook="))
    says(page, "To be continued")
    page.go_back()
    expect(page.get_by_role("heading", name=NAME).first).to_be_visible()


def test_a_key_leads_to_notebooks(noted: Noted, open_page: OpenPage):
    page = ready(open_page(noted.server.url))

    page.keyboard.press("o")

    expect(page.get_by_role("button", name="Notebooks", pressed=True)).to_be_visible()
    expect(page.get_by_role("heading", name=NAME).first).to_be_visible()


def test_a_list_that_is_long_comes_in_pages(store: Store, start_observatory: StartObservatory, open_page: OpenPage):
    with store.opened() as box:
        mia = Client(box, stateless=True)
        for number in range(53):
            mia.call("notebook.create", name=f"Notebook {number}")
    page = open_page(start_observatory(store).link(view="notebooks"))
    links = page.get_by_role("navigation", name="Notebooks").get_by_role("link")
    expect(links).to_have_count(50)

    page.get_by_role("button", name="Show more").click()

    expect(links).to_have_count(53)


def test_cells_stand_in_order_with_what_they_say(noted: Noted, open_page: OpenPage):
    page = opened(noted, open_page)

    expect(page.locator("strong", has_text="95th percentile")).to_be_visible()
    expect(page.get_by_role("link", name="the session")).to_have_attribute("href", "https://shop.example/slow-pages")
    names = [label.get_attribute("aria-label") for label in page.locator("ol.cells article").all()]
    assert names == [f"Cell {place}: {name}" for place, name in enumerate(noted.story.cells, 3)]
    expect(cell(page, "checked.ts")).to_contain_text("typescript")
    expect(cell(page, "checked.ts")).to_contain_text("const limit: number = 200;")
    expect(cell(page, "checked.ts")).to_contain_text("completed")
    expect(cell(page, "broken.py")).to_contain_text("failed")


def test_outputs_are_shown_as_what_they_are(noted: Noted, open_page: OpenPage):
    page = opened(noted, open_page)

    measured = cell(page, "measured.py")
    expect(measured).to_contain_text("3 parts")
    expect(measured.get_by_role("columnheader")).to_have_text(["median", "p95", "share"])
    expect(measured.get_by_role("rowheader")).to_have_text(["database", "cache", "network"])
    expect(measured.get_by_role("cell", name="4100")).to_be_visible()
    assert not measured.locator("style, [border], .dataframe").count()
    picture = cell(page, "drawn.py").get_by_role("img")
    picture.scroll_into_view_if_needed()
    until(page, lambda: picture.evaluate("it => it.complete && it.naturalWidth") == 520)
    expect(cell(page, "checked.ts").get_by_role("group", name=called("stderr"))).to_have_text("one of them is close")
    error = cell(page, "broken.py").get_by_role("group", name=called("^error"))
    expect(error).to_contain_text("KeyError")
    expect(error).to_contain_text("Traceback")


def test_what_a_file_has_brought_is_shown_as_such_until_the_cell_is_run(
    store: Store, start_observatory: StartObservatory, open_page: OpenPage
):
    table = {"output_type": "execute_result", "execution_count": 7, "metadata": {}}
    rows = "<table><tr><th>hour</th></tr><tr><td>10</td></tr></table>"
    content = jupyter(PRINTED, PLOTTED, {**table, "data": {"text/plain": "hour", "text/html": rows}}, RAISED)
    with store.opened() as box:
        mia = Client(box, stateless=True)
        mia.call("notebook.import", content=content.replace("plot()", "print('run here')"), name="From Jupyter")
        page = open_page(start_observatory(store).link(view="notebooks"))
        brought = cell(page, "cell-1.py")

        expect(brought).to_contain_text("It was not run here.")
        expect(brought).to_contain_text("seven towers")
        expect(brought.get_by_role("columnheader")).to_have_text(["hour"])
        expect(brought.get_by_role("group", name=called("^error"))).to_contain_text("KeyError: 'x'")
        picture = brought.get_by_role("img")
        picture.scroll_into_view_if_needed()
        until(page, lambda: picture.evaluate("it => it.complete && it.naturalWidth") == 1)
        mia.call("notebook.run_cell", notebookId="latest", cellId="cell-1.py")

        expect(brought).to_contain_text("run here")
        expect(brought).not_to_contain_text("It was not run here.")
        expect(brought).not_to_contain_text("seven towers")


def test_the_runs_of_a_cell_can_be_looked_at_again(noted: Noted, open_page: OpenPage):
    page = opened(noted, open_page)
    checked = cell(page, "checked.ts")

    checked.get_by_text("Runs", exact=True).click()

    lines = checked.get_by_role("listitem")
    expect(lines).to_have_count(3)
    expect(lines.first).to_contain_text("shown above")
    expect(lines.last).to_contain_text("noah")
    expect(lines.last).to_contain_text(called(r"completed.*\d+ m?s"))
    lines.last.get_by_role("button", name="What it has shown").click()
    expect(lines.last).to_contain_text("3 of 3 within 200 ms")


def test_replays_tell_cell_by_cell_what_was_the_same(noted: Noted, open_page: OpenPage):
    page = opened(noted, open_page)

    expect(cell(page, "measured.py")).to_contain_text("replayed: same")
    expect(cell(page, "timed.py")).to_contain_text("replayed: differs")
    replays = page.get_by_role("region", name="Replays")
    expect(replays).to_contain_text("4 of 5 cells the same")
    timed = replays.get_by_role("listitem").filter(has_text="timed.py")
    expect(timed).to_contain_text(called(r"stdout differs.*before.*measured at \d+.*again.*measured at \d+"))


def test_citations_lead_to_the_evidence_and_to_what_it_is_for(noted: Noted, open_page: OpenPage):
    page = opened(noted, open_page)
    expect(cell(page, "checked.ts")).to_contain_text("Cited as evidence")
    cited = page.get_by_role("region", name="Cited as evidence")
    expect(cited).to_contain_text("All three parts are within 200 ms.")

    cited.get_by_role("button", name=f"#{noted.story.claim.removeprefix('th:')}", exact=True).click()
    detail_shows(page, "The index makes the page of orders fast enough")
    page.keyboard.press("Escape")
    cited.get_by_role("button", name=f"#{noted.story.evidence.removeprefix('th:')}", exact=True).click()
    record = noted.server.ask(f"/api/records/{noted.story.evidence}")
    detail_shows(page, record["hash"][:8])


def test_a_record_of_a_notebook_leads_to_it(noted: Noted, open_page: OpenPage):
    page = open_page(noted.server.link(view="table", sel=noted.story.evidence))

    page.get_by_role("link", name="Open its notebook").click()

    expect(page.get_by_role("heading", name=NAME).first).to_be_visible()


def test_what_is_large_is_cut_and_leads_to_all_of_it(
    store: Store, start_observatory: StartObservatory, open_page: OpenPage
):
    store.variables["THOUGHTBOX_NODE"] = NODE
    with store.opened() as box:
        notebook = Notebook(Client(box, stateless=True), name="Large")
        notebook.ran("for (let n = 0; n < 9000; n += 1) console.log('line ' + n)", "a.js")
    server = start_observatory(store)
    page = open_page(server.link(view="notebooks"))

    shown = cell(page, "a.js").get_by_role("group", name=called("stdout"))
    expect(shown).to_contain_text("line 0")
    expect(shown).to_contain_text("line 8999")
    expect(shown).not_to_contain_text("line 4500")
    whole = cell(page, "a.js").get_by_role("link", name=called("open the whole"))
    answer = server.get(str(whole.get_attribute("href")))
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.body.decode() == "".join(f"line {n}\n" for n in range(9000))


# While it runs


@pytest.fixture
def writer(store: Store) -> Iterator[Box]:
    """The store in another process than the server's."""
    store.variables["THOUGHTBOX_NODE"] = NODE
    with store.opened() as box:
        yield box


@pytest.fixture
def notebook(writer: Box) -> Notebook:
    return Notebook(Client(writer, stateless=True, agent="mia"), name="Trial")


@pytest.fixture
def observed(notebook: Notebook, store: Store, start_observatory: StartObservatory) -> Observatory:
    return start_observatory(store)


ENDLESS = "let n = 0; setInterval(() => console.log(`step ${n += 1}`), 50)"


def test_a_run_is_seen_from_its_beginning_to_its_end(notebook: Notebook, observed: Observatory, open_page: OpenPage):
    notebook.code(ENDLESS, "endless.js")
    page = open_page(observed.link(view="notebooks"))
    shown = cell(page, "endless.js")
    expect(shown).to_contain_text("not run")
    page.evaluate("window.__stays = true")

    running: Future[Any] = notebook.client.submit("notebook.run_cell", notebookId=notebook.id, cellId="endless.js")
    expect(shown).to_contain_text("running")
    tail = shown.get_by_role("group", name=called("so far"))
    expect(tail).to_contain_text(called(r"step \d"))
    first = _steps(tail)
    until(page, lambda: _steps(tail) > first)
    expect(page.get_by_role("article", name=called("endless"))).to_have_attribute("data-status", "running")
    Client(notebook.client.box, stateless=True).call("notebook.interrupt", notebookId=notebook.id)

    expect(shown).to_contain_text("interrupted")
    assert running.result()["status"] == "failed"
    expect(shown.get_by_role("group", name=called("stdout of"))).to_contain_text("step 1")
    assert tail.count() == 0
    assert page.evaluate("window.__stays"), "the page was loaded anew"


def _steps(tail: Locator) -> int:
    return int(re.findall(r"step (\d+)", tail.inner_text())[-1])


def test_who_comes_in_the_middle_of_a_run_sees_how_far_it_is(
    notebook: Notebook, observed: Observatory, open_page: OpenPage
):
    notebook.code(ENDLESS, "endless.js")
    running = notebook.client.submit("notebook.run_cell", notebookId=notebook.id, cellId="endless.js")
    told = until_told(observed)

    page = open_page(observed.link(view="notebooks"))
    tail = cell(page, "endless.js").get_by_role("group", name=called("so far"))
    expect(tail).to_contain_text(called(r"step \d"))
    expect(cell(page, "endless.js")).to_contain_text("running")

    Client(notebook.client.box, stateless=True).call("notebook.interrupt", notebookId=notebook.id)
    expect(cell(page, "endless.js")).to_contain_text("interrupted")
    running.result()
    page.goto(observed.link(view="notebooks", at=told))
    expect(tail).to_contain_text(called(r"step \d"))
    expect(cell(page, "endless.js")).to_contain_text("running")


def until_told(server: Observatory) -> int:
    """Wait until a run has said how far it is; the record that says it."""

    def told() -> list[int]:
        records = server.ask("/api/records", room="notebooks", order="desc")["records"]
        return [each["seq"] for each in records if each["record"]["data"]["topic"] == "notebook.told"]

    return soon(told)[0]


def test_cells_and_notebooks_that_others_make_change_and_run_appear_by_themselves(
    notebook: Notebook, observed: Observatory, open_page: OpenPage
):
    page = open_page(observed.link(view="notebooks", notebook=notebook.id))
    says(page, "It has no cells yet")

    added = notebook.code("console.log('once')", "a.js")
    expect(cell(page, "a.js")).to_contain_text("console.log('once')")
    notebook.run(added)
    expect(cell(page, "a.js").get_by_role("group", name=called("stdout"))).to_have_text("once")
    notebook.call("update_cell", cellId=added, content="console.log('twice')")
    expect(cell(page, "a.js")).to_contain_text("twice")
    expect(cell(page, "a.js")).to_contain_text("not run")
    notebook.call("add_cell", type="markdown", content="Read *this* first.", position=0)
    expect(page.locator("ol.cells > li").first).to_contain_text("Read this first.")
    notebook.call("delete_cell", cellId=added)
    expect(cell(page, "a.js")).to_have_count(0)
    Notebook(notebook.client, name="Another")
    expect(page.get_by_role("navigation", name="Notebooks").get_by_role("link").first).to_contain_text("Another")
    expect(page.get_by_role("heading", name="Trial")).to_be_visible()


# As it was


def test_the_past_of_a_notebook_is_shown_as_it_was(noted: Noted, open_page: OpenPage):
    page = opened(noted, open_page)
    expect(cell(page, "measured.py")).to_contain_text("completed")

    page.goto(noted.server.link(view="notebooks", notebook=noted.story.id, at=noted.story.made + 3))
    expect(cell(page, "measured.py")).to_contain_text("not run")
    expect(cell(page, "checked.ts")).to_have_count(0)
    expect(page.get_by_role("region", name="Replays")).to_have_count(0)
    slider(page).focus()
    page.keyboard.press("Home")
    says(page, "was not there at")
    page.keyboard.press("End")
    expect(cell(page, "measured.py")).to_contain_text("completed")
    expect(page.get_by_role("region", name="Replays")).to_be_visible()


def test_where_there_are_no_notebooks_the_page_says_so(noted: Noted, open_page: OpenPage):
    page = open_page(noted.server.link(view="notebooks", at=1))

    expect(page.get_by_role("heading", name=OTHER)).to_be_visible()
    page.goto(noted.server.link(workspace="empty", view="notebooks"))
    says(page, "claude mcp add|no notebooks yet")


# For everybody


def test_axe_finds_nothing_serious_in_a_notebook(noted: Noted, open_page: OpenPage):
    page = opened(noted, open_page, bypass_csp=True)
    settle(page)
    page.evaluate("for (const it of document.querySelectorAll('main details:not([open]) > summary')) it.click()")
    settle(page)

    found = findings_in_any_theme_at_any_width(page)

    assert not found, "\n".join(["", *found])


def test_a_notebook_fits_a_small_screen(noted: Noted, open_page: OpenPage):
    page = opened(noted, open_page, size=NARROW)
    settle(page)

    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
    stage = page.locator("main .stage .stage")
    assert stage.evaluate("it => it.scrollWidth <= it.clientWidth")


# Whatever is in it


DRAWN = "all => all.some((it) => it.naturalWidth === 40)"


class Attacked:
    def __init__(self, server: Observatory, planted: Planted) -> None:
        self.server = server
        self.planted = planted


@pytest.fixture(scope="module")
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    folder = tmp_path_factory.mktemp("attacked-notebooks")
    with new_store("sqlite", folder / "store", request.config) as store:
        store.variables["THOUGHTBOX_NODE"] = NODE
        with store.opened() as box:
            planted = plant(box)
        server = Observatory(store.told, folder / "observatory.txt")
        yield Attacked(server, planted)
        server.stop()


@pytest.mark.sampled(2)
def test_notebooks_of_nothing_but_hostile_texts_are_text_and_pictures(attacked: Attacked, open_page: OpenPage):
    page = open_page()
    for name, id in attacked.planted.notebooks.items():
        page.goto(attacked.server.link(view="notebooks", notebook=id))
        if name == "said":  # it has more cells than stand on a page
            page.get_by_role("button", name=called("show more of")).click()
        says(page, re.escape(MARKED))
        settle(page)
        page.evaluate("for (const it of document.querySelectorAll('main details:not([open]) > summary')) it.click()")
        _see_all(page)
        is_inert(page)
        assert page.evaluate(in_page("steering")) == [], name
        for it in page.locator("main img").all():
            assert re.match(r"/api/outputs/[0-9a-f]{64}\?", str(it.get_attribute("src")))
        if name == "svg":
            page.locator("main img").first.scroll_into_view_if_needed()
            assert until(page, lambda: page.locator("main img").evaluate_all(DRAWN)), "the one that can be drawn is"


def test_the_names_of_hostile_notebooks_are_text(attacked: Attacked, open_page: OpenPage):
    page = open_page(attacked.server.link(view="notebooks"))
    more = page.get_by_role("button", name="Show more")
    expect(more).to_be_visible()
    while more.count():
        more.click()
        settle(page)

    is_inert(page)
    assert page.evaluate(in_page("steering")) == []
    says(page, "<script>__pwned")


def test_hostile_texts_in_outputs_are_seen_as_they_stand(attacked: Attacked, open_page: OpenPage):
    """As text, and within a table: what would like to be markup is read as it was written, or not at all."""
    page = open_page(attacked.server.link(view="notebooks", notebook=attacked.planted.notebooks["printed"]))
    says(page, re.escape(MARKED))
    text = until(page, lambda: (found := page.locator("main").inner_text()) and len(found) > 5_000 and found)
    for hostile in ALL:
        if hostile.name.startswith(("script", "image", "svg", "frame")):
            assert hostile.seen in text, hostile.name


def test_an_output_that_is_opened_by_itself_runs_nothing(attacked: Attacked, open_page: OpenPage):
    """A hostile picture is a download; hostile HTML is the text that it is."""
    for sha256, mime in attacked.planted.outputs:
        address = f"{attacked.server.origin}/api/outputs/{sha256}?type={quote(mime, safe='')}"
        page = open_page()
        if mime == "image/svg+xml":
            page.goto(attacked.server.url)
            settle(ready(page))
            with page.expect_download() as download:
                page.evaluate("url => { location.href = url }", address)
            assert download.value.suggested_filename.endswith(".svg")
        else:
            page.goto(address)
            assert page.evaluate("document.contentType") == "text/plain"
        assert watched(page).found() == []


def _see_all(page: Page) -> None:
    stage = page.locator("main .stage .stage")
    for _ in range(60):
        stage.evaluate("it => { it.scrollTop += it.clientHeight * 0.9 }")
        drawn(page)
        if stage.evaluate("it => it.scrollTop + it.clientHeight + 4 >= it.scrollHeight"):
            return
