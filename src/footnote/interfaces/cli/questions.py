"""`footnote search` and `footnote ask`."""

from __future__ import annotations

from typing import Annotated

import typer

from footnote.domain import Answer, SearchRequest, SearchResponse
from footnote.interfaces import schemas
from footnote.interfaces.cli import present, results, searching
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.loading import opened
from footnote.interfaces.cli.loading_models import agent_events, searched
from footnote.interfaces.cli.options import AsJson, Collections, TopK, Workspace, chosen_workspace
from footnote.interfaces.cli.writing import shown_as_written
from footnote.settings import Settings


def search(
    *,
    context: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Words, an identifier or a question.")
    ],
    top_k: TopK = None,
    collection: Collections = None,
    document: searching.DocumentIds = None,
    source_type: searching.SourceTypes = None,
    kind: searching.Kinds = None,
    where: searching.Filter = None,
    min_similarity: searching.MinSimilarity = None,
    facet: searching.Facets = None,
    plan: searching.PlanName = None,
    changes: searching.Changes = None,
    explain: searching.Explain = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Find the passages that answer a query."""
    settings = prepared(top_k=top_k)
    name = chosen_workspace(context, workspace)
    request = SearchRequest(
        query=query,
        top_k=settings.top_k,
        filters=searching.filters_of(
            collections=collection,
            documents=document,
            source_types=source_type,
            kinds=kind,
            where=where,
            min_similarity=min_similarity,
        ),
        plan=plan,
        changes=searching.changes_of(changes),
        facets=tuple(facet or ()),
    )
    response = wait_for(_search(settings, name, request))
    present.show_degraded(response.degraded)
    if as_json:
        present.print_json(schemas.SearchResults.from_domain(response))
    else:
        results.show_response(present.terminal(), response, explain=explain)


async def _search(settings: Settings, name: str | None, request: SearchRequest) -> SearchResponse:
    async with opened(settings) as engine:
        return await searched(await engine.workspace(name), request)


def ask(
    *,
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="A question about your documents.")
    ],
    top_k: TopK = None,
    collection: Collections = None,
    document: searching.DocumentIds = None,
    source_type: searching.SourceTypes = None,
    kind: searching.Kinds = None,
    where: searching.Filter = None,
    min_similarity: searching.MinSimilarity = None,
    plan: searching.PlanName = None,
    changes: searching.Changes = None,
    explain: searching.Explain = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question, each statement with its footnote."""
    settings = prepared(top_k=top_k)
    name = chosen_workspace(context, workspace)
    request = SearchRequest(
        query=question,
        top_k=settings.top_k,
        filters=searching.filters_of(
            collections=collection,
            documents=document,
            source_types=source_type,
            kinds=kind,
            where=where,
            min_similarity=min_similarity,
        ),
        plan=plan,
        changes=searching.changes_of(changes),
    )
    console = present.terminal()
    live = console.is_terminal and not as_json
    answer, is_shown = wait_for(_ask(settings, name, request, live=live))
    present.show_degraded(answer.degraded)
    if as_json:
        present.print_json(schemas.Answer.from_domain(answer))
        return
    results.show_correction(console, answer.question, answer.corrected_question)
    if is_shown:
        present.show_footnotes(console, answer)
    else:
        present.show_answer(console, answer)
    if explain:
        results.show_evidence(console, answer.evidence, explain=True)


async def _ask(
    settings: Settings, name: str | None, request: SearchRequest, *, live: bool
) -> tuple[Answer, bool]:
    async with opened(settings) as engine:
        workspace = await engine.workspace(name)
        events = workspace.ask_stream(
            request.query,
            top_k=request.top_k,
            filters=request.filters,
            plan=request.plan,
            changes=request.changes,
        )
        # Quotes come all at once; only a model takes its time.
        live = live and bool(engine.answer_models.names)
        return await shown_as_written(present.terminal(), events, live=live)


def agent(
    *,
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="What the model is to find out.")
    ],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Have a model look things up by itself, with the workspace's tools."""
    settings = prepared()
    name = chosen_workspace(context, workspace)
    console = present.terminal()
    live = console.is_terminal and not as_json
    answer, is_shown = wait_for(_run_agent(settings, name, question, live=live))
    present.show_degraded(answer.degraded)
    if as_json:
        present.print_json(schemas.Answer.from_domain(answer))
    elif is_shown:
        present.show_footnotes(console, answer)
    else:
        present.show_answer(console, answer)


async def _run_agent(
    settings: Settings, name: str | None, question: str, *, live: bool
) -> tuple[Answer, bool]:
    async with opened(settings) as engine:
        workspace = await engine.workspace(name)
        events = agent_events(workspace, question)
        return await shown_as_written(present.terminal(), events, live=live)
