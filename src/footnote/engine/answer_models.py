"""Which models answer in a workspace, and the MCP servers whose tools its agents may use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from pydantic import SecretStr

from footnote.domain.models_in_use import EXTRACTIVE, ModelsInUse
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.ingestion.sources.reach import checked_url, require_reachable_url, why_forbidden
from footnote.models.answer_models import AnswerModelChoices, AnswerModels, models_from
from footnote.models.roles import WRITER
from footnote.models.served import model_keys_from, served_model
from footnote.ports import AgentLimits, AgentModel, McpServer, Writer
from footnote.settings import Settings
from footnote.store import workspace_settings

MAX_MCP_SERVERS = 16
_MODELS_IN_TIME = 4
"""Number of models that can be tried in turn within the answer timeout: each must send its first
token within a quarter of it."""
_AGENT_STEPS = 12
"""Most requests to the model for one agent's answer; time and cost are limited too."""
_LONGER_FOR_AGENTS = 1.5
"""Factor on the answer timeout for agents, which make several requests and call tools."""
_EXAMPLE_URL = "https://example.com/mcp"
_SERVER_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")  # a token of RFC 9110
_HEADER_VALUE = re.compile(r"[\x20-\x7e]{0,8192}")
_OUR_HEADERS = frozenset(
    ("host", "content-length", "content-type", "transfer-encoding", "connection", "accept")
)


def answer_models_from(settings: Settings) -> AnswerModels:
    """Return the configured answer models, else the language model; nothing is contacted yet.

    Raises UnsupportedSettings, or ModelUnavailable without a library.
    """
    forbidden = partial(why_forbidden, allow_private=settings.allow_private_urls)
    configured = settings.answer_models
    common = AnswerModelChoices(
        models=models_from(configured or ""),
        keys=model_keys_from(plain(settings.model_keys)),
        timeout_seconds=settings.seconds.answer,
        first_token_seconds=settings.seconds.answer / _MODELS_IN_TIME,
        max_output_tokens=settings.writing.tokens,
        context_tokens=settings.writing.context_tokens,
        why_forbidden=forbidden,
    )
    if configured is not None or settings.language_model is None:
        return AnswerModels(common)
    served = served_model(settings.language_model, WRITER.model)
    return AnswerModels(replace(common, models=(served,), role=WRITER))


def agent_bounds(settings: Settings) -> AgentLimits:
    """Return the limits of an agent for one answer: steps, seconds and US dollars."""
    return AgentLimits(
        steps=_AGENT_STEPS,
        seconds=settings.seconds.answer * _LONGER_FOR_AGENTS,
        cost_usd=settings.writing.agent_cost_usd,
    )


async def answer_writer_for(workspace: WorkspaceAccess) -> Writer | None:
    """Return the writer of the workspace's answers; None where they are extractive."""
    in_use = await models_in_use(workspace)
    return workspace.engine.answer_models.writer(in_use.used)


async def answer_writer_of(workspace: WorkspaceAccess, requested: str | None) -> Writer | None:
    """Return the writer with the requested model, or all in use; None for extractive answers.

    Raises InvalidRequest.
    """
    names = await models_to_try(workspace, requested)
    return workspace.engine.answer_models.writer(names) if names else None


async def agent_model_for(
    workspace: WorkspaceAccess, requested: str | None = None
) -> AgentModel | None:
    """Return the model for agents; None where no model answers. Raises InvalidRequest."""
    return workspace.engine.answer_models.agent(await models_to_try(workspace, requested))


async def models_to_try(workspace: WorkspaceAccess, requested: str | None) -> tuple[str, ...]:
    """Return the models to try in order: the requested one, or all in use; empty for quotes.

    Raises InvalidRequest for a model that is not in use in the workspace.
    """
    if requested == EXTRACTIVE:
        return ()
    configured = workspace.engine.answer_models.names
    used = (await models_in_use(workspace)).used if configured else ()
    if requested is None:
        return used
    if requested not in used:
        raise InvalidRequest(
            f"no model {requested!r} answers in this workspace",
            hint=f"ask one of {', '.join((*used, EXTRACTIVE))}",
        )
    return (requested,)


async def models_in_use(workspace: WorkspaceAccess) -> ModelsInUse:
    """The models that answer in the workspace."""
    async with workspace.scope() as scope:
        chosen = await workspace_settings.chosen_answer_models(scope)
    return ModelsInUse(configured=workspace.engine.answer_models.names, chosen=chosen)


