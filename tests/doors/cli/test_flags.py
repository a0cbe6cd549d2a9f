"""The line that a client starts a server with is read without the parser, and means what the parser says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.doors.cli import parser
from thoughtbox.doors.cli.flags import SERVE_FLAGS, STORE_FLAGS, option, plain_serve

ALL, ALONE = parser.build(), parser.build(["serve"])
OPTIONS = [option(field) for field in (*STORE_FLAGS, *SERVE_FLAGS)]
VALUES = st.one_of(st.sampled_from(["", "x", "a=b", "/tmp/a b", "0", "mind-core"]), st.text("abc=/. 19", max_size=6))
PARTS = st.one_of(
    st.sampled_from([["--stdio"], ["--http"]]),
    st.tuples(st.sampled_from(OPTIONS), VALUES).map(lambda pair: ["=".join(pair)]),
    st.tuples(st.sampled_from(OPTIONS), VALUES).map(list),
)


@settings(deadline=None)
@given(st.lists(PARTS, max_size=5))
def test_a_plain_line_means_what_the_parser_makes_of_it(parts: list[list[str]]):
    words = ["serve", *(word for part in parts for word in part)]

    read = plain_serve(words)

    assert read is not None
    assert vars(read) == vars(ALL.parse_args(words)) == vars(ALONE.parse_args(words))


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["ops"],
        ["--data-dir", "x", "serve"],
        ["serve", "--help"],
        ["serve", "--json"],
        ["serve", "--no-color"],
        ["serve", "stdio"],
        ["serve", "--stdio=1"],
        ["serve", "--data"],
        ["serve", "--data-dir"],
        ["serve", "--data-dir", "--stdio"],
        ["serve", "--project", "-1"],
        ["serve", "--", "--stdio"],
    ],
    ids=" ".join,
)
def test_anything_else_is_left_to_the_parser(words: list[str]):
    assert plain_serve(words) is None


@pytest.mark.parametrize("command", sorted(parser.own_commands()))
def test_a_command_alone_is_parsed_as_among_all_others(command: str, capsys: pytest.CaptureFixture[str]):
    said = []
    for built in (parser.build(), parser.build([command])):
        with pytest.raises(SystemExit):
            built.parse_args([command, "--help"])
        said.append(capsys.readouterr().out)

    assert said[0] == said[1]
