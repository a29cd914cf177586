"""A Footnote installation that lives as long as a benchmark, and a fast way to fill it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import psycopg

import footnote
from footnote.domain import (
    LOCAL_PRINCIPAL,
    BlockKind,
    BlockSpan,
    Chunk,
    ChunkTerms,
    DocumentClass,
    Enrichment,
    Publication,
    Workspace,
)
from footnote.domain.identity import DEFAULT_COLLECTION
from footnote.engine import Engine
from footnote.ports import Vector, Vectors
from footnote.settings import settings_from
from footnote.store.ingesting import open_version
from footnote.store.receiving import Incoming, receive_document

TABLES = (
    "chunks",
    "embeddings",
    "document_embeddings",
    "postings",
    "posting_blocks",
    "segments",
    "documents",
    "document_versions",
)
MODELS = Path(tempfile.gettempdir()) / "footnote-bench"
"""Where built models stay between runs; building one takes seconds and is never measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A document that needs no parser and no model any more."""

    title: str
    language: str
    texts: Sequence[str]
    terms: Sequence[Sequence[str]]
    """One list for each text, as the engine's analyzer gives it."""
    vectors: Vectors
    about_terms: Sequence[str] = ()
    about_vector: Vector | None = None
    """What the document is about; without a vector nothing routes to it."""


@asynccontextmanager
async def bench_engine(
    models: Path, home: Path | None, **overrides: object
) -> AsyncIterator[Engine]:
    """An engine with an embedded Postgres in this folder, or in a fresh one, gone afterwards."""
    if home is None:
        async with temporary_engine(models, **overrides) as engine:
            yield engine
        return
    share_models(models, home)
    settings = settings_from(None, {"home": home, "database_url": None, **overrides})
    async with footnote.open(settings) as engine:
        yield engine


@asynccontextmanager
async def temporary_engine(models: Path, **overrides: object) -> AsyncIterator[Engine]:
    """An engine with an embedded Postgres in a fresh folder, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="fb-", ignore_cleanup_errors=True) as name:
        async with bench_engine(models, Path(name), **overrides) as engine:
            yield engine


async def put(
    engine: Engine, workspace: Workspace, ready: Ready, external_id: str | None = None
) -> UUID:
    """Publish a document through the store's own functions, as a worker would."""
    content = "\n\n".join(ready.texts)
    async with engine.database.workspace(workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        received = await receive_document(
            scope,
            Incoming(
                filename=f"{uuid4().hex}.txt",
                media_type="text/plain",
                byte_size=len(content),
                content_sha256=hashlib.sha256(content.encode()).hexdigest(),
                blob_key="",
                collection=DEFAULT_COLLECTION,
                external_id=external_id,
            ),
        )
    document = received.document
    work = await open_version(
        engine.database,
        engine.blobs,
        workspace_id=workspace.workspace_id,
        document_id=document.document_id,
        version=document.version,
        lane=engine.lane,
        limits=engine.maintenance_limits,
    )
    assert work is not None, "nobody else works on it"
    hashes = tuple(hashlib.md5(text.encode()).digest() for text in ready.texts)
    await work.keep_vectors(hashes, ready.vectors)
    about_hash = None
    if ready.about_vector is not None:
        about_hash = hashlib.md5(f"about {content}".encode()).digest()
        await work.keep_vectors([about_hash], ready.about_vector[None, :])
    published = await work.publish(
        Publication(
            canonical_text=content,
            page_count=None,
            enrichment=Enrichment(
                title=ready.title,
                language=ready.language,
                document_class=DocumentClass.GENERIC,
                keywords=(),
                sections=(),
                summary="",
            ),
            metadata={},
            chunks=_chunks(ready.texts),
            text_hashes=hashes,
            chunk_terms=ChunkTerms.of(work.term_ids(terms) for terms in ready.terms),
            document_hash=about_hash,
            document_terms=work.document_term_ids(ready.about_terms),
        )
    )
    assert published, "nobody else replaces it"
    return document.document_id


def settle(engine: Engine) -> None:
    """Do at once what autovacuum would do within minutes of a bulk load."""
    with psycopg.connect(engine.owner_url, autocommit=True) as connection:
        connection.execute("SET search_path = footnote, public")
        connection.execute(f"VACUUM (ANALYZE) {', '.join(TABLES)}")


def table_sizes(engine: Engine) -> dict[str, float]:
    """Megabytes of each table with its indexes."""
    with psycopg.connect(engine.owner_url, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT name, pg_total_relation_size('footnote.' || name) FROM unnest(%s::text[]) name",
            [list(TABLES)],
        ).fetchall()
    return {name: round(size / 1024**2, 1) for name, size in rows}


def share_models(models: Path, home: Path) -> None:
    """Have an installation use the built models of a folder."""
    models.mkdir(parents=True, exist_ok=True)
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "models").exists():
        (home / "models").symlink_to(models.absolute())


def _chunks(texts: Sequence[str]) -> tuple[Chunk, ...]:
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
                # Ingestion looks before it publishes; else each search would.
                suspicious=False,
            )
        )
        start = end + 2
    return tuple(chunks)
