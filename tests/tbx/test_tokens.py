"""It must earn its place: half the tokens of plain JSON, on the logs of long sessions."""

from __future__ import annotations

import pytest

from tests.support.session_logs import RECORDS, session_logs
from tests.support.tokens import tokens
from thoughtbox.tbx import encode


@pytest.mark.parametrize("room", ["thoughts", "mind", "memory"])
def test_the_log_of_a_long_session_has_at_most_half_the_tokens_of_plain_json(room: str):
    log = session_logs()[room]

    assert len(log) == RECORDS
    assert tokens(encode(log)) <= tokens(log) / 2
