"""Routes for which models answer in a workspace, and for its MCP servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from footnote.domain.json_form import json_form
from footnote.domain.models_in_use import McpServer
from footnote.interfaces.http import requests
from footnote.interfaces.http.chat import ChatModel, chat_models
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import ExactBodyRoute, workspace_router
from footnote.interfaces.http.scope import TheRequester, TheWorkspace, WorkspaceName
from footnote.interfaces.schemas import McpServerList, Models

router = workspace_router("models", ExactBodyRoute)


@json_form(flat="models")
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsHere:
    """The models that answer in a workspace, and in OpenAI's shape those that the workspace is.

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


@router.get("/v1/models")
async def show_models(
    requester: TheRequester, workspace: TheWorkspace, workspace_name: WorkspaceName
) -> ModelsHere:
    """List the configured models, those the workspace chose, and those that answer.

    What `GET /openai/v1/models` lists stands beside them, for clients of OpenAI's shape.
    """
    in_use = Models.from_domain(await workspace.models_in_use())
    return ModelsHere(models=in_use, data=await chat_models(requester, workspace_name))


@router.put("/v1/models")
async def choose_models(workspace: TheWorkspace, choice: UseModels) -> Models:
    """Choose the models that answer here: configured ones, or `extractive` for quotes."""
    return Models.from_domain(await workspace.use_models(choice.use))


@router.delete("/v1/models")
async def forget_models(workspace: TheWorkspace) -> Models:
    """Forget the workspace's choice; the installation's models answer again."""
    return Models.from_domain(await workspace.reset_models())


@router.post("/v1/mcp-servers", status_code=201, responses=problem_responses("conflict"))
async def add_server(workspace: TheWorkspace, server: AddMcpServer) -> McpServer:
    """Add an MCP server; agents of the workspace may call its tools, named `NAME_TOOL`."""
    return await workspace.add_mcp_server(server.name, server.url, server.headers)


@router.get("/v1/mcp-servers")
async def list_servers(workspace: TheWorkspace) -> McpServerList:
    """List the MCP servers by name, without their headers."""
    return McpServerList(mcp_servers=await workspace.mcp_servers())


@router.delete("/v1/mcp-servers/{name}", status_code=204)
async def delete_server(workspace: TheWorkspace, name: str) -> None:
    """Remove an MCP server."""
    await workspace.remove_mcp_server(name)
