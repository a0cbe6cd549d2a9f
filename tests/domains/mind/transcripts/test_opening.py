"""A reference opens one line of a transcript, with what was said around it."""

from __future__ import annotations

import json
import os

import pytest

from tests.support.transcripts import Answer, Home, claude_message, codex_event, codex_message, codex_meta, line
from thoughtbox.domains.mind.transcripts import lines, opening
from thoughtbox.domains.mind.transcripts.models import TranscriptsOpen
from thoughtbox.domains.mind.transcripts.roots import Surroundings
from thoughtbox.errors import InvalidInput
from thoughtbox.operations.budget import fit


def texts(answer: Answer) -> list[str]:
    return [entry["text"] for entry in answer.result["entries"]]


@pytest.fixture
def path(home: Home) -> str:
    """A session with twenty messages, on lines 2 to 21, as its path below the root."""
    file = home.write_codex(*[("user" if n % 2 else "assistant", f"message {n}") for n in range(2, 22)], session="abc")
    return str(file.relative_to(home.codex))


def byte_of(home: Home, path: str, text: str) -> int:
    raw = (home.codex / path).read_bytes()
    return raw.rindex(b"\n", 0, raw.index(text.encode())) + 1


def test_a_line_is_opened_with_eight_lines_before_and_after(home: Home, path: str):
    found = home.open({"path": path, "line": 12}).result

    assert list(found) == ["root_dir", "ref", "session", "project", "entries", "truncated"]
    assert found["root_dir"] == str(home.codex)
    assert found["ref"] == {"path": path, "line": 12}
    assert found["session"] == {"id": "abc", "ts": "2026-05-04T10:00:00.000Z", "cwd": "/srv/app"}
    assert (found["project"]["name"], found["project"]["confidence"]) == ("app", 0)
    assert [(entry["line"], entry["text"]) for entry in found["entries"]] == [
        (number, f"message {number}") for number in range(4, 21)
    ]
    assert found["entries"][0] == {
        "line": 4,
        "byte": byte_of(home, path, "message 4"),
        "role": "assistant",
        "ts": "2026-05-04T10:00:00.000Z",
        "text": "message 4",
    }
    assert found["truncated"] is False


def test_a_byte_opens_the_same_window_as_its_line(home: Home, path: str):
    by_line = home.open({"path": path, "line": 12}, before_lines=2, after_lines=3)
    by_byte = home.open({"path": path, "byte": byte_of(home, path, "message 12")}, before_lines=2, after_lines=3)

    assert texts(by_byte) == texts(by_line) == [f"message {number}" for number in range(10, 16)]
    assert [entry["byte"] for entry in by_byte.result["entries"]] == [
        entry["byte"] for entry in by_line.result["entries"]
    ]
    assert by_byte.codes == []


def test_the_window_ends_where_the_file_does(home: Home, path: str):
    assert texts(home.open({"path": path, "line": 2}, before_lines=5, after_lines=0)) == ["message 2"]
    assert texts(home.open({"path": path, "line": 21}, before_lines=0, after_lines=9)) == ["message 21"]
    assert texts(home.open({"path": path, "byte": 0}, after_lines=1)) == ["message 2"]


def test_lines_without_a_message_are_left_out_but_counted(home: Home):
    file = home.write_codex(("user", "one"), codex_event("two"), ("user", "three"))
    found = home.open({"path": str(file.relative_to(home.codex)), "line": 3}, before_lines=1, after_lines=1)

    assert [(entry["line"], entry["text"]) for entry in found.result["entries"]] == [(2, "one"), (4, "three")]
    assert found.suggestions == [], "there is nothing to keep on the line itself"


def test_every_reference_that_is_handed_out_opens_as_it_stands(home: Home):
    home.write_codex(("assistant", "Summary: needle of one"))
    home.write_claude(("assistant", "Summary: needle of the other"))

    for root in ({}, {"root_dir": str(home.claude)}):
        refs = [hit["ref"] for hit in home.search("needle", **root).result["hits"]]
        refs += [item["ref"] for item in home.digest(**root).result["digest"]]
        assert len(refs) == (2 if root else 4)
        for ref in refs:
            opened = home.open(ref, before_lines=0, after_lines=0, **root)
            assert "needle" in texts(opened)[0]
            assert opened.codes == []
            again = home.open(opened.result["ref"], root_dir=opened.result["root_dir"])
            assert set(texts(opened)) <= set(texts(again))


def test_a_path_without_its_root_is_looked_for_in_both(home: Home, path: str):
    home.write_claude(("user", "of the other"))

    assert texts(home.open({"path": "-srv-app/c1.jsonl", "line": 2})) == ["of the other"]
    assert texts(home.open({"path": str(home.claude / "-srv-app" / "c1.jsonl"), "line": 2})) == ["of the other"]


