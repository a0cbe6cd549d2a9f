"""Tokens: what they are, what they are worth, and that each operation token is spent once."""

from __future__ import annotations

import hmac
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.domains.memory.workflow.conftest import rows, within
from tests.support.box import START_MS, Box
from thoughtbox.domains.memory.project import ProjectFolder, existing_key, write_object
from thoughtbox.domains.memory.tokens.files import (
    TOKEN_ID,
    FileToken,
    live_session_token,
    path_of,
    read_token,
    sweep,
    token_of,
)
from thoughtbox.domains.memory.tokens.minting import Verified, mint, revoke, spend, verify

TESTS = Path(__file__).resolve().parents[4]
STRUCTURE = [
    *("token_id", "token_version", "created_at", "expires_at", "type", "session_id", "phase", "action"),
    *("context_hash", "invocation_chain_head", "compliance_version"),
]
MINUTE = 60_000


def minted(box: Box, type: Any = "operation", **fields: Any) -> dict[str, Any]:
    return within(box, lambda tx: mint(tx, type=type, session="my-session", **fields))


def worth(box: Box, token: object) -> Verified:
    return within(box, lambda tx: verify(tx, token))


def old(type: str = "operation", *, name: str = "abc123xyz", expires_at: int = START_MS + MINUTE) -> dict[str, Any]:
    """A token of the first version, as files have it."""
    prefix = {"operation": "op", "session": "session"}[type]
    told = {"session_id": None, "phase": "teach", "action": "edit"} if type == "operation" else {}
    return {
        "token_id": f"{prefix}-{START_MS}-{name}",
        "created_at": START_MS,
        "expires_at": expires_at,
        "type": type,
        **told,
    }


def put(folder: ProjectFolder, token: dict[str, Any]) -> str:
    write_object(folder.tokens / f"{token['token_id']}.json", token)
    return token["token_id"]


def test_a_token_has_the_structure_of_the_specification_and_is_signed_with_the_projects_key(
    quick: Box, folder: ProjectFolder
):
    token = minted(quick, phase="teach", action="record_experience", context_hash="a" * 64, chain_head="b" * 64)

    assert list(token) == [*STRUCTURE, "signature"]
    assert TOKEN_ID.fullmatch(token["token_id"])
    assert token["token_version"] == 2
    assert token["compliance_version"] == "1.9.0"
    assert (token["session_id"], token["phase"], token["action"]) == ("my-session", "teach", "record_experience")
    assert (token["context_hash"], token["invocation_chain_head"]) == ("a" * 64, "b" * 64)
    payload = json.dumps({name: token[name] for name in STRUCTURE}, sort_keys=True, separators=(",", ":"))
    key = bytes.fromhex(folder.signing_key.read_text(encoding="ascii"))
    assert token["signature"] == hmac.new(key, payload.encode(), "sha256").hexdigest()
    assert key.hex() not in json.dumps(token)


def test_a_token_stands_in_a_file_that_only_its_owner_reads_and_in_the_ledger(both: Box, folder: ProjectFolder):
    token = minted(both, "session", memory_session=None)

    path = folder.tokens / f"{token['token_id']}.json"
    assert json.loads(path.read_text(encoding="utf-8")) == token
    assert path.stat().st_mode & 0o777 == 0o600
    ((id, session, type, payload, hashed, signature, status),) = rows(
        both, "SELECT id, session_id, token_type, payload_json, payload_hash, signature, status FROM memory_tokens"
    )
    assert (id, session, type, signature, status) == (1, None, "session", token["signature"], "live")
    assert {**json.loads(payload), "signature": signature} == token
    assert len(hashed) == 64
    assert rows(both, "SELECT ts FROM memory_tokens")[0][0].endswith("Z")


def test_what_became_of_a_token_is_told_as_of_every_record(both: Box):
    token = minted(both)
    within(both, lambda tx: spend(tx, token["token_id"]))
    other = minted(both, "session")
    within(both, lambda tx: revoke(tx, session="my-session"))

    stood = rows(both, "SELECT token_id, from_seq, status FROM memory_tokens ORDER BY from_seq")
    assert stood == [
        (token["token_id"], 1, "live"),
        (token["token_id"], 2, "spent"),
        (other["token_id"], 3, "live"),
        (other["token_id"], 4, "revoked"),
    ]


def test_tokens_live_as_long_as_the_active_preset_says(quick: Box):
    for preset, minutes in {"three-gate": [5, 60], "minimal": [10, 120], "strict": [3, 30], "custom": [5, 60]}.items():
        quick.apply_preset(preset_name=preset)
        tokens = minted(quick), minted(quick, "session")
        assert [(token["expires_at"] - token["created_at"]) / MINUTE for token in tokens] == minutes, preset


def test_a_project_may_set_its_own_lifetimes(quick: Box, folder: ProjectFolder):
    write_object(folder.config, {"token_ttl": {"operation": 1234}})
    tokens = minted(quick), minted(quick, "session")
    assert [token["expires_at"] - token["created_at"] for token in tokens] == [1234, 60 * MINUTE]


