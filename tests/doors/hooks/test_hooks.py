"""Each event from the host's JSON to the answer, in this process and as one of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest

from tests.doors.hooks.conftest import SESSION, Host
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.project import write_object
from thoughtbox.doors.cli.main import main
from thoughtbox.doors.hooks import keeping, noting, prompts
from thoughtbox.doors.hooks.host import SILENCE, Answer, Told
from thoughtbox.doors.hooks.main import EVENTS, LARGEST_INPUT
from thoughtbox.doors.hooks.spool import Spool

PROGRAM = Path(sys.executable).with_name("thoughtbox")
HEAVY = ("pydantic", "apsw", "argparse", "asyncio", "thoughtbox.settings", "thoughtbox.operations", "subprocess")
WHO = {"client": "claude-code", "host_session": SESSION}


@pytest.fixture(autouse=True)
def nobody_else_brings_lines_in(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is started behind a test's back, but where one is asked for."""
    if "process" not in request.node.name:
        monkeypatch.setattr(Spool, "is_due", lambda self: False)


def lines(host: Host) -> list[dict[str, Any]]:
    with Spool(host.told("Stop").place).taken(waits=True) as found:
        return found


def context(answer: Answer) -> str:
    return json.loads(answer.out)["hookSpecificOutput"]["additionalContext"]


def used(host: Host, tool: str, tool_input: dict[str, Any], **fields: Any) -> Told:
    given: dict[str, Any] = {"tool_response": {"stdout": "ok"}, **fields}
    return host.told("PostToolUse", tool_name=tool, tool_input=tool_input, **given)


def test_a_tool_call_is_taken_down_by_its_hashes_and_a_few_words_without_secrets(host: Host):
    command = "curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz' https://example.org " + "x" * 300

    noting.post_tool_use(used(host, "Bash", {"command": command}))

    (line,) = lines(host)
    assert (line["kind"], line["tool_name"]) == ("invocation", "Bash")
    assert line["input_hash"] == digest({"command": command})
    assert line["output_hash"] == digest({"stdout": "ok"})
    assert "abcdefghij" not in json.dumps(line)
    assert len(line["meta"]["command"]) <= 200


def test_a_tool_that_failed_is_taken_down_with_its_error_and_a_refusal_of_ours_is_not(host: Host):
    failed = host.input("PostToolUseFailure", tool_name="Bash", tool_input={"command": "false"}, error="Exit code 1")
    told = host.told("PostToolUseFailure")._replace(input=failed)
    noting.post_tool_use(told)
    noting.post_tool_use(told._replace(input={**failed, "tool_name": "mcp__thoughtbox__search_experiences"}))

    refused = {"tool_response": {"isError": True, "content": []}}
    noting.post_tool_use(used(host, "mcp__thoughtbox__thoughtbox_gateway", {"operation": "thought"}, **refused))

    (line,) = lines(host)

    assert line["output_hash"] == digest("Exit code 1")
    assert line["meta"]["failed"] is True


def test_a_call_through_the_gateway_is_named_by_its_operation_and_tells_which_cycle_is_worked_on(host: Host):
    answered = [{"type": "text", "text": json.dumps({"session_id": 17, "phase": "SNAPSHOT"})}]
    gateway = "mcp__thoughtbox__thoughtbox_gateway"

    noting.post_tool_use(used(host, gateway, {"operation": "compliance_snapshot"}, tool_response=answered))
    noting.post_tool_use(used(host, gateway, {"operation": "search_experiences", "query": "x"}))

    snapshot, cycle, search = lines(host)
    assert snapshot["tool_name"] == f"{gateway}__compliance_snapshot"
    assert (cycle["kind"], cycle["cycle"]) == ("cycle", 17)
    assert search["tool_name"] == f"{gateway}__search_experiences"


def test_after_files_were_written_the_projects_checklist_is_shown(host: Host):
    write_object(host.folder.context, {"enabled": True, "postImplementation": ["Run the tests.", "Say what changed."]})

    shown = context(noting.post_tool_use(used(host, "Edit", {"file_path": "a.py"})))

    assert shown == "After writing files:\n- Run the tests.\n- Say what changed."
    assert noting.post_tool_use(used(host, "Bash", {"command": "ls"})) == SILENCE


def test_a_prompt_is_answered_with_the_projects_context_and_the_gates_that_are_closed_and_kept_without_secrets(
    host: Host,
):
    host.apply("three-gate")
    told = {"summary": "A cache.", "highlights": ["It is fast."], "reminders": ["Measure."]}
    write_object(host.folder.context, {"enabled": True, **told, "preImplementation": ["Read the tests."]})
    prompt = "Use sk-abcdefghijklmnopqrstuvwxyz0123456789 " + "and go on " * 200

    shown = context(prompts.user_prompt_submit(host.told("UserPromptSubmit", prompt=prompt)))

    for part in ("A cache.", "- It is fast.", "- Measure.", "Before you write files:\n- Read the tests."):
        assert part in shown
    assert "- learn: search_experiences, context_pack." in shown
    assert '{"operation":"verify_compliance","current_phase":"reason","action":"write files"}' in shown
    (line,) = lines(host)
    assert line["text"].startswith("Use ‹redacted› and go on")
    assert len(line["text"]) <= 500


