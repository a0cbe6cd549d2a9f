"""Receipts: what they say, and that nothing but the real one is valid."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.domains.memory.cycle.guarded import Guarded
from thoughtbox.domains.memory.hashing import canonical, digest, sign

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=3),
    max_leaves=8,
)


def certified(cycle: Guarded) -> dict[str, Any]:
    return cycle.governance_validate(session_id=cycle.until("FINALIZE_RESPONSE"))["receipt"]


def test_a_receipt_says_what_was_validated_in_canonical_form_and_is_signed(stored: Guarded):
    receipt = certified(stored)
    id = receipt["session_id"]

    payload = receipt["payload"]
    assert set(payload) == {
        *("session_id", "scope", "now", "context_hash", "invocation_chain_head", "compliance_version", "validated")
    }
    status = stored.status(id)
    assert (payload["session_id"], payload["scope"]) == (id, "project")
    assert (payload["context_hash"], payload["compliance_version"]) == (status["context_hash"], "1.9.0")
    assert payload["validated"]["chain_count"] == 5
    assert payload["validated"]["integrity"] == "OK"
    assert receipt["payload_hash"] == digest(payload)
    key = bytes.fromhex((stored.project / ".claude" / "signing.key").read_text(encoding="ascii"))
    assert receipt["signature"] == sign(key, canonical(payload))
    as_the_table_has_it = {**receipt, "payload": None, "payload_json": canonical(payload)}
    for given_receipt in ({"receipt_id": receipt["id"]}, {"receipt": receipt}, {"receipt": as_the_table_has_it}):
        verified = stored.box.call("verify_receipt", given_receipt)
        assert verified == {
            "valid": True,
            "signature_valid": True,
            "hash_valid": True,
            "payload": payload,
            "recorded": True,
            "reason": None,
        }


def test_its_chain_head_is_the_one_that_was_validated(cycle: Guarded):
    id = cycle.until("FINALIZE_RESPONSE")
    head = cycle.status(id)["chain_head"]

    proof = cycle.governance_validate(session_id=id)

    assert proof["receipt"]["payload"]["invocation_chain_head"] == head == proof["token"]["invocation_chain_head"]
    assert cycle.status(id)["chain_head"] != head


@pytest.mark.parametrize(
    ("change", "signature_valid", "hash_valid"),
    [
        ({"payload": None, "payload_json": '{"session_id":1}'}, False, False),
        ({"payload_hash": "0" * 64}, True, False),
        ({"signature": "0" * 64}, False, True),
        ({"signature": "ä" * 64}, False, True),
        ({"signature": None}, False, True),
        ({"payload": {"session_id": 2}}, False, False),
    ],
)
def test_a_receipt_that_was_changed_is_invalid(
    cycle: Guarded, change: dict[str, Any], signature_valid: bool, hash_valid: bool
):
    receipt = certified(cycle)

    verified = cycle.verify_receipt(receipt={**receipt, **change})

    assert (verified["valid"], verified["signature_valid"], verified["hash_valid"]) == (
        False,
        signature_valid,
        hash_valid,
    )
    assert verified["reason"]


def test_without_the_key_or_with_another_nothing_is_valid(cycle: Guarded):
    receipt = certified(cycle)
    key = cycle.project / ".claude" / "signing.key"

    key.write_text("ab" * 32, encoding="ascii")
    assert cycle.verify_receipt(receipt=receipt)["signature_valid"] is False
    key.write_text("no key", encoding="ascii")
    assert cycle.verify_receipt(receipt=receipt)["valid"] is False
    key.unlink()
    gone = cycle.verify_receipt(receipt=receipt)
    assert (gone["valid"], gone["hash_valid"], gone["reason"]) == (False, True, "this project has no signing key")
    assert not key.exists()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(receipt_id=JSON, receipt=JSON, field=st.sampled_from(["payload_json", "payload_hash", "signature", "payload"]))
def test_verification_answers_whatever_is_sent(cycle: Guarded, receipt_id: Any, receipt: Any, field: str):
    for given_receipt in (
        {"receipt_id": receipt_id},
        {"receipt": receipt},
        {"receipt": {"payload_json": json.dumps(receipt), "payload_hash": "0" * 64, "signature": receipt}},
        {"receipt": {"payload_json": '{"a":1}', "payload_hash": digest({"a": 1}), "signature": "0", field: receipt}},
    ):
        verified = cycle.inside(lambda tx, given_receipt=given_receipt: _verify(tx, given_receipt))
        assert verified.valid is False


def _verify(tx: Any, given_receipt: dict[str, Any]) -> Any:
    from thoughtbox.domains.memory.governance.receipts import verify

    return verify(tx, **given_receipt)


def test_what_nests_too_deep_is_invalid(cycle: Guarded):
    deep: Any = 1
    for _ in range(1000):
        deep = [deep]
    text = "[" * 100_000

    for receipt in ({"payload_json": text}, {"payload_json": '{"a":1}', "payload": deep, "payload_hash": "0" * 64}):
        assert cycle.inside(lambda tx, receipt=receipt: _verify(tx, {"receipt": receipt})).valid is False


def test_an_unknown_receipt_and_none_at_all_are_invalid(cycle: Guarded):
    for given_receipt in ({}, {"receipt_id": 99}, {"receipt_id": "th:1"}, {"receipt_id": -1}, {"receipt": []}):
        assert cycle.box.call("verify_receipt", given_receipt)["valid"] is False
