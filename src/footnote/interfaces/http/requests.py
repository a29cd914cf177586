"""The JSON bodies of requests that several routes take, and the domain requests they become."""

from __future__ import annotations

from typing import Annotated, Literal, cast
from uuid import UUID

from fastapi import Header
from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_after_validator_function

from footnote import domain
from footnote.engine.exchanges import Asking
from footnote.engine.grounding import MAX_ANSWER_CHARACTERS
from footnote.engine.suggestions import MAX_CHUNKS, MAX_LANGUAGE_CHARACTERS
from footnote.errors import InvalidRequest
from footnote.filters import condition_from
from footnote.validation.constrained_types import (
    MAX_CONTEXT_WINDOW,
    ModelName,
    Name,
    StorableText,
    storable,
)

MAX_QUERY_CHARACTERS = 10_000
"""Longer text is a document, not a question."""

MAX_TURNS = 100
MAX_TURN_CHARACTERS = 20_000

IdempotencyKey = Annotated[
    str | None,
    Header(description="Makes repeating the request safe.", min_length=1, max_length=255),
]
Query = Annotated[StorableText, Field(min_length=1, max_length=MAX_QUERY_CHARACTERS)]
Whole = Annotated[int, Field(strict=True)]
"""A JSON number without a fraction; neither true nor a number in quotes."""
Flag = Annotated[bool, Field(strict=True)]
TopK = Annotated[Whole, Field(ge=1, le=200)]
MinSimilarity = Annotated[float, Field(strict=True, ge=-1, le=1, allow_inf_nan=False)]


def _exact(schema: object) -> object:
    """The schema, with numbers and flags of JSON alone and text that can be stored."""
    if isinstance(schema, list):
        return [_exact(part) for part in schema]
    if isinstance(schema, tuple):
        return tuple(_exact(part) for part in schema)
    if not isinstance(schema, dict):
        return schema
    for name, part in schema.items():
        if name not in ("cls", "ref", "metadata", "serialization"):
            schema[name] = _exact(part)
    if schema.get("type") in ("int", "float", "bool"):
        schema["strict"] = True
    if schema.get("type") == "str":
        return no_info_after_validator_function(storable, cast("CoreSchema", schema))
    return schema


class Request(BaseModel):
    """A JSON body; a member it does not know is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Numbers and flags of every member are those of JSON: neither `"3"` nor `0` for false.

        Text of every member can be stored, whether it is or not.
        """
        return cast("CoreSchema", _exact(handler(source)))


class Filters(Request):
    """What restricts a search, applied before the best are taken; all that is given must hold."""

    collections: tuple[Name, ...] = ()
    document_ids: tuple[UUID, ...] = ()
    source_types: tuple[domain.SourceType, ...] = ()
    evidence_types: tuple[domain.BlockKind, ...] = Field((), description="Kinds of chunk.")
    where: dict[str, object] | None = Field(
        None,
        description="A condition on documents, in the grammar of filters.",
        examples=[{"language": "de", "page_count": {"gte": 3}}],
    )
    min_similarity: MinSimilarity | None = Field(
        None,
        description="The cosine similarity to the query that evidence must reach; the server's "
        "default if null.",
    )

    def to_domain(self) -> domain.SearchFilters:
        """The filters as retrieval receives them. Raises InvalidRequest."""
        try:
            where = None if self.where is None else condition_from(self.where)
        except InvalidRequest as error:
            raise InvalidRequest(f"body.filters.where: {error}", hint=error.hint) from error
        return domain.SearchFilters(
            collections=self.collections,
            document_ids=self.document_ids,
            source_types=self.source_types,
            evidence_types=self.evidence_types,
            where=where,
            min_similarity=self.min_similarity,
        )


class Stages(Request):
    """Changes to a plan; null keeps what the plan says."""

    fusion: domain.FusionName | None = Field(
        None, description="How the dense and the lexical ranking become one."
    )
    route: Flag | None = Field(None, description="Search the documents first, then within a few.")
    across_languages: Flag | None = Field(
        None,
        description="Look by themselves for passages in other languages than the question's.",
    )
    graph: Flag | None = Field(
        None, description="Recall also by the entities that the question names."
    )
    rerank: Flag | None = Field(None, description="Score the best candidates beside the query.")
    diversity: domain.DiversityName | None = Field(
        None, description="How results are spread over documents."
    )
    neighbours: Whole | None = Field(
        None, description="Chunks before and after each evidence merged into it, 0 to 10."
    )
    across_headings: Flag | None = Field(
        None, description="Whether neighbours may stand under another heading."
    )
    spelling: Flag | None = Field(
        None, description="Correct the spelling of words that no document has."
    )
    exact_phrases: Flag | None = Field(
        None,
        description="Find nothing where no passage has a quoted phrase, instead of searching for "
        "its words.",
    )
    condense: Flag | None = Field(
        None, description="Have a model, not rules, rewrite a follow-up so that it stands alone."
    )
    queries: Whole | None = Field(
        None, description="Wordings that are searched, 1 to 5; more than one needs a model."
    )
    hypothetical: Flag | None = Field(
        None, description="Search with the vector of an imagined answer; needs a model."
    )
    corrections: Whole | None = Field(
        None, description="Cycles of grading and rewriting, 0 to 2; needs a model."
    )
    cache: Flag | None = Field(None, description="Answer from an earlier search, if there is one.")

    def to_domain(self) -> domain.PlanChanges:
        """The changes as retrieval receives them."""
        return domain.PlanChanges(**self.model_dump())


