"""What is shown can be taken along."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Page

from tests.observatory.conftest import Shown
from tests.observatory.reading import button, called, ready
from tests.observatory.story import FORKED_AT, SLOW
from tests.support.browser import OpenPage


@pytest.fixture
def page(shown: Shown, open_page: OpenPage) -> Page:
    """The page at a session, with its graph."""
    return ready(open_page(shown.server.link(shown.story.slow)))


def download(page: Page, form: str, directory: Path) -> Path:
    button(page, "^export").click()
    with page.expect_download() as downloading:
        page.get_by_role("menuitem", name=called(f"^{form}\\b")).click()
    saved = directory / downloading.value.suggested_filename
    downloading.value.save_as(saved)
    assert saved.stat().st_size
    return saved


def test_the_graph_as_svg_is_a_picture_without_anything_that_runs(page: Page, tmp_path: Path):
    saved = download(page, "SVG", tmp_path)

    assert saved.suffix == ".svg"
    text = saved.read_text(encoding="utf-8")
    elements = list(ET.fromstring(text).iter())
    assert len(elements) > 10
    assert not [element for element in elements if element.tag.rpartition("}")[2] in {"script", "foreignObject"}]
    assert not [name for element in elements for name in element.attrib if name.lower().startswith("on")]
    assert "http" not in text.replace("http://www.w3.org/", "")


def test_the_graph_as_png_is_a_picture(page: Page, tmp_path: Path):
    saved = download(page, "PNG", tmp_path)

    content = saved.read_bytes()
    assert saved.suffix == ".png"
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    assert width >= 200
    assert height >= 50


def test_jsonl_holds_every_record_of_the_session(page: Page, shown: Shown, tmp_path: Path):
    saved = download(page, "JSONL", tmp_path)

    assert saved.suffix == ".jsonl"
    lines = [json.loads(line) for line in saved.read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= shown.server.ask("/api/graph", sessionId=shown.story.slow)["total"]
    assert any(FORKED_AT in json.dumps(line) for line in lines)


def test_markdown_tells_the_session_to_people(page: Page, tmp_path: Path):
    saved = download(page, "Markdown", tmp_path)

    text = saved.read_text(encoding="utf-8")
    assert saved.suffix == ".md"
    assert SLOW in text
    assert FORKED_AT in text


def test_the_whole_workspace_can_be_taken_along_and_verified_elsewhere(
    shown: Shown, open_page: OpenPage, tmp_path: Path
):
    page = ready(open_page(shown.server.link()))

    saved = download(page, "JSONL", tmp_path)

    assert called("valid").search(shown.store.run("verify", str(saved)))
