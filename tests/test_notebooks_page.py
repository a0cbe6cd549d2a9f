"""What `docs/notebooks.md` shows is what happens: through every door, in a shell, and in what it says of limits."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import notebooks_page, pages
from tests.support.agent import Agent
from tests.support.notebooks import NODE
from tests.support.notebooks_page import PAGE, PAGE_FILE, Group, groups
from tests.support.pages import GATEWAY, Answer, Call, Exchange
from tests.support.servers import PATIENCE, environment, soon
from thoughtbox.domains.notebooks import files, keeping, shown
from thoughtbox.domains.notebooks.arguments import LONGEST_TEXT
from thoughtbox.domains.notebooks.cell import ENDINGS
from thoughtbox.domains.notebooks.evidence_models import Cite
from thoughtbox.domains.notebooks.running import installing, kernels, node, queues
from thoughtbox.domains.notebooks.settings import SETTINGS

WORDS = " ".join(PAGE.split())


class Telling:
    """The page, told to a server."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._names_session = not agent.door.remembers
        self.exchanges: list[Exchange] = []
        self.answers: list[Answer] = []

    def tell(self, group: Group) -> None:
        with ThreadPoolExecutor(len(group.exchanges)) as threads:
            under_way: list[Future[Answer]] = []
            for exchange in group.exchanges:
                self.exchanges.append(exchange)
                call = notebooks_page.next_call(self.exchanges, self.answers, names_session=self._names_session)
                under_way.append(threads.submit(self._send, call))
                if not group.is_at_once:
                    self.answers.append(under_way.pop().result(PATIENCE))
                elif "run" in call["operation"]:
                    self._await_running(call)
            self.answers += [each.result(PATIENCE) for each in under_way]

    def _send(self, call: Call) -> Answer:
        answer = self._agent.raw_call(GATEWAY, call).structured_content
        assert answer is not None
        return answer

    def _await_running(self, call: Call) -> None:
        """Another thread sends what comes next: only so it is known that it comes behind it."""
        asked = {"operation": "notebook.get_cell", "notebookId": call["notebookId"], "cellId": call["cellId"]}
        soon(lambda: self._send(asked)["cell"]["status"] == "running")

    def unlike(self) -> list[str]:
        return notebooks_page.unlike(self.exchanges, self.answers)


@pytest.mark.sampled(4)
@pytest.mark.doors(every=True)
def test_every_answer_on_the_page_is_what_the_call_above_it_gets(start_agent: Callable[..., Agent]):
    telling = Telling(start_agent(THOUGHTBOX_NODE=NODE))

    for group in groups():
        telling.tell(group)
        assert not (wrong := telling.unlike()), "\n".join(wrong)

    pictures = [each for answer in telling.answers for each in answer.get("outputs", ()) if each["mime"] == "image/png"]
    assert pictures, "the page says that there is a picture"


def test_every_call_on_the_page_has_an_answer():
    assert len(re.findall(r"^```json", PAGE, re.MULTILINE)) == 2 * len(groups())
    assert sum(len(group.exchanges) for group in groups()) > 30
    examples = [title for title in re.findall(r"^## (.*)$", PAGE, re.MULTILINE) if title.startswith("Example: ")]
    assert len(examples) == 3


class Command(NamedTuple):
    line: str
    shown: str


def consoles() -> Iterator[list[Command]]:
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        parts = (text.partition("\n") for text in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:])
        yield [Command(line, said.rstrip()) for line, _, said in parts]


@pytest.mark.parametrize("commands", list(consoles()), ids=lambda commands: commands[0].line.split('"')[1])
def test_what_the_page_does_in_a_shell_works_there(commands: Sequence[Command], tmp_path: Path):
    folder = tmp_path / "here"
    folder.mkdir()
    told = environment(tmp_path / "data", THOUGHTBOX_NODE=NODE)
    told["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{told['PATH']}"
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", command.line], cwd=folder, env=told, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert is_said(done.stdout.rstrip(), command.shown), done.stdout


def is_said(said: str, shown_: str) -> bool:
    """Whether a command has said what is shown: the same text, or an answer of which a part is shown."""
    return pages.shows(json.loads(shown_), json.loads(said)) if shown_.startswith("{") else said == shown_


def test_the_limits_are_those_that_hold():
    rows = re.findall(r"^\| [^|]* \| ([^|]*) \| `(THOUGHTBOX_\w+)` \|$", PAGE, re.MULTILINE)
    words = {"THOUGHTBOX_NODE": "the newest on the path"}
    assert {variable: default for default, variable in rows} == {
        setting.variable: setting.default or words.get(setting.variable, "none") for setting in SETTINGS
    }


def test_the_numbers_in_its_sentences_are_those_of_the_code():
    strips, oldest = node.STRIPS_TYPES, node.OLDEST
    for sentence in (
        f"has {keeping.MOST_CELLS:,} cells at most, and a cell a million characters",
        f"It takes Node {strips[0]}.{strips[1]} or later; JavaScript takes {oldest[0]}.",
        f"other notebooks run beside it ({queues.MOST_AT_ONCE} at once)",
        "idle for an hour and another one is needed, or when there are 16",
        f"Of a text longer than {shown.LONGEST_SHOWN:,} characters",
        f"A text longer than {files.PIECE_CHARS:,} characters comes in pieces",
        "It has five minutes.",
    ):
        assert sentence in WORDS
    known = (LONGEST_TEXT, kernels.IDLE_SECONDS, kernels.MOST_KERNELS, installing.LONGEST_SECONDS)
    assert known == (1_000_000, 3600.0, 16, 300)
    endings = [f"`{ending}`" for language in ENDINGS.values() for ending in language]
    assert [ending for ending in endings if ending not in PAGE] == []
    relations: Any = Cite.model_json_schema()["properties"]["relation"]["enum"]
    assert [name for name in relations if f"`{name}`" not in PAGE] == []


def test_every_page_and_place_that_it_names_exists():
    for name, place in re.findall(r"\]\(([^):#]*)(?:#([\w-]+))?\)", PAGE):
        page = PAGE_FILE.parent / name if name else PAGE_FILE
        assert page.exists(), name
        assert not place or place in headings(page), f"{name}#{place}"


def headings(page: Path) -> set[str]:
    """As links name them."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}