@pytest.mark.parametrize("place", [{}, {"line": 1, "byte": 0}, {"line": 2, "byte": 7}])
def test_exactly_one_of_line_and_byte_is_needed(home: Home, path: str, place: dict[str, int]):
    with pytest.raises(InvalidInput) as refused:
        home.open({"path": path, **place})

    assert refused.value.details["fields"] == ["ref.line", "ref.byte"]
    assert refused.value.details["hints"][0]["kind"] == "choose_one"


@pytest.mark.parametrize(
    "wrong",
    ["../outside.jsonl", "2026/../../outside.jsonl", "ABSOLUTE", "link.jsonl", "folder/outside.jsonl", ".", "..", "\0"],
)
def test_a_path_that_leads_out_of_the_root_is_refused(home: Home, path: str, wrong: str):
    outside = home.write(home.path / "outside.jsonl", [codex_meta("/srv/app"), codex_message("user", "secret")])
    home.write(home.path / ".codex" / "outside.jsonl", [codex_message("user", "secret")])
    (home.codex / "link.jsonl").symlink_to(outside)
    (home.codex / "folder").symlink_to(home.path)

    with pytest.raises(InvalidInput) as refused:
        home.open({"path": str(outside) if wrong == "ABSOLUTE" else wrong, "line": 1})

    assert "leads out" in refused.value.message
    assert refused.value.details == {"fields": ["ref.path"]}


def test_a_link_that_stays_inside_of_the_root_may_be_opened(home: Home, path: str):
    (home.codex / "same.jsonl").symlink_to(home.codex / path)

    found = home.open({"path": "same.jsonl", "line": 2}, after_lines=0)

    assert (texts(found), found.result["ref"]["path"]) == (["message 2"], path)


def test_a_root_that_is_a_link_is_resolved(home: Home, path: str, tmp_path):
    (tmp_path / "link").symlink_to(home.codex)

    found = home.open({"path": path, "line": 2}, root_dir=str(tmp_path / "link"), after_lines=0)

    assert (texts(found), found.result["root_dir"]) == (["message 2"], str(home.codex))


@pytest.mark.parametrize("wrong", ["gone.jsonl", "folder.jsonl", "pipe.jsonl", "notes.txt"])
def test_what_is_no_transcript_is_refused(home: Home, path: str, wrong: str):
    (home.codex / "folder.jsonl").mkdir()
    os.mkfifo(home.codex / "pipe.jsonl")
    home.write(home.codex / "notes.txt", [codex_message("user", "secret")])

    with pytest.raises(InvalidInput, match="no transcript"):
        home.open({"path": wrong, "line": 1})


def test_a_transcript_is_refused_when_there_are_none(home: Home):
    with pytest.raises(InvalidInput, match="no transcript"):
        home.open({"path": "a.jsonl", "line": 1})


def test_a_line_or_byte_behind_the_end_is_refused(home: Home, path: str):
    size = (home.codex / path).stat().st_size
    with pytest.raises(InvalidInput, match="has 21 lines"):
        home.open({"path": path, "line": 22})
    with pytest.raises(InvalidInput, match=f"has {size} bytes"):
        home.open({"path": path, "byte": size})
    home.write(home.codex / "empty.jsonl", [])
    with pytest.raises(InvalidInput, match="has 0 lines"):
        home.open({"path": "empty.jsonl", "line": 1})
    home.write(home.codex / "open.jsonl", [line(codex_meta("/srv/app")), line(codex_message("user", "last"))[:-1]])
    with pytest.raises(InvalidInput, match="has 2 lines"):
        home.open({"path": "open.jsonl", "line": 3})
    assert texts(home.open({"path": "open.jsonl", "line": 2})) == ["last"]


def test_a_byte_inside_of_a_line_opens_that_line_with_a_warning(home: Home, path: str):
    byte = byte_of(home, path, "message 9")

    found = home.open({"path": path, "byte": byte + 17}, before_lines=0, after_lines=0)

    assert texts(found) == ["message 9"]
    assert found.codes == ["TRANSCRIPTS_REF_NOT_EXACT"]
    assert found.result["ref"] == {"path": path, "byte": byte}
    assert f"ref.byte={byte}" in found.warnings[0].recovery


def test_a_root_in_the_reference_that_is_not_the_root_of_the_call_is_refused(home: Home, path: str):
    home.write_claude(("user", "x"))
    with pytest.raises(InvalidInput, match="different folders"):
        home.open({"path": path, "root": str(home.claude), "line": 1}, root_dir=str(home.codex))


