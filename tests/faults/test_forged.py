"""Somebody rewrites the store and covers it up: what was signed gives it away.

The store has twenty records: ten thoughts, a checkpoint, four thoughts, a checkpoint, and
four thoughts that nobody has signed yet. The newest checkpoint is also kept in a file
beside the store, as every installation does.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.faults.forger import Forger
from tests.faults.forger import forging as forging_in
from tests.faults.store import Store
from tests.support.box import WORKSPACE
from thoughtbox.errors import ImportRefused, LedgerBroken, SessionNotFound
from thoughtbox.ledger.checkpoints import origin
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.signing import Checkpoint, SigningKey
from thoughtbox.ledger.verdict import Problem

FIRST_SIGNED, FIRST_CHECKPOINT = 10, 11
SIGNED, CHECKPOINT = 15, 16
RECORDS = 20

pytestmark = pytest.mark.sampled(2)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Odd numbers up to 9, and even ones behind, are thoughts of s1; s2 has the others."""
    store = Store(tmp_path / "store")
    for number in range(FIRST_SIGNED):
        store.think(f"step {number}", "s1" if number % 2 == 0 else "s2", actionId=f"deploy-{number}")
    store.sign()
    for number in range(4):
        store.think(f"later {number}", "s1" if number % 2 == 0 else "s2")
    store.sign()
    for number in range(4):
        store.think(f"unsigned {number}", "s1" if number % 2 == 0 else "s2")
    store.assert_whole()
    yield store
    store.close()


def forging(store: Store) -> AbstractContextManager[Forger]:
    return forging_in(store.app.settings.database, WORKSPACE)


def problem(store: Store, *notes: str) -> Problem:
    verdict = store.verify(*notes)
    assert not verdict.valid
    assert verdict.problem
    return verdict.problem


def broken_at(store: Store, session: str) -> int | None:
    verdict = store.call("thought_verify_chain", {"sessionId": session})
    assert verdict["valid"] is (verdict["brokenAt"] is None)
    return verdict["brokenAt"]


def lose_the_kept_note(store: Store) -> str:
    [note] = store.app.keyring.recall(WORKSPACE)
    shutil.rmtree(store.app.settings.data_dir / "checkpoints")
    return note


