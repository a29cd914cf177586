"""Search for each part of a question that asks for several things."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from footnote.answering.sub_questions import Part
from footnote.domain import Evidence, SearchResponse
from footnote.engine.search import PreparedSearch, prepare_search, run_search
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest, ModelUnavailable
from footnote.retrieval.query import MAX_QUERY_CHARACTERS

MIN_PASSAGES = 3
"""Fewest passages kept for each part, however many parts there are."""


async def searched_by_part(
    workspace: WorkspaceAccess, prepared: PreparedSearch, response: SearchResponse
) -> tuple[SearchResponse, tuple[Part, ...]]:
    """Search for each part of a question; return the merged response and the parts.

    Merged, there is about as much evidence as before. A question with one part, or without a reader
    to split it, keeps its response and has no parts. Raises what `run_search` raises.
    """
    reader, full_question = workspace.engine.reader, response.standalone_question or response.query
    try:
        sub_questions = () if reader is None else await reader.decompose(full_question)
    except ModelUnavailable:
        return response, ()  # The next call of the model reports that it is unavailable.
    questions = list(
        dict.fromkeys(sub_question[:MAX_QUERY_CHARACTERS] for sub_question in sub_questions)
    )
    if len(questions) < 2:
        return response, ()
    requests = [
        replace(prepared.request, query=question, top_k=prepared.asked.top_k, conversation=())
        for question in questions
    ]
    try:
        searches = [await prepare_search(workspace, request) for request in requests]
    except InvalidRequest:
        return response, ()  # A part is no query by itself, such as one that only excludes words.
    results = [
        result
        for _, result in await asyncio.gather(
            *(run_search(workspace, search) for search in searches)
        )
    ]
    limit = max(MIN_PASSAGES, -(-prepared.asked.top_k // len(results)))
    merged = _interleaved([result.evidence[:limit] for result in results])
    merged_hits = {hit.passage.chunk_id: hit for hit in merged}
    parts = tuple(
        Part(
            question=result.corrected_query or result.query,
            evidence=[merged_hits[hit.passage.chunk_id] for hit in result.evidence[:limit]],
        )
        for result in results
    )
    searched = dict.fromkeys((*response.searched, *(part.question for part in parts)))
    notes = dict.fromkeys(note for result in (response, *results) for note in result.degraded)
    together = replace(
        response,
        evidence=merged,
        searched=tuple(query for query in searched if query != response.query),
        confidence=max(result.confidence for result in (response, *results)),
        degraded=tuple(notes),
    )
    return together, parts


def _interleaved(rankings: Sequence[Sequence[Evidence]]) -> tuple[Evidence, ...]:
    """Interleave rankings round-robin, each passage once."""
    hits: dict[str, Evidence] = {}
    for position in range(max(map(len, rankings), default=0)):
        for ranking in rankings:
            for hit in ranking[position : position + 1]:
                hits.setdefault(hit.passage.chunk_id, hit)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits.values(), 1))
