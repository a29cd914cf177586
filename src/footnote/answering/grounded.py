"""What holds an answer's sentences against their quotes, as the answerers see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from footnote.domain import AnswerSentence, Citation, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """An answer's sentences, with how far their quotes carry them."""

    sentences: tuple[AnswerSentence, ...]
    """Those that were given, in their order; only `support` and `verdict` differ."""
    confidence: float
    """0…1, how likely the whole answer holds."""
    degraded: tuple[str, ...] = ()
    """The signals that could not be had, by name with the reason."""


class Grounds(Protocol):
    """Grounding: sentences and their citations become verdicts."""

    async def __call__(
        self,
        sentences: Sequence[AnswerSentence],
        citations: Sequence[Citation],
        evidence: Sequence[Evidence],
    ) -> Grounded:
        """Verdict and support of each sentence, and the confidence of the answer.

        Each citation has a marker of its own; a sentence's `markers` are those of the quotes it
        rests on, none for a sentence that cites nothing. Raises nothing of its own: a model that
        is away is named in `degraded`.
        """
        ...
