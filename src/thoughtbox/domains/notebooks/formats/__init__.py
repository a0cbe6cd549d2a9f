"""Notebooks as texts, and texts as notebooks: `.src.md` and `.ipynb` both ways, Markdown for people. Pure logic.

Way in: `src_md`, `ipynb` and `markdown` over the `Document` of `document.py`; `detecting.py` tells which a text is, and
`templates.py` has what a new notebook begins with. Imports errors and content only.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Format: TypeAlias = Literal["src.md", "ipynb", "markdown"]

FORMATS: Final[tuple[Format, ...]] = ("src.md", "ipynb", "markdown")
"""What a notebook can be written as. `markdown` is for reading by people, and is not read back."""
