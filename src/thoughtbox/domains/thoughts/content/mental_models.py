"""Mental models: ways of thinking about a problem, written down so that an agent can follow them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from thoughtbox import content
from thoughtbox.domains.thoughts.arguments import Domain, SessionId
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.scope import existing, own_session
from thoughtbox.domains.thoughts.stages import CIPHER_LOADED, DOMAIN_ACTIVE, at, stage_of
from thoughtbox.errors import InvalidPayload, ResourceNotFound
from thoughtbox.operations import CamelInput, CamelOutput, Example, Key, MaxChars, Tx

FOLDER = "mental-models"
TAGS_FILE = "tags"

Part = Literal["whole", "purpose", "when-to-use", "procedure", "example", "pitfalls"]
HEADINGS: Mapping[Part, str] = {
    "purpose": "Purpose",
    "when-to-use": "When to use",
    "procedure": "Procedure",
    "example": "Worked example",
    "pitfalls": "Pitfalls",
}
"""The parts that every model has, and what they are headed by."""

_LATEST = {"sessionId": "latest"}
_READY = (("start_new", {"sessionTitle": "Slow pages"}), ("cipher", _LATEST))


@dataclass(frozen=True, slots=True)
class MentalModel:
    """One way of thinking."""

    name: str
    title: str
    description: str
    tags: tuple[str, ...]
    content: str

    def part(self, named: Part) -> str:
        """All of it, or one part from its heading up to the next."""
        if named == "whole":
            return self.content
        parts = re.split(r"^(?=## )", self.content, flags=re.MULTILINE)
        return next(part for part in parts if part.startswith(f"## {HEADINGS[named]}\n")).rstrip() + "\n"


@cache
def models() -> dict[str, MentalModel]:
    """All models, by name."""
    return {name: _read(name) for name in content.names(FOLDER) if name != TAGS_FILE}


@cache
def tags() -> dict[str, str]:
    """All tags, and when to use the models that have them."""
    lines = content.text(f"{FOLDER}/{TAGS_FILE}.md").strip().splitlines()
    return {name: description for name, _, description in (line.partition(": ") for line in lines)}


def _read(name: str) -> MentalModel:
    """A file: lines of `name: value` between two lines of dashes, then Markdown."""
    _, front, body = content.text(f"{FOLDER}/{name}.md").split("---\n", 2)
    given = {key: value for key, _, value in (line.partition(": ") for line in front.strip().splitlines())}
    return MentalModel(
        name=name,
        title=given["title"],
        description=given["description"],
        tags=tuple(given["tags"].split(", ")),
        content=body.strip() + "\n",
    )


def directory() -> str:
    """All models below their tags, as JSON."""
    shown = {
        tag: {
            "description": description,
            "models": [
                {"name": model.name, "title": model.title, "uri": f"thoughtbox://{FOLDER}/{tag}/{model.name}"}
                for model in models().values()
                if tag in model.tags
            ],
        }
        for tag, description in tags().items()
    }
    return json.dumps(shown, ensure_ascii=False)


class GetModel(CamelInput):
    model_id: Annotated[Key, Field(description="Its name, as list_models shows it.")]
    part: Annotated[
        Part, Field(description="One part alone: `procedure` is the steps, and lines of cipher to fill in.")
    ] = "whole"
    session_id: SessionId = None
    max_chars: MaxChars = None


class ModelRead(CamelOutput):
    sparse: ClassVar[bool] = True

    name: str
    title: str
    tags: list[str]
    content: str
    part: str | None = None
    """Which part this is, if it is not the whole."""

    @classmethod
    def of(cls, model: MentalModel, part: Part = "whole") -> ModelRead:
        return cls(
            name=model.name,
            title=model.title,
            tags=list(model.tags),
            content=model.part(part),
            part=None if part == "whole" else part,
        )


class ListModels(CamelInput):
    tag: Annotated[Domain | None, Field(description="Only models with this tag.")] = None
    session_id: SessionId = None


class ModelShown(CamelOutput):
    name: str
    title: str
    description: str
    tags: list[str]


class ModelsListed(CamelOutput):
    sparse: ClassVar[bool] = True

    models: list[ModelShown]
    count: int
    filter: str | None = None


class ListTags(CamelInput):
    session_id: SessionId = None


class TagShown(CamelOutput):
    name: str
    description: str


class ModelPage(CamelInput):
    tag: Annotated[Key, Field(description="A tag that the model has.")]
    model: Annotated[Key, Field(description="The model's name.")]


class TagsListed(CamelOutput):
    tags: list[TagShown]
    count: int


@room.operation(
    "mental_models.get_model",
    guard=at(CIPHER_LOADED),
    title="Read a mental model",
    example=Example({**_LATEST, "modelId": "five-whys", "part": "procedure"}, given=_READY),
)
def get_model(tx: Tx, call: GetModel) -> ModelRead:
    """One mental model: purpose, when to use it, procedure, worked example, pitfalls; or one of these alone."""
    model = models().get(call.model_id)
    if model is None:
        raise InvalidPayload(
            f"there is no mental model `{call.model_id}`",
            recovery=f"They are {', '.join(models())}.",
            details={"fields": ["modelId"]},
        )
    return ModelRead.of(model, call.part)


@room.operation(
    "mental_models.list_models",
    guard=at(CIPHER_LOADED),
    title="List mental models",
    example=Example({**_LATEST, "tag": "debugging"}, given=_READY),
)
def list_models(tx: Tx, call: ListModels) -> ModelsListed:
    """Mental models: all of them, those with a tag, or, once a domain was chosen, those of the domain."""
    wanted = call.tag or _domain(tx, call.session_id)
    shown = [
        ModelShown(name=model.name, title=model.title, description=model.description, tags=list(model.tags))
        for model in models().values()
        if wanted is None or wanted in model.tags
    ]
    return ModelsListed(models=shown, count=len(shown), filter=wanted)


@room.operation(
    "mental_models.list_tags",
    guard=at(CIPHER_LOADED),
    title="List the tags of mental models",
    example=Example(_LATEST, given=_READY),
)
def list_tags(tx: Tx, call: ListTags) -> TagsListed:
    """The tags, and when to use the models that have them."""
    shown = [TagShown(name=name, description=description) for name, description in tags().items()]
    return TagsListed(tags=shown, count=len(shown))


@room.operation(
    "mental_models.page",
    hidden=True,
    title="Read a mental model below a tag",
    errors=[ResourceNotFound],
    example=Example({"tag": "debugging", "model": "five-whys"}),
)
def page(tx: Tx, call: ModelPage) -> ModelRead:
    """One mental model in full, as the resource below its tag shows it."""
    model = models().get(call.model)
    if model is None or call.tag not in model.tags:
        raise ResourceNotFound(
            f"there is no mental model `{call.model}` with the tag `{call.tag}`",
            recovery="thoughtbox://mental-models shows all of them, below their tags.",
        )
    return ModelRead.of(model)


def _domain(tx: Tx, named: str | None) -> str | None:
    """The domain that the session has chosen, once its stage lets it count."""
    session_id = named or own_session(tx)
    if session_id is None or stage_of(tx, named) < DOMAIN_ACTIVE:
        return None
    return existing(tx, session_id).domain
