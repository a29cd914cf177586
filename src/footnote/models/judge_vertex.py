"""Google's Check Grounding API as a judge: Vertex AI Search, formerly Discovery Engine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footnote.errors import ModelUnavailable, UnsupportedSettings
from footnote.models.rerank_transport import JsonEndpoint, Token, posted_to

SERVICE = "https://discoveryengine.googleapis.com"
NAME = "vertex:check-grounding"
SETTING = "FOOTNOTE_GOOGLE_PROJECT"
CITATION_THRESHOLD = 0.6
"""Support from which the API cites a fact for a claim; its default, pinned here."""
CALLS_AT_ONCE = 4
FACT_CHARACTERS = 10_000
"""The API's limit for one fact."""
STATEMENT_CHARACTERS = 4_096
"""Well below the API's limit of 4,096 tokens for what is checked."""


class _Checked(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)

    # Google documents it as always present; without it nothing was checked.
    support: float = Field(alias="supportScore", ge=0.0, le=1.0, allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VertexJudge:
    """A `ports.Judge` over `groundingConfigs:check`.

    Each statement is a call of its own: the API scores an answer by the share of its claims that
    the facts support, and only an answer of one claim has a score for that claim.
    """

    endpoint: JsonEndpoint = field(repr=False)

    @property
    def name(self) -> str:
        """The name of the API."""
        return self.endpoint.name

    async def __call__(self, statements: Sequence[str], quotes: Sequence[str]) -> list[float]:
        """Return the service's support scores, 0…1, with a few calls at a time.

        Raises ModelUnavailable.
        """
        turns = asyncio.Semaphore(CALLS_AT_ONCE)

        async def check(statement: str, fact: str) -> float:
            async with turns:
                [content] = await self.endpoint.post_each(
                    [
                        {
                            "answerCandidate": statement[:STATEMENT_CHARACTERS],
                            "facts": [{"factText": fact[:FACT_CHARACTERS]}],
                            "groundingSpec": {"citationThreshold": CITATION_THRESHOLD},
                        }
                    ]
                )
            try:
                return _Checked.model_validate_json(content).support
            except ValidationError:
                # Without the cause, which quotes the answer.
                raise ModelUnavailable(
                    f"{NAME} gave an answer that cannot be used: no support score from 0 to 1",
                    hint=f"check that the address in {SETTING}, if any, leads to Google's API",
                ) from None

        pairs = zip(statements, quotes, strict=True)
        return list(await asyncio.gather(*(check(*pair) for pair in pairs)))

    async def close(self) -> None:
        await self.endpoint.close()


def vertex_judge(
    *,
    project: str,
    token: Token,
    timeout_seconds: float,
    location: str = "global",
    url: str | None = None,
) -> VertexJudge:
    """Return a judge for this project; `timeout_seconds` limits each call.

    `url` replaces Google's host, for a proxy or a private endpoint. Raises UnsupportedSettings
    without a project.
    """
    if not project:
        raise UnsupportedSettings(
            "The grounding judge vertex has no project.",
            hint="Set FOOTNOTE_GOOGLE_PROJECT to the Google Cloud project that pays for it.",
        )
    config = (
        f"/v1/projects/{quote(project, safe='')}/locations/{quote(location, safe='')}"
        "/groundingConfigs/default_grounding_config:check"
    )
    endpoint = JsonEndpoint(
        name=NAME,
        url=posted_to(url or SERVICE, config),
        timeout_seconds=timeout_seconds,
        token=token,
        headers={"x-goog-user-project": project},
        refusal_hint="check FOOTNOTE_GOOGLE_PROJECT, and that the account may use the Check "
        "Grounding API (role Discovery Engine Viewer)",
        unfit_hint="check FOOTNOTE_GOOGLE_PROJECT and its location",
        setting=SETTING,
    )
    return VertexJudge(endpoint=endpoint)
