"""Claude Code and Codex as people use them, with a model that follows a script: what they show it, and what it gets.

The scripts are the calls of the README and of the pages of the rooms, word for word.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.conftest import StartHttp
from tests.support import notebooks_page, pages
from tests.support.clients import run
from tests.support.forks import PATIENCE
from tests.support.notebooks import NODE
from tests.support.pages import GATEWAY, Answer, Call, Script
from tests.support.scripted_model import DONE, AnthropicMessages, OpenAIResponses, ScriptedModel
from tests.support.servers import STATELESS, HttpServer
from thoughtbox import content

PROGRAM = Path(sys.executable).with_name("thoughtbox")
OVERHEARD = 'tee "$1" | "$0" serve --transport stdio | tee "$2"'
"""The server, with both directions of its wire written down."""

Page = Callable[[], list[pages.Exchange]]
"""The calls of a page."""

MOST_STEPS = 4
"""From an empty context to the next thought."""


class Store:
    """Where an agent's server keeps its records, and what went over its wire."""

    def __init__(self, directory: Path) -> None:
        self.variables = {"THOUGHTBOX_DATA_DIR": str(directory / "data"), "THOUGHTBOX_PROJECT": "tests"}
        self.sent = directory / "sent.jsonl"
        self.command = ["sh", "-c", OVERHEARD, str(PROGRAM), str(self.sent), str(directory / "answered.jsonl")]

    def requests(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.sent.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def claude(server: dict[str, Any], script: Script, home: Path, said: str = "Use the ledger.") -> ScriptedModel:
    """A conversation with Claude Code from beginning to end; what its model was shown."""
    config = home / "servers.json"
    config.write_text(json.dumps({"mcpServers": {"thoughtbox": server}}), encoding="utf-8")
    with ScriptedModel(AnthropicMessages(), script) as model:
        done = run(
            "claude",
            "-p",
            said,
            "--mcp-config",
            str(config),
            "--strict-mcp-config",
            "--allowedTools",
            f"mcp__thoughtbox__{GATEWAY}",
            home=home,
            seconds=PATIENCE,
            ANTHROPIC_BASE_URL=model.url,
            ANTHROPIC_API_KEY="none",
        )
    assert done.stdout.strip() == DONE, done.stdout + done.stderr
    return model


def codex(server: list[str], script: Script, home: Path) -> ScriptedModel:
    """The same with Codex. It begins without waiting for a server, unless that is required."""
    settings = home / ".codex" / "config.toml"
    settings.parent.mkdir()
    with ScriptedModel(OpenAIResponses(), script) as model:
        lines = [
            'model = "scripted"',
            'model_provider = "scripted"',
            "[model_providers.scripted]",
            'name = "scripted"',
            f'base_url = "{model.url}/v1"',
            'wire_api = "responses"',
            'env_key = "SCRIPTED_KEY"',
            "[mcp_servers.thoughtbox]",
            "required = true",
            *server,
        ]
        settings.write_text("\n".join(lines), encoding="utf-8")
        done = run(
            "codex",
            "exec",
            "--skip-git-repo-check",
            "--dangerously-bypass-approvals-and-sandbox",
            "Use the ledger.",
            home=home,
            seconds=PATIENCE,
            CODEX_HOME=str(settings.parent),
            SCRIPTED_KEY="none",
        )
    assert done.stdout.strip() == DONE, done.stdout + done.stderr
    return model


def over_http(server: HttpServer) -> dict[str, Any]:
    return {"type": "http", "url": server.url}


def over_stdio(store: Store) -> dict[str, Any]:
    return {"command": store.command[0], "args": store.command[1:], "env": store.variables}


def gone_on(answers: list[Answer]) -> Call | None:
    """What an agent with an empty context does: it resumes, and thinks; where an answer names a step, it takes that."""
    if not answers:
        return {"operation": "session.resume_latest"}
    last = answers[-1]
    if "thoughtNumber" in last or len(answers) == MOST_STEPS:
        return None
    named = last.get("next") or last.get("details", {}).get("next")
    if named and named["operation"] != "thought":
        return named
    return {"operation": "thought", "thought": "S5|O|S4|Pages take 300 ms again"}


def assert_the_model_knows_what_it_has(model: ScriptedModel) -> None:
    """The instructions, three tools, and how to begin and how to go on, before the first call."""
    assert content.text("instructions.md").strip() in model.told
    prefix = (model.last.gateway or "").removesuffix("thoughtbox_gateway")
    assert {f"{prefix}{name}" for name in ("execute", "search", "thoughtbox_gateway")} <= set(model.last.tools)
    for word in ("start_new", "resume_latest", "thought"):
        assert word in model.told, f"nothing tells an agent of {word}"


def test_claude_code_gets_what_the_pages_show_and_goes_on_when_its_context_is_gone(store: Store, tmp_path: Path):
    exchanges = [*pages.thoughts(), *pages.readme()]

    first = claude(over_stdio(store), pages.word_for_word(exchanges), tmp_path)

    assert pages.unlike(exchanges, first.last.answers) == []
    assert_the_model_knows_what_it_has(first)
    # It says so in each request; there is no handshake to say it in.
    called = [message["params"]["_meta"] for message in store.requests() if message.get("method") == "tools/call"]
    assert {meta["io.modelcontextprotocol/protocolVersion"] for meta in called} == {STATELESS}
    begun = first.last.answers[len(pages.thoughts())]["sessionId"]

    second = claude(over_stdio(store), gone_on, tmp_path)

    assert_the_model_knows_what_it_has(second)
    *_, thought = second.last.answers
    assert (thought.get("sessionId"), thought.get("thoughtNumber")) == (begun, 5), second.last.answers


def test_what_a_prompt_asks_for_can_be_done_in_claude_code_though_it_passes_on_the_first_word_alone(
    store: Store, tmp_path: Path
):
    shown = re.findall(r"`({.*?})`", content.text("prompts/think_in_the_open.md"))
    exchanges = [pages.Exchange(json.loads(call), None) for call in shown]

    model = claude(
        over_stdio(store),
        pages.word_for_word(exchanges),
        tmp_path,
        "/mcp__thoughtbox__think_in_the_open Fix the cache",
    )

    (asked,) = [message["params"] for message in store.requests() if message.get("method") == "prompts/get"]
    assert asked["arguments"] == {"task": "Fix"}  # a client that passes on more makes this prompt's advice needless
    assert "the task is all that the user wrote behind the command's name" in model.told
    assert "Fix the cache" in model.told
    assert len(shown) == 4
    assert pages.unlike(exchanges, model.last.answers) == []


def test_words_that_claude_code_deals_out_over_the_arguments_of_a_prompt_are_one_text_again(
    store: Store, tmp_path: Path
):
    said = "/mcp__thoughtbox__evolution-check The cache is cold today"

    model = claude(over_stdio(store), lambda answers: None, tmp_path, said)

    (asked,) = [message["params"] for message in store.requests() if message.get("method") == "prompts/get"]
    assert asked["arguments"] == {"newThought": "The", "sessionId": "cache", "priorThoughts": "is"}
    (filled,) = [text for text in model.last.texts if "<new-thought>" in text]
    assert "<new-thought>\nThe cache is\n</new-thought>\n<session>\n</session>" in filled
    assert "The cache is cold today" in "\n".join(model.last.texts)


def test_claude_code_gets_what_the_pages_show_over_http_with_the_session_named(start_http: StartHttp, tmp_path: Path):
    exchanges = [*pages.without_stages(pages.thoughts()), *pages.readme()]
    server = start_http(THOUGHTBOX_PROJECT="tests")

    model = claude(over_http(server), pages.word_for_word(exchanges, names_session=True), tmp_path)

    assert pages.unlike(exchanges, model.last.answers) == []
    assert_the_model_knows_what_it_has(model)


DRAWN = pytest.mark.sampled(2)
"""Each page is told through our own clients, too: of the conversations about it, half are drawn each time."""
ROOMS = pytest.mark.parametrize("page", [pages.mind, pages.memory], ids=["mind", "memory"])


@DRAWN
@ROOMS
def test_claude_code_gets_what_the_page_of_a_room_shows(store: Store, tmp_path: Path, page: Page):
    model = claude(over_stdio(store), pages.word_for_word(page()), tmp_path)

    assert pages.unlike(page(), model.last.answers) == []
    called = [message["params"]["_meta"] for message in store.requests() if message.get("method") == "tools/call"]
    assert {meta["io.modelcontextprotocol/protocolVersion"] for meta in called} == {STATELESS}


@DRAWN
@ROOMS
def test_codex_gets_what_the_page_of_a_room_shows(store: Store, tmp_path: Path, page: Page):
    model = codex(started_by_codex(store), pages.word_for_word(page()), tmp_path)

    assert pages.unlike(page(), model.last.answers) == []


def with_notebooks(store: Store) -> Store:
    """The page has a cell that never ends, which nobody interrupts here: it may not compute for long."""
    patience = str(round(PATIENCE))
    store.variables |= {"THOUGHTBOX_NODE": NODE, "THOUGHTBOX_NOTEBOOK_WALL_SECONDS": patience}
    store.variables |= {"THOUGHTBOX_NOTEBOOK_CPU_SECONDS": "6"}
    return store


@DRAWN
def test_claude_code_gets_what_the_page_of_notebooks_shows(store: Store, tmp_path: Path):
    exchanges = notebooks_page.one_after_the_other()

    model = claude(over_stdio(with_notebooks(store)), notebooks_page.script(exchanges), tmp_path)

    assert notebooks_page.unlike(exchanges, model.last.answers) == []


@DRAWN
def test_codex_gets_what_the_page_of_notebooks_shows(store: Store, tmp_path: Path):
    exchanges = notebooks_page.one_after_the_other()

    model = codex(started_by_codex(with_notebooks(store)), notebooks_page.script(exchanges), tmp_path)

    # Of a long answer, Codex shows its model the beginning and the end, and says how much it has left out.
    seen = re.sub(r"…\d+ tokens truncated…", "…", json.dumps(model.last.answers, ensure_ascii=False))
    assert notebooks_page.unlike(exchanges, json.loads(seen)) == []


def test_a_notebook_goes_out_and_comes_back_whole_through_codex_in_pieces(store: Store, tmp_path: Path):
    begun: list[Call] = [{"operation": "start_new", "sessionTitle": "Names"}, {"operation": "cipher"}]
    made = {"operation": "notebook.create", "name": "Names", "template": "sequential-feynman", "language": "typescript"}
    asked = {"operation": "notebook.export", "notebookId": "latest", "maxChars": 8000}

    def script(answers: list[Answer]) -> Call | None:
        opening = [*begun, made, asked]
        if len(answers) < len(opening):
            return opening[len(answers)]
        last = answers[-1]
        if cursor := last.get("cursor"):
            return {**asked, "cursor": cursor}
        whole = "".join(answer.get("content", "") for answer in answers if "format" in answer)
        return {"operation": "notebook.import", "content": whole} if "format" in last else None

    model = codex(started_by_codex(with_notebooks(store)), script, tmp_path)

    first, again = (answer["notebook"]["cells"] for answer in model.last.answers if "notebook" in answer)
    assert [cell.get("text", cell.get("source")) for cell in first] == [
        cell.get("text", cell.get("source")) for cell in again
    ]


def started_by_codex(store: Store) -> list[str]:
    variables = [f"{name} = {json.dumps(value)}" for name, value in store.variables.items()]
    words = json.dumps(store.command[1:])
    return [f'command = "{store.command[0]}"', f"args = {words}", "[mcp_servers.thoughtbox.env]", *variables]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_codex_gets_what_the_pages_show(start_http: StartHttp, store: Store, tmp_path: Path, transport: str):
    exchanges = [*pages.thoughts(), *pages.readme()]
    if transport == "http":
        server = [f'url = "{start_http(THOUGHTBOX_PROJECT="tests").url}"']
    else:
        server = started_by_codex(store)

    model = codex(server, pages.word_for_word(exchanges), tmp_path)

    assert pages.unlike(exchanges, model.last.answers) == []
    assert_the_model_knows_what_it_has(model)
