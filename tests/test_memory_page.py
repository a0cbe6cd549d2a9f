"""What `docs/memory.md` shows is what happens: in a shell from beginning to end, and call by call in every client."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support import pages
from tests.support.forks import run_forked
from tests.support.pages import MEMORY
from tests.support.senders import Sender
from thoughtbox import domains
from thoughtbox.operations.registry import TABLE

PAGE = MEMORY.read_text(encoding="utf-8")
SHOP = "/home/ada/shop"
"""Where the project of the page stands."""
NUMBERS = re.compile(r"(?<=memory session )\d+|(?<=receipt )\d+")
"""Of records that hooks leave: what runs in the background may come before or after."""


class Step(NamedTuple):
    """A command, and what it says."""

    command: str
    shown: str


def parts() -> Iterator[Step | pages.Exchange]:
    """Everything on the page that is run, in its order."""
    exchanges = iter(pages.memory())
    for kind, block in re.findall(r"```(console|json)\n(.*?)```", PAGE, re.DOTALL):
        if kind == "console":
            for text in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, shown = text.partition("\n")
                yield Step(command, shown.rstrip())
        else:
            yield from (next(exchanges) for _ in block.splitlines())


def test_the_page_runs_from_the_first_line_to_the_last_in_a_shell(tmp_path: Path):
    shop, home = tmp_path / "shop", tmp_path / "home"
    shop.mkdir()
    home.mkdir()
    told = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "THOUGHTBOX_DATA_DIR": str(tmp_path / "data"),
        "THOUGHTBOX_PROJECT_ROOT": str(shop),
        "COLUMNS": "100",
    }

    def run(command: str) -> str:
        """What a command says, on both streams, as if the project stood where the page has it."""
        command = command.replace(SHOP, str(shop))
        done = subprocess.run(
            ["bash", "-c", f"({command}) 2>&1"], cwd=shop, env=told, capture_output=True, text=True, check=False
        )
        return done.stdout.replace(str(shop), SHOP).rstrip()

    exchanges, answers = list[pages.Exchange](), list[pages.Answer]()
    for part in parts():
        if isinstance(part, Step):
            assert says(run(part.command), part.shown), part.command
            continue
        exchanges.append(part)
        call = pages.word_for_word(exchanges)(answers)
        done = run_forked(["-m", "thoughtbox", "call", pages.GATEWAY, "--json", json.dumps(call)], told)
        answers.append(json.loads(done.stderr if done.returncode else done.stdout))
        assert pages.unlike(exchanges, answers) == []


def says(said: str, shown: str) -> bool:
    """Whether a command has said what is shown, of which the end may be missing."""
    said, shown = (NUMBERS.sub("N", text) for text in (said, shown))
    assert said.startswith(shown[:-1]) if shown.endswith("…") else said == shown, said
    return True


def test_every_answer_on_the_page_is_what_the_call_above_it_gets(sender: Sender):
    exchanges = pages.memory()
    assert len(exchanges) > 14
    assert PAGE.count("```json\n") == PAGE.count("```jsonl\n")

    answers = pages.tell(pages.word_for_word(exchanges), sender.send)

    assert pages.unlike(exchanges, answers, exactly=sender.exactly) == []


def test_every_page_that_it_names_exists():
    assert [name for name in re.findall(r"\]\(([^):#]+)\)", PAGE) if not (MEMORY.parent / name).exists()] == []


def test_what_it_says_of_the_tools_and_of_presets_is_so():
    domains.load()
    assert len(TABLE.shown_in("memory")) == 36
    folder = Path(domains.__file__).parents[1] / "content" / "memory" / "presets"
    for path in folder.glob("*.json"):
        preset = json.loads(path.read_text(encoding="utf-8"))
        (row,) = re.findall(rf"^\| {preset['name']} \| (.*)$", PAGE, re.MULTILINE)
        minutes = [preset["token_ttl"][kind] // 60_000 for kind in ("operation", "session")]
        assert f"{minutes[0]} and {minutes[1]} minutes" in row
        assert row.startswith("as each gate" if preset["enforcement"] == "custom" else preset["enforcement"])