def test_a_context_that_is_switched_off_is_not_told_and_a_broken_one_is_complained_about(host: Host):
    write_object(host.folder.context, {"enabled": False, "summary": "A cache."})
    told = host.told("UserPromptSubmit", prompt="Go on.")
    assert prompts.user_prompt_submit(told) == SILENCE

    host.folder.context.write_text("{", encoding="utf-8")
    answer = prompts.user_prompt_submit(told)

    assert (answer.out, answer.code) == ("", 0)
    assert str(host.folder.context) in answer.said


def test_what_was_done_before_a_compaction_comes_back_after_it(host: Host):
    said = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "Half done."}]}}
    transcript = host.root / "transcript.jsonl"
    transcript.write_text(f"{json.dumps(said)}\n{json.dumps({'type': 'user'})}\n", encoding="utf-8")
    prompts.user_prompt_submit(host.told("UserPromptSubmit", prompt="Move the cache."))
    noting.post_tool_use(used(host, "Write", {"file_path": "cache.py"}))

    assert keeping.pre_compact(host.told("PreCompact", trigger="auto")) == SILENCE
    back = context(keeping.session_start(host.told("SessionStart", source="compact")))

    assert len(back) <= 2_000
    for part in ('"Move the cache." (prompt', '"Half done." (agent', '"cache.py"', "Go on with {"):
        assert part in back


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_a_session_that_has_left_nothing_is_told_nothing(host: Host, source: str):
    assert keeping.session_start(host.told("SessionStart", source=source)) == SILENCE


def test_a_session_that_begins_hears_of_the_project_and_else_of_nothing(host: Host):
    assert keeping.session_start(host.told("SessionStart", source="startup")) == SILENCE

    write_object(host.folder.context, {"enabled": True, "summary": "A cache."})

    assert context(keeping.session_start(host.told("SessionStart", source="startup"))) == "A cache."


def test_a_session_that_begins_in_a_project_with_a_preset_is_told_to_check_itself_and_what_the_installation_left(
    host: Host,
):
    host.apply("minimal")
    prompts_folder = host.folder.claude / "post-install-prompts"
    prompts_folder.mkdir()
    name = md5(str(host.root).encode(), usedforsecurity=False).hexdigest()
    (prompts_folder / f"{name}.md").write_text("Describe the project with update_project_context.\n", encoding="utf-8")
    (prompts_folder / "other.md").write_text("For another one.", encoding="utf-8")

    shown = context(keeping.session_start(host.told("SessionStart", source="startup")))

    assert shown.startswith("Describe the project with update_project_context.\n\nCHORES")
    assert "another one" not in shown
    assert keeping.session_start(host.told("SessionStart", source="resume")) == SILENCE


def test_the_end_of_an_answer_validates_the_chain_gives_a_receipt_and_leaves_live_tokens(host: Host):
    host.apply("three-gate")
    for token, until in (("session-1750000000000-abc123", 2**50), ("session-1750000000001-abc123", 1)):
        content = {"token_id": token, "created_at": 1, "expires_at": until, "type": "session"}
        write_object(host.folder.tokens / f"{token}.json", content)
    for number in range(2):
        noting.post_tool_use(used(host, "Bash", {"command": f"make {number}"}))

    answer = keeping.stop(host.told("Stop", stop_hook_active=False))

    shown = json.loads(answer.out)["systemMessage"]
    assert "is valid (2 tool calls): receipt" in shown
    assert answer.code == 0
    assert [path.stem for path in host.folder.tokens.iterdir()] == ["session-1750000000000-abc123"]
    box = host.box()
    assert box.memory_host_session(**WHO, create=False)["session_id"] is None
    box.close()
    assert keeping.stop(host.told("Stop", stop_hook_active=False)) == SILENCE


def test_a_cycle_that_is_left_in_the_middle_holds_a_strict_project_back_once_and_others_only_hear_of_it(host: Host):
    box = host.box()
    session = box.compliance_snapshot(context="cache")["session_id"]
    box.memory_host_note(**WHO, kind="cycle", cycle=session)
    box.close()
    host.apply("strict")

    first = keeping.stop(host.told("Stop", stop_hook_active=False))
    second = keeping.stop(host.told("Stop", stop_hook_active=True))
    host.apply("three-gate")
    third = keeping.stop(host.told("Stop", stop_hook_active=False))

    assert first.code == 2
    assert f"memory session {session} is not finished: ROUTER comes next" in first.said
    assert f'{{"operation":"memory_session_status","session_id":{session}}}' in first.said
    for answer in (second, third):
        assert answer.code == 0
        assert f"memory session {session} is not finished" in json.loads(answer.out)["systemMessage"]


