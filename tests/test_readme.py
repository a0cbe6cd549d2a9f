"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from tests.support import pages
from tests.support.pages import README
from tests.support.senders import Sender


def blocks() -> list[str]:
    return re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def steps() -> list[tuple[str, str]]:
    """Each command with the output shown below it, from all blocks, in order."""
    found = []
    for block in blocks():
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def masked(text: str) -> str:
    """Without what differs from run to run: hashes that tell of times, signatures, and spaces at the ends of lines."""
    text = re.sub(r'(?<!"contentHash":")[0-9a-f]{16}', "HASH", text)
    text = re.sub(r"[A-Za-z0-9+/]{43,}=*", "BASE64", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_the_session_in_the_readme_runs_as_shown(tmp_path: Path):
    variables = {
        **{name: value for name, value in os.environ.items() if not name.startswith("THOUGHTBOX_")},
        "THOUGHTBOX_DATA_DIR": str(tmp_path),
        "COLUMNS": "100",
    }

    for command, shown in steps():
        program, *arguments = shlex.split(command)
        assert program == "thoughtbox"
        done = subprocess.run(
            [sys.executable, "-m", "thoughtbox", *arguments], capture_output=True, text=True, env=variables, check=True
        )
        assert masked(done.stdout) == masked(shown), command


def test_what_an_agent_sends_can_be_sent_as_it_stands(sender: Sender):
    exchanges = pages.readme()
    assert len(exchanges) > 5

    answers = pages.tell(pages.word_for_word(exchanges, names_session=sender.names_session), sender.send)

    assert pages.unlike(exchanges, answers) == []
    assert {answer["sessionId"] for answer in answers[:-1]} == {answers[0]["sessionId"]}
    assert answers[-1]["pattern"]["derivedFromSessions"] == [answers[0]["sessionId"]]


def test_the_snippet_that_an_agent_sends_comes_to_what_is_shown(sender: Sender):
    """After all that it has sent before."""
    pages.tell(pages.word_for_word(pages.readme(), names_session=sender.names_session), sender.send)
    (exchange,) = pages.snippets_on(README)
    assert exchange.shown is not None

    answer = sender.send(exchange.call)

    assert pages.unlike([exchange], [answer]) == []


def test_what_is_installed_works_outside_of_the_checkout(tmp_path: Path):
    """All of pip, pipx, uv and uvx install the wheel that is made from the checkout."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=README.parent, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("thoughtbox-*.whl")
    place = tmp_path / "installed"
    with ZipFile(wheel) as archive:
        archive.extractall(place)
    (declared,) = place.glob("*.dist-info/entry_points.txt")
    programs = dict(re.findall(r"^([\w-]+) = ([\w.]+):main$", declared.read_text(encoding="utf-8"), re.MULTILINE))
    assert set(programs) == {"thoughtbox", "thoughtbox-verify", "thoughtbox-verify-proof"}

    begin = f"import sys; sys.path.insert(0, {str(place)!r}); from {programs['thoughtbox']} import main, __file__ as at"
    begin += f"; assert at.startswith({str(place)!r}), at"
    for words in (["call", "start_new", "sessionTitle=Here"], ["call", "cipher"], ["sessions"], ["show", "latest"]):
        program = f"{begin}; sys.exit(main({words!r}))"
        ran = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={"THOUGHTBOX_DATA_DIR": str(tmp_path / "store")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("Here")


def test_every_page_that_the_readme_names_exists():
    named = re.findall(r"\]\(([^):#]+)\)", README.read_text(encoding="utf-8"))

    assert [name for name in named if not (README.parent / name).exists()] == []
