"""Answer budgets, for all rooms: what becomes of an answer that is too long.

The length of an answer is the bytes of its compact JSON without its `budget`
block. What is too long gives way in this order, and no further than needed:

1. texts are cut, all to one length: the longest of `TEXT_STEPS` that fits;
2. lists lose their oldest items, the longest lists first; the newest stays;
3. a list that cannot show even that one becomes a summary, which names it;
4. fields are dropped whole, the largest first, those to `keep` last; plain
   values stay, and the last block is opened up before it goes;
5. a stub is left: an id that can be opened, or `{"signal": "minimal"}`.

It is worked out from the far end: which fields cannot stay (4), how little the
others need (3), and then what fits on top of that (2, or with luck 1).
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import orjson

from thoughtbox.operations.paging import Pages

HARD_CEILING = 100_000
"""The longest answer to a call that sets no budget."""

SMALLEST = 2
"""The length of `{}`; no budget can be kept below it."""

TEXT_STEPS = (sys.maxsize, *(256 << power for power in range(12, -1, -1)), 160, 64)
"""The lengths that texts are cut to, in characters; the first leaves them whole."""

SHORTEST = TEXT_STEPS[-1]

LONGEST_ID = 256
"""Nothing longer is an id that can be opened (spec 3, decision 8)."""

DEEPEST = 240
"""How deep a cut answer nests: the encoder gives up at 254, and doors wrap answers in envelopes."""

_TOO_DEEP = sys.maxsize
_OPENED_LEVELS = 4
_SMALL_LIST = 160
"""Bytes of a list of plain values that is shown whole or not at all: of tags, half would look like all."""
_STUBS: tuple[dict[str, Any], ...] = ({"signal": "minimal"}, {"signal": "min"}, {"min": True}, {})

# A shortened id, hash or address is not short but wrong.
_UNCUT = ("id", "ids", "ref", "refs", "hash", "cursor", "uri", "url", "path", "root", "roots", "dir", "cwd", "prefix")
_UNCUT_ENDINGS = (*(f"_{word}" for word in _UNCUT), *(word.capitalize() for word in _UNCUT))
_ID_ENDINGS = ("_id", "Id", "_ref", "Ref")
# A suggested call can be sent back exactly as given (spec 3, decision 4), or it is not given.
_CALL_ARGUMENTS = ("params", "args", "arguments")


class Fitted(NamedTuple):
    """An answer within its budget, and what its reader should know about that."""

    answer: dict[str, Any]
    warnings: list[dict[str, str]]


def fit(
    answer: dict[str, Any],
    max_chars: int | None,
    *,
    ceiling: int = HARD_CEILING,
    keep: Sequence[str] = (),
    newest_first: Collection[str] = (),
    pages: Sequence[Pages] = (),
) -> Fitted:
    """Bring an answer within `max_chars`, or without one within the ceiling. The answer itself is never changed.

    `keep` names fields that shrink only when all others are gone, the most precious first; `block.field` is one that
    is kept when that block has to be opened up. `newest_first` names lists, wherever they stand, whose first item is
    the one to stay: newest first, best first, or a page that is read forward. In all other lists it is the last.
    `pages` are the lists that are read in pages.
    """
    limit = max(ceiling if max_chars is None else max_chars, SMALLEST)
    payload = answer if "budget" not in answer else {name: answer[name] for name in answer if name != "budget"}
    size = _size(payload)
    warnings = [_clamped(max_chars)] if max_chars is not None and max_chars < limit else []
    if size <= limit:
        shown = answer if max_chars is None else _with_budget(payload, limit, size, truncated=False)
        return Fitted(shown, warnings)

    cut = _Cut(tuple(dict.fromkeys(keep)), frozenset(newest_first))
    widened = payload
    for page in pages:
        widened = page.widened(widened)
    shown, stub = next(found for found in cut.candidates(widened, limit) if _size(found[0]) <= limit)
    for page in pages:
        shown = page.settled(shown, payload, first_stays=page.items in cut.newest_first)
    used = _size(shown)
    warnings.append(_truncated(size, used, limit, asked=max_chars is not None))
    if stub:
        warnings.append(_minimal(size, limit))
    return Fitted(_with_budget(shown, limit, used, truncated=True), warnings)


def is_whole(answer: dict[str, Any], ceiling: int) -> bool:
    """Whether an answer that nobody has set a budget for goes out as it is: what `fit` would find."""
    return "budget" not in answer and _size(answer) <= ceiling


def _with_budget(payload: dict[str, Any], limit: int, used: int, *, truncated: bool) -> dict[str, Any]:
    return {**payload, "budget": {"max_chars": limit, "used_chars": used, "truncated": truncated}}


def _clamped(max_chars: int) -> dict[str, str]:
    return {
        "code": "BUDGET_MIN_CLAMPED",
        "message": f"max_chars was {max_chars}, but no answer is shorter than {SMALLEST}; {SMALLEST} was used.",
        "recovery": "Send a max_chars of a few hundred or more, or leave it out.",
    }


def _truncated(size: int, used: int, limit: int, *, asked: bool) -> dict[str, str]:
    if size == _TOO_DEEP:
        message = f"The answer nests too deeply to be sent whole; {used} characters of it are shown."
        recovery = "Ask for a part of it, from one of the ids that are shown."
    else:
        why = f"max_chars is {limit}" if asked else f"without max_chars an answer has at most {limit}"
        message = f"The answer has {size} characters, but {why}; {used} are shown."
        recovery = f"Send max_chars={size} for all of it, narrow the call, or open one of the ids that are shown."
    return {"code": "BUDGET_TRUNCATED", "message": message, "recovery": recovery}


def _minimal(size: int, limit: int) -> dict[str, str]:
    return {
        "code": "BUDGET_MINIMAL",
        "message": f"Only a stub of the answer fits in {limit} characters.",
        "recovery": f"Send max_chars={min(size, 2_000)} or more.",
    }


def _size(value: object) -> int:
    try:
        return len(orjson.dumps(value))
    except TypeError as error:
        if "Recursion limit" in str(error):
            return _TOO_DEEP
        raise


def _field_size(name: str, value: object) -> int:
    """The bytes of a field in its object, with the comma or brace after it."""
    return _size(name) + 1 + _size(value) + 1


def _shorten(text: str, limit: int) -> str:
    """At most `limit` characters, or two more: the ellipsis has three bytes, and a cut must not lengthen."""
    return text if len(text) <= limit + 2 else text[: limit - 1] + "…"


def _is_uncut(name: str) -> bool:
    return name in _UNCUT or name.endswith(_UNCUT_ENDINGS)


def _is_call(name: str, value: object) -> bool:
    return name in _CALL_ARGUMENTS and isinstance(value, dict)


def _is_optional(name: str, value: object) -> bool:
    """Whether a field may be dropped: all but flags, numbers, short strings and ids."""
    if isinstance(value, str):
        return len(value) > (LONGEST_ID if _is_uncut(name) else SHORTEST + 2)
    return isinstance(value, dict | list | tuple)


def _is_small(items: Sequence[object]) -> bool:
    """Whether a list has only a few plain values, such as most lists of tags: it is never cut."""
    if len(items) > _SMALL_LIST // 2 or any(isinstance(item, dict | list | tuple) for item in items):
        return False
    return _size(items) <= _SMALL_LIST


def _is_id(value: object) -> bool:
    return (isinstance(value, str) and 0 < len(value) <= LONGEST_ID) or type(value) is int


def _id_of(record: dict[str, Any]) -> dict[str, Any]:
    """The field by which a record can be opened, if it has one."""
    likely = (name for name in record if name.endswith(_ID_ENDINGS))
    return next(({name: record[name]} for name in ("id", "ref", *likely) if _is_id(record.get(name))), {})


@dataclass(slots=True, eq=False)
class _Piece:
    """The value of a field or an item of a list: shown as a whole or not at all, except for the lists in it."""

    home: _List | None = None
    rank: int = 0
    turn: int = 0
    shown: bool = False
    copy: list[Any] = field(default_factory=lambda: [None])
    floor: int = 0


@dataclass(slots=True, eq=False)
class _List:
    """A list that may lose items. Its pieces go from the newest to the oldest, as far as they could ever fit."""

    owner: _Piece
    place: Any
    slot: str | int
    label: str
    items: Sequence[Any]
    depth: int
    newest_first: bool
    pieces: list[_Piece] = field(default_factory=list)
    floor: int = 0
    shown: int = 0

    def summary(self) -> list[dict[str, Any]]:
        """What stands for the list when nothing of it can be shown, with an id to open."""
        newest = self.items[0 if self.newest_first else -1]
        known = _id_of(newest) if isinstance(newest, dict) else {}
        return [{"type": "summary", "label": self.label, "count": len(self.items), **known}]

    def result(self) -> list[Any]:
        if not self.shown:
            return self.summary()
        copies = [piece.copy[0] for piece in self.pieces[: self.shown]]
        return copies if self.newest_first else copies[::-1]


class _Field:
    """One field, copied with its texts cut and weighed piece by piece; what is beyond the room is not looked at."""

    def __init__(
        self, name: str, value: object, room: int, depth: int, newest_first: frozenset[str], text_limit: int = SHORTEST
    ) -> None:
        self.name = name
        self.lists: list[_List] = []
        self.complete = True
        self.extra = [0] * len(TEXT_STEPS)
        self._text_limit = text_limit
        self._newest_first = newest_first
        self.root = _Piece(shown=True)
        own = _size(name) + 2
        if not self._read(self.root, name, value, room - own, depth):
            self.least = self.most = _TOO_DEEP
            return
        self.most = own + self.root.floor
        for held in self.lists:  # which grows on the way: breadth first
            self._read_items(held, room)
        for held in reversed(self.lists):
            summary = _size(held.summary())
            held.floor = min(summary, 2 + held.pieces[0].floor) if held.pieces else summary
            held.owner.floor += held.floor
        self.least = own + self.root.floor

    def _read_items(self, held: _List, room: int) -> None:
        if held.depth >= DEEPEST:
            self.most += _size(held.summary())
            return
        self.most += 1
        for rank, item in enumerate(held.items if held.newest_first else reversed(held.items)):
            piece = _Piece(held, rank, max(held.owner.turn, rank))
            known = len(self.lists)
            if not self._read(piece, held.label, item, room, held.depth + 1):
                del self.lists[known:]
                self.complete = False
                return
            held.pieces.append(piece)
            self.most += piece.floor + 1
            room -= piece.floor + 1

    def _read(self, piece: _Piece, name: str, value: object, room: int, depth: int) -> bool:
        """Copy a piece and weigh it without its lists; False when it is beyond the room."""
        weight = 0
        todo: list[tuple[Any, Any, str, Any, int]] = [(piece.copy, 0, name, value, depth)]
        while todo and weight <= room:
            place, slot, name, value, depth = todo.pop()
            members: Iterable[tuple[Any, Any]]
            if isinstance(value, dict) and not _is_call(name, value):
                copy: Any = dict.fromkeys(value)
                members = value.items()
            elif isinstance(value, list | tuple) and not _is_small(value):
                # A list in a list is an item like any other: half a pair is of no use.
                if isinstance(place, dict) or (place is piece.copy and piece.home is None):
                    newest_first = name in self._newest_first
                    self.lists.append(_List(piece, place, slot, name, value, depth, newest_first))
                    continue
                copy = [None] * len(value)
                members = enumerate(value)
            else:
                place[slot] = self._leaf(name, value)
                weight += _size(place[slot])
                continue
            if depth > DEEPEST or 2 * len(value) > room:
                return False
            place[slot] = copy
            for key, member in members:
                label = key if isinstance(key, str) else name
                if isinstance(member, dict | list | tuple):
                    todo.append((copy, key, label, member, depth + 1))
                    weight -= len("null")
                else:
                    copy[key] = self._leaf(label, member)
            weight += _size(copy)
        piece.floor = weight
        return weight <= room

    def _leaf(self, name: str, value: object) -> object:
        if not isinstance(value, str) or len(value) <= self._text_limit + 2 or _is_uncut(name):
            return value
        short = _shorten(value, self._text_limit)
        if self._text_limit == SHORTEST and self.complete:
            size, whole = _size(short), _size(value)
            for step, limit in enumerate(TEXT_STEPS):
                longer = whole if len(value) <= limit + 2 else _size(_shorten(value, limit))
                self.extra[step] += longer - size
        return short


def _fill(fields: Sequence[_Field], room: int) -> None:
    """Show in every list the newest item, then in every list the second newest, and so on, while there is room.

    The turn of a piece is the highest rank on the way to it: so no piece comes before the one that holds it, and
    lists grow evenly, however deep they stand.
    """
    room -= sum(known.least for known in fields)
    lists = [held for known in fields for held in known.lists]
    pieces = [(piece.turn, held.depth, held, piece) for held in lists for piece in held.pieces]
    pieces.sort(key=itemgetter(0, 1))
    for _, _, held, piece in pieces:
        if not held.owner.shown or held.shown != piece.rank:
            continue
        cost = piece.floor + 1 if piece.rank else piece.floor + 2 - held.floor
        if cost <= room:
            room -= cost
            held.shown += 1
            piece.shown = True
    for held in lists:
        if held.owner.shown:
            held.place[held.slot] = held.result()


@dataclass(frozen=True, slots=True)
class _Cut:
    """How the operation wants its answers cut."""

    keep: tuple[str, ...]
    newest_first: frozenset[str]

    def candidates(self, payload: dict[str, Any], limit: int) -> Iterator[tuple[dict[str, Any], bool]]:
        """What could be shown, the best first, and whether it is a stub. The last one fits every limit."""
        unmarked = {name: value for name, value in payload.items() if name != "truncated"}
        anchor = self._openable({name: payload[name] for name in self.keep if name in payload} | payload)
        nameless = []
        for marked in ({**payload, "truncated": True}, unmarked):
            shown = self._shrink(marked, limit, self.keep)
            if anchor and not self._leads_to(shown, anchor):
                nameless.append(shown)
                shown = self._shrink(anchor | marked, limit, self.keep)
            if not shown.keys().isdisjoint(unmarked):
                yield shown, False
        if anchor:
            yield {"signal": "minimal"} | anchor, True
            yield anchor, True
        for shown in nameless:
            if not shown.keys().isdisjoint(unmarked):
                yield shown, False
        for stub in _STUBS:
            yield dict(stub), True

    def _shrink(self, block: dict[str, Any], room: int, keep: Sequence[str], depth: int = 1) -> dict[str, Any]:
        """As much of a block as there is room for, fields in their order; nothing if its plain values do not fit."""
        shown = {name: value for name, value in block.items() if not _is_optional(name, value)}
        room -= 1 + sum(_field_size(name, value) for name, value in shown.items())
        if room < 0:
            return {}
        kept = {name: block[name] for name in keep if name in block and name not in shown}
        others = {name: value for name, value in block.items() if name not in shown and name not in kept}
        kept_size = sum(_field_size(name, value) for name, value in kept.items())
        if kept_size <= room:
            shown |= kept | self._choose(others, room - kept_size, depth, by_size=True, opened=() if not kept else None)
        else:
            shown |= self._choose(kept, room, depth, by_size=False, opened=keep)
        return {name: shown[name] for name in block if name in shown}

    def _choose(
        self, block: dict[str, Any], room: int, depth: int, *, by_size: bool, opened: Sequence[str] | None
    ) -> dict[str, Any]:
        """The fields of a block that can stay, shrunk to the room. `opened` is what to keep when the last is opened."""
        fields = [_Field(name, value, room, depth + 1, self.newest_first) for name, value in block.items()]
        if by_size:
            fields.sort(key=attrgetter("least"))
        least = sum(known.least for known in fields)
        while least > room:
            dropped = fields.pop()
            least -= dropped.least
            if not fields and opened is not None:
                shown = self._open(dropped.name, block[dropped.name], room, depth, opened)
                rest = {name: value for name, value in block.items() if name != dropped.name}
                return shown or (self._choose(rest, room, depth, by_size=by_size, opened=opened) if rest else {})
            if not fields:
                return {}

        if all(known.complete for known in fields):
            sizes = [sum(known.most + known.extra[step] for known in fields) for step in range(len(TEXT_STEPS))]
            limit = next((limit for limit, size in zip(TEXT_STEPS, sizes, strict=True) if size <= room), SHORTEST)
            if limit > SHORTEST:
                fields = [
                    _Field(known.name, block[known.name], room, depth + 1, self.newest_first, limit) for known in fields
                ]
        _fill(fields, room)
        return {known.name: known.root.copy[0] for known in fields}

    def _open(self, name: str, value: object, room: int, depth: int, keep: Sequence[str]) -> dict[str, Any]:
        """A block too large for the room, without the least of its own fields. A call is never left half."""
        if not isinstance(value, dict) or depth > _OPENED_LEVELS or any(_is_call(key, value[key]) for key in value):
            return {}
        inner = [each.removeprefix(f"{name}.") for each in keep if each.startswith(f"{name}.")]
        shown = self._shrink(value, room - _size(name) - 2, inner, depth + 1)
        return {name: shown} if shown else {}

    def _leads_to(self, shown: dict[str, Any], anchor: dict[str, Any]) -> bool:
        found = self._openable(shown)
        return found is not None and ("id" in found or "ref" in found or not ("id" in anchor or "ref" in anchor))

    def _openable(self, answer: dict[str, Any]) -> dict[str, Any] | None:
        """The id nearest to the top, as a field: `id` or `ref` if there is one, else what is named like an id."""
        second = None
        blocks = [answer]
        for block in blocks:
            for name, value in block.items():
                if isinstance(value, list | tuple) and value:
                    value = value[0 if name in self.newest_first else -1]
                    name = {"ids": "id", "refs": "ref"}.get(name, "")
                if isinstance(value, dict):
                    blocks.append(value)
                elif name in {"id", "ref"} and _is_id(value):
                    return {name: value}
                elif second is None and name.endswith(_ID_ENDINGS) and _is_id(value):
                    second = {name: value}
        return second
