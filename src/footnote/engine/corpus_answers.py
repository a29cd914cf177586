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
from footnote.knowledge.summaries import centralities, select_sentences
from footnote.models.aligned import AlignedEncoder
from footnote.models.global_questions import packaged_global_questions
from footnote.ports import Vector
from footnote.store.passages import passages_at
from footnote.store.summaries import StoredSentence, stored_sentences

MIN_DOCUMENTS = 2
"""Fewest summarised documents: a question on one document is not about the whole."""
_MAX_PASSAGES = 200
"""Most passages searched to find the documents in question."""
_SENTENCES, _OF_EACH = 8, 2
"""Most sentences of an answer, and of one document in it."""
_CONSIDERED = 1_000
"""Most sentences compared with each other: those nearest to the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusEvidence:
    """The evidence for an answer about many documents."""

    sentences: tuple[SummarySentence, ...]
    """Summary sentences, the most central to the question first."""
    evidence: tuple[Evidence, ...]
    """The passages that contain the sentences, in the same order."""
    documents: int
    """Number of documents whose summaries were read."""


async def corpus_evidence(
    workspace: WorkspaceAccess, prepared: PreparedSearch, response: SearchResponse
) -> CorpusEvidence | None:
    """Return what documents together say about the question; None for any other question.

    The documents are those that the question finds, within its filters and as far as the principal
    may see them. None, too, where the workspace is not served by the packaged embedding models.
    Raises what a search raises.
    """
    embedder = prepared.serving.embedder
    if not isinstance(embedder, AlignedEncoder):
        return None
    question = response.standalone_question or response.corrected_query or response.query
    if not await packaged_global_questions().recognises(embedder.multilingual, question):
        return None
    broad = replace(prepared.request, query=question, conversation=(), top_k=_MAX_PASSAGES)
    _, broad_response = await run_search(workspace, await prepare_search(workspace, broad))
    document_ids = list(dict.fromkeys(hit.passage.document_id for hit in broad_response.evidence))
    vector = await embedder.embed_query(question)
    async with workspace.scope() as scope:
        sentences = await stored_sentences(scope, summariser_of(embedder), document_ids)
        documents = len({sentence.sentence.document_id for sentence in sentences})
        if documents < MIN_DOCUMENTS:
            return None
        sealed_vector = scope.sealing.vectors(vector[None])[0]
        central = await asyncio.to_thread(telling, sentences, sealed_vector)
        passages = await passages_at(
            scope, [(sentence.document_id, sentence.char_start) for sentence in central]
        )
    trusted = [passage for passage in passages if not passage.suspicious]
    if not trusted:
        return None
    evidence = tuple(
        Evidence(passage=passage, rank=rank, score=0.0) for rank, passage in enumerate(trusted, 1)
    )
    return CorpusEvidence(sentences=tuple(central), evidence=evidence, documents=documents)


def telling(sentences: Sequence[StoredSentence], question: Vector) -> list[SummarySentence]:
    """Return the sentences most central to the question, best first.

    `question` is a vector in the space of theirs.
    """
    vectors = np.stack([sentence.vector for sentence in sentences]).astype(np.float32)
    similarities = vectors @ question
    nearest = np.argsort(-similarities, kind="stable")[:_CONSIDERED]
    numbers = {sentence.sentence.document_id: number for number, sentence in enumerate(sentences)}
    weights = centralities(vectors[nearest], similarities[nearest])
    indices = select_sentences(
        vectors[nearest],
        weights,
        _SENTENCES,
        owners=[numbers[sentences[index].sentence.document_id] for index in nearest],
        of_each=_OF_EACH,
    )
    return [sentences[nearest[index]].sentence for index in indices]
