"""The corpus of questions: sessions of reasoning, and what people ask of them. Tests and measurements read it here."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "questions"


def sessions() -> list[dict[str, Any]]:
    return [
        session
        for path in sorted(CORPUS.glob("sessions-*.toml"))
        for session in tomllib.loads(path.read_text(encoding="utf-8"))["session"]
    ]


def questions() -> list[dict[str, Any]]:
    return tomllib.loads((CORPUS / "questions.toml").read_text(encoding="utf-8"))["question"]
