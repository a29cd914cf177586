"""Extract exact values from a text: terms with positions, figures, dates and names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.answering.names import Name, acronyms_of, names_of, words_of
from footnote.answering.sanitise import without_hidden
from footnote.language.dates import (
    DateMention,
    Day,
    bears_out,
    dates_mentioned,
    mentioned_months,
    months_after_time_words,
)
from footnote.language.figures import Figure, agrees, figures_of
from footnote.language.scripts import HAN
from footnote.ports import Analyzer

_TOKEN = re.compile(rf"(?P<han>[{HAN}]+)|[^\W_{HAN}]+(?:['’][^\W\d_{HAN}]+)*")
_CHINESE_FUNCTION = frozenset("的了是在和与之于及为以等也其这那有将被把从对向由并就都而或但个")
_DIGIT = re.compile(r"\d")
NEIGHBOURS = 2
"""Terms on either side of a figure that describe what it counts."""
WINDOW = 5
"""Most terms between two terms that count as adjacent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A content term with its offsets."""

    term: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactValues:
    """The exact values of a text."""

    text: str
    terms: tuple[Term, ...]
    """Content terms without digits, in order."""
    figures: tuple[Figure, ...]
    dates: tuple[DateMention, ...]
    names: tuple[Name, ...]
    words: frozenset[str]
    """All words, normalised for comparison with names."""
    acronyms: frozenset[str]
    term_set: frozenset[str]

    @property
    def years(self) -> frozenset[int]:
        """Every number that may be a year, including those in dates."""
        figure_years = {
            int(value) for figure in self.figures for value in figure.values if 1000 <= value < 2200
        }
        date_years = {
            day.year for mention in self.dates for day in mention.readings if day.year is not None
        }
        return frozenset(figure_years | date_years)


def extract_values(text: str, language: str | None, analyzer: Analyzer) -> ExactValues:
    """Extract the values of a text in this language; None means English."""
    text = without_hidden(text)
    dates = [*dates_mentioned(text), *months_after_time_words(text)]
    dates.sort(key=lambda mention: mention.start)
    figures = figures_of(text, language, [(mention.start, mention.end) for mention in dates])
    figure_and_date_spans = [(mention.start, mention.end) for mention in dates]
    figure_and_date_spans += [(figure.start, figure.end) for figure in figures if figure.claims]
    # "Million dollars" is compared as a part of its figure, and June as a part of its date.
    terms = [
        term
        for term in _extract_terms(text, language, analyzer)
        if not any(start < term.end and term.start < end for start, end in figure_and_date_spans)
    ]
    term_starts = {term.start for term in terms}
    is_german = language == "de"
    names = names_of(
        text, nouns_have_capitals=is_german, telling=term_starts if is_german else None
    )
    return ExactValues(
        text=text,
        terms=tuple(terms),
        term_set=frozenset(term.term for term in terms),
        figures=tuple(figures),
        dates=tuple(dates),
        names=tuple(
            name
            for name in names
            # Function words and numbers at the beginning of a sentence are capitalised too.
            if name.start in term_starts or not name.word.isascii()
        ),
        words=words_of(text),
        acronyms=acronyms_of(text),
    )


def missing_figures(claim: ExactValues, sources: Sequence[ExactValues]) -> list[Figure]:
    """The figures of the claim that no source contains."""
    return [
        figure
        for figure in claim.figures
        if figure.claims and not any(_contains_figure(source, figure, claim) for source in sources)
    ]


def missing_dates(claim: ExactValues, sources: Sequence[ExactValues]) -> list[DateMention]:
    """The dates of the claim that no source contains; a month alone may be written in any way."""
    mentions = [mention for source in sources for mention in source.dates]
    years = frozenset(year for source in sources for year in source.years)
    missing = [date for date in claim.dates if not bears_out(date, mentions, years)]
    if not missing:
        return []
    named_months = {
        Day(month=month) for source in sources for month in mentioned_months(source.text)
    }
    return [date for date in missing if named_months.isdisjoint(date.readings)]


def in_spelling_of(sources: Sequence[ExactValues], claim: ExactValues) -> str:
    """The claim with equal figures and dates spelled as in the sources.

    `twelve hundred` is exactly `1,200`, so no model has to know it.

    >>> sources = [extract_values("It costs 1,200 EUR from 03.06.2024.", "en", analyzer)]
    >>> in_spelling_of(sources, extract_values("On June 3, 2024 it cost 1200 EUR.", "en", analyzer))
    'On 03.06.2024 it cost 1,200 EUR.'
    """
    replacements: list[tuple[int, int, str]] = []
    for figure in claim.figures:
        if figure.claims:
            replacements += _first_spelling(
                figure,
                [
                    (source, other)
                    for source in sources
                    for other in source.figures
                    if other.unit == figure.unit
                    and other.code == figure.code
                    and other.values & figure.values
                ],
            )
    for date in claim.dates:
        replacements += _first_spelling(
            date,
            [
                (source, other)
                for source in sources
                for other in source.dates
                if set(date.readings) <= set(other.readings)
            ],
        )
    text = claim.text
    for start, end, spelling in sorted(replacements, reverse=True):
        text = text[:start] + spelling + text[end:]
    return text


def misplaced_figures(claim: ExactValues, sources: Sequence[ExactValues]) -> list[Figure]:
    """The figures of the claim that no text has near a term they are near in the claim.

    This includes all missing figures.
    """
    return [
        figure
        for figure in claim.figures
        if figure.claims
        and not any(_has_figure_in_context(source, figure, claim) for source in sources)
    ]


def _first_spelling(
    value: Figure | DateMention, matches: Sequence[tuple[ExactValues, Figure | DateMention]]
) -> list[tuple[int, int, str]]:
    """The span of a figure or date, and its spelling in the first matching text."""
    return [
        (
            value.start,
            value.end,
            source.text[
                mention.start - _follows_currency_sign(source.text, mention.start) : mention.end
            ],
        )
        for source, mention in matches[:1]
    ]


def _follows_currency_sign(text: str, start: int) -> bool:
    """Whether a currency sign precedes the figure."""
    return text[max(0, start - 1) : start] in tuple("$€£¥")


def _contains_figure(source: ExactValues, figure: Figure, claim: ExactValues) -> bool:
    """Whether a text has the figure; an uncertain number in the text counts only near a same
    term."""
    return (
        any(agrees(figure, other) for other in source.figures if other.claims)
        or _has_figure_in_context(source, figure, claim)
        or _is_part_of_date(figure, source)
    )


def _has_figure_in_context(source: ExactValues, figure: Figure, claim: ExactValues) -> bool:
    """Whether a text has the figure next to the same term as in the claim, if the claim has one."""
    matching_figures = [other for other in source.figures if agrees(figure, other)]
    if not matching_figures:
        return _is_part_of_date(figure, source)
    neighbours = _neighbouring_terms(claim, figure, NEIGHBOURS)
    return not neighbours or any(
        neighbours & _neighbouring_terms(source, other, WINDOW) for other in matching_figures
    )


def _is_part_of_date(figure: Figure, source: ExactValues) -> bool:
    """Whether the figure is a part of a date in the text."""
    return not figure.unit and any(
        value in (day.year, day.month, day.day)
        for mention in source.dates
        for day in mention.readings
        for value in figure.values
    )


def _neighbouring_terms(text: ExactValues, figure: Figure, reach: int) -> frozenset[str]:
    before = [term.term for term in text.terms if term.end <= figure.start]
    after = [term.term for term in text.terms if term.start >= figure.end]
    return frozenset((*before[-reach:], *after[:reach]))


def _extract_terms(text: str, language: str | None, analyzer: Analyzer) -> list[Term]:
    content_terms: list[Term] = []
    words: list[tuple[str, int, int]] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        if match["han"]:
            for offset in range(len(token) - 1):
                bigram = token[offset : offset + 2]
                if not _CHINESE_FUNCTION.intersection(bigram):
                    start = match.start() + offset
                    content_terms.append(Term(term=bigram, start=start, end=start + 2))
        elif not _DIGIT.search(token):
            words.append((token.casefold(), match.start(), match.end()))
    stems = analyzer.word_terms([word for word, _, _ in words], language)
    for (_, start, end), word_terms in zip(words, stems, strict=True):
        content_terms += [Term(term=term, start=start, end=end) for term in word_terms[:1]]
    return sorted(content_terms, key=lambda term: term.start)
