"""Keys, and the scenes that sets of them belong to."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.domains.memory.episodes.cell import Scene
from thoughtbox.domains.memory.episodes.keys import LONGEST_KEY, MOST_KEYS, key_digest, label, normalised, overlap
from thoughtbox.domains.memory.episodes.placing import Fresh, Places

KEYS = st.frozensets(st.sampled_from("abcdefgh"), max_size=5).map(lambda keys: tuple(sorted(keys)))


def test_keys_are_trimmed_in_lower_case_each_once_and_in_order():
    assert normalised([" Tools", "tools", "", "  ", "Api  Gateway"]) == ("api gateway", "tools")
    assert normalised(["x" * 500]) == ("x" * LONGEST_KEY,)
    assert len(normalised(str(number) for number in range(500))) == MOST_KEYS


def test_the_overlap_is_by_the_larger_set_and_two_empty_ones_are_the_same():
    assert overlap("ab", "bc") == 0.5
    assert overlap("a", "abc") == 1 / 3
    assert overlap("", "") == 1
    assert overlap("", "a") == 0


def test_a_scene_is_called_by_its_first_three_keys():
    assert label(("a", "b", "c", "d")) == "a, b, c"
    assert label(()) == "general"


@settings(max_examples=25, deadline=None)
@given(key_sets=st.lists(KEYS, max_size=30), seed=st.integers())
def test_it_does_not_matter_in_which_order_new_sets_of_keys_come(key_sets, seed):
    shuffled = list(key_sets)
    Random(seed).shuffle(shuffled)
    placed = Places((), {}).place_all(key_sets)
    assert placed == Places((), {}).place_all(shuffled)
    for keys, place in placed.items():
        assert isinstance(place, Fresh)
        assert overlap(keys, place.keys) >= 0.5
    # Nothing that is alike was overlooked: two scenes that were made are not about the same.
    made = sorted({place.keys for place in placed.values() if isinstance(place, Fresh)})
    assert not [(one, other) for one in made for other in made if one < other and overlap(one, other) >= 0.5]


@settings(max_examples=25, deadline=None)
@given(scenes=st.lists(KEYS, max_size=20, unique=True), keys=KEYS)
def test_a_set_goes_to_the_scene_that_it_has_most_in_common_with_and_the_oldest_of_these(scenes, keys):
    there = [Scene(number, "project", "", own, "", "") for number, own in enumerate(scenes, 1)]
    found = Places(there, {}).place(keys)
    alike = [(-overlap(keys, scene.context_keys), scene.scene_id) for scene in there if scene.context_keys]
    best = min((pair for pair in alike if -pair[0] >= 0.5), default=None)
    assert found == (best[1] if best is not None else Fresh(keys))


def test_a_set_that_was_put_somewhere_stays_there():
    nearer = Scene(2, "project", "", ("a", "b"), "", "")
    assert Places([nearer], {key_digest(("a", "b")): 1}).place(("a", "b")) == 1
