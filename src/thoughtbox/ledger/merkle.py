"""The Merkle tree of RFC 6962 over record hashes: roots, proofs and their verification. Pure, no storage.

A root does not say how many records are below it. A proof therefore holds for
the pair of size and root that a signed checkpoint gives, not for a root alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Final, NoReturn, TypeAlias

from thoughtbox.errors import InvalidProof

# Level and index to the hash of the complete subtree of 2**level leaves that starts at leaf index * 2**level.
Fetch: TypeAlias = Callable[[int, int], bytes]

EMPTY_ROOT: Final = sha256(b"").digest()

_HASH_LENGTH: Final = 32


def leaf_hash(data: bytes) -> bytes:
    """The hash of one leaf; the prefix keeps a leaf from passing for a node."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees side by side."""
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """The right edge of a growing tree: one hash per complete subtree, enough to go on and to give the root."""

    __slots__ = ("_peaks", "size")

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []  # largest subtree first

    @classmethod
    def at(cls, size: int, fetch: Fetch) -> Frontier:
        """The frontier of a tree that is stored elsewhere, to go on from there."""
        _check_size(size)
        frontier = cls()
        frontier.size = size
        frontier._peaks = [fetch(level, index) for level, index in _peaks(0, size)]
        return frontier

    def add(self, record_hash: bytes) -> None:
        """Add one record."""
        # Written out instead of calling leaf_hash and node_hash: this runs once for each of millions of records.
        peaks = self._peaks
        size = self.size
        self.size = size + 1
        top = sha256(b"\x00" + record_hash).digest()
        while size & 1:
            top = sha256(b"\x01" + peaks.pop() + top).digest()
            size >>= 1
        peaks.append(top)

    def root(self) -> bytes:
        """The root of what has been added so far."""
        return _fold(self._peaks)


def root(size: int, fetch: Fetch) -> bytes:
    """The root of the first `size` records."""
    _check_size(size)
    return _range_root(0, size, fetch)


def inclusion_proof(index: int, size: int, fetch: Fetch) -> list[bytes]:
    """The hashes that lead from record `index` to the root of `size` records."""
    _check_index(index, size)
    proof = []
    start, end = 0, size
    while end - start > 1:
        middle = _middle(start, end)
        if index < middle:
            proof.append(_range_root(middle, end, fetch))
            end = middle
        else:
            proof.append(_range_root(start, middle, fetch))
            start = middle
    proof.reverse()
    return proof


def consistency_proof(old_size: int, new_size: int, fetch: Fetch) -> list[bytes]:
    """The hashes that show the first `old_size` records unchanged below the root of `new_size` records."""
    _check_growth(old_size, new_size)
    if old_size == 0:
        return []
    proof = []
    start, end = 0, new_size
    while end != old_size:
        middle = _middle(start, end)
        if old_size <= middle:
            proof.append(_range_root(middle, end, fetch))
            end = middle
        else:
            proof.append(_range_root(start, middle, fetch))
            start = middle
    # A verifier that holds the old root needs no hash for the old tree where that is one complete subtree.
    if start > 0:
        proof.append(_range_root(start, end, fetch))
    proof.reverse()
    return proof


