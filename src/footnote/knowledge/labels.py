"""Label groups of documents by their characteristic terms.

A term is weighted by its share of the group's documents and by how much larger that is than its
share of all: class-based TF-IDF (Grootendorst 2022), over documents rather than over words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Groups = npt.NDArray[np.int32]
"""For each document the number of its group, from 0."""

_LABEL_TERMS = 3
_LEAST_OF_GROUP = 0.08
"""Least share of a group's documents that must have a term of its label."""
_LEAST_LIFT = 1.5
"""Least ratio of a term's share of the group's documents to its share of all other documents.

What all documents have alike distinguishes no group, however common it is.
"""
_SPARE_TERMS = 12
"""Candidate terms of a group from which a label is chosen that no other group has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedTerm:
    """A weighted term of a group."""

    term: str
    """Its most frequent spelling."""
    documents: int
    """Documents of the group that have it."""
    weight: float


def labels_of(
    groups: Groups, terms: Sequence[Sequence[str]], most: int = _LABEL_TERMS
) -> list[tuple[str, ...]]:
    """Return the terms that distinguish each group from the others, best first; maybe none.

    No two labels are equal: the group of the lowest number keeps its terms, and another one
    replaces its last term by its next best.
    """
    taken: set[frozenset[str]] = set()
    labels = []
    for weighed in weighed_terms(groups, terms, _SPARE_TERMS):
        written = [each.term for each in weighed]
        last = range(most - 1, max(len(written), most))
        offered = ((*written[: most - 1], *written[each : each + 1]) for each in last)
        label = next((each for each in offered if frozenset(each) not in taken), ())
        taken.add(frozenset(label))
        labels.append(label)
    return labels


def weighed_terms(
    groups: Groups, terms: Sequence[Sequence[str]], most: int
) -> list[tuple[WeighedTerm, ...]]:
    """Weigh the terms of each group, up to `most`.

    A term counts once for each document; of two terms of which one contains the other, the better
    one is kept.
    """
    sizes = np.bincount(groups)
    overall: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    within: list[Counter[str]] = [Counter() for _ in sizes]
    for group, own in zip(groups.tolist(), terms, strict=True):
        spelt = {each.casefold(): each for each in own}
        for key, spelling in spelt.items():
            written.setdefault(key, Counter())[spelling] += 1
        overall.update(spelt.keys())
        within[group].update(spelt.keys())
    found = []
    for size, counts in zip(sizes.tolist(), within, strict=True):
        least = max(min(2, size), size * _LEAST_OF_GROUP)
        scored = sorted(
            (-(count / size) * np.log1p((count / size) / (overall[key] / len(terms))), key)
            for key, count in counts.items()
            if count >= least
            and count * (len(terms) - size) >= _LEAST_LIFT * size * (overall[key] - count)
        )
        chosen: list[tuple[float, str]] = []
        for score, key in scored:
            if len(chosen) == most:
                break
            if not any(key in each or each in key for _, each in chosen):
                chosen.append((-float(score), key))
        found.append(
            tuple(
                WeighedTerm(
                    # The most frequent spelling.
                    term=min(written[key], key=lambda each: (-written[key][each], each)),
                    documents=counts[key],
                    weight=weight,
                )
                for weight, key in chosen
            )
        )
    return found
