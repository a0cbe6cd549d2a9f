"""Messages between the server and a box."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.confinement.frames import LONGEST, Incoming, Unreadable, packed

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), values, max_size=3), max_size=4), st.integers(1, 7))
def test_messages_come_out_as_they_went_in_however_they_are_cut(messages: list[dict[str, object]], size: int):
    data = b"".join(map(packed, messages))
    incoming, found = Incoming(), []
    for begin in range(0, len(data), size):
        incoming.feed(data[begin : begin + size])
        while (message := incoming.message()) is not None:
            found.append(message)
    assert found == json.loads(json.dumps(messages).encode())


def test_half_a_character_is_sent_as_a_question_mark():
    incoming = Incoming()
    incoming.feed(packed({"text": "a\ud800b"}))
    assert incoming.message() == {"text": "a?b"}


@pytest.mark.parametrize("text", [b"", b"no", b"[]", b"7", b'"x"', b"\xff", b"[" * 100_000])
def test_what_is_no_object_is_no_message(text: bytes):
    incoming = Incoming()
    incoming.feed(len(text).to_bytes(4, "big") + text)
    with pytest.raises(Unreadable):
        incoming.message()


def test_a_message_that_is_too_long_is_not_waited_for():
    incoming = Incoming()
    incoming.feed((LONGEST + 1).to_bytes(4, "big"))
    with pytest.raises(Unreadable, match=str(LONGEST + 1)):
        incoming.message()
