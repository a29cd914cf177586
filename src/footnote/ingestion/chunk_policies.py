"""How large the chunks of each class of document are, under names that settings can choose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from footnote.domain import DocumentClass

POLICY_NAMES = ("balanced", "characters-900-120", "tokens-512-50")

_ANY_NUMBER = 99
"""Of sentences: their size alone says how many are repeated."""
_WITHOUT_OVERLAP = frozenset((DocumentClass.TABLE, DocumentClass.CODE, DocumentClass.SLIDES))
"""Rows, definitions and slides do not lead into each other."""
_WITH_REPLIES = frozenset((DocumentClass.EMAIL, DocumentClass.MINUTES))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSizes:
    """How large chunks are, and how much they share with the one before."""

    target: int
    """Most that a chunk holds, unless a single row is larger."""
    overlap: int
    """Most that a chunk repeats of the one before."""
    unit: Literal["tokens", "characters"] = "tokens"
    """Of both; tokens are those of the lane's tokenizer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPolicy:
    """How documents are divided; `for_class` says how those of one class are."""

    target_tokens: int = 220
    target_characters: int | None = None
    """Where given, sizes are counted in characters, and this is the target."""
    overlap_sentences: int = 1
    overlap_share: float = 0.34
    """Most of a chunk that may repeat the one before it, as a share of the target."""
    row_limit_targets: float = 4.0
    """A table row longer than this many targets is cut like a sentence, others stay whole."""
    table_share: float = 0.5
    """A table that is divided has chunks of about this share of the target, so that a row of it
    is found and not only its table."""
    pages_stand_alone: bool = False
    """Whether no chunk crosses from one page, or slide, to the next."""
    quotes_stand_apart: bool = False
    """Whether no chunk holds both what a message says and what it quotes."""

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
        """This policy as a document of the class needs it."""
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


def named_policy(name: str = "balanced") -> ChunkPolicy:
    """The policy of a name.

    `balanced-300` aims at 300 tokens, `balanced` at 200, and repeats a sentence. The others bring
    sizes of their own: `characters-900-120` has chunks of at most 900 characters that repeat at
    most 120 of the one before, `tokens-512-50` the same in 512 and 50 tokens, both in whole
    sentences. Raises ValueError for another name.
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
