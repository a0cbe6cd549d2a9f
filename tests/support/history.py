"""A random history of a workspace through every room, and what may be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.box import WORKSPACE, Box
from tests.support.chance import Arguments, ByChance, Drawn
from thoughtbox.domains.thoughts.cipher.meaning import kinds_labelled
from thoughtbox.domains.thoughts.content import mental_models
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.record import AUTHORED
from thoughtbox.operations.registry import TABLE

WORDS = ("cache", "index", "replica", "slow", "page", "query", "plan", "user")
TAGS = ("db", "web", "ops", "later")
MARKERS = "HECQRPOAX"


class History(ByChance):
    def __init__(self, box: Box, seed: object) -> None:
        super().__init__(box, seed)
        self.sessions: list[str] = []
        self.trails = ["t1", "t2", "t3"]
        self.actions = ["deploy-1", "deploy-2"]
        self.branches = ["alt", "side", "third"]
        self.patterns = ["unknown-pattern"]
        self.notes = ["unknown-note"]
        self.notebooks = ["unknown-notebook"]
        self.cells = ["unknown-cell"]
        self.runs = ["th:1"]
        self.outputs = ["0" * 64]
        self._begin()
        self._author()

    def deeds(self) -> dict[Callable[[], object], int]:
        return {
            self._begin: 3,
            self._think: 14,
            self._criticise: 2,
            self._rename: 2,
            self._tag: 3,
            self._complete: 1,
            self._resume: 1,
            self._navigate: 2,
            self._delete: 1,
            self._undelete: 1,
            self._keep_pattern: 2,
            self._change_pattern: 2,
            self._delete_pattern: 1,
            self._undelete_pattern: 1,
            self._promote: 1,
            self._write_note: 3,
            self._delete_note: 1,
            self._undelete_note: 1,
            self._record_trail: 5,
            self._author: 4,
            self._remember: 2,
            self._checkpoint: 1,
            self._make_notebook: 2,
            self._write_cell: 4,
            self._change_cell: 2,
            self._move_cell: 2,
            self._take_cell_out: 1,
            self._delete_notebook: 1,
            self._run_cell: 2,
            self._cite: 1,
        }

    def text(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 6)))

    def tags(self) -> list[str]:
        return self.chance.sample(TAGS, self.chance.randint(0, 2))

    def session(self) -> str:
        return self.chance.choice([*self.sessions[-4:], *self.sessions, "latest"])

    def number(self) -> int:
        return self.chance.randint(1, 8)

    def _call(self, operation: str, **arguments: Any) -> Arguments:
        return self.client.call(operation, **arguments)

    def _begin(self) -> None:
        begun = self._call(
            "start_new",
            sessionTitle=self.text(),
            sessionTags=self.tags(),
            **({"project": self.chance.choice(["shop", "site"])} if self.chance.random() < 0.5 else {}),
        )
        self.sessions.append(begun["sessionId"])
        if self.chance.random() < 0.9:
            self._call("cipher", sessionId=begun["sessionId"])

    def _think(self) -> None:
        arguments: Arguments = {"sessionId": self.session(), "thought": self._thought()}
        way = self.chance.random()
        if way < 0.15:
            arguments["revisesThought"] = self.number()
        if 0.1 < way < 0.4:
            arguments |= {"branchId": self.chance.choice(self.branches), "branchFromThought": self.number()}
        elif way < 0.6:
            arguments["branchId"] = self.chance.choice(self.branches)
        if way > 0.9:
            arguments["thoughtNumber"] = self.number() + 5
        if self.chance.random() < 0.08:
            arguments["nextThoughtNeeded"] = False
        if self.chance.random() < 0.2:
            arguments["actionId"] = self.chance.choice(self.actions)
        self._call("thought", **arguments)

    def _thought(self) -> str:
        if self.chance.random() < 0.4:
            return self.text()
        references = ",".join(f"S{self.number()}" for _ in range(self.chance.randint(0, 2)))
        marker, therefore = self.chance.choice(MARKERS), self.chance.choice(["", "∴ "])
        return "|".join(part for part in (f"S{self.number()}", marker, references, therefore + self.text()) if part)

    def _criticise(self) -> None:
        self._call("critique", sessionId=self.session(), thoughtNumber=self.number(), text=self.text(), model="m")

    def _rename(self) -> None:
        self._call("session.rename", sessionId=self.session(), title=self.text(), description=self.text())

    def _tag(self) -> None:
        self._call("session.tag", sessionId=self.session(), add=self.tags(), remove=self.tags())

    def _complete(self) -> None:
        self._call("session.complete", sessionId=self.session())

    def _resume(self) -> None:
        self._call("load_context", sessionId=self.session())

    def _navigate(self) -> None:
        place = {"project": self.chance.choice(["shop", "site"]), "task": self.chance.choice(["a", "b"])}
        self._call("navigate", sessionId=self.session(), **place, domain="debugging")

    def _delete(self) -> None:
        self._call("session.delete", sessionId=self.chance.choice(self.sessions))

    def _undelete(self) -> None:
        self._call("session.undelete", sessionId=self.chance.choice(self.sessions))

    def _keep_pattern(self) -> None:
        kept = self._call(
            "knowledge.create_pattern",
            sessionId=self.session(),
            title=self.text(),
            description=self.text(),
            content=self.text(),
            tags=self.tags(),
        )
        self.patterns.append(kept["pattern"]["id"])

    def _change_pattern(self) -> None:
        self._call(
            "knowledge.update_pattern",
            sessionId=self.session(),
            patternId=self.chance.choice(self.patterns),
            content=self.text(),
            tags=self.tags(),
        )

    def _delete_pattern(self) -> None:
        self._call("knowledge.delete_pattern", sessionId=self.session(), patternId=self.chance.choice(self.patterns))

    def _undelete_pattern(self) -> None:
        self._call("knowledge.undelete_pattern", sessionId=self.session(), patternId=self.chance.choice(self.patterns))

    def _promote(self) -> None:
        kept = self._call("knowledge.promote", sessionId=self.session(), learningId="best")
        self.patterns.append(kept["pattern"]["id"])

    def _write_note(self) -> None:
        note = self._call(
            "knowledge.write_note",
            sessionId=self.session(),
            title=self.chance.choice(WORDS),
            content=self.text(),
            append=self.chance.random() < 0.3,
        )
        self.notes.append(note["note"]["id"])

    def _delete_note(self) -> None:
        self._call("knowledge.delete_note", sessionId=self.session(), noteId=self.chance.choice(self.notes))

    def _undelete_note(self) -> None:
        self._call("knowledge.undelete_note", sessionId=self.session(), noteId=self.chance.choice(self.notes))

    def _record_trail(self) -> None:
        self._call(
            "thought_record",
            sessionId=self.chance.choice([*self.trails, *self.sessions[-1:]]),
            thoughtType=self.chance.choice(["plan", "analysis", "decision"]),
            content=self.text(),
            **({"actionId": self.chance.choice(self.actions)} if self.chance.random() < 0.5 else {}),
            **({"parentId": self.some_record()} if self.chance.random() < 0.6 else {}),
        )

    def _author(self) -> None:
        kind = self.chance.choice(["claim", "evidence", "question", "observation", "decision"])
        relation = self.chance.choice(["supports", "contradicts", "answers"])
        self._call(
            kind,
            text=self.text(),
            session=self.authored_in(),
            **({relation: [self.some_record()]} if self.chance.random() < 0.6 else {}),
            **({"branch": self.chance.choice(self.branches)} if self.chance.random() < 0.2 else {}),
        )

    def _remember(self) -> None:
        name = self.chance.choice(WORDS)
        if self.chance.random() < 0.3:
            self._call("vars.delete", name=name, session=self.authored_in())
        else:
            self._call("vars.set", name=name, value=self.text(), session=self.authored_in())

    def authored_in(self) -> str:
        return self.chance.choice(self.trails)

    def _make_notebook(self) -> None:
        made = self._call("notebook.create", name=self.text())
        self.notebooks.append(made["notebookId"])

    def _write_cell(self) -> None:
        kind = self.chance.choice(["title", "markdown", "code", "code"])
        text = f"console.log({self.text()!r})" if kind == "code" else self.text()
        made = self._call("notebook.add_cell", notebookId=self.notebook(), type=kind, content=text)
        self.cells.append(made["cellId"])

    def _change_cell(self) -> None:
        text = f"console.log({self.text()!r}); process.exit(1)"
        self._call("notebook.update_cell", notebookId=self.notebook(), cellId=self.cell(), content=text)

    def _move_cell(self) -> None:
        place = self.chance.randint(0, 2)
        self._call("notebook.move_cell", notebookId=self.notebook(), cellId=self.cell(), position=place)

    def _take_cell_out(self) -> None:
        self._call("notebook.delete_cell", notebookId=self.notebook(), cellId=self.cell())

    def _delete_notebook(self) -> None:
        self._call("notebook.delete", notebookId=self.chance.choice(self.notebooks))

    def _run_cell(self) -> None:
        run = self._call("notebook.run_cell", notebookId=self.notebook(), cellId=self.cell())
        self.runs.append(run["runId"])
        self.outputs += [output["sha256"] for output in run["outputs"]]

    def _cite(self) -> None:
        self._call("notebook.cite", runId=self.chance.choice(self.runs), target=self.some_record())

    def notebook(self) -> str:
        return self.chance.choice([*self.notebooks[-2:], "latest"])

    def cell(self) -> str:
        return self.chance.choice([*self.cells[-3:], *self.cells])

    def _checkpoint(self) -> None:
        app = self.box.app
        checkpoint(app.engine, app.views, app.keyring, app.world, WORKSPACE)

    def some_record(self) -> str:
        return f"th:{self.chance.randint(1, max(1, self.records()))}"


class Questions(Drawn):
    """What may be asked of a history."""

    always = ("sessionId", "session")

    def __init__(self, history: History, seed: object) -> None:
        super().__init__(seed)
        self._history = history

    def known(self) -> Mapping[str, Callable[[], Any]]:
        history, chance = self._history, self.chance
        return {
            "sessionId": history.session,
            "id": self._id,
            "thoughtId": history.some_record,
            "after": lambda: chance.randint(0, 30),
            "limit": lambda: chance.choice([1, 3, 50]),
            "offset": lambda: chance.choice([0, 1, 2]),
            "maxChars": lambda: chance.choice([600, 2_000]),
            "max_chars": lambda: chance.choice([600, 2_000]),
            "stream": lambda: f"thoughts/{history.chance.choice(history.sessions)}",
            "actionId": lambda: chance.choice([*history.actions, "unknown"]),
            "tags": lambda: chance.sample(TAGS, 1),
            "search": lambda: chance.choice(WORDS),
            "sortBy": lambda: chance.choice(["createdAt", "updatedAt", "title"]),
            "neighbours": lambda: chance.choice([True, 0, 2]),
            "query": lambda: " OR ".join(chance.sample(WORDS, 2)),
            "project": lambda: chance.choice(["shop", "site"]),
            "task": lambda: chance.choice(["a", "b"]),
            "aspect": lambda: "speed",
            "modelId": lambda: chance.choice(list(mental_models.models())),
            "model": lambda: chance.choice(list(mental_models.models())),
            "tag": lambda: chance.choice(list(mental_models.tags())),
            "patternId": lambda: chance.choice(history.patterns),
            "noteId": lambda: chance.choice(history.notes),
            "thoughtNumber": history.number,
            "refersTo": history.number,
            "revises": history.number,
            "last": history.number,
            "range": lambda: [history.number(), history.number()],
            "branchId": lambda: chance.choice(history.branches),
            "kind": lambda: chance.choice(sorted(AUTHORED)),
            "session": history.authored_in,
            "branch": lambda: chance.choice(history.branches),
            "about": history.some_record,
            "relation": lambda: chance.choice(["supports", "contradicts", "answers"]),
            "code": lambda: "catalog.kinds.length",
            "language": lambda: "typescript",
            "names": lambda: ["ledger"],
            "label": lambda: chance.choice(sorted(kinds_labelled())),
            "name": lambda: chance.choice([*sorted(TABLE.operations), *WORDS * 20]),
            "operation": lambda: chance.choice(["session", "thought"]),
            "subOperation": lambda: chance.choice(["get", "list"]),
            "notebookId": lambda: chance.choice([*history.notebooks, "latest"]),
            "cellId": lambda: chance.choice(history.cells),
            "runId": lambda: chance.choice(history.runs),
            "sha256": lambda: chance.choice(history.outputs),
            "targets": lambda: [history.some_record()],
            "format": lambda: chance.choice(["src.md", "ipynb"]),
            "stage": lambda: chance.choice([0, 2]),
            "keyMoments": lambda: [{"thoughtNumber": 1, "significance": 5}],
            "targetTypes": lambda: [chance.choice(["pattern", "anti-pattern", "signal"])],
        }

    def _id(self) -> str:
        history = self._history
        if self.chance.random() < 0.6:
            return history.some_record()
        branch = self.chance.choice(["", f"{history.chance.choice(history.branches)}:"])
        return f"{history.chance.choice(history.sessions)}:{branch}{history.number()}"
