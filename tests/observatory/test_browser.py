"""The browser that these tests drive, and the traps they set in it: one that catches nothing proves nothing."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from tests.browser import chromium
from tests.browser.chromium import NAMED, NoBrowser, find
from tests.observatory.reading import in_page, until
from tests.support.browser import PATIENCE_MS, OpenPage, browser_to_drive, watched
from tests.support.hostile_texts import ELEMENTS, ELSEWHERE, PAGES, RUN, SCRIPTS, STYLES, Hostile

HERE = "http://page.example/"
ONLY_FILTERED = {"script-nested", "script-in-cdata"}
"""These become something only where somebody takes parts of them away."""


@pytest.fixture
def _no_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(NAMED, raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "INSTALLED", ("chromium",))
    monkeypatch.setattr(chromium, "UNPACKED", tmp_path)


@pytest.mark.usefixtures("_no_browser")
def test_where_there_is_no_browser_its_tests_are_skipped_and_say_so():
    with pytest.raises(pytest.skip.Exception, match="no Chromium"):
        browser_to_drive()


@pytest.mark.usefixtures("_no_browser")
def test_on_a_machine_that_integrates_they_fail_instead(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match="no Chromium"):
        browser_to_drive()


def test_a_browser_that_was_named_and_does_not_start_is_not_passed_over(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(NAMED, "false")

    with pytest.raises(NoBrowser, match=f"{NAMED} is false"):
        find()


def test_a_script_by_the_name_of_a_browser_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    stub = tmp_path / "chromium"
    stub.write_text("#!/bin/sh\necho Install it from elsewhere. >&2\nexit 10\n", encoding="utf-8")
    stub.chmod(0o755)
    monkeypatch.delenv(NAMED, raising=False)
    monkeypatch.setattr(chromium, "INSTALLED", (str(stub),))
    monkeypatch.setattr(chromium, "UNPACKED", tmp_path / "nothing")

    assert find() is None


def test_other_event_loops_run_while_the_browser_is_open(browser: Browser):
    async def answer() -> int:
        return 7

    assert browser.is_connected()
    assert asyncio.run(answer()) == 7


@pytest.mark.sampled(2)
@pytest.mark.parametrize("group", [SCRIPTS, ELEMENTS, PAGES, STYLES], ids=["scripts", "elements", "pages", "styles"])
def test_a_page_that_takes_texts_for_markup_is_caught(open_page: OpenPage, group: list[Hostile]):
    page = open_page()
    page.route(f"{ELSEWHERE}/**", lambda route: route.fulfill(status=204))
    watched(page).expect("")
    uncaught: list[str] = []
    for hostile in (hostile for hostile in group if hostile.name not in ONLY_FILTERED):
        page.route(HERE, partial(_answer, hostile.text))
        page.goto(HERE, wait_until="domcontentloaded")
        for _ in range(PATIENCE_MS // 60):
            page.wait_for_timeout(60)
            if watched(page).wrong or page.evaluate(in_page("suspects")) or page.evaluate("__pwned.length"):
                break
        else:
            uncaught.append(hostile.name)
        watched(page).wrong.clear()

    assert not uncaught


def _answer(text: str, route: Route) -> None:
    route.fulfill(content_type="text/html", body=text)


def test_whatever_runs_or_asks_or_goes_elsewhere_is_noticed(open_page: OpenPage):
    page = open_page()
    page.set_content("<p>text</p>")
    page.evaluate("setTimeout(() => { __pwned.push(7); alert(8); console.error(9); throw new Error('10') })")
    until(page, lambda: len(watched(page).wrong) == 3)

    found = watched(page).found()
    watched(page).expect("")

    assert {what.partition(":")[0] for what in found} == {"ran", "dialog", "console error", "error"}
    assert RUN.startswith("__pwned")
