"""Choose the keywords of documents again once their workspace has changed enough."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import UUID

from footnote.domain import Block, BlockKind, Passage
from footnote.engine.services import Services, failure_reason
from footnote.errors import StoreFull, StoreUnavailable
from footnote.ingestion.enrichment import STUDIED_CHARACTERS
from footnote.ingestion.keywords import choose_keywords, count_words
from footnote.knowledge.texts import blocks_of
from footnote.ports.ingesting import TermCounts
from footnote.store import keywords as stored
from footnote.store.database import SYSTEM
from footnote.store.documents import published_text
from footnote.store.passages import passages_in_order

_MAX_PASSAGES = 1_000


async def choose_next(engine: Services, workspace_id: UUID) -> bool:
    """Choose the keywords of the newest waiting document; return whether there was one.

    Raises StoreUnavailable and StoreFull. A document that cannot be read keeps what it has.
    """
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        document = await stored.next_waiting(scope)
        if document is None:
            return False
        text = await published_text(scope, document.document_id, STUDIED_CHARACTERS)
        passages = await passages_in_order(scope, document.document_id, _MAX_PASSAGES)

    async def count(terms: Sequence[str]) -> TermCounts:
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            return await stored.term_counts(scope, terms)

    try:
        blocks = await asyncio.to_thread(_blocks, "" if text is None else text.text, passages)
        words = await asyncio.to_thread(count_words, blocks, document.language)
        keywords, among = await choose_keywords(words, engine.analyzer.terms, count)
    except (StoreUnavailable, StoreFull):
        raise
    except Exception as error:
        failure_reason(error, "keyword_choice_failed", document_id=str(document.document_id))
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            await stored.pass_over(scope, document)
        return True
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        await stored.store_keywords(scope, document, keywords, among)
    return True


def _blocks(text: str, passages: Sequence[Passage]) -> list[Block]:
    """The blocks of a text, and before them each of the headings that they stand under, once."""
    headings = dict.fromkeys(heading for passage in passages for heading in passage.heading_path)
    blocks = [_block(BlockKind.HEADING, heading, 0) for heading in headings]
    blocks += [
        _block(block.kind, text[block.start : block.end], block.start)
        for block in blocks_of(passages)
        if block.end <= len(text)
    ]
    return blocks


def _block(kind: BlockKind, text: str, start: int) -> Block:
    return Block(kind=kind, text=text, char_start=start, char_end=start + len(text), paragraph=1)
