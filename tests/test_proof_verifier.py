"""Proofs that the ledger gives are checked by code that shares nothing with it, and nothing else passes."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.box import WORKSPACE, Box
from thoughtbox.ledger import merkle
from thoughtbox.ledger.canonical import canonical as written
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.merkle import leaf_hash, node_hash
from thoughtbox.ledger.signing import Checkpoint, SigningKey
from thoughtbox.proof_verifier import DoesNotHold, Holds, canonical, check, main
from thoughtbox.verifier import Key

SIGNER = SigningKey.generate("example.com/thoughtbox", b"s" * 32)
KEY = Key.parse(str(SIGNER.verifier_key))
STRANGER = Key.parse(str(SigningKey.generate("example.com/stranger", b"t" * 32).verifier_key))


@cache
def proofs() -> tuple[Key, tuple[dict[str, Any], ...]]:
    """The key of a ledger of twelve records and a checkpoint, and a proof of each that it covers."""
    box = Box()
    for number in range(12):
        box.thought_record(sessionId=f"s{number % 3}", thoughtType="note", content=f"{number} é 1e-7 \u2028")
    checkpoint(box.app.engine, box.app.views, box.app.keyring, box.app.world, WORKSPACE)
    key = Key.parse(str(box.app.keyring.signer.verifier_key))
    found = tuple({"proof": "inclusion", **box.ledger_prove(id=f"th:{number}")} for number in range(1, 13))
    box.close()
    return key, found


def checked(proof: Any, *keys: Key) -> Holds:
    return check(json.dumps(proof).encode(), keys)


def test_every_record_that_a_checkpoint_covers_is_proven():
    key, found = proofs()
    for proof in found:
        assert checked(proof, key).trusted
        assert not checked(proof, STRANGER).trusted
        assert not checked(proof).trusted


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [place for name, part in value.items() for place in places(part, (*path, name))]
    if isinstance(value, list):
        return [place for number, part in enumerate(value) for place in places(part, (*path, number))]
    return [path]


def test_a_proof_of_which_anything_was_changed_does_not_hold():
    key, found = proofs()
    proof = found[4]
    for place in places(proof):
        if place in {("proof",)}:
            continue
        changed = json.loads(json.dumps(proof))
        at = changed
        for step in place[:-1]:
            at = at[step]
        value = at[place[-1]]
        at[place[-1]] = value + 1 if type(value) is int else f"{value}0" if isinstance(value, str) else "something"
        with pytest.raises(DoesNotHold):
            checked(changed, key)


def tree(size: int) -> tuple[list[bytes], merkle.Fetch]:
    hashes = [bytes([number]) * 32 for number in range(size)]

    def subtree(level: int, position: int) -> bytes:
        if level == 0:
            return leaf_hash(hashes[position])
        return node_hash(subtree(level - 1, position * 2), subtree(level - 1, position * 2 + 1))

    return hashes, subtree


def grown(old_size: int, size: int) -> dict[str, Any]:
    _, subtree = tree(size)
    old_root, root = merkle.root(old_size, subtree), merkle.root(size, subtree)
    return {
        "proof": "consistency",
        "workspace": "w",
        "old_size": old_size,
        "old_root": old_root.hex(),
        "old_checkpoint": SIGNER.sign(Checkpoint("thoughtbox/w", old_size, old_root)),
        "size": size,
        "root": root.hex(),
        "path": [step.hex() for step in merkle.consistency_proof(old_size, size, subtree)],
        "checkpoint": SIGNER.sign(Checkpoint("thoughtbox/w", size, root)),
    }


@pytest.mark.parametrize("size", range(1, 34))
def test_every_growth_is_proven_and_no_other(size: int):
    for old_size in range(1, size + 1):
        proof = grown(old_size, size)
        assert checked(proof, KEY).trusted, (old_size, size)
        for number, step in enumerate(proof["path"]):
            other = [*proof["path"]]
            other[number] = step[:-1] + ("0" if step[-1] != "0" else "1")
            with pytest.raises(DoesNotHold):
                checked({**proof, "path": other}, KEY)
        with pytest.raises(DoesNotHold):
            checked({**proof, "path": [*proof["path"], "00" * 32]}, KEY)


def test_history_that_was_rewritten_after_a_checkpoint_was_exported_has_no_proof_even_with_the_key():
    """Whoever holds the key can sign anything anew, but not make it grow from what they signed before."""
    honest, forged = grown(5, 12), grown(5, 12)
    rewritten = bytes(32)
    forged["root"] = rewritten.hex()
    forged["checkpoint"] = SIGNER.sign(Checkpoint("thoughtbox/w", 12, rewritten))
    assert checked(honest, KEY).trusted
    with pytest.raises(DoesNotHold, match="rewritten"):
        checked(forged, KEY)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(-(2.0**53), 2.0**53, allow_nan=False)
    | st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0")),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0")), inner)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_both_write_the_same_bytes(value: Any):
    assert canonical(value).encode() == written(value)


@pytest.mark.parametrize("value", [2**53 + 1, 1e300, float("nan"), float("inf"), "\ud800", {"\udfff": 1}, b"x"])
def test_what_has_no_canonical_form_has_none_here_either(value: Any):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        canonical(value).encode()


def test_the_command_checks_a_proof(tmp_path, capsys: pytest.CaptureFixture[str]):
    key, found = proofs()
    (tmp_path / "th5.proof").write_text(json.dumps(found[4]), encoding="utf-8")
    (tmp_path / "changed.proof").write_text(json.dumps({**found[4], "index": 3}), encoding="utf-8")
    vkey = f"{key.name}+{key.id.hex()}+" + str(_public(key))

    assert main([str(tmp_path / "th5.proof"), "--key", vkey]) == 0
    assert "th:5 is in the ledger of workspace tests" in capsys.readouterr().out
    assert main([str(tmp_path / "th5.proof")]) == 4
    assert capsys.readouterr().out.startswith("untrusted")
    assert main([str(tmp_path / "changed.proof"), "--key", vkey]) == 1
    assert capsys.readouterr().out.startswith("BROKEN")
    assert main([str(tmp_path / "nowhere"), "--key", vkey]) == 2


def _public(key: Key) -> str:
    import base64

    return base64.b64encode(b"\x01" + key.public).decode()


def test_it_shares_nothing_with_what_writes():
    script = "import sys, thoughtbox.proof_verifier; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    ours = {name for name in done.stdout.split() if name.startswith("thoughtbox")}
    assert ours == {"thoughtbox", "thoughtbox.verifier", "thoughtbox.proof_verifier"}
