"""What the old tools say, and how they read a problem: by whole words and their forms."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Any

from thoughtbox import content

LONGEST_CONCEPTS = 10
_SHORT_WORD = 3
_WORD = re.compile(r"[^\W_]+(?:[-_.'’/][^\W_]+)*")
_FILE = re.compile(r"[\w./-]*\w\.[A-Za-z]\w{0,4}\b")
_FORMS = "(?:s|es|ed|d|ing|ation|ations|er|ers)?"


@cache
def texts() -> dict[str, Any]:
    return tomllib.loads(content.text("memory/legacy.toml"))


def user_intent(problem: str) -> dict[str, str]:
    """What whoever asks is after: goal, priority, format, context."""
    contexts = [line["is"] for line in texts()["context"] if _says(problem, line["words"])]
    return {
        "goal": _first("goal", problem, "general"),
        "priority": _first("priority", problem, "medium"),
        "format": _first("format", problem, "explanation"),
        "context": ", ".join(contexts) or "general",
    }


def key_concepts(problem: str) -> list[str]:
    """The words of more than three letters, each once, the first ten."""
    words = (word.lower() for word in _WORD.findall(problem))
    return list(dict.fromkeys(word for word in words if len(word) > _SHORT_WORD))[:LONGEST_CONCEPTS]


def suggested_queries(problem: str, available_tools: Iterable[str]) -> dict[str, Any]:
    """Where to look: in memory, in files, on the web."""
    concepts = key_concepts(problem)
    query = " ".join(concepts) or problem.strip()[:100]
    search: dict[str, Any] = {"query": query, "patterns": concepts[:5]}
    tools = [tool for tool in available_tools if re.search("search|find|grep", tool, re.IGNORECASE)]
    if tools:
        search["recommended"] = tools[0]
    named = list(dict.fromkeys(_FILE.findall(problem)))
    places = [line["files"] for line in texts()["context"] if _says(problem, line["words"])]
    return {
        "search": search,
        "localFiles": [*named, *places, "README.md", "docs/**/*.md"],
        "webSearch": {"query": query},
    }


def shared_words(one: str, other: str) -> int:
    """How many words two texts have in common."""
    return len(set(_words(one)) & set(_words(other)))


def count_words(text: str) -> int:
    return len(set(_words(text)))


def _words(text: str) -> list[str]:
    return [word for word in (word.strip(".,;:!?\"'()[]{}`“”‘’").lower() for word in text.split()) if word]


def _first(table: str, problem: str, otherwise: str) -> str:
    return next((line["is"] for line in texts()[table] if _says(problem, line["words"])), otherwise)


def _says(problem: str, words: Iterable[str]) -> bool:
    return any(_pattern(word).search(problem) for word in words)


@cache
def _pattern(word: str) -> re.Pattern[str]:
    """A word in its forms: fix, fixes, fixing; debug, debugging; but not prefix, nor fixture."""
    last = f"{re.escape(word[-1])}?"
    stem = f"{re.escape(word)}(?:{last}{_FORMS})" if " " not in word else re.escape(word)
    if word.endswith("e"):
        stem = f"{re.escape(word[:-1])}(?:e|es|ed|ing|er|ers)"
    return re.compile(rf"\b{stem}\b", re.IGNORECASE)
