"""`thoughtbox-verify-proof`: whether a proof that `thoughtbox prove` saved holds, told without the ledger.

Written from `docs/export-format.md` and RFC 9162, with code of its own: nothing of Thoughtbox is
imported but the verifier of exports.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

from thoughtbox.verifier import (
    BROKEN,
    ORIGIN,
    UNTRUSTED,
    UNUSABLE,
    VALID,
    Key,
    Note,
    Unusable,
    read_keys,
    reason,
    shown,
)

Proof = dict[str, Any]

MOST = 2**53
"""The largest number that every reader of JSON takes for the same."""


class DoesNotHold(Exception):
    """The proof proves nothing; the message says why."""


@dataclass(frozen=True, slots=True)
class Holds:
    """What a proof proves, and whether a key that was given vouches for it."""

    says: tuple[str, ...]
    trusted: bool
    signers: tuple[str, ...]


def check(text: bytes, keys: Iterable[Key]) -> Holds:
    """Check a saved proof of inclusion or of growth; raises `DoesNotHold`."""
    try:
        proof: Proof = json.loads(text)
        return _growth(proof, tuple(keys)) if "old_size" in proof else _inclusion(proof, tuple(keys))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise DoesNotHold(f"this is no proof, or a damaged one ({type(error).__name__}: {error})") from None


def _inclusion(proof: Proof, keys: Sequence[Key]) -> Holds:
    index, size, leaf = _count(proof["index"]), _count(proof["size"]), bytes.fromhex(proof["hash"])
    record = proof["record"]
    if not proof["id"] == record["id"] == f"th:{index + 1}":
        raise DoesNotHold("the record calls itself by another number than the one that is proven")
    content_hash = sha256(canonical(record).encode()).digest()
    if sha256(bytes.fromhex(proof["previous_hash"]) + content_hash).digest() != leaf:
        raise DoesNotHold("the record is not the one whose hash is proven: one of them was changed")
    path = [bytes.fromhex(step) for step in proof["path"]]
    root = _root_from_leaf(leaf, index, size, path)
    if root.hex() != proof["root"]:
        raise DoesNotHold("the path does not lead from the record to the root")
    trusted, signers = _signed(proof["checkpoint"], proof["workspace"], size, root, keys)
    return Holds((f"{proof['id']} is in the ledger of workspace {proof['workspace']}",), trusted, signers)


def _growth(proof: Proof, keys: Sequence[Key]) -> Holds:
    old_size, size = _count(proof["old_size"]), _count(proof["size"])
    old_root, root = bytes.fromhex(proof["old_root"]), bytes.fromhex(proof["root"])
    _check_consistency(old_size, old_root, size, root, [bytes.fromhex(step) for step in proof["path"]])
    before, first = _signed(proof["old_checkpoint"], proof["workspace"], old_size, old_root, keys)
    after, second = _signed(proof["checkpoint"], proof["workspace"], size, root, keys)
    said = f"the first {old_size} records of workspace {proof['workspace']} are those that were signed then"
    return Holds((said,), before and after, tuple(sorted({*first, *second})))


def _signed(
    text: str | None, workspace: str, size: int, root: bytes, keys: Sequence[Key]
) -> tuple[bool, tuple[str, ...]]:
    """Whether a key that was given signed this very tree, and who says to have signed it."""
    if text is None:
        raise DoesNotHold("no checkpoint signs the root of this proof: anybody can make one up")
    note = Note.parse(text)
    if note is None:
        raise DoesNotHold("the checkpoint in the proof is none")
    if (note.origin, note.size, note.root) != (f"{ORIGIN}{workspace}", size, root):
        raise DoesNotHold("the checkpoint signed another tree than the proof leads to")
    trusted = False
    for name, signed in note.signatures:
        for key in keys:
            if (key.name, key.id) == (name, signed[:4]):
                if not key.signed(note.text, signed[4:]):
                    raise DoesNotHold(f"the checkpoint is not what {name} signed")
                trusted = True
    return trusted, tuple(f"{name}+{signed[:4].hex()}" for name, signed in note.signatures)


def _root_from_leaf(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """RFC 9162, 2.1.3.2: the root that a leaf and its siblings come to."""
    if not 0 <= index < size:
        raise DoesNotHold(f"a tree of {size} records has no record {index + 1}")
    node, last, found = index, size - 1, _leaf(leaf)
    for sibling in path:
        if last == 0:
            raise DoesNotHold("the path is longer than the tree is high")
        if node & 1 or node == last:
            found = _node(sibling, found)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            found = _node(found, sibling)
        node, last = node >> 1, last >> 1
    if last:
        raise DoesNotHold("the path ends below the root")
    return found


def _check_consistency(old_size: int, old_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> None:
    """RFC 9162, 2.1.4.2: the smaller tree is the beginning of the larger one."""
    if not 0 < old_size <= size:
        raise DoesNotHold(f"a tree of {size} records did not grow from one of {old_size}")
    if old_size == size:
        if path or old_root != root:
            raise DoesNotHold("two trees of one size have different roots: history was rewritten")
        return
    steps = list(path)
    if old_size & (old_size - 1) == 0:
        steps.insert(0, old_root)
    if not steps:
        raise DoesNotHold("the path is empty")
    node, last = old_size - 1, size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    before = after = steps[0]
    for step in steps[1:]:
        if last == 0:
            raise DoesNotHold("the path is longer than the tree is high")
        if node & 1 or node == last:
            before, after = _node(step, before), _node(step, after)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            after = _node(after, step)
        node, last = node >> 1, last >> 1
    if last or (before, after) != (old_root, root):
        raise DoesNotHold("the ledger does not begin with what was signed then: history was rewritten")


def canonical(value: Any) -> str:
    """A JSON value in the one spelling that is hashed (RFC 8785)."""
    match value:
        case None | True | False:
            return json.dumps(value)
        case str():
            value.encode()  # half of a character has no spelling
            return json.dumps(value, ensure_ascii=False)
        case int():
            if abs(value) > MOST:
                raise ValueError("an integer beyond 2^53")
            return str(value)
        case float() as number:
            return _number(number)
        case list():
            return f"[{','.join(map(canonical, value))}]"
        case dict():
            names = sorted(value, key=lambda name: name.encode("utf-16-be"))
            return f"{{{','.join(f'{canonical(name)}:{canonical(value[name])}' for name in names)}}}"
    raise TypeError(f"{type(value).__name__} is not JSON")


def _number(value: float) -> str:
    """As ECMAScript writes it: plain from 1e-6 up, with an exponent below."""
    if value == int(value):
        return canonical(int(value))
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    if not isinstance(exponent, int):
        raise ValueError(f"{value} is no JSON number")
    text = "".join(map(str, digits))
    stripped = text.rstrip("0")
    exponent += len(text) - len(stripped)
    point = len(stripped) + exponent
    minus = "-" * sign
    if point > 0:
        return f"{minus}{stripped[:point]}.{stripped[point:]}"
    if point > -6:
        return f"{minus}0.{'0' * -point}{stripped}"
    fraction = f".{stripped[1:]}" if len(stripped) > 1 else ""
    return f"{minus}{stripped[0]}{fraction}e{point - 1}"


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MOST:
        raise ValueError("a number that is no count")
    return value


def _leaf(hash: bytes) -> bytes:
    return sha256(b"\x00" + hash).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def main(argv: Sequence[str] | None = None) -> int:
    """The command: 0 when a key that was given vouches for the proof, 4 when none does, 1 when it does not hold."""
    parser = argparse.ArgumentParser(
        prog="thoughtbox-verify-proof",
        description="Check offline that a record is in a ledger, or that a ledger grew from an old checkpoint.",
        epilog="Exit code: 0 it holds, 1 it does not, 2 wrong usage or a file that cannot be read,"
        " 4 it holds, but is signed by a key that was not given.",
    )
    parser.add_argument("file", metavar="FILE", help="what `thoughtbox prove --out FILE` saved")
    parser.add_argument("--key", metavar="VKEY", action="append", default=[], help="a public key that is trusted")
    parser.add_argument("--key-file", metavar="F", action="append", default=[], help="a file with such keys")
    arguments = parser.parse_args(argv)
    try:
        keys = [Key.parse(text) for text in arguments.key]
        keys += [Key.parse(text) for path in arguments.key_file for text in read_keys(path)]
        found = check(Path(arguments.file).read_bytes(), keys)
    except (Unusable, OSError) as error:
        sys.stderr.write(f"thoughtbox-verify-proof: {shown(reason(error))}\n")
        return UNUSABLE
    except DoesNotHold as error:
        sys.stdout.write(f"BROKEN       {shown(str(error))}\n")
        return BROKEN
    sys.stdout.write("valid\n" if found.trusted else "untrusted\n")
    for said in found.says:
        sys.stdout.write(f"proves       {shown(said)}\n")
    for signer in found.signers:
        sys.stdout.write(f"signed by    {shown(signer)}\n")
    return VALID if found.trusted else UNTRUSTED


if __name__ == "__main__":
    sys.exit(main())
