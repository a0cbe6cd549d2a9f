"""The real Claude Code and the real Codex with our hooks, installed as a user does, and a model that follows a script.

The gate blocks a write, the agent does what the reason says, and the write passes; a compaction comes and goes, and the
next request carries the pack; the end of the answer validates and mints.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.clients import program, run, surroundings
from tests.support.forks import PATIENCE
from tests.support.pages import GATEWAY
from tests.support.scripted_agent import SUMMARY, Anthropic, OpenAI, Result, ScriptedAgent, Seen, Use
from tests.support.scripted_model import DONE
from thoughtbox.doors.cli.main import main

ASKED = "Write the greeting to a.txt."


class Project:
    """A project with a preset, in a home of its own."""

    def __init__(self, folder: Path, monkeypatch: Any, client: str) -> None:
        self.root, self.home = folder / "project", folder / "home"
        self.data = folder / "data"
        for path in (self.root, self.home):
            path.mkdir()
        self.variables = {"THOUGHTBOX_DATA_DIR": str(self.data), "THOUGHTBOX_PROJECT": "tests"}
        self.client = client
        for name, value in {**self.variables, "HOME": str(self.home)}.items():
            monkeypatch.setenv(name, value)
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLAUDE_PROJECT_DIR", "THOUGHTBOX_PROJECT_ROOT"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.chdir(self.root)
        assert main(["init", "--client", client, "--yes"]) == 0

    @property
    def environment(self) -> dict[str, str]:
        """What a host is started with: nothing that says where the store is."""
        told = surroundings(self.home)
        return {**{name: value for name, value in os.environ.items() if name not in self.variables}, **told}

    @property
    def tokens(self) -> list[Path]:
        return sorted((self.root / ".claude" / "tokens").glob("session-*.json"))

    def asked(self, operation: str, capsys: Any, **arguments: Any) -> dict[str, Any]:
        capsys.readouterr()
        assert main(["call", operation, "--json", json.dumps(arguments)]) == 0
        return json.loads(capsys.readouterr().out)


def by_the_reason(results: list[Result]) -> Use | None:
    """What the reason of a refusal says: the call that it names, and then what each answer names; None at the end."""
    answers = [result.answer for result in results if result.tool.endswith(GATEWAY)]
    if not answers:
        refused = next(result.text for result in results if "was not run" in result.text)
        named = re.search(r"\{[^{}]*compliance_snapshot[^{}]*\}", refused)
        assert named is not None, refused
        return Use(GATEWAY, json.loads(named.group()))
    last = answers[-1]
    session = last["session_id"]
    if last["next_phase"] == "ROUTER":
        asked = {"snapshot_hash": last["snapshot_hash"], "user_input": ASKED}
        return Use(GATEWAY, {"operation": "compliance_router", "session_id": session, **asked})
    if last["next_phase"] == "DRAFT":
        draft = {"phase": "DRAFT", "input": {"draft": "The greeting goes to a.txt."}}
        return Use(GATEWAY, {"operation": "guarded_cycle", "session_id": session, **draft})
    return Use(GATEWAY, last["next_call"]) if last["next_phase"] is not None else None


@pytest.mark.sampled(2)
def test_claude_code_keeps_the_gate_survives_a_compaction_and_validates_at_the_end(
    tmp_path: Path, monkeypatch: Any, capsys: Any
):
    project = Project(tmp_path, monkeypatch, "claude-code")
    file = project.root / "a.txt"
    write = Use("Write", {"file_path": str(file), "content": "Good morning\n"})
    is_there_when_refused: list[bool] = []

    def story(seen: Seen) -> Use | None:
        writes = [result for result in seen.results if result.tool == "Write"]
        if "Go on." in seen.texts or len(writes) == 2:
            return None
        if not writes:
            return write
        is_there_when_refused.append(file.exists())
        return by_the_reason(seen.results) or write

    with ScriptedAgent(Anthropic(), story) as model:
        talk = Conversation(project, model.url)
        first = talk.say(ASKED)
        compacted = talk.say("/compact")
        talk.say("Go on.")
        talk.end()

    # The gate: refused once with the way on, and open once that was gone.
    writes = [result.text for result in model.seen[-3].results if result.tool == "Write"]
    assert "lets files be written with a live session token" in writes[0]
    assert not any(is_there_when_refused)
    assert file.read_text(encoding="utf-8") == "Good morning\n"
    # The end of the answer: what was done is valid, and has a receipt.
    assert any("is valid" in line and "receipt" in line for line in told(first)), first
    assert "session token" in "\n".join(told(first))
    assert project.tokens
    # The compaction: the summary says nothing, and the next request has all that counts.
    assert compacted
    after = model.seen[-1]
    assert SUMMARY in after.all
    pack = next(text for text in after.texts if "what this session was doing" in text)
    assert f'"{ASKED}" (prompt, stated by a user)' in pack
    assert "a.txt" in pack
    assert "Go on with {" in pack


def told(lines: list[dict[str, Any]]) -> list[str]:
    """What the host has shown its user."""
    return [line["content"] for line in lines if line.get("subtype") == "informational"]


class Conversation:
    """Claude Code as a process that is told one thing after another."""

    def __init__(self, project: Project, url: str) -> None:
        words = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        self._process = subprocess.Popen(
            [program("claude"), *words, "--allowedTools", "Write", f"mcp__thoughtbox__{GATEWAY}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**project.environment, "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"},
            cwd=project.root,
            text=True,
            encoding="utf-8",
        )

    def say(self, text: str) -> list[dict[str, Any]]:
        """What the host tells until it has answered."""
        assert self._process.stdin
        assert self._process.stdout
        said = {"type": "user", "message": {"role": "user", "content": text}}
        self._process.stdin.write(json.dumps(said) + "\n")
        self._process.stdin.flush()
        lines: list[dict[str, Any]] = []
        for line in self._process.stdout:
            lines.append(json.loads(line))
            if lines[-1].get("type") == "result":
                return lines
        raise AssertionError(f"it ended without an answer: {lines[-3:]}")

    def end(self) -> None:
        _, complaints = self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0, complaints


@pytest.mark.sampled(2)
def test_codex_keeps_the_gate_survives_a_compaction_and_validates_at_the_end(
    tmp_path: Path, monkeypatch: Any, capsys: Any
):
    project = Project(tmp_path, monkeypatch, "codex")
    file = project.root / "a.txt"
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+Good morning\n*** End Patch\nEOF\n"
    is_there_when_refused: list[bool] = []

    def story(seen: Seen) -> Use | None:
        commands = [result for result in seen.results if result.tool == "exec_command"]
        if any("what this session was doing" in text for text in seen.texts):
            return None
        if not commands:
            return Use("exec_command", {"cmd": patch})
        if len(commands) == 2:
            return Use("exec_command", {"cmd": "echo compact"}, tokens=90_000)
        is_there_when_refused.append(file.exists())
        return by_the_reason(seen.results) or Use("exec_command", {"cmd": patch})

    with ScriptedAgent(OpenAI(), story) as model:
        done = codex(project, model.url)

    assert done.stdout.strip() == DONE, done.stdout + done.stderr
    refused = next(result.text for seen in model.seen for result in seen.results if "was not run" in result.text)
    assert "lets files be written with a live session token" in refused
    assert is_there_when_refused
    assert not any(is_there_when_refused)
    assert file.read_text(encoding="utf-8") == "Good morning\n"
    assert project.tokens
    pack = next(text for text in model.seen[-1].texts if "what this session was doing" in text)
    assert f'"{ASKED}" (prompt, stated by a user)' in pack
    assert "Go on with {" in pack
    # The end of the answer: what could be closed is closed, the host's own session and the cycle.
    found = project.asked("session_pack", capsys)
    who = {"client": found["client"], "host_session": found["host_session"]}
    assert found["client"] == "codex"
    assert project.asked("memory_host_finished", capsys, **who)["sessions"] == []
    cycle = next(
        result.answer["session_id"] for seen in model.seen for result in seen.results if GATEWAY in result.tool
    )
    closed = project.asked("memory_session_status", capsys, session_id=cycle)
    assert closed["closed_at"] is not None
    assert len(closed["receipts"]) == 2, "one of the cycle, one of the session"


def codex(project: Project, url: str) -> subprocess.CompletedProcess[str]:
    """One run of Codex. It trusts the project, and this run vouches for the hooks: `/hooks` needs a terminal."""
    folder = project.home / ".codex"
    folder.mkdir()
    lines = [
        'model = "scripted"',
        'model_provider = "scripted"',
        "model_auto_compact_token_limit = 50000",
        "[model_providers.scripted]",
        'name = "scripted"',
        f'base_url = "{url}/v1"',
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        f"[projects.{json.dumps(str(project.root))}]",
        'trust_level = "trusted"',
    ]
    (folder / "config.toml").write_text("\n".join(lines), encoding="utf-8")
    words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    return run(
        "codex",
        *words,
        "--dangerously-bypass-hook-trust",
        "--cd",
        str(project.root),
        ASKED,
        home=project.home,
        seconds=PATIENCE,
        CODEX_HOME=str(folder),
        SCRIPTED_KEY="none",
    )
