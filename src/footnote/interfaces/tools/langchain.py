"""The tools and a retriever as LangChain and LangGraph take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnote.domain import SearchFilters, SearchResponse
from footnote.interfaces.tools.evidence import metadata_of
from footnote.interfaces.tools.missing import wanted
from footnote.ports import Tool

with wanted("langchain-core", "langchain"):
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool
    from pydantic import PrivateAttr

if TYPE_CHECKING:
    from footnote.interfaces.tools.bound import BoundTools


def tools(bound: BoundTools) -> list[BaseTool]:
    """A structured tool each; what goes wrong is told to the model as text."""
    return [_structured(bound, each) for each in bound.tools]


def retriever(
    bound: BoundTools, *, top_k: int | None = None, filters: SearchFilters | None = None
) -> FootnoteRetriever:
    """A retriever over the workspace, best passages first."""
    made = FootnoteRetriever(top_k=top_k)
    made.search_in(bound, filters)
    return made


class FootnoteRetriever(BaseRetriever):
    """Passages as LangChain documents, with where they stand in `metadata`.

    A class because LangChain wants one.
    """

    top_k: int | None = None
    _bound: BoundTools = PrivateAttr()
    _filters: SearchFilters | None = PrivateAttr(None)

    def search_in(self, bound: BoundTools, filters: SearchFilters | None) -> None:
        """Say which workspace it searches, and within what."""
        self._bound, self._filters = bound, filters

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun | None = None,  # noqa: ARG002  # its signature
    ) -> list[Document]:
        return _documents(self._bound, self._bound.bridge.wait(lambda: self._searched(query)))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun | None = None,  # noqa: ARG002  # as above
    ) -> list[Document]:
        return _documents(self._bound, await self._searched(query))

    async def _searched(self, query: str) -> SearchResponse:
        return await self._bound.search(query, self.top_k, self._filters)


def _documents(bound: BoundTools, response: SearchResponse) -> list[Document]:
    return [
        Document(
            id=each.passage.chunk_id,
            page_content=each.passage.text,
            metadata=metadata_of(each, bound.link_to),
        )
        for each in response.evidence
    ]


def _structured(bound: BoundTools, tool: Tool) -> BaseTool:
    def call(**arguments: object) -> str:
        return bound.dispatch_sync(tool.name, arguments)

    async def acall(**arguments: object) -> str:
        return await bound.dispatch(tool.name, arguments)

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=dict(tool.parameters),
        func=call,
        coroutine=acall,
    )
