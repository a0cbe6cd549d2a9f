"""Whatever lies below a root: it is never followed outside, never waited for, and never the end of a call."""

from __future__ import annotations

import os
from pathlib import Path, PurePath

import pytest

from tests.support.transcripts import Home, codex_message, codex_meta
from thoughtbox.domains.mind.transcripts import listing
from thoughtbox.domains.mind.transcripts.files import Allowance, opened
from thoughtbox.domains.mind.transcripts.models import TranscriptsSearch
from thoughtbox.domains.mind.transcripts.scan import Scan


def hits(home: Home, query: str = "needle") -> list[str]:
    return [hit["message"]["snippet"] for hit in home.search(query, dedupe=False).result["hits"]]


DEEP = b'{"payload":' * 5_000 + b"1" + b"}" * 5_000
HOSTILE = [
    b"",
    b"\n",
    b"\r\n",
    b"needle",
    b"{needle",
    b'{"needle',
    b"[" * 100_000,
    DEEP,
    b"[" + DEEP + b"]",
    b"\0" * 5_000,
    b"\xff\xfe\xfa needle \x80",
    b'"needle"',
    b"17",
    b"null",
    b"[]",
    b'{"payload":"needle"}',
    b'{"payload":{"type":"message"}}',
    b'{"payload":{"type":"message","role":7,"content":"needle"}}',
    b'{"payload":{"type":"message","role":"' + b"r" * 10_000 + b'","content":"needle"}}',
    b'{"payload":{"type":"message","role":"user","content":{"text":"needle"}}}',
    b'{"payload":{"type":"message","role":"user","content":["needle",7,null,{"text":7},{"type":[],"text":"needle"}]}}',
    b'{"type":"user","message":"needle"}',
    b'{"type":"user","message":{"role":null,"content":"needle"}}',
    b'{"type":["user"],"message":{"role":"user","content":"needle"}}',
    b'{"type":{"a":1},"needle":1}',
    b'{"type":"session_meta","payload":{"id":[],"cwd":{"a":1},"timestamp":1e999,"instructions":["needle"]}}',
    b'{"sessionId":"' + b"s" * 10_000 + b'","cwd":"' + b"/c" * 10_000 + b'","timestamp":"needle"}',
    b'{"sessionId":"x","cwd":"/a\\u0000b"}',
    b'{"timestamp":' + b"9" * 10_000 + b',"needle":1}',
]


@pytest.mark.parametrize("raw", HOSTILE, ids=range(len(HOSTILE)))
def test_a_broken_line_is_passed_over_and_the_others_are_read(home: Home, raw: bytes):
    file = home.write_codex(("user", "needle before"), ("assistant", "Summary: after"))
    parts = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join([parts[0], parts[1], raw, parts[2]]))
    path = str(file.relative_to(home.codex))

    assert hits(home) == ["needle before"]
    assert [item["message"]["text"] for item in home.digest().result["digest"]] == ["Summary: after"]
    around = home.open({"path": path, "line": 2}).result["entries"]
    assert [entry["text"] for entry in around] == ["needle before", "Summary: after"]
    first = home.write(
        home.codex / "first.jsonl", [raw + b"\n", codex_meta("/srv/app"), codex_message("user", "needle")]
    )
    assert hits(home).count("needle") == 1, "also when it is the first line"
    assert home.open({"path": first.name, "line": 3}).result["session"].get("id") in ("s1", "x")


