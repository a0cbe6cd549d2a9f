"""The Merkle tree: equal to the letter of RFC 6962, and no proof holds after any change to it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.errors import InvalidProof
from thoughtbox.ledger.merkle import (
    EMPTY_ROOT,
    Fetch,
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root,
    verify_consistency,
    verify_inclusion,
)

SIZES = range(71)
RECORDS = [hashlib.sha256(b"record %d" % number).digest() for number in range(3000)]

# The reference tree of Certificate Transparency: its leaves, the root after each, and published proofs.
CT_LEAVES = [
    bytes.fromhex(leaf)
    for leaf in ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
]
CT_ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
CT_INCLUSION = {
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
CT_CONSISTENCY = {
    (1, 1): [],
    (1, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
    (6, 7): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}


def split(count: int) -> int:
    """The largest power of two smaller than `count`, found the slow way."""
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def naive_root(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    k = split(len(leaves))
    return hashlib.sha256(b"\x01" + naive_root(leaves[:k]) + naive_root(leaves[k:])).digest()


def naive_path(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """PATH of RFC 6962, section 2.1.1."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if m < k:
        return [*naive_path(m, leaves[:k]), naive_root(leaves[k:])]
    return [*naive_path(m - k, leaves[k:]), naive_root(leaves[:k])]


def naive_subproof(m: int, leaves: Sequence[bytes], complete: bool = True) -> list[bytes]:
    """SUBPROOF of RFC 6962, section 2.1.2."""
    if m == len(leaves):
        return [] if complete else [naive_root(leaves)]
    k = split(len(leaves))
    if m <= k:
        return [*naive_subproof(m, leaves[:k], complete), naive_root(leaves[k:])]
    return [*naive_subproof(m - k, leaves[k:], False), naive_root(leaves[:k])]


def turns_of_path(m: int, n: int) -> str:
    """The turns that PATH takes; they are all that a proof can show of a tree's size."""
    if n == 1:
        return ""
    k = split(n)
    return "<" + turns_of_path(m, k) if m < k else ">" + turns_of_path(m - k, n - k)


def turns_of_subproof(m: int, n: int) -> str:
    if m == n:
        return "."
    k = split(n)
    return "<" + turns_of_subproof(m, k) if m <= k else ">" + turns_of_subproof(m - k, n - k)


def tree_of(leaves: Sequence[bytes], size: int) -> Fetch:
    """A tree that answers only for subtrees which are complete within `size`."""
    cells: dict[tuple[int, int], bytes] = {}

    def fetch(level: int, index: int) -> bytes:
        start, end = index << level, (index + 1) << level
        assert 0 <= start < end <= size, f"level {level}, index {index} is not complete in a tree of {size}"
        if (level, index) not in cells:
            both = (fetch(level - 1, 2 * index), fetch(level - 1, 2 * index + 1)) if level else None
            cells[level, index] = node_hash(*both) if both else leaf_hash(leaves[start])
        return cells[level, index]

    return fetch


TREE = tree_of(RECORDS, len(RECORDS))
NAIVE_ROOTS = [naive_root(RECORDS[:size]) for size in SIZES]


def refused(verify: Callable[..., None], *arguments: Any) -> bool:
    try:
        verify(*arguments)
    except InvalidProof:
        return True
    return False


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def broken(proof: list[bytes], bit: int) -> list[list[bytes]]:
    """Every way to break one part of a proof: a bit, a hash too few or too many, a short or long hash, the order."""
    bad = [[*proof[:at], flipped(proof[at], bit), *proof[at + 1 :]] for at in range(len(proof))]
    bad += [[*proof[:at], *proof[at + 1 :]] for at in range(len(proof))]
    bad += [[*proof[:at], RECORDS[0], *proof[at:]] for at in range(len(proof) + 1)]
    bad += [[*proof[:at], proof[at][:-1], *proof[at + 1 :]] for at in range(len(proof))]
    bad += [[*proof[:at], proof[at] + b"\0", *proof[at + 1 :]] for at in range(len(proof))]
    bad += [[*proof[:at], proof[at + 1], proof[at], *proof[at + 2 :]] for at, _ in enumerate(pairwise(proof))]
    return bad