def test_an_operation_token_is_spent_once(quick: Box, folder: ProjectFolder):
    token = minted(quick)
    assert worth(quick, token).status == worth(quick, token["token_id"]).status == "valid"

    spent = [within(quick, lambda tx: spend(tx, token["token_id"])).status for _ in range(3)]

    assert spent == ["valid", "spent", "spent"]
    assert worth(quick, token).status == "spent"
    assert not path_of(folder, token["token_id"]).exists()


def test_a_session_token_cannot_be_spent(quick: Box):
    token = minted(quick, "session")
    found = within(quick, lambda tx: spend(tx, token["token_id"]))
    assert (found.status, "session token" in found.reason) == ("invalid", True)
    assert worth(quick, token).status == "valid"


SPENDING = """
import sys
from pathlib import Path
from tests.support.box import Box
box = Box(Path(sys.argv[1]), **dict(pair.split("=", 1) for pair in sys.argv[3:]))
print("ready", flush=True)
sys.stdin.readline()
print(box.authorize_operation(operation_token=sys.argv[2])["status"], flush=True)
box.close()
"""


def test_of_two_processes_that_spend_one_token_at_once_one_is_told_that_it_was_valid(both: Box, root: Path):
    token, told = minted(both), both.app.settings
    variables = [f"THOUGHTBOX_PROJECT_ROOT={root}"]
    if told.database_url is not None:
        variables.append(f"THOUGHTBOX_DATABASE_URL={told.database_url}")
    command = [sys.executable, "-c", SPENDING, str(told.data_dir), token["token_id"], *variables]
    spenders = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=TESTS) for _ in range(2)
    ]
    for spender in spenders:
        assert spender.stdout is not None
        assert spender.stdout.readline() == "ready\n"
    for spender in spenders:
        assert spender.stdin is not None
        spender.stdin.write("go\n")
        spender.stdin.flush()

    assert sorted(spender.communicate()[0].strip() for spender in spenders) == ["spent", "valid"]


def test_a_token_is_worth_nothing_once_its_time_is_over(quick: Box, folder: ProjectFolder):
    write_object(folder.config, {"token_ttl": {"operation": 3000}})
    token = minted(quick)
    assert worth(quick, token).status == "valid"

    found = {worth(quick, token).status for _ in range(5)}

    assert "expired" in found
    assert within(quick, lambda tx: spend(tx, token["token_id"])).status == "expired"
    answer = quick.authorize_operation(operation_token=token["token_id"])
    assert (answer["authorized"], answer["status"]) == (False, "expired")
    assert not path_of(folder, token["token_id"]).exists()


def test_a_token_that_was_changed_in_any_field_is_invalid(quick: Box):
    token = minted(quick, phase="teach", action="edit")
    for name, value in {
        "token_version": 1,
        "created_at": token["created_at"] + 1,
        "expires_at": token["expires_at"] + 1,
        "session_id": "other",
        "phase": "reason",
        "action": None,
        "context_hash": "f" * 64,
        "invocation_chain_head": "f" * 64,
        "compliance_version": "2.0.0",
        "signature": "0" * 64,
    }.items():
        assert worth(quick, {**token, name: value}).status == "invalid", name
        assert worth(quick, {key: kept for key, kept in token.items() if key != name}).status == "invalid", name
    assert worth(quick, token).status == "valid"


def test_whatever_stands_for_a_signature_is_invalid_and_raises_nothing(quick: Box):
    token = minted(quick)
    for signature in ("z" * 64, "é" * 64, "", "0" * 63, "\ud800" * 64, None, 5, [], {}, "0x" + "0" * 62):
        assert worth(quick, {**token, "signature": signature}).status == "invalid", signature


_ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.binary(max_size=5),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=5), part, max_size=3),
    max_leaves=6,
)


def test_whatever_is_sent_for_a_token_is_invalid_and_raises_nothing(quick: Box, folder: ProjectFolder):
    token = minted(quick, phase="teach", action="edit")
    names = st.sampled_from([*token])

    @settings(max_examples=25, deadline=None)
    @given(_ANYTHING, names, _ANYTHING, st.integers(0, len(json.dumps(token)) - 1))
    def fuzzed(anything: Any, name: str, value: Any, cut: int) -> None:
        assert worth(quick, anything).status == "invalid"
        if value != token[name]:
            assert worth(quick, {**token, name: value}).status == "invalid"
        other = folder.tokens / f"session-{START_MS}-aaaaaaaaa.json"
        other.write_text(json.dumps(token)[:cut], encoding="utf-8")
        assert worth(quick, other.stem).status == "invalid"
        assert live_session_token(folder, START_MS) is None

    fuzzed()


def test_tokens_of_the_first_version_stay_valid_and_are_spent_once(quick: Box, folder: ProjectFolder):
    token = put(folder, old())
    assert worth(quick, token).status == worth(quick, old()).status == "valid"

    answers = [quick.authorize_operation(operation_token=token)["status"] for _ in range(2)]
    put(folder, old())

    assert answers == ["valid", "spent"]
    assert worth(quick, token).status == "spent"
    late = put(folder, old(name="zzzzzzzzz", expires_at=START_MS))
    assert worth(quick, late).status == "expired"


