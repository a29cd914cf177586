"""The shapes in which requests come in, and the domain requests they become."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from footnote import domain
from footnote.domain import MAX_EXTERNAL_ID_CHARACTERS, MAX_NAME_CHARACTERS
from footnote.text import is_storable

MAX_QUERY_CHARACTERS = 8_000
"""Longer text is a document, not a question."""


def storable(text: str) -> str:
    """The text, if Postgres can hold it. Raises ValueError."""
    if not is_storable(text):
        raise ValueError("it holds a character that cannot be stored")
    return text


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARACTERS), AfterValidator(storable)]
ExternalId = Annotated[
    str, Field(min_length=1, max_length=MAX_EXTERNAL_ID_CHARACTERS), AfterValidator(storable)
]
StorableText = Annotated[str, AfterValidator(storable)]
Metadata = Annotated[
    dict[StorableText, bool | int | Annotated[float, Field(allow_inf_nan=False)] | StorableText],
    Field(max_length=200),
]
"""What a caller may say about a document, beside its key."""

Query = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARACTERS)]
TopK = Annotated[int, Field(ge=1, le=200)]


class _Request(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Filters(_Request):
    """What restricts a search, applied before the best are taken."""

    collections: tuple[Name, ...] = ()
    document_ids: tuple[UUID, ...] = ()
    source_types: tuple[domain.SourceType, ...] = ()

    def to_domain(self) -> domain.SearchFilters:
        """The filters as retrieval receives them."""
        return domain.SearchFilters(
            collections=self.collections,
            document_ids=self.document_ids,
            source_types=self.source_types,
        )


class Search(_Request):
    """A search of one workspace."""

    query: Query = Field(description="Words, an identifier or a question.")
    top_k: TopK | None = Field(None, description="How much evidence; the server's default if null.")
    filters: Filters = Filters()
    plan: Name | None = Field(None, description="The name of a plan; the workspace's if null.")

    def to_domain(self, default_top_k: int) -> domain.SearchRequest:
        """The request as retrieval receives it."""
        return domain.SearchRequest(
            query=self.query,
            top_k=self.top_k or default_top_k,
            filters=self.filters.to_domain(),
            plan=self.plan,
        )


class Context(_Request):
    """A passage and how many of its neighbours are wanted."""

    chunk_id: str = Field(min_length=1, max_length=200)
    window: int = Field(2, ge=0, le=20, description="Chunks before and after.")


class Question(_Request):
    """A question to one workspace."""

    question: Query
    top_k: TopK | None = Field(None, description="How much evidence to answer from.")
    filters: Filters = Filters()
