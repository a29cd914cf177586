"""Find exact values of a claim that its quotes lack: numbers, limits, dates, names, codes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.answering.claim_evidence import ClaimEvidence
from footnote.answering.exact_values import (
    ExactValues,
    misplaced_figures,
    missing_dates,
    missing_figures,
)
from footnote.answering.limits import reversed_limits
from footnote.answering.names import holds_name
from footnote.domain.grounding import Guard, GuardKind
from footnote.language.figures import Figure, agrees

ABOUT_THE_SAME = 0.5
"""Minimum coverage for a quote to be about the same subject, so that a different value
contradicts."""
_YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)
_WORD = re.compile(r"[^\W\d_]+(?:['’\-–][^\W\d_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardResult:
    """What the guards say of a claim and its quotes."""

    guards: tuple[Guard, ...]
    """Exact values that the quotes do not have. They are decisive, so no judge overrides them."""
    has_conflict: bool
    """Whether the quotes have a different value instead."""


def guard(evidence: ClaimEvidence) -> GuardResult:
    """Check the exact values of a claim against its quotes.

    A figure or date is missing if no quote contains it and the surrounding text does not have it
    next to the same terms. A year is not missing if a title or heading contains it, as that dates
    all text below. A name is missing if neither the quotes nor their surroundings contain it; the
    surroundings are ignored if the quotes have another name. Names and limits are skipped across
    languages, because they are translated.
    """
    claim, quoted = evidence.claim_values, evidence.quote_values
    all_texts = [*quoted, *evidence.around]
    misplaced = set(misplaced_figures(claim, evidence.around))
    figures = [
        figure
        for figure in missing_figures(claim, quoted)
        if figure in misplaced and not _is_year_in_labels(evidence.labels, figure, claim)
    ]
    guards = [
        Guard(
            kind=GuardKind.IDENTIFIER if figure.code else GuardKind.NUMBER,
            text=claim.text[figure.start : figure.end],
        )
        for figure in figures
    ]
    guards += [
        Guard(kind=GuardKind.DATE, text=claim.text[date.start : date.end])
        for date in missing_dates(claim, all_texts)
    ]
    has_conflict = bool(guards) and _has_other_values(claim, quoted)
    if not evidence.is_cross_lingual:
        has_other_names = _has_other_names(claim, quoted)
        names = _missing_names(claim, [*quoted, *evidence.labels] if has_other_names else all_texts)
        limits = [
            Guard(kind=GuardKind.LIMIT, text=claim.text[limit.start : limit.end])
            for limit in reversed_limits(claim, quoted, evidence.language)
        ]
        guards += [*names, *limits]
        has_conflict = has_conflict or (has_other_names and bool(names)) or bool(limits)
    is_about_the_same = evidence.is_cross_lingual or evidence.coverage >= ABOUT_THE_SAME
    return GuardResult(
        guards=tuple(dict.fromkeys(guards)), has_conflict=has_conflict and is_about_the_same
    )


def _is_year_in_labels(labels: Sequence[ExactValues], figure: Figure, claim: ExactValues) -> bool:
    """Whether the figure is a year that occurs in one of the labels."""
    return bool(_YEAR.fullmatch(claim.text[figure.start : figure.end])) and any(
        agrees(figure, other) for label in labels for other in label.figures
    )


def _missing_names(claim: ExactValues, texts: Sequence[ExactValues]) -> list[Guard]:
    missing = []
    for name in claim.names:
        if name.sure and not any(
            holds_name(name, source.words, source.acronyms, source.text) for source in texts
        ):
            word = _WORD.match(claim.text, name.start)
            missing.append(Guard(kind=GuardKind.NAME, text=word.group() if word else name.word))
    return missing


def _has_other_values(claim: ExactValues, quoted: Sequence[ExactValues]) -> bool:
    """Whether a quote has a figure or a date that the claim does not have."""
    return any(missing_figures(quote, [claim]) or missing_dates(quote, [claim]) for quote in quoted)


def _has_other_names(claim: ExactValues, quoted: Sequence[ExactValues]) -> bool:
    """Whether a quote has a name that the claim does not have."""
    return any(
        name.sure and not holds_name(name, claim.words, claim.acronyms, claim.text)
        for quote in quoted
        for name in quote.names
    )
