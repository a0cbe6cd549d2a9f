"""Which scene a set of keys belongs to.

A set that was put somewhere stays there. Another one goes to the scene that it has most in common with, if that is
half of the larger of the two; otherwise it becomes a scene. New sets are taken in an order of their own, the shortest
first, so that it does not matter in which order episodes came.

Only scenes that can be alike are looked at. Two sets of n and m keys that share half of the larger have so many keys in
common that one of the rarest few of either is among them: so many lists of scenes by key are looked through, and the
long lists, of keys that are everywhere, are not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from thoughtbox.domains.memory.episodes.cell import Scene
from thoughtbox.domains.memory.episodes.keys import ALIKE, key_digest, overlap
from thoughtbox.domains.memory.view.semantic import Semantic

Keys = tuple[str, ...]


class Fresh(NamedTuple):
    """A scene that is about to be, by its keys."""

    keys: Keys


Place = int | Fresh


class Places:
    """The scenes of a scope, those that are about to be among them."""

    def __init__(self, scenes: Iterable[Scene], placed: Mapping[str, int]) -> None:
        self._placed: dict[str, Place] = dict(placed)
        self.joined: dict[str, Place] = {}
        """By digest: sets of keys that have gone to a scene of other keys just now."""
        self._keys: dict[Place, Keys] = {}
        self._by_key: dict[tuple[str, int], list[Place]] = defaultdict(list)
        for scene in scenes:
            self._enter(scene.scene_id, scene.context_keys)

    @classmethod
    def read(cls, semantic: Semantic, scope: str, key_sets: Iterable[Keys]) -> Places:
        """Those that these sets of keys can be put into."""
        digests = {key_digest(keys): keys for keys in key_sets}
        placed = semantic.placed(scope, digests)
        others = {key for digest, keys in digests.items() if digest not in placed for key in keys}
        return cls(semantic.scenes_with([scope], others) if others else (), placed)

    def place_all(self, key_sets: Iterable[Keys]) -> dict[Keys, Place]:
        """Where each of these sets goes, in whatever order they are given."""
        return {keys: self.place(keys) for keys in sorted(set(key_sets), key=lambda keys: (len(keys), keys))}

    def place(self, keys: Keys) -> Place:
        digest = key_digest(keys)
        if digest not in self._placed:
            nearest = self._nearest(keys)
            if nearest is None:
                nearest = Fresh(keys)
                self._enter(nearest, keys)
            else:
                self.joined[digest] = nearest
            self._placed[digest] = nearest
        return self._placed[digest]

    def _enter(self, place: Place, keys: Keys) -> None:
        self._keys[place] = keys
        for key in keys:
            self._by_key[key, len(keys)].append(place)

    def _nearest(self, keys: Keys) -> Place | None:
        own = len(keys)
        found: dict[Place, float] = {}
        for size in range((own + 1) // 2, 2 * own + 1):
            shared = (max(own, size) + 1) // 2
            rarest = sorted(keys, key=lambda key: (len(self._by_key.get((key, size), ())), key))
            for key in rarest[: own - shared + 1]:
                for place in self._by_key.get((key, size), ()):
                    if place not in found:
                        found[place] = overlap(keys, self._keys[place])
        alike = [place for place, share in found.items() if share >= ALIKE]
        return min(alike, key=lambda place: (-found[place], *_age(place))) if alike else None


def _age(place: Place) -> tuple[int, int, Sequence[str]]:
    """Scenes that are there go first, the oldest of them; then by their keys."""
    return (0, place, ()) if isinstance(place, int) else (1, 0, place.keys)
