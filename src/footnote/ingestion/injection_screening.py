"""Detect chunks with instructions to a model, where the embedder has not cleared them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from footnote.domain import Chunk, Enrichment
from footnote.ingestion.enrichment import indexed_text, lines_above
from footnote.ingestion.stages import StageLimit
from footnote.language.scripts import without_data
from footnote.language.sentences import sentence_spans

DetectInjections = Callable[[Sequence[str], Sequence[str]], Awaitable[Sequence[bool]]]
"""Detects texts that address a model, given each whole text and the part of it to be read."""
SCREENING_BATCH = 64
"""Chunks that are screened in one batch."""
BEGINNING_CHARACTERS = 100
"""Characters of a chunk screened with its title and headings: a heading alone says little."""


async def screen_for_injections(
    detect_injections: DetectInjections,
    chunks: Sequence[Chunk],
    enrichment: Enrichment,
    *,
    hashes: Sequence[bytes],
    unread: Mapping[bytes, int],
    limit: StageLimit,
    report: Callable[[int, int], Awaitable[bool]],
) -> bytearray | None:
    """Return 1 for each chunk with instructions to a model, else 0, in their order.

    Of several batches, each is reported by the number of chunks done and of all; None when a report
    returns False, as the version was replaced or deleted meanwhile.

    `hashes` are those of the embedded texts. `unread` gives, for some, how many characters at their
    end the embedder did not read, having found the rest clear. The lines above such chunks are
    screened once, in full and with the beginning of the first chunk.
    """
    orders = bytearray()
    heads_with_orders: dict[str, bool] = {}
    for start in range(0, len(chunks), SCREENING_BATCH):
        limit.forward()
        batch = chunks[start : start + SCREENING_BATCH]
        texts = [without_data(indexed_text(chunk, enrichment)) for chunk in batch]
        unread_counts = [unread.get(hashes[chunk.ordinal]) for chunk in batch]
        heads = ["\n".join(lines_above(chunk, enrichment)) for chunk in batch]
        beginnings = {
            head: without_data(f"{head}\n{chunk.text[:BEGINNING_CHARACTERS]}")
            for chunk, head, unread_count in reversed(
                list(zip(batch, heads, unread_counts, strict=True))
            )
            if unread_count is not None and head and head not in heads_with_orders
        }
        parts = [
            text if unread_count is None else ending(text, unread_count)
            for text, unread_count in zip(texts, unread_counts, strict=True)
        ]
        detections = await detect_injections(
            [*texts, *beginnings.values()], [*parts, *beginnings.values()]
        )
        heads_with_orders |= dict(zip(beginnings, detections[len(texts) :], strict=True))
        orders += bytes(
            detected or (unread_count is not None and heads_with_orders.get(head, False))
            for detected, head, unread_count in zip(detections, heads, unread_counts, strict=False)
        )
        if len(chunks) > SCREENING_BATCH and not await report(len(orders), len(chunks)):
            return None
    return orders


def ending(text: str, characters: int) -> str:
    """Return the last characters of a text, from the start of the sentence they begin in.

    >>> ending("The tenant pays. Pets are forbidden. So is noise.", 20)
    'Pets are forbidden. So is noise.'
    """
    if not characters:
        return ""
    position = len(text) - characters
    return text[max((start for start, _ in sentence_spans(text) if start <= position), default=0) :]
