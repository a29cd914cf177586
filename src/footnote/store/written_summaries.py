"""Summaries that a language model wrote: sentences with the source sentences they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from footnote.domain import Usage
from footnote.domain.summaries import WrittenSentence
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import TITLE, WRITTEN_SENTENCE
from footnote.store.statements import load_statements, record_of
from footnote.store.summaries import UnsummarisedDocument, unsummarised_of

_SQL = load_statements("summaries")
_WRITTEN = TypeAdapter(WrittenSentence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """The result of having a version summarised."""

    sentences: tuple[WrittenSentence, ...]
    left_out: int
    usage: Usage
    failure: str | None = None
    """Why no summary was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingCounts:
    """Progress of a writer over the visible documents."""

    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    left_out: int
    done: int
    failed: int
    remaining: int
    remaining_bytes: int
    """Size of the remaining texts, each up to the limit that was asked for."""
    oldest_waiting: datetime | None
    """When the oldest of the remaining documents was uploaded."""


async def unwritten_documents(
    scope: WorkspaceScope, summariser: str, writer: str, *, attempts: int, limit: int
) -> tuple[UnsummarisedDocument, ...]:
    """List documents with extracted sentences that this writer has not summarised, newest first."""
    rows = await scope.all(
        _SQL["unwritten"],
        {"summariser": summariser, "writer": writer, "attempts": attempts, "limit": limit},
    )
    return tuple(unsummarised_of(scope, row) for row in rows)


async def store_written_summary(
    scope: WorkspaceScope, unsummarised: UnsummarisedDocument, writer: str, writing: Writing
) -> bool:
    """Replace the written summary of a document; after a failure it has none.

    Returns False when another version was published meanwhile.
    """
    parameters: dict[str, object] = {
        "document_id": unsummarised.document_id,
        "version": unsummarised.version,
    }
    if await scope.one(_SQL["hold_version"], parameters) is None:
        return False
    await scope.execute(_SQL["remove_written"], parameters)
    await scope.execute_many(
        _SQL["insert_written"],
        (
            parameters
            | {
                "ordinal": ordinal,
                "support": sentence.support,
                "content": Jsonb(
                    scope.sealing.json(
                        WRITTEN_SENTENCE.of(unsummarised.document_id, ordinal),
                        _WRITTEN.dump_python(sentence, mode="json"),
                    )
                ),
            }
            for ordinal, sentence in enumerate(writing.sentences)
        ),
    )
    await scope.execute(
        _SQL["note_written"],
        parameters
        | {
            "writer": writer,
            "failure": writing.failure,
            "left_out": writing.left_out,
            "input_tokens": writing.usage.input_tokens,
            "output_tokens": writing.usage.output_tokens,
            "cost_usd": writing.usage.cost_usd if writing.usage.requests else 0.0,
        },
    )
    return True


async def written_sentences(
    scope: WorkspaceScope, writer: str, document_ids: Sequence[UUID]
) -> Mapping[UUID, tuple[WrittenSentence, ...]]:
    """Return what this writer wrote of the visible documents, in order."""
    rows = await scope.all(_SQL["written"], {"writer": writer, "document_ids": list(document_ids)})
    sentences: dict[UUID, tuple[WrittenSentence, ...]] = {}
    for row in rows:
        place = WRITTEN_SENTENCE.of(row["document_id"], row["ordinal"])
        content = scope.sealing.plain_json(place, row["content"])
        title = scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"])
        stored = _WRITTEN.validate_python(content)
        titled = replace(
            stored,
            sources=tuple(replace(source, document_title=title) for source in stored.sources),
        )
        sentences[row["document_id"]] = (*sentences.get(row["document_id"], ()), titled)
    return sentences


async def count_writing(scope: WorkspaceScope, writer: str, most_bytes: int) -> WritingCounts:
    """Count written and remaining summaries; a text counts for at most `most_bytes` bytes."""
    row = await scope.single(_SQL["written_progress"], {"writer": writer, "most_bytes": most_bytes})
    return record_of(WritingCounts, row)
