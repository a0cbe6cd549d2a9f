"""Mental models: fifteen of them, each complete, under six tags."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.content.mental_models import HEADINGS, models, tags
from thoughtbox.errors import InvalidPayload, ResourceNotFound

CATALOG = {
    "rubber-duck": ("Rubber Duck Debugging", ["debugging"]),
    "five-whys": ("Five Whys", ["debugging", "problem-solving"]),
    "pre-mortem": ("Pre-Mortem Analysis", ["planning", "risk-management"]),
    "steelmanning": ("Steelmanning", ["decision-making"]),
    "fermi-estimation": ("Fermi Estimation", ["planning", "analysis"]),
    "trade-off-matrix": ("Trade-off Matrix", ["decision-making"]),
    "decomposition": ("Problem Decomposition", ["planning", "problem-solving"]),
    "inversion": ("Inversion", ["decision-making", "risk-management"]),
    "abstraction-laddering": ("Abstraction Laddering", ["problem-solving", "analysis"]),
    "constraint-relaxation": ("Constraint Relaxation", ["problem-solving"]),
    "assumption-surfacing": ("Assumption Surfacing", ["analysis"]),
    "adversarial-thinking": ("Adversarial Thinking", ["risk-management"]),
    "time-horizon-shifting": ("Time Horizon Shifting", ["planning", "decision-making"]),
    "impact-effort-grid": ("Impact-Effort Grid", ["planning", "decision-making"]),
    "opportunity-cost": ("Opportunity Cost", ["decision-making"]),
}
"""The appendix of the document."""

MOST_LINES = 10
"""Of a procedure in cipher."""

TAGS = ["debugging", "planning", "decision-making", "risk-management", "problem-solving", "analysis"]


def names(answer: dict[str, Any]) -> list[str]:
    return [model["name"] for model in answer["models"]]


def test_the_fifteen_models_of_the_document_are_there_with_their_titles_and_tags(tom: Client):
    listed = tom.call("mental_models.list_models")

    assert listed["count"] == 15
    assert "filter" not in listed
    assert {model["name"]: (model["title"], model["tags"]) for model in listed["models"]} == CATALOG
    assert all(model["description"] for model in listed["models"])


@pytest.mark.parametrize("name", CATALOG)
def test_every_model_says_what_it_is_for_when_to_use_it_how_with_an_example_and_its_pitfalls(name: str):
    headings = re.findall(r"^## (.+)$", models()[name].content, re.MULTILINE)

    assert [heading.lower() for heading in headings] == [
        "purpose",
        "when to use",
        "procedure",
        "worked example",
        "pitfalls",
    ]


@pytest.mark.parametrize("name", CATALOG)
def test_every_model_has_four_to_nine_hundred_words_beside_its_cipher(name: str):
    assert 400 <= len(re.sub(r"^S[0-9]+\|.*$", "", models()[name].content, flags=re.MULTILINE).split()) <= 900


@pytest.mark.parametrize("name", CATALOG)
def test_every_part_of_a_model_is_written_out(name: str):
    parts = re.split(r"^## .+$", models()[name].content, flags=re.MULTILINE)[1:]

    assert all(len(part.split()) >= 20 for part in parts)
    assert not re.search(r"\b(TODO|TBD|FIXME|lorem)\b", models()[name].content)


def test_no_two_models_say_the_same():
    bodies = [model.content for model in models().values()]

    assert len(set(bodies)) == len({body.splitlines()[0] for body in bodies}) == 15


@pytest.mark.parametrize("name", CATALOG)
def test_a_model_is_given_in_full(tom: Client, name: str):
    title, its_tags = CATALOG[name]

    assert tom.call("mental_models.get_model", modelId=name) == {
        "name": name,
        "title": title,
        "tags": its_tags,
        "content": models()[name].content,
    }


@pytest.mark.parametrize("name", CATALOG)
def test_each_part_of_a_model_is_given_alone_and_together_they_are_the_whole(tom: Client, name: str):
    whole = tom.call("mental_models.get_model", modelId=name, part="whole")
    assert whole == tom.call("mental_models.get_model", modelId=name)

    parts = [tom.call("mental_models.get_model", modelId=name, part=part) for part in HEADINGS]

    assert [part["part"] for part in parts] == list(HEADINGS)
    for part in parts:
        assert part["content"].startswith(f"## {HEADINGS[part['part']]}\n")
        assert (part["name"], part["title"]) == (name, CATALOG[name][0])
    title, _, rest = whole["content"].partition("\n\n")
    assert title.startswith("# ")
    assert "\n".join(part["content"] for part in parts) == rest


@pytest.mark.parametrize("wrong", ["history", "Procedure", "", 3])
def test_a_part_that_no_model_has_is_refused_and_all_are_named(tom: Client, wrong: Any):
    with pytest.raises(InvalidPayload, match="part") as refused:
        tom.call("mental_models.get_model", modelId="five-whys", part=wrong)

    assert all(part in f"{refused.value} {refused.value.recovery}" for part in ("whole", *HEADINGS))


def cipher_of(text: str) -> list[str]:
    return re.findall(r"^S[0-9]+\|.*$", text, re.MULTILINE)


@pytest.mark.parametrize("name", CATALOG)
def test_the_procedure_of_every_model_can_be_sent_as_thoughts(mia: Client, name: str):
    lines = cipher_of(mia.call("mental_models.get_model", modelId=name, part="procedure")["content"])
    assert 5 <= len(lines) <= MOST_LINES

    for number, line in enumerate(lines, 1):
        answer = mia.think(line)
        assert "notes" not in answer, answer
        assert answer["thoughtNumber"] == number
        assert line.startswith(f"S{number}|")

    # All of them hang together, and no question is left without an answer.
    edges = mia.get_structure()["edges"]
    assert len({edge[end] for edge in edges for end in ("from", "to")}) == len(lines)
    assert mia.deep_analysis(analysisType="patterns")["patterns"]["openQuestions"] == []


@pytest.mark.parametrize("name", [name for name in CATALOG if len(cipher_of(models()[name].part("example"))) > 1])
def test_examples_in_cipher_are_read_as_they_are_meant(mia: Client, name: str):
    answers = [mia.think(line) for line in cipher_of(models()[name].part("example"))]

    assert [answer for answer in answers if "notes" in answer] == []


@pytest.mark.parametrize("wrong", ["five whys", "FIVE-WHYS", "../cipher", "tags", "x"])
def test_a_model_that_is_not_there_is_refused_and_all_are_named(tom: Client, wrong: str):
    with pytest.raises(InvalidPayload, match="no mental model") as refused:
        tom.call("mental_models.get_model", modelId=wrong)

    assert all(name in str(refused.value.recovery) for name in CATALOG)


def test_a_model_has_to_be_named(tom: Client):
    with pytest.raises(InvalidPayload, match="modelId"):
        tom.call("mental_models.get_model")


@pytest.mark.parametrize("tag", TAGS)
def test_models_are_listed_by_tag(tom: Client, tag: str):
    listed = tom.call("mental_models.list_models", tag=tag)

    assert sorted(names(listed)) == sorted(name for name, (_, its_tags) in CATALOG.items() if tag in its_tags)
    assert listed["filter"] == tag
    assert listed["count"] == len(listed["models"])


@pytest.mark.parametrize("tag", ["cooking", "Debugging", "", 7])
def test_a_tag_that_is_not_there_is_refused(tom: Client, tag: Any):
    with pytest.raises(InvalidPayload, match="tag"):
        tom.call("mental_models.list_models", tag=tag)


def test_the_six_tags_say_when_to_use_them(tom: Client):
    listed = tom.call("mental_models.list_tags")

    assert sorted(tag["name"] for tag in listed["tags"]) == sorted(TAGS)
    assert listed["count"] == 6
    assert all(len(tag["description"].split()) > 3 for tag in listed["tags"])
    assert {tag for model in models().values() for tag in model.tags} == set(tags())


@pytest.mark.parametrize("name", CATALOG)
def test_a_model_has_a_page_below_each_of_its_tags_and_below_no_other(tom: Client, name: str):
    for tag in TAGS:
        if tag in CATALOG[name][1]:
            assert tom.call("mental_models.page", tag=tag, model=name)["content"] == models()[name].content
        else:
            with pytest.raises(ResourceNotFound):
                tom.call("mental_models.page", tag=tag, model=name)


def test_at_stage_3_only_the_models_of_the_domain_are_listed(box: Box):
    mia = Client(box).ready(domain="risk-management")

    listed = mia.call("mental_models.list_models")

    assert mia.stage == 3
    assert sorted(names(listed)) == ["adversarial-thinking", "inversion", "pre-mortem"]
    assert listed["filter"] == "risk-management"


def test_a_tag_that_is_asked_for_is_stronger_than_the_domain(box: Box):
    mia = Client(box).ready(domain="risk-management")

    assert mia.call("mental_models.list_models", tag="analysis")["filter"] == "analysis"
    assert mia.call("mental_models.get_model", modelId="rubber-duck")["name"] == "rubber-duck"


def test_the_domain_of_one_client_does_not_filter_anothers_models(box: Box, mia: Client):
    Client(box).ready(domain="planning")

    assert mia.call("mental_models.list_models")["count"] == 15
