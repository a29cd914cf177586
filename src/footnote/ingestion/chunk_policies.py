"""Chunk sizes for each class of document, by names that settings can choose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from footnote.domain import DocumentClass

POLICY_NAMES = ("balanced", "characters-900-120", "tokens-512-50")

_ANY_NUMBER = 99
"""Of overlap sentences: their size alone limits how many are repeated."""
_WITHOUT_OVERLAP = frozenset((DocumentClass.TABLE, DocumentClass.CODE, DocumentClass.SLIDES))
"""Classes whose rows, definitions or slides do not continue one another."""
_WITH_REPLIES = frozenset((DocumentClass.EMAIL, DocumentClass.MINUTES))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSizes:
    """How large chunks are, and how much they share with the one before."""

    target: int
    """Maximum size of a chunk, unless a single row is larger."""
    overlap: int
    """Maximum overlap with the chunk before."""
    unit: Literal["tokens", "characters"] = "tokens"
    """Unit of both; tokens are counted by the lane's tokenizer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPolicy:
    """How documents are chunked; `for_class` adapts it to a class of document."""

    target_tokens: int = 220
    target_characters: int | None = None
    """If given, sizes are in characters, and this is the target."""
    overlap_sentences: int = 1
    overlap_share: float = 0.34
    """Maximum overlap with the chunk before, as a share of the target."""
    row_limit_targets: float = 4.0
    """A table row longer than this many targets is cut like a sentence, others stay whole."""
    table_share: float = 0.5
    """Size of the chunks of a divided table, as a share of the target, small enough to find single
    rows."""
    pages_stand_alone: bool = False
    """Whether no chunk crosses from one page, or slide, to the next."""
    quotes_stand_apart: bool = False
    """Whether a message's own text and the text it quotes are in separate chunks."""

    @property
    def sizes(self) -> ChunkSizes:
        """Target and overlap in the unit in which this policy counts."""
        in_characters = self.target_characters is not None
        target = self.target_characters or self.target_tokens
        return ChunkSizes(
            target=target,
            overlap=round(target * self.overlap_share),
            unit="characters" if in_characters else "tokens",
        )

    def for_class(self, document_class: DocumentClass) -> ChunkPolicy:
        """Return this policy adapted to the class of document."""
        policy = self
        if document_class in _WITHOUT_OVERLAP:
            policy = replace(policy, overlap_sentences=0)
        if document_class is DocumentClass.TRANSCRIPT:
            policy = replace(policy, overlap_sentences=2 * self.overlap_sentences)
        return replace(
            policy,
            pages_stand_alone=document_class is DocumentClass.SLIDES,
            quotes_stand_apart=document_class in _WITH_REPLIES,
        )


def policy_named(name: str = "balanced") -> ChunkPolicy:
    """Return the policy with this name.

    `balanced` aims at 220 tokens, `balanced-300` at 300, and both repeat a sentence. The others
    have fixed sizes: `characters-900-120` has chunks of at most 900 characters that repeat at most
    120 of the one before, `tokens-512-50` the same in 512 and 50 tokens, both in whole sentences.
    Raises ValueError for another name.
    """
    kind, _, target = name.partition("-")
    if kind == "balanced" and target.isdecimal():
        return ChunkPolicy(target_tokens=int(target))
    match name:
        case "balanced":
            return ChunkPolicy()
        case "characters-900-120":
            return ChunkPolicy(
                target_characters=900,
                overlap_sentences=_ANY_NUMBER,
                overlap_share=120 / 900,
                table_share=1.0,
            )
        case "tokens-512-50":
            return ChunkPolicy(
                target_tokens=512,
                overlap_sentences=_ANY_NUMBER,
                overlap_share=50 / 512,
                table_share=1.0,
            )
        case _:
            raise ValueError(f"no chunk policy is called “{name}”: {', '.join(POLICY_NAMES)}")
