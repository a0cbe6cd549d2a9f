"""Code that a server runs before it serves: what a test cannot do from outside."""

from __future__ import annotations

from pathlib import Path


def slow_verify(mark: Path) -> str:
    """Verifying takes five minutes and reports all the time; the file `mark` says how it ended."""
    return f"""
import time
from pathlib import Path
from thoughtbox.domains.ledger import operations

def slowly(read, workspace, *, progress, **rest):
    def look(sql):
        try:
            for done in range(30_000):
                time.sleep(0.01)
                progress(done, 30_000)
        except BaseException as end:
            Path({str(mark)!r}).write_text(type(end).__name__, encoding="utf-8")
            raise
        raise SystemExit("never stopped")

    yield read(look)

operations.verify_in_steps = slowly
"""


STEADY_VERIFY = """
import time
from thoughtbox.domains.ledger import operations

verify = operations.verify_in_steps

def steadily(read, workspace, *, progress, **rest):
    def look(sql):
        for done in (1, 2, 3):
            progress(done, 3)
            time.sleep(0.1)

    yield read(look)
    return (yield from verify(read, workspace, progress=lambda done, total: None, **rest))

operations.verify_in_steps = steadily
"""
"""Verifying reports three times, slowly enough that each of them is told."""

STUCK_VERIFY = """
import time
from thoughtbox.domains.ledger import operations

def stuck(read, workspace, **rest):
    yield read(lambda sql: time.sleep(60))

operations.verify_in_steps = stuck
"""
"""Verifying never comes back and never looks up."""

NOISY_RECORD = """
import os, subprocess, sys
from thoughtbox import domains
from thoughtbox.operations.registry import TABLE

domains.load()
operation = TABLE.operations["thought_record"]
record = operation.function

def noisily(tx, call):
    print("printed by a library")
    sys.__stdout__.write("written by a library\\n")
    os.write(1, b"written by a C library\\n")
    subprocess.run(["echo", "printed by a child"], check=True)
    return record(tx, call)

object.__setattr__(operation, "function", noisily)
print("printed before serving")
"""
"""Recording a thought prints in every way there is."""

TALKATIVE_RECORD = """
from thoughtbox import domains
from thoughtbox.operations.registry import TABLE
import logging, sys

domains.load()
operation = TABLE.operations["thought_record"]
record = operation.function

def talking(tx, call):
    print("print " * 500)
    print("complain " * 500, file=sys.stderr)
    logging.getLogger("library").error("log " * 500)
    return record(tx, call)

object.__setattr__(operation, "function", talking)
"""
"""Recording a thought says more than an unread pipe can hold."""

WORKSHOP = '''
from thoughtbox import domains
from thoughtbox.operations import Example, Input, Output, Prompt, Resource, Room, Tx

domains.load()
workshop = Room("workshop", summary="A room that only tests know.")

class Ask(Input):
    tag: str
    toolId: str

class Page(Output):
    text: str
    found: dict[str, str]

@workshop.operation("workshop_page", example=Example({"tag": "wood", "toolId": "saw"}))
def page(tx: Tx, call: Ask) -> Page:
    """A page about a tool."""
    return Page(text=f"# {call.toolId} for {call.tag}", found={"tag": call.tag, "tool": call.toolId})

for resource in (
    Resource(uri="thoughtbox://workshop", name="workshop", title="Workshop", description="d", text="# Workshop",
             mime="text/markdown"),
    Resource(uri="thoughtbox://workshop/{tag}/{tool}", name="tool", title="A tool", description="d",
             operation="workshop_page", names={"tool": "toolId"}, part="text", mime="text/markdown"),
    Resource(uri="thoughtbox://workshop/{tag}/{tool}/facts", name="facts", title="Its facts", description="d",
             operation="workshop_page", names={"tool": "toolId"}, part="found"),
    Resource(uri="thoughtbox://workshop/wood/saw", name="saw", title="The saw", description="d", text="All of it.",
             mime="text/plain"),
    Resource(uri="thoughtbox://story/{sessionId}", name="story", title="A story", description="d",
             operation="thought_tree", stream="trail/{sessionId}",
             listed=lambda tx, after, limit: {n: f"Story {n}" for n in ("s1", "s2") if n > after}),
):
    workshop.resource(resource)
workshop.completion("sessionId", lambda tx, typed, limit: ["of the workshop"])
workshop.prompt(
    Prompt(name="make", title="Make", description="d", arguments={"what": "What to make."},
           optional={"from": "Of what.", "for": "For whom."},
           text="Make {{what}}.\\n\\n{{from}}\\n\\nDone for {{for}}.\\n")
)
'''
"""A room with resources and prompts of every kind that can be declared."""

NEXT_RELEASE = """
from thoughtbox.domains.trail.view import Actions
from thoughtbox.search.texts import Texts

script = Actions.script

def apply(self, record):
    if (action_id := record.data.get("actionId")) is not None:
        self.sql.run(
            "INSERT INTO trail_actions (workspace, action_id, seq, stream) VALUES (?, ?, ?, ?)",
            (self.workspace, action_id.upper(), record.seq, record.stream),
        )

def with_an_index(cls, dialect):
    return script(dialect) + "CREATE INDEX trail_actions_by_seq ON trail_actions (workspace, seq);"

Actions.generation += 1
Texts.generation += 1
Actions.apply = apply
Actions.script = classmethod(with_an_index)
"""
"""A release that keeps actions in capitals: its tables look as before, and mean something else."""
