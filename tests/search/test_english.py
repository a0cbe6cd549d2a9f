"""What words come down to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.search.english import STOP_WORDS, stem

FAMILIES = """
cache caches cached caching
migrate migrates migrated migrating migration migrations
retry retries retried retrying
validate validates validated validation validator
index indexes indexed indexing indices
configure configured configuration configurations
deploy deploys deployed deploying deployment deployments
connect connected connecting connection connections
decide decided deciding decision decisions
choose chose chosen choosing choice choices
fail fails failed failing failure failures
run runs ran running
stop stops stopped stopping
time times timed timing
size sizes sized sizing
query queries queried querying
latency latencies
dependency dependencies depend depends dependent
serialize serialized serializer serialization
delete deletes deleted deleting deletion
write writes wrote written writing
analyze analyzes analysed analysis analyses
slow slows slowly slowness
possible possibly possibility
hope hopes hoped hoping
agree agrees agreed
happy happiness
address addresses addressed
useful usefulness
"""

APART = """
cache cash
hope hop
app apply
new news
test text
user use
process progress
general genre
index in
write right
state status
policy police
"""


@pytest.mark.parametrize("family", FAMILIES.strip().splitlines())
def test_the_forms_of_a_word_come_down_to_the_same(family: str):
    assert len({stem(word) for word in family.split()}) == 1


@pytest.mark.parametrize("pair", APART.strip().splitlines())
def test_words_that_only_look_alike_stay_apart(pair: str):
    one, other = pair.split()

    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    "word", ["utf8", "sha256", "x509s", "größe", "übungen", "мысли", "한국어", "東", "is", "ids", "bus", "gas"]
)
def test_words_of_others_identifiers_and_short_words_stay_as_they_are(word: str):
    assert stem(word) == word


@given(st.text("abcdeginorstuy", min_size=1, max_size=12))
def test_a_stem_is_no_longer_than_a_letter_more_and_never_nothing(word: str):
    assert 0 < len(stem(word)) <= len(word) + 1


def test_words_that_questions_are_made_of_are_lower_case_words():
    assert all(word.isalpha() and word.islower() and word.isascii() for word in STOP_WORDS)
    assert {"why", "did", "we", "the", "how", "is"} <= STOP_WORDS