def verify_inclusion(record_hash: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Raise `InvalidProof` unless the record stands at `index` below this root of `size` records."""
    _check_index(index, size)
    inner, border = _path_shape(index, size)
    _check_proof(proof, inner + border)
    reached = _climb(leaf_hash(record_hash), index, proof[:inner])
    reached = _climb_border(reached, proof[inner:])
    if reached != root:
        _refuse(f"The proof leads from record {index} to another root than that of the tree of {size}.")


def verify_consistency(old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]) -> None:
    """Raise `InvalidProof` unless the new tree begins with the whole old tree."""
    _check_growth(old_size, new_size)
    _check_empty_root(old_size, old_root)
    if old_size == new_size and old_root != new_root:
        _refuse(f"Two trees of the same {old_size} records have different roots.")
    if old_size in (0, new_size):
        _check_proof(proof, 0)
        return
    # Both roots are reached from the last complete subtree of the old tree: the old one over the hashes to its
    # left only, the new one over all hashes.
    level = _trailing_zeros(old_size)
    place = (old_size - 1) >> level
    inner, border = _path_shape(place, ((new_size - 1) >> level) + 1)
    starts_at_old_root = old_size == 1 << level
    _check_proof(proof, inner + border + (not starts_at_old_root))
    seed, *path = [old_root, *proof] if starts_at_old_root else proof
    old_reached = _climb_border(_climb_left(seed, place, path[:inner]), path[inner:])
    if old_reached != old_root:
        _refuse(f"The proof does not lead to the root of the old tree of {old_size} records.")
    new_reached = _climb_border(_climb(seed, place, path[:inner]), path[inner:])
    if new_reached != new_root:
        _refuse(f"The proof does not lead from {old_size} records to the root of the new tree of {new_size}.")


def _middle(start: int, end: int) -> int:
    """Where RFC 6962 splits a range: after the largest power of two that leaves something to the right."""
    return start + (1 << ((end - start - 1).bit_length() - 1))


def _peaks(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Level and index of the complete subtrees that fill a range of the tree, largest first."""
    while start < end:
        level = (end - start).bit_length() - 1
        yield level, start >> level
        start += 1 << level


def _range_root(start: int, end: int, fetch: Fetch) -> bytes:
    return _fold([fetch(level, index) for level, index in _peaks(start, end)])


def _fold(peaks: Sequence[bytes]) -> bytes:
    """One root for complete subtrees of falling size."""
    if not peaks:
        return EMPTY_ROOT
    top = peaks[-1]
    for peak in reversed(peaks[:-1]):
        top = node_hash(peak, top)
    return top


def _path_shape(index: int, size: int) -> tuple[int, int]:
    """How many hashes a path has until it runs along the right edge of the tree, and how many from there."""
    inner = (index ^ (size - 1)).bit_length()
    return inner, (index >> inner).bit_count()


def _climb(top: bytes, index: int, path: Iterable[bytes]) -> bytes:
    for sibling in path:
        top = node_hash(sibling, top) if index & 1 else node_hash(top, sibling)
        index >>= 1
    return top


def _climb_left(top: bytes, index: int, path: Iterable[bytes]) -> bytes:
    """Climb as if nothing stood to the right."""
    for sibling in path:
        top = node_hash(sibling, top) if index & 1 else top
        index >>= 1
    return top


def _climb_border(top: bytes, path: Iterable[bytes]) -> bytes:
    """Climb along the right edge, where every sibling stands to the left."""
    for sibling in path:
        top = node_hash(sibling, top)
    return top


def _trailing_zeros(number: int) -> int:
    return (number & -number).bit_length() - 1


def _check_size(size: int) -> None:
    if size < 0:
        _refuse(f"A tree cannot have {size} records.")


def _check_index(index: int, size: int) -> None:
    _check_size(size)
    if not 0 <= index < size:
        _refuse(f"A tree of {size} records has no record {index}.")


def _check_growth(old_size: int, new_size: int) -> None:
    _check_size(old_size)
    if new_size < old_size:
        _refuse(f"A tree of {old_size} records cannot have become one of {new_size}.")


def _check_empty_root(size: int, root: bytes) -> None:
    if size == 0 and root != EMPTY_ROOT:
        _refuse("The root of a tree without records is not that of the empty tree.")


def _check_proof(proof: Sequence[bytes], length: int) -> None:
    if len(proof) != length:
        _refuse(f"The proof has {len(proof)} hashes where these sizes need {length}.")
    if any(len(sibling) != _HASH_LENGTH for sibling in proof):
        _refuse(f"The proof has a hash that is not {_HASH_LENGTH} bytes long.")


def _refuse(message: str) -> NoReturn:
    raise InvalidProof(message)
