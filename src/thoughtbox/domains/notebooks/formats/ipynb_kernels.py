"""Which language a notebook's kernel speaks, and which kernel we name for a language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thoughtbox.domains.notebooks.formats.document import Language
from thoughtbox.domains.notebooks.formats.languages import ENDINGS, LANGUAGES, language_called
from thoughtbox.errors import InvalidPayload, shown

_KERNELS: Final[Mapping[Language, tuple[str, str, str]]] = {
    "javascript": ("javascript", "JavaScript (Node.js)", "application/javascript"),
    "typescript": ("deno", "Deno", "text/x.typescript"),
    "python": ("python3", "Python 3 (ipykernel)", "text/x-python"),
}
"""Name, name for people, media type: IJavascript, Deno, IPython."""


def kernel_metadata(language: Language) -> dict[str, Any]:
    """What a notebook says about its kernel when nobody has said otherwise."""
    name, display_name, mimetype = _KERNELS[language]
    return {
        "kernelspec": {"name": name, "display_name": display_name, "language": language},
        "language_info": {"name": language, "file_extension": ENDINGS[language], "mimetype": mimetype},
    }


def foreign_language(metadata: Mapping[str, Any]) -> Language:
    """The language of somebody else's notebook: Python, if it says nothing. Refuses one that we cannot run."""
    kernel, info = metadata.get("kernelspec"), metadata.get("language_info")
    kernel, info = (part if isinstance(part, dict) else {} for part in (kernel, info))
    said = [word for word in (info.get("name"), kernel.get("language")) if isinstance(word, str) and word]
    names = [word for word in (*said, kernel.get("name")) if isinstance(word, str)]
    known = next((language for word in names if (language := language_called(word)) is not None), None)
    if known is None and said:
        raise InvalidPayload(
            f"the notebook is for a kernel of the language {shown(said[0])}",
            recovery=f"Notebooks are in {', '.join(LANGUAGES)}.",
        )
    return known or "python"
