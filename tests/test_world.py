"""Times and ids as they are written down: what Python's own modules would write, without loading them."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.world import iso, milliseconds, uuid_of

LATEST_MS = 253_402_300_799_999
"""The end of the year 9999."""


@given(st.integers(0, LATEST_MS))
def test_a_time_is_written_as_datetime_writes_it_and_read_back(ms: int):
    written = iso(ms)
    assert written == f"{datetime.fromtimestamp(ms // 1000, UTC):%Y-%m-%dT%H:%M:%S}.{ms % 1000:03}Z"
    assert milliseconds(written) == ms


@given(st.binary(min_size=16, max_size=16) | st.sampled_from([bytes(16), b"\xff" * 16]))
def test_an_id_is_the_uuid_of_its_bytes(random: bytes):
    assert uuid_of(random) == str(UUID(bytes=random, version=4))
