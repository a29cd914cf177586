"""Have a language model read a version in parts, as far as time and budget allow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypedDict
from uuid import UUID

from footnote.domain import Passage, Usage
from footnote.domain.facts import ExtractedFact, FactKind
from footnote.domain.usage import ReadingUse, UsageKind, UsageNote
from footnote.engine.services import Services, WorkspaceAccess
from footnote.errors import ModelUnavailable
from footnote.knowledge import model_facts, model_names
from footnote.knowledge.prompt_passages import (
    PASSAGE_CHARACTERS,
    PASSAGES_PER_PROMPT,
    PromptPassage,
    batches_of,
    passages_of,
    prompt_of,
)
from footnote.knowledge.texts import DocumentText
from footnote.models.counting import estimate_tokens
from footnote.ports import NamedSpan
from footnote.ports.metering import watching_use
from footnote.store.database import SYSTEM
from footnote.store.part_readings import (
    PartReading,
    ReadFor,
    readings_of,
    store_reading,
)
from footnote.store.queue import entities_enqueued, facts_enqueued
from footnote.store.reading_progress import (
    Extracted,
    Failure,
    PublishedVersion,
    count_read,
    reading_failures,
    unread_bytes,
)
from footnote.telemetry.prices import Prices

if TYPE_CHECKING:
    # It brings the client libraries of an extra.
    from footnote.models.writing import WritingModel

MIN_SECONDS, MIN_TOKENS = 120.0, 4_096
"""Least timeout (seconds) and output limit (tokens) for one reply: it runs in the background, and a
reply on five passages is long."""
PART_ATTEMPTS = 3
_FAILURES_SHOWN = 10
_RUNNING = {"entities": entities_enqueued, "facts": facts_enqueued}
_BYTES_OF_A_TOKEN = 4
_FILLED = 0.75
"""Average fill of a passage, as sentences are not split."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartReply:
    """What a reply found in a part, as far as the text has it."""

    facts: tuple[ExtractedFact, ...] = ()
    names: tuple[NamedSpan, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingTask:
    """What a model reads documents for."""

    read_for: ReadFor
    instructions: str
    prompt_version: str
    tokens_written_a_passage: int
    found_in: Callable[[str, DocumentText, Sequence[PromptPassage]], PartReply | None]
    """What a reply says; None for one that is no list."""


def fact_task(kinds: Sequence[FactKind]) -> ReadingTask:
    """Reading for facts of these kinds."""

    def found_in(
        reply: str, document: DocumentText, batch: Sequence[PromptPassage]
    ) -> PartReply | None:
        parsed = model_facts.facts_of_reply(reply, document, batch, kinds)
        if parsed is None:
            return None
        return PartReply(facts=parsed.facts, left_out=parsed.said - len(parsed.facts))

    return ReadingTask(
        read_for="facts",
        instructions=model_facts.INSTRUCTIONS,
        prompt_version=model_facts.PROMPT_VERSION,
        tokens_written_a_passage=model_facts.TOKENS_WRITTEN_A_PASSAGE,
        found_in=found_in,
    )


def _names_in(
    reply: str, document: DocumentText, batch: Sequence[PromptPassage]
) -> PartReply | None:
    parsed = model_names.names_of_reply(reply, document, batch)
    return None if parsed is None else PartReply(names=parsed.names, left_out=parsed.left_out)


NAME_TASK = ReadingTask(
    read_for="names",
    instructions=model_names.INSTRUCTIONS,
    prompt_version=model_names.PROMPT_VERSION,
    tokens_written_a_passage=model_names.TOKENS_WRITTEN_A_PASSAGE,
    found_in=_names_in,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReader:
    """A language model that reads documents for one thing."""

    model: WritingModel
    task: ReadingTask

    @property
    def name(self) -> str:
        """The model with the version of its prompt: another one reads everything again."""
        return f"{self.model.name}, prompt {self.task.prompt_version}"


class Extraction(Protocol):
    """One kind of extraction that a workspace asks for, and its models."""

    @property
    def enabled(self) -> bool:
        """Whether the extraction is enabled."""
        ...

    @property
    def classes(self) -> tuple[str, ...]:
        """Document classes to read; empty for all."""
        ...

    @property
    def reader(self) -> DocumentReader | None:
        """The language model that reads documents, too."""
        ...

    @property
    def possible_reader(self) -> DocumentReader | None:
        """The language model that could read, whether or not it is enabled."""
        ...

    @property
    def without_model(self) -> str:
        """Extractor id of results found without a language model."""
        ...

    @property
    def extractor(self) -> str:
        """Extractor id of all results; another one has every document read again."""
        ...


class Progress(TypedDict):
    """What the progress of each kind of reading says."""

    enabled: bool
    documents: int
    done: int
    failed: int
    running: bool
    oldest_waiting: datetime | None
    model: ReadingUse | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The result of reading a document, once all of its parts were tried."""

    facts: tuple[ExtractedFact, ...]
    names: tuple[NamedSpan, ...]
    parts: Mapping[int, PartReading]
    """The parts that were read, by number."""
    left_out: int
    usage: Usage
    failure: str | None
    """Why parts of it could not be read."""


class ModelAway(Exception):
    """The model failed; it is asked again in a while."""


def reader_of(model: WritingModel, task: ReadingTask) -> DocumentReader:
    """Return the reader of a task, with the timeout and output limit that it takes."""
    return DocumentReader(
        task=task,
        model=replace(
            model,
            timeout_seconds=max(model.timeout_seconds, MIN_SECONDS),
            max_output_tokens=max(model.max_output_tokens, MIN_TOKENS),
        ),
    )


async def read_parts(
    engine: Services,
    workspace_id: UUID,
    pending: PublishedVersion,
    document: DocumentText,
    passages: Sequence[Passage],
    *,
    reader: DocumentReader,
    is_late: Callable[[], bool],
) -> Reading | None:
    """Read a document with the model; None where time ran out before the end.

    Passages flagged as prompt injection are left out. Parts are read one at a time, so that a
    workspace has one request in flight. What was read before is not read again. Raises ModelAway,
    and BudgetExceeded before a request.
    """
    read_for = reader.task.read_for
    left_out = [
        (passage.char_start, passage.char_end) for passage in passages if passage.suspicious
    ]
    batches = batches_of(await asyncio.to_thread(passages_of, document, left_out))
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        parts = dict(await readings_of(scope, read_for, pending, reader.name))
    for number, batch in enumerate(batches):
        earlier = parts.get(number)
        if earlier is not None and (earlier.failure is None or earlier.attempts >= PART_ATTEMPTS):
            continue
        if is_late():
            return None
        await engine.metering.require_budget(workspace_id)
        reading = await _read_part(
            reader,
            document,
            batch,
            before=earlier,
            prices=engine.metering.prices,
        )
        parts[number] = reading
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await store_reading(scope, read_for, pending, number, reading)
        if reading.failure is not None:
            raise ModelAway(reading.failure)
    tried_parts = {number: parts[number] for number in range(len(batches)) if number in parts}
    failures = [part.failure for part in tried_parts.values() if part.failure is not None]
    return Reading(
        facts=tuple(fact for part in tried_parts.values() for fact in part.facts),
        names=tuple(name for part in tried_parts.values() for name in part.names),
        parts={number: part for number, part in tried_parts.items() if part.failure is None},
        left_out=sum(part.left_out for part in tried_parts.values()),
        usage=sum((part.usage for part in tried_parts.values()), Usage()),
        failure=f"{len(failures)} of {len(tried_parts)} parts could not be read by the model: "
        f"{failures[-1]}"
        if failures
        else None,
    )


async def _read_part(
    reader: DocumentReader,
    document: DocumentText,
    batch: Sequence[PromptPassage],
    *,
    before: PartReading | None,
    prices: Prices,
) -> PartReading:
    notes: list[UsageNote] = []
    failure: str | None = None
    part_found = None
    with watching_use(notes):
        try:
            reply = await reader.model(reader.task.instructions, prompt_of(document, batch))
        except ModelUnavailable as error:
            failure = error.with_hint
        else:
            part_found = await asyncio.to_thread(reader.task.found_in, reply, document, batch)
            if part_found is None:
                failure = f"{reader.model.name} wrote no list of {reader.task.read_for}"
    usage = (Usage() if before is None else before.usage) + prices.usage_of(notes)
    return PartReading(
        reader=reader.name,
        facts=() if part_found is None else part_found.facts,
        names=() if part_found is None else part_found.names,
        left_out=0 if part_found is None else part_found.left_out,
        usage=usage,
        failure=failure,
        attempts=1 if before is None else before.attempts + 1,
    )


def estimated_use(reader: DocumentReader, text_bytes: int) -> UsageNote:
    """About what the model will read and write for texts of so many bytes."""
    passages = -(-text_bytes // int(PASSAGE_CHARACTERS * _FILLED))
    batches = -(-passages // PASSAGES_PER_PROMPT)
    return UsageNote(
        kind=UsageKind.GENERATION,
        model=reader.model.name,
        requests=batches,
        input_tokens=text_bytes // _BYTES_OF_A_TOKEN
        + batches * estimate_tokens(reader.task.instructions),
        output_tokens=passages * reader.task.tokens_written_a_passage,
        units=batches,
    )


async def reading_progress(
    workspace: WorkspaceAccess,
    kind: Extracted,
    extraction: Extraction,
    record: type[Failure],
    *,
    with_model: bool = True,
) -> tuple[Progress, int, tuple[Failure, ...]]:
    """Return the progress of reading visible documents, the number found, and the failures.

    Without the model, what is left to it counts as read.
    """
    engine, classes = workspace.engine, extraction.classes
    reader = extraction.possible_reader if with_model else None
    read_by = {extraction.extractor} | (set() if with_model else {extraction.without_model})
    model: ReadingUse | None = None
    failures: tuple[Failure, ...] = ()
    async with workspace.scope() as scope:
        counts = await count_read(scope, kind, sorted(read_by), classes)
        if with_model:
            failures = await reading_failures(scope, kind, record, _FAILURES_SHOWN)
        if reader is not None:
            by_model = f"{extraction.without_model}; {reader.name}"
            unread = await unread_bytes(scope, kind, by_model, classes)
            estimate = estimated_use(reader, unread)
            model = ReadingUse(
                model=reader.model.name,
                enabled=extraction.reader is not None,
                input_tokens=counts.model_input_tokens,
                output_tokens=counts.model_output_tokens,
                cost_usd=counts.model_cost_usd,
                left_out=counts.left_out,
                remaining_input_tokens=estimate.input_tokens,
                remaining_output_tokens=estimate.output_tokens,
                remaining_cost_usd=engine.metering.prices.of(estimate),
            )
    async with workspace.system_scope() as scope:
        running = await _RUNNING[kind](scope)
    progress = Progress(
        enabled=extraction.enabled,
        documents=counts.documents,
        done=counts.done,
        failed=counts.failed,
        running=running and counts.oldest_waiting is not None,
        oldest_waiting=counts.oldest_waiting,
        model=model,
    )
    return progress, counts.found, failures
