"""A tool, made of a shape of arguments and a function: checked before, worded when it fails."""

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
from footnote.engine.acts import ActUnderWay, entered
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
from footnote.validation.messages import wrong_places

ABSENT = "not found in this workspace"
"""What every tool says alike of what is absent, foreign or hidden."""

_BROKEN = (StoreUnavailable, NotReady, BlobsUnavailable, BlobDamaged)
"""What no other arguments can mend."""


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
        """All that was shown, by number."""
        return tuple(self._evidence)

    def number(self, evidence: Evidence) -> int:
        """The number under which the evidence is shown."""
        for place, known in enumerate(self._evidence):
            if known.passage.chunk_id != evidence.passage.chunk_id:
                continue
            if _covers(known.passage, evidence.passage):
                return known.rank
            if _covers(evidence.passage, known.passage):
                self._evidence[place] = replace(evidence, rank=known.rank)
                return known.rank
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
    """What the paths of the HTTP server follow; may be empty."""

    def numbered(self, evidence: Sequence[Evidence]) -> list[tuple[int, Evidence]]:
        """Each with the number under which it is shown."""
        ledger = EvidenceLedger() if self.ledger is None else self.ledger
        return [(ledger.number(each), each) for each in evidence]


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition(Generic[Shape]):
    """What a tool is to a model, and the function behind it."""

    name: str
    description: str
    arguments: type[Shape]
    returns: type[BaseModel]
    """The shape of the data of what it says."""
    work: Callable[[ToolContext, Shape], Awaitable[str]] = field(repr=False)
    act: Act
    right: Right
    failed: str = ""
    """How the text of a failure begins; the name of the tool if empty."""

    def bound(self, context: ToolContext) -> Tool:
        """The tool of a workspace; it raises only what no other arguments could mend."""
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
    """Make a tool of a function, with its name and with the type of `asked` as its arguments."""

    def define(
        work: Callable[[ToolContext, Shape], Coroutine[object, object, str]],
    ) -> Definition[Shape]:
        return Definition(
            name=work.__name__,
            description=description,
            arguments=get_type_hints(work)["asked"],
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
        """What the model reads."""
        tool = self.definition
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            asked = tool.arguments.model_validate(given)
        except ValidationError as error:
            lines = ["the arguments do not fit."]
            for place, said in wrong_places(error.errors(include_url=False)):
                where = ".".join(map(str, place)) or "arguments"
                message = said.replace("no such field", "no such argument")
                lines.append(f"- {where[:200]}: {message[:300]}")
            known = [
                f"{name} (required)" if field.is_required() else name
                for name, field in tool.arguments.model_fields.items()
            ]
            return self._refusal("\n".join([*lines[:12], f"It takes: {', '.join(known)}."]))
        act = ActUnderWay(
            access=self.context.workspace,
            act=tool.act,
            verb=tool.name,
            arguments=dict(iter(asked)),
            right=tool.right,
        )
        try:
            return await entered(act, partial(tool.work, self.context, asked))
        except _BROKEN:
            raise
        except NotFound:
            return self._refusal(ABSENT)
        except FootnoteError as error:
            return self._refusal(". ".join(each for each in (str(error), error.hint) if each))

    def _refusal(self, reason: str) -> Refusal:
        tool = self.definition
        return Refusal(f"{tool.failed or f'{tool.name} failed'}: {reason}")


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
