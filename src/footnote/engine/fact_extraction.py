"""Extracts the facts of published documents, one document in one transaction."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

import numpy as np

from footnote.domain import Lane, Passage
from footnote.domain.facts import ExtractedFact, FactKind
from footnote.engine.configuration import configuration_of
from footnote.engine.lanes import embedder_of, lane_of_workspace
from footnote.engine.model_reading import (
    DocumentReader,
    ModelAway,
    Reading,
    fact_task,
    read_parts,
    reader_of,
)
from footnote.engine.services import Services, WorkspaceAccess, failure_reason
from footnote.errors import BudgetExceeded, StoreFull, StoreUnavailable
from footnote.knowledge.facts import (
    EXTRACTOR,
    MAX_FACTS,
    extract_facts,
    is_called_by_name,
    is_comparable,
    keys_of,
)
from footnote.knowledge.linking import form_keys
from footnote.knowledge.model_facts import KINDS
from footnote.knowledge.subject_numbers import SubjectNumber, distinguishing_number, subject_number
from footnote.knowledge.texts import DocumentText, blocks_of
from footnote.models.aligned import AlignedEncoder
from footnote.ports import Embedder, Vectors
from footnote.settings import Settings, listed
from footnote.store.database import SYSTEM
from footnote.store.documents import published_text
from footnote.store.fact_storage import (
    ExtractedFacts,
    FactLocation,
    KeyedFact,
    store_facts,
)
from footnote.store.part_readings import drop_readings
from footnote.store.passages import passages_in_order
from footnote.store.reading_progress import PublishedVersion, note_failure

FACT_LANE = "fact"
ATTEMPTS = 3
"""Most attempts to extract the facts of one version."""
_MAX_CHARACTERS = 20_000_000
_MAX_PASSAGES = 1_000_000
_EMBEDDED_AT_ONCE = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class FactExtraction:
    """The fact extraction that a workspace asks for, and its models."""

    enabled: bool
    kinds: tuple[FactKind, ...]
    classes: tuple[str, ...]
    """Document classes to read; empty for all."""
    embedder: Embedder
    reader: DocumentReader | None = None
    """The language model that reads documents, too."""
    possible_reader: DocumentReader | None = None
    """The language model that could read, whether or not it is enabled."""

    @property
    def lane(self) -> Lane:
        """The lane of the facts' vectors, never compared with those of documents."""
        return fact_lane(self.embedder)

    @property
    def without_model(self) -> str:
        """Extractor id of facts found without a language model."""
        kinds = ",".join(sorted(self.kinds))
        return f"{EXTRACTOR}; {kinds}; {self.lane.fingerprint}"

    @property
    def extractor(self) -> str:
        """Extractor id of all facts; another one has every document read again."""
        return (
            self.without_model
            if self.reader is None
            else f"{self.without_model}; {self.reader.name}"
        )


def fact_lane(embedder: Embedder) -> Lane:
    """The lane of facts that an embedder fills."""
    return replace(embedder.lane, name=FACT_LANE)


async def extraction_of(workspace: WorkspaceAccess) -> FactExtraction:
    """The fact extraction that the settings of a workspace configure. Raises LaneMismatch."""
    engine = workspace.engine
    settings: Settings = (await configuration_of(workspace)).settings
    lane = await lane_of_workspace(engine, workspace.workspace_id)
    kinds = tuple(FactKind(kind) for kind in listed(settings.fact_kinds))
    reader = (
        None
        if engine.model is None or KINDS.isdisjoint(kinds)
        else reader_of(engine.model, fact_task(kinds))
    )
    return FactExtraction(
        enabled=settings.facts != "off",
        reader=reader if settings.facts == "model" else None,
        possible_reader=reader,
        kinds=kinds,
        classes=tuple(listed(settings.fact_classes)),
        embedder=await embedder_of(engine, lane),
    )


