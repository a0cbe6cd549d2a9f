"""WebSocket, byte by byte: whatever the pieces are, the messages are the same, and what may not be sent ends it."""

from __future__ import annotations

import struct
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.client import ClientProtocol
from websockets.exceptions import ProtocolError
from websockets.frames import Close, Opcode
from websockets.frames import Frame as TheirFrame
from websockets.protocol import State
from websockets.uri import parse_uri
from websockets.utils import accept_key

from tests.support.watching import BINARY, CLOSE, PING, PONG, TEXT, masked
from thoughtbox.doors.observatory import frames
from thoughtbox.doors.observatory.frames import Frames, Message, Violation

CONTINUATION = 0x0

LENGTHS = st.sampled_from([0, 1, 2, 3, 4, 5, 124, 125, 126, 127, 128, 1000, 65_535, 65_536])
MASKS = st.binary(min_size=4, max_size=4)
CONTROLS = st.builds(Message, st.sampled_from([PING, PONG]), st.binary(max_size=125))


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """A text of any length at which something changes, or any text."""
    if draw(st.booleans()):
        return b"x" * draw(LENGTHS)
    return draw(st.text()).encode()


@st.composite
def messages(draw: st.DrawFn) -> tuple[list[bytes], list[Message]]:
    """Frames as a client may send them, and what they say: parts of messages, with control frames between them."""
    sent: list[bytes] = []
    meant: list[Message] = []
    for _ in range(draw(st.integers(1, 4))):
        kind, body = draw(st.sampled_from([TEXT, BINARY])), draw(texts())
        cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=3)))
        parts = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
        for number, part in enumerate(parts):
            for control in draw(st.lists(CONTROLS, max_size=2)):
                sent.append(masked(*control, mask=draw(MASKS)))
                meant.append(control)
            is_final = number == len(parts) - 1
            sent.append(masked(CONTINUATION if number else kind, part, is_final=is_final, mask=draw(MASKS)))
        meant.append(Message(kind, body))
    return sent, meant


def read(data: bytes, *sizes: int) -> list[Message]:
    """All messages of these bytes, which come in pieces of these sizes, and then in one."""
    reader, found = Frames(), []
    for size in sizes:
        found += reader.feed(data[:size])
        data = data[size:]
    return [*found, *reader.feed(data)]


@given(messages(), st.lists(st.integers(0, 70_000), max_size=8))
def test_messages_are_the_same_in_whatever_pieces_they_come(sent: tuple[list[bytes], list[Message]], sizes: list[int]):
    written, meant = sent

    assert read(b"".join(written), *sizes) == meant


def test_messages_are_the_same_when_every_byte_comes_alone():
    data = masked(TEXT, "grün".encode()[:3], is_final=False) + masked(PING, b"!") + masked(CONTINUATION, b"\xbcn")

    assert read(data, *[1] * len(data)) == [Message(PING, b"!"), Message(TEXT, "grün".encode())]


@given(st.sampled_from([TEXT, BINARY, PING, PONG]), st.data())
def test_what_we_send_an_independent_peer_reads(kind: int, data: st.DataObject):
    body = data.draw(st.binary(max_size=125) if kind in (PING, PONG) else st.one_of(st.binary(), texts()))
    peer = ClientProtocol(parse_uri("ws://localhost/"), state=State.OPEN)

    peer.receive_data(frames.frame(kind, body))

    [found] = peer.events_received()
    assert isinstance(found, TheirFrame)
    assert (found.opcode, bytes(found.data), found.fin) == (kind, body, True)


@given(st.lists(st.tuples(st.sampled_from([Opcode.TEXT, Opcode.BINARY, Opcode.PING]), st.text(max_size=30))))
def test_what_an_independent_peer_sends_we_read(sent: list[tuple[Opcode, str]]):
    peer = ClientProtocol(parse_uri("ws://localhost/"), state=State.OPEN)
    for kind, text in sent:
        {Opcode.TEXT: peer.send_text, Opcode.BINARY: peer.send_binary, Opcode.PING: peer.send_ping}[kind](text.encode())

    assert read(b"".join(peer.data_to_send())) == [Message(kind, text.encode()) for kind, text in sent]


@pytest.mark.parametrize("code", [1000, 1001, 1002, 1007, 1008, 1009, 1012])
def test_an_independent_peer_reads_why_it_is_closed(code: int):
    peer = ClientProtocol(parse_uri("ws://localhost/"), state=State.OPEN)

    peer.receive_data(frames.closing(code, "why " * 60))

    assert peer.close_rcvd is not None
    assert peer.close_rcvd.code == code
    assert peer.close_rcvd.reason.startswith("why why")


@given(st.binary(min_size=16, max_size=16))
def test_a_handshake_is_answered_as_an_independent_peer_expects(key: bytes):
    spelled = b64encode(key)

    assert frames.accept_of(spelled) == accept_key(spelled.decode()).encode()


