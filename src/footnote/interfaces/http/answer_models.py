"""Routes for which models answer in a workspace, and for its MCP servers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body
from fastapi.openapi.models import Example
from pydantic import Field

from footnote.engine.answer_models import (
    add_mcp_server,
    mcp_servers,
    models_in_use,
    remove_mcp_server,
    reset_models,
    use_models,
)
from footnote.interfaces.http import examples, requests
from footnote.interfaces.http.chat import chat_models
from footnote.interfaces.http.exact import ExactBodyRoute
from footnote.interfaces.http.scope import ALWAYS, TheEngine, TheWorkspace, WorkspaceName
from footnote.interfaces.schemas.answer_models import (
    ChatModel,
    McpServer,
    McpServerList,
    Models,
    ModelsHere,
)

router = APIRouter(tags=["models"], route_class=ExactBodyRoute)

_CONFIGURED = ["openai:gpt-5-mini", "ollama:llama3.2"]
_FOLLOWS: dict[str, object] = {"configured": _CONFIGURED, "chosen": None, "used": _CONFIGURED}
_CHOSEN: dict[str, object] = {
    "configured": _CONFIGURED,
    "chosen": ["ollama:llama3.2"],
    "used": ["ollama:llama3.2"],
}
_HERE: dict[str, object] = {
    **_FOLLOWS,
    "object": "list",
    "data": [ChatModel(id="footnote", created=1746178200).model_dump()],
}
_SERVER: dict[str, object] = {
    "name": "tickets",
    "url": "https://tickets.example.com/mcp",
    "header_names": ["Authorization"],
}
_CHOICES: dict[str, Example] = {
    "model": {"summary": "One of the configured models", "value": {"use": ["ollama:llama3.2"]}},
    "chain": {
        "summary": "Several, each asked when those before failed",
        "value": {"use": _CONFIGURED},
    },
    "quotes": {"summary": "No model: answers are quotes", "value": {"use": ["extractive"]}},
}
_SERVERS: dict[str, Example] = {
    "server": {
        "summary": "A server that wants a key",
        "value": {
            "name": "tickets",
            "url": "https://tickets.example.com/mcp",
            "headers": {"Authorization": "Bearer secret"},
        },
    }
}


class UseModels(requests.Request):
    """Which of the configured models answer."""

    use: tuple[Annotated[str, Field(min_length=1, max_length=200)], ...] = Field(
        min_length=1, max_length=20, description="In the order in which they are asked."
    )


class AddMcpServer(requests.Request):
    """A server of tools."""

    name: Annotated[str, Field(min_length=1, max_length=32)]
    url: Annotated[str, Field(min_length=1, max_length=2000)]
    headers: dict[str, str] = Field(
        default_factory=dict, description="Sent with each request; never shown again."
    )


@router.get(
    "/v1/models",
    summary="Which models answer here?",
    response_model=ModelsHere,
    responses={200: examples.json_example("Those that do", _HERE), **ALWAYS},
)
async def show_models(
    engine: TheEngine, workspace: TheWorkspace, named: WorkspaceName
) -> ModelsHere:
    """What the installation has, what the workspace chose, and what is asked.

    Beside it, what `GET /openai/v1/models` lists: a client of OpenAI's shape may look here.
    """
    in_use = Models.from_domain(await models_in_use(workspace))
    return ModelsHere(**in_use.model_dump(), data=await chat_models(engine, named))


@router.put(
    "/v1/models",
    summary="Choose the models that answer here",
    response_model=Models,
    responses={
        200: examples.json_example("They answer from now on", _CHOSEN),
        **ALWAYS,
        **examples.problem_responses("bad-request"),
    },
)
async def choose_models(
    workspace: TheWorkspace, wanted: Annotated[UseModels, Body(openapi_examples=_CHOICES)]
) -> Models:
    """Answer with some of the configured models, or with `extractive` quotes."""
    return Models.from_domain(await use_models(workspace, wanted.use))


@router.delete(
    "/v1/models",
    summary="Answer with what the installation is set to",
    response_model=Models,
    responses={200: examples.json_example("The choice is forgotten", _FOLLOWS), **ALWAYS},
)
async def forget_models(workspace: TheWorkspace) -> Models:
    """Forget what the workspace chose."""
    return Models.from_domain(await reset_models(workspace))


@router.post(
    "/v1/mcp-servers",
    status_code=201,
    summary="Offer an MCP server's tools to agents",
    response_model=McpServer,
    responses={
        201: examples.json_example("They are offered from now on", _SERVER),
        **ALWAYS,
        **examples.problem_responses("bad-request", "conflict"),
    },
)
async def add_server(
    workspace: TheWorkspace, wanted: Annotated[AddMcpServer, Body(openapi_examples=_SERVERS)]
) -> McpServer:
    """Add a server; agents of the workspace may use its tools, named `NAME_TOOL`."""
    return McpServer.from_domain(
        await add_mcp_server(workspace, wanted.name, wanted.url, wanted.headers)
    )


@router.get(
    "/v1/mcp-servers",
    summary="Which MCP servers may agents use?",
    response_model=McpServerList,
    responses={
        200: examples.json_example("All of them", {"mcp_servers": [_SERVER]}),
        **ALWAYS,
    },
)
async def list_servers(workspace: TheWorkspace) -> McpServerList:
    """Every server by name, without what its headers say."""
    return McpServerList.from_domain(await mcp_servers(workspace))


@router.delete(
    "/v1/mcp-servers/{name}",
    status_code=204,
    summary="Offer an MCP server's tools no more",
    response_description="They are offered no more.",
    responses=ALWAYS,
)
async def delete_server(workspace: TheWorkspace, name: str) -> None:
    """Remove a server."""
    await remove_mcp_server(workspace, name)