def test_within_any_budget_what_is_left_of_a_reference_still_opens(home: Home):
    claude = home.path / ("moved " * 20) / "claude"
    moved = Home(home.path / ("long " * 40), environment={"CLAUDE_CONFIG_DIR": str(claude)})
    path = claude / "projects" / "-srv-app" / "c1.jsonl"
    home.write(path, [claude_message("assistant", f"Summary: needle {number}") for number in range(25)])
    found, digested = moved.search("needle").result, moved.digest().result

    opened = 0
    for max_chars in range(200, len(json.dumps(found)), 100):
        for answer, block in ((found, "hits"), (digested, "digest")):
            shown = fit(answer, max_chars, newest_first=("hits", "digest", "projects")).answer
            assert shown["budget"]["used_chars"] <= max_chars
            for item in shown.get(block, []):
                if "ref" in item:
                    assert moved.open(item["ref"]).result["entries"]
                    opened += 1
            if shown["budget"]["truncated"] and block in shown:
                assert shown["truncated"] is True
    assert opened > 100


def test_a_note_that_keeps_what_was_opened_is_suggested(home: Home, path: str):
    answer = home.open({"path": path, "line": 12}, workspace="w")

    (capture,) = answer.suggestions
    assert (capture["action"], capture["target"], capture["priority"]) == ("call_tool", "macro_branch_note", "low")
    assert capture["validated"] is True
    assert capture["params"] == {
        "workspace": "w",
        "title": "From a transcript: assistant, 2026-05-04T10:00:00.000Z",
        "content": "message 12",
        "meta": {
            "transcript": {
                "root_dir": str(home.codex),
                "path": path,
                "byte": byte_of(home, path, "message 12"),
                "session_id": "abc",
            }
        },
    }


def test_a_long_message_is_cut_and_marked(home: Home):
    file = home.write_codex(("user", "é" * 40_000), ("user", "short"))

    found = home.open({"path": str(file.relative_to(home.codex)), "line": 2}).result

    long, short = found["entries"]
    assert len(long["text"].encode()) <= opening.LONGEST_ENTRY
    assert long["text"].endswith("é…")
    assert (long["cut"], "cut" in short, found["truncated"]) == (True, False, True)


def test_lines_longer_than_can_be_held_are_passed_over(home: Home):
    big = codex_message("user", "x" * (lines.LONGEST_LINE + 1))
    file = home.write_codex(("user", "before"), big, ("user", "after"), ("user", "needle"))
    path = str(file.relative_to(home.codex))

    assert [hit["ref"]["line"] for hit in home.search("needle").result["hits"]] == [5]
    assert texts(home.open({"path": path, "line": 4}, before_lines=2)) == ["before", "after", "needle"]
    assert texts(home.open({"path": path, "line": 3}, before_lines=0, after_lines=0)) == []


def test_a_window_beyond_what_is_read_around_a_line_says_so(home: Home, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(opening, "WINDOW", 100_000)
    file = home.write_codex(*[("user", f"{number} " + "x" * 20_000) for number in range(40)])
    path = str(file.relative_to(home.codex))

    found = home.open({"path": path, "line": 20}, before_lines=15, after_lines=15).result

    assert found["truncated"] is True
    numbers = [entry["line"] for entry in found["entries"]]
    assert 20 in numbers
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert len(numbers) < 31
    huge = home.write_codex(("user", "y" * 300_000), session="huge")
    with pytest.raises(InvalidInput, match="longer than"):
        home.open({"path": str(huge.relative_to(home.codex)), "byte": 250_000})


def test_secrets_and_control_characters_are_taken_out_of_what_is_opened(home: Home):
    file = home.write_codex(("user", "\x1b[1mbold\x1b[0m\nSECRET"))
    surroundings = Surroundings(home.path, {}, None, redact=lambda text: text.replace("SECRET", "<gone>"))

    answer = home.call(
        "transcripts_open", {"ref": {"path": str(file.relative_to(home.codex)), "line": 2}}, surroundings
    )

    assert texts(answer) == ["bold\n<gone>"]
    assert answer.suggestions[0]["params"]["content"] == "bold\n<gone>"


def test_what_claude_code_wrote_is_opened(home: Home):
    home.write_claude(("user", "do it"), claude_message("assistant", [{"type": "text", "text": "done"}]))

    found = home.open({"path": "-srv-app/c1.jsonl", "root": str(home.claude), "line": 3})

    assert [(entry["role"], entry["text"]) for entry in found.result["entries"]] == [
        ("user", "do it"),
        ("assistant", "done"),
    ]
    assert found.result["session"] == {"id": "c1", "ts": "2026-05-04T11:00:00.000Z", "cwd": "/srv/app"}


def test_the_defaults_of_opening_are_eight_lines_each_way():
    call = TranscriptsOpen.model_validate({"ref": {"path": "a", "line": 1}})
    assert (call.before_lines, call.after_lines, call.max_chars) == (8, 8, None)
    assert json.loads(call.model_dump_json())["ref"]["byte"] is None