@pytest.mark.parametrize("key", [b"", b"eA==", b"not base64 at all!!!!!!!", b"\xff" * 24, b"A" * 44])
def test_what_is_no_key_is_not_answered(key: bytes):
    assert frames.accept_of(key) is None


HUGE = bytes([0x80 | TEXT, 0x80 | 127]) + struct.pack("!Q", 2**63)

VIOLATIONS = {
    "a bit of an extension": (bytes([0xC1, 0x80]) + b"mask", 1002),
    "the second bit": (bytes([0xA1, 0x80]) + b"mask", 1002),
    "the third bit": (bytes([0x91, 0x80]) + b"mask", 1002),
    "an opcode for data that there is not": (masked(0x3, b"x"), 1002),
    "an opcode for control that there is not": (masked(0xB), 1002),
    "no mask": (bytes([0x81, 0x01]) + b"x", 1002),
    "no mask on a ping": (bytes([0x89, 0x00]), 1002),
    "a ping in parts": (masked(PING, is_final=False), 1002),
    "a long ping": (masked(PING, b"x" * 126), 1002),
    "a rest without a beginning": (masked(CONTINUATION, b"x"), 1002),
    "a beginning inside another": (masked(TEXT, b"x", is_final=False) + masked(TEXT, b"y"), 1002),
    "a text that is none": (masked(TEXT, b"\xff"), 1007),
    "half a letter": (masked(TEXT, "ü".encode()[:1]), 1007),
    "a lone surrogate": (masked(TEXT, b"\xed\xa0\x80"), 1007),
    "a text that is none in its second part": (
        masked(TEXT, b"x", is_final=False) + masked(CONTINUATION, b"\xc3"),
        1007,
    ),
    "a message too long": (masked(BINARY, b"x" * (frames.LONGEST_MESSAGE + 1)), 1009),
    "a message too long in parts": (
        masked(BINARY, b"x" * 40_000, is_final=False) + masked(CONTINUATION, b"x" * 40_000),
        1009,
    ),
    "the longest length that can be said": (HUGE, 1009),
    "a length alone, before anything of it came": (HUGE[:2] + struct.pack("!Q", frames.LONGEST_MESSAGE + 1), 1009),
}


@pytest.mark.parametrize("name", VIOLATIONS)
@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_what_may_not_be_sent_ends_it_with_its_code(name: str, piece: int):
    data, code = VIOLATIONS[name]

    with pytest.raises(Violation) as ended:
        read(data, *[piece] * (len(data) // piece))

    assert ended.value.code == code
    assert ended.value.reason


def test_messages_before_a_violation_are_still_heard():
    reader = Frames().feed(masked(TEXT, b"first") + masked(0x3))

    assert next(reader) == Message(TEXT, b"first")
    with pytest.raises(Violation):
        next(reader)


def test_a_ping_between_the_parts_of_the_longest_message_does_not_make_it_too_long():
    half = frames.LONGEST_MESSAGE // 2
    sent = [masked(TEXT, b"x" * (frames.LONGEST_MESSAGE - half), is_final=False), masked(PING, b"y" * 125)]

    found = read(b"".join([*sent, masked(CONTINUATION, b"x" * half)]))

    assert found == [Message(PING, b"y" * 125), Message(TEXT, b"x" * frames.LONGEST_MESSAGE)]


@given(st.integers(0, 0xFFFF), st.text(max_size=30))
def test_codes_to_close_with_are_those_of_an_independent_peer(code: int, reason: str):
    body = struct.pack("!H", code) + reason.encode()
    try:
        Close.parse(body).check()
        expected = code
    except ProtocolError:
        expected = None

    if expected is not None:
        assert frames.close_code(body) == expected
        return
    with pytest.raises(Violation) as ended:
        frames.close_code(body)
    assert ended.value.code == 1002


@pytest.mark.parametrize(("body", "code"), [(b"\x03", 1002), (struct.pack("!H", 1000) + b"\xff", 1007)])
def test_half_a_code_or_a_reason_that_is_no_text_is_a_violation(body: bytes, code: int):
    with pytest.raises(Violation) as ended:
        frames.close_code(body)

    assert ended.value.code == code


def test_closing_without_a_code_is_normal():
    assert frames.close_code(b"") == 1000


@given(st.binary(max_size=400), st.integers(1, 50))
def test_whatever_comes_is_messages_or_a_violation(data: bytes, piece: int):
    try:
        found, code = read(data, *[piece] * (len(data) // piece)), None
    except Violation as violation:
        found, code = [], violation.code

    assert code in (None, 1002, 1007, 1009)
    assert all(message.kind in (TEXT, BINARY, CLOSE, PING, PONG) for message in found)
