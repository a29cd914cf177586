"""Text becomes what it denies, as far as words show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.answering.opposites import limits_in
from footnote.language.negators import negators_in

_EDGE = re.compile(
    r"[,;:.!?()\[\]—，；：。！？、（）]\s|[，；：。！？（）]|\s[-–—]\s"
    r"|(?<!\w)(?:but|although|while|whereas|because|aber|sondern|obwohl|während|weil|pero|sino"
    r"|aunque|mientras|porque|mais|alors|parce|ma|bensì|mentre|perché|但是|但|而)(?!\w)",
    re.IGNORECASE,
)
_PREFIX = re.compile("(?:un|in|im|ir|il|dis|non|des|dés|nicht)[-]?(?=.{3})")

ANCHORS_BEHIND = 3
ANCHORS_BEFORE = 2
"""Content terms around a negator that it may deny."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A content term of a text where it stands."""

    term: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """A negator and what it denies."""

    anchors: tuple[Term, ...]
    """The nearest content terms in its clause, the likeliest first."""

    @property
    def terms(self) -> frozenset[str]:
        """The distinct terms among them."""
        return frozenset(each.term for each in self.anchors)


def denials_in(text: str, language: str, terms: Sequence[Term]) -> tuple[Denial, ...]:
    """Each negator of a text with the content terms it is near, within its clause."""
    edges = [match.span() for match in _EDGE.finditer(text)]
    denials = []
    limits = [match.span() for match in limits_in(text, language)]
    for start, end in negators_in(text, language):
        # "Not more than" is a limit and denies nothing.
        if any(first <= start < last for first, last in limits):
            continue
        left = max((last for _, last in edges if last <= start), default=0)
        right = min((first for first, _ in edges if first >= end), default=len(text))
        behind = [each for each in terms if end <= each.start and each.end <= right]
        before = [each for each in terms if left <= each.start and each.end <= start]
        anchors = (*behind[:ANCHORS_BEHIND], *before[: -ANCHORS_BEFORE - 1 : -1])
        if anchors:
            denials.append(Denial(anchors=anchors))
    return tuple(denials)


def denied_terms(denials: Sequence[Denial]) -> frozenset[str]:
    """Every term that one of the denials is near."""
    return frozenset[str]().union(*(each.terms for each in denials))


def affirmed_terms(denials: Sequence[Denial], terms: Sequence[Term]) -> frozenset[str]:
    """Every term that stands somewhere in the text where none of its denials is near."""
    denied = {each.start for denial in denials for each in denial.anchors}
    return frozenset(each.term for each in terms if each.start not in denied)


def one_sided(
    denials: Sequence[Denial],
    affirmed: frozenset[str],
    denied: frozenset[str],
    ignored: frozenset[str] = frozenset(),
) -> float:
    """How far one text denies what the other affirms, 0…1.

    `denials` are those of the one, `affirmed` and `denied` the terms of the other; a term that is
    both speaks neither for nor against. What is `ignored` does not count as affirmed.
    """
    strongest = 0.0
    for denial in denials:
        against = len(denial.terms & affirmed - denied - ignored)
        along = len(denial.terms & denied - affirmed)
        strongest = max(strongest, (against - along) / len(denial.terms))
    return strongest


def prefixed_opposites(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a term of one text is a term of the other with a denying prefix: lawful, unlawful."""
    return any(
        (match := _PREFIX.match(longer)) is not None
        and longer[match.end() :] in fewer
        and longer not in fewer
        and longer[match.end() :] not in many
        for many, fewer in ((one, other), (other, one))
        for longer in many - fewer
    )
