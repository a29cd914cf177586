"""The tools and a retriever as LlamaIndex takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnote.domain import SearchFilters, SearchResponse
from footnote.engine.tools import argument_shapes
from footnote.interfaces.tools.evidence import metadata_of
from footnote.interfaces.tools.missing import wanted
from footnote.ports import Tool

with wanted("llama-index-core", "llama-index"):
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from llama_index.core.tools import FunctionTool, ToolMetadata

if TYPE_CHECKING:
    from pydantic import BaseModel

    from footnote.interfaces.tools.bound import BoundTools


def tools(bound: BoundTools) -> list[FunctionTool]:
    """A function tool each; what goes wrong is told to the model as text."""
    shapes = argument_shapes(bound.tools)
    return [_function_tool(bound, each, shapes[each.name]) for each in bound.tools]


def retriever(
    bound: BoundTools, *, top_k: int | None = None, filters: SearchFilters | None = None
) -> FootnoteRetriever:
    """A retriever over the workspace, best passages first."""
    return FootnoteRetriever(bound, top_k=top_k, filters=filters)


class FootnoteRetriever(BaseRetriever):
    """Passages as nodes with scores, and where they stand in `metadata`.

    A class because LlamaIndex wants one.
    """

    def __init__(
        self, bound: BoundTools, *, top_k: int | None, filters: SearchFilters | None
    ) -> None:
        super().__init__()
        self._bound, self._top_k, self._filters = bound, top_k, filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._bound, self._bound.bridge.wait(lambda: self._searched(query_bundle)))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return _nodes(self._bound, await self._searched(query_bundle))

    async def _searched(self, query: QueryBundle) -> SearchResponse:
        return await self._bound.search(query.query_str, self._top_k, self._filters)


def _nodes(bound: BoundTools, response: SearchResponse) -> list[NodeWithScore]:
    return [
        NodeWithScore(
            node=TextNode(
                id_=each.passage.chunk_id,
                text=each.passage.text,
                metadata=metadata_of(each, bound.link_to),
            ),
            score=each.score,
        )
        for each in response.evidence
    ]


def _function_tool(bound: BoundTools, tool: Tool, shape: type[BaseModel]) -> FunctionTool:
    def call(**arguments: object) -> str:
        return bound.dispatch_sync(tool.name, arguments)

    async def acall(**arguments: object) -> str:
        return await bound.dispatch(tool.name, arguments)

    return FunctionTool(
        fn=call,
        async_fn=acall,
        metadata=ToolMetadata(name=tool.name, description=tool.description, fn_schema=shape),
    )