class Turn(Request):
    """One message of the conversation a question belongs to."""

    role: Literal["user", "assistant"]
    text: str = Field(max_length=MAX_TURN_CHARACTERS)


Conversation = Annotated[
    tuple[Turn, ...], Field(max_length=MAX_TURNS, description="Earlier messages, oldest first.")
]


def turns(conversation: tuple[Turn, ...]) -> tuple[domain.Turn, ...]:
    """The messages as retrieval receives them."""
    return tuple(domain.Turn(role=turn.role, text=turn.text) for turn in conversation)


class Retrieval(Request):
    """How evidence is searched for."""

    top_k: TopK | None = Field(None, description="How much evidence; the server's default if null.")
    filters: Filters = Filters()
    plan: Name | None = Field(
        None, description="`balanced`, `fast` or `thorough`; the server's default if null."
    )
    stages: Stages = Field(Stages(), description="Changes to the plan.")


class Search(Retrieval):
    """A search of one workspace."""

    query: Query = Field(
        description='Words, an identifier or a question; "quoted" is a phrase, -word excludes.'
    )
    facets: tuple[Name, ...] = Field(
        (), description="Fields whose commonest values are counted within the filters."
    )
    conversation: Conversation = ()

    def to_domain(self) -> domain.SearchRequest:
        """The request as retrieval receives it. Raises InvalidRequest."""
        return domain.SearchRequest(
            query=self.query,
            top_k=self.top_k,
            filters=self.filters.to_domain(),
            plan=self.plan,
            changes=self.stages.to_domain(),
            facets=self.facets,
            conversation=turns(self.conversation),
        )


class Context(Request):
    """A passage and how many of its neighbours are wanted."""

    chunk_id: str = Field(min_length=1, max_length=200)
    window: Whole = Field(2, ge=0, le=MAX_CONTEXT_WINDOW, description="Chunks before and after.")


Stream = Annotated[
    Flag, Field(description="Send Server-Sent Events, as `Accept: text/event-stream` does.")
]


Model = Annotated[
    ModelName | None,
    Field(
        description="The model that answers, of those that `GET /v1/models` says are used, or "
        "`extractive` for quotes; all in turn if null."
    ),
]


class Again(Retrieval):
    """How a question is answered once more."""

    model: Model = None
    stream: Stream = False

    def asking(self, question: str = "", conversation: tuple[Turn, ...] = ()) -> Asking:
        """The question as the engine takes it. Raises InvalidRequest."""
        return Asking(
            question=question,
            top_k=self.top_k,
            filters=self.filters.to_domain(),
            plan=self.plan,
            changes=self.stages.to_domain(),
            conversation=turns(conversation),
            model=self.model,
        )


class Question(Again):
    """A question to one workspace."""

    question: Query
    conversation: Conversation = ()
    suggest: Flag = Field(
        False,
        description="In a stream, tell what may be asked next, as the event `suggestions` after "
        "`done`.",
    )


Language = Annotated[
    str | None,
    Field(
        description="What the questions are worded in, as in ISO 639-1; that of the question, "
        "else of the documents, if null.",
        min_length=2,
        max_length=MAX_LANGUAGE_CHARACTERS,
    ),
]


class Answered(Request):
    """An answer, after which more may be asked."""

    question: Query = Field(description="As it stands alone.")
    answer: str = Field("", description="The text of its answer.", max_length=MAX_ANSWER_CHARACTERS)
    chunk_ids: tuple[str, ...] = Field(
        description="The passages that the answer cites, then others of its evidence.",
        min_length=1,
        max_length=MAX_CHUNKS,
    )
    filters: Filters = Filters()
    plan: Name | None = Field(None, description="As the question was asked.")
    stages: Stages = Field(Stages(), description="Changes to the plan.")
    conversation: Conversation = ()
    model: Model = None
    language: Language = None


class AnsweredBefore(Request):
    """How questions are suggested after an answer of a conversation."""

    language: Language = None


class Task(Request):
    """A question to a model that looks things up by itself."""

    question: Query
    conversation: Conversation = ()
    model: Model = None
    stream: Stream = False
