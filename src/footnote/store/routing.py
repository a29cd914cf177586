"""Find the documents to search in: by their subject, and by names in the query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from psycopg.rows import DictRow

from footnote.domain import Hit, Publication, Stage
from footnote.errors import DocumentInterrupted
from footnote.index.bm25 import Numbers
from footnote.index.naming import NamedDocuments, name_terms, named_documents
from footnote.index.ranges import ChunkRanges
from footnote.index.routing import (
    DocumentTable,
    Matrix,
    document_terms,
    rank_documents,
)
from footnote.index.terms import term_ids
from footnote.ports import RecallRequest, RoutedDocument, Routes
from footnote.store.database import WorkspaceScope, execute_as_system
from footnote.store.index_cache import IndexCache, IndexState, Posting
from footnote.store.statements import load_statements
from footnote.store.vector_cache import unpack_vectors

_SQL = load_statements("routing")

_NUMBER = np.dtype(">i4")


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingRoutes:
    """The documents that a search can be routed to, and the terms to look up in them."""

    table: DocumentTable | None = None
    """None if the search is not routed."""
    terms: tuple[int, ...] = ()


async def replace_document_vector(
    scope: WorkspaceScope,
    parameters: Mapping[str, object],
    first_chunk: int,
    publication: Publication,
) -> None:
    """Store the document-level vector of this version; none if the publication has no hash for it.

    Raises DocumentInterrupted when the vector is missing; embedding again repairs that.
    """
    await scope.execute(_SQL["delete"], parameters)
    if publication.document_hash is None:
        return
    inserted = await scope.change(
        _SQL["insert"],
        {
            **parameters,
            "first": first_chunk,
            "end": first_chunk + len(publication.chunks),
            "length": len(publication.document_terms),
            "hash": scope.sealing.text_hash(publication.document_hash),
        },
    )
    if inserted != 1:
        raise DocumentInterrupted(
            stage=Stage.PUBLISH,
            cause="the vector of the document went missing before publication",
            advice="it is embedded again by itself",
        )


async def ask_routes(
    scope: WorkspaceScope,
    state: IndexState,
    cache: IndexCache,
    request: RecallRequest,
    terms: Sequence[str],
) -> PendingRoutes:
    """Return what a routed search of these terms needs; empty for any other search.

    The table of documents is read when the index has changed, and is cached until it changes again.
    """
    if request.route is None or state.lane_id is None:
        return PendingRoutes()
    table = await _table(scope, state, cache, state.lane_id)
    return PendingRoutes(
        table=table, terms=tuple(term_ids(state.lexical_key, document_terms(terms)))
    )


def routes_of(
    requested: PendingRoutes,
    postings: Mapping[int, Posting],
    visible: ChunkRanges,
    request: RecallRequest,
    recalled: Iterable[Hit],
) -> Routes | None:
    """Rank the documents of the recalled chunks; None if the search is not routed.

    `postings` are those of the requested terms, `visible` the chunks that both recalls searched.
    """
    if request.route is None or requested.table is None:
        return None
    table = requested.table
    if not table.firsts.size:
        return Routes(in_scope=0)
    ranking = rank_documents(table, visible, request.vector, postings)
    if ranking.in_scope <= request.route.threshold or not ranking.scores.any():
        return Routes(in_scope=ranking.in_scope)
    numbers = np.fromiter(dict.fromkeys(hit.chunk_no for hit in recalled), dtype=np.int32)
    positions = table.places_of(numbers)
    documents: dict[int, RoutedDocument] = {}
    by_chunk: dict[int, RoutedDocument] = {}
    for number, position in zip(numbers.tolist(), positions.tolist(), strict=True):
        if position >= 0 and ranking.ranks[position]:
            if position not in documents:
                similarities = ranking.similarities
                documents[position] = RoutedDocument(
                    rank=int(ranking.ranks[position]),
                    score=float(ranking.scores[position]),
                    chosen=0 < ranking.ranks[position] <= request.route.documents
                    and bool(ranking.scores[position]),
                    similarity=None if similarities is None else float(similarities[position]),
                    bm25=float(ranking.bm25[position]),
                )
            by_chunk[number] = documents[position]
    return Routes(in_scope=ranking.in_scope, documents=by_chunk)


async def _table(
    scope: WorkspaceScope, state: IndexState, cache: IndexCache, lane_id: int
) -> DocumentTable | None:
    """Return the documents at the state's generation; None if the index changed meanwhile."""
    cached = cache.documents(scope.workspace_id)
    if cached is not None and cached.lane_id != lane_id:
        cached = None
    if cached is not None and cached.generation == state.generation:
        return cached
    since = int(cached.firsts[-1]) + 1 if cached is not None and cached.firsts.size else 0
    row = await _documents(scope, lane_id, since)
    firsts = _numbers(row["firsts"])
    if cached is not None:
        # A long document may be published after shorter ones with higher chunk numbers.
        missed = np.setdiff1d(firsts[: np.searchsorted(firsts, since)], cached.firsts)
        if missed.size:
            since = int(missed[0])
            row = await _documents(scope, lane_id, since)
    table = DocumentTable(
        generation=row["generation"],
        lane_id=lane_id,
        firsts=firsts,
        ends=_numbers(row["ends"]),
        lengths=_numbers(row["lengths"]),
        vectors=_joined(cached, firsts[: np.searchsorted(firsts, since)], row["vectors"]),
    )
    if table.generation != state.generation:
        return None
    cache.keep_documents(scope.workspace_id, table)
    return table


