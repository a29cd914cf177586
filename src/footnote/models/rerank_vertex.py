"""Google's ranking API: Vertex AI Search, formerly Discovery Engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, FiniteFloat

from footnote.errors import UnsupportedSettings
from footnote.models.rerank_transport import (
    JsonEndpoint,
    Token,
    posted_to,
    scores_by_position,
    unusable,
)

SERVICE = "https://discoveryengine.googleapis.com"
MODEL = "semantic-ranker-default-004"
RECORDS_PER_CALL = 200
"""The API's limit."""


class _Record(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)

    id: str
    # JSON from protocol buffers leaves out what is zero.
    score: FiniteFloat = 0.0


class _Ranked(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)

    records: list[_Record]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VertexReranker:
    """A Reranker over `rankingConfigs:rank`."""

    model: str
    endpoint: JsonEndpoint = field(repr=False)

    @property
    def name(self) -> str:
        """The API with the model behind it."""
        return self.endpoint.name

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the service's scores, 0…1.

        More than 200 texts are sent in several calls, one after the other. A response that lacks
        a text or repeats one is rejected as a whole. Raises ModelUnavailable.
        """
        parts = [
            texts[start : start + RECORDS_PER_CALL]
            for start in range(0, len(texts), RECORDS_PER_CALL)
        ]
        answers = await self.endpoint.post_each(
            [
                {
                    "model": self.model,
                    "query": query,
                    "records": [{"id": str(n), "content": text} for n, text in enumerate(part)],
                    "ignoreRecordDetailsInResponse": True,
                }
                for part in parts
            ]
        )
        scores: list[float] = []
        for part, content in zip(parts, answers, strict=True):
            try:
                records = _Ranked.model_validate_json(content).records
                placed = [(int(record.id), record.score) for record in records]
                scores += scores_by_position(placed, len(part))
            except ValueError:
                # Without the cause, which quotes the answer.
                raise unusable(self.name) from None
        return scores

    async def prepare(self) -> None:
        """Do nothing: the first call opens the connection."""

    async def close(self) -> None:
        await self.endpoint.close()


def vertex_reranker(
    *,
    project: str,
    token: Token,
    timeout_seconds: float,
    model: str = "",
    location: str = "global",
    url: str | None = None,
) -> VertexReranker:
    """Return a reranker for this project.

    `url` replaces Google's host, for a proxy or a private endpoint. Raises UnsupportedSettings
    without a project.
    """
    if not project:
        raise UnsupportedSettings(
            "The reranker vertex has no project.",
            hint="Set FOOTNOTE_GOOGLE_PROJECT to the Google Cloud project that pays for it.",
        )
    model_name = model or MODEL
    config = (
        f"/v1/projects/{quote(project, safe='')}/locations/{quote(location, safe='')}"
        "/rankingConfigs/default_ranking_config:rank"
    )
    endpoint = JsonEndpoint(
        name=f"vertex:{model_name}",
        url=posted_to(url or SERVICE, config),
        timeout_seconds=timeout_seconds,
        token=token,
        headers={"x-goog-user-project": project},
        setting="FOOTNOTE_GOOGLE_PROJECT",
        refusal_hint="check FOOTNOTE_GOOGLE_PROJECT, and that the account may use the ranking "
        "API (role Discovery Engine Viewer)",
    )
    return VertexReranker(model=model_name, endpoint=endpoint)
