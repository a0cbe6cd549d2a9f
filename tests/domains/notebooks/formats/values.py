"""Notebooks to be written: any texts, above all those that a line by line reader would take for something else."""

from __future__ import annotations

from typing import Any, Literal, get_args

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from thoughtbox.domains.notebooks.formats.document import CellDoc, Document, Language, OutputDoc

thorough = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))

LANGUAGES = get_args(Language)
LINES = (
    *("# title", "#", "# ", "#\tx", " # x", "## x", "# a #", "text", "", " ", "\t", "a  "),
    *("###### a.js", "###### package.json", "######", "###### a.sh", "###### "),
    *("```", "````", "```js", "```python x", "~~~", "~~~~", "   ```", "    ```", "``` `", "`````json"),
    *("<!-- thoughtbox:markdown -->", "<!-- /thoughtbox:markdown -->", "<!-- /thoughtbox:markdown 2 -->"),
    *("<!-- thoughtbox:code -->", '<!-- thoughtbox:title {"end":2} -->', "<!-- /thoughtbox:title 2 -->"),
    *('<!-- thoughtbox:code {"filename":"x"} -->', "<!-- thoughtbox:code {} -->", "<!-- thoughtbox:nothing -->"),
    *('<!-- srcbook:{"language":"python"} -->', "<!--", "-->", "<!-- x -->", "<pre>", "</pre>", "<?", "<![CDATA["),
)
ENDS = ("\n", "\n", "\n", "\n\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "", "␍")

wild = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
texts = (
    st.lists(st.tuples(st.sampled_from(LINES) | wild, st.sampled_from(ENDS)), max_size=6).map(
        lambda lines: "".join(line + end for line, end in lines)
    )
    | st.sampled_from(LINES)
    | wild
)
filenames = st.sampled_from(["a.js", "package.json", "b.py", "c d.ts", "", " x.js", "y.js ", "-->.js"]) | texts
languages = st.sampled_from(LANGUAGES)


nothing: SearchStrategy[dict[str, Any]] = st.just({})
no_outputs: SearchStrategy[tuple[OutputDoc, ...]] = st.just(())


# Not by `st.builds`, which would find something for the parts that have a default, too.
def cells(
    outputs: SearchStrategy[tuple[OutputDoc, ...]] = no_outputs, extras: SearchStrategy[dict[str, Any]] = nothing
) -> SearchStrategy[CellDoc]:
    named, unnamed = st.none() | filenames, st.none()
    text = st.tuples(st.sampled_from(["title", "markdown"]), texts, unnamed, st.none(), no_outputs, extras)
    package = st.tuples(st.just("package.json"), texts, named, st.none(), no_outputs, extras)
    code = st.tuples(st.just("code"), texts, named, st.none() | languages, outputs, extras)
    return st.one_of(text, package, code).map(lambda parts: CellDoc(*parts))


def documents(
    cell: SearchStrategy[CellDoc] | None = None, extras: SearchStrategy[dict[str, Any]] = nothing
) -> SearchStrategy[Document]:
    of_cells = st.lists(cell if cell is not None else cells(), max_size=5).map(tuple)
    parts = st.tuples(texts | st.just("Untitled"), languages, of_cells, st.none() | texts, extras)
    return parts.map(lambda parts: Document(*parts))


KEYS = (
    *("id", "metadata", "attachments", "execution_count", "cell_type", "source", "outputs", "nbformat_minor", "cells"),
    *("tags", "name", "jupyter", "execution", "collapsed", "scrolled", "format", "thoughtbox", "extra", "sha256"),
    *("kernelspec", "language_info", "authors", "title", "orig_nbformat", "display_name", "type", "filename"),
    *("data", "output_type", "text", "text/plain", "application/json", "application/x+json", "image/png"),
)
LEAVES = (
    *(None, True, False, 0, 1, -1, 5, 2.5, 2**53, "", "a", "a,b", "\n", "x" * 70, "auto", "R", "python"),
    *("raw", "markdown", "code", "title", "stream", "error", "thoughtbox-1", "cell-1.py", "é\u2028"),
)
json_values = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)
extras = st.dictionaries(st.sampled_from(KEYS), json_values, max_size=4)
mimes = st.sampled_from(["text/plain", "text/html", "image/png", "application/json", "application/x+json", "odd"])
_streams = st.tuples(st.sampled_from(["stdout", "stderr", ""]), texts, extras).map(
    lambda parts: OutputDoc("stream", parts[0], parts[1], extra=parts[2])
)
_errors = st.tuples(texts, texts, texts, extras).map(
    lambda parts: OutputDoc("error", text=parts[0], ename=parts[1], evalue=parts[2], extra=parts[3])
)
_KINDS: list[Literal["display", "result"]] = ["display", "result"]
_results = st.tuples(st.sampled_from(_KINDS), st.dictionaries(mimes, texts, max_size=3), extras).map(
    lambda parts: OutputDoc(parts[0], data=parts[1], extra=parts[2])
)
outputs = st.lists(st.one_of(_streams, _errors, _results), max_size=3).map(tuple)
