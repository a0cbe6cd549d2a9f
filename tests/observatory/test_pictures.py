"""The pictures in docs/observatory.md: THOUGHTBOX_WRITE_PICTURES=1 takes them again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.observatory.conftest import Noted, Show, Shown, ShowNotebook
from tests.observatory.reading import button, ready, rows, says, settle
from tests.observatory.story import ACTION, FORKED_AT
from tests.support.browser import NARROW, WIDE, OpenPage

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
WRITE = "THOUGHTBOX_WRITE_PICTURES"


class Picture(NamedTuple):
    """What it is of, how it is taken, and what has to be seen in it."""

    name: str
    state: Callable[[Any], dict[str, Any]]
    seen: Callable[[Page], object]
    size: tuple[int, int] = WIDE
    theme: str = "dark"
    is_of_notebook: bool = False


def _in(session: bool = True, **state: object) -> Callable[[Shown], dict[str, Any]]:
    return lambda shown: {**({"session": shown.story.slow} if session else {}), **state}


def _with_detail(shown: Shown) -> dict[str, Any]:
    thoughts = shown.server.ask(f"/api/sessions/{shown.story.slow}")["thoughts"]
    return {"session": shown.story.slow, "sel": thoughts[3]["recordId"]}


def _verified(page: Page) -> None:
    button(page, "verif").click()
    says(page, "verified to #")


def _led(page: Page) -> None:
    page.get_by_text(ACTION).first.click()
    says(page, "Bring the index to the shop")


def _notebook(noted: Noted) -> dict[str, Any]:
    return {"view": "notebooks", "notebook": noted.story.id}


def _calculated(page: Page) -> None:
    expect(page.get_by_role("cell", name="2900")).to_be_visible()
    says(page, "replayed: same")


PICTURES = [
    Picture("graph-dark", _with_detail, _verified),
    Picture("graph-light", _with_detail, _verified, theme="light"),
    Picture("workspace", _in(session=False), ready),
    Picture("table", _in(view="table"), lambda page: expect(rows(page).first).to_be_visible()),
    Picture("diff", _in(view="diff"), lambda page: says(page, FORKED_AT)),
    Picture("trail", _in(session=False, view="trail"), _led),
    Picture("board", _in(session=False, view="board"), lambda page: says(page, "Find out why they are late")),
    Picture("memory", _in(session=False, view="memory"), lambda page: says(page, "warm the cache")),
    Picture("notebooks", _notebook, _calculated, is_of_notebook=True),
    Picture("narrow", _in(), ready, size=NARROW),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_the_page_can_be_pictured_as_the_documentation_shows_it(
    show: Show, show_notebook: ShowNotebook, open_page: OpenPage, picture: Picture
):
    shown = show_notebook("sqlite") if picture.is_of_notebook else show("sqlite")
    page = open_page(shown.server.link(**picture.state(shown)), size=picture.size, color_scheme=picture.theme)
    ready(page)
    picture.seen(page)
    settle(page)

    taken = page.screenshot(animations="disabled")

    assert len(taken) > 10_000, "there is hardly anything in it"
    file = DOCS / "pictures" / f"observatory-{picture.name}.png"
    if os.environ.get(WRITE) == "1":
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(taken)
    assert file.is_file(), f"{WRITE}=1 takes it"
    assert file.stat().st_size > 10_000
    assert f"pictures/{file.name}" in (DOCS / "observatory.md").read_text(encoding="utf-8")


def test_the_documentation_shows_no_picture_that_is_not_taken_here():
    taken = {f"observatory-{picture.name}.png" for picture in PICTURES}
    assert {file.name for file in (DOCS / "pictures").glob("observatory-*")} == taken
