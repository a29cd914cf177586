"""Answer questions about many documents as a whole from the documents' summaries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from footnote.domain import Evidence, SearchResponse
from footnote.domain.summaries import SummarySentence
from footnote.engine.search import PreparedSearch, prepare_search, run_search
from footnote.engine.services import WorkspaceAccess
from footnote.engine.summarising import summariser_of
from footnote.knowledge.summaries import centralities, chosen
from footnote.models.aligned import AlignedEncoder
from footnote.models.global_questions import packaged_whole_questions
from footnote.ports import Vector
from footnote.store.passages import passages_at
from footnote.store.summaries import KeptSentence, kept_sentences

LEAST_DOCUMENTS = 2
"""Fewest summarised documents: a question on one document is not about the whole."""
_MOST_PASSAGES = 200
"""Most passages searched to find the documents in question."""
_SENTENCES, _OF_EACH = 8, 2
"""Most sentences of an answer, and of one document in it."""
_CONSIDERED = 1_000
"""Most sentences compared with each other: those nearest to the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """The evidence for an answer about many documents."""

    sentences: tuple[SummarySentence, ...]
    """Summary sentences, the most central to the question first."""
    evidence: tuple[Evidence, ...]
    """The passages that contain the sentences, in the same order."""
    documents: int
    """Number of documents whose summaries were read."""


async def whole_of(
    workspace: WorkspaceAccess, prepared: PreparedSearch, response: SearchResponse
) -> Whole | None:
    """Return what documents together say about the question; None for any other question.

    The documents are those that the question finds, within its filters and as far as the principal
    may see them. None, too, where the workspace is not served by the packaged embedding models.
    Raises what a search raises.
    """
    embedder = prepared.serving.embedder
    if not isinstance(embedder, AlignedEncoder):
        return None
    question = response.standalone_question or response.corrected_query or response.query
    if not await packaged_whole_questions().recognises(embedder.multilingual, question):
        return None
    broad = replace(prepared.request, query=question, conversation=(), top_k=_MOST_PASSAGES)
    _, found = await run_search(workspace, await prepare_search(workspace, broad))
    document_ids = list(dict.fromkeys(each.passage.document_id for each in found.evidence))
    vector = await embedder.embed_query(question)
    async with workspace.scope() as scope:
        kept = await kept_sentences(scope, summariser_of(embedder), document_ids)
        documents = len({each.sentence.document_id for each in kept})
        if documents < LEAST_DOCUMENTS:
            return None
        turned = scope.sealing.vectors(vector[None])[0]
        best = await asyncio.to_thread(telling, kept, turned)
        passages = await passages_at(scope, [(each.document_id, each.char_start) for each in best])
    trusted = [each for each in passages if not each.suspicious]
    if not trusted:
        return None
    evidence = tuple(
        Evidence(passage=each, rank=rank, score=0.0) for rank, each in enumerate(trusted, 1)
    )
    return Whole(sentences=tuple(best), evidence=evidence, documents=documents)


def telling(kept: Sequence[KeptSentence], question: Vector) -> list[SummarySentence]:
    """Return the sentences most central to the question, best first.

    `question` is a vector in the space of theirs.
    """
    vectors = np.stack([each.vector for each in kept]).astype(np.float32)
    near = vectors @ question
    nearest = np.argsort(-near, kind="stable")[:_CONSIDERED]
    numbers = {each.sentence.document_id: number for number, each in enumerate(kept)}
    weights = centralities(vectors[nearest], near[nearest])
    found = chosen(
        vectors[nearest],
        weights,
        _SENTENCES,
        owners=[numbers[kept[each].sentence.document_id] for each in nearest],
        of_each=_OF_EACH,
    )
    return [kept[nearest[each]].sentence for each in found]
