"""A digest tells what happened before: one message a session, from the ends of the files."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from tests.support.transcripts import Answer, Home, claude_message, codex_message, codex_meta, line
from thoughtbox.domains.mind.transcripts.models import TranscriptsDigest
from thoughtbox.domains.mind.transcripts.roots import Surroundings
from thoughtbox.domains.mind.transcripts.summaries import looks_like_summary

KIB = 1024


def texts(answer: Answer) -> list[str]:
    return [item["message"]["text"] for item in answer.result["digest"]]


def test_the_last_summary_of_each_session_is_shown_the_newest_first(home: Home):
    for day in (1, 3, 2):
        home.write_codex(
            ("user", "Summary: not by the assistant"),
            ("assistant", f"Summary: early {day}"),
            ("assistant", f"## Summary\nDay {day}"),
            ("assistant", "ok"),
            at=f"2026-05-0{day}T10-00-00",
        )

    answer = home.digest()

    assert list(answer.result) == ["root_dir", "roots", "filters", "scanned", "digest", "truncated"]
    assert answer.result["filters"] == {"cwd_prefix": "/srv/app", "mode": "summary"}
    assert texts(answer) == ["## Summary\nDay 3", "## Summary\nDay 2", "## Summary\nDay 1"]
    first = answer.result["digest"][0]
    assert first["session"] == {"id": "s2", "ts": "2026-05-04T10:00:00.000Z"}
    assert (first["message"]["role"], first["message"]["ts"]) == ("assistant", "2026-05-03T10:00:00.000Z")
    raw = (home.codex / first["ref"]["path"]).read_bytes()
    last = line(codex_message("assistant", "## Summary\nDay 3", ts="2026-05-03T10:00:00.000Z"))
    assert raw[first["ref"]["byte"] :].startswith(last)
    assert answer.result["truncated"] is False


def test_the_last_message_of_each_session_is_shown_on_request(home: Home):
    home.write_codex(("assistant", "Summary: x"), ("assistant", "the last"), ("user", "thanks"))
    home.write_claude(("assistant", "of the other"), claude_message("user", "bye"))

    answer = home.digest(mode="last")

    assert sorted(texts(answer)) == ["of the other", "the last"]
    assert answer.result["filters"]["mode"] == "last"


def test_only_sessions_of_the_project_are_digested_by_the_same_hints_as_a_search(home: Home):
    home.write_codex(("assistant", "Summary: here"))
    home.write_codex(("assistant", "Summary: elsewhere"), cwd="/srv/other")
    hint = codex_message("user", "<cwd>/srv/app</cwd>")
    home.write(home.codex / "h.jsonl", [codex_meta(None), hint, codex_message("assistant", "Summary: by a hint")])

    assert sorted(texts(home.digest())) == ["Summary: by a hint", "Summary: here"]
    assert texts(home.digest(cwd_prefix="/srv/oth")) == ["Summary: elsewhere"]
    assert len(texts(home.digest(cwd_prefix=""))) == 3


def test_what_helpers_said_is_no_digest(home: Home):
    aside = claude_message("assistant", "Summary: of a helper", isSidechain=True)
    home.write_claude(("assistant", "Summary: of the session"), aside)
    home.write(home.claude / "-srv-app" / "c1" / "subagents" / "agent-a.jsonl", [aside | {"isSidechain": False}])

    answer = home.digest()

    assert texts(answer) == ["Summary: of the session"]
    assert answer.result["scanned"]["files"] == 1


def test_a_text_that_sessions_repeat_is_shown_once(home: Home):
    home.write_codex(("assistant", "Summary:  the   same\n"), at="2026-05-01T10-00-00", session="old")
    home.write_codex(("assistant", "Summary: the same"), at="2026-05-02T10-00-00", session="new")
    long = "Summary: " + "x" * 4090
    home.write_codex(("assistant", long + "a"), at="2026-05-01T09-00-00")
    home.write_codex(("assistant", long + "b"), at="2026-05-01T08-00-00")

    found = home.digest().result["digest"]

    assert [item["session"]["id"] for item in found] == ["new", "s3"]


def test_a_text_is_at_most_twelve_thousand_bytes(home: Home):
    home.write_codex(("assistant", "Summary: " + "é" * 10_000))

    (text,) = texts(home.digest())

    assert 11_990 <= len(text.encode()) <= 12_000
    assert text.endswith("é…")


def test_no_more_items_are_shown_than_asked_for(home: Home):
    for day in range(1, 31):
        home.write_codex(("assistant", f"Summary: {day}"), at=f"2026-05-{day:02}T10-00-00")

    assert texts(home.digest()) == [f"Summary: {day}" for day in range(30, 24, -1)]
    assert texts(home.digest(max_items=1)) == ["Summary: 30"]
    # Enough is enough: three times as many sessions as items are looked at, for the newest among them.
    assert home.digest(max_items=2).result["scanned"]["files"] == 6


def test_items_are_ordered_by_message_then_session_then_path(home: Home):
    def write(name: str, text: str, ts: str | None, session_ts: str | None) -> None:
        meta = codex_meta("/srv/app", session=name)
        meta["payload"]["timestamp"] = meta["timestamp"] = session_ts
        home.write(
            home.codex / f"{name}.jsonl", [meta, codex_message("assistant", f"Summary: {text}") | {"timestamp": ts}]
        )

    write("a", "third", "2026-05-01T10:00:00Z", None)
    write("b", "first", "2026-05-03T10:00:00+02:00", "2026-01-01T10:00:00Z")
    write("c", "second", None, "2026-05-02T10:00:00Z")
    write("d", "last", None, None)
    write("e", "last but one", "yesterday", None)

    found = home.digest()

    assert texts(found) == [f"Summary: {text}" for text in ("first", "second", "third", "last but one", "last")]
    assert "ts" not in found.result["digest"][3]["message"]


def test_only_the_ends_of_a_large_file_are_read(home: Home):
    filler = [("user", "x" * 10_000)] * 300
    home.write_codex(*filler, ("assistant", "Summary: at the end"), ("user", "ok"))

    answer = home.digest()

    assert texts(answer) == ["Summary: at the end"]
    assert answer.result["scanned"]["bytes"] == (16 + 128) * KIB
    opened = home.open(answer.result["digest"][0]["ref"], before_lines=0, after_lines=0)
    assert [entry["text"] for entry in opened.result["entries"]] == ["Summary: at the end"]


def test_a_summary_further_up_is_looked_for_once_more_and_no_further(home: Home):
    chunk = ("user", "x" * 10_000)
    home.write_codex(*[chunk] * 200, ("assistant", "Summary: 500 KB up"), *[chunk] * 50, at="2026-05-02T10-00-00")
    path = home.write_codex(("assistant", "Summary: 2 MB up"), *[chunk] * 200, at="2026-05-01T10-00-00")

    answer = home.digest()

    assert texts(answer) == ["Summary: 500 KB up"]
    assert answer.result["scanned"]["bytes"] == 2 * (16 + 1024) * KIB
    assert path.stat().st_size > 2_000_000


def test_no_byte_of_a_small_file_is_read_twice(home: Home):
    sizes = [
        home.write_codex(("assistant", f"Summary: {n}"), ("user", "x" * n), at=f"2026-05-0{1 + n % 9}T10-00-00")
        .stat()
        .st_size
        for n in (10, 14_000, 18_001, 100_002, 150_003)
    ]

    answer = home.digest()

    assert answer.result["scanned"] == {"files": 5, "bytes": sum(sizes), "truncated": False}
    assert len(texts(answer)) == 5


def test_exactly_as_many_bytes_are_read_as_allowed_and_the_end_of_a_file_first(home: Home):
    home.write_codex(*[("user", "x" * 1_000)] * 100, ("assistant", "Summary: at the end"))

    answer = home.digest(max_bytes_total=20_000)

    assert answer.result["scanned"] == {"files": 1, "bytes": 20_000, "truncated": True}
    assert texts(answer) == ["Summary: at the end"]
    assert answer.codes == ["TRANSCRIPTS_SCAN_TRUNCATED"]


def test_an_empty_digest_after_a_truncated_scan_says_how_to_get_one(home: Home):
    for day in range(1, 4):
        home.write_codex(*[("user", "x" * 1_000)] * 100, ("assistant", f"fine {day}"), at=f"2026-05-0{day}T10-00-00")

    answer = home.digest(max_bytes_total=30_000, workspace="w")

    assert answer.result["digest"] == []
    assert answer.result["scanned"]["truncated"] is True
    assert answer.codes == ["TRANSCRIPTS_SCAN_TRUNCATED"]
    assert [retry["params"] for retry in answer.suggestions] == [
        {"workspace": "w", "max_bytes_total": 120_000},
        {"workspace": "w", "max_bytes_total": 30_000, "mode": "last"},
    ]
    for retry in answer.suggestions:
        assert (retry["action"], retry["validated"], retry["target"]) == ("call_tool", True, "transcripts_digest")
        home.call(retry["target"], retry["params"])
    assert texts(home.call("transcripts_digest", answer.suggestions[1]["params"])) == ["fine 3"]


def test_no_more_files_are_opened_than_allowed(home: Home):
    for day in range(1, 6):
        home.write_codex(("assistant", "fine"), at=f"2026-05-0{day}T10-00-00")

    answer = home.digest(max_files=2)

    assert answer.result["scanned"]["files"] == 2
    assert answer.codes == ["TRANSCRIPTS_MAX_FILES_REACHED"]
    assert answer.suggestions[0]["params"] == {"max_files": 8}


def test_a_digest_suggests_to_open_its_newest_item(home: Home):
    home.write_claude(("assistant", "Summary: x"))
    answer = home.digest(workspace="w")

    (suggested,) = answer.suggestions
    assert (suggested["target"], suggested["priority"]) == ("transcripts_open", "low")
    opened = home.call(suggested["target"], suggested["params"]).result
    assert [entry["text"] for entry in opened["entries"]] == ["Summary: x"]


@pytest.mark.parametrize(
    "text",
    [
        "Summary: all tests pass",
        "summary\n- a\n- b",
        "Done.\n\n**Summary**\n- moved the cache",
        "In summary, it works.",
        "Here is a short summary: it works.",
        "### Work summary",
        "TL;DR it works",
        "The fix is in (tl;dr below).",
        "It is merged.\nIn short, done.",
        "In short: done",
        "## What was done\n1. x",
        "What was done:\n1. x",
        "Merged.\nNext steps:\n- release",
        "**Next steps**\n- release",
        "Result: green",
        "- **Results:** green",
        "# Results",
    ],
)
def test_english_markers_make_a_summary(text: str):
    assert looks_like_summary(text)


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "I'll summarize later.",
        "Running the tests as a result of that change",
        "The result-set is empty",
        "I read the summary page and went on",
        "This will be done in short order",
        "Let me look at what was done there",
        "consummary: no",
    ],
)
def test_a_word_in_passing_makes_no_summary(text: str):
    assert not looks_like_summary(text)


def test_markers_of_ones_own_make_a_summary(home: Home):
    home.write_codex(("assistant", "Итог: всё готово"))
    assert texts(home.digest()) == []

    home.markers = ("итог:", " ")

    assert texts(home.digest()) == ["Итог: всё готово"]
    assert not looks_like_summary("anything at all", (" ", ""))


def test_secrets_are_taken_out_of_a_digest(home: Home):
    home.write_codex(("assistant", "Summary: \x1b[1mSECRET"))
    surroundings = Surroundings(home.path, {}, None, redact=lambda text: text.replace("SECRET", "<gone>"))

    assert texts(home.call("transcripts_digest", {}, surroundings)) == ["Summary: <gone>"]


def test_the_same_digest_gives_the_same_bytes(home: Home):
    for number in range(8):
        home.write_codex(("assistant", f"Summary: {number}"), at="2026-05-01T10-00-00")
        home.write_claude(("assistant", f"Summary: c{number}"), session=f"c{number}")

    assert len({json.dumps(home.digest().result) for _ in range(3)}) == 1


def test_the_defaults_of_a_digest_are_those_of_the_contract():
    call = TranscriptsDigest()
    assert (call.max_files, call.max_bytes_total, call.max_items, call.mode) == (720, 16 * 1024 * KIB, 6, "summary")
    with pytest.raises(ValidationError):
        TranscriptsDigest.model_validate({"mode": "first"})
