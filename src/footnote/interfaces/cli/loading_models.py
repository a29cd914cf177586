"""The verbs of answer models and MCP servers, loaded only when a command needs them."""

# ruff: noqa: PLC0415  # imports inside functions are this module's purpose

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnote.domain import AnswerEvent
    from footnote.domain.models_in_use import ModelsInUse
    from footnote.engine import WorkspaceEngine
    from footnote.ports import McpServer


async def models_in_use(workspace: WorkspaceEngine) -> ModelsInUse:
    """Which models answer."""
    from footnote.engine import answer_models as verbs

    return await verbs.models_in_use(workspace)


async def use_models(workspace: WorkspaceEngine, names: Sequence[str]) -> ModelsInUse:
    """Answer with these."""
    from footnote.engine import answer_models as verbs

    return await verbs.use_models(workspace, names)


async def reset_models(workspace: WorkspaceEngine) -> ModelsInUse:
    """Answer with what the installation is set to."""
    from footnote.engine import answer_models as verbs

    return await verbs.reset_models(workspace)


async def add_mcp_server(
    workspace: WorkspaceEngine, name: str, url: str, headers: Mapping[str, str]
) -> McpServer:
    """Offer a server's tools to agents."""
    from footnote.engine import answer_models as verbs

    return await verbs.add_mcp_server(workspace, name, url, headers)


async def mcp_servers(workspace: WorkspaceEngine) -> tuple[McpServer, ...]:
    """The servers whose tools agents may use."""
    from footnote.engine import answer_models as verbs

    return await verbs.mcp_servers(workspace)


async def remove_mcp_server(workspace: WorkspaceEngine, name: str) -> None:
    """Offer a server's tools no more."""
    from footnote.engine import answer_models as verbs

    await verbs.remove_mcp_server(workspace, name)


def agent_events(workspace: WorkspaceEngine, question: str) -> AsyncGenerator[AnswerEvent]:
    """What happens while a model looks things up."""
    from footnote.engine.agent import agent_stream
    from footnote.interfaces.tools.binding import index_now

    return agent_stream(workspace, question, index_now=index_now)
