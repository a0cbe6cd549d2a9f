"""Signed checkpoints: readable by any C2SP tool, and worthless after any change."""

from __future__ import annotations

import base64
import hashlib
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.errors import InvalidProof
from thoughtbox.ledger.signing import Checkpoint, SigningKey, VerifierKey, open_note

KEY = SigningKey.generate("example.com/thoughtbox", bytes(range(32)))
OTHER_KEY = SigningKey.generate("example.com/witness", bytes(range(1, 33)))
CHECKPOINT = Checkpoint("example.com/workspace", 20852163, hashlib.sha256(b"root").digest())
VKEY = "example.com/thoughtbox+caa9d521+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
NOTE = """\
example.com/workspace
20852163
SBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=

— example.com/thoughtbox yqnVIVyC/BnL1mFdKLSqQgsM9bWI6cFv8VF2Uy3pLcokn66Ir5QCwyl2XpKp4Jhlc1ubIV++Zd6JLY9ufzMpAlhsZAA=
"""
BODY, SIGNATURE = NOTE.split("\n\n")

# Published examples: the note package of Go, and the text of C2SP signed-note.
GO_PRIVATE_KEY = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_SIGNATURE = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
C2SP_VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
C2SP_TEXT = "This is an example message.\n"
C2SP_SIGNATURE = "Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="

ORIGINS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
KEY_NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="+"), min_size=1)


def reason_of_refusal(act: Callable[[], object]) -> str:
    with pytest.raises(InvalidProof) as refusal:
        act()
    reason = refusal.value.details["reason"]
    assert isinstance(reason, str)
    return reason


def refusal_of(note: str) -> str:
    return reason_of_refusal(lambda: open_note(note, [KEY.verifier_key]))


def test_the_golden_note() -> None:
    assert str(KEY.verifier_key) == VKEY
    assert KEY.sign(CHECKPOINT) == NOTE
    assert open_note(NOTE, [VerifierKey.parse(VKEY)]) == CHECKPOINT


def test_the_note_is_laid_out_as_c2sp_says() -> None:
    public_key = base64.b64decode(VKEY.split("+", 2)[2])[1:]
    key_id = hashlib.sha256(b"example.com/thoughtbox\n\x01" + public_key).digest()[:4]
    signature = base64.b64decode(SIGNATURE.split(" ")[2])
    assert signature[:4] == key_id == bytes.fromhex("caa9d521")
    assert len(signature) == 4 + 64
    KEY.verifier_key.verify(BODY + "\n", signature[4:])


@pytest.mark.parametrize(
    ("vkey", "text", "signature"), [(GO_VKEY, GO_TEXT, GO_SIGNATURE), (C2SP_VKEY, C2SP_TEXT, C2SP_SIGNATURE)]
)
def test_published_signatures_hold(vkey: str, text: str, signature: str) -> None:
    key = VerifierKey.parse(vkey)
    key_id, signed = base64.b64decode(signature)[:4], base64.b64decode(signature)[4:]
    assert str(key) == vkey
    assert key.id == key_id
    key.verify(text, signed)
    assert reason_of_refusal(lambda: key.verify(text + "\n", signed)) == "bad signature"


def test_a_published_private_key_is_read_and_written_alike(tmp_path: Path) -> None:
    (tmp_path / "published").write_text(GO_PRIVATE_KEY + "\n", encoding="utf-8")
    key = SigningKey.load(tmp_path / "published")
    assert str(key.verifier_key) == GO_VKEY
    key.save(tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "published").read_bytes()


def test_the_example_of_the_checkpoint_format_is_read() -> None:
    body = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    checkpoint = Checkpoint.parse(body)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert checkpoint.body() == body


