"""Operations: whatever a snippet names below `tb` is asked of the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.sandbox.python.host import Host, Told
from thoughtbox.errors import SnippetFailed

Run = Callable[..., Told]


@pytest.mark.parametrize(
    "code",
    [
        'tb.thoughts.session.get(sessionId="a")',
        't = tb.thoughts\nt.session.get(sessionId="a")',
        's = tb.thoughts.session\ns.get(sessionId="a")',
        'get = tb.thoughts.session.get\nget(sessionId="a")',
        'getattr(tb.thoughts.session, "get")(sessionId="a")',
        'tb . thoughts . session . get ( sessionId = "a" )',
        'tb.thoughts.session.get(**{"sessionId": "a"})',
        'await tb.thoughts.session.get(sessionId="a")',
        'async def go():\n    return await tb.thoughts.session.get(sessionId="a")\nawait go()',
        'def go(tb):\n    return tb.thoughts.session.get(sessionId="a")\ngo(tb)',
        '(tb\n .thoughts\n .session\n .get(sessionId="a"))',
    ],
)
def test_an_operation_is_found_however_it_is_written(run: Run, host: Host, code: str):
    host.answers["thoughts.session.get"] = {"n": 1}
    told = run(code)
    assert told.asked == [("thoughts.session.get", {"sessionId": "a"})]
    assert told.result == {"n": 1}


@pytest.mark.parametrize("name", ["thoughts.nope", "clam", "nope.nope.nope", "thoughts", "thoughts.session"])
def test_what_nobody_knows_is_asked_for_all_the_same(run: Run, name: str):
    with pytest.raises(SnippetFailed, match=f"INVALID_OPERATION: there is no {name}"):
        run(f"tb.{name}(a=1)")


def test_arguments_cross_as_json_with_ids_for_handles(run: Run, host: Host):
    host.answers["thoughts.thought"] = {}
    told = run(
        'c = tb.claim("x")\n'
        "tb.thoughts.thought(a=c, b=[c, (1, 2)], c={1: {c}}, d={c: None}, e=float('nan'),"
        " f=2**60, g=len, h=c.id, i={}.keys())"
    )
    assert told.asked[-1][1] == {
        "a": "th:17",
        "b": ["th:17", [1, 2]],
        "c": {"1": ["th:17"]},
        "d": {"th:17": None},
        "e": None,
        "f": str(2**60),
        "g": None,
        "h": "th:17",
        "i": [],
    }


def test_an_answer_is_what_the_host_has_said(run: Run, host: Host):
    answer = {"a": [1, 2.5, None, True, "é\u2028\0", {"b": []}], "n": 2**53}
    host.answers["thoughts.thought"] = answer
    assert run("tb.thoughts.thought()").result == answer


def test_words_of_the_language_are_written_with_an_underscore(run: Run, host: Host):
    host.answers |= {"mind.branch_create": {}, "thoughts.session.import": {}}
    told = run('tb.mind.branch_create(name="a", from_="b")\ntb.thoughts.session.import_(content="c")')
    assert told.asked == [
        ("mind.branch_create", {"name": "a", "from": "b"}),
        ("thoughts.session.import", {"content": "c"}),
    ]


def test_an_operation_takes_keywords_only(run: Run):
    with pytest.raises(SnippetFailed, match="takes keywords only"):
        run('tb.thoughts.thought("x")')


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("tb.thoughts.thought(a=b'x')", "bytes"),
        ("a = []\na.append(a)\ntb.thoughts.thought(a=a)", "holds itself"),
        ("a = []\nfor i in range(300):\n    a = [a]\ntb.thoughts.thought(a=a)", "deeper than 200"),
    ],
)
def test_arguments_that_json_cannot_hold_are_an_error_in_the_snippet(run: Run, code: str, why: str):
    with pytest.raises(SnippetFailed, match=why):
        run(code)
    before, _, last = code.rpartition("\n")
    caught = f"{before}\ntry:\n    {last}\nexcept ValueError as e:\n    why = str(e)\nwhy"
    assert why in run(caught).result


def test_records_are_not_lost_with_a_question_that_cannot_be_asked(run: Run, host: Host):
    host.answers["thoughts.thought"] = {}
    told = run(
        'a = tb.claim("a")\nx = []\nfor i in range(300):\n    x = [x]\n'
        "try:\n    tb.thoughts.thought(x=x)\nexcept ValueError:\n    pass\n"
        'b = tb.claim("b", supports=[a])\ntb.thoughts.thought()\nc = tb.claim("c", supports=[b])\nc.id'
    )
    assert [(built.text, dict(built.options)) for built in told.built] == [
        ("a", {}),
        ("b", {"supports": ["th:17"]}),
        ("c", {"supports": ["th:18"]}),
    ]
    assert told.result == "th:19"


def test_variables_of_the_session_are_operations(run: Run, host: Host):
    kept: dict[str, Any] = {}
    host.answers |= {
        "code.vars.set": lambda told: kept.update({told["name"]: told["value"]}),
        "code.vars.get": lambda told: {"value": kept[told["name"]]} if told["name"] in kept else {},
        "code.vars.list": lambda told: {"vars": sorted(kept)},
        "code.vars.delete": lambda told: {"deleted": kept.pop(told["name"], None) is not None},
    }
    told = run(
        'x = [tb.vars.set("a", {"n": 1}), tb.vars.get("a"), tb.vars.get("b"), tb.vars.list()]\n'
        'x + [tb.vars.delete("a"), tb.vars.delete("a"), tb.vars.list()]'
    )
    assert told.result == [{"n": 1}, {"n": 1}, None, ["a"], True, False, []]
    assert told.asked[0] == ("code.vars.set", {"name": "a", "value": {"n": 1}})


def test_an_operation_that_the_source_does_not_name_is_not_there(run: Run):
    with pytest.raises(SnippetFailed, match="no attribute"):
        run('getattr(tb.thoughts, "thou" + "ght")()')


def test_a_snippet_that_searches_has_the_catalog_and_no_tb(run: Run):
    catalog = b'{"operations": [{"name": "a"}, {"name": "b"}], "kinds": []}'
    assert run('[o["name"] for o in catalog["operations"]]', catalog=catalog).result == ["a", "b"]
    with pytest.raises(SnippetFailed, match="'tb' is not defined"):
        run("tb", catalog=catalog)
    with pytest.raises(SnippetFailed, match="'catalog' is not defined"):
        run("catalog")


def test_a_large_catalog_leaves_room_for_what_a_snippet_needs(run: Run):
    operations = ",".join(f'{{"name": "op{n}", "input": {{"a": ["{"x" * 900}"]}}}}' for n in range(550))
    told = run(
        'kept = [o["name"] for o in catalog["operations"]]\n'
        'more = ["x" * 1000 + str(i) for i in range(20000)]\nlen(kept)',
        catalog=f'{{"operations": [{operations}]}}'.encode(),
    )
    assert told.result == 550


def test_an_answer_that_is_no_text_of_any_language_ends_the_snippet(run: Run, host: Host):
    host.answers["thoughts.thought"] = {"a": "\ud800"}
    with pytest.raises(SnippetFailed, match="surrogates not allowed"):
        run("tb.thoughts.thought()")
    assert run("1 + 1").result == 2
