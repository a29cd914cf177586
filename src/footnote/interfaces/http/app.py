"""The HTTP application: routes over one engine, guarded, with problems for failures."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, nullcontext
from functools import partial

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.middleware.cors import CORSMiddleware

from footnote import __version__
from footnote.errors import FootnoteError
from footnote.interfaces.http import (
    access,
    agui,
    answer_statistics,
    audit,
    backfill,
    chat,
    clusters,
    configuration,
    conversations,
    document_batches,
    documents,
    entities,
    erasures,
    evaluations,
    events,
    facts,
    graph,
    ingest,
    keys,
    legal_holds,
    listing,
    login,
    models,
    operations,
    pages,
    personal_data,
    projects,
    questions,
    retention,
    sharing,
    sources,
    summaries,
    usage,
)
from footnote.interfaces.http.authentication import Authentication
from footnote.interfaces.http.guard import (
    RATE_LIMIT_HEADERS,
    BodyLimit,
    policy_from,
    security_headers,
)
from footnote.interfaces.http.lifecycle import Lifecycle, stop_this_process
from footnote.interfaces.http.middleware import TRACE_HEADER, Entrance
from footnote.interfaces.http.openapi import describe
from footnote.interfaces.http.problems import answer_with_problem, answer_with_problems
from footnote.interfaces.http.routing import refused_methods
from footnote.interfaces.http.scope import (
    POSITION_HEADER,
    QUESTION_HEADER,
    REPLY_HEADER,
    WORKSPACE_HEADER,
)
from footnote.interfaces.http.web_app import BUILT, WebApp
from footnote.interfaces.mcp.mount import McpMount
from footnote.settings import Settings, listed, settings_from

_DESCRIPTION = """
Files go in; questions come back answered, each statement tied to a document, a page, a
paragraph and a quoted span.

* The header `Footnote-Workspace` names the workspace; without it, the default one is used.
* Where replicas are read, answers carry `Footnote-Position`; a request that sends it back sees at
  least what that answer saw, and one that sends `latest` all that was written before it.
* What belongs to another workspace and what does not exist give the same answer.
* Errors are problem details (RFC 9457, `application/problem+json`).
* Where `FOOTNOTE_IDENTITY` is set, every request but for `/health` carries a credential:
  `Authorization: Bearer` and an API key or a token. Without it, this computer alone is served.
