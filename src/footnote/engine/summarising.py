"""Summarise published documents, each in a transaction of its own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from footnote.domain import Passage
from footnote.domain.summaries import SummarySentence
from footnote.engine.configuration import configuration_of
from footnote.engine.lanes import embedder_of, lane_of_workspace
from footnote.engine.services import Services, WorkspaceAccess, failure_reason
from footnote.engine.summary_writing import SummaryWriter, write_summary, writer_of
from footnote.errors import StoreFull, StoreUnavailable
from footnote.knowledge.summaries import (
    SENTENCES_PER_DOCUMENT,
    SUMMARISER,
    Sentence,
    candidates_of,
    centralities,
    select_sentences,
)
from footnote.knowledge.texts import DocumentText, blocks_of
from footnote.ports import Embedder, Vectors
from footnote.store.database import SYSTEM
from footnote.store.documents import published_text
from footnote.store.passages import passages_in_order
from footnote.store.summaries import (
    NewSentence,
    UnsummarisedDocument,
    note_summary_failure,
    store_summary,
)
from footnote.store.written_summaries import store_written_summary

ATTEMPTS = 3
"""Most attempts to summarise one version."""
_MAX_CHARACTERS = 20_000_000
_MAX_PASSAGES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarising:
    """Whether a workspace wants summaries, and the models that make them."""

    enabled: bool
    embedder: Embedder
    writer: SummaryWriter | None = None
    """The language model that also writes summaries; None if it is not used."""
    possible_writer: SummaryWriter | None = None
    """The language model available for summaries, used or not."""

    @property
    def summariser(self) -> str:
        """The identifier stored with summaries; a change makes every document due again."""
        return summariser_of(self.embedder)


def summariser_of(embedder: Embedder) -> str:
    """Return the identifier of summaries made from the vectors of an embedder."""
    return f"{SUMMARISER}; {embedder.lane.fingerprint}"


async def summarising_of(workspace: WorkspaceAccess) -> Summarising:
    """Read from the settings how a workspace is summarised. Raises LaneMismatch."""
    engine = workspace.engine
    settings = (await configuration_of(workspace)).settings
    lane = await lane_of_workspace(engine, workspace.workspace_id)
    writer = None if engine.model is None else writer_of(engine.model)
    return Summarising(
        enabled=settings.summaries != "off",
        embedder=await embedder_of(engine, lane),
        writer=writer if settings.summaries == "model" else None,
        possible_writer=writer,
    )


async def summarise_document(
    engine: Services, workspace_id: UUID, document: UnsummarisedDocument, summarising: Summarising
) -> None:
    """Store the most central sentences of a document; an unreadable one fails alone.

    Raises StoreUnavailable and StoreFull, which end the whole run.
    """
    try:
        text, _ = await read_document(engine, workspace_id, document)
        candidates = await asyncio.to_thread(candidates_of, text, (text.title, *document.keywords))
        sentences, vectors = await _summarised(summarising.embedder, text, candidates)
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await store_summary(scope, document, summarising.summariser, sentences, vectors)
    except (StoreUnavailable, StoreFull):
        raise
    except Exception as error:
        reason = failure_reason(error, "summarising_failed", document_id=str(document.document_id))
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await note_summary_failure(scope, document, summarising.summariser, reason)


async def read_document(
    engine: Services, workspace_id: UUID, document: UnsummarisedDocument
) -> tuple[DocumentText, tuple[Passage, ...]]:
    """Read the published text of a document, and its passages."""
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        text = await published_text(scope, document.document_id, _MAX_CHARACTERS)
        passages = await passages_in_order(scope, document.document_id, _MAX_PASSAGES)
    document_text = DocumentText(
        text="" if text is None else text.text,
        title=document.title,
        language=document.language,
        blocks=() if text is None else blocks_of(passages),
    )
    return document_text, passages


async def _summarised(
    embedder: Embedder, text: DocumentText, candidates: list[Sentence]
) -> tuple[list[NewSentence], Vectors]:
    """Return the sentences to store, and their unit-length vectors."""
    if not candidates:
        return [], np.zeros((0, embedder.lane.dimensions), np.float32)
    embedded = await embedder.embed_documents(
        [text.text[candidate.start : candidate.end] for candidate in candidates]
    )
    lengths = np.linalg.norm(embedded, axis=1, keepdims=True)
    vectors: Vectors = (embedded / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    weights = centralities(vectors)
    selected = select_sentences(vectors, weights, SENTENCES_PER_DOCUMENT)
    sentences = [
        NewSentence(
            start=candidates[index].start,
            end=candidates[index].end,
            text=text.text[candidates[index].start : candidates[index].end],
            weight=float(weights[index]),
        )
        for index in selected
    ]
    return sentences, vectors[selected]


async def write_document(
    workspace: WorkspaceAccess, document: UnsummarisedDocument, writer: SummaryWriter
) -> str | None:
    """Have a model summarise a document from its sentences; return why it failed, or None.

    A written sentence is kept if the sentences that it cites support it. Sentences with suspected
    prompt injection are not sent. Raises BudgetExceeded before the model is called.
    """
    engine = workspace.engine
    text, passages = await read_document(engine, workspace.workspace_id, document)
    candidates = await asyncio.to_thread(candidates_of, text, (text.title, *document.keywords))
    injections = [
        (passage.char_start, passage.char_end) for passage in passages if passage.suspicious
    ]
    sentences = [
        SummarySentence(
            text=text.text[candidate.start : candidate.end],
            document_id=document.document_id,
            version=document.version,
            document_title=document.title,
            char_start=candidate.start,
            char_end=candidate.end,
        )
        for candidate in candidates
        if not any(start < candidate.end and candidate.start < end for start, end in injections)
    ]
    writing = await write_summary(workspace, writer, sentences)
    async with engine.database.workspace(workspace.workspace_id, SYSTEM) as scope:
        await store_written_summary(scope, document, writer.name, writing)
    return writing.failure
