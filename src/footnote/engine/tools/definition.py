"""Define a tool from the shape of its arguments and a function; errors become text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Annotated, Generic, TypeVar, get_type_hints
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footnote.domain import Document, Evidence, Passage, Right
from footnote.domain.audit import Act
from footnote.engine.acts import RunningAct, entered
from footnote.engine.services import WorkspaceAccess
from footnote.errors import (
    BlobDamaged,
    BlobsUnavailable,
    FootnoteError,
    NotFound,
    NotReady,
    StoreUnavailable,
)
from footnote.ports import Refusal, Tool
from footnote.validation.messages import invalid_locations

ABSENT = "not found in this workspace"
"""What every tool says of what is absent, hidden, or in another workspace."""

_UNAVAILABLE_ERRORS = (StoreUnavailable, NotReady, BlobsUnavailable, BlobDamaged)
"""Errors that other arguments would not avoid."""


class Arguments(BaseModel):
    """What a model may pass to a tool; a name it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Shape = TypeVar("Shape", bound=Arguments)


DocumentId = Annotated[
    UUID, Field(description="The document's id, from search_documents or list_documents.")
]


@dataclass(slots=True)
class EvidenceLedger:
    """The evidence of one run; what tools show as `[n]` is the n-th.

    The same chunk keeps its number, also where a later call shows more of its document around
    it. Law: `ledger.evidence[n - 1].rank == n`.
    """

    _evidence: list[Evidence] = field(default_factory=list)

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """All evidence shown so far, by number."""
        return tuple(self._evidence)

    def number(self, evidence: Evidence) -> int:
        """Return the number under which the evidence is shown."""
        for index, existing in enumerate(self._evidence):
            if existing.passage.chunk_id != evidence.passage.chunk_id:
                continue
            if _covers(existing.passage, evidence.passage):
                return existing.rank
            if _covers(evidence.passage, existing.passage):
                self._evidence[index] = replace(evidence, rank=existing.rank)
                return existing.rank
        rank = len(self._evidence) + 1
        self._evidence.append(replace(evidence, rank=rank))
        return rank


def _covers(outer: Passage, inner: Passage) -> bool:
    return outer.char_start <= inner.char_start and inner.char_end <= outer.char_end


IndexNow = Callable[[WorkspaceAccess, Sequence[UUID]], Awaitable[Mapping[UUID, Document]]]
"""Works on received documents of the workspace until they are indexed or failed; returns them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What the tools of one workspace work with, as one principal."""

    workspace: WorkspaceAccess
    ledger: EvidenceLedger | None = None
    """None numbers the evidence of each call from 1."""
    index_now: IndexNow | None = None
    """Without it a worker must be running."""
    base_url: str = ""
    """The prefix of the paths of the HTTP server; may be empty."""

    def numbered(self, evidence: Sequence[Evidence]) -> list[tuple[int, Evidence]]:
        """Return each hit with the number under which it is shown."""
        ledger = EvidenceLedger() if self.ledger is None else self.ledger
        return [(ledger.number(hit), hit) for hit in evidence]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(Generic[Shape]):
    """What a model sees of a tool, and the function that does its work."""

    name: str
    description: str
    arguments: type[Shape]
    returns: type[BaseModel]
    """The shape of its result as data."""
    work: Callable[[ToolContext, Shape], Awaitable[str]] = field(repr=False)
    act: Act
    right: Right
    failed: str = ""
    """How the text of a failure begins; the name of the tool if empty."""

    def bound(self, context: ToolContext) -> Tool:
        """Return the tool of a workspace; it raises only errors that no arguments would avoid."""
        return Tool(
            name=self.name,
            description=self.description,
            parameters=schema_of(self.arguments),
            call=BoundTool(self, context),
            returns=schema_of(self.returns),
        )


def tool(
    description: str,
    *,
    returns: type[BaseModel],
    act: Act,
    right: Right = Right.READ,
    failed: str = "",
) -> Callable[[Callable[[ToolContext, Shape], Coroutine[object, object, str]]], Definition[Shape]]:
    """Make a tool of a function, which has its name and takes the type of `arguments`."""

    def define(
        work: Callable[[ToolContext, Shape], Coroutine[object, object, str]],
    ) -> Definition[Shape]:
        return Definition(
            name=work.__name__,
            description=description,
            arguments=get_type_hints(work)["arguments"],
            returns=returns,
            work=work,
            act=act,
            right=right,
            failed=failed,
        )

    return define


@dataclass(frozen=True, slots=True)
class BoundTool(Generic[Shape]):
    """A tool with the workspace it works in."""

    definition: Definition[Shape]
    context: ToolContext

    async def __call__(self, arguments: Mapping[str, object]) -> str:
        """Run the tool; return the text that the model reads."""
        tool = self.definition
        supplied = {name: value for name, value in arguments.items() if value is not None}
        try:
            parsed = tool.arguments.model_validate(supplied)
        except ValidationError as error:
            lines = ["the arguments do not fit."]
            for location, text in invalid_locations(error.errors(include_url=False)):
                path = ".".join(map(str, location)) or "arguments"
                message = text.replace("no such field", "no such argument")
                lines.append(f"- {path[:200]}: {message[:300]}")
            accepted = [
                f"{name} (required)" if field.is_required() else name
                for name, field in tool.arguments.model_fields.items()
            ]
            return self._refusal("\n".join([*lines[:12], f"It takes: {', '.join(accepted)}."]))
        act = RunningAct(
            access=self.context.workspace,
            act=tool.act,
            verb=tool.name,
            arguments=dict(iter(parsed)),
            right=tool.right,
        )
        try:
            return await entered(act, partial(tool.work, self.context, parsed))
        except _UNAVAILABLE_ERRORS:
            raise
        except NotFound:
            return self._refusal(ABSENT)
        except FootnoteError as error:
            return self._refusal(". ".join(part for part in (str(error), error.hint) if part))

    def _refusal(self, reason: str) -> Refusal:
        tool = self.definition
        return Refusal(f"{tool.failed or f'{tool.name} failed'}: {reason}")


def schema_of(shape: type[BaseModel]) -> dict[str, object]:
    """Return the JSON Schema of an object, without references: some models cannot follow them."""
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
        return [_plain(entry, defined) for entry in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        target = defined[str(value["$ref"]).removeprefix("#/$defs/")]
        assert isinstance(target, dict)
        remaining = {name: entry for name, entry in value.items() if name != "$ref"}
        # The description of an enumeration is for programmers.
        referenced = {name: entry for name, entry in target.items() if name != "description"}
        return _plain({**referenced, **remaining}, defined)
    options = value.get("anyOf")
    if isinstance(options, list) and {"type": "null"} in options:
        [option] = [option for option in options if option != {"type": "null"}]
        remaining = {
            name: entry for name, entry in value.items() if name not in ("anyOf", "default")
        }
        return _plain({**option, **remaining}, defined)
    return {
        name: {key: _plain(entry, defined) for key, entry in inner.items()}
        if name == "properties" and isinstance(inner, dict)
        else _plain(inner, defined)
        for name, inner in value.items()
        if name != "title" or isinstance(inner, dict)
    }
