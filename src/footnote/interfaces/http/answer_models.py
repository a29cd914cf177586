"""Routes for which models answer in a workspace, and for its MCP servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field

from footnote.domain.json_form import json_form
from footnote.domain.models_in_use import McpServer
from footnote.interfaces.http import examples, requests
from footnote.interfaces.http.chat import ChatModel, chat_models
from footnote.interfaces.http.exact import ExactBodyRoute
from footnote.interfaces.http.scope import ALWAYS, TheEngine, TheWorkspace, WorkspaceName
from footnote.interfaces.schemas import McpServerList, Models

router = APIRouter(tags=["models"], route_class=ExactBodyRoute)


@json_form(flat="models")
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsHere:
    """Which models answer in a workspace, and in OpenAI's words which models it is itself.

    `object` and `data` are what a client of OpenAI's shape reads below `/v1`.
    """

    models: Models
    object: Literal["list"] = "list"
    data: tuple[ChatModel, ...]


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
    responses={200: {"description": "Those that do"}, **ALWAYS},
)
async def show_models(
    engine: TheEngine, workspace: TheWorkspace, named: WorkspaceName
) -> ModelsHere:
    """What the installation has, what the workspace chose, and what is asked.

    Beside it, what `GET /openai/v1/models` lists: a client of OpenAI's shape may look here.
    """
    in_use = Models.from_domain(await workspace.models_in_use())
    return ModelsHere(models=in_use, data=await chat_models(engine, named))


@router.put(
    "/v1/models",
    summary="Choose the models that answer here",
    response_model=Models,
    responses={
        200: {"description": "They answer from now on"},
        **ALWAYS,
        **examples.problem_responses("bad-request"),
    },
)
async def choose_models(workspace: TheWorkspace, wanted: UseModels) -> Models:
    """Answer with some of the configured models, or with `extractive` quotes."""
    return Models.from_domain(await workspace.use_models(wanted.use))


@router.delete(
    "/v1/models",
    summary="Answer with what the installation is set to",
    response_model=Models,
    responses={200: {"description": "The choice is forgotten"}, **ALWAYS},
)
async def forget_models(workspace: TheWorkspace) -> Models:
    """Forget what the workspace chose."""
    return Models.from_domain(await workspace.reset_models())


@router.post(
    "/v1/mcp-servers",
    status_code=201,
    summary="Offer an MCP server's tools to agents",
    response_model=McpServer,
    responses={
        201: {"description": "They are offered from now on"},
        **ALWAYS,
        **examples.problem_responses("bad-request", "conflict"),
    },
)
async def add_server(workspace: TheWorkspace, wanted: AddMcpServer) -> McpServer:
    """Add a server; agents of the workspace may use its tools, named `NAME_TOOL`."""
    return await workspace.add_mcp_server(wanted.name, wanted.url, wanted.headers)


@router.get(
    "/v1/mcp-servers",
    summary="Which MCP servers may agents use?",
    response_model=McpServerList,
    responses={
        200: {"description": "All of them"},
        **ALWAYS,
    },
)
async def list_servers(workspace: TheWorkspace) -> McpServerList:
    """Every server by name, without what its headers say."""
    return McpServerList(mcp_servers=await workspace.mcp_servers())


@router.delete(
    "/v1/mcp-servers/{name}",
    status_code=204,
    summary="Offer an MCP server's tools no more",
    response_description="They are offered no more.",
    responses=ALWAYS,
)
async def delete_server(workspace: TheWorkspace, name: str) -> None:
    """Remove a server."""
    await workspace.remove_mcp_server(name)
