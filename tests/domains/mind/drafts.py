"""What Hypothesis draws stories of the mind from."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st

Arguments = dict[str, Any]
Op = dict[str, Any]

# Names are few, so that they collide; and some are what careless matching would confuse.
NAMES = ["main", "a", "b", "what/if", "früh"]
NEW_NAMES = st.sampled_from(NAMES)
NOTE_DOCS = st.sampled_from(["notes", "notes", "notes", "diary"])
GRAPH_DOCS = st.sampled_from(["graph", "graph", "graph", "map"])
IDS = ["n1", "n2", "n_3", "nx3"]
TYPES = ["idea", "fact"]
RELATIONS = ["supports", "blocks"]
STATUSES = ["open", "done"]
TAGS = ["a_b", "axb", "alpha", "v:canon"]
WORDS = ["Plan", "plan b", "100%", "a_b", "über"]
RESOLUTIONS = ["use_from", "use_into"]
METAS = [{"k": 1}, {"k": 2}, {"_merge": {"from": "me"}}]

SOME = st.integers(0, 99)
"""Picks one of what there is at the time, and now and then one that is not there."""
NOBODY = 13
SOMEWHERE = st.one_of(SOME, SOME, SOME, st.none())
"""Nothing is the branch that is checked out, or a branch's base."""
LIMITS = st.integers(1, 4)
PLENTY = 200


def maybe(choices: list[Any]) -> st.SearchStrategy[Any]:
    return st.sampled_from([None, *choices])


def given_only(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Arguments]:
    """Arguments; one that is None is left out."""
    return st.fixed_dictionaries(parts).map(
        lambda drawn: {name: value for name, value in drawn.items() if value is not None}
    )


SAID = given_only(
    content=st.sampled_from(["yes", "no", "perhaps\nlater"]),
    title=maybe(["why"]),
    format=maybe(["markdown"]),
    meta=maybe(METAS),
)
ID, RELATION = st.sampled_from(IDS), st.sampled_from(RELATIONS)
NODE = given_only(
    op=st.just("node_upsert"),
    id=ID,
    type=st.sampled_from(TYPES),
    title=maybe(WORDS),
    text=maybe(WORDS),
    status=maybe(STATUSES),
    tags=st.none() | st.lists(st.sampled_from([*TAGS, "Alpha"]), min_size=1, max_size=3),
    meta=maybe(METAS),
)
EDGE = st.fixed_dictionaries({"op": st.just("edge_upsert"), "from": ID, "rel": RELATION, "to": ID})
EDGE_WITH_META = st.builds(lambda edge, meta: {**edge, "meta": meta}, EDGE, st.sampled_from(METAS))
NODE_GONE = st.fixed_dictionaries({"op": st.just("node_delete"), "id": ID})
EDGE_GONE = st.fixed_dictionaries({"op": st.just("edge_delete"), "from": ID, "rel": RELATION, "to": ID})
CHANGE = st.one_of(NODE, NODE, NODE_GONE)
OPS = st.lists(st.one_of(NODE, NODE, EDGE, EDGE, EDGE_WITH_META, NODE_GONE, EDGE_GONE), min_size=1, max_size=6)
NONSENSE = st.sampled_from(
    [
        {"op": "node_upsert", "id": "a|b", "type": "idea"},
        {"op": "node_upsert", "id": "", "type": "idea"},
        {"op": "node_upsert", "id": "task:1", "type": "idea"},
        {"op": "node_upsert", "id": "step:1", "type": "idea"},
        {"op": "edge_upsert", "from": "n1", "rel": "x|y", "to": "n1"},
        {"op": "node_delete", "id": "nobody"},
        {"op": "edge_delete", "from": "n1", "rel": "nothing", "to": "n2"},
        {"op": "edge_upsert", "from": "n1", "rel": "supports", "to": "nobody"},
    ]
)
FILTERS = given_only(
    ids=st.none() | st.lists(ID, min_size=1, max_size=3),
    types=st.none() | st.lists(st.sampled_from(TYPES), min_size=1, max_size=2),
    status=maybe(STATUSES),
    tags_any=st.none() | st.lists(st.sampled_from(TAGS), min_size=1, max_size=2),
    tags_all=st.none() | st.lists(st.sampled_from(TAGS), min_size=1, max_size=2),
    text=maybe(["PLAN", "_", "%", "a_b"]),
)
