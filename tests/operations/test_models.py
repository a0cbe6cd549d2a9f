"""Answers as they go over the wire."""

from __future__ import annotations

from typing import Any, ClassVar

from thoughtbox.operations import CamelOutput, Output


class Leaf(CamelOutput):
    leaf_name: str


class Sparse(CamelOutput):
    sparse: ClassVar[bool] = True

    some_leaf: Leaf | None = None
    other: int | None = None


class Tree(CamelOutput):
    leaves: list[Leaf | None]
    by_name: dict[str, Leaf | str]
    nested: list[list[Leaf | str]]
    pair: tuple[Leaf, int]
    plain: list[dict[str, Any]]
    sparse_part: Sparse


def test_outputs_are_made_plain_wherever_they_stand():
    leaf = Leaf(leaf_name="a")
    tree = Tree(
        leaves=[None, leaf],
        by_name={"first": "a text", "second": leaf},
        nested=[["a text", leaf], []],
        pair=(leaf, 1),
        plain=[{"any": "thing"}],
        sparse_part=Sparse(some_leaf=leaf),
    )

    assert tree.answer() == {
        "leaves": [None, {"leafName": "a"}],
        "byName": {"first": "a text", "second": {"leafName": "a"}},
        "nested": [["a text", {"leafName": "a"}], []],
        "pair": [{"leafName": "a"}, 1],
        "plain": [{"any": "thing"}],
        "sparsePart": {"someLeaf": {"leafName": "a"}},
    }


def test_parts_that_are_plain_already_are_passed_on_and_not_copied():
    class Large(Output):
        rows: list[dict[str, Any]]

    rows = [{"n": n} for n in range(3)]

    assert Large.model_construct(rows=rows).answer()["rows"] is rows


def test_an_answer_given_plainly_goes_out_as_it_is():
    given = {"leafName": "a"}

    assert Leaf.plainly(given).answer() is given
