"""`footnote search` and `footnote ask`."""

from __future__ import annotations

from typing import Annotated

import typer

from footnote.domain import Answer, SearchFilters, SearchRequest, SearchResponse
from footnote.interfaces import schemas
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.loading import opened
from footnote.interfaces.cli.options import AsJson, Collections, TopK, Workspace, chosen_workspace
from footnote.settings import Settings


def search(
    *,
    context: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Words, an identifier or a question.")
    ],
    top_k: TopK = None,
    collection: Collections = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Find the passages that answer a query."""
    settings = prepared(top_k=top_k)
    name = chosen_workspace(context, workspace)
    request = SearchRequest(query=query, top_k=settings.top_k, filters=_within(collection))
    response = wait_for(_search(settings, name, request))
    present.show_degraded(response.degraded)
    if as_json:
        present.print_json(schemas.SearchResults.from_domain(response))
    else:
        present.show_evidence(present.terminal(), response.evidence)


async def _search(settings: Settings, name: str | None, request: SearchRequest) -> SearchResponse:
    async with opened(settings) as engine:
        return await (await engine.workspace(name)).search(request)


def ask(
    *,
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="A question about your documents.")
    ],
    top_k: TopK = None,
    collection: Collections = None,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question, each statement with its footnote."""
    settings = prepared(top_k=top_k)
    name = chosen_workspace(context, workspace)
    answer = wait_for(_ask(settings, name, question, top_k, _within(collection)))
    present.show_degraded(answer.degraded)
    if as_json:
        present.print_json(schemas.Answer.from_domain(answer))
    else:
        present.show_answer(present.terminal(), answer)


async def _ask(
    settings: Settings, name: str | None, question: str, top_k: int | None, filters: SearchFilters
) -> Answer:
    async with opened(settings) as engine:
        workspace = await engine.workspace(name)
        return await workspace.ask(question, top_k=top_k, filters=filters)


def _within(collections: list[str] | None) -> SearchFilters:
    return SearchFilters(collections=tuple(collections or ()))
