"""Statements are held against sources on a remote server."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.domain.grounding import GroundingCheck, GroundingSource
from footnote.interfaces.encoding import grounding_json
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content


async def check_grounding(
    client: Remote,
    sources: Sequence[GroundingSource],
    *,
    statements: Sequence[str] = (),
    answer: str | None = None,
) -> GroundingCheck:
    """How the sources stand to each statement, or to each that an answer consists of."""
    content = Content(json=grounding_json(sources, statements=statements, answer=answer))
    found = await client.transport.json("POST", "/v1/grounding/check", content)
    return decoded(GroundingCheck, found)
