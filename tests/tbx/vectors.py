"""The test vectors: values and what they are encoded to. `python -m tests.tbx.vectors` encodes the values anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from thoughtbox.tbx import encode, encode_error

FOLDER = Path(__file__).resolve().parents[1] / "vectors" / "tbx-c1"

WRITTEN = ("records", "tables", "results", "numbers", "errors")
"""What the encoder writes. The other files are for decoders: `readable` is right, and `refused` is not."""

Vector = dict[str, Any]


def vectors(name: str) -> list[Vector]:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def encoded(name: str, value: Any) -> dict[str, Any]:
    return encode_error(value) if name == "errors" else encode(value)


def renew() -> None:
    for name in WRITTEN:
        lines = [
            json.dumps({**each, "message": encoded(name, each["value"])}, ensure_ascii=False) for each in vectors(name)
        ]
        (FOLDER / f"{name}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    renew()
