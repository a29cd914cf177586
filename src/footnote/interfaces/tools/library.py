"""What the adapters for agent libraries share: the tools that they adapt, and metadata."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from footnote.domain import Evidence, Passage, SearchFilters, SearchResponse
from footnote.errors import NotInstalled, how_to_install
from footnote.interfaces.tools.bridge import Bridge
from footnote.ports import Tool

Metadata = dict[str, str | int | float | bool]


class CallableTools(Protocol):
    """The tools of one workspace as adapters use them; `binding.DocumentTools` is one."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What a model can call."""
        ...

    @property
    def bridge(self) -> Bridge:
        """The way into the event loop of the engine."""
        ...

    async def dispatch(self, name: str, arguments: str | Mapping[str, object]) -> str:
        """The result of the named tool, or what is wrong with the call."""
        ...

    def functions(self, tool: Tool) -> tuple[Callable[..., str], Callable[..., Awaitable[str]]]:
        """A tool as a blocking and as an asynchronous function of its arguments."""

    def link_to(self, passage: Passage) -> str:
        """The address at which a person sees a passage."""
        ...

    async def search(
        self, query: str, top_k: int | None = None, filters: SearchFilters | None = None
    ) -> SearchResponse:
        """Evidence for a retriever. Raises InvalidRequest and LaneMismatch."""
        ...


@contextmanager
def optional_import(library: str, extra: str) -> Iterator[None]:
    """Turn a failed import within the block into NotInstalled, with what to install."""
    try:
        yield
    except ImportError as error:
        raise NotInstalled(f"{library} is not installed", hint=how_to_install(extra)) from error


def metadata_of(evidence: Evidence, link_to: Callable[[Passage], str]) -> Metadata:
    """The metadata of a passage for a retriever, named as in the HTTP API.

    What a passage lacks is left out. `source` is what the libraries call the file, and
    `link` leads to the passage.
    """
    passage = evidence.passage
    fields: dict[str, str | int | float | bool | None] = {
        "source": passage.filename,
        "link": link_to(passage),
        "chunk_id": passage.chunk_id,
        "document_id": str(passage.document_id),
        "document_title": passage.document_title,
        "filename": passage.filename,
        "collection": passage.collection,
        "source_type": passage.source_type.value,
        "section": " > ".join(passage.heading_path) or None,
        "page_start": passage.page_start,
        "page_end": passage.page_end,
        "paragraph_start": passage.paragraph_start,
        "char_start": passage.char_start,
        "char_end": passage.char_end,
        "start_seconds": passage.start_seconds,
        "end_seconds": passage.end_seconds,
        "language": passage.language,
        "parent_id": None if passage.parent_id is None else str(passage.parent_id),
        "parent_title": passage.parent_title,
        "rank": evidence.rank,
        "score": evidence.score,
        "similarity": evidence.similarity,
        "suspicious": evidence.suspicious,
    }
    return {name: value for name, value in fields.items() if value is not None}