class TestATailThatWasCutOff:
    """Rows gone, heads and views mended, everything hashed anew."""

    @pytest.mark.parametrize("left", range(SIGNED))
    def test_is_missed_by_the_checkpoint_kept_outside_the_store(self, left: int, store: Store):
        with forging(store) as forger:
            forger.remove(*range(left + 1, RECORDS + 1))
            forger.cover_up()
        found = problem(store)
        assert (found.wrong, found.seq) == ("missing tail", left + 1)
        assert f"covers {SIGNED}" in found.message

    @pytest.mark.parametrize("left", [0, 5, FIRST_SIGNED, FIRST_CHECKPOINT, SIGNED - 1])
    def test_is_missed_by_a_checkpoint_that_somebody_else_kept(self, left: int, store: Store):
        note = lose_the_kept_note(store)
        with forging(store) as forger:
            forger.remove(*range(left + 1, RECORDS + 1))
            forger.cover_up()
        assert store.verify().valid, "without any checkpoint nobody could know"
        found = problem(store, note)
        assert (found.wrong, found.seq) == ("missing tail", left + 1)

    @pytest.mark.parametrize("left", [SIGNED, CHECKPOINT, RECORDS - 1])
    def test_cannot_be_told_where_nobody_had_signed_it_yet(self, left: int, store: Store):
        """The price of signing from time to time; `thoughtbox checkpoint` signs now."""
        with forging(store) as forger:
            forger.remove(*range(left + 1, RECORDS + 1))
            forger.cover_up()
        assert store.verify().valid

    @pytest.mark.parametrize("left", [0, SIGNED, CHECKPOINT, RECORDS - 1])
    def test_is_missed_by_the_witness_when_it_was_not_taken_away(self, left: int, store: Store):
        lose_the_kept_note(store)
        with forging(store) as forger:
            forger.remove(*range(left + 1, RECORDS + 1))
            forger.mend()
        found = problem(store)
        assert (found.wrong, found.seq) == ("missing tail", left + 1)
        assert f"its witness has seen {RECORDS}" in found.message

    @pytest.mark.parametrize("left", [0, 5, SIGNED, CHECKPOINT, RECORDS - 1])
    def test_is_told_and_put_back_by_an_export_that_was_made_before(self, left: int, store: Store):
        """Also where nobody had signed it: an export knows where every stream ended."""
        lines = store.export()
        with forging(store) as forger:
            forger.remove(*range(left + 1, RECORDS + 1))
            forger.cover_up()
        taken = import_lines(store.engine, store.app.views, lines)
        assert (taken.records, taken.added) == (RECORDS, RECORDS - left)
        store.assert_whole()
        assert store.export() == lines

    def test_and_written_anew_is_refused_by_an_export_that_was_made_before(self, store: Store):
        lines = store.export()
        with forging(store) as forger:
            forger.reword(RECORDS - 1, "never said")
            forger.cover_up()
        assert store.verify().valid, "nobody had signed it"
        with pytest.raises(ImportRefused, match=f"already has another th:{RECORDS - 1}"):
            import_lines(store.engine, store.app.views, lines)

    def test_is_noticed_by_the_heads_when_they_were_not_mended(self, store: Store):
        with forging(store) as forger:
            forger.remove(RECORDS)
        found = problem(store)
        assert (found.wrong, found.seq) == ("missing tail", RECORDS)
        assert broken_at(store, "s2") == 8
        assert broken_at(store, "s1") is None

    def test_of_one_session_is_known_from_the_heads_in_a_checkpoint(self, store: Store):
        with forging(store) as forger:
            forger.remove(14, 17, 19)
            forger.close_gaps()
            forger.cover_up()
        assert broken_at(store, "s1") == 6
        assert not store.verify().valid

    def test_is_never_signed_over(self, store: Store):
        """A checkpoint of the shortened store would take the place of the one that knows better."""
        with forging(store) as forger:
            forger.remove(*range(8, RECORDS + 1))
            forger.cover_up()
        with pytest.raises(LedgerBroken, match="covers 15"):
            store.sign()
        for number in range(20):
            store.think(f"new {number}", "s3")
        with pytest.raises(LedgerBroken, match="not those that were signed"):
            store.sign()
        assert problem(store).wrong == "root"


