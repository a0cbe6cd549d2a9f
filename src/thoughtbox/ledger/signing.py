"""Signed checkpoints: the size and root of a tree, in the C2SP formats signed-note and tlog-checkpoint.

    example.com/my-workspace
    20852163
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

    — example.com/my-key Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+…

Extension lines, which the format allows, are refused: nobody shall sign what is not understood here.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import Final, NamedTuple, NoReturn

from thoughtbox.errors import InvalidProof

_ED25519: Final = b"\x01"
_SEED_LENGTH: Final = 32
_PUBLIC_KEY_LENGTH: Final = 32
_ROOT_LENGTH: Final = 32
_KEY_ID_LENGTH: Final = 4
_MAX_SIZE: Final = 2**63 - 1
_MAX_SIGNATURES: Final = 100
_PRIVATE: Final = "PRIVATE+KEY+"

_BODY: Final = re.compile(r"(.+)\n(0|[1-9][0-9]{0,18})\n(.+)\n")
_SIGNATURE_LINE: Final = re.compile(r"— ([^ ]+) ([A-Za-z0-9+/=]+)")
# What a note cannot hold: control characters, and halves of characters that UTF-8 cannot write.
_UNWRITABLE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NOT_IN_A_KEY_NAME: Final = re.compile(r"[\s+]|" + _UNWRITABLE.pattern)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a tree was at one moment: whose it is, how many records it had, and its root."""

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        if not self.origin or _UNWRITABLE.search(self.origin):
            _refuse_malformed("A checkpoint's origin is one line of text without control characters.")
        if not 0 <= self.size <= _MAX_SIZE:
            _refuse_malformed(f"A checkpoint's size is between 0 and 2^63 - 1, not {self.size}.")
        if len(self.root) != _ROOT_LENGTH:
            _refuse_malformed(f"A checkpoint's root has {_ROOT_LENGTH} bytes, not {len(self.root)}.")

    def body(self) -> str:
        """The three lines that are signed."""
        return f"{self.origin}\n{self.size}\n{_encode(self.root)}\n"

    @classmethod
    def parse(cls, note: str) -> Checkpoint:
        """Read the checkpoint of a note, or a bare body, without looking at signatures: `open_note` is for trust."""
        body, blank, _ = note.partition("\n\n")
        lines = _BODY.fullmatch(f"{body}\n" if blank else body)
        if not lines:
            _refuse_malformed("A checkpoint is three lines: origin, size in decimal without leading zeros, and root.")
        origin, size, root = lines.groups()
        return cls(origin, int(size), _decode(root))


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """The public half of a key, with the name it signs under."""

    name: str
    public_key: bytes

    def __post_init__(self) -> None:
        _check_name(self.name)
        if len(self.public_key) != _PUBLIC_KEY_LENGTH:
            _refuse_malformed(f"An Ed25519 public key has {_PUBLIC_KEY_LENGTH} bytes, not {len(self.public_key)}.")

    @classmethod
    def parse(cls, vkey: str) -> VerifierKey:
        """Read the text form, `<name>+<key id in hex>+<base64 of algorithm and key>`."""
        key = cls(*_parse_key(vkey))
        if str(key) != vkey:
            _refuse_malformed("The verifier key's id does not fit its name and key.")
        return key

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{_encode(_ED25519 + self.public_key)}"

    @property
    def id(self) -> bytes:
        """The four bytes that let a reader find the key of a signature; they prove nothing."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self.public_key).digest()[:_KEY_ID_LENGTH]

    def verify(self, text: str, signature: bytes) -> None:
        """Raise `InvalidProof` unless this key signed the text."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(signature, text.encode())
        except InvalidSignature:
            _refuse(f"The signature by {self.name} does not fit the text: one of them was changed.", "bad signature")


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The private half of a key. Its text form exists only in the file that holds it."""

    name: str
    seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        _check_name(self.name)
        if len(self.seed) != _SEED_LENGTH:
            _refuse_malformed(f"An Ed25519 seed has {_SEED_LENGTH} bytes, not {len(self.seed)}.")

    @classmethod
    def generate(cls, name: str, seed: bytes | None = None) -> SigningKey:
        """A new key; a given seed always makes the same one."""
        return cls(name, os.urandom(_SEED_LENGTH) if seed is None else seed)

    @classmethod
    def load(cls, path: Path) -> SigningKey:
        """Read a key that `save` wrote."""
        try:
            text = path.read_text(encoding="utf-8").removesuffix("\n")
        except UnicodeDecodeError:
            text = ""
        if not text.startswith(_PRIVATE):
            _refuse_malformed(f"{path} does not hold a signing key.")
        key = cls(*_parse_key(text.removeprefix(_PRIVATE)))
        if key._text() != text:
            _refuse_malformed(f"The id of the signing key in {path} does not fit its name and key.")
        return key

    def save(self, path: Path) -> None:
        """Write the key to a new file that only its owner may read; an existing file is never touched."""
        # Written aside, under a name of its own, and linked into place: a process that dies here leaves no half key.
        descriptor, aside = mkstemp(prefix=f"{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
                file.write(self._text() + "\n")
                file.flush()
                os.fsync(descriptor)
            os.link(aside, path)
        finally:
            Path(aside).unlink()

    @property
    def verifier_key(self) -> VerifierKey:
        """The public half, for whoever is to check."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return VerifierKey(self.name, Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw())

    def sign(self, checkpoint: Checkpoint) -> str:
        """The checkpoint as a signed note."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        body = checkpoint.body()
        signature = Ed25519PrivateKey.from_private_bytes(self.seed).sign(body.encode())
        return f"{body}\n— {self.name} {_encode(self.verifier_key.id + signature)}\n"

    def _text(self) -> str:
        return f"{_PRIVATE}{self.name}+{self.verifier_key.id.hex()}+{_encode(_ED25519 + self.seed)}"


class Signer(NamedTuple):
    """Whose signature a note says it bears: a key's name and id. They find the key, and prove nothing."""

    name: str
    key_id: bytes

    @classmethod
    def of(cls, key: VerifierKey) -> Signer:
        return cls(key.name, key.id)

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}"


