"""Fitting what an agent should remember into so many characters."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.domains.memory.compaction.packing import LONGEST, SHORTEST, Section, packed

sections = st.lists(
    st.builds(Section, st.text(min_size=1, max_size=40), st.lists(st.text(min_size=1, max_size=700), max_size=8)),
    max_size=8,
)


@settings(max_examples=25, deadline=None)
@given(head=st.text(max_size=300), found=sections, longest=st.integers(SHORTEST, LONGEST))
def test_a_pack_is_never_longer_than_it_may_be_and_always_ends_with_the_call_to_go_on_with(head, found, longest):
    go_on = 'Go on with {"operation":"session.resume_latest"}'

    text = packed(head, found, go_on, longest)

    assert len(text) <= longest
    assert text.endswith(go_on)


def test_everything_is_told_of_a_bit_before_one_thing_is_told_of_all():
    many = Section("Prompts:", [f"{number}{'x' * 199}" for number in range(20)])
    last = Section("Files:", ["a.py"])

    text = packed("Head.", [many, last], "Go on.", 800)

    assert "Files:\na.py" in text
    assert text.index("Prompts:") < text.index("Files:") < text.index("Go on.")
    assert [line[0] for line in text.splitlines() if line.endswith("x")] == ["0", "1", "2"]


def test_a_heading_without_a_line_is_not_shown():
    assert packed("Head.", [Section("Files:", [])], "Go on.") == "Head.\nGo on."