@settings(deadline=None)
@given(ORIGINS, st.integers(0, 2**63 - 1), st.binary(min_size=32, max_size=32), KEY_NAMES)
def test_every_checkpoint_survives_the_round_trip(origin: str, size: int, root: bytes, name: str) -> None:
    checkpoint = Checkpoint(origin, size, root)
    key = SigningKey.generate(name, bytes(32))
    note = key.sign(checkpoint)
    assert Checkpoint.parse(checkpoint.body()) == Checkpoint.parse(note) == checkpoint
    assert open_note(note, [VerifierKey.parse(str(key.verifier_key))]) == checkpoint


@settings(deadline=None, max_examples=50)
@given(st.integers(0, len(NOTE) - 1), st.one_of(st.characters(), st.sampled_from("\n\r 0+=/A—\0\ud800")))
def test_any_one_character_changed_or_added_is_refused(place: int, character: str) -> None:
    if NOTE[place] != character:
        refusal_of(NOTE[:place] + character + NOTE[place + 1 :])
    refusal_of(NOTE[:place] + character + NOTE[place:])
    refusal_of(NOTE + character)


def test_any_one_character_left_out_is_refused() -> None:
    for place in range(len(NOTE)):
        refusal_of(NOTE[:place] + NOTE[place + 1 :])


def test_every_neighbour_of_every_character_is_refused() -> None:
    for place, character in enumerate(NOTE):
        for other in (ord(character) ^ 1, ord(character) + 1, ord(character) ^ 0x20):
            refusal_of(NOTE[:place] + chr(other) + NOTE[place + 1 :])


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("example.com/workspace", "example.com/other", "bad signature"),
        ("20852163", "20852162", "bad signature"),
        ("20852163", "020852163", "bad signature"),
        ("SBNJTRN", "SBNJTRO", "bad signature"),
        ("d7I=\n", "d7I=\nextension\n", "bad signature"),
        ("— example.com/thoughtbox", "— example.com/somebody", "unknown signature"),
        ("yqnVIV", "zqnVIV", "unknown signature"),
        ("fzMpAlhs", "fzMpAlht", "bad signature"),
        ("hsZAA=", "hsZAB=", "malformed"),
        ("hsZAA=", "hsZAA", "malformed"),
        ("— example", "- example", "malformed"),
        ("— example", "—  example", "malformed"),
        ("thoughtbox yqnV", "thoughtbox  yqnV", "malformed"),
        ("=\n\n—", "=\n—", "malformed"),
    ],
)
def test_a_changed_line_is_refused_for_its_reason(old: str, new: str, reason: str) -> None:
    assert NOTE.count(old) == 1
    assert refusal_of(NOTE.replace(old, new)) == reason


def test_a_note_by_an_unknown_key_is_refused_as_such() -> None:
    with pytest.raises(InvalidProof, match="unknown signature") as refusal:
        open_note(NOTE, [OTHER_KEY.verifier_key])
    assert refusal.value.details == {"reason": "unknown signature"}
    assert reason_of_refusal(lambda: open_note(NOTE, [])) == "unknown signature"


def test_a_key_of_the_same_name_is_still_another_key() -> None:
    namesake = SigningKey.generate(KEY.name, bytes(32))
    assert reason_of_refusal(lambda: open_note(NOTE, [namesake.verifier_key])) == "unknown signature"


def test_a_foreign_signature_under_our_name_and_id_is_a_bad_one() -> None:
    forged = base64.b64encode(KEY.verifier_key.id + bytes(64)).decode()
    assert refusal_of(f"{BODY}\n\n— {KEY.name} {forged}\n") == "bad signature"


def test_two_signatures_open_for_either_key() -> None:
    note = NOTE + OTHER_KEY.sign(CHECKPOINT).split("\n\n")[1]
    assert open_note(note, [KEY.verifier_key]) == CHECKPOINT
    assert open_note(note, [OTHER_KEY.verifier_key]) == CHECKPOINT
    assert open_note(note, iter([KEY.verifier_key, OTHER_KEY.verifier_key])) == CHECKPOINT


