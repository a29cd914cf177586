"""Has a language model read a version for facts, part by part, as far as time and budget allow."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import UUID

from footnote.domain import Usage
from footnote.domain.facts import ExtractedFact, FactKind
from footnote.domain.usage import UsageKind, UsageNote
from footnote.engine.services import Services
from footnote.errors import ModelUnavailable
from footnote.knowledge.model_facts import (
    INSTRUCTIONS,
    PASSAGE_CHARACTERS,
    PASSAGES_TOGETHER,
    PROMPT_VERSION,
    TOKENS_WRITTEN_A_PASSAGE,
    PromptPassage,
    batches_of,
    facts_of_reply,
    passages_of,
    prompt_of,
)
from footnote.knowledge.texts import DocumentText
from footnote.models.counting import estimate_tokens
from footnote.ports.metering import watching_use
from footnote.store.database import SYSTEM
from footnote.store.fact_progress import PendingDocument
from footnote.store.fact_readings import PartReading, keep_reading, readings_of
from footnote.telemetry.prices import Prices

if TYPE_CHECKING:
    # It brings the client libraries of an extra.
    from footnote.models.writing import WritingModel

LEAST_SECONDS, LEAST_TOKENS = 120.0, 4_096
"""That a model has for one reply: nobody waits for it, and five passages say much."""
PART_ATTEMPTS = 3
_BYTES_OF_A_TOKEN = 4
_FILLED = 0.75
"""Of a passage: sentences are not divided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactReader:
    """A language model that reads documents for facts."""

    model: WritingModel

    @property
    def name(self) -> str:
        """The model with the version of its prompt: another one reads everything again."""
        return f"{self.model.name}, prompt {PROMPT_VERSION}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What came of a document, when all of its parts were tried."""

    facts: tuple[ExtractedFact, ...]
    parts: Mapping[int, PartReading]
    """Those that were read."""
    left_out: int
    usage: Usage
    failure: str | None
    """Why parts of it could not be read."""


class ModelAway(Exception):
    """The model failed; it is asked again in a while."""


def reader_of(model: WritingModel) -> FactReader:
    """The language model with the time and the length that reading for facts takes."""
    return FactReader(
        model=replace(
            model,
            timeout_seconds=max(model.timeout_seconds, LEAST_SECONDS),
            max_output_tokens=max(model.max_output_tokens, LEAST_TOKENS),
        )
    )


async def read_parts(
    engine: Services,
    workspace_id: UUID,
    pending: PendingDocument,
    document: DocumentText,
    *,
    reader: FactReader,
    kinds: Sequence[FactKind],
    left_out: Sequence[tuple[int, int]],
    is_late: Callable[[], bool],
) -> Reading | None:
    """What the model finds in a document; None where time ran out before the end.

    One part at a time, so that it is never asked twice at once for one workspace. What was read
    before is not read again. Raises ModelAway, and BudgetExceeded before a request.
    """
    batches = batches_of(await asyncio.to_thread(passages_of, document, left_out))
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        parts = dict(await readings_of(scope, pending, reader.name))
    for number, batch in enumerate(batches):
        known = parts.get(number)
        if known is not None and (known.failure is None or known.attempts >= PART_ATTEMPTS):
            continue
        if is_late():
            return None
        await engine.metering.require_budget(workspace_id)
        reading = await _read_part(
            reader,
            document,
            batch,
            kinds=kinds,
            before=known,
            prices=engine.metering.prices,
        )
        parts[number] = reading
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await keep_reading(scope, pending, number, reading)
        if reading.failure is not None:
            raise ModelAway(reading.failure)
    held = {number: parts[number] for number in range(len(batches)) if number in parts}
    failures = [each.failure for each in held.values() if each.failure is not None]
    return Reading(
        facts=tuple(fact for each in held.values() for fact in each.facts),
        parts={number: each for number, each in held.items() if each.failure is None},
        left_out=sum(each.left_out for each in held.values()),
        usage=sum((each.usage for each in held.values()), Usage()),
        failure=f"{len(failures)} of {len(held)} parts could not be read by the model: "
        f"{failures[-1]}"
        if failures
        else None,
    )


async def _read_part(
    reader: FactReader,
    document: DocumentText,
    batch: Sequence[PromptPassage],
    *,
    kinds: Sequence[FactKind],
    before: PartReading | None,
    prices: Prices,
) -> PartReading:
    notes: list[UsageNote] = []
    failure: str | None = None
    read = None
    with watching_use(notes):
        try:
            reply = await reader.model(INSTRUCTIONS, prompt_of(document, batch))
        except ModelUnavailable as error:
            failure = error.with_hint
        else:
            read = await asyncio.to_thread(facts_of_reply, reply, document, batch, kinds)
            if read is None:
                failure = f"{reader.model.name} wrote no list of facts"
    usage = (Usage() if before is None else before.usage) + prices.usage_of(notes)
    return PartReading(
        reader=reader.name,
        facts=() if read is None else read.facts,
        left_out=0 if read is None else read.said - len(read.facts),
        usage=usage,
        failure=failure,
        attempts=1 if before is None else before.attempts + 1,
    )


def estimated_use(reader: FactReader, text_bytes: int) -> UsageNote:
    """About what the model will read and write for texts of so many bytes."""
    passages = -(-text_bytes // int(PASSAGE_CHARACTERS * _FILLED))
    batches = -(-passages // PASSAGES_TOGETHER)
    return UsageNote(
        kind=UsageKind.GENERATION,
        model=reader.model.name,
        requests=batches,
        input_tokens=text_bytes // _BYTES_OF_A_TOKEN + batches * estimate_tokens(INSTRUCTIONS),
        output_tokens=passages * TOKENS_WRITTEN_A_PASSAGE,
        units=batches,
    )
