"""Exports through the operation: three forms, in pieces that fit together, whatever happens meanwhile."""

from __future__ import annotations

import json

import orjson
import pytest

from tests.support.thinker import Client
from thoughtbox.domains.thoughts.files.cipher_reading import read_cipher
from thoughtbox.errors import InvalidPayload, SessionNotFound

FORMS = ["json", "markdown", "cipher"]
ODD = 'He said: "思考 🧠 \\ \t no" — and ∴ ' * 20


@pytest.fixture
def long(mia: Client) -> Client:
    """Thirty thoughts of all sorts: long and short, quotes, other scripts, branches, a revision, a critique."""
    for n in range(30):
        mia.think(
            f"{n} {ODD if n % 2 else 'short'}", **({"branchId": f"b{n}", "branchFromThought": 1} if n % 5 == 4 else {})
        )
    mia.think("right after all", revisesThought=2)
    mia.critique(thoughtNumber=1, text=ODD, model="m")
    return mia


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("longest", [500, 777, 4_000, 70_000])
def test_pieces_put_together_are_the_whole(long: Client, form: str, longest: int):
    whole = long.exported(form)

    pieces = list(long.pages("session.export", format=form, maxChars=longest))

    assert all(len(orjson.dumps({**piece, "budget": None})) <= longest + 20 for piece in pieces)
    assert not any(piece["budget"]["truncated"] for piece in pieces)
    together = "".join(piece["content"] for piece in pieces)
    if form == "json":  # each export says when it was made
        assert {**json.loads(together), "exportedAt": ""} == {**json.loads(whole), "exportedAt": ""}
    else:
        assert together == whole


@pytest.mark.parametrize("form", FORMS)
def test_a_long_export_comes_in_pieces_by_itself(tom: Client, form: str):
    for _ in range(30):
        tom.think('思考"\\' * 1_500)

    pieces = list(tom.pages("session.export", format=form))

    assert len(pieces) > 3
    assert not any("budget" in piece for piece in pieces)
    assert "cursor" in pieces[0]
    assert "part" in pieces[0]["message"]
    assert "message" not in pieces[-1]
    whole = "".join(piece["content"] for piece in pieces)
    said = json.loads(whole)["nodes"] if form == "json" else whole.count("思考") // 1_500
    assert (len(said) if isinstance(said, list) else said) == 30


@pytest.mark.parametrize("form", FORMS)
def test_pieces_fit_together_while_somebody_goes_on_thinking(long: Client, form: str):
    whole = long.exported(form)
    pieces = []
    for n, piece in enumerate(long.pages("session.export", format=form, maxChars=2_000)):
        pieces.append(piece["content"])
        long.think(f"meanwhile {n}")
        long.think(f"meanwhile {n}", branchId=f"m{n}", branchFromThought=1)
        long.session_rename(title=f"Renamed {n}")

    together = "".join(pieces)

    assert "meanwhile" not in together
    if form == "json":
        assert {**json.loads(together), "exportedAt": ""} == {**json.loads(whole), "exportedAt": ""}
    else:
        assert together == whole


def test_an_export_ends_when_its_session_is_deleted(long: Client):
    session_id = long.session_id
    pieces = long.pages("session.export", sessionId=session_id, maxChars=2_000)
    next(pieces)
    long.session_delete(sessionId=session_id)

    with pytest.raises(SessionNotFound):
        next(pieces)


def test_json_is_what_is_exported_unless_asked_otherwise(mia: Client):
    mia.think()

    answer = mia.session_export()

    assert answer["format"] == "json"
    assert json.loads(answer["content"])["version"] == "1.0"


def test_an_empty_session_can_be_exported_in_every_form(mia: Client):
    assert json.loads(mia.exported("json"))["nodes"] == []
    assert mia.exported("markdown").startswith("# Slow pages\n")
    assert mia.exported("cipher") == "# Slow pages\n"


def test_json_has_all_nodes_with_their_links_and_critiques(long: Client):
    exported = json.loads(long.exported())

    nodes = {node["id"]: node for node in exported["nodes"]}
    assert exported["session"]["id"] == long.session_id
    assert exported["session"]["thoughtCount"] == len(nodes) == 31
    for node in nodes.values():
        if node["prev"] is not None:
            assert node["id"] in nodes[node["prev"]]["next"]
        assert all(nodes[other]["prev"] == node["id"] for other in node["next"])
    assert nodes[f"{long.session_id}:1"]["data"]["critique"]["text"] == ODD
    assert nodes[f"{long.session_id}:25"]["revisesNode"] == f"{long.session_id}:2"


def test_markdown_is_shorter_without_metadata(long: Client):
    long.session_tag(add=["web"])

    assert "**Tags:** web" in long.exported("markdown")
    assert "**Tags:**" not in long.exported("markdown", includeMetadata=False)


def test_cipher_keeps_prose_as_prose_and_can_be_read_again(long: Client):
    found = read_cipher(long.exported("cipher"))

    said = [each["thought"] for page in long.pages("session.get") for each in page["thoughts"]]
    assert [each.text for each in found.thoughts] == said
    assert "|H|" not in long.exported("cipher")


@pytest.mark.parametrize("form", ["pdf", "JSON", "", 7])
def test_a_form_that_is_not_known_is_refused(tom: Client, form: object):
    with pytest.raises(InvalidPayload, match="format"):
        tom.session_export(format=form)


def test_a_piece_has_to_have_some_length(tom: Client):
    tom.think()

    with pytest.raises(InvalidPayload, match="maxChars"):
        tom.session_export(maxChars=100)
