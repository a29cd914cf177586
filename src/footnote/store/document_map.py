"""Load the documents of a map with their metadata and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from psycopg import sql

from footnote.domain import DocumentClass, DocumentStatus
from footnote.index.bm25 import Numbers
from footnote.ports import Vectors
from footnote.store.conditions import Compiled
from footnote.store.database import WorkspaceScope
from footnote.store.listing import Listing, conditions_of, conjunction
from footnote.store.sealing import KEYWORDS, TITLE
from footnote.store.statements import load_statements
from footnote.store.vector_cache import unpack_vectors

_SQL = load_statements("document_map")


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedDocument:
    """A document that has a vector."""

    document_id: UUID
    title: str
    keywords: tuple[str, ...]
    collection: str
    document_class: DocumentClass
    status: DocumentStatus
    tags: tuple[str, ...]
    language: str | None
    number: int
    """Number of its first chunk, unique to this version of this document."""
    chosen: bool
    """Whether it matches the filters of the map."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedDocuments:
    """The documents of a map."""

    lane_id: int | None
    """None where the workspace has no vectors yet."""
    documents: tuple[MappedDocument, ...]
    """By ascending number."""
    total: int
    """Number of documents that match the filters, with a vector or without."""
    embedded: int
    """Number of these that have a vector."""


async def load_documents(
    scope: WorkspaceScope, lane_id: int | None, listing: Listing, *, most: int
) -> MappedDocuments:
    """Load the visible documents that have a vector, at most `most` of them.

    If there are more, those that match the listing come first, then the latest published. Raises
    InvalidRequest for an invalid condition.
    """
    narrowed = conjunction((await conditions_of(scope, listing)).values())
    counted = await scope.single(
        sql.SQL(_SQL["counts"]).format(conditions=narrowed.text),
        {**narrowed.parameters, "lane_id": lane_id},
    )
    statement = rows_statement(narrowed)
    rows = await scope.all(
        sql.Composed([statement.text]),
        {**statement.parameters, "lane_id": lane_id, "most": most},
    )
    sealing = scope.sealing
    return MappedDocuments(
        lane_id=lane_id,
        documents=tuple(
            MappedDocument(
                document_id=document_id,
                title=sealing.plain_text(TITLE.of(document_id), row["title"]),
                keywords=tuple(sealing.plain_words(KEYWORDS.of(document_id), row["keywords"])),
                collection=row["collection"],
                document_class=DocumentClass(row["document_class"]),
                status=DocumentStatus(row["status"]),
                tags=tuple(row["tags"]),
                language=row["language"],
                number=row["first_chunk"],
                chosen=row["chosen"],
            )
            for row in sorted(rows, key=lambda row: int(row["first_chunk"]))
            for document_id in [row["document_id"]]
        ),
        total=counted["total"],
        embedded=counted["embedded"],
    )


def rows_statement(narrowed: Compiled) -> Compiled:
    """Return the query of a map's documents, with parameters but for the lane and the limit."""
    text = sql.SQL(_SQL["rows"]).format(conditions=narrowed.text)
    return Compiled(text, narrowed.parameters)


async def load_vectors(
    scope: WorkspaceScope, lane_id: int, numbers: Sequence[int]
) -> tuple[Numbers, Vectors]:
    """Load the vectors of the visible documents, by ascending number."""
    row = await scope.one(
        _SQL["vectors"], {"lane_id": lane_id, "numbers": list(numbers)}, binary=True
    )
    if row is None or row["numbers"] is None:
        return np.zeros(0, np.int32), np.zeros((0, 0), np.float32)
    embedded = np.frombuffer(row["numbers"], dtype=">i4").astype(np.int32)
    return embedded, unpack_vectors(row["vectors"])