def test_a_project_without_a_preset_gets_no_files_from_hooks(host: Host):
    prompts.user_prompt_submit(host.told("UserPromptSubmit", prompt="Go on."))
    noting.post_tool_use(used(host, "Write", {"file_path": "a.py"}))

    assert keeping.stop(host.told("Stop")) == SILENCE
    assert not host.folder.claude.exists()


def test_outside_of_any_project_nothing_is_kept(host: Host, tmp_path: Path):
    outside = host.told("Stop").place._replace(root=None)
    for run, told in (
        (prompts.user_prompt_submit, host.told("UserPromptSubmit", prompt="Go on.")),
        (noting.post_tool_use, used(host, "Write", {"file_path": "a.py"})),
        (keeping.session_start, host.told("SessionStart", source="compact")),
        (keeping.pre_compact, host.told("PreCompact")),
        (keeping.stop, host.told("Stop")),
    ):
        assert run(told._replace(place=outside)) == SILENCE
    assert not host.data.exists()


@pytest.mark.parametrize("event", [event for event in EVENTS if event != "drain"])
@pytest.mark.parametrize(
    "sent", [b"", b"garbage", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"cwd": 3, "tool_name": [], "tool_input": "x"}']
)
def test_whatever_a_host_sends_a_hook_never_fails_and_says_at_most_a_line(host: Host, event: str, sent: bytes):
    code, out, err = host.hears(event, sent=sent)

    assert (code, out) == (0, "")
    assert err.count("\n") <= 1
    assert "Traceback" not in err


def test_a_command_of_another_release_refuses_nothing(host: Host, capsys: pytest.CaptureFixture[str]):
    sent = json.dumps(host.input("PreToolUse", tool_name="Read", tool_input={})).encode()

    code, out, err = host.hears("pre-tool-use", "--colour", "blue", "--client", "emacs", sent=sent)

    assert (code, out) == (0, "")
    assert "not understood: --colour blue emacs" in err
    assert main(["hook", "tea-time"]) == 1
    assert main(["hook", "stop", "--help"]) == 0


def test_a_store_that_cannot_be_opened_hinders_nobody_and_is_told_of(host: Host):
    host.apply("strict")
    host.data.mkdir()
    (host.data / "thoughtbox.db").write_bytes(b"this is no database" * 100)

    for event, name in (("session-start", "SessionStart"), ("pre-compact", "PreCompact"), ("stop", "Stop")):
        code, out, err = host.hears(event, sent=json.dumps(host.input(name, source="compact")).encode())
        assert (code, out) == (0, "")
        assert err.startswith(f"thoughtbox hook {event}: ")
        assert err.count("\n") == 1
    assert LARGEST_INPUT > 1 << 20


def test_what_waits_for_a_store_that_cannot_be_opened_comes_in_when_it_can(host: Host):
    host.data.mkdir()
    database = host.data / "thoughtbox.db"
    database.write_bytes(b"this is no database" * 100)
    prompts.user_prompt_submit(host.told("UserPromptSubmit", prompt="Move the cache."))
    host.hears("pre-compact", sent=json.dumps(host.input("PreCompact")).encode())
    database.unlink()

    assert "Move the cache." in context(keeping.session_start(host.told("SessionStart", source="resume")))


def test_the_gate_as_a_process_of_its_own_refuses_by_exit_code_2_and_loads_nothing_heavy(host: Host):
    host.apply("three-gate")
    sent = json.dumps(dict(host.writes().input)).encode()
    script = (
        "import sys; from thoughtbox.doors.cli.main import main; code = main(['hook', 'pre-tool-use']);"
        f"print(*[name for name in {HEAVY} if name in sys.modules]); sys.exit(code)"
    )

    as_installed = subprocess.run([PROGRAM, "hook", "pre-tool-use"], input=sent, capture_output=True, check=False)
    looked_at = subprocess.run([sys.executable, "-c", script], input=sent, capture_output=True, check=False)

    assert (as_installed.returncode, as_installed.stdout) == (2, b"")
    assert as_installed.stderr.startswith(b"Write was not run")
    assert (looked_at.returncode, looked_at.stdout.strip()) == (2, b"")


def test_a_tool_call_comes_into_the_store_by_a_process_that_nobody_waits_for(host: Host):
    sent = json.dumps(dict(used(host, "Bash", {"command": "make"}).input)).encode()

    done = subprocess.run([PROGRAM, "hook", "post-tool-use"], input=sent, capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    back = context(keeping.session_start(host.told("SessionStart", source="compact")))
    assert '"make" (Bash, unverified)' in back
    box = host.box()
    assert box.memory_session_status(session_id=1)["chain_count"] == 1
    box.close()
