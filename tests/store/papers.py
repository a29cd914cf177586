"""Documents with every field a filter looks at, laid into the tables without being ingested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from uuid import UUID, uuid4

import psycopg
from psycopg.types.json import Jsonb
from psycopg.types.range import Range

from footnote.domain import LOCAL_PRINCIPAL, BlockKind, MetadataValue
from footnote.store.database import Database

_LAY_DOCUMENT = """
INSERT INTO documents (
    workspace_id, document_id, collection, external_id, parent_id, filename, title, media_type,
    source_type, byte_size, content_sha256, status, stage, version, published_version, chunks,
    language, document_class, page_count, dates, metadata, tags, keywords, access, created_by,
    created_at, updated_at
) VALUES (
    %(workspace_id)s, %(document_id)s, %(collection)s, %(external_id)s, %(parent_id)s,
    %(filename)s, %(title)s, %(media_type)s, %(source_type)s, %(size)s, %(sha256)s, 'indexed',
    'publish', 1, 1, %(chunks)s, %(language)s, %(document_class)s, %(page_count)s, %(dates)s,
    %(metadata)s, %(tags)s, %(keywords)s, %(access)s, 'local', %(created_at)s, %(updated_at)s
)
"""
_LAY_CHUNK = """
INSERT INTO chunks (
    workspace_id, chunk_no, document_id, version, ordinal, kind, text, body_offset, char_start,
    char_end, spans, heading_path, paragraph_start, paragraph_end, token_count
) VALUES (
    %(workspace_id)s, %(chunk_no)s, %(document_id)s, 1, %(ordinal)s, %(kind)s, 'x', 0, 0, 1,
    '[]', '{}', 1, 1, 1
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """One published document."""

    document_id: UUID = field(default_factory=uuid4)
    collection: str = "default"
    external_id: str | None = None
    parent_id: UUID | None = None
    filename: str = "paper.txt"
    title: str = "Paper"
    media_type: str = "text/plain"
    source_type: str = "upload"
    size: int = 10
    language: str | None = None
    document_class: str = "generic"
    page_count: int | None = None
    dates: tuple[str, ...] = ()
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    access: tuple[str, ...] | None = None
    created_at: datetime = datetime(2024, 1, 1, tzinfo=UTC)
    updated_at: datetime = datetime(2024, 1, 1, tzinfo=UTC)
    kinds: tuple[BlockKind, ...] = (BlockKind.PARAGRAPH,)
    """One chunk of each; without any the paper is not published."""


async def lay(
    database: Database, workspace_id: UUID, papers: Sequence[Paper], first_chunk: int = 0
) -> None:
    """Put the papers into a workspace; their chunks count on from `first_chunk`."""
    async with database.workspace(workspace_id, LOCAL_PRINCIPAL) as scope:
        for collection in sorted({paper.collection for paper in papers}):
            await scope.execute(
                "INSERT INTO collections (workspace_id, name)"
                " VALUES (%(workspace_id)s, %(name)s) ON CONFLICT DO NOTHING",
                {"name": collection},
            )
        next_chunk = first_chunk
        for paper in papers:
            chunks = range(next_chunk, next_chunk + len(paper.kinds))
            next_chunk = chunks.stop
            await scope.execute(_LAY_DOCUMENT, _row(paper, chunks))
            await scope.execute_many(
                _LAY_CHUNK,
                (
                    {
                        "chunk_no": number,
                        "document_id": paper.document_id,
                        "ordinal": ordinal,
                        "kind": kind.value,
                    }
                    for ordinal, (number, kind) in enumerate(zip(chunks, paper.kinds, strict=True))
                ),
            )


def lay_many(superuser_url: str, workspace_id: UUID, count: int) -> None:
    """Lay so many plain documents at once, numbered, as no test has the time to hand them in."""
    with psycopg.connect(superuser_url) as connection:
        connection.execute("SET LOCAL search_path = footnote, public")
        # Nobody is told of each.
        connection.execute("SET LOCAL session_replication_role = replica")
        connection.execute(
            "INSERT INTO collections (workspace_id, name) SELECT %s, 'shelf-' || number"
            " FROM generate_series(0, 4) AS number ON CONFLICT DO NOTHING",
            [workspace_id],
        )
        connection.execute(_LAY_MANY, {"workspace_id": workspace_id, "count": count})


_LAY_MANY = """
INSERT INTO documents (
    workspace_id, document_id, collection, filename, title, media_type, source_type, byte_size,
    content_sha256, status, stage, failure, version, published_version, document_class,
    page_count, tags, created_by, created_at, updated_at
)
SELECT %(workspace_id)s, gen_random_uuid(), 'shelf-' || number %% 5,
    'report-' || lpad(number::text, 5, '0') || '.pdf',
    'Report ' || lpad(((number * 7919) %% 100003)::text, 6, '0'), 'application/pdf', 'upload',
    1000 + (number * 104729) %% 1000003, sha256(number::text::bytea),
    CASE WHEN number %% 100 = 0 THEN 'failed' ELSE 'indexed' END,
    CASE WHEN number %% 100 = 0 THEN 'parse' ELSE 'publish' END,
    CASE WHEN number %% 100 = 0 THEN jsonb_build_object(
        'stage', 'parse', 'cause', 'the file is damaged', 'advice', 'hand it in again',
        'retryable', false
    ) END,
    1, CASE WHEN number %% 100 = 0 THEN NULL ELSE 1 END,
    CASE WHEN number %% 4 = 0 THEN 'policy' ELSE 'report' END, nullif(number %% 50, 0),
    CASE WHEN number %% 10 = 0 THEN ARRAY['audited'] ELSE '{}' END, 'local',
    '2024-01-01T00:00:00Z'::timestamptz + number * interval '1 minute',
    '2024-01-01T00:00:00Z'
FROM generate_series(1, %(count)s) AS number
"""


def _row(paper: Paper, chunks: range) -> dict[str, object]:
    return asdict(paper) | {
        "sha256": bytes(32),
        "chunks": Range(chunks.start, chunks.stop),
        "dates": list(paper.dates),
        "metadata": Jsonb(dict(paper.metadata)),
        "tags": list(paper.tags),
        "keywords": list(paper.keywords),
        "access": None if paper.access is None else list(paper.access),
    }
