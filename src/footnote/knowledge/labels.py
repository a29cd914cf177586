"""Terms of documents become labels of the groups that the documents are in.

A term tells a group from the others by its share of the group's documents and by how much larger
that is than its share of all: class-based TF-IDF (Grootendorst 2022), over documents rather than
over words.
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
"""Of a group's documents, that have a term of its label."""
_LEAST_LIFT = 1.5
"""Of the share of a group's documents that have a term over that of all other documents.

What all documents have alike tells none of their groups apart, however common it is.
"""
_SPARE_TERMS = 12
"""Terms of a group among which its label is looked for, until no other group has the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedTerm:
    """A term of a group."""

    term: str
    """As it is written most often."""
    documents: int
    """Of the group, that have it."""
    weight: float


def labels_of(
    groups: Groups, terms: Sequence[Sequence[str]], most: int = _LABEL_TERMS
) -> list[tuple[str, ...]]:
    """For each group the terms that tell it from the others, the best first; perhaps none.

    No two labels have the same terms: of groups that would, the one of the lowest number keeps
    them, and the others have their next best in place of the last.
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
    """The terms with their weights, up to `most` for each group.

    A term counts once for each document; of two of which one has the other in it, the better
    stands for both.
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
                    # As it is commonly written.
                    term=min(written[key], key=lambda each: (-written[key][each], each)),
                    documents=counts[key],
                    weight=weight,
                )
                for weight, key in chosen
            )
        )
    return found
