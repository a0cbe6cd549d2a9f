"""A room that only tests know: operations that take as long as they are told, for a server that runs this first."""

from __future__ import annotations

TASK_ROOM = '''
import time
from pathlib import Path

from thoughtbox import domains
from thoughtbox.errors import InvalidInput
from thoughtbox.operations import Example, Input, Output, Room, Sampling, Slices, Steps, Tx

domains.load()
room = Room("slowness", summary="A room that only tests know.")

class Greet(Input):
    name: str

class Wait(Input):
    seconds: float = 0
    label: str = ""
    until: str = ""
    ended: str = ""

class Nothing(Input):
    pass

class Delete(Input):
    filename: str

class Said(Output):
    text: str

class Asked(Output):
    text: str
    question: dict[str, str]

class Kept(Output):
    word: str

class Word(Input):
    text: str

@room.operation("greet", example=Example({"name": "World"}))
def greet(tx: Tx, call: Greet) -> Said:
    """Greet somebody, at once."""
    return Said(text=f"Hello, {call.name}!")

@room.operation("slow_compute", writes=True, example=Example({}))
def slow_compute(slices: Slices, call: Wait) -> Steps[Said]:
    """Wait so long, or until a file is there; what was begun is recorded, and so is what was done."""
    try:
        yield slices.write(lambda tx: tx.call("thought_record", thought("begun", call)))
        done = 0
        while done < call.seconds * 50 or (call.until and not Path(call.until).exists()):
            yield slices.read(lambda tx: time.sleep(0.02), long=True)
            done += 1
            slices.report(done, 1000)
        yield slices.write(lambda tx: tx.call("thought_record", thought("done", call)))
    finally:
        if call.ended:
            Path(call.ended).write_text("ended", encoding="utf-8")
    return Said(text=f"{call.label} is done")

def thought(what, call):
    return {"sessionId": "slow", "thoughtType": "note", "content": f"{call.label} {what}"}

@room.operation("slow_start", long=True, writes=True, example=Example({"name": "a"}))
def slow_start(tx: Tx, call: Greet) -> Said:
    """Begin a session, in which its caller then is."""
    return Said(text=tx.call("start_new", {"sessionTitle": call.name})["sessionId"])

@room.operation("failing_job", long=True, errors=[InvalidInput], example=Example({}))
def failing_job(tx: Tx, call: Nothing) -> Said:
    """Fail."""
    raise InvalidInput("it cannot be done")

@room.operation("protocol_error_job", long=True, ceiling=9_000_000, example=Example({}))
def protocol_error_job(tx: Tx, call: Nothing) -> Said:
    """Answer more than is kept of a task."""
    return Said(text="x" * 2_000_000)

@room.operation(
    "confirm_delete", long=True, example=Example({"filename": "f"}),
    sampling=Sampling(
        question="question", replaces=("question",), operation="keep_word", part="word",
        arguments=lambda answer, text, model: {"text": f"{model}: {text}"},
    ),
)
def confirm_delete(tx: Tx, call: Delete) -> Asked:
    """Ask the client's model before going on."""
    return Asked(text=call.filename, question={"system": "Be brief.", "prompt": f"Delete {call.filename}?"})

@room.operation("keep_word", writes=True, example=Example({"text": "yes"}))
def keep_word(tx: Tx, call: Word) -> Kept:
    """Keep what a model said."""
    tx.call("thought_record", {"sessionId": "slow", "thoughtType": "note", "content": call.text})
    return Kept(word=call.text)

@room.operation("long_roots", long=True, needs_roots=True, example=Example({}))
def long_roots(tx: Tx, call: Nothing) -> Said:
    """Say where the client works."""
    return Said(text=", ".join(root.uri for root in tx.roots or ()))
'''

SHORT_LEASES = """
from thoughtbox.doors.mcp import tasks
from thoughtbox.ledger import leases

leases.LASTS_MS = 5_000
tasks.BEAT_SECONDS = 0.1
"""
"""Whoever works on a task says so all the time, and is soon found to have ended."""
