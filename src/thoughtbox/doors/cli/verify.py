"""`verify`: whether the ledger is what was written."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.cli.notes import keys_of, notes_in, stranger_in_words, workspace_of
from thoughtbox.doors.cli.output import BAD, DOUBTFUL, GOOD, Output, Styled, UsageError, count
from thoughtbox.doors.cli.store import COPIED, opened_to_read, settings_of
from thoughtbox.engine.protocol import Sql
from thoughtbox.engine.steps import in_steps
from thoughtbox.errors import RESTORE, RecordNotFound
from thoughtbox.ledger.comparison import compare, with_views
from thoughtbox.ledger.record import record_id
from thoughtbox.ledger.signing import VerifierKey
from thoughtbox.ledger.verdict import Problem, Standing, Verdict
from thoughtbox.ledger.verify import known_workspaces, verify_in_steps, verify_stream, verify_workspace

ADVICE = {
    "content": RESTORE,
    "view": "Run `thoughtbox rebuild`: it makes the views anew from the ledger, which is whole.",
}
"""What to do, by what is wrong; the first line where nothing else is said."""

SHOWN = {"valid": Styled("valid", GOOD), "untrusted": Styled("untrusted", DOUBTFUL), "broken": Styled("BROKEN", BAD)}
EXIT_CODES: dict[Standing, int] = {"valid": 0, "untrusted": 4, "broken": 1}
NOTHING = Verdict(records=0, streams=0, checkpoints=0)
VIEWS_NOT_CHECKED = "views not checked: `thoughtbox verify --deep` compares them with the ledger"


def verify(args: Namespace) -> int:
    if args.file is not None:
        return _verify_file(args)
    settings = settings_of(args)
    out = Output(args)
    keys = keys_of(args.keys)
    notes = [note for name in args.checkpoints for note in notes_in(name)]
    with opened_to_read(settings) as (box, is_copy):
        if args.stream is not None:
            if args.deep:
                raise UsageError("--deep looks at whole workspaces: leave --stream out")
            found = {settings.project: _stream_verdict(box, settings.project, args.stream)}
        else:
            found = _Audit(out, box, args.workspace, keys, notes).verdicts(deep=args.deep)
    _show(out, found, is_copy=is_copy)
    return EXIT_CODES[worst(found.values())]


def worst(verdicts: Iterable[Verdict]) -> Standing:
    """One verdict on all of them."""
    standings = {verdict.standing for verdict in verdicts}
    return "broken" if "broken" in standings else "untrusted" if "untrusted" in standings else "valid"


def _verify_file(args: Namespace) -> int:
    """An exported file is the offline verifier's business: it shares no code with what wrote the file."""
    if args.workspace or args.stream or args.all:
        raise UsageError("a FILE holds one workspace and is verified whole: leave --workspace, --stream and --all out")
    from thoughtbox.verifier import main

    options = [part for name in args.checkpoints for part in ("--checkpoint", name)]
    options += [part for key in args.keys for part in ("--key", key)]
    return main([*options, *(["--json"] if Output(args).as_json else []), args.file])


