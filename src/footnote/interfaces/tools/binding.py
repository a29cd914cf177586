"""The tools of one workspace, ready for whichever library calls them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from footnote.domain import Document, SearchFilters
from footnote.engine import WorkspaceAccess, WorkspaceEngine
from footnote.engine.tools import EvidenceLedger, document_tools
from footnote.errors import InvalidRequest
from footnote.interfaces.tools import schemas
from footnote.interfaces.tools.bound import BoundTools
from footnote.interfaces.tools.bridge import Bridge
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings
from footnote.sync import SyncWorkspaceEngine

if TYPE_CHECKING:
    from langchain_core.retrievers import BaseRetriever as LangChainRetriever
    from langchain_core.tools import BaseTool
    from llama_index.core.retrievers import BaseRetriever as LlamaIndexRetriever
    from llama_index.core.tools import FunctionTool
    from pydantic_ai.toolsets import FunctionToolset


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTools(BoundTools):
    """One definition of the tools, and a method for each library that takes them."""

    def openai(self) -> list[dict[str, object]]:
        """Function schemas as OpenAI's chat completions take them in `tools`."""
        return schemas.openai(self.tools)

    def openai_responses(self) -> list[dict[str, object]]:
        """Function schemas as OpenAI's responses API takes them in `tools`."""
        return schemas.openai_responses(self.tools)

    def anthropic(self) -> list[dict[str, object]]:
        """Function schemas as Anthropic's messages API takes them in `tools`."""
        return schemas.anthropic(self.tools)

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


def bind(
    workspace: WorkspaceEngine | SyncWorkspaceEngine,
    ledger: EvidenceLedger | None = None,
    *,
    base_url: str | None = None,
) -> DocumentTools:
    """The tools of a workspace, as the principal it was opened for.

    With a ledger, evidence is numbered over all calls, and `ledger.evidence` is what the numbers
    stand for. Links begin with `base_url`; without one, with the address that `footnote serve` has
    by the same settings. Raises InvalidRequest outside the event loop in which the engine was
    opened, unless it was opened with `footnote.open_sync()`.
    """
    if isinstance(workspace, SyncWorkspaceEngine):
        inner, bridge = workspace.inner, workspace.portal.call(_bridge)
    else:
        inner, bridge = workspace, _bridge_here()
    base = _address(inner.engine.settings) if base_url is None else base_url.rstrip("/")
    tools = document_tools(inner, ledger, index_now=index_now, base_url=base)
    return DocumentTools(workspace=inner, tools=tools, bridge=bridge, base_url=base)


async def index_now(
    workspace: WorkspaceAccess, document_ids: Sequence[UUID]
) -> Mapping[UUID, Document]:
    """Bring documents to rest, also where no worker runs."""
    return await work_until_resting(workspace.engine, workspace, document_ids, lambda _: None)


def _address(settings: Settings) -> str:
    """Where the server of these settings is reached; empty where it picks a port."""
    host = settings.host.strip("[]")
    named = f"[{host}]" if ":" in host else host
    return f"http://{named}:{settings.port}" if settings.port else ""


async def _bridge() -> Bridge:
    return Bridge.here()


def _bridge_here() -> Bridge:
    try:
        return Bridge.here()
    except RuntimeError:
        raise InvalidRequest(
            "there is no event loop in which the workspace could be used",
            hint="bind its tools inside the loop, or open it with footnote.open_sync()",
        ) from None
