"""What the trail says of its chain when somebody has been at the store."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.support.box import WORKSPACE, Box
from thoughtbox.errors import LedgerBroken, SessionNotFound
from thoughtbox.ledger.keeper import checkpoint

CHANGE_STEP_2 = (
    "UPDATE records SET content = CAST(replace(CAST(content AS TEXT), 'step 2', 'step X') AS BLOB) WHERE seq = 5"
)


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    for step in range(5):
        box.thought_record(sessionId="s1", thoughtType="note", content=f"step {step}")
        box.thought_record(sessionId="other", thoughtType="note", content=f"other {step}")
    yield box
    box.close()


def tamper(box: Box, statement: str) -> None:
    connection = apsw.Connection(str(box.app.settings.database))
    connection.create_scalar_function("sha256", _sha256, 1)
    connection.execute(statement)
    connection.close()


def _sha256(*values: Any) -> bytes:
    return sha256(values[0]).digest()


def test_an_untouched_chain_is_whole(box: Box):
    assert box.thought_verify_chain(sessionId="s1") == {
        "success": True,
        "valid": True,
        "message": "The chain is whole.",
        "thoughtCount": 5,
        "brokenAt": None,
    }


def test_a_changed_thought_breaks_the_chain_at_its_step(box: Box):
    tamper(box, CHANGE_STEP_2)

    verdict = box.thought_verify_chain(sessionId="s1")

    assert (verdict["valid"], verdict["brokenAt"]) == (False, 2)
    assert "th:5" in verdict["message"]


def test_a_changed_thought_is_never_shown_as_if_it_were_whole(box: Box):
    tamper(box, CHANGE_STEP_2)

    with pytest.raises(LedgerBroken):
        box.thought_tree(sessionId="s1")


def test_a_changed_thought_with_its_content_hash_mended_breaks_the_link(box: Box):
    tamper(box, CHANGE_STEP_2)
    tamper(box, "UPDATE records SET content_hash = sha256(content) WHERE seq = 5")

    verdict = box.thought_verify_chain(sessionId="s1")

    assert (verdict["valid"], verdict["brokenAt"]) == (False, 2)
    assert "does not follow" in verdict["message"]


def test_a_missing_tail_is_known_from_the_stream_head(box: Box):
    tamper(box, "DELETE FROM records WHERE stream = 'trail/s1' AND stream_index >= 3")

    verdict = box.thought_verify_chain(sessionId="s1")

    assert (verdict["valid"], verdict["brokenAt"], verdict["thoughtCount"]) == (False, 3, 3)


def test_a_missing_tail_with_its_head_mended_is_known_from_the_checkpoint(box: Box):
    checkpoint(box.app.engine, box.app.views, box.app.keyring, box.app.world, WORKSPACE)
    tamper(box, "DELETE FROM records WHERE stream = 'trail/s1' AND stream_index >= 3")
    tamper(
        box,
        "UPDATE streams SET length = 3, head_hash = (SELECT hash FROM records WHERE stream = 'trail/s1'"
        " AND stream_index = 2), last_seq = 5 WHERE stream = 'trail/s1'",
    )

    verdict = box.thought_verify_chain(sessionId="s1")

    assert (verdict["valid"], verdict["brokenAt"]) == (False, 3)
    assert "known to have had 5" in verdict["message"]


def test_damage_in_one_session_leaves_the_others_whole(box: Box):
    tamper(box, CHANGE_STEP_2)

    assert box.thought_verify_chain(sessionId="other")["valid"]


def test_an_unknown_session_has_no_chain_to_verify(box: Box):
    with pytest.raises(SessionNotFound):
        box.thought_verify_chain(sessionId="nobody")