@dataclass(frozen=True, slots=True)
class _Signature:
    key_name: str
    key_id: bytes
    signature: bytes

    def is_by(self, key: VerifierKey) -> bool:
        return (self.key_name, self.key_id) == (key.name, key.id)


def open_note(note: str, keys: Iterable[VerifierKey]) -> Checkpoint:
    """The checkpoint of a note that one of the keys signed, and none of them signed wrongly.

    Signatures by other keys are ignored, so that witnesses may add theirs. Whether
    the origin is the expected one is for the caller to say.
    """
    text, signatures = _split(note)
    trusted = list(keys)
    matches = [(key, found) for found in signatures for key in trusted if found.is_by(key)]
    if not matches:
        _refuse("The note has only unknown signatures: none is by a key that was given.", "unknown signature")
    for key, found in matches:
        key.verify(text, found.signature)
    return Checkpoint.parse(text)


def signers(note: str) -> list[Signer]:
    """Who says to have signed a note, in order; whether that is so, only `open_note` tells."""
    return [Signer(found.key_name, found.key_id) for found in _split(note)[1]]


def _split(note: str) -> tuple[str, list[_Signature]]:
    """The signed text of a note, and its signatures."""
    if _UNWRITABLE.search(note.replace("\n", "")):
        _refuse_malformed("A note holds no control characters but line ends, and no lone surrogates.")
    text, blank, block = note.rpartition("\n\n")
    if not (text and blank and block.endswith("\n")):
        _refuse_malformed("A note is a text, an empty line, and whole lines of signatures.")
    lines = block.removesuffix("\n").split("\n")
    if len(lines) > _MAX_SIGNATURES:
        _refuse_malformed(f"A note has at most {_MAX_SIGNATURES} signatures, not {len(lines)}.")
    return text + "\n", [_parse_signature(line) for line in lines]


def _parse_signature(line: str) -> _Signature:
    parts = _SIGNATURE_LINE.fullmatch(line)
    if not parts:
        _refuse_malformed("A signature line is an em dash, a key name and base64, with one space between them.")
    name, data = parts[1], _decode(parts[2])
    _check_name(name)
    if len(data) <= _KEY_ID_LENGTH:
        _refuse_malformed("A signature is longer than the key id before it.")
    return _Signature(name, data[:_KEY_ID_LENGTH], data[_KEY_ID_LENGTH:])


def _parse_key(text: str) -> tuple[str, bytes]:
    """Name and key material of either text form. The id between them is for the caller to compare."""
    parts = text.split("+", 2)
    if len(parts) != 3:
        _refuse_malformed("A key is its name, its id and its base64, joined by plus signs.")
    name, _, encoded = parts
    data = _decode(encoded)
    if data[:1] != _ED25519:
        _refuse_malformed("The key is not of the one known algorithm, Ed25519.")
    return name, data[1:]


def _check_name(name: str) -> None:
    if not name or _NOT_IN_A_KEY_NAME.search(name):
        _refuse_malformed("A key name is not empty and has no spaces, plus signs or control characters.")


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _decode(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        _refuse_malformed("A part that must be base64 is not.")
    # The last character may carry bits that decoding drops; two texts must not stand for one value.
    if _encode(data) != text:
        _refuse_malformed("A part in base64 is not written in its one canonical way.")
    return data


def _refuse_malformed(message: str) -> NoReturn:
    _refuse(message, "malformed")


def _refuse(message: str, reason: str) -> NoReturn:
    raise InvalidProof(message, details={"reason": reason})
