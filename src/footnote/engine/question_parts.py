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

LEAST_PASSAGES = 3
"""Fewest passages kept for each part, however many parts there are."""


async def searched_by_part(
    workspace: WorkspaceAccess, prepared: PreparedSearch, response: SearchResponse
) -> tuple[SearchResponse, tuple[Part, ...]]:
    """Search for each part of a question; return the merged response and the parts.

    Merged, there is about as much evidence as before. A question with one part, or without a reader
    to split it, keeps its response and has no parts. Raises what `run_search` raises.
    """
    reader, meant = workspace.engine.reader, response.standalone_question or response.query
    try:
        told = () if reader is None else await reader.decompose(meant)
    except ModelUnavailable:
        return response, ()  # The next call of the model reports that it is unavailable.
    questions = list(dict.fromkeys(each[:MAX_QUERY_CHARACTERS] for each in told))
    if len(questions) < 2:
        return response, ()
    requests = [
        replace(prepared.request, query=each, top_k=prepared.asked.top_k, conversation=())
        for each in questions
    ]
    try:
        searches = [await prepare_search(workspace, each) for each in requests]
    except InvalidRequest:
        return response, ()  # A part is no query by itself, such as one that only excludes words.
    found = [
        each for _, each in await asyncio.gather(*(run_search(workspace, one) for one in searches))
    ]
    most = max(LEAST_PASSAGES, -(-prepared.asked.top_k // len(found)))
    merged = _in_turn([each.evidence[:most] for each in found])
    held = {each.passage.chunk_id: each for each in merged}
    parts = tuple(
        Part(
            question=each.corrected_query or each.query,
            evidence=[held[one.passage.chunk_id] for one in each.evidence[:most]],
        )
        for each in found
    )
    searched = dict.fromkeys((*response.searched, *(each.question for each in parts)))
    notes = dict.fromkeys(note for each in (response, *found) for note in each.degraded)
    together = replace(
        response,
        evidence=merged,
        searched=tuple(each for each in searched if each != response.query),
        confidence=max(each.confidence for each in (response, *found)),
        degraded=tuple(notes),
    )
    return together, parts


def _in_turn(rankings: Sequence[Sequence[Evidence]]) -> tuple[Evidence, ...]:
    """Interleave rankings round-robin, each passage once."""
    found: dict[str, Evidence] = {}
    for place in range(max(map(len, rankings), default=0)):
        for ranking in rankings:
            for each in ranking[place : place + 1]:
                found.setdefault(each.passage.chunk_id, each)
    return tuple(replace(each, rank=rank) for rank, each in enumerate(found.values(), 1))
