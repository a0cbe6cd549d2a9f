"""What operations take, as a model reads it."""

from __future__ import annotations

import orjson

from thoughtbox import domains


def test_an_argument_is_described_by_its_own_words_before_those_of_its_type():
    schema = orjson.loads(domains.known().schemas("authored").input)

    assert schema["properties"]["about"] == {
        "type": "string",
        "description": "Records that refer to this one, of any session.",
    }