def test_one_bad_signature_spoils_a_good_one_when_both_keys_are_known() -> None:
    elsewhere = Checkpoint(CHECKPOINT.origin, CHECKPOINT.size + 1, CHECKPOINT.root)
    note = NOTE + OTHER_KEY.sign(elsewhere).split("\n\n")[1]
    assert open_note(note, [KEY.verifier_key]) == CHECKPOINT
    keys = [KEY.verifier_key, OTHER_KEY.verifier_key]
    assert reason_of_refusal(lambda: open_note(note, keys)) == "bad signature"


def test_a_signature_of_another_kind_by_a_witness_is_passed_over() -> None:
    cosignature = base64.b64encode(b"\1\2\3\4" + bytes(8 + 64)).decode()
    assert open_note(f"{NOTE}— witness.example {cosignature}\n", [KEY.verifier_key]) == CHECKPOINT


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n",
        "\n\n",
        BODY,
        BODY + "\n",
        BODY + "\n\n",
        f"\n\n{SIGNATURE}",
        NOTE.removesuffix("\n"),
        NOTE + "\n",
        NOTE.replace("\n", "\r\n"),
        NOTE.replace("workspace", "work\tspace"),
        NOTE.replace("workspace", "work\ud800space"),
        f"{BODY}\n\nno signature\n",
        f"{BODY}\n\n— \n",
        f"{BODY}\n\n— name\n",
        f"{BODY}\n\n— na+me AAAAAAA=\n",
        f"{BODY}\n\n— name AAAAAA==\n",
        f"{BODY}\n\n— name AAAA AAAA\n",
        f"{BODY}\n\n— name ????????\n",
        f"{BODY}\n\n{SIGNATURE * 101}",
    ],
    ids=range(20),
)
def test_a_malformed_note_is_refused_as_such(note: str) -> None:
    assert refusal_of(note) == "malformed"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "origin\n1\n",
        f"origin\n1\n{'A' * 43}=",
        f"origin\n01\n{'A' * 43}=\n",
        f"origin\n-1\n{'A' * 43}=\n",
        f"origin\n+1\n{'A' * 43}=\n",
        f"origin\n1 \n{'A' * 43}=\n",
        f"origin\n1.0\n{'A' * 43}=\n",
        f"origin\n١\n{'A' * 43}=\n",
        f"origin\n9223372036854775808\n{'A' * 43}=\n",
        f"origin\n{'9' * 10_000}\n{'A' * 43}=\n",
        f"origin\n\n{'A' * 43}=\n",
        f"\n1\n{'A' * 43}=\n",
        f"ori\0gin\n1\n{'A' * 43}=\n",
        f"origin\n1\n{'A' * 42}==\n",
        f"origin\n1\n{'A' * 42}B=\n",
        f"origin\n1\n{'A' * 43}\n",
        "origin\n1\nAAAA\n",
        "origin\n1\né\n",
        f"origin\n1\n{'A' * 43}=\nextension\n",
        f"origin\n1\n{'A' * 43}=\nextension\n\n{SIGNATURE}",
    ],
    ids=range(21),
)
def test_a_malformed_checkpoint_is_refused_as_such(body: str) -> None:
    assert reason_of_refusal(lambda: Checkpoint.parse(body)) == "malformed"


def test_extension_lines_are_refused_even_when_well_signed() -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    text = f"{BODY}\nextension\n"
    signature = Ed25519PrivateKey.from_private_bytes(KEY.seed).sign(text.encode())
    line = base64.b64encode(KEY.verifier_key.id + signature).decode()
    assert refusal_of(f"{text}\n— {KEY.name} {line}\n") == "malformed"