async def use_models(workspace: WorkspaceAccess, names: Sequence[str]) -> ModelsInUse:
    """Answer with these of the configured models, in this order, or with `extractive` quotes.

    Raises InvalidRequest for a name that is not configured.
    """
    requested = tuple(dict.fromkeys(name.strip() for name in names))
    configured = workspace.engine.answer_models.names
    unknown = [name for name in requested if name not in (*configured, EXTRACTIVE)]
    if unknown or not requested:
        raise InvalidRequest(
            f"no answer model is called {', '.join(map(repr, unknown))}"
            if unknown
            else "no answer model is named",
            hint=f"choose from {', '.join((*configured, EXTRACTIVE))}",
        )
    if EXTRACTIVE in requested and len(requested) > 1:
        raise InvalidRequest(
            "extractive answers need no model", hint=f"say {EXTRACTIVE} alone, or models alone"
        )
    chosen = () if requested == (EXTRACTIVE,) else requested
    async with workspace.scope() as scope:
        await workspace_settings.choose_answer_models(scope, chosen)
    return ModelsInUse(configured=configured, chosen=chosen)


async def reset_models(workspace: WorkspaceAccess) -> ModelsInUse:
    """Remove the workspace's own choice of models, so that the installation's applies."""
    async with workspace.scope() as scope:
        await workspace_settings.forget_answer_models(scope)
    return ModelsInUse(configured=workspace.engine.answer_models.names, chosen=None)


async def add_mcp_server(
    workspace: WorkspaceAccess, name: str, url: str, headers: Mapping[str, str] | None = None
) -> McpServer:
    """Offer a server's tools to the workspace's agents, as `NAME_TOOL`.

    The values of headers are never shown again. Raises InvalidRequest, or Conflict for a name that
    is taken.
    """
    server = McpServer(name=name, url=url, headers=dict(headers or {}))
    _check_server(server)
    await require_reachable_url(
        url,
        allow_private=workspace.engine.settings.allow_private_urls,
        example=_EXAMPLE_URL,
    )
    await workspace.ensure_data_key()
    async with workspace.scope() as scope:
        if len(await workspace_settings.mcp_servers_of(scope)) >= MAX_MCP_SERVERS:
            raise InvalidRequest(
                f"a workspace has at most {MAX_MCP_SERVERS} MCP servers", hint="remove one first"
            )
        await workspace_settings.add_mcp_server(scope, server)
    return server


async def mcp_servers(workspace: WorkspaceAccess) -> tuple[McpServer, ...]:
    """The servers whose tools the workspace's agents may use, by name."""
    async with workspace.scope() as scope:
        return await workspace_settings.mcp_servers_of(scope)


async def remove_mcp_server(workspace: WorkspaceAccess, name: str) -> None:
    """Remove an MCP server, so that agents no longer get its tools. Raises NotFound."""
    if not _SERVER_NAME.fullmatch(name):
        raise workspace_settings.no_such_server(name)
    async with workspace.scope() as scope:
        await workspace_settings.remove_mcp_server(scope, name)


def _check_server(server: McpServer) -> None:
    if not _SERVER_NAME.fullmatch(server.name):
        raise InvalidRequest(
            f"no MCP server can be called {server.name[:80]!r}",
            hint="names have 1 to 32 lower-case letters, digits or '-', and begin with a letter",
        )
    if len(server.url) > 2000:
        raise InvalidRequest("the address is too long", hint="give one of up to 2,000 characters")
    checked_url(server.url, example=_EXAMPLE_URL)
    if len(server.headers) > 20:
        raise InvalidRequest("there are too many headers", hint="give at most 20")
    for name, value in server.headers.items():
        if not _HEADER_NAME.fullmatch(name) or name.lower() in _OUR_HEADERS:
            raise InvalidRequest(
                f"a header cannot be called {name[:80]!r}",
                hint="give one such as Authorization; those of the transport are set for you",
            )
        if not _HEADER_VALUE.fullmatch(value):
            # The value is not repeated: it may be a key.
            raise InvalidRequest(
                f"the value of the header {name} cannot be sent",
                hint="give up to 8,192 printable ASCII characters",
            )


def plain(secret: SecretStr | None) -> str | None:
    """Return the plain text of a secret, for a library that needs it."""
    return None if secret is None else secret.get_secret_value()
