"""The verbs about the workspace."""

from __future__ import annotations

from thoughtbox import content
from thoughtbox.domains.mind.room import IN_CORE, IN_FULL, room
from thoughtbox.domains.mind.scope import GRAPH, NOTES, TRACE, begin, checked_out
from thoughtbox.domains.mind.view.documents import MAIN, Documents
from thoughtbox.domains.mind.workspace.models import (
    Defaults,
    Help,
    Init,
    Initialized,
    ReadHelp,
)
from thoughtbox.operations import Example, Tx

SCHEMA_VERSION = "v0"
DEFAULTS = Defaults(branch=MAIN, docs={"notes": NOTES, "graph": GRAPH, "trace": TRACE})

GOLDEN_PATH = (
    ("tasks_snapshot", "Resume: what is in focus, what is known, what comes next."),
    ("tasks_create", "Begin a plan or a task with steps; tasks_focus_set makes it what calls are about."),
    ("think_card", "Write down a hypothesis, question, test, evidence or decision, linked to what it is about."),
    ("macro_branch_note", "Try something on a branch of its own, and note why."),
    ("tasks_close_step", "Close a step with its checkpoints and proof."),
    ("open", "Read any id that an answer names."),
)


@room.operation(
    "init", writes=True, idempotent=True, title="Begin in a workspace", toolsets=IN_FULL, example=Example({})
)
def init(tx: Tx, call: Init) -> Initialized:
    """Make the workspace ready: the branch main is made and checked out where there is none yet."""
    view = tx.ask(Documents)
    branch = checked_out(tx) if view.branches(1) else begin(tx)
    return Initialized(
        workspace=tx.workspace,
        storage_dir=str(tx.data_dir) if tx.data_dir is not None else None,
        schema_version=SCHEMA_VERSION,
        checkout=branch.name,
        defaults=DEFAULTS,
    )


@room.operation("help", title="How to use the mind room", toolsets=IN_CORE, example=Example({"max_chars": 1500}))
def help(tx: Tx, call: ReadHelp) -> Help:
    """How to think in cards, notes, branches and tasks: what tags mean, how proof is given, what a day looks like."""
    return Help(text=content.text("mind/help.md"))
