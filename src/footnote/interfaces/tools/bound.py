"""The tools of one workspace, called by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote.domain import Passage, SearchFilters, SearchRequest, SearchResponse
from footnote.engine import WorkspaceEngine
from footnote.engine.tools import Refusal, passage_path
from footnote.interfaces.tools.bridge import Bridge
from footnote.ports import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundTools:
    """The tools of one workspace, as one principal, called from any thread."""

    workspace: WorkspaceEngine
    tools: tuple[Tool, ...]
    bridge: Bridge = field(repr=False)
    base_url: str = ""
    """Where the HTTP server is reached; links are paths without it."""

    async def dispatch(self, name: str, arguments: str | Mapping[str, object]) -> str:
        """What the named tool says to a model's arguments, JSON text or an object.

        What is wrong with name or arguments is said in the text, for the model to mend.
        """
        found = next((each for each in self.tools if each.name == name), None)
        if found is None:
            known = ", ".join(each.name for each in self.tools)
            return Refusal(f"there is no tool {name[:100]!r}; there are {known}")
        given = _decoded(arguments)
        if isinstance(given, Refusal):
            return Refusal(f"{name} failed: {given}")
        return await self.bridge.reach(lambda: _called(found, given))

    def dispatch_sync(self, name: str, arguments: str | Mapping[str, object]) -> str:
        """`dispatch`, blocking. Raises InvalidRequest in the event loop's own thread."""
        return self.bridge.wait(lambda: self.dispatch(name, arguments))

    def link_to(self, passage: Passage) -> str:
        """Where a person sees a passage, once `footnote serve` runs."""
        return self.base_url + passage_path(self.workspace.workspace.name, passage)

    async def search(
        self, query: str, top_k: int | None = None, filters: SearchFilters | None = None
    ) -> SearchResponse:
        """Evidence for a retriever. Raises InvalidRequest and LaneMismatch."""

        async def found() -> SearchResponse:
            default = self.workspace.engine.settings.top_k
            return await self.workspace.search(
                SearchRequest(
                    query=query, top_k=top_k or default, filters=filters or SearchFilters()
                )
            )

        return await self.bridge.reach(found)


async def _called(tool: Tool, arguments: Mapping[str, object]) -> str:
    return await tool.call(arguments)


def _decoded(arguments: str | Mapping[str, object]) -> Mapping[str, object] | Refusal:
    try:
        given = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return Refusal("the arguments are not JSON")
    if not isinstance(given, Mapping):
        return Refusal("the arguments must be a JSON object")
    return given
