"""The document's error codes, at every door."""

from __future__ import annotations

from typing import Any

from tests.support.senders import Sender

REFUSED: dict[str, dict[str, Any]] = {
    "SESSION_NOT_FOUND": {"operation": "session.get", "sessionId": "nowhere"},
    "THOUGHT_NOT_FOUND": {"operation": "read_thoughts", "thoughtNumber": 99},
    "INVALID_OPERATION": {"operation": "fly"},
    "INVALID_PAYLOAD": {"operation": "thought"},
}
EARLY = {"operation": "thought", "thought": "too early"}


def test_a_refusal_has_the_code_of_the_table_whichever_way_the_call_came(sender: Sender):
    if sender.has_stages:
        assert sender.send(EARLY)["code"] == "STAGE_REQUIREMENT_NOT_MET"
    session = sender.send({"operation": "start_new"})["sessionId"]
    sender.send({"operation": "cipher", "sessionId": session})

    for code, call in REFUSED.items():
        refused = sender.send({"sessionId": session, **call} if code == "THOUGHT_NOT_FOUND" else call)

        assert refused["code"] == code
        assert refused["message"]
    asked = sender.send({"operation": "thought", "sessionId": session, "thought": "x", "critique": True})
    assert asked["notice"]["code"] == "SAMPLING_NOT_SUPPORTED"
