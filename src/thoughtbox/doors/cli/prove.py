"""`prove`: that a record is in the ledger, or that the ledger has only grown; and checking either elsewhere."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import orjson

from thoughtbox.app import trusted_keys
from thoughtbox.doors.cli.files import written
from thoughtbox.doors.cli.notes import keys_of, notes_in, workspace_of
from thoughtbox.doors.cli.output import GOOD, Output, Styled, UsageError, count
from thoughtbox.doors.cli.proofs import Proof, check, check_signed
from thoughtbox.doors.cli.store import opened_to_read, settings_of
from thoughtbox.errors import InvalidProof
from thoughtbox.ledger import merkle
from thoughtbox.ledger.checkpoints import Checkpoints
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.signing import VerifierKey
from thoughtbox.ledger.tree import Tree
from thoughtbox.operations.caller import ANONYMOUS
from thoughtbox.operations.dispatch import Call
from thoughtbox.operations.tx import Tx
from thoughtbox.settings import Settings
from thoughtbox.world import World


def prove(args: Namespace) -> int:
    settings = settings_of(args)
    out = Output(args)
    keys = keys_of(args.keys) or _own_keys(settings)
    if args.check is not None:
        _show_checked(out, check(_read(args.check), keys))
        return 0
    proof = _inclusion(settings, args.id) if args.consistency is None else _growth(settings, args.consistency, keys)
    if args.out is None:
        out.pretty_json(proof)
    else:
        with written(Path(args.out)) as file:
            file.write(orjson.dumps(proof, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        out.note(f"The proof is in {args.out}. Whoever has it checks it with: thoughtbox prove --check FILE --key VKEY")
    if args.consistency is not None:
        out.note(f"The ledger still begins with the {count(proof['old_size'], 'record')} that were signed then.")
    if proof["checkpoint"] is None:
        out.note("No signed checkpoint covers it yet, so it convinces nobody else: run `thoughtbox checkpoint` first.")
    return 0


def _own_keys(settings: Settings) -> list[VerifierKey]:
    """What this installation trusts; nothing where it has no key yet."""
    directory = settings.data_dir if settings.storage == "fs" else None
    return Keyring(directory, World(), trusted_keys(settings)).verifiers if directory else trusted_keys(settings)


def _show_checked(out: Output, says: Sequence[str]) -> None:
    if out.as_json:
        out.json({"holds": True, "says": says})
        return
    out.say(Styled("The proof holds.", GOOD))
    for line in says:
        out.say(f"  {line}")


def _read(name: str) -> Proof:
    try:
        proof = orjson.loads(Path(name).read_bytes())
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None
    except orjson.JSONDecodeError as error:
        raise InvalidProof(f"{name} is no proof: it is not JSON ({error})") from None
    if not isinstance(proof, dict):
        raise InvalidProof(f"{name} is no proof: it is not a JSON object")
    return proof


def _inclusion(settings: Settings, id: str) -> Proof:
    id = f"th:{id}" if id.isdecimal() else id
    with opened_to_read(settings) as (box, _):
        call = Call(operation="ledger_prove", workspace=settings.project, arguments={"id": id})
        return {"proof": "inclusion", **box.dispatcher.call(call)}


def _growth(settings: Settings, name: str, keys: Sequence[VerifierKey]) -> Proof:
    """The proof that the ledger begins with what an old checkpoint signed: up to the newest one, or to the present."""
    notes = notes_in(name)
    if len(notes) != 1:
        raise UsageError(f"{name} holds {len(notes)} checkpoints; give one")
    note, workspace = notes[0], workspace_of(notes[0])
    old = check_signed(note, workspace, keys)

    def between(tx: Tx) -> Proof:
        newest = tx.ask(Checkpoints).newest()
        signed = newest if newest is not None and newest.size >= old.size else None
        size = signed.size if signed else tx.ledger.last_seq()
        if size < old.size:
            raise InvalidProof(
                f"workspace `{workspace}` has {count(size, 'record')}, and {old.size:,} were signed: its end is missing"
            )
        tree = tx.ask(Tree)
        root, path = merkle.root(size, tree.subtree), merkle.consistency_proof(old.size, size, tree.subtree)
        try:
            merkle.verify_consistency(old.size, old.root, size, root, path)
        except InvalidProof as error:
            raise InvalidProof(
                f"the first {count(old.size, 'record')} of workspace `{workspace}` are not those that were signed:"
                " history was rewritten",
                recovery=f"Run `thoughtbox verify --checkpoint {name}`, and restore from an export.",
            ) from error
        return {
            "proof": "consistency",
            "workspace": workspace,
            "old_size": old.size,
            "old_root": old.root.hex(),
            "old_checkpoint": note,
            "size": size,
            "root": root.hex(),
            "path": [step.hex() for step in path],
            "checkpoint": signed.note if signed else None,
        }

    with opened_to_read(settings) as (box, _):
        return box.dispatcher.ask(workspace, ANONYMOUS, between).result()
