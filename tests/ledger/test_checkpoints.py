"""Checkpoints: taken, kept, proven against."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.box import WORKSPACE, Box
from tests.support.servers import soon
from thoughtbox.ledger import merkle
from thoughtbox.ledger.checkpoints import Taken
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.signing import open_note


def think(box: Box, count: int = 1) -> None:
    for number in range(count):
        box.thought_record(sessionId="s1", thoughtType="note", content=f"thought {number}")


def take(box: Box, at_least: int = 1) -> Taken | None:
    return checkpoint(box.app.engine, box.app.views, box.app.keyring, box.app.world, WORKSPACE, at_least=at_least)


def test_a_checkpoint_signs_size_and_root_and_is_a_record_too(box: Box):
    think(box, 5)

    taken = take(box)

    assert taken is not None
    signed = open_note(taken.note, box.app.keyring.verifiers)
    assert (signed.origin, signed.size, signed.root) == (f"thoughtbox/{WORKSPACE}", 5, taken.root)
    record = box.ledger_record(id="th:6")["record"]
    assert (record["kind"], record["attrs"]["stateHash"]) == ("checkpoint", taken.root.hex())
    assert box.ledger_verify()["checkpoints"] == 1


def test_there_is_no_checkpoint_of_nothing_and_none_twice(box: Box):
    assert take(box) is None
    think(box)
    assert take(box) is not None
    assert take(box) is None
    think(box, 2)
    assert take(box, at_least=3) is None
    assert take(box, at_least=2) is not None


def test_every_record_can_be_proven_to_whoever_has_the_checkpoint(box: Box):
    think(box, 20)
    taken = take(box)
    think(box, 3)
    assert taken is not None

    for seq in range(1, 21):
        proof = box.ledger_prove(id=f"th:{seq}")
        path = [bytes.fromhex(step) for step in proof["path"]]
        assert (proof["size"], proof["root"]) == (20, taken.root.hex())
        merkle.verify_inclusion(bytes.fromhex(proof["hash"]), seq - 1, 20, path, taken.root)


def test_a_record_behind_the_newest_checkpoint_is_proven_against_the_present_root(box: Box):
    think(box, 4)
    take(box)
    think(box, 2)

    proof = box.ledger_prove(id="th:7")

    assert (proof["size"], proof["checkpoint"]) == (7, None)
    path = [bytes.fromhex(step) for step in proof["path"]]
    merkle.verify_inclusion(bytes.fromhex(proof["hash"]), 6, 7, path, bytes.fromhex(proof["root"]))


def test_a_copy_of_the_newest_checkpoint_is_kept_outside_the_store(box: Box):
    think(box)
    taken = take(box)

    assert taken is not None
    assert box.app.keyring.recall(WORKSPACE) == [taken.note]


def test_a_server_signs_by_itself_when_enough_has_been_written(open_box: Callable[..., Box]):
    box = open_box(THOUGHTBOX_CHECKPOINT_EVERY="10")
    box.app.keep()
    think(box, 12)

    checkpoint = soon(lambda: (think(box), box.ledger_status()["checkpoint"])[1])

    assert checkpoint["size"] >= 10
    assert box.ledger_verify()["valid"]


def test_a_checkpoint_of_another_installation_is_a_stranger_s_until_its_key_is_trusted(
    open_box: Callable[..., Box], tmp_path
):
    box = open_box()
    think(box, 3)
    take(box)
    key = box.ledger_status()["public_key"]
    box.close()
    (box.app.settings.data_dir / "signing.key").unlink()

    stranger = open_box()
    found = stranger.ledger_verify()
    assert (found["standing"], found["valid"], found["records"], found["problem"]) == ("untrusted", True, 4, None)
    assert [(signer["trusted"], signer["public_key"]) for signer in found["signers"]] == [(False, key)]
    stranger.close()
    assert open_box(THOUGHTBOX_TRUSTED_KEYS=key).ledger_verify()["standing"] == "valid"
