"""`verify`: whether the ledger is what was written."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.cli.notes import keys_of, notes_in, workspace_of
from thoughtbox.doors.cli.output import BAD, GOOD, Output, Styled, UsageError, count
from thoughtbox.doors.cli.store import opened_existing, settings_of
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import RecordNotFound
from thoughtbox.ledger.ledger import workspaces
from thoughtbox.ledger.record import record_id
from thoughtbox.ledger.signing import VerifierKey
from thoughtbox.ledger.verify import Problem, Verdict, verify_stream, verify_workspace

ADVICE = {
    "content": "Restore from an export: `thoughtbox import FILE` into an empty directory.",
    "unknown signature": "If another installation signed it, add its key (`thoughtbox checkpoint --public-key` there)"
    " to THOUGHTBOX_TRUSTED_KEYS.",
    "damaged store": "Run `thoughtbox doctor`, and restore from an export.",
}
"""What to do, by what is wrong; the first line where nothing else is said."""


def verify(args: Namespace) -> int:
    if args.file is not None:
        return _verify_file(args)
    settings = settings_of(args)
    out = Output(args)
    keys = keys_of(args.keys)
    notes = [note for name in args.checkpoints for note in notes_in(name)]
    with opened_existing(settings, tolerant=True) as box:
        if args.stream is not None:
            found = {settings.project: _stream_verdict(box, settings.project, args.stream)}
        else:
            chosen = [args.workspace] if args.workspace else _known_workspaces(box, notes)
            found = {name: _verdict(out, box, name, keys, _notes_for(name, notes, args)) for name in chosen}
    _show(out, found)
    return 0 if all(verdict.valid for verdict in found.values()) else 1


def _verify_file(args: Namespace) -> int:
    """An exported file is the offline verifier's business: it shares no code with what wrote the file."""
    if args.workspace or args.stream or args.all:
        raise UsageError("a FILE holds one workspace and is verified whole: leave --workspace, --stream and --all out")
    from thoughtbox.verifier import main

    options = [part for name in args.checkpoints for part in ("--checkpoint", name)]
    options += [part for key in args.keys for part in ("--key", key)]
    return main([*options, *(["--json"] if Output(args).as_json else []), args.file])


def _known_workspaces(box: Thoughtbox, notes: Sequence[str]) -> list[str]:
    """Every workspace that anything tells of: its head, its records, a note kept outside, a checkpoint given.

    One whose rows are all gone is still known by its notes, and found to be missing.
    """
    held = box.engine.read(lambda sql: {*workspaces(sql), *_workspaces_with_records(sql)}).result()
    return sorted({*held, *box.engine.witnessed(), *box.keyring.workspaces(), *map(workspace_of, notes)})


def _workspaces_with_records(sql: Sql) -> list[str]:
    found: list[str] = []
    while (row := sql.row("SELECT MIN(workspace) FROM records WHERE workspace > ?", found[-1:] or [""])) and row[0]:
        found.append(row[0])
    return found


def _notes_for(workspace: str, notes: Sequence[str], args: Namespace) -> list[str]:
    """With one workspace named, every note given must be about it."""
    return [note for note in notes if args.workspace or workspace_of(note) == workspace]


def _verdict(
    out: Output, box: Thoughtbox, workspace: str, keys: Sequence[VerifierKey], notes: Sequence[str]
) -> Verdict:
    with out.bar(f"Verifying {workspace}") as bar:
        return box.engine.read(
            lambda sql: verify_workspace(
                sql,
                workspace,
                keys=keys or box.keyring.verifiers,
                notes=[*box.keyring.recall(workspace), *notes],
                witness=sql.witness.get(workspace),
                progress=bar,
            ),
            long=True,
        ).result()


def _stream_verdict(box: Thoughtbox, workspace: str, stream: str) -> Verdict:
    verdict = box.engine.read(lambda sql: verify_stream(sql, workspace, stream)).result()
    if verdict.valid and not verdict.records:
        raise RecordNotFound(
            f"workspace `{workspace}` has no stream `{stream}`",
            recovery="A decision trail's stream is trail/SESSION; `thoughtbox call ledger_tail` shows records.",
        )
    return verdict


def _show(out: Output, found: dict[str, Verdict]) -> None:
    if out.as_json:
        out.json(
            {
                "valid": all(verdict.valid for verdict in found.values()),
                "workspaces": [_as_json(name, verdict) for name, verdict in found.items()],
            }
        )
        return
    if not found:
        out.say("The store is empty: there is nothing to verify.")
        return
    out.table(
        ("", "workspace", "records", "streams", "checkpoints", "root"),
        [
            (
                Styled("valid", GOOD) if verdict.valid else Styled("BROKEN", BAD),
                name,
                f"{verdict.records:,}",
                f"{verdict.streams:,}",
                f"{verdict.checkpoints:,}" if verdict.root else "",
                verdict.root.hex()[:16] if verdict.root else "",
            )
            for name, verdict in found.items()
        ],
    )
    for name, verdict in found.items():
        if verdict.problem is not None:
            out.say()
            out.say(Styled(f"{name}: {_sentence(verdict.problem)}", BAD))
            if verdict.records:
                out.say(f"  {count(verdict.records, 'record')} held before that.")
            out.say(f"  {ADVICE.get(verdict.problem.wrong, ADVICE['content'])}")


def _sentence(problem: Problem) -> str:
    where = [record_id(problem.seq)] if problem.seq is not None else []
    if problem.stream is not None:
        where.append(f"{problem.stream}, place {problem.stream_index}")
    return (
        f"{problem.wrong} ({'; '.join(where)}): {problem.message}" if where else f"{problem.wrong}: {problem.message}"
    )


def _as_json(name: str, verdict: Verdict) -> dict[str, Any]:
    problem = verdict.problem
    return {
        "workspace": name,
        "valid": verdict.valid,
        "records": verdict.records,
        "streams": verdict.streams,
        "checkpoints": verdict.checkpoints,
        "root": verdict.root.hex() if verdict.root else None,
        "problem": None
        if problem is None
        else {
            "wrong": problem.wrong,
            "message": problem.message,
            "record": record_id(problem.seq) if problem.seq is not None else None,
            "stream": problem.stream,
            "streamIndex": problem.stream_index,
        },
    }
