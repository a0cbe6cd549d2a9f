"""It must earn its place: half the tokens of plain JSON, on the logs of long sessions."""

from __future__ import annotations

import orjson
import pytest
from rs_bpe.bpe import openai

from tests.support.session_logs import RECORDS, session_logs
from thoughtbox.tbx import encode


@pytest.mark.parametrize("room", ["thoughts", "mind", "memory"])
def test_the_log_of_a_long_session_has_at_most_half_the_tokens_of_plain_json(room: str):
    vocabulary = openai.o200k_base()
    log = session_logs()[room]

    assert len(log) == RECORDS
    plain = vocabulary.count(orjson.dumps(log).decode())
    assert vocabulary.count(orjson.dumps(encode(log)).decode()) <= plain / 2
