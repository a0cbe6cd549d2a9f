"""Saved proofs, checked without the ledger: arithmetic and signatures, nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thoughtbox.doors.cli.output import count
from thoughtbox.errors import InvalidProof, NotCanonical
from thoughtbox.ledger import chain, merkle
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.checkpoints import origin
from thoughtbox.ledger.record import record_id
from thoughtbox.ledger.signing import Checkpoint, VerifierKey, open_note

Proof = dict[str, Any]


def check(proof: Proof, keys: Sequence[VerifierKey]) -> list[str]:
    """What the proof proves, in sentences; raises `InvalidProof` unless it does."""
    try:
        return _check_growth(proof, keys) if "old_size" in proof else _check_inclusion(proof, keys)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidProof(f"this is no proof, or a damaged one ({type(error).__name__}: {error})") from None


def check_signed(note: str, workspace: str, keys: Sequence[VerifierKey]) -> Checkpoint:
    """A signed checkpoint of this workspace."""
    try:
        checkpoint = open_note(note, keys)
    except InvalidProof as error:
        raise InvalidProof(
            f"the checkpoint cannot be trusted: {error.message}",
            recovery="Give the signer's public key with --key; `thoughtbox checkpoint --public-key` prints it there.",
            details=error.details,
        ) from None
    if checkpoint.origin != origin(workspace):
        raise InvalidProof(f"the checkpoint speaks of {checkpoint.origin}, not of workspace `{workspace}`")
    return checkpoint


def _check_inclusion(proof: Proof, keys: Sequence[VerifierKey]) -> list[str]:
    index, leaf = int(proof["index"]), bytes.fromhex(proof["hash"])
    if proof["id"] != record_id(index + 1):
        raise InvalidProof(f"the proof is said to be of {proof['id']}, but is of {record_id(index + 1)}")
    says = [f"{proof['id']} is in the ledger of workspace `{proof['workspace']}`."]
    says += _check_record(proof, leaf)
    merkle.verify_inclusion(leaf, index, proof["size"], _path(proof), bytes.fromhex(proof["root"]))
    return [*says, _check_signed_root(proof, keys)]


def _check_record(proof: Proof, leaf: bytes) -> list[str]:
    """The record is the one whose hash is proven."""
    record = proof["record"]
    try:
        content_hash = chain.content_hash(canonical(record))
    except NotCanonical as error:
        raise InvalidProof(f"the record in the proof is none: {error.message}") from None
    if record["id"] != proof["id"] or chain.link(bytes.fromhex(proof["previous_hash"]), content_hash) != leaf:
        raise InvalidProof("the record in the proof is not the one whose hash is proven: one of them was changed")
    return [f"It was written at {record['ts']}, and says: {_excerpt(record['body']['text'])}"]


def _check_growth(proof: Proof, keys: Sequence[VerifierKey]) -> list[str]:
    old = check_signed(proof["old_checkpoint"], proof["workspace"], keys)
    if (old.size, old.root.hex()) != (proof["old_size"], proof["old_root"]):
        raise InvalidProof("the old checkpoint signed another tree than the proof begins with")
    merkle.verify_consistency(old.size, old.root, proof["size"], bytes.fromhex(proof["root"]), _path(proof))
    return [
        f"The first {count(old.size, 'record')} of workspace `{proof['workspace']}` are those that were signed then:"
        " nothing was rewritten.",
        _check_signed_root(proof, keys),
    ]


def _check_signed_root(proof: Proof, keys: Sequence[VerifierKey]) -> str:
    """A root that nobody signed proves nothing: anybody can make one up."""
    if proof["checkpoint"] is None:
        raise InvalidProof(
            "no checkpoint signs the root of this proof, so that it proves nothing",
            recovery="Run `thoughtbox checkpoint` at its origin, and have it proven again.",
        )
    checkpoint = check_signed(proof["checkpoint"], proof["workspace"], keys)
    if (checkpoint.size, checkpoint.root.hex()) != (proof["size"], proof["root"]):
        raise InvalidProof("the checkpoint signed another tree than the proof leads to")
    return f"The checkpoint of {count(checkpoint.size, 'record')}, root {checkpoint.root.hex()[:16]}…, is signed."


def _path(proof: Proof) -> list[bytes]:
    return [bytes.fromhex(step) for step in proof["path"]]


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:99]}…"
