"""Values to be encoded: any JSON, lists of objects as results have them, records; with all that could be mistaken."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from thoughtbox.tbx.vocabulary import KINDS, RELATIONS

NAMES = ("v", "d", "m", "j", "at", "cols", "rows", "k", "i", "t", "to", "rel", "id", "kind", "x", "a", "b", "c")
HOSTILE = (
    *("", ".", "~", "~0", "~1", "?", "=", "#", "+", "a.b", "a?", "a=b", "a#th:", "a+", "*", "$", "0", "1"),
    "\ud800",
)
TEXTS = ("a", "b", "aa", "cl", "sup", "th:1", "th:2", "th:17", "th:017", "th:", "7", "0", "-1", "true", "tbx-c1")
TIMES = ("2026-03-12T14:02:00.000Z", "2026-03-12T14:02:00.001Z", "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z")
NOT_QUITE_TIMES = ("2026-03-12T14:02:00Z", "2026-02-30T14:02:00.000Z", "2026-03-12T24:00:00.000Z", "2026-03-12")
NUMBERS = (0, 1, -1, 2**53, 2**64, -(10**40), 0.0, -0.0, 1.0, 0.1, 1e300, 5e-324)

names = st.sampled_from(NAMES + HOSTILE) | st.text(max_size=6)
texts = st.sampled_from(TEXTS + HOSTILE + TIMES + NOT_QUITE_TIMES) | st.text(max_size=12)
numbers = st.sampled_from(NUMBERS) | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
plain = st.none() | st.booleans() | numbers | texts


def anything(leaves: int = 10) -> SearchStrategy[Any]:
    """Any JSON, with lists of objects here and there."""
    return st.recursive(
        plain,
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(names, inner, max_size=5) | alike(inner),
        max_leaves=leaves,
    )


@st.composite
def alike(draw: st.DrawFn, inner: SearchStrategy[Any] = plain) -> list[dict[str, Any]]:
    """Objects with fields of the same names, as lists in results have them: some missing, some repeated."""
    columns = draw(
        st.dictionaries(names, st.sampled_from(["any", "few", "ids", "times", "texts", "lists"]), max_size=6)
    )
    few = draw(st.lists(inner, min_size=1, max_size=3))
    kinds: dict[str, SearchStrategy[Any]] = {
        "any": inner,
        "few": st.sampled_from(few),
        "ids": st.integers(0, 40).map("th:{}".format),
        "times": st.sampled_from(TIMES),
        "texts": st.sampled_from(["a long text that repeats", "another text that does", "a"]),
        "lists": st.lists(st.sampled_from(["one of some tags", "th:3", "th:4"]), max_size=3),
    }
    rows = []
    for _ in range(draw(st.integers(0, 9))):
        there = draw(st.sets(st.sampled_from(sorted(columns)), min_size=max(0, len(columns) - 2))) if columns else set()
        rows.append({name: draw(kinds[kind]) for name, kind in columns.items() if name in there})
    return rows


ids = st.integers(1, 99).map("th:{}".format) | texts


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """A record as the ledger seals it, with more or less of what may be left out."""
    attrs: dict[str, Any] = draw(st.dictionaries(st.sampled_from(["steps", "args", "context", "status"]), anything(4)))
    if draw(st.booleans()):
        related = st.fixed_dictionaries({"type": st.sampled_from(sorted(RELATIONS)), "to": ids})
        attrs["relations"] = draw(st.lists(related, max_size=3))
    for name in draw(st.sets(st.sampled_from(["replacesId", "callId"]))):
        attrs[name] = draw(ids)
    if draw(st.booleans()):
        attrs["answeredBy"] = draw(st.lists(ids, max_size=3))
    text = draw(texts)
    body = {"text": text} | draw(
        st.fixed_dictionaries(
            {},
            optional={
                "cipher": st.just(text) | texts,
                "labels": st.lists(texts, max_size=2),
                "metrics": st.dictionaries(names, numbers, max_size=2),
            },
        )
    )
    record = {
        "id": draw(ids),
        "kind": draw(st.sampled_from(sorted(KINDS))),
        "branch": draw(st.just("main") | texts),
        "agent": draw(st.sampled_from(["anonymous", "mia", "a"])),
        "refs": draw(st.just(_refs(attrs)) | st.lists(ids, max_size=3)),
        "body": body,
        "source": draw(st.dictionaries(st.sampled_from(["surface", "operation", "via"]), plain, max_size=2)),
        "attrs": attrs,
    }
    return record | draw(
        st.fixed_dictionaries(
            {},
            optional={
                "ts": st.sampled_from(TIMES) | texts,
                "session": texts,
                "confidence": st.floats(0, 1) | st.just(1),
                "data": st.dictionaries(names, anything(6), max_size=4),
            },
        )
    )


def _refs(attrs: dict[str, Any]) -> list[str]:
    linked = [relation["to"] for relation in attrs.get("relations", [])]
    linked += [attrs[name] for name in ("replacesId", "callId") if name in attrs]
    return list(dict.fromkeys(linked + attrs.get("answeredBy", [])))


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: 1, 1.0 and true are not, nor are 0.0 and -0.0; the order is free."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)
