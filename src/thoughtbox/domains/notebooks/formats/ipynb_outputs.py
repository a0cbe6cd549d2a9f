"""The outputs of a code cell in `.ipynb`, both ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.domains.notebooks.formats.asides import kept_aside, put_back
from thoughtbox.domains.notebooks.formats.document import OutputDoc
from thoughtbox.domains.notebooks.formats.ipynb_parts import a_joined_text, a_text, an_object, lines_of
from thoughtbox.domains.notebooks.formats.ipynb_schema import OURS, is_count, is_json, is_lines, output_metadata

_FIELDS = {
    "stream": ("name", "text"),
    "error": ("ename", "evalue", "traceback"),
    "display_data": ("data", "metadata"),
    "execute_result": ("data", "metadata", "execution_count"),
}


def read_output(value: Any, where: str) -> OutputDoc:
    """One output; one of a type that nbformat does not know is a display of nothing, with all that it had."""
    output = an_object(value, where)
    kind = a_text(output.get("output_type"), f"`output_type` of {where}")
    if kind not in _FIELDS:
        return OutputDoc("display", extra=output)
    extra = {name: part for name, part in output.items() if name not in ("output_type", *_FIELDS[kind])}
    if kind == "stream":
        name = a_text(output.get("name", "stdout"), f"`name` of {where}")
        return OutputDoc("stream", name, a_joined_text(output.get("text", ""), f"`text` of {where}"), extra=extra)
    if kind == "error":
        return OutputDoc(
            "error",
            text=a_joined_text(output.get("traceback", []), f"`traceback` of {where}", between="\n"),
            ename=a_text(output.get("ename", ""), f"`ename` of {where}"),
            evalue=a_text(output.get("evalue", ""), f"`evalue` of {where}"),
            extra=extra,
        )
    return _read_data(kind, output, extra, where)


def _read_data(kind: str, output: Mapping[str, Any], extra: dict[str, Any], where: str) -> OutputDoc:
    data: dict[str, str] = {}
    other: dict[str, Any] = {}
    for mime, content in an_object(output.get("data", {}), f"`data` of {where}").items():
        if isinstance(content, str):
            data[mime] = content
        elif is_lines(content) and not is_json(mime):
            data[mime] = "".join(content)
        else:
            other[mime] = content
    metadata = dict(an_object(output.get("metadata", {}), f"`metadata` of {where}"))
    aside = metadata.pop(OURS, None)
    told = {"data": other, "metadata": metadata, "execution_count": output.get("execution_count")}
    extra |= {name: value for name, value in told.items() if value not in ({}, None)}
    return OutputDoc("display" if kind == "display_data" else "result", data=data, extra=put_back(extra, aside))


def written_output(output: OutputDoc) -> tuple[dict[str, Any], dict[str, Any]]:
    """An output, and what of it has to be kept aside in its cell: some outputs have no metadata."""
    written = _written(output)
    aside = kept_aside(output.extra, read_output(written, "output").extra)
    if aside and "metadata" in written:
        # Here it goes when the cell is run again, as it should.
        written["metadata"][OURS] = aside
        aside = {}
    return written, aside


def _written(output: OutputDoc) -> dict[str, Any]:
    match output.kind:
        case "stream":
            return {"output_type": "stream", "name": output.name, "text": lines_of(output.text)}
        case "error":
            traceback = output.text.split("\n") if output.text else []
            return {"output_type": "error", "ename": output.ename, "evalue": output.evalue, "traceback": traceback}
        case "display":
            return {"output_type": "display_data", "data": _data(output), "metadata": output_metadata(output.extra)}
        case "result":
            count = output.extra.get("execution_count")
            return {
                "output_type": "execute_result",
                "data": _data(output),
                "metadata": output_metadata(output.extra),
                "execution_count": count if is_count(count) else None,
            }


def _data(output: OutputDoc) -> dict[str, Any]:
    data: dict[str, Any] = {mime: text if is_json(mime) else lines_of(text) for mime, text in output.data.items()}
    other = output.extra.get("data")
    for mime, content in other.items() if isinstance(other, dict) else ():
        if is_json(mime) and mime not in data and not isinstance(content, str):
            data[mime] = content
    return data
