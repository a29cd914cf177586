"""Passages that a search would rank high for a question: BM25 without term counts over one source, in memory."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence
from heapq import nlargest

MAX_HELD = 400
"""A term in more passages than this tells little and costs much; the rarest few count anyway."""
TERMS = 10


def terms(text: str) -> set[str]:
    """Beginnings of words and, where words are not spaced, pairs of characters."""
    low = text.lower()
    found = {word[:6] for word in re.findall(r"\w{3,}", low)}
    if len(found) * 12 < len(low) or re.search(r"[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]", low):
        found |= {low[i : i + 2] for i in range(len(low) - 1) if low[i : i + 2].isalpha()}
    return found


class NearMisses:
    """The passages of one source by their terms."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.postings: dict[str, array] = {}
        for number, text in enumerate(texts):
            for term in terms(text):
                self.postings.setdefault(term, array("I")).append(number)
        mean = sum(map(len, texts)) / max(1, len(texts))
        self.norms = [1 / (1.2 * (0.4 + 0.6 * len(text) / mean) + 1) for text in texts]
        self.count = len(texts)

    def best(self, question: str, count: int) -> list[int]:
        """The passages that share the rarest terms with a question, best first."""
        held = [p for t in terms(question) if (p := self.postings.get(t))]
        held.sort(key=len)
        scores: dict[int, float] = {}
        for number, posting in enumerate(held[:TERMS]):
            if len(posting) > MAX_HELD and number > 2:
                break
            weight = math.log(1 + self.count / len(posting))
            for passage in posting[: 4 * MAX_HELD]:
                scores[passage] = scores.get(passage, 0.0) + weight * self.norms[passage]
        return nlargest(count, scores, key=scores.__getitem__)
