"""Decompose a question that asks for several things or compares them.

A network on the reader's lower layers labels each word: part of one sub-question, of all, or of
none. `training/question_decomposition.py` fits it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footnote.models.question_rewriting import Rewriter
from footnote.models.question_tokens import BEGINS, PARTS, QUESTION_TOKENS, CharSpan, encode_turns

MAX_PARTS = 8

_Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecompositionHead:
    """The weights of the classifier above its own layers."""

    labels: _Floats
    """Of shape (width, parts), applied to each token's state; with biases."""
    labels_bias: _Floats
    least: float
    """Least probability of the beginning of each part, 0…1; below it a question is not split."""

    @classmethod
    def of(cls, tensors: Mapping[str, npt.NDArray[np.generic]]) -> DecompositionHead:
        """Read it from a file's tensors. Raises KeyError, or ValueError for another shape."""
        labels, bias, threshold = (
            tensors[f"parting.{name}"].astype(np.float32)
            for name in ("labels", "labels_bias", "least")
        )
        if labels.shape[1:] != (len(PARTS),):
            raise ValueError(f"parting.labels has the shape {labels.shape}")
        return cls(labels=labels, labels_bias=bias, least=float(threshold[0]))


def split_question(
    text: str, parts: Sequence[CharSpan], dropped: Sequence[CharSpan] = ()
) -> tuple[str, ...]:
    """Split a question into sub-questions, each with the shared words; alone if it has one part.

    Shared words between two parts are put after each part.

    >>> split_question("When does it begin and end?", [(13, 18), (23, 26)], [(19, 22)])
    ('When does it begin?', 'When does it end?')
    >>> split_question("Did Ann pay more than Bo?", [(4, 7), (22, 24)], [(17, 21)])
    ('Did Ann pay more?', 'Did Bo pay more?')
    """
    if not 1 < len(parts) <= MAX_PARTS:
        return (text,)
    first, last = parts[0][0], parts[-1][1]
    prefix = _without(text, 0, first, dropped)
    between = _without(text, first, last, [*parts, *dropped]).rstrip()
    suffix = _without(text, last, len(text), dropped)
    return tuple(
        " ".join(f"{prefix}{text[start:end]}{between}{suffix}".split()) for start, end in parts
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDecomposer:
    """The classifier, and the model that runs the layers below it, in the calling thread."""

    head: DecompositionHead
    rewriter: Rewriter
    """Completes later parts by what only the first part states."""

    def decompose(self, question: str) -> tuple[str, ...]:
        """See `QuestionRewriter.decompose`. Raises ModelUnavailable when the model cannot run."""
        rewriter = self.rewriter
        encoded = encode_turns(rewriter.tokenizer, question)
        if len(encoded.question.offsets) >= QUESTION_TOKENS:
            return (question,)
        (states,) = rewriter.encoder.parting_states([encoded.ids], rewriter.layers)
        words = encoded.question.labelled(states @ self.head.labels + self.head.labels_bias)
        probabilities = [word.chance for word in words if word.label == BEGINS]
        if not probabilities or min(probabilities) < self.head.least:
            return (question,)
        spans, dropped = encoded.question.stretches(words), encoded.question.dropped(words)
        parts = split_question(question, spans, dropped)
        if any(map(str.isalpha, _without(question, 0, len(question), [*spans, *dropped]))):
            return parts  # They share words of the question, so each is complete.
        completed = list(parts[:1])
        for part in parts[1:]:
            completed.append(rewriter.rewrite_follow_up(part, completed[-1], ""))
        return tuple(completed)


def _without(text: str, first: int, last: int, dropped: Sequence[CharSpan]) -> str:
    """Return `text[first:last]` without the dropped spans."""
    dropped_positions = {position for start, end in dropped for position in range(start, end)}
    return "".join(
        text[position] for position in range(first, last) if position not in dropped_positions
    )
