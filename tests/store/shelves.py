"""Workspaces with published documents, made without parsers and models."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID, uuid4

from footnote.domain import (
    LOCAL_PRINCIPAL,
    BlockKind,
    BlockSpan,
    Chunk,
    ChunkTerms,
    DocumentClass,
    Enrichment,
    Lane,
    Principal,
    Publication,
    SearchFilters,
    Visibility,
    Workspace,
)
from footnote.index.analysis import TextAnalyzer
from footnote.language.dates import quarters_in
from footnote.models.testing import HashEmbedder
from footnote.ports import Embedder, Recalled, RecallRequest, Routing
from footnote.store.blobs import LocalBlobs
from footnote.store.database import Database
from footnote.store.dense import DenseBreadth
from footnote.store.index_cache import IndexCache
from footnote.store.ingesting import open_version
from footnote.store.publishing import MaintenanceLimits, delete_document
from footnote.store.recall import PostgresIndex
from footnote.store.receiving import Incoming, receive_document
from footnote.store.workspaces import create_workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """A workspace and the means to fill and search it."""

    database: Database
    workspace: Workspace
    embedder: Embedder = field(default_factory=HashEmbedder)
    analyzer: TextAnalyzer = field(default_factory=TextAnalyzer)
    cache: IndexCache = field(default_factory=lambda: IndexCache(2**24))
    limits: MaintenanceLimits = field(
        default_factory=lambda: MaintenanceLimits(merge_fan_in=4, hnsw_threshold_chunks=20_000)
    )

    @property
    def lane(self) -> Lane:
        return self.embedder.lane

    async def put(
        self,
        *texts: str,
        external_id: str | None = None,
        collection: str = "default",
        language: str | None = "en",
        access: tuple[str, ...] | None = None,
        visibility: Visibility | None = None,
        owner: Principal = LOCAL_PRINCIPAL,
        about: str | None = None,
        called: str | None = None,
    ) -> UUID:
        """Publish a document whose chunks are these texts, what it is about, and its names."""
        content = "\n\n".join(texts)
        async with self.database.workspace(self.workspace.workspace_id, owner) as scope:
            received = await receive_document(
                scope,
                Incoming(
                    filename=f"{uuid4().hex}.txt",
                    media_type="text/plain",
                    byte_size=len(content),
                    content_sha256=hashlib.sha256(content.encode()).hexdigest(),
                    blob_key="",
                    collection=collection,
                    external_id=external_id,
                    visibility=visibility,
                    access=access,
                ),
            )
        document = received.document
        work = await open_version(
            self.database,
            LocalBlobs(Path("unused")),
            workspace_id=self.workspace.workspace_id,
            document_id=document.document_id,
            version=document.version,
            lane=self.lane,
            limits=self.limits,
        )
        if work is not None:
            hashes = tuple(hashlib.md5(text.encode()).digest() for text in texts)
            await work.keep_vectors(hashes, await self.embedder.embed_documents(texts))
            about_hash = None
            if about is not None:
                about_hash = hashlib.md5(about.encode()).digest()
                await work.keep_vectors([about_hash], await self.embedder.embed_documents([about]))
            assert await work.publish(
                Publication(
                    canonical_text=content,
                    page_count=None,
                    enrichment=_enrichment(texts[0], language),
                    metadata={},
                    chunks=chunks_of(texts),
                    text_hashes=hashes,
                    chunk_terms=ChunkTerms.of(
                        work.term_ids(self.analyzer.terms(text, language)) for text in texts
                    ),
                    document_hash=about_hash,
                    document_terms=work.document_term_ids(
                        self.analyzer.terms(about or "", language)
                    ),
                    name_terms=()
                    if called is None
                    else work.name_term_ids(
                        [*self.analyzer.terms(called, language), *quarters_in(called)]
                    ),
                )
            )
        return document.document_id

    async def remove(self, document_id: UUID) -> None:
        async with self.database.workspace(self.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
            await delete_document(scope, document_id, self.limits)

    def index(
        self, principal: Principal = LOCAL_PRINCIPAL, *, exact_up_to: int = 20_000
    ) -> PostgresIndex:
        return PostgresIndex(
            database=self.database,
            workspace=self.workspace,
            principal=principal,
            lane=self.lane,
            cache=self.cache,
            breadth=DenseBreadth(exact_up_to=exact_up_to, ef_search=100),
        )

    async def recall(
        self,
        query: str,
        *,
        principal: Principal = LOCAL_PRINCIPAL,
        filters: SearchFilters | None = None,
        limit: int = 100,
        exact_up_to: int = 20_000,
        route: Routing | None = None,
        names: bool = False,
    ) -> Recalled:
        return await self.index(principal, exact_up_to=exact_up_to).recall(
            RecallRequest(
                terms_of=lambda languages: self.analyzer.query_terms(query, languages),
                vector=await self.embedder.embed_query(query),
                limit=limit,
                filters=filters or SearchFilters(),
                route=route,
                names_of=(
                    lambda languages: [
                        *self.analyzer.query_terms(query, languages),
                        *quarters_in(query),
                    ]
                )
                if names
                else None,
            )
        )

    async def texts(self, query: str, **options: object) -> list[str]:
        """The texts the lexical recall finds, best first."""
        recalled = await self.recall(query, **options)  # type: ignore[arg-type]  # passed on
        numbers = [hit.chunk_no for hit in recalled.lexical]
        passages = await self.index().passages(numbers)
        return [passages[number].text for number in numbers if number in passages]


async def new_shelf(database: Database, name: str = "acme") -> Shelf:
    return Shelf(database=database, workspace=await create_workspace(database, name))


def chunks_of(texts: Sequence[str]) -> tuple[Chunk, ...]:
    """One chunk a text, as if separated by blank lines."""
    chunks = []
    start = 0
    for ordinal, text in enumerate(texts):
        end = start + len(text)
        span = BlockSpan(
            char_start=start,
            char_end=end,
            page=None,
            paragraph=ordinal + 1,
            kind=BlockKind.PARAGRAPH,
        )
        chunks.append(
            Chunk(
                ordinal=ordinal,
                kind=BlockKind.PARAGRAPH,
                text=text,
                char_start=start,
                char_end=end,
                spans=(span,),
                token_count=len(text.split()),
            )
        )
        start = end + 2
    return tuple(chunks)


def _enrichment(title: str, language: str | None) -> Enrichment:
    return Enrichment(
        title=title[:40],
        language=language,
        document_class=DocumentClass.GENERIC,
        keywords=(),
        sections=(),
        summary="",
    )
