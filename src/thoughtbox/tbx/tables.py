"""A list of objects as a table: `cols`, `rows`, and the dictionaries of the columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.tbx.columns import LATER, NUMBERED, SAME, Column
from thoughtbox.tbx.dictionaries import Dictionary, dictionaries, key, texts_in
from thoughtbox.tbx.flattening import Row, flattened
from thoughtbox.tbx.layouts import Cell, grouped
from thoughtbox.tbx.marks import Mark, can_be_referred_to, marks, numbered, weights
from thoughtbox.tbx.paths import EACH
from thoughtbox.tbx.times import milliseconds
from thoughtbox.tbx.weights import KEY, MARKED, weight, written

DEEPEST_TABLES = 6
"""Tables in the cells of tables: so many levels."""
FEWEST_INNER_ROWS = 2
IN_COMMON = ""
"""The layout of what all rows have in common."""


class Table(NamedTuple):
    """What a list of objects comes to."""

    cols: Any
    rows: list[list[Any]]
    dictionaries: dict[str, dict[str, str] | str]
    """By path: from short key to text; or the path of the column whose dictionary it shares."""


class _Inner(NamedTuple):
    """A list of objects in a cell, as rows of the table that all such lists of its column are."""

    rows: list[list[Any]]


class _Layout(NamedTuple):
    columns: list[Any]
    constants: dict[str, Any]
    rows: dict[int, list[Any]]


def table(
    objects: Sequence[dict[str, Any]], *, uncoded: Collection[str] = (), deep: int = DEEPEST_TABLES
) -> Table | None:
    """The objects as a table; None where they have too little in common. `uncoded` columns get no dictionary."""
    rows = flattened(objects)
    return None if rows is None else _Making(rows, uncoded, deep).made()


class _Making:
    """A table on its way."""

    def __init__(self, rows: list[Row], uncoded: Collection[str], deep: int) -> None:
        self._rows = rows
        self._uncoded = uncoded
        self._order = {path: place for place, path in enumerate(dict.fromkeys(path for row in rows for path in row))}
        self._dictionaries: dict[str, dict[str, str] | str] = {}
        self._inner_cols: dict[str, Any] = {}
        if deep:
            for path, lists in self._columns().items():
                if _are_lists_of_objects(lists):
                    self._nest(path, lists, deep - 1)
        plain = {path: values for path, values in self._columns().items() if path not in self._inner_cols}
        self._marks: Mapping[str, Mark] = marks(rows, plain)
        self._shorten(plain)

    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {path: [] for path in self._order}
        for row in self._rows:
            for path, value in row.items():
                columns[path].append(value)
        return columns

    def _nest(self, path: str, lists: Sequence[list[dict[str, Any]]], deep: int) -> None:
        """Make one table of all the lists in a column."""
        beginning = path + EACH
        uncoded = [each.removeprefix(beginning) for each in self._uncoded if each.startswith(beginning)]
        inner = table([each for found in lists for each in found], uncoded=uncoded, deep=deep)
        if inner is None:
            return
        self._inner_cols[path] = inner.cols
        for name, found in inner.dictionaries.items():
            self._dictionaries[beginning + name] = beginning + found if isinstance(found, str) else found
        left = iter(inner.rows)
        for row in self._rows:
            if path in row:
                row[path] = _Inner([next(left) for _ in row[path]])

    def _shorten(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Put what the marks say in the place of values."""
        self._weights = {path: weights(values) for path, values in columns.items()}
        last: dict[str, int] = {}
        for row in self._rows:
            whole = dict(row)
            for path, value in whole.items():
                mark, argument = self._marks.get(path, ("", ""))
                if mark == LATER:
                    ms = milliseconds(value)
                    assert ms is not None
                    row[path] = ms - last[path] if path in last else value
                    last[path] = ms
                elif mark == NUMBERED:
                    row[path] = [_number(text) for text in value] if isinstance(value, list) else _number(value)
                elif mark == SAME and can_be_referred_to(value) and _is_same(value, whole.get(argument)):
                    row[path] = True

    def made(self) -> Table | None:
        groups = grouped([{path: self._cell(path, value) for path, value in row.items()} for row in self._rows])
        if groups is None:
            return None
        coded = self._coded(groups)
        layouts = [self._layout(group, coded) for group in groups]
        if len(layouts) == 1:
            [only] = layouts
            return Table(_cols(only), list(only.rows.values()), self._dictionaries)
        return self._several(layouts)

    def _cell(self, path: str, value: Any) -> Cell:
        """What a value costs, and what it is the same as."""
        if isinstance(value, _Inner):
            return Cell(1 + weight(value.rows), "[]" if not value.rows else object())
        if self._marks.get(path, ("",))[0] == LATER:
            return Cell(KEY + 1, object())
        if isinstance(value, str):
            return Cell(self._weights[path].get(value, KEY), ("", value))
        if value is None or isinstance(value, bool):
            return Cell(MARKED, value)
        return Cell(weight(value), (int, value) if isinstance(value, int) else written(value))

    def _coded(self, groups: Sequence[Sequence[int]]) -> dict[str, Dictionary]:
        """The dictionaries, by the path of each column that has one."""
        found: dict[str, Counter[str]] = {}
        for path, values in self._columns().items():
            if (
                path in self._inner_cols
                or path in self._uncoded
                or self._marks.get(path, ("",))[0] in (LATER, NUMBERED)
            ):
                continue
            if any(map(_cannot_be_coded, values)):
                continue
            is_common = len(values) == len(self._rows) and self._is_constant(path, values)
            to_write = [values[:1]] if is_common else [self._to_write(path, group) for group in groups]
            texts = Counter(text for part in to_write for value in part for text in texts_in(value))
            if texts:
                found[path] = texts
        coded: dict[str, Dictionary] = {}
        for paths, dictionary in dictionaries(found):
            first, *others = paths
            self._dictionaries[first] = {short: text for text, short in dictionary.items()}
            self._dictionaries |= dict.fromkeys(others, first)
            coded |= dict.fromkeys(paths, dictionary)
        return coded

    def _to_write(self, path: str, group: Sequence[int]) -> list[Any]:
        """The values of a column that have to be written for a layout: of a constant, one."""
        values = [self._rows[number][path] for number in group if path in self._rows[number]]
        return values[:1] if len(values) == len(group) and self._is_constant(path, values) else values

    def _is_constant(self, path: str, values: Sequence[Any]) -> bool:
        if self._marks.get(path, ("",))[0] == LATER:
            return False
        first = self._cell(path, values[0]).same
        return all(self._cell(path, value).same == first for value in values)

    def _layout(self, group: Sequence[int], coded: Mapping[str, Dictionary]) -> _Layout:
        rows = [self._rows[number] for number in group]
        counts = Counter(path for row in rows for path in row)
        constants: dict[str, Any] = {}
        paths: list[str] = []
        for path in sorted(counts, key=self._order.__getitem__):
            values = [row[path] for row in rows if path in row]
            if len(values) == len(rows) and self._is_constant(path, values):
                head, value = self._constant(path, values[0])
                constants[head] = _in_keys(value, coded.get(path))
            else:
                paths.append(path)
        paths.sort(key=lambda path: -counts[path])
        heads = [self._head(path, rows, is_optional=counts[path] < len(rows)) for path in paths]
        written_rows: dict[int, list[Any]] = {}
        for number, row in zip(group, rows, strict=True):
            there = [place for place, path in enumerate(paths, 1) if path in row]
            width = there[-1] if there else 0
            cells = (row.get(path) for path in paths[:width])
            written_rows[number] = [_in_keys(cell, coded.get(path)) for path, cell in zip(paths, cells, strict=False)]
        return _Layout(heads, constants, written_rows)

    def _constant(self, path: str, value: Any) -> tuple[str, Any]:
        mark, argument = self._marks.get(path, ("", ""))
        if mark == SAME and value is True:
            return Column(path, mark=SAME, argument=argument).head, True
        if mark == NUMBERED:
            return path, [f"{argument}{each}" for each in value] if isinstance(value, list) else f"{argument}{value}"
        return path, [] if isinstance(value, _Inner) else value

    def _head(self, path: str, rows: Iterable[Row], *, is_optional: bool) -> Any:
        if path in self._inner_cols:
            return [Column(path, is_optional).head, self._inner_cols[path]]
        mark, argument = self._marks.get(path, ("", ""))
        if mark == SAME and not any(row.get(path) is True for row in rows):
            mark, argument = "", ""
        return Column(path, is_optional, mark, argument).head

    def _several(self, layouts: Sequence[_Layout]) -> Table:
        """Layouts with a name each, which every row begins with, and what they have in common apart."""
        common = {
            head: value
            for head, value in layouts[0].constants.items()
            if all(head in each.constants and _is_same(each.constants[head], value) for each in layouts)
        }
        cols: dict[str, Any] = {IN_COMMON: [common]} if common else {}
        rows: dict[int, list[Any]] = {}
        for number, layout in enumerate(layouts):
            name = key(number)
            own = {head: value for head, value in layout.constants.items() if head not in common}
            cols[name] = _cols(layout._replace(constants=own))
            rows |= {place: [name, *row] for place, row in layout.rows.items()}
        return Table(cols, [rows[place] for place in sorted(rows)], self._dictionaries)


def _cols(layout: _Layout) -> list[Any]:
    return [*layout.columns, *([layout.constants] if layout.constants else [])]


def _in_keys(cell: Any, dictionary: Dictionary | None) -> Any:
    if isinstance(cell, _Inner):
        return cell.rows
    if dictionary is None:
        return cell
    if isinstance(cell, list):
        return [dictionary[item] if isinstance(item, str) else item for item in cell]
    return dictionary[cell] if isinstance(cell, str) else cell


def _number(text: str) -> int:
    found = numbered(text)
    assert found is not None
    return found[1]


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and (one == other if isinstance(one, str) else written(one) == written(other))


def _are_lists_of_objects(values: Sequence[Any]) -> bool:
    if not all(isinstance(value, list) and all(isinstance(item, dict) for item in value) for value in values):
        return False
    return sum(map(len, values)) >= FEWEST_INNER_ROWS


def _cannot_be_coded(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, list | dict) for item in value))