async def _documents(scope: WorkspaceScope, lane_id: int, since: int) -> DictRow:
    """Read all documents, with the vectors of those from chunk number `since` on."""
    # Cached for every principal; each search applies its own visibility.
    cursor = await execute_as_system(scope, _SQL["documents"], {"lane_id": lane_id, "since": since})
    row = await cursor.fetchone()
    assert row is not None, "an aggregate has a row"
    return row


def _numbers(packed: bytes | None) -> Numbers:
    return np.frombuffer(packed or b"", dtype=_NUMBER).astype(np.int32)


def _joined(cached: DocumentTable | None, retained: Numbers, packed: bytes | None) -> Matrix:
    """Join the cached vectors of documents that still exist with those just read.

    The number of a first chunk is never reused.
    """
    rows: list[Matrix] = []
    if cached is not None:
        rows.append(cached.vectors[np.searchsorted(cached.firsts, retained)])
    if packed:
        rows.append(unpack_vectors(packed))
    return np.concatenate(rows) if rows else np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingNames:
    """The name terms to look up; the first is that of all documents with names."""

    terms: tuple[int, ...] = ()

    def named(self, postings: Mapping[int, Posting], visible: ChunkRanges) -> NamedDocuments | None:
        """Return the visible documents that the query names; None without any."""
        if not self.terms:
            return None
        named_postings = {term: postings[term] for term in self.terms}
        return named_documents(named_postings, self.terms[0], visible)


def ask_names(state: IndexState, request: RecallRequest, languages: Sequence[str]) -> PendingNames:
    """Return the name terms to look up for a query; empty without names, or if not requested."""
    names = () if request.names_of is None else request.names_of(languages)
    if not names:
        return PendingNames()
    return PendingNames(terms=tuple(term_ids(state.lexical_key, name_terms(names))))


def lacks_of(named: NamedDocuments | None, *recalled: Iterable[Hit]) -> Mapping[int, float]:
    """Return, by recalled chunk number, how far its document's name match is below the best, in
    nats.
    """
    if named is None:
        return {}
    numbers = np.array(sorted({hit.chunk_no for hits in recalled for hit in hits}), dtype=np.int32)
    return dict(zip(numbers.tolist(), named.lacks(numbers).tolist(), strict=True))
