"""The tools and a retriever as LlamaIndex takes them."""

from __future__ import annotations

from footnote.domain import SearchFilters
from footnote.engine.tools import argument_shapes
from footnote.interfaces.tools.library import CallableTools, metadata_of, optional_import

with optional_import("llama-index-core", "llama-index"):
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from llama_index.core.tools import FunctionTool, ToolMetadata


def tools(bound: CallableTools) -> list[FunctionTool]:
    """A function tool each; a failure is text for the model."""
    shapes = argument_shapes(bound.tools)
    function_tools: list[FunctionTool] = []
    for tool in bound.tools:
        call, acall = bound.functions(tool)
        metadata = ToolMetadata(
            name=tool.name, description=tool.description, fn_schema=shapes[tool.name]
        )
        function_tools.append(FunctionTool(fn=call, async_fn=acall, metadata=metadata))
    return function_tools


def retriever(
    bound: CallableTools, *, top_k: int | None = None, filters: SearchFilters | None = None
) -> FootnoteRetriever:
    """A retriever over the workspace, best passages first."""
    return FootnoteRetriever(bound, top_k=top_k, filters=filters)


class FootnoteRetriever(BaseRetriever):
    """Passages as nodes with scores, and their places in `metadata`."""

    def __init__(
        self, bound: CallableTools, *, top_k: int | None, filters: SearchFilters | None
    ) -> None:
        super().__init__()
        self._bound, self._top_k, self._filters = bound, top_k, filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._bound.bridge.wait(lambda: self._aretrieve(query_bundle))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        response = await self._bound.search(query_bundle.query_str, self._top_k, self._filters)
        return [
            NodeWithScore(
                node=TextNode(
                    id_=evidence.passage.chunk_id,
                    text=evidence.passage.text,
                    metadata=metadata_of(evidence, self._bound.link_to),
                ),
                score=evidence.score,
            )
            for evidence in response.evidence
        ]
