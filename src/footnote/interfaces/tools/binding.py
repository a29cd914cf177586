"""The tools of one workspace, called by name, and as each library takes them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from footnote.domain import Document, Passage, SearchFilters, SearchRequest, SearchResponse
from footnote.engine import WorkspaceAccess, WorkspaceEngine
from footnote.engine.tools import EvidenceLedger, Refusal, document_tools, passage_path
from footnote.errors import InvalidRequest
from footnote.interfaces.tools.bridge import Bridge
from footnote.jobs.inline import work_until_resting
from footnote.ports import Tool
from footnote.sync import SyncWorkspaceEngine

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever as LangChainRetriever
    from langchain_core.tools import BaseTool
    from llama_index.core.retrievers import BaseRetriever as LlamaIndexRetriever
    from llama_index.core.tools import FunctionTool
    from pydantic_ai.toolsets import FunctionToolset


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTools:
    """The tools of one workspace, as one principal, with a method for each library.

    They can be called from any thread.
    """

    workspace: WorkspaceEngine
    tools: tuple[Tool, ...]
    bridge: Bridge = field(repr=False)
    base_url: str = ""
    """Where the HTTP server is reached; links are paths without it."""

    async def dispatch(self, name: str, arguments: str | Mapping[str, object]) -> str:
        """The result of the named tool for a model's arguments, JSON text or an object.

        The text says what is wrong with name or arguments, so that the model can correct them.
        """
        tool = next((candidate for candidate in self.tools if candidate.name == name), None)
        if tool is None:
            names = ", ".join(candidate.name for candidate in self.tools)
            return Refusal(f"there is no tool {name[:100]!r}; there are {names}")
        try:
            parsed = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
        except (ValueError, RecursionError):
            return Refusal(f"{name} failed: the arguments are not JSON")
        if not isinstance(parsed, Mapping):
            return Refusal(f"{name} failed: the arguments must be a JSON object")

        async def call() -> str:
            return await tool.call(parsed)

        return await self.bridge.reach(call)

    def dispatch_sync(self, name: str, arguments: str | Mapping[str, object]) -> str:
        """`dispatch`, blocking. Raises InvalidRequest in the event loop's own thread."""
        return self.bridge.wait(lambda: self.dispatch(name, arguments))

    def functions(self, tool: Tool) -> tuple[Callable[..., str], Callable[..., Awaitable[str]]]:
        """A tool as a blocking and as an asynchronous function of its arguments."""

        def call(**arguments: object) -> str:
            return self.dispatch_sync(tool.name, arguments)

        async def acall(**arguments: object) -> str:
            return await self.dispatch(tool.name, arguments)

        return call, acall

    def link_to(self, passage: Passage) -> str:
        """The address at which a person sees a passage, once `footnote serve` runs."""
        return self.base_url + passage_path(self.workspace.workspace.name, passage)

    async def search(
        self, query: str, top_k: int | None = None, filters: SearchFilters | None = None
    ) -> SearchResponse:
        """Evidence for a retriever. Raises InvalidRequest and LaneMismatch."""
        request = SearchRequest(
            query=query,
            top_k=top_k,
            filters=filters or SearchFilters(),
        )
        return await self.bridge.reach(lambda: self.workspace.search(request))

    def openai(self) -> list[dict[str, object]]:
        """Function schemas as OpenAI's chat completions take them in `tools`."""
        return [{"type": "function", "function": _schema_of(tool)} for tool in self.tools]

    def openai_responses(self) -> list[dict[str, object]]:
        """Function schemas as OpenAI's responses API takes them in `tools`."""
        # Strict schemas require every argument, also those that a call may leave out.
        return [{"type": "function", **_schema_of(tool), "strict": False} for tool in self.tools]

    def anthropic(self) -> list[dict[str, object]]:
        """Function schemas as Anthropic's messages API takes them in `tools`."""
        return [_schema_of(tool, "input_schema") for tool in self.tools]

    def pydantic_ai(self) -> FunctionToolset[object]:
        """A toolset for a pydantic-ai agent. Raises InvalidRequest where that is missing."""
        from footnote.interfaces.tools.pydantic_ai import toolset  # noqa: PLC0415  # an extra

        return toolset(self)

    def langchain(self) -> list[BaseTool]:
        """Tools for LangChain and LangGraph. Raises InvalidRequest where that is missing."""
        from footnote.interfaces.tools.langchain import tools  # noqa: PLC0415  # an extra

        return tools(self)

    def langchain_retriever(
        self, *, top_k: int | None = None, filters: SearchFilters | None = None
    ) -> LangChainRetriever:
        """A retriever for LangChain. Raises InvalidRequest where that is missing."""
        from footnote.interfaces.tools.langchain import retriever  # noqa: PLC0415  # an extra

        return retriever(self, top_k=top_k, filters=filters)

    def llama_index(self) -> list[FunctionTool]:
        """Tools for LlamaIndex. Raises InvalidRequest where that is missing."""
        from footnote.interfaces.tools.llama_index import tools  # noqa: PLC0415  # an extra

        return tools(self)

    def llama_index_retriever(
        self, *, top_k: int | None = None, filters: SearchFilters | None = None
    ) -> LlamaIndexRetriever:
        """A retriever for LlamaIndex. Raises InvalidRequest where that is missing."""
        from footnote.interfaces.tools.llama_index import retriever  # noqa: PLC0415  # an extra

        return retriever(self, top_k=top_k, filters=filters)


def _schema_of(tool: Tool, parameters: str = "parameters") -> dict[str, object]:
    return {
        "name": tool.name,
        "description": tool.description,
        parameters: dict(tool.parameters),
    }


def bind(
    workspace: WorkspaceEngine | SyncWorkspaceEngine,
    ledger: EvidenceLedger | None = None,
    *,
    base_url: str | None = None,
) -> DocumentTools:
    """The tools of a workspace, as the principal it was opened for.

    With a ledger, evidence is numbered over all calls, and `ledger.evidence` lists it by number.
    Links begin with `base_url`; without one, with the address that `footnote serve` has by the
    same settings. Raises InvalidRequest outside the event loop in which the engine was opened,
    unless it was opened with `footnote.open_sync()`.
    """
    if isinstance(workspace, SyncWorkspaceEngine):
        inner, bridge = workspace.inner, workspace.portal.call(_bridge)
    else:
        try:
            inner, bridge = workspace, Bridge.here()
        except RuntimeError:
            raise InvalidRequest(
                "there is no event loop in which the workspace could be used",
                hint="bind its tools inside the loop, or open it with footnote.open_sync()",
            ) from None
    if base_url is None:
        host, port = inner.engine.settings.listens_at
        url_host = f"[{host}]" if ":" in host else host
        # With port 0 the server picks one, which is not known here.
        base_url = f"http://{url_host}:{port}" if port else ""
    base_url = base_url.rstrip("/")
    tools = document_tools(inner, ledger, index_now=index_now, base_url=base_url)
    return DocumentTools(workspace=inner, tools=tools, bridge=bridge, base_url=base_url)


async def _bridge() -> Bridge:
    return Bridge.here()


async def index_now(
    workspace: WorkspaceAccess, document_ids: Sequence[UUID]
) -> Mapping[UUID, Document]:
    """Index documents, also where no worker runs."""
    return await work_until_resting(workspace.engine, workspace, document_ids, lambda _: None)