@pytest.mark.parametrize("opening", ["<cwd>", "<cwd>/srv", "AGENTS.md instructions for", "**", "summary"])
def test_a_hint_or_marker_that_never_ends_keeps_nobody_waiting(home: Home, opening: str):
    for number, filling in enumerate((" ", "\n", "*", "#", opening)):
        long = opening + filling * (100_000 // len(filling))
        home.write_codex(("user", long), ("assistant", f"{long} needle {number}"), session=f"s{number}")

    assert len(hits(home)) == 5
    assert home.digest().result["scanned"]["files"] == 5


def test_a_message_that_ends_in_the_middle_is_not_yet_one(home: Home):
    file = home.write_codex(("user", "needle whole"), ("user", "needle half"))
    file.write_bytes(file.read_bytes()[:-20])

    assert hits(home) == ["needle whole"]


def test_what_is_no_regular_file_is_neither_opened_nor_waited_for(home: Home):
    home.write_codex(("user", "needle"))
    (home.codex / "folder.jsonl").mkdir()
    os.mkfifo(home.codex / "pipe.jsonl")
    (home.codex / "device.jsonl").symlink_to("/dev/zero")
    (home.codex / "loop.jsonl").symlink_to(home.codex / "loop.jsonl")
    (home.codex / "dangling.jsonl").symlink_to(home.codex / "gone")

    assert hits(home) == ["needle"]
    assert home.search("needle").result["scanned"]["files"] == 1


def test_links_to_files_and_folders_are_skipped(home: Home):
    outside = home.write(
        home.path / "outside" / "a.jsonl", [codex_meta("/srv/app"), codex_message("user", "needle out")]
    )
    home.write_codex(("user", "needle in"))
    (home.codex / "file.jsonl").symlink_to(outside)
    (home.codex / "folder").symlink_to(outside.parent)
    (home.codex / "around").symlink_to(home.codex)

    assert hits(home) == ["needle in"]


def test_a_folder_exchanged_for_a_link_after_it_was_listed_is_not_followed(home: Home, tmp_path: Path):
    home.write(home.codex / "a" / "b" / "x.jsonl", [codex_message("user", "in")])
    below = PurePath("a/b/x.jsonl")
    with opened(home.codex, below, Allowance(1, 100)) as transcript:
        assert transcript is not None

    home.write(tmp_path / "out" / "b" / "x.jsonl", [codex_message("user", "out")])
    (home.codex / "a").rename(home.codex / "was")
    (home.codex / "a").symlink_to(tmp_path / "out")

    with opened(home.codex, below, Allowance(1, 100)) as transcript:
        assert transcript is None


def test_a_file_that_vanishes_while_others_are_read_is_passed_over(home: Home):
    home.write_codex(("user", "needle new"), at="2026-05-02T10-00-00")
    old = home.write_codex(("user", "needle old"), at="2026-05-01T10-00-00")
    scan = Scan(TranscriptsSearch(query="needle"), home.surroundings)

    seen = []
    for found in scan.sessions(of_helpers=True):
        seen.append(str(found.listed.below))
        old.unlink(missing_ok=True)

    assert (len(seen), scan.allowance.files) == (1, 1)


def test_a_file_is_read_as_long_as_it_was_when_it_was_opened(home: Home):
    path = home.write(home.codex / "x.jsonl", [b"0123456789"])
    with opened(home.codex, PurePath("x.jsonl"), Allowance(1, 1_000)) as transcript:
        assert transcript is not None
        path.write_bytes(b"0123456789 and much more")
        assert transcript.read(5, 1_000) == b"56789"
        path.write_bytes(b"012")
        assert transcript.read(1, 1_000) == b"12"
        assert transcript.read(8, 1_000) == b""


def test_a_name_that_is_no_text_and_folders_in_folders_hide_no_others(home: Home):
    home.write_codex(("user", "needle"))
    (home.codex / os.fsdecode(b"\xff.jsonl")).write_bytes(b"{}")
    deep = home.codex
    for _ in range(30):
        deep = deep / ("d" * 60)
    home.write(deep / "x.jsonl", [codex_meta("/srv/app"), codex_message("user", "needle deep")])

    assert sorted(hits(home)) == ["needle", "needle deep"]


def test_a_root_as_large_as_a_disk_is_not_walked_to_its_end(home: Home, monkeypatch: pytest.MonkeyPatch):
    for number in range(30):
        home.write_codex(("user", f"needle {number}"), at=f"2026-05-{number + 1:02}T10-00-00")
    assert home.search("needle").codes == ["TRANSCRIPTS_HITS_LIMIT_REACHED"]
    monkeypatch.setattr(listing, "MOST_ENTRIES", 20)

    answer = home.search("needle")

    assert answer.result["scanned"]["files"] < 20
    assert answer.codes == ["TRANSCRIPTS_LISTING_TRUNCATED"]


def test_a_cwd_of_any_length_or_depth_is_only_text(home: Home):
    for cwd in ("/" + "a/" * 2_000, "/" + "b" * 4_000, "relative", "/proc/self/root/srv/app", "//", "/\ud7ff", "~"):
        home.write_codex(("user", f"needle {cwd[:5]}"), cwd=cwd)

    found = home.search("needle", cwd_prefix="").result

    assert len(found["hits"]) == 7
    assert all(hit["project"]["confidence"] in (0, 60, 95) for hit in found["hits"])
