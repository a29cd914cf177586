"""The tools and a retriever as LangChain and LangGraph take them."""

from __future__ import annotations

from footnote.domain import SearchFilters
from footnote.interfaces.tools.library import CallableTools, metadata_of, optional_import

with optional_import("langchain-core", "langchain"):
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool
    from pydantic import PrivateAttr


def tools(bound: CallableTools) -> list[BaseTool]:
    """A structured tool each; a failure is text for the model."""
    structured_tools: list[BaseTool] = []
    for tool in bound.tools:
        call, acall = bound.functions(tool)
        structured_tools.append(
            StructuredTool(
                name=tool.name,
                description=tool.description,
                args_schema=dict(tool.parameters),
                func=call,
                coroutine=acall,
            )
        )
    return structured_tools


def retriever(
    bound: CallableTools, *, top_k: int | None = None, filters: SearchFilters | None = None
) -> FootnoteRetriever:
    """A retriever over the workspace, best passages first."""
    instance = FootnoteRetriever(top_k=top_k)
    instance.search_in(bound, filters)
    return instance


class FootnoteRetriever(BaseRetriever):
    """Passages as LangChain documents, with their places in `metadata`."""

    top_k: int | None = None
    _bound: CallableTools = PrivateAttr()
    _filters: SearchFilters | None = PrivateAttr(None)

    def search_in(self, bound: CallableTools, filters: SearchFilters | None) -> None:
        """Set the workspace it searches, and the filters."""
        self._bound, self._filters = bound, filters

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun | None = None,  # noqa: ARG002  # its signature
    ) -> list[Document]:
        return self._bound.bridge.wait(lambda: self._aget_relevant_documents(query))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun | None = None,  # noqa: ARG002  # as above
    ) -> list[Document]:
        response = await self._bound.search(query, self.top_k, self._filters)
        return [
            Document(
                id=evidence.passage.chunk_id,
                page_content=evidence.passage.text,
                metadata=metadata_of(evidence, self._bound.link_to),
            )
            for evidence in response.evidence
        ]
