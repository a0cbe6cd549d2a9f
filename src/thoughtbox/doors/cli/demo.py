"""`demo`: a guarded cycle from beginning to end, on a store that is gone afterwards; each step shows what it proves."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from thoughtbox.app import Thoughtbox
from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.domains.memory.tokens.files import live_session_token
from thoughtbox.doors.cli.output import BAD, GOOD, QUIET, Output, Styled
from thoughtbox.errors import PhaseViolation, ThoughtboxError
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.settings import load
from thoughtbox.world import World

LONGEST_CALL = 160
WORKSPACE = "demo"
ASKED = "Why does the login test fail on every tenth run?"
DRAFT = "1. The login test shares a clock with the cache. 2. Give it a clock of its own."
LEARNT = {
    "type": "effective",
    "domain": "Debugging",
    "situation": "The login test failed on every tenth run.",
    "approach": "Gave the test a clock of its own.",
    "outcome": "A thousand runs without a failure.",
    "reasoning": "Tests that share a clock depend on each other's order.",
    "confidence": 0.9,
    "tags": ["tests", "login"],
}


class Step(NamedTuple):
    """A step that was taken."""

    title: str
    call: dict[str, Any]
    proves: str
    holds: bool


def demo(args: Namespace) -> int:
    out = Output(args)
    with TemporaryDirectory(prefix="thoughtbox-demo-") as folder:
        steps = list(_shown(out, _story(Path(folder))))
    failed = [step for step in steps if not step.holds]
    if out.as_json:
        out.json({"ok": not failed, "steps": [step._asdict() for step in steps]})
    else:
        said = (
            "Every step holds. The store of this demo is gone." if not failed else f"{len(failed)} steps do not hold."
        )
        out.say(Styled(said, BAD if failed else GOOD))
    return 1 if failed else 0


def _shown(out: Output, story: Iterator[Step]) -> Iterator[Step]:
    for number, step in enumerate(story, 1):
        if not out.as_json:
            call = _spelled(step.call)
            out.say(Styled(f"{number:>2}. {step.title}", "bold"))
            out.paragraph(Styled(call, QUIET), indent="    ")
            out.paragraph(f"{'✓' if step.holds else '✗'} {step.proves}", indent="    ")
        yield step


class _Box:
    """The store of the demo."""

    def __init__(self, box: Thoughtbox) -> None:
        self._box = box

    def call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        caller = Caller(agent="demo", transport="cli")
        return self._box.dispatcher.call(
            Call(operation=operation, workspace=WORKSPACE, arguments=arguments, caller=caller)
        )

    def step(
        self, title: str, operation: str, proves: Callable[[dict[str, Any]], tuple[bool, str]], **arguments: Any
    ) -> tuple[dict[str, Any], Step]:
        try:
            answer = self.call(operation, **arguments)
            holds, said = proves(answer)
        except ThoughtboxError as error:
            answer, holds, said = {}, False, f"{error.code}: {error.message}"
        return answer, Step(title, {"operation": operation, **arguments}, said, holds)


def _story(folder: Path) -> Iterator[Step]:
    project = ProjectFolder(folder / "project")
    project.root.mkdir()
    settings = load({}, data_dir=str(folder / "data"), project_root=str(project.root), project=WORKSPACE)
    with Thoughtbox(settings) as opened:
        box = _Box(opened)
        yield from _learning(box)
        yield from _cycle(box, project)


def _learning(box: _Box) -> Iterator[Step]:
    _, step = box.step(
        "Keep what worked",
        "record_experience",
        lambda found: (found["recorded"] and found["trust"] <= 1, f"It begins with trust {found['trust']} of 3."),
        **LEARNT,
    )
    yield step
    _, step = box.step(
        "Find it again",
        "search_experiences",
        lambda found: (found["count"] == 1, f"{found['count']} experience has these words."),
        query="login fails",
    )
    yield step


def _cycle(box: _Box, project: ProjectFolder) -> Iterator[Step]:
    begun, step = box.step(
        "Begin a guarded cycle",
        "compliance_snapshot",
        lambda found: (len(found["snapshot_hash"]) == 64, "The session, its scope and its context have one hash."),
        context=ASKED,
        context_keys=["tests"],
    )
    yield step
    session = begun.get("session_id")
    yield _violation(box, session)
    _, step = box.step(
        "Say what was asked",
        "compliance_router",
        lambda found: (found["route"] == "CONTEXT_PACK", "The way goes through what memory knows."),
        session_id=session,
        snapshot_hash=begun.get("snapshot_hash"),
        user_input=ASKED,
    )
    yield step
    packed, step = box.step("Pack what is known", "memory.context_pack", _packed, session_id=session)
    yield step
    yield box.step(
        "Draft an answer",
        "guarded_cycle",
        lambda found: (found["status"] == "ok", "The draft is on the session's chain."),
        session_id=session,
        phase="DRAFT",
        input={"draft": DRAFT},
    )[1]
    yield box.step("Have it checked", "finalize_response", _finalized, session_id=session, draft=DRAFT)[1]
    proven, step = box.step(
        "Prove the session",
        "governance_validate",
        lambda found: (found["valid"] and found["token"] is not None, "A signed receipt and a session token."),
        session_id=session,
        context_hash=packed.get("context_hash"),
    )
    yield step
    yield box.step(
        "Keep what came of it",
        "guarded_cycle",
        lambda found: (found["next_phase"] is None, "All seven phases are done."),
        session_id=session,
        phase="MEMORY_UPDATE",
    )[1]
    yield from _proof(box, proven.get("receipt") or {}, project)


def _violation(box: _Box, session: int | None) -> Step:
    call = {"operation": "guarded_cycle", "session_id": session, "phase": "MEMORY_UPDATE"}
    try:
        box.call("guarded_cycle", session_id=session, phase="MEMORY_UPDATE")
    except PhaseViolation as refusal:
        return Step("Try to skip to the end", call, f"Refused, and recorded: {refusal.message}.", holds=True)
    except ThoughtboxError as error:
        return Step("Try to skip to the end", call, f"{error.code}: {error.message}", holds=False)
    return Step("Try to skip to the end", call, "It was not refused.", holds=False)


def _packed(found: Mapping[str, Any]) -> tuple[bool, str]:
    counted = sum(len(part) for part in found["packed_context"].values())
    return counted >= 1, f"{counted} entry, {found['byte_count']} bytes, under one hash; each says where it comes from."


def _finalized(found: Mapping[str, Any]) -> tuple[bool, str]:
    last = str(found["response"]).splitlines()[-1]
    return last == found["integrity_line"], f"The answer ends with {last}"


def _proof(box: _Box, receipt: dict[str, Any], project: ProjectFolder) -> Iterator[Step]:
    yield box.step(
        "Verify the receipt",
        "verify_receipt",
        lambda found: (found["valid"], "Its signature is this project's."),
        receipt=receipt,
    )[1]
    forged = {**receipt, "signature": "0" * 64}
    yield box.step(
        "Forge a receipt",
        "verify_receipt",
        lambda found: (not found["valid"], f"Not valid: {found['reason']}."),
        receipt=forged,
    )[1]
    yield box.step(
        "Verify the ledger",
        "ledger_verify",
        lambda found: (found["valid"], "Every record of this demo is what was written."),
    )[1]
    token = live_session_token(project, World().now_ms())
    yield Step(
        "Look at the gate",
        {"file": f".claude/tokens/{token.token_id}.json" if token else ".claude/tokens"},
        "The token opens the gate before tools that write files." if token else "There is no live token.",
        holds=token is not None,
    )


def _spelled(call: Mapping[str, Any]) -> str:
    from thoughtbox.domains.memory.compaction.packing import spelled

    text = spelled(call)
    return text if len(text) <= LONGEST_CALL else text[: LONGEST_CALL - 1] + "…"