@pytest.mark.parametrize(
    ("origin", "size", "root"),
    [
        ("", 1, bytes(32)),
        ("two\nlines", 1, bytes(32)),
        ("half \udc00", 1, bytes(32)),
        ("origin", -1, bytes(32)),
        ("origin", 2**63, bytes(32)),
        ("origin", 1, bytes(31)),
    ],
)
def test_a_checkpoint_that_could_not_be_read_back_is_never_made(origin: str, size: int, root: bytes) -> None:
    assert reason_of_refusal(lambda: Checkpoint(origin, size, root)) == "malformed"


@pytest.mark.parametrize("name", ["", "two words", "no\u00a0break", "plus+sign", "line\nend", "half\ud800", "bell\a"])
def test_a_key_name_that_breaks_the_line_is_refused(name: str) -> None:
    assert reason_of_refusal(lambda: SigningKey.generate(name)) == "malformed"
    assert reason_of_refusal(lambda: VerifierKey(name, bytes(32))) == "malformed"


@pytest.mark.parametrize("length", [0, 31, 33])
def test_key_material_of_another_length_is_refused(length: int) -> None:
    assert reason_of_refusal(lambda: SigningKey.generate("name", bytes(length))) == "malformed"
    assert reason_of_refusal(lambda: VerifierKey("name", bytes(length))) == "malformed"


def test_no_part_and_no_neighbour_of_a_verifier_key_is_one() -> None:
    parts = {GO_VKEY[start:end] for start in range(len(GO_VKEY)) for end in range(start, len(GO_VKEY) + 1)}
    neighbours = {GO_VKEY[:at] + chr(ord(char) + 1) + GO_VKEY[at + 1 :] for at, char in enumerate(GO_VKEY)}
    for mangled in (parts | neighbours | {GO_VKEY + "\n", GO_VKEY.replace("c74f20a3", "C74F20A3")}) - {GO_VKEY}:
        assert reason_of_refusal(lambda mangled=mangled: VerifierKey.parse(mangled)) == "malformed"


def test_a_verifier_key_of_another_algorithm_is_refused() -> None:
    vkey = "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
    with pytest.raises(InvalidProof, match="Ed25519"):
        VerifierKey.parse(vkey)


def test_new_keys_differ() -> None:
    assert SigningKey.generate("name") != SigningKey.generate("name")


def test_a_saved_key_is_the_same_key_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "key"
    umask = os.umask(0)
    try:
        KEY.save(path)
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert SigningKey.load(path) == KEY
    assert path.read_text(encoding="utf-8").count("\n") == 1


def test_saving_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "key"
    KEY.save(path)
    with pytest.raises(FileExistsError):
        OTHER_KEY.save(path)
    assert SigningKey.load(path) == KEY


def test_saving_does_not_follow_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    link = tmp_path / "key"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        KEY.save(link)
    assert not (tmp_path / "elsewhere").exists()


def test_a_failed_save_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def disk_full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(OSError, match="No space left"):
        KEY.save(tmp_path / "key")
    assert not (tmp_path / "key").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\xff\xfe",
        VKEY.encode(),
        GO_PRIVATE_KEY.encode()[:-4],
        GO_PRIVATE_KEY.replace("c74f20a3", "c74f20a4").encode(),
        GO_PRIVATE_KEY.replace("Peter", "Paul").encode(),
        GO_PRIVATE_KEY.encode() + b"\n\n",
        GO_PRIVATE_KEY.encode() + b"\nmore\n",
    ],
)
def test_a_file_that_holds_no_key_is_refused_without_showing_it(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    with pytest.raises(InvalidProof) as refusal:
        SigningKey.load(path)
    assert refusal.value.details == {"reason": "malformed"}
    assert "AYEKFALV" not in str(refusal.value)


def test_a_signing_key_does_not_show_its_secret() -> None:
    key = SigningKey.generate("name", b"secret seed of thirty-two bytes!")
    assert "secret" not in f"{key!r} {key}"


def test_the_module_starts_without_the_cost_of_cryptography() -> None:
    program = "import sys, thoughtbox.ledger.signing; sys.exit('cryptography' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
