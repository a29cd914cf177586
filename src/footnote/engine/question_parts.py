"""Searches for each of the things that a question asks for."""

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
"""Of each part, however many there are."""


async def searched_by_part(
    workspace: WorkspaceAccess, prepared: PreparedSearch, response: SearchResponse
) -> tuple[SearchResponse, tuple[Part, ...]]:
    """What was found for each part of the question, and all of it in place of what was found.

    Together it is about as much as the search gave. A question for one thing has no parts, nor has
    any where no reader tells. Raises what `run_search` raises.
    """
    reader, meant = workspace.engine.reader, response.standalone_question or response.query
    try:
        told = () if reader is None else await reader.decompose(meant)
    except ModelUnavailable:
        return response, ()  # What reads next, or judges, says that it is away.
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
    """The passages of several rankings, each once: all first ones, then all second ones."""
    found: dict[str, Evidence] = {}
    for place in range(max(map(len, rankings), default=0)):
        for ranking in rankings:
            for each in ranking[place : place + 1]:
                found.setdefault(each.passage.chunk_id, each)
    return tuple(replace(each, rank=rank) for rank, each in enumerate(found.values(), 1))
