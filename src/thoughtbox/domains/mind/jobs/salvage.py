"""What a summary refers to: commands, links, and the ids that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from thoughtbox.domains.mind.engine.receipts import MARKERS
from thoughtbox.domains.mind.jobs.job import LONGEST_REF, MOST_REFS

RECEIPTS = ("CMD:", "LINK:")
_URL = re.compile(r"(?:https?|file)://[^\s<>\"'`)\]]+", re.IGNORECASE)
_ID = re.compile(
    r"(?<![\w@:-])(?:(?:CARD|TASK|PLAN|STEP|JOB|CONFLICT)-[A-Za-z0-9-]*[A-Za-z0-9](?:@[0-9]+)?"
    r"|[A-Za-z][\w-]*@[1-9][0-9]*|a:[a-z0-9][a-z0-9-]{0,63}|runner:[\w.-]*\w)(?![\w@])"
)


def refs_of(job: str, given: Sequence[str], summary: str) -> list[str]:
    """What the end of a job refers to: what was given, what its summary names, and the job itself."""
    named = dict.fromkeys((*given, *_salvaged(summary)))
    named.pop(job, None)
    return [*list(named)[: MOST_REFS - 1], job]


def is_proof(ref: str) -> bool:
    """Whether a reference is to a command or to something that can be looked at."""
    return ref.upper().startswith(RECEIPTS) or _URL.match(ref) is not None


def _salvaged(summary: str) -> Iterator[str]:
    for line in (MARKERS.sub("", line).strip() for line in summary.splitlines()):
        receipt = next((word for word in RECEIPTS if line.upper().startswith(word)), None)
        if receipt is not None:
            said = line[len(receipt) :].strip()
            if said and len(receipt) + 1 + len(said) <= LONGEST_REF:
                yield f"{receipt} {said}"
            continue
        links = [f"LINK: {found[0].rstrip('.,;:!?')}" for found in _URL.finditer(line)]
        ids = [found[0] for found in _ID.finditer(_URL.sub(" ", line))]
        yield from (ref for ref in (*links, *ids) if len(ref) <= LONGEST_REF)
