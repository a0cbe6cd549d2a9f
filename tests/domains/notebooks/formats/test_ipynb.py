"""A notebook as `.ipynb`: what Jupyter opens, with all that is ours in metadata of our name."""

from __future__ import annotations

import json
from typing import Any

import nbformat
import pytest

from thoughtbox.domains.notebooks.formats import ipynb
from thoughtbox.domains.notebooks.formats.document import CellDoc, Document, Language, OutputDoc

CELLS = (
    CellDoc("title", "Tides"),
    CellDoc("package.json", "{}", "package.json"),
    CellDoc("markdown", "# Not a title\n\ntext"),
    CellDoc(
        "code",
        "print(1)\n",
        "pull.py",
        "python",
        (
            OutputDoc("stream", "stderr", "a\nb"),
            OutputDoc("result", data={"text/plain": "1"}, extra={"execution_count": 2}),
            OutputDoc("display", data={"image/png": "iVBORw0KGgo=", "application/json": "text"}),
            OutputDoc("error", text="Traceback\n  line 1", ename="ValueError", evalue="no"),
        ),
    ),
    CellDoc("code", "", "empty.js", "javascript"),
)
NOTEBOOK = Document("Tides", "python", CELLS, "{}")


def written(document: Document) -> dict[str, Any]:
    text = ipynb.write(document)
    nbformat.validate(json.loads(text))
    assert ipynb.read(text) == document
    return json.loads(text)


def test_a_notebook_is_of_nbformat_4_5_and_names_its_kernel():
    value = written(NOTEBOOK)
    assert (value["nbformat"], value["nbformat_minor"]) == (4, 5)
    assert value["metadata"] == {
        "kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"},
        "language_info": {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
        "thoughtbox": {"name": "Tides", "language": "python", "tsconfig": "{}"},
    }


@pytest.mark.parametrize("language", ["javascript", "typescript", "python"])
def test_a_notebook_in_any_language_comes_back_in_it(language: Language):
    assert written(Document("N", language, ()))["metadata"]["language_info"]["name"] == language


def test_every_type_of_cell_is_one_of_jupyter_with_metadata_of_ours():
    title, package, prose, code, _ = written(NOTEBOOK)["cells"]
    assert (title["cell_type"], title["source"]) == ("markdown", ["# Tides"])
    assert title["metadata"] == {"thoughtbox": {"type": "title"}}
    assert (package["cell_type"], package["source"]) == ("raw", ["{}"])
    assert package["metadata"] == {"thoughtbox": {"type": "package.json", "filename": "package.json"}}
    assert (prose["cell_type"], prose["source"]) == ("markdown", ["# Not a title\n", "\n", "text"])
    assert prose["metadata"] == {}
    assert (code["cell_type"], code["source"]) == ("code", ["print(1)\n"])
    assert code["metadata"] == {"thoughtbox": {"type": "code", "filename": "pull.py", "language": "python"}}


def test_outputs_are_written_as_jupyter_has_them():
    assert written(NOTEBOOK)["cells"][3]["outputs"] == [
        {"output_type": "stream", "name": "stderr", "text": ["a\n", "b"]},
        {"output_type": "execute_result", "data": {"text/plain": ["1"]}, "metadata": {}, "execution_count": 2},
        {
            "output_type": "display_data",
            "data": {"image/png": ["iVBORw0KGgo="], "application/json": "text"},
            "metadata": {},
        },
        {
            "output_type": "error",
            "ename": "ValueError",
            "evalue": "no",
            "traceback": ["Traceback", "  line 1"],
        },
    ]


def test_a_cell_keeps_its_id_unless_it_is_none_or_taken():
    wanted = ["mine", "mine", "not an id", "x" * 65, 7, "thoughtbox-1", None]
    cells = [CellDoc("markdown", "x", extra={"id": id} if id is not None else {}) for id in wanted]
    value = written(Document("N", "python", tuple(cells)))
    assert [cell["id"] for cell in value["cells"]] == ["mine", *(f"thoughtbox-{place}" for place in range(2, 8))]


def test_what_has_no_place_in_nbformat_is_kept_in_metadata_of_ours():
    stream = OutputDoc("stream", "stdout", "x", extra={"metadata": {"vscode": 1}})
    image = OutputDoc("display", data={"image/png": "AAAA"}, extra={"sha256": "0" * 64, "metadata": {"w": 1}})
    cell = CellDoc("code", "x", "x.py", "python", (stream, image), {"prompt_number": 4, "metadata": {"tags": "a,b"}})
    value = written(Document("N", "python", (cell,), extra={"worksheet": 1, "metadata": {"kernelspec": 5, "a": None}}))
    assert value["metadata"]["a"] is None
    assert value["metadata"]["thoughtbox"]["extra"] == {"worksheet": 1, "metadata": {"kernelspec": 5}}
    own = value["cells"][0]["metadata"]["thoughtbox"]
    assert own["extra"] == {"prompt_number": 4, "metadata": {"tags": "a,b"}}
    assert own["outputs"] == {"1": {"metadata": {"vscode": 1}}}
    assert value["cells"][0]["outputs"][1]["metadata"] == {"w": 1, "thoughtbox": {"sha256": "0" * 64}}


def test_foreign_metadata_of_our_own_name_comes_back_and_is_not_taken_for_ours():
    foreign = {"metadata": {"thoughtbox": {"type": "title", "name": "X", "language": "javascript"}}}
    output = OutputDoc("display", extra={**foreign, "data": {"application/json": "text", "text/plain": 5}})
    like_an_aside = OutputDoc("display", extra={"data": {}, "metadata": {"thoughtbox": {"data": {"x": 1}}}})
    outputs = (output, like_an_aside)
    cells = (CellDoc("markdown", "x", extra=foreign), CellDoc("code", "x", "x.py", "python", outputs, foreign))
    written(Document("N", "python", cells, extra=foreign))


def test_what_is_nested_as_deep_as_it_may_be_is_still_so_when_it_was_kept_aside():
    nested: Any = []
    for _ in range(98):
        nested = [nested]
    extra = {"unknown": nested}
    cell = CellDoc("code", "x", "x.py", "python", (OutputDoc("stream", extra=extra),), extra)
    written(Document("N", "python", (cell,), extra=extra))


def test_a_notebook_is_read_by_jupyters_own_reader_with_the_same_texts():
    theirs = nbformat.reads(ipynb.write(NOTEBOOK), as_version=4)
    assert [cell.source for cell in theirs.cells] == ["# Tides", "{}", "# Not a title\n\ntext", "print(1)\n", ""]
    assert theirs.cells[3].outputs[0].text == "a\nb"


def test_what_jupyter_writes_again_is_the_same_notebook():
    theirs = nbformat.writes(nbformat.reads(ipynb.write(NOTEBOOK), as_version=4))
    assert ipynb.read(theirs) == NOTEBOOK
