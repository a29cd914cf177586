"""A tool, made of a shape of arguments and a verb: checked before, worded when it fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Generic, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from footnote.domain import MAX_NAME_CHARACTERS
from footnote.errors import (
    BlobDamaged,
    BlobsUnavailable,
    FootnoteError,
    NotFound,
    NotReady,
    StoreUnavailable,
)
from footnote.ports import Refusal, Tool
from footnote.validation.messages import wrong_places
from footnote.validation.text import is_storable

ABSENT = "not found in this workspace"
"""What every tool says alike of what is absent, foreign or hidden."""

_BROKEN = (StoreUnavailable, NotReady, BlobsUnavailable, BlobDamaged)
"""What no other arguments can mend."""


class Arguments(BaseModel):
    """What a model may pass to a tool; a name it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Shape = TypeVar("Shape", bound=Arguments)


def _storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError("it holds a character that cannot be stored")
    return text


Text = Annotated[str, AfterValidator(_storable)]
Name = Annotated[Text, Field(min_length=1, max_length=MAX_NAME_CHARACTERS)]
DocumentId = Annotated[
    UUID, Field(description="The document's id, from search_documents or list_documents.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(Generic[Shape]):
    """What a tool is to a model, and the verb behind it."""

    name: str
    description: str
    arguments: type[Shape]
    work: Callable[[Shape], Awaitable[str]] = field(repr=False)
    returns: type[BaseModel]
    """The shape of the data of what it says."""
    failed: str = ""
    """How the text of a failure begins; the name of the tool if empty."""

    def tool(self) -> Tool:
        """The tool; it raises only what no other arguments could mend."""
        return Tool(
            name=self.name,
            description=self.description,
            parameters=schema_of(self.arguments),
            call=self,
            returns=schema_of(self.returns),
        )

    async def __call__(self, arguments: Mapping[str, object]) -> str:
        """What the model reads."""
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            asked = self.arguments.model_validate(given)
        except ValidationError as error:
            return self._refusal("\n".join(_faults(error, self.arguments)))
        try:
            return await self.work(asked)
        except _BROKEN:
            raise
        except NotFound:
            return self._refusal(ABSENT)
        except FootnoteError as error:
            return self._refusal(". ".join(each for each in (str(error), error.hint) if each))

    def _refusal(self, reason: str) -> Refusal:
        return Refusal(f"{self.failed or f'{self.name} failed'}: {reason}")


def _faults(error: ValidationError, shape: type[Arguments]) -> list[str]:
    """Each wrong argument with what is wrong, then what there is."""
    lines = ["the arguments do not fit."]
    for place, said in wrong_places(error.errors(include_url=False)):
        where = ".".join(map(str, place)) or "arguments"
        message = said.replace("no such field", "no such argument")
        lines.append(f"- {where[:200]}: {message[:300]}")
    known = [
        f"{name} (required)" if field.is_required() else name
        for name, field in shape.model_fields.items()
    ]
    return [*lines[:12], f"It takes: {', '.join(known)}."]


def schema_of(shape: type[BaseModel]) -> dict[str, object]:
    """The JSON Schema of an object, without references, which some models cannot follow."""
    return deepcopy(_schema(shape))


@cache
def _schema(shape: type[BaseModel]) -> dict[str, object]:
    schema = shape.model_json_schema()
    defined = schema.pop("$defs", {})
    plain = _plain(schema, defined)
    assert isinstance(plain, dict)
    plain.pop("description", None)
    return plain


def _plain(value: object, defined: Mapping[str, object]) -> object:
    if isinstance(value, list):
        return [_plain(each, defined) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        meant = defined[str(value["$ref"]).removeprefix("#/$defs/")]
        assert isinstance(meant, dict)
        rest = {name: each for name, each in value.items() if name != "$ref"}
        # What an enumeration says of itself is for programmers.
        known = {name: each for name, each in meant.items() if name != "description"}
        return _plain({**known, **rest}, defined)
    options = value.get("anyOf")
    if isinstance(options, list) and {"type": "null"} in options:
        [only] = [each for each in options if each != {"type": "null"}]
        rest = {name: each for name, each in value.items() if name not in ("anyOf", "default")}
        return _plain({**only, **rest}, defined)
    return {
        name: {key: _plain(each, defined) for key, each in inner.items()}
        if name == "properties" and isinstance(inner, dict)
        else _plain(inner, defined)
        for name, inner in value.items()
        if name != "title" or isinstance(inner, dict)
    }