* Pages of other sites are let in only where `FOOTNOTE_CORS_ORIGINS` names them.
* There is no interactive documentation page: it would load scripts from the network.
"""

_TAGS = [
    {"name": "documents", "description": "Upload files, follow their indexing, see their pages."},
    {"name": "questions", "description": "Search, read around a passage, ask."},
    {"name": "grounding", "description": "Check statements against sources."},
    {"name": "conversations", "description": "Ask follow-up questions."},
    {"name": "chat", "description": "Ask through the protocols of existing front ends."},
    {
        "name": "projects",
        "description": "Search for clients that know projects and users: a project is a "
        "collection, a user a principal.",
    },
    {"name": "access", "description": "Grant roles; see and change who sees a document."},
    {"name": "collections", "description": "See what collections hold; remove empty ones."},
    {"name": "configuration", "description": "See and change the settings of a workspace."},
    {"name": "usage", "description": "See what was used and what it cost, and limit it."},
    {
        "name": "answer statistics",
        "description": "See what answers cite, and what was not answered.",
    },
    {"name": "evaluations", "description": "See how good the answers were, run by run."},
    {"name": "entities", "description": "What documents name, with every place where they do."},
    {"name": "facts", "description": "Statements extracted from documents, in their own words."},
    {"name": "clusters", "description": "See which documents are alike, and in what."},
    {"name": "backfill", "description": "What documents of before lack, and having it made."},
    {"name": "summaries", "description": "See what documents say as a whole."},
    {"name": "audit", "description": "See who did what, and verify the log of it."},
    {
        "name": "privacy",
        "description": "Say how long what is kept and what may not be deleted; erase for good.",
    },
    {"name": "events", "description": "Stream events, or have them delivered to webhooks."},
    {"name": "graph", "description": "How entities and documents are related."},
    {"name": "identity", "description": "See who asks, and manage API keys."},
    {"name": "lanes", "description": "List and change the models that embed a workspace."},
    {"name": "models", "description": "Choose the models that answer, and their tools."},
    {"name": "sources", "description": "Follow folders, addresses, object stores and mailboxes."},
    {"name": "sharing", "description": "Show a collection or a conversation by a link."},
    {"name": "operations", "description": "Health and statistics."},
]

_ROUTERS = (
    listing.router,
    document_batches.router,
    documents.router,
    pages.router,
    access.router,
    listing.collections_router,
    ingest.router,
    questions.router,
    questions.grounding_router,
    conversations.router,
    chat.router,
    agui.router,
    projects.router,
    events.router,
    sharing.router,
    keys.router,
    login.router,
    operations.lanes_router,
    models.router,
    audit.router,
    configuration.router,
    retention.router,
    legal_holds.router,
    erasures.router,
    personal_data.router,
    usage.router,
    answer_statistics.router,
    evaluations.router,
    sources.router,
    entities.router,
    graph.router,
    facts.router,
    clusters.router,
    summaries.router,
    backfill.router,
    operations.router,
)


def create_app(
    settings: Settings | None = None,
    *,
    on_ready: Callable[[], None] = lambda: None,
    on_failure: Callable[[FootnoteError], None] = stop_this_process,
    beside: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
    opens_first: bool = False,
) -> FastAPI:
    """The application; it accepts connections at once and opens its engine behind them.

    With `opens_first` it opens its engine before, where other processes accept them meanwhile.

    `on_ready` is called when the engine is open, `on_failure` when it cannot be opened: by
    default the process is asked to end, so that a supervisor notices. `beside` is a context in
    which the server runs: entered as it starts, left before the engine is closed.
    """
    settings = settings or settings_from(None, {})
    lifecycle = Lifecycle(
        settings=settings,
        on_ready=on_ready,
        on_failure=on_failure,
        beside=beside,
        opens_first=opens_first,
    )

    mcp = McpMount(lifecycle)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with lifecycle.running(), aclosing(mcp):
            yield

    app = FastAPI(
        title="Footnote",
        version=__version__,
        description=_DESCRIPTION,
        openapi_tags=_TAGS,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # FastAPI's own telemetry would record addresses with their queries; see `Entrance`.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.lifecycle = lifecycle
    app.router.routes.append(mcp.route())
    routers: tuple[APIRouter, ...] = _ROUTERS
    if "scim" in settings.identity_ways:
        from footnote.interfaces.http import scim  # noqa: PLC0415  # its library is large

        routers = (*_ROUTERS, scim.router)
    app.state.routers = routers
    for router in routers:
        # Included, they would all be rebuilt by the first request to each application.
        app.router.routes.extend(router.routes)
    app.router.routes[:0] = refused_methods(app.router.routes)
    web_app = WebApp.built_in(BUILT)
    app.router.routes.extend(web_app.routes(settings))
    answer_with_problems(app)

    async def answer_nowhere(request: Request, error: Exception) -> Response:
        return web_app.instead(request, settings) or await answer_with_problem(request, error)

    for status in (404, 405):
        app.add_exception_handler(status, answer_nowhere)
    https = (settings.public_url or "").startswith("https:")

    async def answer_unexpected(request: Request, error: Exception) -> Response:
        # Starlette handles unexpected exceptions outside all middleware.
        response = await answer_with_problem(request, error)
        for name, value in security_headers(https=https):
            response.headers.setdefault(name, value)
        # The exception goes on to the server, which then closes the connection.
        response.headers["Connection"] = "close"
        return response

    app.add_exception_handler(Exception, answer_unexpected)
    policy = policy_from(settings)
    if settings.identity_ways:
        app.add_middleware(Authentication, lifecycle=lifecycle, policy=policy)
    if settings.identity_ways and settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=listed(settings.cors_origins),
            allow_methods=("GET", "POST", "PUT", "PATCH", "DELETE"),
            allow_headers=(
                "Authorization",
                WORKSPACE_HEADER,
                POSITION_HEADER,
                "Idempotency-Key",
                "Last-Event-ID",
            ),
            expose_headers=(
                *RATE_LIMIT_HEADERS,
                POSITION_HEADER,
                TRACE_HEADER,
                QUESTION_HEADER,
                REPLY_HEADER,
                "Location",
                "Retry-After",
                "WWW-Authenticate",
            ),
        )
    body = BodyLimit(documents.UPLOAD_PATH, settings.limits.bytes)
    app.add_middleware(
        Entrance, policy=policy, body=body, https=https, ending=lambda: lifecycle.ending
    )
    app.openapi = partial(describe, app)  # type: ignore[method-assign]  # FastAPI's documented way
    return app
