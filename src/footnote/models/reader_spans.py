"""Convert log-odds of first and last tokens to spans of text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from footnote.ports import AnswerSpan

LONGEST_SPAN = 30
"""Most tokens of an answer, as in training."""
SPANS_OF_WINDOW = 4
"""Most answers taken from one window; further ones score far below the best."""
_EDGE = " \t\r\n\x0b\x0c.,;:!?|¿¡。，；：！？、"
_IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The part of a passage in a pair."""

    text: str
    """The whole passage."""
    first: int
    """The position of its first token in the pair."""
    offsets: Sequence[tuple[int, int]]
    """Half-open character offsets of each token."""
    stretches: Sequence[tuple[int, int]] = ()
    """Character spans to search, for one answer in each; empty to search everywhere."""


def spans_of(
    window: Window,
    logits: npt.NDArray[np.float32],
    probability: Callable[[float], float],
) -> list[AnswerSpan]:
    """Return the best disjoint spans of a window, best first; or the best span of each stretch.

    `logits` has a row for each token of the pair: first and last. A span's score is relative to
    that of the pair's first token, which stands for "none".
    """
    count = len(window.offsets)
    none_score = float(logits[0].sum())
    token_logits = logits[window.first : window.first + count].astype(np.float64)
    scores = token_logits[:, 0][:, None] + token_logits[:, 1][None, :] - none_score
    is_ordered = np.triu(np.ones((count, count), dtype=bool))
    scores[~(is_ordered & ~np.triu(is_ordered, LONGEST_SPAN))] = _IMPOSSIBLE
    if window.stretches:
        return list(_best_of_stretches(window, scores, probability))
    spans = []
    for _ in range(SPANS_OF_WINDOW):
        if not count:
            break
        first, last = divmod(int(scores.argmax()), count)
        score = float(scores[first, last])
        if score == _IMPOSSIBLE:
            break
        start, end = _trimmed(window.text, window.offsets[first][0], window.offsets[last][1])
        if start < end:
            spans.append(
                AnswerSpan(start=start, end=end, score=score, probability=probability(score))
            )
        scores[: last + 1, first:] = _IMPOSSIBLE
    return spans


def _best_of_stretches(
    window: Window, scores: npt.NDArray[np.float64], probability: Callable[[float], float]
) -> Iterator[AnswerSpan]:
    trimmed_offsets = [_trimmed(window.text, start, end) for start, end in window.offsets]
    empty_tokens = [number for number, (start, end) in enumerate(trimmed_offsets) if start >= end]
    scores[empty_tokens, :] = scores[:, empty_tokens] = _IMPOSSIBLE
    for begin, stop in window.stretches:
        tokens_inside = [
            number
            for number, (start, end) in enumerate(trimmed_offsets)
            if begin < end and start < stop
        ]
        if not tokens_inside:
            continue
        low, high = tokens_inside[0], tokens_inside[-1] + 1
        stretch_scores = scores[low:high, low:high]
        first, last = divmod(int(stretch_scores.argmax()), high - low)
        score = float(stretch_scores[first, last])
        start, end = _trimmed(
            window.text,
            max(begin, window.offsets[low + first][0]),
            min(stop, window.offsets[low + last][1]),
        )
        if start < end and score > _IMPOSSIBLE:
            yield AnswerSpan(start=start, end=end, score=score, probability=probability(score))


def disjoint(spans: Sequence[AnswerSpan]) -> tuple[AnswerSpan, ...]:
    """Sort the spans of a passage's windows, best first; drop those that overlap a better one."""
    retained: list[AnswerSpan] = []
    for span in sorted(
        spans, key=lambda candidate: (-candidate.probability, -candidate.score, candidate.start)
    ):
        if all(span.end <= better.start or better.end <= span.start for better in retained):
            retained.append(span)
    return tuple(retained)


def limited_by_best(spans: Sequence[AnswerSpan]) -> tuple[AnswerSpan, ...]:
    """Limit the probability of each span by its odds against the best one, and sort again.

    Scores are against "none"; in a passage that answers, most spans near the answer exceed it. The
    limit is the best probability times exp(score - best score).
    """
    limited = [
        replace(
            span,
            probability=min(
                span.probability,
                spans[0].probability * math.exp(min(0.0, span.score - spans[0].score)),
            ),
        )
        for span in spans
    ]
    return tuple(
        sorted(
            limited,
            key=lambda candidate: (-candidate.probability, -candidate.score, candidate.start),
        )
    )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Trim punctuation and white space at both ends."""
    while start < end and text[start] in _EDGE:
        start += 1
    while start < end and text[end - 1] in _EDGE:
        end -= 1
    return start, end
