"""What languages are called in files: on fences, by kernels, at the end of file names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from thoughtbox.domains.notebooks.formats.document import Language

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)

ENDINGS: Final[Mapping[Language, str]] = {"javascript": ".js", "typescript": ".ts", "python": ".py"}

_CALLED: Final[Mapping[str, Language]] = {
    **{language: language for language in LANGUAGES},
    **dict.fromkeys(("js", "jsx", "mjs", "cjs", "node", "nodejs", "jslab"), "javascript"),
    **dict.fromkeys(("ts", "tsx", "mts", "cts", "deno", "tslab"), "typescript"),
    **dict.fromkeys(("py", "python3", "python2", "ipython", "ipython3"), "python"),
}


def language_called(word: str) -> Language | None:
    """The language that goes by this name, whoever uses it; None when we have none of that name."""
    return _CALLED.get(word.lower())


def language_of_file(name: str) -> Language | None:
    """The language that the ending of a file name tells."""
    return language_called(name.rpartition(".")[2]) if "." in name else None
