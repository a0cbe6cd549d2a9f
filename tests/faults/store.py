"""Stores to do harm to: filled the same way every time, and looked at in every way there is."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.support.box import WORKSPACE, settings_for, ticking_world
from tests.support.forks import PATIENCE
from thoughtbox.app import Thoughtbox
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.engine.sqlite import SqliteEngine
from thoughtbox.errors import StorageDamaged
from thoughtbox.ledger.checkpoints import Taken
from thoughtbox.ledger.comparison import compare
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.verdict import Verdict
from thoughtbox.ledger.verify import verify_workspace
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.world import World

SESSIONS = ("s1", "s2", "früh", "a/b")
TYPES = ("plan", "analysis", "decision", "reflection", "hunch")


class Store:
    """A Thoughtbox in this process, and the questions that fault tests put to it."""

    def __init__(
        self,
        directory: Path | None,
        *,
        workspace: str = WORKSPACE,
        durability: str = "normal",
        database_url: str = "",
        trusted_keys: str = "",
        vfs: str | None = None,
        world: World | None = None,
        engine: Engine | None = None,
    ) -> None:
        settings = settings_for(
            directory,
            THOUGHTBOX_DURABILITY=durability,
            THOUGHTBOX_DATABASE_URL=database_url,
            THOUGHTBOX_TRUSTED_KEYS=trusted_keys,
        )
        if vfs is not None:
            engine = SqliteEngine(settings.database, durability=settings.durability, vfs=vfs)
        self.workspace = workspace
        self.app = Thoughtbox(settings, world=world or ticking_world(), engine=engine)
        try:
            self.engine = self.app.engine  # a new one gets its views now
        except BaseException:
            self.app.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.app.close()

    def call(self, operation: str, arguments: Mapping[str, Any], **options: Any) -> dict[str, Any]:
        call = Call(
            operation=operation,
            workspace=self.workspace,
            arguments=arguments,
            caller=Caller(agent="tester", transport="test"),
            **options,
        )
        return self.app.dispatcher.submit(call).result(PATIENCE)

    def think(self, content: str, session: str = "s1", *, key: str | None = None, **more: Any) -> str:
        """Record one thought; its id."""
        arguments = {"sessionId": session, "thoughtType": "analysis", "content": content, **more}
        return self.call("thought_record", arguments, key=key)["thought"]["thoughtId"]

    def sign(self) -> Taken:
        taken = checkpoint(self.engine, self.app.views, self.app.keyring, self.app.world, self.workspace)
        assert taken is not None
        return taken

    def verify(self, *notes: str) -> Verdict:
        """The whole workspace, with its witness, the note kept outside the store and those given."""
        keyring = self.app.keyring
        return self.engine.read(
            lambda sql: verify_workspace(
                sql,
                self.workspace,
                keys=keyring.verifiers,
                notes=[*keyring.recall(self.workspace), *notes],
                witness=sql.witness.get(self.workspace),
            ),
            long=True,
        ).result(PATIENCE)

    def contents(self) -> list[str]:
        """What was thought, in order."""
        return [record.text for record in self.by_number() if record.topic == "trail.thought"]

    def by_number(self) -> list[Record]:
        """Every record, each asked for by its number."""

        def read(sql: Sql) -> list[Record]:
            ledger = Ledger(sql, self.workspace, self.app.views)
            found = (ledger.record(seq) for seq in range(1, ledger.last_seq() + 1))
            return [record for record in found if record is not None]

        return self.engine.read(read).result(PATIENCE)

    def by_stream(self) -> list[Record]:
        """Every record of every stream that has a head, stream by stream, in order of their numbers."""

        def read(sql: Sql) -> list[Record]:
            ledger = Ledger(sql, self.workspace, self.app.views)
            found = [record for name in ledger.streams("", limit=10**6) for record in ledger.stream(name)]
            return sorted(found, key=lambda record: record.seq)

        return self.engine.read(read).result(PATIENCE)

    def export(self) -> list[bytes]:
        return self.engine.read(lambda sql: list(export_lines(sql, self.workspace))).result(PATIENCE)

    def views_that_differ(self) -> list[str]:
        """Those that are not what the ledger makes of them."""
        found = self.engine.scratch(lambda sql: compare(sql, self.app.views)).result(PATIENCE)
        return [*found.uncompared, *(difference.view for difference in found.differences)]

    def assert_whole(self) -> None:
        """The chain holds, both ways of reading agree, and the views are what the ledger makes of them."""
        verdict = self.verify()
        assert verdict.valid, verdict.problem
        records = self.by_number()
        assert [record.seq for record in records] == list(range(1, verdict.records + 1))
        assert self.by_stream() == records
        assert self.views_that_differ() == []


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """What a writer was told it had written."""

    id: str
    session: str
    content: str
    key: str | None = None


def go_on_without_what_is_lost(refusal: StorageDamaged) -> None:
    """Do what a refusal says, word for word."""
    recovery = refusal.recovery or ""
    for size, log in re.findall(r"run `truncate -s (\d+) (\S+)`", recovery):
        os.truncate(log, int(size))
    for witness in re.findall(r"move (\S+) away", recovery):
        Path(witness).rename(f"{witness}.away")


def missing(store: Store, acknowledged: list[Acknowledged]) -> list[Acknowledged]:
    """What was acknowledged and is not there, or not as it was written."""
    held = {record.id: (record.session, record.text) for record in store.by_number()}
    return [said for said in acknowledged if held.get(said.id) != (said.session, said.content)]


def fill(store: Store, records: int, *, seed: int = 1, sign_at: tuple[int, ...] = ()) -> None:
    """Thoughts in several sessions, with parents and actions, some with idempotency keys, and checkpoints."""
    chance = Random(seed)
    last: dict[str, list[str]] = {session: [] for session in SESSIONS}
    written = 0
    for number in range(records):
        if written >= records:
            break
        session = chance.choice(SESSIONS)
        links: dict[str, Any] = {}
        if last[session] and chance.random() < 0.5:
            links["parentId"] = chance.choice(last[session])
        if chance.random() < 0.2:
            links["actionId"] = f"deploy-{chance.randrange(10)}"
        key = f"key-{number}" if chance.random() < 0.1 else None
        content = f"thought {number} " + "é" * chance.randrange(60)
        last[session].append(store.think(content, session, key=key, **{"thoughtType": chance.choice(TYPES), **links}))
        written += 1 if key is None else 3
        if number in sign_at:
            store.sign()
            written += 1
