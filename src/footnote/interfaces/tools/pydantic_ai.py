"""The tools as a toolset of pydantic-ai."""

from __future__ import annotations

from footnote.interfaces.tools.library import CallableTools, optional_import
from footnote.ports import Tool

with optional_import("pydantic-ai", "models"):
    from pydantic_ai.tools import Tool as AgentTool
    from pydantic_ai.toolsets import FunctionToolset


def toolset(bound: CallableTools) -> FunctionToolset[object]:
    """A toolset for `Agent(toolsets=[...])`; a failure is text for the model."""
    return FunctionToolset([_agent_tool(bound, tool) for tool in bound.tools], id="footnote")


def _agent_tool(bound: CallableTools, tool: Tool) -> AgentTool[object]:
    async def call(**arguments: object) -> str:
        return await bound.dispatch(tool.name, arguments)

    return AgentTool[object].from_schema(
        call, name=tool.name, description=tool.description, json_schema=dict(tool.parameters)
    )
