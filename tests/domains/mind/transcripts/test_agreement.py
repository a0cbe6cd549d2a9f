"""Looking for bytes before reading JSON must not change what is found: a search agrees with reading everything."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.transcripts import Home, claude_message, codex_event, codex_message, codex_meta

LETTERS = st.text(alphabet='ab"\\/\n\t é🦀\x1b\x7fu0', max_size=12)
ROLES = st.sampled_from(["user", "assistant"])
LINES = st.one_of(
    st.builds(codex_message, ROLES, LETTERS),
    st.builds(codex_event, LETTERS),
    st.builds(claude_message, ROLES, LETTERS),
    st.builds(
        claude_message,
        ROLES,
        st.lists(
            st.one_of(
                st.builds(lambda text: {"type": "text", "text": text}, LETTERS),
                st.builds(lambda text: {"type": "thinking", "thinking": text}, LETTERS),
            ),
            max_size=3,
        ),
    ),
)


def said(line: dict[str, Any]) -> str:
    """What a line says, read the plain way."""
    if line.get("type") == "response_item":
        return "\n".join(block["text"] for block in line["payload"]["content"])
    content = line.get("message", {}).get("content", "")
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")


@settings(max_examples=50, deadline=None)
@given(
    lines=st.lists(
        st.tuples(LINES, st.booleans(), st.sampled_from([b"\n", b"\r\n", b"\n\n", b"\nnull\n"])), max_size=12
    ),
    query=st.one_of(LETTERS.filter(bool), st.sampled_from(["a", "u00", "\\u", '"\n"', "b/"])),
)
def test_a_search_finds_what_reading_every_line_finds(lines: list[tuple[dict[str, Any], bool, bytes]], query: str):
    raw, expected = json.dumps(codex_meta("/srv/app")).encode() + b"\n", []
    for line, ascii_only, ending in lines:
        number = raw.count(b"\n") + 1
        raw += json.dumps(line, ensure_ascii=ascii_only).encode() + ending
        if query in said(line):
            expected.append(number)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        home.write(home.codex / "x.jsonl", [raw])

        answer = home.search(query, dedupe=False)

        assert [hit["ref"]["line"] for hit in answer.result["hits"]] == expected
        for hit in answer.result["hits"]:
            opened = home.open(hit["ref"], before_lines=0, after_lines=0).result["entries"]
            assert [entry["line"] for entry in opened] == [hit["ref"]["line"]]
