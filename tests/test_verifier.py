"""The offline verifier against files that the ledger wrote, and against whoever changes them."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from hashlib import sha256
from io import BytesIO, StringIO
from itertools import count
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.engine.sqlite import SqliteEngine
from thoughtbox.ledger.answers import Answers
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.checkpoints import Checkpoints, take_checkpoint
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Source
from thoughtbox.ledger.replay import ensure
from thoughtbox.ledger.signing import Checkpoint, SigningKey
from thoughtbox.ledger.tree import Tree
from thoughtbox.ledger.view import Views
from thoughtbox.verifier import Key, Note, Problem, Report, Wrong, main, verify
from thoughtbox.world import World

WORKSPACE = "tests"
SIGNER = SigningKey.generate("example.com/thoughtbox", bytes(range(32)))
STRANGER = SigningKey.generate("example.com/stranger", bytes(range(1, 33)))
KEY = Key.parse(str(SIGNER.verifier_key))
CHECKPOINTS = "ledger/checkpoints"
ODD_STREAMS = ('trail/"quoted"', "trail/ü 🙂", "trail/line\nend\ttab\\", 'trail/","index":7,"record":')


class Store:
    """A ledger in memory, with a clock that ticks by itself."""

    def __init__(self, workspace: str = WORKSPACE) -> None:
        self.workspace = workspace
        self.engine = SqliteEngine(None)
        self.views = Views([Checkpoints, Tree, Answers])
        milliseconds = count(1_767_225_600_000, 1000)
        self.world = World(now_ms=lambda: next(milliseconds))
        ensure(self.engine, self.views)

    def write(self, stream: str, text: str, **data: Any) -> None:
        draft = Draft(kind="observation", topic="tests.note", text=text, session="s", data=data, confidence=0.5)

        def append(sql: Any) -> None:
            ledger = Ledger(sql, self.workspace, self.views)
            ledger.append(draft, stream=stream, source=Source(surface="tests"), world=self.world)

        self.engine.write(self.workspace, append).result()

    def checkpoint(self, key: SigningKey = SIGNER) -> str:
        taken = take_checkpoint(self.engine, self.views, self.workspace, key, self.world)
        assert taken is not None
        return taken.note

    def export(self) -> bytes:
        lines = self.engine.read(lambda sql: list(export_lines(sql, self.workspace))).result()
        return b"".join(line + b"\n" for line in lines)

    def take_in(self, export: bytes) -> None:
        lines = export.splitlines()
        import_lines(self.engine, self.views, lines)


@cache
def exported() -> bytes:
    """13 records in 6 streams: checkpoints are th:7 and th:11, and two records come after."""
    store = Store()
    for number in range(6):
        store.write("trail/one" if number % 2 else ODD_STREAMS[number // 2], f"thought {number}", number=number)
    store.checkpoint()
    for number in range(3):
        store.write("trail/one", f"more {number}")
    store.checkpoint()
    store.write("trail/one", "late")
    store.write(ODD_STREAMS[3], "later")
    export = store.export()
    store.engine.close()
    return export


@cache
def newest_note() -> str:
    note = json.loads(exported().splitlines()[-1])["checkpoint"]
    assert isinstance(note, str)
    return note


@dataclass(frozen=True)
class Forger:
    """Someone who knows the format and makes every hash anew. Only signatures are beyond them."""

    records: list[tuple[str, bytes]]
    note: str | None = None

    @classmethod
    def of(cls, export: bytes) -> Forger:
        *lines, trailer = export.splitlines()
        records = [line for line in lines if line.startswith(b'{"seq":')]
        contents = [line.partition(b',"record":')[2][:-1] for line in records]
        streams = [json.loads(line)["stream"] for line in records]
        return cls(list(zip(streams, contents, strict=True)), json.loads(trailer)["checkpoint"])

    def cut(self, keep: int) -> Forger:
        return replace(self, records=self.records[:keep])

    def change(self, seq: int, change: Callable[[bytes], bytes]) -> Forger:
        stream, content = self.records[seq - 1]
        changed = change(content)
        assert changed != content
        return replace(self, records=[*self.records[: seq - 1], (stream, changed), *self.records[seq:]])

    def without(self, seq: int) -> Forger:
        return replace(self, records=[*self.records[: seq - 1], *self.records[seq:]])

    def last_note(self) -> str | None:
        notes = [json.loads(content)["data"]["note"] for stream, content in self.records if stream == CHECKPOINTS]
        return notes[-1] if notes else None

    def numbered(self) -> Forger:
        """Every record is made to call itself by the place it has now."""
        contents = [json.loads(content) | {"id": f"th:{seq}"} for seq, (_, content) in enumerate(self.records, 1)]
        return replace(
            self, records=[(stream, canonical(c)) for (stream, _), c in zip(self.records, contents, strict=True)]
        )

    def export(self) -> bytes:
        lines = [compact({"format": "thoughtbox-export", "version": 1, "workspace": WORKSPACE})]
        heads: dict[str, tuple[int, bytes]] = {}
        leaves: list[bytes] = []
        for seq, (stream, content) in enumerate(self.records, 1):
            genesis = sha256(f"thoughtbox/stream/v1\n{WORKSPACE}\n{stream}".encode()).digest()
            length, previous = heads.get(stream, (0, genesis))
            content_hash = sha256(content).digest()
            linked = sha256(previous + content_hash).digest()
            heads[stream] = (length + 1, linked)
            leaves.append(linked)
            place = {"seq": seq, "stream": stream, "index": length}
            hashes = {"contentHash": content_hash.hex(), "hash": linked.hex()}
            lines.append(compact(place | hashes)[:-1] + b',"record":' + content + b"}")
        for stream, (length, head) in sorted(heads.items(), key=lambda named: named[0].encode()):
            lines.append(compact({"stream": stream, "length": length, "head": head.hex()}))
        body = b"".join(line + b"\n" for line in lines)
        trailer = {
            "records": len(leaves),
            "streams": len(heads),
            "root": root(leaves).hex(),
            "checkpoint": self.note,
            "digest": sha256(body).hexdigest(),
        }
        return body + compact(trailer) + b"\n"


def compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def root(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, word for word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return sha256(b"\x01" + root(leaves[:split]) + root(leaves[split:])).digest()


def with_trailer(export: bytes, **claimed: Any) -> bytes:
    *lines, trailer = export.splitlines(keepends=True)
    return b"".join(lines) + compact(json.loads(trailer) | claimed) + b"\n"


def with_digest(lines: list[bytes]) -> bytes:
    """Lines that were changed, with a trailer whose digest agrees with them."""
    body = b"".join(line + b"\n" for line in lines[:-1])
    return with_trailer(body + lines[-1] + b"\n", digest=sha256(body).hexdigest())


def check(export: bytes, *, keys: tuple[Key, ...] = (KEY,), notes: tuple[str, ...] = ()) -> Report:
    opened = [Note.parse(note) for note in notes]
    return verify(BytesIO(export), keys=keys, notes=[note for note in opened if note is not None])


def problem_of(export: bytes, **options: Any) -> Problem:
    report = check(export, **options)
    assert not report.valid
    assert report.problem is not None
    return report.problem


def wrong_with(export: bytes, **options: Any) -> str:
    return problem_of(export, **options).wrong


def test_what_the_ledger_exports_is_valid() -> None:
    report = check(exported())
    assert report.problem is None
    assert report.valid
    assert (report.workspace, report.records, report.streams, report.checkpoints) == (WORKSPACE, 13, 6, 2)
    assert report.root == json.loads(exported().splitlines()[-1])["root"]
    [signer] = report.signers
    assert (report.signatures, report.standing) == ("checked", "valid")
    assert (signer.name, signer.key_id, signer.checkpoints, signer.trusted) == (KEY.name, KEY.id.hex(), 2, True)
    assert report.covered == 10


def test_the_forger_of_these_tests_writes_the_very_bytes_of_the_ledger() -> None:
    assert Forger.of(exported()).export() == exported()


def test_an_export_without_records_is_valid() -> None:
    store = Store()
    report = check(store.export())
    store.engine.close()
    assert (report.valid, report.records, report.streams, report.signatures) == (True, 0, 0, "none")
    assert report.root == sha256(b"").hexdigest()


def test_what_was_exported_and_imported_exports_to_the_same_valid_file() -> None:
    other = Store()
    other.take_in(exported())
    again = other.export()
    other.engine.close()
    assert again == exported()
    assert check(again).valid


def test_the_last_line_may_lack_its_end() -> None:
    assert check(exported()[:-1]).valid


def test_a_compressed_export_is_read_as_it_is() -> None:
    packed = gzip.compress(exported())
    assert check(packed).valid
    assert wrong_with(packed[:-9]) == "missing tail"
    assert wrong_with(packed + b"more") == "malformed"
    assert wrong_with(packed[:50] + bytes([packed[50] ^ 255]) + packed[51:]) in ("malformed", "missing tail", "content")


def test_without_a_key_the_signatures_are_not_checked_and_the_roots_are() -> None:
    report = check(exported(), keys=())
    assert (report.valid, report.signatures) == (True, "not checked")
    rewritten = Forger.of(exported()).change(3, lambda content: content.replace(b"thought 2", b"thought X"))
    assert wrong_with(rewritten.export(), keys=()) == "root"


def test_the_file_given_stays_open_for_its_owner() -> None:
    file = BytesIO(exported())
    verify(file)
    verify(BytesIO(gzip.compress(exported())))
    assert not file.closed


def test_a_changed_byte_in_a_record_is_content_and_the_record_is_named() -> None:
    problem = problem_of(exported().replace(b"more 1", b"more 2"))
    assert problem == Problem(
        "content", "the bytes of th:9 do not match its content hash", seq=9, stream="trail/one", index=4, line=10
    )


def test_a_changed_byte_with_its_content_hash_made_anew_is_a_link() -> None:
    lines = exported().splitlines()
    place, _, content = lines[9].partition(b',"record":')
    changed = content.replace(b"more 1", b"more 2")
    old, new = (sha256(part[:-1]).hexdigest().encode() for part in (content, changed))
    assert old in place
    lines[9] = place.replace(old, new) + b',"record":' + changed
    problem = problem_of(b"\n".join(lines))
    assert (problem.wrong, problem.seq, problem.stream, problem.index, problem.line) == ("link", 9, "trail/one", 4, 10)


def test_one_record_with_both_hashes_made_anew_breaks_the_link_of_the_next() -> None:
    lines = exported().splitlines()
    forged = Forger.of(exported()).change(9, lambda content: content.replace(b"more 1", b"more 2"))
    lines[9] = forged.export().splitlines()[9]
    problem = problem_of(b"\n".join(lines))
    assert (problem.wrong, problem.seq) == ("link", 10)


def test_a_swapped_pair_of_lines_is_out_of_order() -> None:
    lines = exported().splitlines()
    lines[3], lines[4] = lines[4], lines[3]
    problem = problem_of(b"\n".join(lines))
    assert (problem.wrong, problem.seq, problem.line) == ("order", 4, 4)
    assert problem.message == "th:3 is missing: in its place stands th:4"


@pytest.mark.parametrize("seq", range(1, 13))
def test_a_removed_record_is_out_of_order(seq: int) -> None:
    lines = exported().splitlines()
    del lines[seq]
    problem = problem_of(b"\n".join(lines))
    assert (problem.wrong, problem.seq, problem.line) == ("order", seq + 1, seq + 1)


def test_a_removed_last_record_is_a_missing_tail() -> None:
    lines = exported().splitlines()
    del lines[13]
    problem = problem_of(b"\n".join(lines))
    assert (problem.wrong, problem.stream, problem.index) == ("missing tail", ODD_STREAMS[3], 0)


def test_a_repeated_record_is_out_of_order() -> None:
    lines = exported().splitlines()
    lines.insert(5, lines[4])
    assert problem_of(b"\n".join(lines)).message == "th:4 stands where th:5 should"


def test_a_record_moved_to_another_stream_does_not_link() -> None:
    lines = exported().splitlines()
    lines[1] = lines[1].replace(rb'"trail/\"quoted\""', b'"trail/new"')
    assert wrong_with(b"\n".join(lines)) == "link"


def test_a_record_at_another_place_of_its_stream_is_out_of_order() -> None:
    lines = exported().splitlines()
    lines[2] = lines[2].replace(b'"index":0', b'"index":1')
    assert wrong_with(b"\n".join(lines)) == "order"


def test_a_file_that_says_it_is_of_another_workspace_does_not_link() -> None:
    assert wrong_with(exported().replace(b'"workspace":"tests"', b'"workspace":"other"')) == "link"


def test_a_record_that_calls_itself_otherwise_is_out_of_order() -> None:
    renamed = Forger.of(exported()).change(5, lambda content: content.replace(b'"id":"th:5"', b'"id":"th:6"'))
    problem = problem_of(renamed.export())
    assert (problem.wrong, problem.seq) == ("order", 5)
    assert problem.message == "record number 5 calls itself th:6"


def test_a_record_taken_out_and_all_others_hashed_anew_still_know_their_numbers() -> None:
    problem = problem_of(Forger.of(exported()).without(2).export())
    assert (problem.wrong, problem.seq) == ("order", 2)


def test_history_rewritten_with_all_hashes_made_anew_is_caught_by_the_checkpoint_after_it() -> None:
    rewritten = Forger.of(exported()).change(3, lambda content: content.replace(b"thought 2", b"thought X"))
    problem = problem_of(rewritten.export())
    assert (problem.wrong, problem.seq, problem.stream, problem.line) == ("root", 7, CHECKPOINTS, 8)
    assert "history was rewritten" in problem.message


def without_checkpoints() -> Forger:
    """The history made anew as if nobody had ever signed it."""
    forged = Forger.of(exported())
    kept = [record for record in forged.records if record[0] != CHECKPOINTS]
    return replace(forged, records=kept, note=None).numbered()


def test_history_rewritten_without_its_checkpoints_is_caught_by_a_checkpoint_kept_elsewhere() -> None:
    forged = without_checkpoints()
    assert check(forged.export()).signatures == "none"
    assert check(forged.export()).valid
    problem = problem_of(forged.export(), notes=(newest_note(),))
    assert (problem.wrong, problem.seq) == ("root", 10)


@pytest.mark.parametrize("keep", range(11))
def test_a_tail_cut_off_with_heads_and_trailer_made_anew_is_caught_by_the_note_in_the_trailer(keep: int) -> None:
    assert wrong_with(Forger.of(exported()).cut(keep).export()) == "missing tail"


@pytest.mark.parametrize("keep", range(10))
def test_a_tail_cut_off_with_its_notes_is_caught_by_a_note_kept_elsewhere(keep: int) -> None:
    cut = Forger.of(exported()).cut(keep)
    shortened = replace(cut, note=cut.last_note()).export()
    assert check(shortened).valid
    problem = problem_of(shortened, notes=(newest_note(),))
    assert (problem.wrong, problem.seq) == ("missing tail", keep + 1)
    assert problem.message == f"the file has {keep} records; the checkpoint given speaks of 10"


def test_a_tail_without_a_checkpoint_is_not_covered_and_the_report_says_so() -> None:
    shortened = Forger.of(exported()).cut(11).export()
    report = check(shortened, notes=(newest_note(),))
    assert (report.valid, report.records, report.covered) == (True, 11, 10)


def test_a_trailer_that_counts_more_or_less_is_refused() -> None:
    export = exported()
    assert wrong_with(with_trailer(export, records=14)) == "missing tail"
    assert wrong_with(with_trailer(export, records=12)) == "order"
    assert wrong_with(with_trailer(export, streams=7)) == "missing tail"
    assert wrong_with(with_trailer(export, streams=5)) == "order"
    assert wrong_with(with_trailer(export, root="0" * 64)) == "root"
    assert wrong_with(with_trailer(export, digest="0" * 64)) == "content"


def test_a_trailer_that_names_another_checkpoint_than_the_newest_is_refused() -> None:
    export = exported()
    older = json.loads(Forger.of(export).records[6][1])["data"]["note"]
    leaves = [bytes.fromhex(json.loads(line)["hash"]) for line in export.splitlines()[1:14]]
    unrecorded = SIGNER.sign(Checkpoint(f"thoughtbox/{WORKSPACE}", 13, root(leaves)))
    another_history = SIGNER.sign(Checkpoint(f"thoughtbox/{WORKSPACE}", 13, bytes(32)))
    later = SIGNER.sign(Checkpoint(f"thoughtbox/{WORKSPACE}", 14, bytes(32)))
    assert wrong_with(with_trailer(export, checkpoint=None)) == "malformed"
    assert wrong_with(with_trailer(export, checkpoint="a note")) == "malformed"
    assert wrong_with(with_trailer(export, checkpoint=older)) == "malformed"
    assert wrong_with(with_trailer(export, checkpoint=unrecorded)) == "missing tail"
    assert wrong_with(with_trailer(export, checkpoint=later)) == "missing tail"
    assert wrong_with(with_trailer(export, checkpoint=another_history)) == "root"


def test_heads_that_lie_are_refused() -> None:
    lines = exported().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(b'{"stream":"trail/one"'))
    head = json.loads(lines[at])

    def with_head(*heads: dict[str, Any]) -> bytes:
        return with_digest([*lines[:at], *map(compact, heads), *lines[at + 1 :]])

    assert with_head(head) == exported()
    assert wrong_with(with_head(head | {"length": 8})) == "missing tail"
    assert wrong_with(with_head(head | {"length": 6})) == "order"
    assert wrong_with(with_head(head | {"head": "0" * 64})) == "link"
    assert wrong_with(with_head()) == "missing tail"
    assert wrong_with(with_head(head, head)) == "malformed"
    assert wrong_with(with_head(head, {"stream": "trail/unknown", "length": 1, "head": "0" * 64})) == "missing tail"
    assert wrong_with(with_head(head, {"stream": "trail/unknown", "length": 0, "head": ""})) == "order"


OTHERS = (Key.parse(str(STRANGER.verifier_key)),)
"""Keys that did not sign the export."""


def test_a_file_signed_by_a_key_that_was_not_given_is_valid_and_not_trusted() -> None:
    report = check(exported(), keys=OTHERS)
    assert (report.standing, report.valid, report.signatures) == ("untrusted", True, "checked")
    assert (report.records, report.streams, report.checkpoints, report.problem) == (13, 6, 2, None)
    [stranger] = report.strangers
    assert (stranger.name, stranger.key_id, stranger.checkpoints) == ("example.com/thoughtbox", KEY.id.hex(), 2)
    assert stranger.public_key == str(SIGNER.verifier_key)


def test_a_stranger_s_signature_hides_nothing_else_that_is_wrong() -> None:
    forged = Forger.of(exported())
    rewritten = forged.change(3, lambda content: content.replace(b"thought 2", b"thought X"))
    assert wrong_with(rewritten.export(), keys=OTHERS) == "root"
    assert wrong_with(exported().replace(b"more 1", b"more 2"), keys=OTHERS) == "content"
    assert wrong_with(exported()[:-200], keys=OTHERS) == "missing tail"


def test_one_of_several_keys_is_enough() -> None:
    assert check(exported(), keys=(Key.parse(str(STRANGER.verifier_key)), KEY)).valid


def resigned(seq: int, sign: Callable[[Checkpoint], str], **data: str) -> bytes:
    """The export with the checkpoint in a record signed otherwise, and all hashes made anew."""

    def change(content: bytes) -> bytes:
        record = json.loads(content)
        note = sign(Checkpoint.parse(record["data"]["note"]))
        signed = Checkpoint.parse(note)
        record["data"] |= {"note": note, "size": signed.size, **data}
        record["attrs"]["stateHash"] = signed.root.hex()
        return canonical(record)

    forged = Forger.of(exported()).change(seq, change)
    return replace(forged, note=forged.last_note()).export()


def test_a_signature_that_does_not_fit_is_bad() -> None:
    def tampered(checkpoint: Checkpoint) -> str:
        signed = SIGNER.sign(replace(checkpoint, size=checkpoint.size + 1))
        return signed.replace(f"\n{checkpoint.size + 1}\n", f"\n{checkpoint.size}\n")

    problem = problem_of(resigned(11, tampered))
    assert (problem.wrong, problem.seq) == ("bad signature", 11)
    assert check(resigned(11, tampered), keys=()).signatures == "not checked"
    assert check(resigned(11, tampered), keys=()).valid


def test_a_checkpoint_signed_anew_by_a_stranger_is_not_by_the_key_it_names() -> None:
    assert wrong_with(resigned(11, STRANGER.sign)) == "bad signature"


def test_a_rewritten_history_signed_by_a_stranger_under_an_own_name_is_not_trusted() -> None:
    report = check(resigned(11, STRANGER.sign, key=str(STRANGER.verifier_key)))
    assert (report.standing, report.checkpoints) == ("untrusted", 2)
    assert [(signer.name, signer.trusted) for signer in report.signers] == [(OTHERS[0].name, False), (KEY.name, True)]


def test_a_checkpoint_of_another_workspace_is_no_checkpoint_of_this_one() -> None:
    elsewhere = resigned(11, lambda checkpoint: SIGNER.sign(replace(checkpoint, origin="thoughtbox/elsewhere")))
    assert wrong_with(elsewhere) == "bad signature"
    note = SIGNER.sign(Checkpoint("thoughtbox/elsewhere", 5, bytes(32)))
    assert wrong_with(exported(), notes=(note,)) == "bad signature"


def test_a_checkpoint_record_speaks_of_all_records_before_it() -> None:
    assert wrong_with(resigned(11, lambda checkpoint: SIGNER.sign(replace(checkpoint, size=9)))) == "order"
    assert wrong_with(resigned(11, lambda checkpoint: SIGNER.sign(replace(checkpoint, root=bytes(32))))) == "root"


def test_a_checkpoint_record_that_disagrees_with_its_note_is_wrong() -> None:
    def lie(content: bytes) -> bytes:
        return content.replace(b'"size":10', b'"size":11')

    assert wrong_with(Forger.of(exported()).change(11, lie).export()) == "content"


def test_a_checkpoint_record_without_a_note_is_malformed() -> None:
    def erase(content: bytes) -> bytes:
        record = json.loads(content)
        record["data"]["note"] = "trust me"
        return canonical(record)

    assert wrong_with(Forger.of(exported()).change(11, erase).export()) == "malformed"


def test_a_checkpoint_from_elsewhere_is_held_to_the_same_signatures() -> None:
    note = newest_note()
    assert check(exported(), notes=(note,)).valid
    assert check(exported(), notes=(STRANGER.sign(Checkpoint.parse(note)),)).standing == "untrusted"
    strange = STRANGER.sign(replace(Checkpoint.parse(note), root=bytes(32)))
    assert wrong_with(exported(), notes=(strange,)) == "root"
    assert wrong_with(exported(), notes=(note.replace("\n10\n", "\n9\n"),)) == "bad signature"
    other = SIGNER.sign(replace(Checkpoint.parse(note), root=bytes(32)))
    assert wrong_with(exported(), notes=(other,)) == "root"
    assert wrong_with(exported(), notes=(note, other)) == "root"
    empty = SIGNER.sign(Checkpoint(f"thoughtbox/{WORKSPACE}", 0, sha256(b"").digest()))
    assert check(exported(), notes=(empty,)).valid


def test_a_file_cut_at_any_line_is_never_valid() -> None:
    lines = exported().splitlines(keepends=True)
    for keep in range(len(lines)):
        assert wrong_with(b"".join(lines[:keep])) == ("missing tail" if keep else "malformed")


def test_a_file_cut_anywhere_is_never_valid() -> None:
    header = exported().index(b"\n")
    for at in random.Random(1731).sample(range(len(exported()) - 1), 200):
        assert wrong_with(exported()[:at]) == ("missing tail" if at >= header else "malformed")


def test_no_byte_of_an_export_can_change_unnoticed() -> None:
    export = exported()
    for at, byte in enumerate(export[:-1]):
        assert not check(export[:at] + bytes([byte ^ 1]) + export[at + 1 :], keys=()).valid, at


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'{"seq":5,', b'{"seq":5,"seq":5,'),
        (b'{"seq":5,', b'{"seq":5, '),
        (b'{"seq":5,', b'{"seq":05,'),
        (b'{"seq":5,', b'{"seq":5.0,'),
        (b'{"seq":5,', b'{"seq":"5",'),
        (b'{"seq":5,"stream":', b'{"seq":5,"index":0,"stream":'),
        (b'"trail/one","index":0', b'"trail/one","index":0,"index":0'),
        (b'"trail/one","index":0', b'"trail/one","index":false'),
        (b'"trail/one","index":0', b'"trail/one","note":1,"index":0'),
        (b'"trail/one","index":0', b'"\\u0074rail/one","index":0'),
        (b'"trail/one","index":0', b'"trail/\xff","index":0'),
        (b'"trail/one","index":0', b'"trail/\\ud800","index":0'),
        (b',"record":', b',"more":1,"record":'),
        (b',"record":', b', "record":'),
        (b'"version":1', b'"version":1.0'),
        (b'"version":1', b'"version":true'),
        (b'"version":1', b'"version":2'),
        (b'"version":1', b'"version":1,"version":1'),
        (b'"workspace":"tests"', b'"workspace":null'),
        (b'"workspace":"tests"', b'"workspace":"te\\nsts"'),
        (b'"workspace":"tests"', b'"workspace":"tests","more":1'),
        (b"thoughtbox-export", b"something-else"),
        (b'"streams":6', b'"streams":6.0'),
        (b'"streams":6', b'"streams":6,"streams":6'),
        (b'"records":13', b'"records":13 '),
        (b'"digest"', b'"more":1,"digest"'),
        (b'{"records"', b'[]\n{"records"'),
        (b'{"records"', b'\n{"records"'),
    ],
)
def test_a_line_that_is_spelled_otherwise_is_malformed(old: bytes, new: bytes) -> None:
    assert old in exported()
    changed = exported().replace(old, new, 1)
    *lines, trailer = changed.splitlines()
    is_trailer_untouched = trailer == exported().splitlines()[-1]
    assert wrong_with(with_digest([*lines, trailer]) if is_trailer_untouched else changed) == "malformed"


def test_nothing_may_follow_the_trailer() -> None:
    for more in (b"\n", b" ", exported(), exported().splitlines()[-1]):
        assert wrong_with(exported() + more) == "malformed"


def test_a_record_behind_the_heads_is_malformed() -> None:
    lines = exported().splitlines()
    lines.insert(-1, lines.pop(13))
    assert wrong_with(with_digest(lines)) in ("malformed", "missing tail")
    lines = exported().splitlines()
    lines.insert(-1, lines[13])
    assert wrong_with(with_digest(lines)) == "malformed"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"branch":"main"', b'"branch":"main","branch":"other"', "a key stands twice"),
        (b'"number":4', b'"number":4,"number":5', "a key stands twice"),
        (b'"number":4', b'"number":9007199254740993', "beyond 2^53"),
        (b'"number":4', b'"number":-9007199254740993', "beyond 2^53"),
        (b'"number":4', b'"number":1e400', "beyond 2^53"),
        (b'"number":4', b'"number":NaN', "no JSON number"),
        (b'"number":4', b'"number":' + b"9" * 5000, "beyond 2^53"),
        (b'"number":4', b'"number":' + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b'"number":4', b'"number":"\\ud83d"', "half of a character"),
        (b'"number":4', b'"number":', "not JSON"),
        (b'"thought 4"', b'"thought \xff"', "utf-8"),
        (b'"thought 4"', b"4", "wrong type"),
        (b'"session":"s"', b'"sessions":"s"', "no `session`"),
        (b'"kind":"observation"', b'"kind":"opinion"', "none of the eleven"),
        (b'"kind":"observation"', b'"kind":{}', "wrong type"),
        (b'"topic":"tests.note"', b'"topics":"tests.note"', "no `topic`"),
        (b'"attrs":{}', b'"attrs":[]', "wrong type"),
        (b'"id":"th:5"', b'"id":5', "wrong type"),
    ],
)
def test_what_is_no_record_is_wrong_content_even_if_all_hashes_fit(old: bytes, new: bytes, said: str) -> None:
    forged = Forger.of(exported()).change(5, lambda content: content.replace(old, new, 1))
    problem = problem_of(forged.export())
    assert (problem.wrong, problem.seq, problem.index, problem.line) == ("content", 5, 0, 6)
    assert said in problem.message


@pytest.mark.parametrize("content", [b"", b" ", b"null", b"[]", b'"text"', b"{}", b"{} ", b"{}{}", b"\x00", b"}"])
def test_a_record_that_is_no_object_is_wrong_content(content: bytes) -> None:
    assert wrong_with(Forger([("s", content)]).export()) == "content"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(-(2**53), 2**53)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda children: st.lists(children) | st.dictionaries(st.text('abc"\\\né🙂\u2028'), children),
    max_leaves=8,
)
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(NAMES, NAMES, JSON), max_size=6))
def test_whatever_the_ledger_takes_in_its_export_is_valid(records: list[tuple[str, str, Any]]) -> None:
    store = Store()
    try:
        for stream, text, value in records:
            store.write(stream, text, value=value)
        export = store.export()
    finally:
        store.engine.close()
    report = check(export)
    assert report.problem is None
    assert report.records == len(records)
    assert Forger.of(export).export() == export


@settings(deadline=None, max_examples=50)
@given(st.binary())
def test_no_bytes_make_it_crash(garbage: bytes) -> None:
    assert not check(garbage).valid
    assert not check(b"\x1f\x8b" + garbage).valid
    assert not check(exported().splitlines(keepends=True)[0] + garbage).valid


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["put", "insert", "delete", "repeat", "move line", "drop line"]),
        st.integers(0, 1 << 20),
        st.integers(0, 1 << 20),
        st.one_of(
            st.binary(min_size=1, max_size=4), st.sampled_from([b"{", b"}", b'"', b"\n", b"\\", b'{"seq":', b"0"])
        ),
    ),
    min_size=1,
    max_size=4,
)


def edited(export: bytes, edits: list[tuple[str, int, int, bytes]]) -> bytes:
    for kind, place, length, added in edits:
        at = place % (len(export) + 1)
        end = at + length % 40
        lines = export.splitlines(keepends=True) or [b""]
        line = lines[place % len(lines)]
        match kind:
            case "put":
                export = export[:at] + added + export[at + len(added) :]
            case "insert":
                export = export[:at] + added + export[at:]
            case "delete":
                export = export[:at] + export[end:]
            case "repeat":
                export = export[:end] + export[at:]
            case "drop line":
                export = b"".join(other for other in lines if other is not line)
            case _:
                rest = [other for other in lines if other is not line]
                export = b"".join([*rest[: length % len(lines)], line, *rest[length % len(lines) :]])
    return export


@settings(deadline=None, max_examples=50)
@given(EDITS)
def test_an_edited_file_is_valid_only_if_nothing_was_edited(edits: list[tuple[str, int, int, bytes]]) -> None:
    changed = edited(exported(), edits)
    report = check(changed)
    assert report.valid == (changed.removesuffix(b"\n") == exported().removesuffix(b"\n"))
    assert (report.problem is None) == report.valid


@pytest.fixture
def export_file(tmp_path: Path) -> Path:
    path = tmp_path / "export.jsonl"
    path.write_bytes(exported())
    return path


def run(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "thoughtbox.verifier", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def test_the_command_says_in_words_what_it_found(export_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(export_file), "--key", str(SIGNER.verifier_key)]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"valid        {export_file}",
        "workspace    tests",
        "records      13 in 6 streams",
        f"root         {check(exported()).root}",
        "checkpoints  2 in the file; 10 of 13 records are covered",
        "signatures   checked: example.com/thoughtbox",
    ]
    assert err == ""


def test_the_command_says_plainly_that_signatures_were_not_checked(
    export_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(export_file)]) == 0
    assert "signatures   NOT CHECKED: no key was given" in capsys.readouterr().out


def test_the_command_tells_an_untrusted_signer_by_word_and_exit_code(
    export_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(export_file), "--key", str(STRANGER.verifier_key)]) == 4
    said = capsys.readouterr().out
    assert said.startswith(f"untrusted    {export_file}\n")
    assert f"by keys that were not given: {KEY.name}+{KEY.id.hex()} (2)" in said


def test_the_command_names_the_first_bad_record(export_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export_file.write_bytes(exported().replace(b"thought 4", b"thought X"))
    assert main([str(export_file)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"BROKEN       {export_file}",
        "wrong        content: the bytes of th:5 do not match its content hash",
        r'where        line 6, record th:5, stream "trail/line\nend\ttab\\", index 0',
        "before that  4 good records",
    ]


def test_the_command_reports_as_json(export_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(export_file), "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "valid": True,
        "standing": "valid",
        "workspace": "tests",
        "records": 13,
        "streams": 6,
        "checkpoints": 2,
        "root": check(exported()).root,
        "signatures": "not checked",
        "problem": None,
        "signers": [
            {
                "name": KEY.name,
                "keyId": KEY.id.hex(),
                "checkpoints": 2,
                "trusted": False,
                "publicKey": None,
            }
        ],
    }
    export_file.write_bytes(exported().replace(b"more 1", b"more 2"))
    assert main([str(export_file), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["problem"] == {
        "wrong": "content",
        "message": "the bytes of th:9 do not match its content hash",
        "seq": 9,
        "stream": "trail/one",
        "index": 4,
        "line": 10,
    }


def test_a_quiet_command_tells_by_its_exit_code_alone(export_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(export_file), "--quiet"]) == 0
    export_file.write_bytes(exported()[:-100])
    assert main([str(export_file), "--quiet"]) == 1
    assert capsys.readouterr() == ("", "")


def test_keys_and_a_checkpoint_can_come_from_files(export_file: Path, tmp_path: Path) -> None:
    keys, note = tmp_path / "keys", tmp_path / "note"
    keys.write_text(f"# whom we trust\n\n{STRANGER.verifier_key}\n{SIGNER.verifier_key}\n", encoding="utf-8")
    note.write_text(newest_note(), encoding="utf-8")
    call = partial(main, [str(export_file), "--key-file", str(keys), "--checkpoint", str(note), "--quiet"])
    assert call() == 0
    export_file.write_bytes(without_checkpoints().export())
    assert call() == 1


def test_standard_input_and_compressed_files_are_read_too(export_file: Path, tmp_path: Path) -> None:
    packed = tmp_path / "export.jsonl.gz"
    packed.write_bytes(gzip.compress(exported()))
    assert main([str(packed), "--quiet"]) == 0
    for given_in in (exported(), gzip.compress(exported())):
        done = run("-", "--key", str(SIGNER.verifier_key), stdin=given_in)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.startswith(b"valid        -\n")
    assert run("-", "--quiet", stdin=exported()[:500]).returncode == 1


def test_what_cannot_be_used_is_neither_valid_nor_invalid(
    export_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export, vkey = str(export_file), str(SIGNER.verifier_key)
    empty, binary = tmp_path / "empty", tmp_path / "binary"
    empty.write_bytes(b"# no key\n")
    binary.write_bytes(b"\xff\xfe")
    for arguments in (
        [str(tmp_path / "absent")],
        [str(tmp_path)],
        ["a\0b"],
        [export, "--key", "nonsense"],
        [export, "--key", vkey[:-4]],
        [export, "--key", vkey.replace("thoughtbox", "thoughtbux")],
        [export, "--key-file", str(tmp_path / "absent")],
        [export, "--key-file", str(empty)],
        [export, "--key-file", str(binary)],
        [export, "--checkpoint", str(empty)],
        [export, "--checkpoint", str(tmp_path)],
    ):
        assert main(arguments) == 2, arguments
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("thoughtbox-verify: ")
        assert err.count("\n") == 1


def test_wrong_usage_ends_with_two() -> None:
    for arguments in ([], ["one", "two"], ["one", "--unknown"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2


def test_a_reader_that_goes_away_does_not_change_the_verdict(export_file: Path) -> None:
    command = f'"{sys.executable}" -m thoughtbox.verifier "{export_file}"; echo $? >&2'
    done = subprocess.run(["sh", "-c", f"({command}) | true"], capture_output=True, check=False)
    assert done.stderr == b"0\n"


def test_any_name_can_be_printed_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "ü🙂.jsonl"
    path.write_bytes(exported().replace(b"thought 2", b"thought X"))
    command = [sys.executable, "-X", "utf8=0", "-m", "thoughtbox.verifier", str(path)]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=ascii_only, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"th:3" in done.stdout


def test_keys_without_the_means_to_check_them_are_unusable(
    export_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    assert main([str(export_file), "--quiet"]) == 0
    assert main([str(export_file), "--key", str(SIGNER.verifier_key)]) == 2
    assert "cryptography" in capsys.readouterr().err


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_told_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Forger.of(exported()).records[0]
    path = tmp_path / "long.jsonl"
    path.write_bytes(Forger([first] * 9000).numbered().export())
    seconds = count()
    monkeypatch.setattr("thoughtbox.verifier.time.monotonic", lambda: next(seconds))
    for quietly, told in (([], True), (["--quiet"], False)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert main([str(path), "--json", *quietly]) == 0
        assert ("4,096 records" in terminal.getvalue()) == told
        assert terminal.getvalue().endswith("\r\x1b[K") == told


def documented_example() -> bytes:
    """What `docs/export-format.md` shows."""
    store = Store("demo")
    store.write("trail/s1", "Is the cache stale?")
    store.write("trail/s2", "Another train of thought.")
    store.write("trail/s1", "It is: the key lacks the version.")
    store.checkpoint()
    export = store.export()
    store.engine.close()
    return export


@cache
def document() -> str:
    return (Path(__file__).parent.parent / "docs" / "export-format.md").read_text(encoding="utf-8")


def test_the_documented_example_is_what_the_ledger_writes() -> None:
    example = documented_example()
    assert f"```json\n{example.decode()}```" in document()
    assert str(SIGNER.verifier_key) in document()
    assert check(example).valid


def test_the_documented_program_follows_the_documented_example_and_no_other() -> None:
    program = document().partition("```python\n")[2].partition("```")[0]
    lines = documented_example().splitlines(keepends=True)
    exec(program, {"lines": lines})
    with pytest.raises(AssertionError):
        exec(program, {"lines": [line.replace(b"stale", b"fresh") for line in lines]})


def test_everything_that_can_be_wrong_is_documented() -> None:
    assert [wrong for wrong in get_args(Wrong) if f"| `{wrong}` |" not in document()] == []


def test_the_verifier_shares_nothing_with_what_writes() -> None:
    script = "import sys, thoughtbox.verifier; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {name for name in loaded if name.startswith("thoughtbox")} == {"thoughtbox", "thoughtbox.verifier"}
    assert not {"apsw", "orjson", "pydantic", "cryptography", "mcp"} & loaded
