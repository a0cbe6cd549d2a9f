"""What goes in and comes out."""

from typing import Annotated, Any

from pydantic import Field

from thoughtbox.ledger.verdict import Standing, Wrong
from thoughtbox.operations import Input, Key, MaxChars, Output

RecordId = Annotated[Key, Field(pattern=r"^th:[1-9][0-9]{0,17}$", description="Id of a record, such as th:17.")]


class ReadStatus(Input):
    pass


class Status(Output):
    workspace: str
    records: int
    streams: int
    checkpoint: Annotated[dict[str, Any] | None, Field(description="Newest signed checkpoint: size, root, record.")]
    unsigned: Annotated[int, Field(description="Records written since that checkpoint.")]
    public_key: Annotated[str | None, Field(description="Key that verifies this installation's checkpoints.")]


class ReadRecord(Input):
    id: RecordId
    max_chars: MaxChars = None


class RecordShown(Output):
    id: str
    stream: str
    stream_index: int
    content_hash: str
    hash: str
    record: Annotated[dict[str, Any], Field(description="The record as stored.")]


class ReadTail(Input):
    after: Annotated[int, Field(ge=0, description="Show records behind this number.")] = 0
    limit: Annotated[int, Field(ge=1, le=500, description="Most records on a page.")] = 50
    max_chars: MaxChars = None


class Tail(Output):
    records: list[dict[str, Any]]
    next_after: Annotated[int | None, Field(description="Pass as `after` to read on; null at the end.")]


class Verify(Input):
    stream: Annotated[
        Key | None, Field(description="Verify this stream alone; all of the workspace when left out.")
    ] = None
    deep: Annotated[bool, Field(description="Compare the views with the records, too; takes longer.")] = False


class Fault(Output):
    wrong: Annotated[Wrong, Field(description="What is wrong.")]
    message: str
    record: str | None
    stream: str | None
    stream_index: int | None


class SignedBy(Output):
    name: Annotated[str, Field(description="Name of the key.")]
    key_id: Annotated[str, Field(description="Id of the key, as its signatures carry it.")]
    checkpoints: Annotated[int, Field(description="How many it signed.")]
    trusted: Annotated[bool, Field(description="Whether it is this installation's own, or trusted by it.")]
    public_key: Annotated[str | None, Field(description="The key, where its checkpoints name it; for `trust`.")]


class Verified(Output):
    standing: Annotated[
        Standing,
        Field(description="valid; untrusted: all fits together, but a key that is not trusted here signed; or broken."),
    ]
    valid: Annotated[bool, Field(description="Whether it is not broken; who signed it is for `standing` to say.")]
    records: Annotated[int, Field(description="Records that hold; of a broken ledger, those before the problem.")]
    streams: int
    checkpoints: Annotated[int, Field(description="Signed checkpoints that fit the records.")]
    root: str | None
    signers: Annotated[list[SignedBy], Field(description="Who signed the checkpoints.")]
    views_checked: Annotated[bool, Field(description="Whether the views were compared with the records (`deep`).")]
    problem: Annotated[Fault | None, Field(description="The first thing found wrong.")]


class Prove(Input):
    id: RecordId


class Proof(Output):
    """What convinces someone who has nothing but the public key."""

    workspace: str
    id: str
    record: Annotated[dict[str, Any], Field(description="The record; its canonical bytes are hashed.")]
    previous_hash: Annotated[str, Field(description="Hash of the record before it in its stream.")]
    hash: Annotated[str, Field(description="SHA-256 of the previous hash and the content hash: the leaf.")]
    index: Annotated[int, Field(description="Place of the leaf, from 0.")]
    size: int
    root: str
    path: Annotated[list[str], Field(description="Sibling hashes from the leaf to the root (RFC 6962).")]
    checkpoint: Annotated[str | None, Field(description="Signed checkpoint of this size and root, if one covers it.")]
