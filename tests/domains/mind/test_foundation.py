"""What holds for every tool of the room: its envelope, its workspace, what it refuses."""

from __future__ import annotations

from tests.support.box import Box
from tests.support.mind import Mind


def test_every_answer_is_in_one_envelope(quick: Mind):
    answer = quick.whole("notes_commit", content="one")

    assert list(answer) == [
        *("success", "intent", "result", "warnings", "suggestions", "context", "error", "timestamp"),
    ]
    assert (answer["success"], answer["intent"], answer["error"]) == (True, "notes_commit", None)


def test_an_unknown_argument_is_refused_by_name_with_the_nearest(quick: Mind):
    error = quick.refused("notes_commit", content="one", titel="t")

    assert error.code == "INVALID_INPUT"
    assert "titel" in error.message
    assert error.recovery == "Did you mean `title`?"


def test_a_call_works_in_the_workspace_that_it_names():
    box = Box()
    Mind(box, "acme/repo").notes_commit(content="there")

    assert Mind(box).show(doc_kind="notes")["entries"] == []
    (entry,) = Mind(box, "acme/repo").show(doc_kind="notes")["entries"]
    assert entry["content"] == "there"
    box.close()


def test_a_locked_server_refuses_every_other_workspace():
    box = Box(THOUGHTBOX_WORKSPACE_LOCK="true")
    assert Mind(box, "acme/repo").refused("show").code == "WORKSPACE_LOCKED"
    assert Mind(box, "tests").show()["entries"] == []
    box.close()


def test_a_list_of_workspaces_is_kept_to():
    box = Box(THOUGHTBOX_WORKSPACE_ALLOWLIST="acme/repo, other")
    assert Mind(box, "elsewhere").refused("show").code == "WORKSPACE_NOT_ALLOWED"
    assert Mind(box, "acme/repo").show()["entries"] == []
    assert Mind(box).show()["entries"] == []
    box.close()


def test_secrets_are_hidden_in_answers_and_kept_in_the_ledger(quick: Mind):
    secret = "ghp_" + "a" * 36
    meta = {"password": "hunter2", "tokens_used": 3, "nested": [{"api_key": "k"}]}
    entry = quick.notes_commit(content=f"Use {secret} here", meta=meta)["entry"]

    assert entry["content"] == "Use <redacted> here"
    assert entry["meta"] == {"password": "<redacted>", "tokens_used": 3, "nested": [{"api_key": "<redacted>"}]}
    stored = quick.box.call("ledger_record", {"id": f"th:{entry['seq']}"})["record"]
    assert stored["body"]["text"] == f"Use {secret} here"
    assert stored["data"]["meta"] == meta
