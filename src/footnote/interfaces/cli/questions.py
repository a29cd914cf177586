"""`footnote search` and `footnote ask`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from footnote import open as opened
from footnote.domain import Answer, SearchRequest, SearchResponse
from footnote.interfaces.cli import present, results, searching
from footnote.interfaces.cli.asking import Asking, with_options
from footnote.interfaces.cli.edge import prepared, wait_for
from footnote.interfaces.cli.options import chosen_workspace
from footnote.interfaces.cli.writing import show_rewording, shown_as_written
from footnote.settings import Settings


@with_options
def search(
    *,
    context: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Words, an identifier or a question.")
    ],
    facet: searching.Facets = None,
    asking: Asking,
) -> None:
    """Find the passages that answer a query."""
    settings = prepared(top_k=asking.top_k)
    name = chosen_workspace(context, asking.workspace)
    request = asking.request(query, settings, facet)
    response = wait_for(_search(settings, name, request, asking.document))
    present.show_degraded(response.degraded)
    if asking.as_json:
        present.print_json(response)
    else:
        results.show_response(present.terminal(), response, explain=asking.explain)


async def _search(
    settings: Settings, name: str | None, request: SearchRequest, documents: Sequence[str] | None
) -> SearchResponse:
    async with opened(settings) as engine:
        workspace = await engine.workspace(name)
        return await workspace.search(await searching.looked_up(workspace, request, documents))


@with_options
def ask(
    *,
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="A question about your documents.")
    ],
    asking: Asking,
) -> None:
    """Answer a question, each statement with its footnote."""
    settings = prepared(top_k=asking.top_k)
    name = chosen_workspace(context, asking.workspace)
    request = asking.request(question, settings)
    console = present.terminal()
    live = console.is_terminal and not asking.as_json
    answer, is_shown = wait_for(_ask(settings, name, request, asking.document, live=live))
    present.show_degraded(answer.degraded)
    if asking.as_json:
        present.print_json(answer)
        return
    show_rewording(console, answer)
    if is_shown:
        present.show_footnotes(console, answer)
    else:
        present.show_answer(console, answer)
    if asking.explain:
        results.show_evidence(console, answer.evidence, explain=True)


async def _ask(
    settings: Settings,
    name: str | None,
    request: SearchRequest,
    documents: Sequence[str] | None,
    *,
    live: bool,
) -> tuple[Answer, bool]:
    async with opened(settings) as engine:
        workspace = await engine.workspace(name)
        request = await searching.looked_up(workspace, request, documents)
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