def test_where_files_and_ledger_disagree_the_ledger_is_right(quick: Box, folder: ProjectFolder):
    token = minted(quick)
    path_of(folder, token["token_id"]).unlink()
    assert worth(quick, token["token_id"]).status == "valid"
    within(quick, lambda tx: spend(tx, token["token_id"]))
    put(folder, token)
    assert worth(quick, token["token_id"]).status == "spent"
    put(folder, {name: value for name, value in token.items() if name not in ("token_version", "signature")})
    assert worth(quick, token["token_id"]).status == "spent"

    key = existing_key(folder)
    assert key is not None
    unheard_of = FileToken(f"op-{START_MS}-aaaaaaaaa", START_MS, START_MS + MINUTE, "operation", token_version=2)
    put(folder, unheard_of.signed(key).object())
    assert worth(quick, unheard_of.token_id).status == "invalid"


def test_the_key_that_signed_decides(quick: Box, folder: ProjectFolder):
    token = minted(quick)
    folder.signing_key.write_text("ab" * 32 + "\n", encoding="ascii")
    assert worth(quick, token).status == worth(quick, token["token_id"]).status == "invalid"
    folder.signing_key.write_text("no key\n", encoding="ascii")
    assert worth(quick, token).status == "invalid"
    folder.signing_key.unlink()
    assert worth(quick, token["token_id"]).status == "invalid"


def test_an_id_is_looked_up_by_its_pattern_and_never_becomes_a_path(quick: Box, root: Path):
    evil = root.parent / "evil.json"
    evil.write_text(json.dumps(old()), encoding="utf-8")
    ids = ["../../evil", "op-1-../../../evil", "op-1-abc123xyz/../../../evil", "op-1-ABC123XYZ", "op-1-abc"]
    for id in [*ids, "op-1-abc123xyz\n", "op-१-abc123xyz", "token-1-abc123xyz", ""]:
        answer = quick.authorize_operation(operation_token=id)
        assert (answer["authorized"], answer["status"]) == (False, "invalid"), id
    assert evil.exists()


def test_the_gate_is_opened_by_the_newest_session_token_that_holds(quick: Box, folder: ProjectFolder):
    now = START_MS + 1000
    assert live_session_token(folder, now) is None
    first, second = minted(quick, "session"), minted(quick, "session")
    minted(quick, "operation")
    found = live_session_token(folder, now)
    assert found is not None
    assert found.object() == second

    put(folder, {**second, "expires_at": second["expires_at"] + 1})
    found = live_session_token(folder, now)
    assert found is not None
    assert found.token_id == first["token_id"]
    assert live_session_token(folder, first["expires_at"]) is None

    by_hand = put(folder, old("session"))
    folder.signing_key.write_text("no key\n", encoding="ascii")
    found = live_session_token(folder, now)
    assert found is not None
    assert (found.token_id, found.token_version, found.signature) == (by_hand, 1, None)


def test_a_link_or_a_pipe_among_the_token_files_opens_nothing(folder: ProjectFolder, tmp_path: Path):
    folder.tokens.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(json.dumps(old("session")), encoding="utf-8")
    (folder.tokens / f"{old('session')['token_id']}.json").symlink_to(elsewhere)
    os.mkfifo(folder.tokens / f"session-{START_MS}-bbbbbbbbb.json")
    (folder.tokens / f"session-{START_MS}-ccccccccc.json").write_bytes(b"[" * 100_000)

    assert live_session_token(folder, START_MS) is None


def test_sweeping_takes_expired_tokens_away_and_nothing_else(folder: ProjectFolder):
    gone = put(folder, old(name="aaaaaaaaa", expires_at=START_MS))
    live = put(folder, old("session"))
    note = folder.tokens / "notes.json"
    note.write_text("{}", encoding="utf-8")
    broken = folder.tokens / f"op-{START_MS}-ddddddddd.json"
    broken.write_text("{", encoding="utf-8")

    assert sweep(folder, START_MS) == [gone]
    assert read_token(folder, live) is not None
    assert note.exists()
    assert broken.exists()


def test_a_token_keeps_what_its_file_says_and_nothing_else():
    assert token_of({**old(), "extra": 1}) == FileToken(**old())
    for wrong in (
        {"type": "session"},
        {"type": ["operation"]},
        {"created_at": True},
        {"expires_at": 1.5},
        {"phase": 3},
    ):
        assert token_of({**old(), **wrong}) is None


def test_hooks_can_look_at_tokens_and_configuration_without_anything_heavy():
    code = (
        "import sys\n"
        "import thoughtbox.domains.memory.tokens.files, thoughtbox.domains.memory.configuration\n"
        "print(sorted({'pydantic', 'orjson', 'apsw', 'mcp'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