async def extract_document(
    engine: Services,
    workspace_id: UUID,
    pending: PublishedVersion,
    extraction: FactExtraction,
    is_late: Callable[[], bool] = lambda: False,
) -> None:
    """Extract and store the facts of one document; its failure is recorded for it alone.

    A language model reads it in a later call, once the facts found by rules are stored; if time
    runs out, the document stays pending. Raises what stops the work on all documents:
    StoreUnavailable, StoreFull, ModelAway and BudgetExceeded.
    """
    try:
        source = await _read_document(engine, workspace_id, pending)
        store = partial(_store_facts, engine, workspace_id, pending, extraction, source)
        rules_done = pending.read_by in (extraction.without_model, extraction.extractor)
        if extraction.reader is None or source is None:
            await store(extractor=extraction.extractor)
        elif not rules_done:
            await store(extractor=extraction.without_model)
        else:
            reading = await read_parts(
                engine,
                workspace_id,
                pending,
                source.document,
                source.passages,
                reader=extraction.reader,
                is_late=is_late,
            )
            if reading is not None:
                await store(extractor=extraction.extractor, reading=reading)
    except (StoreUnavailable, StoreFull, ModelAway, BudgetExceeded):
        raise
    except Exception as error:
        reason = failure_reason(
            error, "fact_extraction_failed", document_id=str(pending.document_id)
        )
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await note_failure(scope, "facts", pending, extraction.extractor, reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadDocument:
    """A document that has a text."""

    document: DocumentText
    passages: tuple[Passage, ...]
    number: SubjectNumber | None
    """Number of the contract, policy … that the document is about."""
    short_number: str


async def _read_document(
    engine: Services, workspace_id: UUID, pending: PublishedVersion
) -> _ReadDocument | None:
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        text = await published_text(scope, pending.document_id, _MAX_CHARACTERS)
        passages = await passages_in_order(scope, pending.document_id, _MAX_PASSAGES)
    if text is None:
        return None
    document = DocumentText(
        text=text.text,
        title=pending.title,
        language=pending.language,
        blocks=blocks_of(passages),
    )
    number, short = await asyncio.to_thread(
        lambda: (subject_number(document), distinguishing_number(document))
    )
    return _ReadDocument(document=document, passages=passages, number=number, short_number=short)


async def _store_facts(
    engine: Services,
    workspace_id: UUID,
    pending: PublishedVersion,
    extraction: FactExtraction,
    source: _ReadDocument | None,
    *,
    extractor: str,
    reading: Reading | None = None,
) -> None:
    """Store the facts found by rules, and those of a model where it read the document."""

    def compute_facts() -> list[KeyedFact]:
        if source is None:
            return []
        by_rules = extract_facts(source.document, extraction.kinds)
        keyed = [_keyed(engine, source, fact) for fact in by_rules]
        keyed = [replace(fact, found_by=extraction.without_model) for fact in keyed]
        if reading is not None and extraction.reader is not None:
            reader_name = extraction.reader.name
            by_reader = [_keyed(engine, source, fact) for fact in reading.facts]
            keyed += [replace(fact, found_by=reader_name, by_model=True) for fact in by_reader]
        return keyed[:MAX_FACTS]

    keyed = await asyncio.to_thread(compute_facts)
    embedder = _embedder_of(extraction.embedder, pending.language)
    vectors = await _embed_facts(embedder, [keyed_fact.fact.embedded for keyed_fact in keyed])
    extracted = ExtractedFacts(
        extractor=extractor, lane=extraction.lane, facts=tuple(keyed), vectors=vectors
    )
    if reading is not None:
        extracted = replace(
            extracted,
            usage=reading.usage,
            left_out=reading.left_out,
            failure=reading.failure,
        )
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        await store_facts(scope, pending, extracted)
        if reading is not None:
            # A retry does not read finished parts again.
            finished_parts = {} if reading.failure is None else reading.parts
            await drop_readings(scope, "facts", pending, finished_parts)


def _keyed(engine: Services, source: _ReadDocument, fact: ExtractedFact) -> KeyedFact:
    document = source.document
    keys = keys_of(fact, document.title, source.number, source.short_number)
    forms = form_keys(fact.subject)
    if source.number is not None and not is_called_by_name(fact):
        fact = replace(fact, qualifiers={**fact.qualifiers, "identifier": source.number.written})
        forms = (*forms, *form_keys(source.number.written))
    return KeyedFact(
        fact=fact,
        quote=document.text[slice(*fact.quoted)],
        place=_fact_place(fact.quoted[0], source.passages),
        same=keys.same,
        merge=keys.merge,
        claim=keys.claim,
        value=keys.value,
        comparable=is_comparable(fact),
        subject_forms=tuple(dict.fromkeys(forms)),
        object_forms=form_keys(fact.object),
        terms=tuple(engine.analyzer.terms(fact.statement, document.language)),
    )


def _fact_place(start: int, passages: Sequence[Passage]) -> FactLocation:
    """Return the chunk, page and paragraph of a text offset; passages are in document order."""
    index = bisect_right(passages, start, key=lambda passage: passage.char_start) - 1
    # Passages overlap: the first that contains the offset begins earlier.
    while index > 0 and passages[index - 1].char_end > start:
        index -= 1
    passage = passages[max(index, 0)]
    span = next((span for span in passage.spans if span.char_start <= start < span.char_end), None)
    return FactLocation(
        ordinal=passage.ordinal,
        page=passage.page_start if span is None else span.page,
        paragraph=passage.paragraph_start if span is None else span.paragraph,
        headings=passage.heading_path,
    )


def _embedder_of(embedder: Embedder, language: str | None) -> Embedder:
    """Return the embedder of facts in the document's language, into the same vector space.

    The language detected from a short label alone is often wrong.
    """
    if isinstance(embedder, AlignedEncoder) and language == "en":
        return embedder.english
    return embedder


async def _embed_facts(embedder: Embedder, facts: Sequence[Sequence[str]]) -> Vectors:
    """Return the unit vector of each fact: the normalised mean of its texts' vectors.

    Equal texts are embedded once, in batches of similar length.
    """
    distinct = sorted(
        {text for texts in facts for text in texts}, key=lambda text: (len(text), text)
    )
    row_of = {text: row for row, text in enumerate(distinct)}
    vectors = np.zeros((len(distinct), embedder.lane.dimensions), np.float32)
    for start in range(0, len(distinct), _EMBEDDED_AT_ONCE):
        batch = distinct[start : start + _EMBEDDED_AT_ONCE]
        vectors[start : start + len(batch)] = await embedder.embed_documents(batch)
    fact_vectors = np.zeros((len(facts), embedder.lane.dimensions), np.float32)
    for row, texts in enumerate(facts):
        fact_vectors[row] = vectors[[row_of[text] for text in texts]].sum(axis=0)
    fact_vectors /= np.maximum(
        np.linalg.norm(fact_vectors, axis=1, keepdims=True), np.float32(1e-12)
    )
    return fact_vectors
