"""`footnote search`, `ask` and `agent`: their options, their requests, and who answers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, get_type_hints
from uuid import UUID

import typer
from rich.console import Console

from footnote.domain import (
    Answer,
    BlockKind,
    DocumentPage,
    DocumentWithAttachments,
    PlanChanges,
    SearchFilters,
    SearchRequest,
    SearchResponse,
    SourceType,
)
from footnote.domain.answers import Suggestions
from footnote.interfaces.cli import present, results
from footnote.interfaces.cli.options import AsJson, Collections, TopK, Workspace
from footnote.interfaces.cli.server import RunningServer, running_server
from footnote.interfaces.cli.writing import StreamedAnswer, show_rewording, show_suggestions
from footnote.interfaces.encoding import search_json
from footnote.interfaces.schemas import object_of
from footnote.validation.text import require_query

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

PlanName = Annotated[
    str | None,
    typer.Option("--plan", metavar="PLAN", help="balanced, fast or thorough; else FOOTNOTE_PLAN."),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="STAGE=VALUE", help="Change the plan; may be repeated."),
]
Filter = Annotated[
    str | None,
    typer.Option("--filter", metavar="JSON", help="Only in documents of which this holds."),
]
Kinds = Annotated[
    list[BlockKind] | None,
    typer.Option("--kind", help="Only passages of this kind; may be repeated."),
]
SourceTypes = Annotated[
    list[SourceType] | None,
    typer.Option("--source-type", help="Only documents that came so; may be repeated."),
]
DocumentIds = Annotated[
    list[str] | None,
    typer.Option(
        "--document",
        metavar="DOCUMENT",
        help="Only in this one, by id, beginning of an id, or file name; may be repeated.",
    ),
]
MinSimilarity = Annotated[
    float | None,
    typer.Option(
        "--min-similarity", min=-1, max=1, metavar="COSINE", help="What a passage must reach."
    ),
]
Facets = Annotated[
    list[str] | None,
    typer.Option("--facet", metavar="FIELD", help="Count a field's values; may be repeated."),
]
Suggest = Annotated[
    bool | None,
    typer.Option(
        "--suggest/--no-suggest", help="Say what may be asked next; on a terminal if not given."
    ),
]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show what each stage did to each passage.")
]

MAX_CHUNKS = 50
"""Passages that are named when suggestions are asked for."""
_STAGES = tuple(field.name for field in fields(PlanChanges))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The options of a question: what is searched, how, and how the results are shown."""

    top_k: TopK = None
    collection: Collections = None
    document: DocumentIds = None
    source_type: SourceTypes = None
    kind: Kinds = None
    where: Filter = None
    min_similarity: MinSimilarity = None
    plan: PlanName = None
    changes: Changes = None
    explain: Explain = False
    workspace: Workspace = None
    as_json: AsJson = False

    def request(self, query: str, facets: Sequence[str] | None = None) -> SearchRequest:
        """The request, without the documents and a default `top_k`. Raises InvalidRequest."""
        query.encode()  # UnicodeEncodeError: `about_arguments` names the byte
        require_query(query)
        where = None
        if self.where is not None:
            from footnote.filters import condition_from_text

            where = condition_from_text(self.where)
        request = SearchRequest(
            query=query,
            filters=SearchFilters(
                collections=tuple(self.collection or ()),
                source_types=tuple(self.source_type or ()),
                evidence_types=tuple(self.kind or ()),
                where=where,
                min_similarity=self.min_similarity,
            ),
            plan=self.plan,
            changes=changes_of(self.changes),
            facets=tuple(facets or ()),
        )
        return request if self.top_k is None else replace(request, top_k=self.top_k)

    def body(self, server: RunningServer, request: SearchRequest) -> dict[str, object] | None:
        """The body of the server's request; None where only an engine can tell what is meant."""
        try:
            ids = [UUID(text) for text in self.document or ()]
        except ValueError:
            return None  # a file name, or the beginning of an id
        for name in self.collection or ():
            page = server.get(DocumentPage, "/v1/documents", {"collection": name, "limit": 1})
            if page is None or not page.documents:
                return None  # There may be no such collection, but one of a similar name.
        for document_id in ids:
            if server.get(DocumentWithAttachments, f"/v1/documents/{document_id}") is None:
                return None  # There may be no such document, which the engine reports.
        filters = replace(request.filters, document_ids=tuple(ids))
        return {**search_json(replace(request, filters=filters)), "top_k": self.top_k}

    async def looked_up(self, workspace: WorkspaceEngine, request: SearchRequest) -> SearchRequest:
        """The request with the ids of the documents that the options name.

        Notes on standard error what does not exist. Raises NotFound and InvalidRequest.
        """
        await warn_of_unknown_collections(workspace, request.filters.collections)
        ids = [await workspace.document_called(name) for name in self.document or ()]
        existing = await workspace.statuses(ids) if ids else {}
        missing = [document_id for document_id in ids if document_id not in existing]
        present.show_degraded(
            f"there is no document '{name}' in this workspace" for name in missing
        )
        filters = replace(request.filters, document_ids=tuple(ids))
        return replace(request, filters=filters)


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command, with an option for each field of `Asking` in place of its argument `asking`."""
    hints = get_type_hints(Asking, include_extras=True)
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(Asking)
    ]

    @wraps(command)
    def run(**arguments: object) -> None:
        asking = Asking(**{option.name: arguments.pop(option.name) for option in shared})  # type: ignore[arg-type]  # as typer read them
        command(asking=asking, **arguments)

    signature = inspect.signature(command, eval_str=True)
    specific = [option for name, option in signature.parameters.items() if name != "asking"]
    parameters = [*specific, *shared]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # read by typer
    run.__annotations__ = {option.name: option.annotation for option in parameters}
    return run


@with_options
def search(
    *,
    context: typer.Context,
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Words, an identifier or a question.")
    ],
    facet: Facets = None,
    asking: Asking,
) -> None:
    """Find the passages that answer a query."""
    request = asking.request(query, facet)
    response = None
    if server := running_server(context, asking.workspace):
        body = asking.body(server, request)
        response = server.post(SearchResponse, "/v1/search", body) if body else None
    if response is None:
        from footnote.interfaces.cli.command_runner import in_workspace

        async def work(workspace: WorkspaceEngine) -> SearchResponse:
            return await workspace.search(await asking.looked_up(workspace, request))

        response = in_workspace(context, asking.workspace, work, top_k=asking.top_k)
    present.show_degraded(response.degraded)
    if asking.as_json:
        present.print_json(response)
    else:
        results.show_response(present.terminal(), response, explain=asking.explain)


@with_options
def ask(
    *,
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="A question about your documents.")
    ],
    suggest: Suggest = None,
    asking: Asking,
) -> None:
    """Answer a question, each statement with its footnote."""
    request = asking.request(question)
    console = present.terminal()
    written = StreamedAnswer(console, live=console.is_terminal and not asking.as_json)
    suggests = suggest if suggest is not None else console.is_terminal and not asking.as_json
    server = running_server(context, asking.workspace)
    answer = _answer_of(server, request, asking, written) if server else None
    suggestions = None
    if answer is not None:
        _show(console, written, answer, asking)
        body = asking.body(server, request) if server and suggests else None
        if server and body is not None:
            suggestions = server.post(Suggestions, "/v1/suggestions", _follow_up(body, answer))
    else:
        from footnote.interfaces.cli.command_runner import in_workspace

        async def work(workspace: WorkspaceEngine) -> tuple[Answer, Suggestions | None]:
            resolved = await asking.looked_up(workspace, request)
            events = workspace.ask_stream(
                question,
                top_k=resolved.top_k,
                filters=resolved.filters,
                plan=resolved.plan,
                changes=resolved.changes,
            )
            # Quotes come all at once; only a model takes its time.
            written.live = written.live and bool(workspace.engine.answer_models.names)
            answer = await written.answer_of(events)
            # The answer is read while questions are tried.
            _show(console, written, answer, asking)
            if not suggests or not _chunk_ids(answer):
                return answer, None
            return answer, await workspace.suggest_questions(
                answer.asked_as or answer.question,
                answer=answer.text if answer.found else "",
                chunk_ids=_chunk_ids(answer),
                filters=resolved.filters,
                plan=resolved.plan,
                changes=resolved.changes,
            )

        answer, suggestions = in_workspace(context, asking.workspace, work, top_k=asking.top_k)
    if asking.as_json:
        extra = {} if suggestions is None else {"suggestions": object_of(suggestions)}
        present.print_json({**object_of(answer), **extra})
    elif suggestions is not None:
        show_suggestions(console, suggestions)


def _show(console: Console, written: StreamedAnswer, answer: Answer, asking: Asking) -> None:
    """The answer for people; as JSON it is shown once all is there."""
    present.show_degraded(answer.degraded)
    if asking.as_json:
        return
    show_rewording(console, answer)
    if written.has(answer):
        present.show_footnotes(console, answer)
    else:
        present.show_answer(console, answer)
    if asking.explain:
        results.show_evidence(console, answer.evidence, explain=True)


def _chunk_ids(answer: Answer) -> list[str]:
    """The ids of the chunks that the answer cites, then those of its other evidence."""
    cited = (citation.chunk_id for citation in answer.citations)
    retrieved = (hit.passage.chunk_id for hit in answer.evidence)
    return list(dict.fromkeys((*cited, *retrieved)))[:MAX_CHUNKS]


def _follow_up(body: Mapping[str, object], answer: Answer) -> dict[str, object]:
    """The body of a request for suggestions, from that of the request for the answer."""
    search_options = {name: body[name] for name in ("filters", "plan", "stages") if name in body}
    return {
        **search_options,
        "question": answer.asked_as or answer.question,
        "answer": answer.text if answer.found else "",
        "chunk_ids": _chunk_ids(answer),
    }


def _answer_of(
    server: RunningServer, request: SearchRequest, asking: Asking, written: StreamedAnswer
) -> Answer | None:
    """The answer of a running server, shown as it comes; None where there is none.

    Raises ModelUnavailable.
    """
    body = asking.body(server, request)
    if body is None:
        return None
    live, written.live = written.live, written.live and server.record.writes_answers
    body |= {"question": body.pop("query"), "stream": True}
    del body["facets"]
    for event in server.events("/v1/answers", body):
        if answer := written.take(event):
            return answer
    if written.prose:
        raise written.broken_off()
    written.live = live
    return None


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
    question.encode()  # as above
    require_query(question)
    from footnote.interfaces.cli.command_runner import in_workspace
    from footnote.interfaces.tools.binding import index_now

    console = present.terminal()
    written = StreamedAnswer(console, live=console.is_terminal and not as_json)

    async def work(workspace: WorkspaceEngine) -> Answer:
        return await written.answer_of(workspace.agent_stream(question, index_now=index_now))

    answer = in_workspace(context, workspace, work)
    present.show_degraded(answer.degraded)
    if as_json:
        present.print_json(answer)
    elif written.has(answer):
        present.show_footnotes(console, answer)
    else:
        present.show_answer(console, answer)


async def warn_of_unknown_collections(workspace: WorkspaceEngine, names: Sequence[str]) -> None:
    """Say on standard error which of the collections do not exist."""
    for name, closest in await workspace.unknown_collections(names) if names else ():
        message = f"there is no collection {name!r} with documents in this workspace"
        present.show_degraded([f"{message}; did you mean {closest!r}?" if closest else message])


def changes_of(settings: Sequence[str] | None) -> PlanChanges:
    """The changes of a plan that texts like `fusion=rrf` make. Raises InvalidRequest."""
    if not settings:
        return PlanChanges()
    from pydantic import TypeAdapter, ValidationError

    from footnote.errors import InvalidRequest
    from footnote.validation.messages import wrong_value

    values: dict[str, str] = {}
    for text in settings:
        stage, equals, value = (part.strip() for part in text.partition("="))
        stage = stage.replace("-", "_")
        if not equals or not stage:
            raise InvalidRequest(
                f"{text!r} does not set anything", hint="write it as in --set neighbours=1"
            )
        if stage not in _STAGES:
            raise InvalidRequest(f"a plan has no {stage!r}", hint=f"it has {', '.join(_STAGES)}")
        values[stage] = value
    try:
        return TypeAdapter(PlanChanges).validate_python(values)
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        stage = str(wrong["loc"][0])
        raise InvalidRequest(
            f"{stage}={values[stage]} cannot be used: {wrong_value(wrong)}",
            hint="each stage with its values is in docs/retrieval.md",
        ) from error
