"""`checkpoint`: sign the ledger as it is now, and put the note where nobody can reach it from here."""

from __future__ import annotations

import subprocess
import sys
from argparse import Namespace
from pathlib import Path

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.cli.files import written
from thoughtbox.doors.cli.output import Output, UsageError, count
from thoughtbox.doors.cli.store import opened_existing, settings_of
from thoughtbox.errors import ConfigurationError, RecordNotFound
from thoughtbox.ledger import keeper
from thoughtbox.ledger.checkpoints import Checkpoints, Taken
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.record import record_id
from thoughtbox.ledger.replay import catch_up_all
from thoughtbox.settings import Settings
from thoughtbox.world import World

GIT_REF = "thoughtbox"


def checkpoint(args: Namespace) -> int:
    settings = settings_of(args)
    out = Output(args)
    if args.public_key:
        key = _public_key(settings)
        if out.as_json:
            out.json({"publicKey": key})
        else:
            out.say(key)
        return 0
    with opened_existing(settings) as box:
        # Without a server nobody else does: `doctor` sends people here whose views lag.
        catch_up_all(box.engine, box.views, settings.project)
        taken, is_new = _take(box, settings.project)
    _deliver(args.to, taken.note, out)
    if out.as_json:
        out.json(
            {
                "workspace": settings.project,
                "size": taken.size,
                "root": taken.root.hex(),
                "record": record_id(taken.seq),
                "new": is_new,
                "note": taken.note,
            }
        )
    else:
        what = f"{count(taken.size, 'record')} of {settings.project}"
        where = {"-": "", "git": f" on HEAD, in refs/notes/{GIT_REF}"}.get(args.to, f" in {args.to}")
        out.note(f"{what} signed." if is_new else f"{what} were signed before, and nothing was written since.")
        if where:
            out.note(f"The note is{where}.")
    return 0


def _public_key(settings: Settings) -> str:
    if settings.storage == "memory":
        raise ConfigurationError("a store in memory has no key that lasts", recovery="Set THOUGHTBOX_STORAGE to fs.")
    return str(Keyring(settings.data_dir, World()).signer.verifier_key)


def _take(box: Thoughtbox, workspace: str) -> tuple[Taken, bool]:
    """A checkpoint of what there is; the one before, if nothing was written since."""
    taken = keeper.checkpoint(box.engine, box.views, box.keyring, box.world, workspace)
    if taken is not None:
        return taken, True
    newest = box.engine.read(lambda sql: Checkpoints(sql, workspace).newest()).result()
    if newest is None:
        raise RecordNotFound(
            f"workspace `{workspace}` has no record to sign",
            recovery="Name another one with --workspace; `thoughtbox verify` lists them.",
        )
    return newest, False


def _deliver(to: str, note: str, out: Output) -> None:
    if to == "git":
        _add_git_note(note)
    elif to != "-":
        with written(Path(to)) as file:
            file.write(note.encode())
    elif not out.as_json:
        sys.stdout.write(note)


def _add_git_note(note: str) -> None:
    """Add the note to HEAD. What stands there already stays: other checkpoints are as good."""
    if note in _git("notes", f"--ref={GIT_REF}", "show", "HEAD", may_fail=True) + "\n":
        return
    _git("notes", f"--ref={GIT_REF}", "append", "-F", "-", "HEAD", given=note)


def _git(*words: str, given: str = "", may_fail: bool = False) -> str:
    try:
        done = subprocess.run(
            ["git", *words], input=given, capture_output=True, text=True, encoding="utf-8", check=False
        )
    except FileNotFoundError:
        raise UsageError("git is not installed") from None
    if done.returncode and not may_fail:
        raise UsageError(f"git could not add the note: {done.stderr.strip()}")
    return done.stdout