class TestHistoryThatWasRewritten:
    """Other words in the middle, and every hash behind them made anew."""

    def test_is_named_at_the_first_checkpoint_behind_it(self, store: Store):
        with forging(store) as forger:
            forger.reword(3, "never said")
            forger.cover_up()
        found = problem(store)
        assert (found.wrong, found.seq) == ("root", FIRST_SIGNED)
        assert "rewritten" in found.message

    def test_behind_the_first_checkpoint_is_named_at_the_second(self, store: Store):
        with forging(store) as forger:
            forger.reword(13, "never said")
            forger.cover_up()
        found = problem(store)
        assert (found.wrong, found.seq) == ("root", SIGNED)

    def test_is_named_even_when_the_view_of_checkpoints_was_emptied(self, store: Store):
        lose_the_kept_note(store)
        with forging(store) as forger:
            forger.reword(3, "never said")
            forger.cover_up()
            forger.run("DELETE FROM checkpoints")
            forger.run("DELETE FROM checkpoint_heads")
        found = problem(store)
        assert (found.wrong, found.seq) == ("root", FIRST_SIGNED)

    def test_without_its_checkpoints_is_named_by_the_one_kept_outside(self, store: Store):
        with forging(store) as forger:
            forger.forget_checkpoints()
            forger.reword(3, "never said")
            forger.cover_up()
        found = problem(store)
        assert (found.wrong, found.seq) == ("root", SIGNED)

    def test_breaks_the_chain_at_the_nearest_head_that_a_checkpoint_remembers(self, store: Store):
        """With every hash made anew nobody can say which step was changed, only by when."""
        with forging(store) as forger:
            forger.reword(3, "never said")
            forger.cover_up()
        assert broken_at(store, "s1") == 4
        assert broken_at(store, "s2") is None

    def test_that_nobody_covered_up_is_named_at_the_very_record(self, store: Store):
        with forging(store) as forger:
            forger.reword(5, "never said")
        found = problem(store)
        assert (found.wrong, found.seq, found.stream_index) == ("link", 5, 2)
        assert broken_at(store, "s1") == 2

    def test_with_one_bit_changed_is_named_at_the_very_record(self, store: Store):
        with forging(store) as forger:
            forger.run(
                "UPDATE records SET content = CAST(replace(CAST(content AS TEXT), 'step 4', 'step 5') AS BLOB)"
                " WHERE seq = 5"
            )
        found = problem(store)
        assert (found.wrong, found.seq) == ("content", 5)
        assert broken_at(store, "s1") == 2
        with pytest.raises(LedgerBroken):
            store.by_number()


class TestARecordInAnotherPlace:
    def test_in_another_stream_does_not_link(self, store: Store):
        with forging(store) as forger:
            forger.run("UPDATE records SET stream = 'trail/s3', stream_index = 0 WHERE seq = 5")
        found = problem(store)
        assert (found.wrong, found.seq, found.stream) == ("link", 5, "trail/s3")
        assert broken_at(store, "s1") == 2, "the first step that is missing"
        with pytest.raises(SessionNotFound):  # a stream without a head is none, whatever rows say they are of it
            broken_at(store, "s3")

    def test_in_another_stream_at_its_old_place_is_out_of_order(self, store: Store):
        with forging(store) as forger:
            forger.run("UPDATE records SET stream = 'trail/s3' WHERE seq = 5")
        found = problem(store)
        assert (found.wrong, found.seq) == ("order", 5)

    def test_in_another_stream_with_everything_covered_up_is_not_what_was_signed(self, store: Store):
        with forging(store) as forger:
            forger.run("UPDATE records SET stream = 'trail/s3' WHERE seq = 5")
            forger.cover_up()
        found = problem(store)
        assert (found.wrong, found.seq) == ("root", FIRST_SIGNED)
        assert broken_at(store, "s1") is not None

    def test_in_another_workspace_leaves_a_gap_here_and_does_not_link_there(self, store: Store):
        with forging(store) as forger:
            forger.run("UPDATE records SET workspace = 'other' WHERE seq = 1")
            forger.run("INSERT INTO workspaces (workspace, last_seq) VALUES ('other', 1)")
            forger.run(
                "INSERT INTO streams SELECT 'other', stream, 1, hash, 1, 1 FROM records WHERE workspace = 'other'"
            )
        found = problem(store)
        assert (found.wrong, found.seq) == ("order", 1)
        store.workspace = "other"
        found = problem(store)
        assert (found.wrong, found.seq) == ("link", 1)

    def test_in_another_workspace_with_everything_covered_up_is_not_what_was_signed(self, store: Store):
        with forging(store) as forger:
            forger.run("UPDATE records SET workspace = 'other' WHERE seq = 5")
            forger.close_gaps()
            forger.cover_up()
        assert problem(store).wrong == "root"

    def test_swapped_with_another_of_its_stream_does_not_link(self, store: Store):
        with forging(store) as forger:
            third, fifth = forger.record(3), forger.record(5)
            forger.write(3, fifth)
            forger.write(5, third)
        found = problem(store)
        assert (found.wrong, found.seq) == ("link", 3)
        assert broken_at(store, "s1") == 1

    def test_swapped_and_linked_anew_calls_itself_by_another_number(self, store: Store):
        with forging(store) as forger:
            third, fifth = forger.record(3), forger.record(5)
            forger.write(3, fifth)
            forger.write(5, third)
            forger.cover_up()
        found = problem(store)
        assert (found.wrong, found.seq) == ("order", 3)
        assert "calls itself th:5" in found.message
        assert broken_at(store, "s1") == 1

    def test_swapped_renumbered_and_linked_anew_is_not_what_was_signed(self, store: Store):
        with forging(store) as forger:
            third, fifth = forger.record(3), forger.record(5)
            forger.write(3, {**fifth, "id": "th:3"})
            forger.write(5, {**third, "id": "th:5"})
            forger.cover_up()
        assert problem(store).wrong == "root"
        assert broken_at(store, "s1") == 4


