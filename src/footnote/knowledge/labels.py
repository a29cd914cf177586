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
_MIN_OF_GROUP = 0.08
"""Least share of a group's documents that must have a term of its label."""
_MIN_LIFT = 1.5
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
    groups: Groups, terms: Sequence[Sequence[str]], max_terms: int = _LABEL_TERMS
) -> list[tuple[str, ...]]:
    """Return the terms that distinguish each group from the others, best first; maybe none.

    No two labels are equal: the group of the lowest number keeps its terms, and another one
    replaces its last term by its next best.
    """
    used: set[frozenset[str]] = set()
    labels = []
    for weighted in weighed_terms(groups, terms, _SPARE_TERMS):
        group_terms = [term.term for term in weighted]
        last = range(max_terms - 1, max(len(group_terms), max_terms))
        offered = (
            (*group_terms[: max_terms - 1], *group_terms[position : position + 1])
            for position in last
        )
        label = next((candidate for candidate in offered if frozenset(candidate) not in used), ())
        used.add(frozenset(label))
        labels.append(label)
    return labels


def weighed_terms(
    groups: Groups, terms: Sequence[Sequence[str]], max_terms: int
) -> list[tuple[WeighedTerm, ...]]:
    """Weigh the terms of each group, up to `max_terms`.

    A term counts once for each document; of two terms of which one contains the other, the better
    one is kept.
    """
    sizes = np.bincount(groups)
    overall: Counter[str] = Counter()
    spellings: dict[str, Counter[str]] = {}
    group_counts: list[Counter[str]] = [Counter() for _ in sizes]
    for group, document_terms in zip(groups.tolist(), terms, strict=True):
        spelling_by_key = {term.casefold(): term for term in document_terms}
        for key, spelling in spelling_by_key.items():
            spellings.setdefault(key, Counter())[spelling] += 1
        overall.update(spelling_by_key.keys())
        group_counts[group].update(spelling_by_key.keys())
    weighted_groups = []
    for size, counts in zip(sizes.tolist(), group_counts, strict=True):
        min_documents = max(min(2, size), size * _MIN_OF_GROUP)
        scored = sorted(
            (-(count / size) * np.log1p((count / size) / (overall[key] / len(terms))), key)
            for key, count in counts.items()
            if count >= min_documents
            and count * (len(terms) - size) >= _MIN_LIFT * size * (overall[key] - count)
        )
        selected: list[tuple[float, str]] = []
        for score, key in scored:
            if len(selected) == max_terms:
                break
            if not any(key in selected_key or selected_key in key for _, selected_key in selected):
                selected.append((-float(score), key))
        weighted_groups.append(
            tuple(
                WeighedTerm(
                    # The most frequent spelling.
                    term=min(
                        spellings[key], key=lambda spelling: (-spellings[key][spelling], spelling)
                    ),
                    documents=counts[key],
                    weight=weight,
                )
                for weight, key in selected
            )
        )
    return weighted_groups