def test_the_roots_of_the_reference_tree() -> None:
    frontier = Frontier()
    assert frontier.root().hex() == CT_ROOTS[0]
    for leaf, expected in zip(CT_LEAVES, CT_ROOTS[1:], strict=True):
        frontier.add(leaf)
        assert frontier.root().hex() == expected
        assert root(frontier.size, tree_of(CT_LEAVES, frontier.size)).hex() == expected


@pytest.mark.parametrize(("index", "size"), CT_INCLUSION)
def test_the_inclusion_proofs_of_the_reference_tree(index: int, size: int) -> None:
    proof = inclusion_proof(index, size, tree_of(CT_LEAVES, size))
    assert [part.hex() for part in proof] == CT_INCLUSION[index, size]
    verify_inclusion(CT_LEAVES[index], index, size, proof, bytes.fromhex(CT_ROOTS[size]))


@pytest.mark.parametrize(("old_size", "new_size"), CT_CONSISTENCY)
def test_the_consistency_proofs_of_the_reference_tree(old_size: int, new_size: int) -> None:
    proof = consistency_proof(old_size, new_size, tree_of(CT_LEAVES, new_size))
    assert [part.hex() for part in proof] == CT_CONSISTENCY[old_size, new_size]
    old_root, new_root = bytes.fromhex(CT_ROOTS[old_size]), bytes.fromhex(CT_ROOTS[new_size])
    verify_consistency(old_size, old_root, new_size, new_root, proof)


def test_a_leaf_never_passes_for_a_node() -> None:
    left, right = leaf_hash(b"left"), leaf_hash(b"right")
    assert leaf_hash(left + right) != node_hash(left, right)
    assert leaf_hash(b"") != EMPTY_ROOT


def test_every_root_is_that_of_the_definition() -> None:
    frontier = Frontier()
    for size in SIZES:
        assert frontier.size == size
        assert frontier.root() == root(size, tree_of(RECORDS, size)) == NAIVE_ROOTS[size]
        frontier.add(RECORDS[size])


def test_a_frontier_taken_up_from_a_stored_tree_goes_on_like_the_first() -> None:
    for size in SIZES:
        frontier = Frontier.at(size, tree_of(RECORDS, size))
        assert (frontier.size, frontier.root()) == (size, NAIVE_ROOTS[size])
        for record in RECORDS[size:70]:
            frontier.add(record)
        assert frontier.root() == NAIVE_ROOTS[max(size, 70)]


def test_a_frontier_stays_small() -> None:
    frontier = Frontier()
    for record in RECORDS:
        frontier.add(record)
        assert len(frontier._peaks) == frontier.size.bit_count()


def test_every_inclusion_proof_is_that_of_the_definition_and_holds() -> None:
    for size in SIZES:
        fetch = tree_of(RECORDS, size)
        for index in range(size):
            proof = inclusion_proof(index, size, fetch)
            assert proof == naive_path(index, RECORDS[:size])
            verify_inclusion(RECORDS[index], index, size, proof, NAIVE_ROOTS[size])


def test_every_consistency_proof_is_that_of_the_definition_and_holds() -> None:
    for new_size in SIZES:
        fetch = tree_of(RECORDS, new_size)
        for old_size in range(new_size + 1):
            proof = consistency_proof(old_size, new_size, fetch)
            assert proof == (naive_subproof(old_size, RECORDS[:new_size]) if old_size else [])
            verify_consistency(old_size, NAIVE_ROOTS[old_size], new_size, NAIVE_ROOTS[new_size], proof)