class _Audit:
    """All that is asked about: the ledger, and with --deep what the views made of it."""

    def __init__(
        self, out: Output, box: Thoughtbox, workspace: str | None, keys: Sequence[VerifierKey], notes: Sequence[str]
    ) -> None:
        self._out = out
        self._box = box
        self._workspace = workspace
        self._given_keys = keys
        self._given_notes = notes
        # What is kept outside is read first: every snapshot to come is at least as far as that.
        self._kept = {name: box.keyring.recall(name) for name in box.keyring.workspaces()}
        self._witnessed = box.engine.witnessed()

    def verdicts(self, *, deep: bool) -> dict[str, Verdict]:
        engine = self._box.engine
        if deep:
            return engine.scratch(self._deep_verdicts).result()
        return {name: self._verdict(name) for name in engine.read(self._chosen, long=True).result()}

    def _chosen(self, sql: Sql) -> list[str]:
        """One workspace, or all that anything tells of: heads, records, and what was kept outside or is given.

        One whose rows are all gone is still known by its notes, and found to be missing.
        """
        if self._workspace:
            return [self._workspace]
        return sorted({*known_workspaces(sql), *self._witnessed, *self._kept, *map(workspace_of, self._given_notes)})

    def _keys(self) -> Sequence[VerifierKey]:
        return self._given_keys or self._box.keyring.verifiers

    def _notes(self, workspace: str) -> list[str]:
        """With one workspace named, every note given must be about it."""
        about = [note for note in self._given_notes if self._workspace or workspace_of(note) == workspace]
        return [*self._kept.get(workspace, ()), *about]

    def _verdict(self, workspace: str) -> Verdict:
        read = partial(self._box.engine.read, long=True)
        with self._out.bar(f"Verifying {workspace}") as bar:
            steps = verify_in_steps(read, workspace, keys=self._keys, notes=self._notes(workspace), progress=bar)
            return in_steps(steps).result()

    def _deep_verdicts(self, sql: Sql) -> dict[str, Verdict]:
        """In one snapshot; what hangs on a broken ledger is compared with nothing."""
        found = {name: self._verdict_within(sql, name) for name in self._chosen(sql)}
        whole = [name for name, verdict in found.items() if verdict.valid]
        among = whole if self._workspace or len(whole) < len(found) else None
        with self._out.bar("Comparing views") as bar:
            comparison = compare(sql, self._box.views, among=among, progress=bar)
        # A view may hold rows of a workspace that nothing else tells of.
        strays = {difference.workspace: NOTHING for difference in comparison.differences}
        return {
            name: with_views(verdict, name, comparison) if name in {*whole, *strays} else verdict
            for name, verdict in {**strays, **found}.items()
        }

    def _verdict_within(self, sql: Sql, workspace: str) -> Verdict:
        with self._out.bar(f"Verifying {workspace}") as bar:
            return verify_workspace(
                sql,
                workspace,
                keys=self._keys(),
                notes=self._notes(workspace),
                witness=sql.witness.get(workspace),
                progress=bar,
            )


def _stream_verdict(box: Thoughtbox, workspace: str, stream: str) -> Verdict:
    verdict = box.engine.read(lambda sql: verify_stream(sql, workspace, stream)).result()
    if verdict.valid and not verdict.records:
        raise RecordNotFound(
            f"workspace `{workspace}` has no stream `{stream}`",
            recovery="A decision trail's stream is trail/SESSION; `thoughtbox call ledger_tail` shows records.",
        )
    return verdict


def _show(out: Output, found: dict[str, Verdict], *, is_copy: bool) -> None:
    views_checked = bool(found) and all(verdict.views_checked for verdict in found.values())
    if out.as_json:
        out.json(
            {
                "valid": all(verdict.valid for verdict in found.values()),
                "standing": worst(found.values()),
                "viewsChecked": views_checked,
                "privateCopy": is_copy,
                "workspaces": [_as_json(name, verdict) for name, verdict in found.items()],
            }
        )
        return
    if is_copy:
        out.note(COPIED)
    if not found:
        out.say("The store is empty: there is nothing to verify.")
        return
    out.table(
        ("", "workspace", "records", "streams", "checkpoints", "root"),
        [
            (
                SHOWN[verdict.standing],
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
            if verdict.records and verdict.root is None:
                out.say(f"  {count(verdict.records, 'record')} held before that.")
            out.say(f"  {ADVICE.get(verdict.problem.wrong, ADVICE['content'])}")
        for stranger in verdict.strangers:
            out.say()
            said, advice = stranger_in_words(stranger)
            out.say(Styled(f"{name}: {'' if verdict.problem else 'valid, '}{said}", DOUBTFUL))
            out.say(f"  {advice}")
    out.say()
    out.say("views checked: they are what the ledger makes of them" if views_checked else VIEWS_NOT_CHECKED)


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
        "standing": verdict.standing,
        "records": verdict.records,
        "streams": verdict.streams,
        "checkpoints": verdict.checkpoints,
        "root": verdict.root.hex() if verdict.root else None,
        "signers": [signatory.as_json() for signatory in verdict.signatories],
        "viewsChecked": verdict.views_checked,
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