class TestARecordTooManyOrTooFew:
    def test_put_between_the_others_is_not_what_was_signed(self, store: Store):
        with forging(store) as forger:
            forger.insert(6, "trail/s1", forger.record(5))
            forger.cover_up()
        assert problem(store).wrong == "root"
        assert broken_at(store, "s1") == 4

    def test_put_at_the_end_without_covering_up_is_more_than_the_head_knows(self, store: Store):
        with forging(store) as forger:
            forger.insert(RECORDS + 1, "trail/s1", forger.record(5))
        found = problem(store)
        assert (found.wrong, found.seq) == ("order", RECORDS + 1)

    def test_taken_out_leaves_a_gap(self, store: Store):
        with forging(store) as forger:
            forger.remove(5)
        found = problem(store)
        assert (found.wrong, found.seq) == ("order", 5)
        assert broken_at(store, "s1") == 2

    def test_taken_out_and_covered_up_is_not_what_was_signed(self, store: Store):
        with forging(store) as forger:
            forger.remove(5)
            forger.close_gaps()
            forger.cover_up()
        assert problem(store).wrong == "root"
        assert broken_at(store, "s1") == 4


class TestARecordThatIsNone:
    @pytest.mark.parametrize(
        "other",
        [
            {"kind": ["claim"]},
            {"kind": "rumour"},
            {"attrs": {"relations": [{"type": {}, "to": "th:1"}]}},
            {"data": {}},
            {"body": "text"},
        ],
        ids=str,
    )
    def test_has_wrong_content_even_where_every_hash_fits(self, other: dict[str, object], store: Store):
        with forging(store) as forger:
            forger.write(5, {**forger.record(5), **other})
            forger.cover_up()
        found = problem(store)
        assert (found.wrong, found.seq) == ("content", 5)
        lines = store.export()
        with Store(None) as elsewhere, pytest.raises(ImportRefused, match="th:5"):
            import_lines(elsewhere.engine, elsewhere.app.views, lines)


class TestAStreamThatIsGone:
    def test_with_its_head_leaves_gaps(self, store: Store):
        with forging(store) as forger:
            forger.run("DELETE FROM records WHERE stream = 'trail/s2'")
            forger.run("DELETE FROM streams WHERE stream = 'trail/s2'")
        found = problem(store)
        assert (found.wrong, found.seq) == ("order", 2)
        assert broken_at(store, "s2") == 0
        assert broken_at(store, "s1") is None

    def test_with_everything_covered_up_is_missed_by_the_checkpoint(self, store: Store):
        with forging(store) as forger:
            forger.run("DELETE FROM records WHERE stream = 'trail/s2'")
            forger.close_gaps()
            forger.cover_up()
        assert problem(store).wrong == "root"
        assert broken_at(store, "s2") == 0