@settings(max_examples=30, deadline=None)
@given(st.data(), st.integers(71, len(RECORDS)))
def test_proofs_of_larger_trees_are_those_of_the_definition_and_hold(data: st.DataObject, size: int) -> None:
    index = data.draw(st.integers(0, size - 1))
    old_size = data.draw(st.integers(1, size))
    top = root(size, TREE)
    assert top == naive_root(RECORDS[:size])

    path = inclusion_proof(index, size, TREE)
    assert path == naive_path(index, RECORDS[:size])
    verify_inclusion(RECORDS[index], index, size, path, top)

    growth = consistency_proof(old_size, size, TREE)
    assert growth == naive_subproof(old_size, RECORDS[:size])
    verify_consistency(old_size, root(old_size, TREE), size, top, growth)


def test_a_proof_needs_few_hashes_of_a_large_tree() -> None:
    asked: list[tuple[int, int]] = []

    def fetch(level: int, index: int) -> bytes:
        asked.append((level, index))
        return RECORDS[0]

    size = 2**40 - 1
    inclusion_proof(size // 3, size, fetch)
    consistency_proof(size // 3, size, fetch)
    assert len(asked) <= 160


def test_an_inclusion_proof_with_anything_broken_is_refused() -> None:
    for size in range(1, 24):
        top = NAIVE_ROOTS[size]
        for index in range(size):
            record = RECORDS[index]
            proof = inclusion_proof(index, size, TREE)
            bit = (size * 31 + index) % 256
            for bad in broken(proof, bit):
                assert refused(verify_inclusion, record, index, size, bad, top)
            assert refused(verify_inclusion, flipped(record, bit), index, size, proof, top)
            assert refused(verify_inclusion, record, index, size, proof, flipped(top, bit))
            assert refused(verify_inclusion, record, index, size, proof, top[:-1])
            assert refused(verify_inclusion, record, index, size, proof, b"")


def test_an_inclusion_proof_for_another_place_is_refused() -> None:
    for size in range(1, 40):
        for index in range(size):
            proof = inclusion_proof(index, size, TREE)
            for other in range(-1, size + 3):
                holds = not refused(verify_inclusion, RECORDS[index], other, size, proof, NAIVE_ROOTS[size])
                assert holds == (other == index)


def test_an_inclusion_proof_for_another_size_is_refused_wherever_the_size_changes_the_path() -> None:
    for size in range(1, 40):
        for index in range(size):
            proof = inclusion_proof(index, size, TREE)
            for other in range(-1, 80):
                holds = not refused(verify_inclusion, RECORDS[index], index, other, proof, NAIVE_ROOTS[size])
                same_path = other > index and turns_of_path(index, other) == turns_of_path(index, size)
                assert holds == same_path


def test_a_consistency_proof_with_anything_broken_is_refused() -> None:
    for new_size in range(24):
        for old_size in range(new_size + 1):
            old_root, new_root = NAIVE_ROOTS[old_size], NAIVE_ROOTS[new_size]
            proof = consistency_proof(old_size, new_size, TREE)
            bit = (new_size * 31 + old_size) % 256
            for bad in broken(proof, bit):
                assert refused(verify_consistency, old_size, old_root, new_size, new_root, bad)
            for bad_root in (flipped(old_root, bit), old_root[:-1], b""):
                assert refused(verify_consistency, old_size, bad_root, new_size, new_root, proof)
            if old_size == 0 < new_size:
                continue  # every tree continues the empty one
            for bad_root in (flipped(new_root, bit), new_root[:-1], b""):
                assert refused(verify_consistency, old_size, old_root, new_size, bad_root, proof)


def test_a_consistency_proof_for_other_sizes_is_refused_wherever_they_change_the_path() -> None:
    for new_size in range(1, 18):
        for old_size in range(1, new_size + 1):
            old_root, new_root = NAIVE_ROOTS[old_size], NAIVE_ROOTS[new_size]
            proof = consistency_proof(old_size, new_size, TREE)
            turns = turns_of_subproof(old_size, new_size)
            for other_new in range(-1, 36):
                for other_old in range(-1, 20):
                    holds = not refused(verify_consistency, other_old, old_root, other_new, new_root, proof)
                    same_path = 0 < other_old <= other_new and turns_of_subproof(other_old, other_new) == turns
                    assert holds == same_path


def test_every_single_bit_of_a_small_proof_matters() -> None:
    for size in range(2, 10):
        for index in range(size):
            path = inclusion_proof(index, size, TREE)
            growth = consistency_proof(index, size, TREE)
            for bit in range(256 * len(path)):
                bad = unjoined(flipped(b"".join(path), bit))
                assert refused(verify_inclusion, RECORDS[index], index, size, bad, NAIVE_ROOTS[size])
            for bit in range(256 * len(growth)):
                bad = unjoined(flipped(b"".join(growth), bit))
                assert refused(verify_consistency, index, NAIVE_ROOTS[index], size, NAIVE_ROOTS[size], bad)


def unjoined(hashes: bytes) -> list[bytes]:
    return [hashes[at : at + 32] for at in range(0, len(hashes), 32)]


@given(st.integers(1, 400), st.integers(1, 400), st.integers(0, 255), st.data())
@settings(deadline=None)
def test_any_flipped_bit_of_a_larger_proof_is_refused(one: int, two: int, bit: int, data: st.DataObject) -> None:
    old_size, new_size = sorted((one, two))
    old_root, new_root = root(old_size, TREE), root(new_size, TREE)
    index = data.draw(st.integers(0, new_size - 1))
    for bad in broken(inclusion_proof(index, new_size, TREE), bit):
        assert refused(verify_inclusion, RECORDS[index], index, new_size, bad, new_root)
    for bad in broken(consistency_proof(old_size, new_size, TREE), bit):
        assert refused(verify_consistency, old_size, old_root, new_size, new_root, bad)


def test_a_rewritten_history_has_no_consistency_proof() -> None:
    rewritten = [*RECORDS[:10], RECORDS[99], *RECORDS[11:20]]
    proof = consistency_proof(13, 20, tree_of(rewritten, 20))
    with pytest.raises(InvalidProof, match="old tree of 13"):
        verify_consistency(13, NAIVE_ROOTS[13], 20, naive_root(rewritten), proof)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (verify_inclusion, (RECORDS[0], 5, 5, [], EMPTY_ROOT), "A tree of 5 records has no record 5."),
        (verify_inclusion, (RECORDS[0], -1, 5, [], EMPTY_ROOT), "A tree of 5 records has no record -1."),
        (verify_inclusion, (RECORDS[0], 0, 0, [], EMPTY_ROOT), "A tree of 0 records has no record 0."),
        (verify_inclusion, (RECORDS[0], 0, -1, [], EMPTY_ROOT), "A tree cannot have -1 records."),
        (verify_inclusion, (RECORDS[0], 0, 2, [], EMPTY_ROOT), "has 0 hashes where these sizes need 1"),
        (verify_inclusion, (RECORDS[0], 0, 2, [b"short"], EMPTY_ROOT), "not 32 bytes"),
        (verify_consistency, (5, EMPTY_ROOT, 4, EMPTY_ROOT, []), "of 5 records cannot have become one of 4"),
        (verify_consistency, (-1, EMPTY_ROOT, 4, EMPTY_ROOT, []), "A tree cannot have -1 records."),
        (verify_consistency, (0, RECORDS[0], 4, RECORDS[0], []), "not that of the empty tree"),
        (verify_consistency, (0, RECORDS[0], 0, RECORDS[0], []), "not that of the empty tree"),
        (verify_consistency, (3, RECORDS[0], 3, RECORDS[1], []), "same 3 records have different roots"),
        (verify_consistency, (3, RECORDS[0], 3, RECORDS[0], [RECORDS[0]]), "has 1 hashes"),
        (inclusion_proof, (3, 3, TREE), "A tree of 3 records has no record 3."),
        (consistency_proof, (4, 3, TREE), "cannot have become one of 3"),
        (root, (-1, TREE), "A tree cannot have -1 records."),
        (Frontier.at, (-1, TREE), "A tree cannot have -1 records."),
    ],
)
def test_a_refusal_says_what_is_wrong(
    function: Callable[..., object], arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(InvalidProof) as refusal:
        function(*arguments)
    assert message in refusal.value.message
