"""What nbformat 4.5 demands of the parts of a notebook that are not ours, so that what does not fit is kept aside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

OURS: Final = "thoughtbox"
"""The name that our own metadata has, in whatever part of a file."""

_Fits: TypeAlias = Mapping[str, Callable[[Any], bool]]

_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_JSON = re.compile(r"^application/(.*\+)?json$")
_NAME = re.compile(r"^.+$")


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def is_json(mime: str) -> bool:
    """Whether content of this media type is a JSON value in a notebook, and not a text."""
    return _JSON.search(mime) is not None


def is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def is_lines(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(line, str) for line in value))


def are_attachments(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(bundle, dict) and _is_bundle(bundle) for bundle in value.values())


def _is_bundle(bundle: Mapping[str, Any]) -> bool:
    return all(is_json(mime) or is_lines(content) for mime, content in bundle.items())


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_tags(value: Any) -> bool:
    if not isinstance(value, list) or not all(isinstance(tag, str) and tag and "," not in tag for tag in value):
        return False
    return len(set(value)) == len(value)


def _is_kernel(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("name", "display_name"))


def _is_language_info(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return False
    texts = ("file_extension", "mimetype", "pygments_lexer")
    return isinstance(value.get("codemirror_mode", ""), str | dict) and all(
        isinstance(value.get(name, ""), str) for name in texts
    )


_OF_NOTEBOOKS: Final[_Fits] = {
    "kernelspec": _is_kernel,
    "language_info": _is_language_info,
    "orig_nbformat": lambda value: type(value) is int and value >= 1,
    "title": _is_text,
    "authors": lambda value: isinstance(value, list),
}
_OF_CELLS: Final[_Fits] = {
    "name": lambda value: isinstance(value, str) and _NAME.search(value) is not None,
    "tags": _are_tags,
    "jupyter": _is_object,
    # The rest is demanded of some types of cells only; in others nobody has it.
    "format": _is_text,
    "execution": lambda value: isinstance(value, dict) and all(isinstance(each, str) for each in value.values()),
    "collapsed": lambda value: isinstance(value, bool),
    "scrolled": lambda value: isinstance(value, bool) or value == "auto",
}


def notebook_metadata(extra: Mapping[str, Any]) -> dict[str, Any]:
    """What of a notebook's foreign metadata can be written where it was."""
    return _fitting(extra.get("metadata"), _OF_NOTEBOOKS)


def cell_metadata(extra: Mapping[str, Any]) -> dict[str, Any]:
    """The same of a cell."""
    return _fitting(extra.get("metadata"), _OF_CELLS)


def output_metadata(extra: Mapping[str, Any]) -> dict[str, Any]:
    """The same of an output, of which nothing is demanded."""
    return _fitting(extra.get("metadata"), {})


def _fitting(metadata: Any, fits: _Fits) -> dict[str, Any]:
    foreign = {name: value for name, value in metadata.items() if name != OURS} if isinstance(metadata, dict) else {}
    return {name: value for name, value in foreign.items() if name not in fits or fits[name](value)}
