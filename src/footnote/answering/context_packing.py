"""Fit evidence into a token budget, shortening the longest sources before dropping the weakest."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from footnote.domain import Evidence, Passage
from footnote.language.sentences import sentence_spans

FEWEST_TOKENS = 96
"""Minimum tokens of a shortened source while a weaker one remains: two or three sentences."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedSource:
    """A source, or an excerpt of it."""

    number: int
    """Its position in the evidence, from 1."""
    evidence: Evidence
    text: str
    shortened: bool = False


def pack_context(
    evidence: Sequence[Evidence],
    question: str,
    *,
    budget: int | None,
    head: Callable[[int, Evidence], str],
    count_tokens: Callable[[str], int],
) -> list[PackedSource]:
    """The evidence in its order, shortened and reduced until it fits into `budget` tokens.

    All sources have the same allowance, and what short ones do not use goes to long ones. A source
    above its allowance keeps the consecutive sentences that share most words with the question.
    When the allowance falls below `FEWEST_TOKENS`, the weakest source is dropped. A budget of None
    keeps everything.
    """
    numbered = list(enumerate(evidence, start=1))
    sources = [
        PackedSource(number=number, evidence=item, text=item.passage.text)
        for number, item in numbered
    ]
    if budget is None:
        return sources
    candidates = sorted(sources, key=lambda source: (source.evidence.rank, source.number))
    header_tokens = {number: count_tokens(head(number, item)) + 2 for number, item in numbered}
    text_tokens = {source.number: count_tokens(source.text) for source in sources}
    query_words = _query_words(question, evidence)
    while candidates:
        available = budget - sum(header_tokens[source.number] for source in candidates)
        allowance = _allowance([text_tokens[source.number] for source in candidates], available)
        if allowance is None:
            return sorted(candidates, key=lambda source: source.number)
        if allowance >= FEWEST_TOKENS or (len(candidates) == 1 and allowance > 0):
            packed = [
                source
                if text_tokens[source.number] <= allowance
                else _best_excerpt(source, query_words, allowance, count_tokens)
                for source in candidates
            ]
            return sorted(
                (source for source in packed if source.text), key=lambda source: source.number
            )
        candidates.pop()
    return []


def _allowance(needed: Sequence[int], budget: int) -> int | None:
    """The largest allowance per source so that all fit; None if all fit unshortened.

    >>> _allowance([100, 40, 300], 260), _allowance([1, 2], 3)
    (120, None)
    """
    if sum(needed) <= budget:
        return None
    remaining = budget
    ascending = sorted(needed)
    for position, need in enumerate(ascending):
        share = remaining // (len(ascending) - position)
        if need > share:
            return share
        remaining -= need
    return None


def _query_words(question: str, evidence: Sequence[Evidence]) -> frozenset[str]:
    matched_terms = (term for item in evidence for term in item.matched_terms)
    return frozenset(_WORD.findall(" ".join([question, *matched_terms]).casefold()))


def _best_excerpt(
    source: PackedSource, words: frozenset[str], allowance: int, count_tokens: Callable[[str], int]
) -> PackedSource:
    """The first run of sentences within the allowance that has most of the words.

    If not even one sentence fits, the beginning of the first.
    """
    text = source.text
    spans = _sentence_and_row_spans(source.evidence.passage)
    costs = [count_tokens(text[start:end]) + 1 for start, end in spans]
    span_words = [_WORD.findall(text[start:end].casefold()) for start, end in spans]
    scores = [sum(word in words for word in set(tokens)) for tokens in span_words]
    best_range, best_score = (0, 0), -1
    first = cost = score = 0
    for last in range(len(spans)):
        cost, score = cost + costs[last], score + scores[last]
        while cost > allowance and first <= last:
            cost, score, first = cost - costs[first], score - scores[first], first + 1
        if first <= last and score > best_score:
            best_range, best_score = (first, last + 1), score
    if best_score < 0:
        beginning = _truncated(text, allowance, count_tokens)
        return PackedSource(
            number=source.number, evidence=source.evidence, text=beginning, shortened=True
        )
    start, end = spans[best_range[0]][0], spans[best_range[1] - 1][1]
    excerpt = (
        ("… " if best_range[0] else "")
        + text[start:end]
        + (" …" if best_range[1] < len(spans) else "")
    )
    return PackedSource(
        number=source.number, evidence=source.evidence, text=excerpt, shortened=True
    )


def _sentence_and_row_spans(passage: Passage) -> list[tuple[int, int]]:
    """Sentences, or rows of a table, which are never split."""
    spans = []
    for start, end in sentence_spans(passage.text):
        if "|" not in passage.text[start:end]:
            spans.append((start, end))
            continue
        lines = re.finditer(r"\S[^\n]*", passage.text[start:end])
        spans += [(start + line.start(), start + line.end()) for line in lines]
    return spans


def _truncated(text: str, allowance: int, count_tokens: Callable[[str], int]) -> str:
    """As many whole words from the beginning as fit."""
    ends = [match.end() for match in _WORD.finditer(text)]
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count_tokens(text[: ends[middle - 1]]) + 1 <= allowance
        low, high = (middle, high) if fits else (low, middle - 1)
    return text[: ends[low - 1]] + " …" if low else ""
