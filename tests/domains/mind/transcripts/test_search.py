"""Messages are found by their text: which, where, and what of them is shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.transcripts import (
    Answer,
    Home,
    claude_message,
    codex_event,
    codex_message,
    codex_meta,
    line,
)
from thoughtbox.domains.mind.transcripts.models import TranscriptsSearch
from thoughtbox.domains.mind.transcripts.roots import Surroundings
from thoughtbox.errors import InvalidInput


def snippets(answer: Answer) -> list[str]:
    return [hit["message"]["snippet"] for hit in answer.result["hits"]]


def texts_found(home: Home, query: str, **params) -> list[str]:
    return snippets(home.search(query, **params))


def test_a_hit_names_file_line_session_project_and_message(home: Home):
    home.write_codex(("user", "hello"), ("assistant", "The cache was moved."), session="abc")

    found = home.search("cache").result

    assert list(found) == ["root_dir", "roots", "filters", "scanned", "projects", "hits", "truncated"]
    assert found["root_dir"] == str(home.codex)
    assert found["filters"] == {"cwd_prefix": "/srv/app", "dedupe": True}
    project = found["hits"][0]["project"]
    assert found["hits"] == [
        {
            "ref": {"path": "2026/05/04/rollout-2026-05-04T10-00-00-abc.jsonl", "line": 3},
            "session": {"id": "abc", "ts": "2026-05-04T10:00:00.000Z"},
            "project": {"id": project["id"], "name": "app", "confidence": 0},
            "message": {"role": "assistant", "ts": "2026-05-04T10:00:00.000Z", "snippet": "The cache was moved."},
        }
    ]
    assert found["truncated"] is False


def test_matching_is_by_case_and_on_what_was_said_only(home: Home):
    home.write_codex(
        ("assistant", "Needle one"),
        codex_event("Needle in an event"),
        {"timestamp": "2026-05-04T10:00:00Z", "type": "turn_context", "payload": {"cwd": "/Needle"}},
        {"type": "response_item", "payload": {"type": "function_call_output", "output": "Needle in an output"}},
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"type": "text", "text": "Needle"}]}},
    )

    assert texts_found(home, "Needle") == ["Needle one"]
    assert texts_found(home, "needle") == []
    assert texts_found(home, "output_text") == []


def test_blocks_of_a_message_are_lines_of_one_text(home: Home):
    content = [
        {"type": "input_text", "text": "first"},
        {"type": "input_image"},
        {"type": "input_text", "text": "second"},
    ]
    payload = {"type": "message", "role": "user", "content": content}
    home.write_codex({"timestamp": "2026-05-04T10:00:00Z", "type": "response_item", "payload": payload})

    assert texts_found(home, "first\nsecond") == ["first second"]


def test_what_claude_code_wrote_is_found_as_well(home: Home):
    blocks = [
        {"type": "thinking", "thinking": "needle thought"},
        {"type": "text", "text": "a needle said"},
        {"type": "tool_use", "name": "Bash", "input": {"command": "needle"}},
    ]
    home.write_claude(
        {"type": "summary", "summary": "Title with needle", "leafUuid": "u"},
        ("user", "needle as a plain text"),
        claude_message("assistant", blocks),
        claude_message("user", [{"type": "tool_result", "tool_use_id": "t", "content": "needle result"}]),
        claude_message("user", "needle of the client's own", isMeta=True),
        {"type": "system", "content": "needle of the system", "isMeta": False, "sessionId": "c1"},
        {"type": "api-request-blob", "sessionId": "c1", "message": {"role": "user", "content": "needle sent"}},
        {"type": "attachment", "attachment": {"text": "needle attached"}, "sessionId": "c1"},
    )

    found = home.search("needle").result["hits"]

    assert [(hit["message"]["role"], hit["message"]["snippet"]) for hit in found] == [
        ("system", "Title with needle"),
        ("user", "needle as a plain text"),
        ("assistant", "a needle said"),
        ("system", "needle of the system"),
    ]
    assert found[1]["ref"] == {"path": "-srv-app/c1.jsonl", "root": str(home.claude), "line": 3}
    assert found[1]["session"] == {"id": "c1", "ts": "2026-05-04T11:00:00.000Z"}


def test_what_a_helper_of_a_session_said_is_found(home: Home):
    said = claude_message("assistant", "needle of a helper", isSidechain=True, agentId="a1")
    home.write(home.claude / "-srv-app" / "c1" / "subagents" / "agent-a1.jsonl", [said])

    assert texts_found(home, "needle") == ["needle of a helper"]


def test_transcripts_of_the_first_releases_are_read(home: Home):
    home.write(
        home.codex / "2025" / "04" / "20" / "rollout-2025-04-20-old.jsonl",
        [
            {"id": "old", "timestamp": "2025-04-20T10:00:00Z", "instructions": "# AGENTS.md instructions for /srv/app"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "an old needle"}]},
        ],
    )

    (hit,) = home.search("needle").result["hits"]

    assert hit["session"] == {"id": "old", "ts": "2025-04-20T10:00:00Z"}
    assert hit["message"] == {"role": "user", "snippet": "an old needle"}


@pytest.mark.parametrize("escaped", [False, True], ids=["as it is", "by numbers"])
@pytest.mark.parametrize(
    "query",
    ['say "hi"', "C:\\dir\\x", "naïve", "ünï 🦀 x", "two\nlines", "tab\there", "</cwd>", '"', "a/b", "\x1b[31m"],
)
def test_a_query_is_found_however_json_spells_it(home: Home, query: str, escaped: bool):
    said = codex_message("user", f"before {query} after")
    path = home.write_codex()
    path.write_bytes(path.read_bytes() + line(said, ascii_only=escaped))

    assert [hit["ref"]["line"] for hit in home.search(query).result["hits"]] == [2]


def test_a_query_is_found_in_a_line_that_escapes_plain_letters_and_slashes(home: Home):
    raw = (
        rb'{"type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"n\u0065edle a\/b"}]}}'
    )
    path = home.write_codex()
    path.write_bytes(path.read_bytes() + raw)

    assert texts_found(home, "needle a/b") == ["needle a/b"]


def test_half_a_character_does_not_lose_the_rest_of_a_message(home: Home):
    path = home.write_codex()
    broken = (
        rb'{"type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"needle \ud83e cut"}]}}'
    )
    invalid = (
        b'{"type":"response_item","payload":{"type":"message","role":"user","content":[{"text":"needle \xff too"}]}}'
    )
    path.write_bytes(path.read_bytes() + broken + b"\n" + invalid)

    assert texts_found(home, "needle") == ["needle � cut", "needle � too"]


def test_both_clients_are_read_unless_a_root_is_named(home: Home):
    home.write_codex(("user", "needle c"))
    home.write_claude(("user", "needle a"))

    both = home.search("needle")
    assert both.result["root_dir"] == str(home.codex)
    assert both.result["roots"] == [str(home.codex), str(home.claude)]
    assert sorted(snippets(both)) == ["needle a", "needle c"]

    one = home.search("needle", root_dir=str(home.claude)).result
    assert (one["root_dir"], one["roots"]) == (str(home.claude), [str(home.claude)])
    assert [hit["ref"] for hit in one["hits"]] == [{"path": "-srv-app/c1.jsonl", "line": 2}]
    assert texts_found(home, "needle", root_dir="~/.codex/sessions") == ["needle c"]


def test_the_environment_moves_the_roots(home: Home):
    moved = Home(
        home.path, environment={"CODEX_HOME": str(home.path / "cx"), "CLAUDE_CONFIG_DIR": str(home.path / "cl")}
    )
    home.write_codex(("user", "needle where it was"))
    home.write(home.path / "cx" / "sessions" / "a.jsonl", [codex_meta("/srv/app"), codex_message("user", "needle cx")])
    home.write(home.path / "cl" / "projects" / "-srv-app" / "b.jsonl", [claude_message("user", "needle cl")])

    found = moved.search("needle").result

    assert found["root_dir"] == str(home.path / "cx" / "sessions")
    assert {hit["message"]["snippet"] for hit in found["hits"]} == {"needle cx", "needle cl"}


def test_without_any_transcripts_the_answer_is_empty_and_says_so(home: Home):
    answer = home.search("needle")

    assert answer.result["root_dir"] == str(home.codex)
    assert answer.result["roots"] == []
    assert answer.result["hits"] == []
    assert answer.result["scanned"] == {"files": 0, "bytes": 0, "truncated": False}
    assert answer.codes == ["TRANSCRIPTS_ROOT_MISSING"]


@pytest.mark.parametrize("root_dir", ["relative/path", "/nowhere/at/all", "\0", "FILE"])
def test_a_root_that_is_no_folder_is_refused(home: Home, root_dir: str):
    file = home.write_codex(("user", "x"))

    with pytest.raises(InvalidInput) as refused:
        home.search("x", root_dir=str(file) if root_dir == "FILE" else root_dir)

    assert refused.value.details == {"fields": ["root_dir"]}
    assert refused.value.recovery


def test_only_jsonl_files_are_considered(home: Home):
    lines = [codex_meta("/srv/app"), codex_message("user", "needle")]
    for name in ("a.json", "b.prompt-answer.md", "c.jsonl.bak", "d.jsonl"):
        home.write(home.codex / name, lines)

    found = home.search("needle").result

    assert [hit["ref"]["path"] for hit in found["hits"]] == ["d.jsonl"]
    assert found["scanned"]["files"] == 1


def test_only_sessions_below_the_prefix_are_searched(home: Home):
    home.write_codex(("user", "needle here"), cwd="/srv/app")
    home.write_codex(("user", "needle below"), cwd="/srv/app/sub")
    home.write_codex(("user", "needle beside"), cwd="/srv/app-2")
    home.write_codex(("user", "needle elsewhere"), cwd="/srv/other")
    home.write_codex(("user", "needle nowhere"), cwd=None)

    of_the_project = home.search("needle")
    assert sorted(snippets(of_the_project)) == ["needle below", "needle here"]
    assert of_the_project.result["filters"]["cwd_prefix"] == "/srv/app"
    # What is sent is a prefix, to the letter.
    literal = home.search("needle", cwd_prefix="/srv/app")
    assert sorted(snippets(literal)) == ["needle below", "needle beside", "needle here"]
    assert sorted(texts_found(home, "needle", cwd_prefix="/srv/app/")) == ["needle below", "needle here"]
    assert len(texts_found(home, "needle", cwd_prefix="")) == 5


def test_without_a_known_project_all_sessions_are_searched(home: Home):
    home.write_codex(("user", "needle"), cwd="/srv/other")
    home.project_root = None

    found = home.search("needle").result

    assert (len(found["hits"]), found["filters"]["cwd_prefix"]) == (1, "")


def test_a_session_is_matched_by_hints_in_its_instructions_and_early_messages(home: Home):
    def matched(name: str, meta: dict[str, Any], *lines: dict[str, Any]) -> None:
        home.write(home.codex / f"{name}.jsonl", [meta, *lines, codex_message("assistant", f"needle {name}")])

    environment = "<environment_context>\n  <cwd>/srv/app</cwd>\n  <shell>bash</shell>\n</environment_context>"
    agents = "# AGENTS.md instructions for /srv/app\n\nBe brief."
    matched("a", codex_meta(None), codex_message("user", environment))
    matched("b", codex_meta(None), codex_message("developer", agents))
    matched("c", codex_meta("/tmp", instructions=agents))
    matched("d", codex_meta("/tmp"), codex_message("user", environment))
    matched("e", codex_meta("/tmp"), codex_message("assistant", environment))
    matched("f", codex_meta("/tmp"), codex_message("user", "I was in /srv/app"))

    assert sorted(texts_found(home, "needle")) == ["needle a", "needle b", "needle c", "needle d"]


def test_a_prefix_is_matched_through_links(home: Home, tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    home.write_codex(("user", "needle"), cwd=str(real.resolve() / "sub"))

    assert texts_found(home, "needle", cwd_prefix=str(tmp_path / "link")) == ["needle"]
    home.project_root = tmp_path / "link"
    assert texts_found(home, "needle") == ["needle"]


def test_folders_of_claude_code_that_are_named_after_other_projects_are_not_opened(home: Home):
    home.write_claude(("user", "needle"), cwd="/srv/app")
    home.write_claude(("user", "needle beside"), cwd="/srv/app_2")
    for number in range(5):
        home.write_claude(("user", "needle other"), cwd=f"/srv/other{number}")

    found = home.search("needle")

    assert snippets(found) == ["needle"]
    assert found.result["scanned"]["files"] == 2, "app_2 could be a folder in app, by its name"


def test_a_folder_name_that_was_shortened_is_opened(home: Home):
    long = "/srv/" + "deep/" * 60 + "app"
    home.project_root = None
    name = long.replace("/", "-")[:200] + "-1x2y3z"
    home.write(home.claude / name / "c.jsonl", [claude_message("user", "needle", cwd=long)])

    assert texts_found(home, "needle", cwd_prefix=long) == ["needle"]


def test_a_role_can_be_asked_for(home: Home):
    home.write_codex(("user", "needle u"), ("assistant", "needle a"), ("system", "needle s"))

    found = home.search("needle", role="assistant")

    assert snippets(found) == ["needle a"]
    assert found.result["filters"] == {"cwd_prefix": "/srv/app", "role": "assistant", "dedupe": True}


def test_a_message_that_files_repeat_is_shown_once_unless_all_are_wanted(home: Home):
    home.write_codex(("user", "needle same"), ("assistant", "needle same"), at="2026-05-04T10-00-00", session="old")
    home.write_codex(("user", "needle same"), ("user", "needle same"), at="2026-05-05T10-00-00", session="new")
    home.write_codex(("user", "needle same"), cwd="/srv/app/sub", at="2026-05-03T10-00-00", session="sub")

    once = home.search("needle").result["hits"]
    assert [(hit["session"]["id"], hit["message"]["role"]) for hit in once] == [
        ("new", "user"),
        ("old", "assistant"),
        ("sub", "user"),  # it is another project, as far as one can tell
    ]
    assert len(home.search("needle", dedupe=False).result["hits"]) == 5


def test_projects_are_known_by_their_repository_or_manifest(home: Home, tmp_path):
    for name, marker in (("repo", ".git"), ("crate", "Cargo.toml"), ("plain", None)):
        (tmp_path / name / "src").mkdir(parents=True)
        if marker:
            (tmp_path / name / marker).touch()
        home.write_codex(("user", f"needle {name}"), ("user", f"needle again {name}"), cwd=str(tmp_path / name / "src"))
    (tmp_path / "repo" / "src" / "package.json").touch()

    found = home.search("needle", cwd_prefix=str(tmp_path)).result

    by_name = {project["name"]: project for project in found["projects"]}
    assert {name: (p["confidence"], p["files"], p["hits"]) for name, p in by_name.items()} == {
        "repo": (95, 1, 2),
        "crate": (60, 1, 2),
        "src": (0, 1, 2),
    }
    assert all(len(project["id"]) == 16 and int(project["id"], 16) for project in found["projects"])
    assert {hit["project"]["id"] for hit in found["hits"]} == {project["id"] for project in found["projects"]}


def test_a_projects_id_is_the_fnv_hash_of_its_root(home: Home):
    home.write_codex(("user", "needle"), cwd="/a")

    (project,) = home.search("needle", cwd_prefix="/a").result["projects"]

    def fnv1a(text: bytes) -> int:
        value = 14695981039346656037
        for byte in text:
            value = ((value ^ byte) * 1099511628211) & 0xFFFFFFFFFFFFFFFF
        return value

    assert project["id"] == f"{fnv1a(b'/a'):016x}"


@pytest.mark.parametrize("context_chars", [16, 40, 240])
def test_a_snippet_is_one_line_of_the_length_asked_for_around_what_was_found(home: Home, context_chars: int):
    home.write_codex(("user", "word \n\t " * 500 + "needle" + " \r\n after" * 500))

    (found,) = texts_found(home, "needle", context_chars=context_chars)

    assert len(found) == context_chars
    assert "needle" in found
    assert (found[0], found[-1]) == ("…", "…")
    assert found == " ".join(found.split())
    before, after = found.split("needle")
    assert abs(len(before) - len(after)) <= 1


def test_a_snippet_of_a_short_message_is_the_message(home: Home):
    home.write_codex(("user", "  just a\nneedle "))
    assert texts_found(home, "needle") == ["just a needle"]


def test_a_snippet_holds_the_beginning_of_a_query_that_is_longer_than_it(home: Home):
    home.write_codex(("user", "abcdefghij" * 10))
    assert texts_found(home, "abcdefghij" * 10, context_chars=16) == ["abcdefghijabcdef"]


def test_a_snippet_is_safe_to_display(home: Home):
    home.write_codex(("user", "\x1b[31mred\x1b[0m needle \x07bell \u202egnol\x00"))
    assert texts_found(home, "needle") == ["red needle bell gnol"]


def test_secrets_are_taken_out_before_a_snippet_is_cut(home: Home):
    home.write_codex(("user", "a" * 30 + " SECRET-0123456789 needle SECRET-9876543210 " + "b" * 30))

    def redact(text: str) -> str:
        return text.replace("SECRET-0123456789", "<gone>").replace("SECRET-9876543210", "<gone>")

    surroundings = Surroundings(home.path, {}, None, redact=redact)
    params = {"query": "needle", "context_chars": 30}
    (hit,) = home.call("transcripts_search", params, surroundings).result["hits"]

    assert "needle" in hit["message"]["snippet"]
    assert "SECRET" not in hit["message"]["snippet"]
    (inside,) = home.call("transcripts_search", params | {"query": "0123456789"}, surroundings).result["hits"]
    assert "0123" not in inside["message"]["snippet"]


def test_no_more_files_are_opened_than_allowed_and_the_newest_are(home: Home):
    for day in range(1, 10):
        home.write_codex(("user", f"needle {day}"), at=f"2026-05-0{day}T10-00-00")

    answer = home.search("needle", max_files=3)

    assert snippets(answer) == ["needle 9", "needle 8", "needle 7"]
    assert answer.result["scanned"]["files"] == 3
    assert answer.result["scanned"]["truncated"] is False
    assert answer.codes == ["TRANSCRIPTS_MAX_FILES_REACHED"]
    (retry,) = answer.suggestions
    assert retry["params"] == {"query": "needle", "max_files": 12}
    assert len(home.call(retry["target"], retry["params"]).result["hits"]) == 9
    assert home.search("needle", max_files=9).codes == []


def test_exactly_as_many_bytes_are_read_as_allowed(home: Home):
    for day in range(1, 6):
        home.write_codex(
            *[("user", f"needle {day} {number} " + "x" * 500) for number in range(100)], at=f"2026-05-0{day}T10-00-00"
        )
    sizes = [path.stat().st_size for path in sorted(home.codex.rglob("*.jsonl"), reverse=True)]

    for allowed in (1, 1000, sizes[0] - 1, sizes[0] + 1, sum(sizes) - 1):
        answer = home.search("needle", max_bytes_total=allowed, hits_limit=500)
        assert answer.result["scanned"]["bytes"] == allowed
        assert answer.result["scanned"]["truncated"] is True
        assert answer.codes == ["TRANSCRIPTS_SCAN_TRUNCATED"]
        assert answer.suggestions[0]["params"]["max_bytes_total"] == 4 * allowed
    whole = home.search("needle", max_bytes_total=sum(sizes), hits_limit=500)
    assert whole.result["scanned"] == {"files": 5, "bytes": sum(sizes), "truncated": False}
    assert (len(whole.result["hits"]), whole.codes) == (500, ["TRANSCRIPTS_HITS_LIMIT_REACHED"])


def test_what_was_read_before_the_bytes_ran_out_is_searched(home: Home):
    path = home.write_codex(("user", "needle first"), ("user", "needle second"))
    until = path.read_bytes().index(b"second")

    assert texts_found(home, "needle", max_bytes_total=until) == ["needle first"]


def test_a_file_of_another_project_costs_no_more_than_its_beginning(home: Home):
    home.write_codex(("user", "x" * 400_000), cwd="/srv/other")
    assert home.search("x").result["scanned"]["bytes"] == 16 * 1024
    home.write(home.codex / "a.jsonl", [codex_message("user", "x" * 400_000)])
    assert home.search("x").result["scanned"]["bytes"] == (16 + 128) * 1024


def test_a_long_first_line_is_read_to_where_it_says_where_the_session_ran(home: Home):
    meta = codex_meta("/srv/app", base_instructions={"text": "y" * 60_000})
    home.write(home.codex / "a.jsonl", [meta, codex_message("user", "needle")])

    assert texts_found(home, "needle") == ["needle"]


def test_the_search_ends_when_enough_was_found_and_says_so(home: Home):
    home.write_codex(*[("user", f"needle {number}") for number in range(30)])

    answer = home.search("needle")

    assert snippets(answer) == [f"needle {number}" for number in range(25)]
    assert answer.codes == ["TRANSCRIPTS_HITS_LIMIT_REACHED"]
    (retry,) = answer.suggestions
    assert len(home.call(retry["target"], retry["params"]).result["hits"]) == 30


def test_files_are_read_from_the_newest_by_name_and_else_by_their_last_change(home: Home):
    home.write_codex(("user", "needle 1"), at="2026-05-01T10-00-00", session="z")
    home.write_codex(("user", "needle 3"), at="2026-05-03T10-00-00", session="a")
    home.write_codex(("user", "needle 3 too"), at="2026-05-03T10-00-00", session="b")
    second_of_may = 1_777_723_200
    home.write_claude(("user", "needle 2"), session="c", mtime=second_of_may)
    home.write_claude(("user", "needle 4"), session="b", mtime=second_of_may + 3 * 86_400)

    expected = ["needle 4", "needle 3 too", "needle 3", "needle 2", "needle 1"]
    assert texts_found(home, "needle") == expected


def test_the_same_call_gives_the_same_bytes(home: Home):
    for number in range(6):
        home.write_codex(("user", f"needle {number % 2}"), cwd=f"/srv/app/{number % 3}", at="2026-05-01T10-00-00")
        home.write_claude(("assistant", f"needle {number}"), cwd=f"/srv/app/{number % 3}", session=f"c{number}")

    answers = {json.dumps(home.search("needle", max_files=7).result) for _ in range(3)}

    assert len(answers) == 1


def test_reading_leaves_files_as_they_were(home: Home):
    path = home.write_codex(("assistant", "Summary: needle"))
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(home.path.rglob("*")))

    home.open(home.search("needle").result["hits"][0]["ref"])
    home.digest()

    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(home.path.rglob("*"))) == before


def test_the_defaults_are_those_of_the_contract():
    call = TranscriptsSearch(query="x")
    assert (call.max_files, call.max_bytes_total, call.hits_limit) == (50, 64 * 1024 * 1024, 25)
    assert (call.context_chars, call.dedupe, call.role, call.root_dir, call.cwd_prefix) == (240, True, None, None, None)


@pytest.mark.parametrize(
    "wrong",
    [{"query": ""}, {"max_files": 0}, {"max_bytes_total": 0}, {"hits_limit": 0}, {"context_chars": 1}, {"rol": "user"}],
)
def test_arguments_out_of_range_or_unknown_are_refused(wrong: dict[str, Any]):
    with pytest.raises(ValidationError):
        TranscriptsSearch.model_validate({"query": "x", **wrong})
