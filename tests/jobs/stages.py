"""The stages of ingestion around an embedder of the test's choice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from footnote.domain import Lane
from footnote.engine import Engine
from footnote.ingestion.chunking import ChunkPolicy
from footnote.ingestion.pipeline import Ingestion
from footnote.ports import Embedder, Vector, Vectors
from tests.parsers import kept_parser


@asynccontextmanager
async def stages(
    engine: Engine, embedder: Embedder, *, embedding_batch: int = 64
) -> AsyncIterator[Ingestion]:
    async with kept_parser(processes=1) as parser:
        yield Ingestion(
            parser=parser,
            embedder=embedder,
            analyzer=engine.analyzer,
            policy=ChunkPolicy(target_tokens=64),
            max_file_bytes=engine.settings.limits.bytes,
            embedding_batch=embedding_batch,
        )


@dataclass(frozen=True)
class Around:
    """An embedder around another; what it does with documents is up to those below."""

    inner: Embedder

    @property
    def lane(self) -> Lane:
        return self.inner.lane

    @property
    def max_tokens(self) -> int:
        return self.inner.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.inner.count_tokens(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return await self.inner.embed_documents(texts)

    async def embed_query(self, text: str) -> Vector:
        return await self.inner.embed_query(text)


@dataclass(frozen=True)
class Stuck(Around):
    """Never comes to an end with a document."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.begun.set()
        await asyncio.Event().wait()
        return await super().embed_documents(texts)


def notes(count: int, *, words: int = 20) -> bytes:
    """A text of so many paragraphs, each of which fills a chunk."""
    paragraphs = (
        " ".join(f"Buoy {number} lies at berth {number * words + line}." for line in range(words))
        for number in range(count)
    )
    return "\n\n".join(paragraphs).encode()


def skip(seconds: float) -> None:
    """Let what the running event loop has put off for at most so long happen now."""
    loop = asyncio.get_running_loop()
    time = loop.time
    loop.time = lambda: time() + seconds  # type: ignore[method-assign]
    # Before what is due then, so that what this puts off again is put off from now.
    loop.call_soon(delattr, loop, "time")