class TestACheckpointThatWasReplaced:
    @pytest.fixture
    def impostor(self, store: Store) -> str:
        """The same size and root, signed by another key of the same name."""
        real = Checkpoint.parse(store.app.keyring.recall(WORKSPACE)[0])
        return SigningKey.generate("thoughtbox", b"x" * 32).sign(real)

    def test_in_its_record_is_not_by_the_key_that_the_record_names(self, store: Store, impostor: str):
        with forging(store) as forger:
            envelope = forger.record(CHECKPOINT)
            forger.write(CHECKPOINT, {**envelope, "data": {**envelope["data"], "note": impostor}})
            forger.cover_up()
        found = problem(store)
        assert (found.wrong, found.seq) == ("bad signature", CHECKPOINT)

    def test_in_its_record_with_the_key_is_signed_by_somebody_who_is_not_trusted(self, store: Store, impostor: str):
        key = str(SigningKey.generate("thoughtbox", b"x" * 32).verifier_key)
        with forging(store) as forger:
            envelope = forger.record(CHECKPOINT)
            forger.write(CHECKPOINT, {**envelope, "data": {**envelope["data"], "note": impostor, "key": key}})
            forger.run("UPDATE checkpoints SET note = ? WHERE seq = ?", impostor, CHECKPOINT)
            forger.cover_up()
        verdict = store.verify()
        assert (verdict.standing, verdict.records, verdict.checkpoints) == ("untrusted", RECORDS, 2)
        [stranger] = verdict.strangers
        assert (stranger.checkpoints, stranger.public_key) == (1, key)

    def test_in_the_view_is_not_what_the_record_says(self, store: Store, impostor: str):
        with forging(store) as forger:
            forger.run("UPDATE checkpoints SET note = ? WHERE seq = ?", impostor, CHECKPOINT)
        found = problem(store)
        assert (found.wrong, found.seq) == ("view", CHECKPOINT)

    def test_outside_the_store_is_by_somebody_who_is_not_trusted(self, store: Store, impostor: str):
        [path] = (store.app.settings.data_dir / "checkpoints").glob("*.note")
        path.write_text(impostor, encoding="utf-8")
        assert store.verify().standing == "untrusted"

    def test_outside_the_store_by_a_stranger_does_not_cover_up_a_rewritten_history(self, store: Store, impostor: str):
        [path] = (store.app.settings.data_dir / "checkpoints").glob("*.note")
        path.write_text(impostor, encoding="utf-8")
        with forging(store) as forger:
            forger.forget_checkpoints()
            forger.reword(3, "never said")
            forger.cover_up()
        assert problem(store).wrong == "root"

    def test_with_a_wrong_signature_of_the_right_key_is_a_bad_signature(self, store: Store):
        note = store.app.keyring.recall(WORKSPACE)[0]
        other = Checkpoint(origin(WORKSPACE), SIGNED, b"\1" * 32)
        forged = other.body() + note[note.index("\n\n") + 1 :]
        with forging(store) as forger:
            envelope = forger.record(CHECKPOINT)
            forger.write(CHECKPOINT, {**envelope, "data": {**envelope["data"], "note": forged}})
            forger.run("UPDATE checkpoints SET note = ?, root = ? WHERE seq = ?", forged, b"\1" * 32, CHECKPOINT)
            forger.cover_up()
        found = problem(store)
        assert (found.wrong, found.seq) == ("bad signature", CHECKPOINT)

    def test_by_the_checkpoint_of_another_workspace_is_a_bad_signature(self, store: Store):
        store.workspace = "other"
        store.think("elsewhere")
        elsewhere = store.sign().note
        store.workspace = WORKSPACE
        assert problem(store, elsewhere).wrong == "bad signature"

    def test_by_an_earlier_one_disagrees_with_its_record(self, store: Store):
        with forging(store) as forger:
            earlier = forger.record(FIRST_CHECKPOINT)["data"]["note"]
            envelope = forger.record(CHECKPOINT)
            forger.write(CHECKPOINT, {**envelope, "data": {**envelope["data"], "note": earlier}})
            forger.cover_up()
        assert problem(store).wrong == "root"
