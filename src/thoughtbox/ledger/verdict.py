"""What verification finds: a verdict, and the first thing that is wrong.

There are three verdicts. A ledger that contradicts itself, or what was signed by a known key,
is *broken*. One that does not, but has checkpoints by a key that is not trusted here, is
*untrusted*: all of it fits together, and whether the signer is who they should be is for
people to say. Everything else is *valid*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from thoughtbox.ledger.signing import Signer

Wrong = Literal["content", "link", "order", "missing tail", "root", "bad signature", "view", "damaged store"]
Standing = Literal["valid", "untrusted", "broken"]


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing found wrong, and where."""

    wrong: Wrong
    message: str
    seq: int | None = None
    stream: str | None = None
    stream_index: int | None = None


@dataclass(frozen=True, slots=True)
class Signatory:
    """Who signed checkpoints of the workspace, how many, and whether the key is trusted here."""

    signer: Signer
    checkpoints: int
    trusted: bool
    public_key: str | None = None
    """The key itself, where a checkpoint record of theirs names it."""

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.signer.name,
            "keyId": self.signer.key_id.hex(),
            "checkpoints": self.checkpoints,
            "trusted": self.trusted,
            "publicKey": self.public_key,
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verification found. Of a broken ledger, the counts say how far it was good."""

    records: int
    streams: int
    checkpoints: int
    problem: Problem | None = None
    root: bytes | None = None
    signatories: tuple[Signatory, ...] = ()
    views_checked: bool = False
    """Whether the views were compared with the records, too."""

    @property
    def standing(self) -> Standing:
        if self.problem is not None:
            return "broken"
        return "valid" if all(signatory.trusted for signatory in self.signatories) else "untrusted"

    @property
    def valid(self) -> bool:
        """Nothing contradicts itself; who signed it is another question."""
        return self.problem is None

    @property
    def strangers(self) -> list[Signatory]:
        """Those whose key is not trusted here."""
        return [signatory for signatory in self.signatories if not signatory.trusted]
