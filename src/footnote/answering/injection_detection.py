"""Detect prompt injections in evidence, with the reader (all languages) and exact patterns.

The patterns are in `injection_patterns`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from footnote.answering.injection_patterns import has_injection_pattern, legible
from footnote.domain import Evidence, Passage, PassageContext
from footnote.errors import ModelUnavailable
from footnote.ports import Reader

_REMEMBERED = 65_536
INJECTION_THRESHOLD = 0.5
"""Decision threshold on the reader's probability; its weights are calibrated so that it is 0.5."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionDetector:
    """Detects texts that give instructions to a model."""

    reader: Reader | None = None
    checksum: Callable[[], Awaitable[str | None]] | None = None
    """The reader's checksum; None while the reader is unavailable."""
    _cached: dict[bytes, bool] = field(default_factory=dict)
    """Results by digest, at most `_REMEMBERED`, for passages that were published without
    classification."""

    async def __call__(
        self, texts: Sequence[str], unread: Sequence[str] | None = None
    ) -> list[bool]:
        """Classify each text: True for a prompt injection or hidden text.

        `unread[i]` is the part of text i that the reader still has to classify, empty if none; None
        means all of it. A text with obfuscated characters is always classified in full.
        """
        if not texts:
            return []
        legible_texts = [legible(text) for text in texts]
        parts = [
            legible_text if unread is None or legible_text != text else unread[index]
            for index, (text, legible_text) in enumerate(zip(texts, legible_texts, strict=True))
        ]
        open_indices = [index for index, text in enumerate(parts) if text]
        probabilities = dict.fromkeys(range(len(texts)), 0.0)
        with suppress(ModelUnavailable):
            if self.reader and open_indices:
                scores = await self.reader.injection_probabilities(
                    [parts[index] for index in open_indices]
                )
                probabilities |= dict(zip(open_indices, scores or (), strict=False))
        # Thousands of characters are compared with every pattern: not in the event loop.
        return await asyncio.to_thread(
            lambda: [
                probabilities[index] >= INJECTION_THRESHOLD or has_injection_pattern(text)
                for index, text in enumerate(texts)
            ]
        )

    async def flag(self, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
        """The evidence, with `suspicious` set if title, headings or text give instructions to a
        model.

        It is a hint for readers and answerers; nothing relies on it alone, since no reader
        recognises all instructions. Passages are classified when they are published; others are
        classified here.
        """
        passages = [item.passage for item in evidence]
        if any(passage.suspicious is None for passage in passages):
            passages = await self.classify_passages(passages)
        return tuple(
            replace(item, passage=passage, suspicious=item.suspicious or passage.suspicious is True)
            for item, passage in zip(evidence, passages, strict=True)
        )

    async def classify_passages(self, passages: Sequence[Passage]) -> list[Passage]:
        """The passages, each with whether its title, headings or text give instructions."""
        unclassified = [passage for passage in passages if passage.suspicious is None]
        texts = {_digest(text): text for text in map(all_text, unclassified)}
        # Copied before the model runs: others may evict them meanwhile.
        flags = {digest: self._cached[digest] for digest in texts if digest in self._cached}
        uncached = [digest for digest in texts if digest not in flags]
        classified = await self([texts[digest] for digest in uncached])
        for digest, is_injection in zip(uncached, classified, strict=True):
            flags[digest] = is_injection
            while len(self._cached) >= _REMEMBERED:
                self._cached.pop(next(iter(self._cached)))
            self._cached[digest] = is_injection
        return [
            replace(passage, suspicious=flags[_digest(all_text(passage))])
            if passage.suspicious is None
            else passage
            for passage in passages
        ]

    async def classify_context(self, context: PassageContext) -> PassageContext:
        """The context, with each of its passages classified."""
        chunk_index = len(context.context_before)
        classified = await self.classify_passages(
            [*context.context_before, context.chunk, *context.context_after]
        )
        return PassageContext(
            chunk=classified[chunk_index],
            context_before=tuple(classified[:chunk_index]),
            context_after=tuple(classified[chunk_index + 1 :]),
        )


def all_text(passage: Passage) -> str:
    """The text that is classified: title, headings and body."""
    return "\n".join((passage.document_title, *passage.heading_path, passage.text))


def _digest(text: str) -> bytes:
    # By digest: a text must not outlive its document in a cache.
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
