"""Rerankers behind HTTP, in the shapes of Cohere, Jina, Voyage and Text Embeddings Inference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, RootModel

from footnote.errors import UnsupportedSettings
from footnote.models.rerank_transport import (
    Body,
    JsonEndpoint,
    fixed_token,
    posted_to,
    scores_by_position,
    unusable,
)

ApiName = Literal["cohere", "jina", "voyage", "tei"]
Placed = list[tuple[int, float]]
"""Positions of texts with their scores, in any order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """The request and response formats of one family of services."""

    name: ApiName
    service: str | None
    """The provider's own address; None if there is only the user's."""
    path: str
    model: str
    """The default model; empty when the service has only one."""
    texts_per_call: int
    body: Callable[[str, str, Sequence[str]], Body]
    """Builds a request body from model, query and texts."""
    placed: Callable[[bytes], Placed]
    """Parses a response. Raises ValueError."""


class _Answer(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class _Relevance(_Answer):
    index: Annotated[int, Field(ge=0)]
    relevance_score: FiniteFloat


class _Results(_Answer):
    results: list[_Relevance]


class _Data(_Answer):
    data: list[_Relevance]


class _Score(_Answer):
    index: Annotated[int, Field(ge=0)]
    score: FiniteFloat


class _Scores(RootModel[list[_Score]]):
    model_config = ConfigDict(strict=True, frozen=True)


def _cohere_body(model: str, query: str, texts: Sequence[str]) -> Body:
    return {"model": model, "query": query, "documents": list(texts), "top_n": len(texts)}


def _jina_body(model: str, query: str, texts: Sequence[str]) -> Body:
    return {**_cohere_body(model, query, texts), "return_documents": False}


def _voyage_body(model: str, query: str, texts: Sequence[str]) -> Body:
    return {
        "model": model,
        "query": query,
        "documents": list(texts),
        "top_k": len(texts),
        "return_documents": False,
        "truncation": True,
    }


def _tei_body(_model: str, query: str, texts: Sequence[str]) -> Body:
    return {
        "query": query,
        "texts": list(texts),
        "raw_scores": False,
        "return_text": False,
        "truncate": True,
    }


def _parse_results(content: bytes) -> Placed:
    return [
        (result.index, result.relevance_score)
        for result in _Results.model_validate_json(content).results
    ]


def _parse_data(content: bytes) -> Placed:
    return [
        (result.index, result.relevance_score) for result in _Data.model_validate_json(content).data
    ]


def _parse_scores(content: bytes) -> Placed:
    return [(result.index, result.score) for result in _Scores.model_validate_json(content).root]


APIS: Mapping[str, Api] = {
    "cohere": Api(
        name="cohere",
        service="https://api.cohere.com",
        path="/v2/rerank",
        model="rerank-v3.5",
        texts_per_call=1000,
        body=_cohere_body,
        placed=_parse_results,
    ),
    "jina": Api(
        name="jina",
        service="https://api.jina.ai",
        path="/v1/rerank",
        model="jina-reranker-v2-base-multilingual",
        texts_per_call=1000,
        body=_jina_body,
        placed=_parse_results,
    ),
    "voyage": Api(
        name="voyage",
        service="https://api.voyageai.com",
        path="/v1/rerank",
        model="rerank-2.5",
        texts_per_call=1000,
        body=_voyage_body,
        placed=_parse_data,
    ),
    "tei": Api(
        name="tei",
        service=None,
        path="/rerank",
        model="",
        texts_per_call=32,  # The server's own default limit for a batch of one client.
        body=_tei_body,
        placed=_parse_scores,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HttpReranker:
    """A Reranker over an HTTP service."""

    api: Api
    model: str
    endpoint: JsonEndpoint = field(repr=False)

    @property
    def name(self) -> str:
        """The kind of API with the model behind it."""
        return self.endpoint.name

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the service's scores, 0…1 for the services in `APIS`.

        More texts than a call takes are sent in several calls, one after the other. A response that
        lacks a text, repeats one or scores one that was not sent is rejected as a whole.
        Raises ModelUnavailable.
        """
        step = self.api.texts_per_call
        parts = [texts[start : start + step] for start in range(0, len(texts), step)]
        bodies = [self.api.body(self.model, query, part) for part in parts]
        scores: list[float] = []
        for part, content in zip(parts, await self.endpoint.post_each(bodies), strict=True):
            try:
                scores += scores_by_position(self.api.placed(content), len(part))
            except ValueError:
                # Without the cause, which quotes the answer.
                raise unusable(self.name) from None
        return scores

    async def prepare(self) -> None:
        """Do nothing: the first call opens the connection."""

    async def close(self) -> None:
        await self.endpoint.close()


def http_reranker(
    kind: str, *, model: str, url: str | None, api_key: str | None, timeout_seconds: float
) -> HttpReranker:
    """Return a reranker for this kind of API.

    `url` is the whole address, or a host alone, to which the API's usual path is added; None uses
    the provider's. An empty `model` uses the one named in `APIS`. Raises UnsupportedSettings
    without a URL.
    """
    api = APIS[kind]
    service = url or api.service
    if service is None:
        raise UnsupportedSettings(
            f"The reranker {kind} has no address.",
            hint=f"Set FOOTNOTE_RERANKER to where it runs, such as {kind}@http://localhost:8081.",
        )
    model_name = model or api.model
    endpoint = JsonEndpoint(
        name=f"{kind}:{model_name}" if model_name else kind,
        url=posted_to(service, api.path),
        timeout_seconds=timeout_seconds,
        token=fixed_token(api_key) if api_key else None,
    )
    return HttpReranker(api=api, model=model_name, endpoint=endpoint)
