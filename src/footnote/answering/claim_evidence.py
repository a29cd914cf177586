"""Pair a sentence with its quotes and their surroundings; extract values of each text once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from footnote.answering.exact_values import ExactValues, extract_values, in_spelling_of
from footnote.answering.sanitise import without_hidden
from footnote.answering.sentences import candidates_of
from footnote.domain import BlockKind, Citation, Evidence, Passage
from footnote.language.scripts import HAN
from footnote.language.sentences import sentence_spans
from footnote.ports import Analyzer

LANGUAGES = ("en", "de", "es", "fr", "it")
"""Languages that are detected for statements, in addition to the quotes' own and Chinese."""
FEWEST_TERMS = 3
"""Minimum number of content terms of a check-worthy sentence without figures."""
_EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_`](?=\w)|(?<=\w)[*_`](?!\w)")
_CLOSING = " \t\n.!?…。！？;；:：\"'”’»)"
_OPENING = " \t\n\"'“‘«(-*•–"
_HAN = re.compile(f"[{HAN}]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimReader:
    """Extracts the values of each text once for all sentences of an answer."""

    analyzer: Analyzer
    _cached: dict[tuple[str, str | None], ExactValues] = field(default_factory=dict)

    def __call__(self, text: str, language: str | None) -> ExactValues:
        """The exact values of a text."""
        key = (text, language)
        if key not in self._cached:
            self._cached[key] = extract_values(text, language, self.analyzer)
        return self._cached[key]

    def guess(self, quotes: Sequence[str]) -> str | None:
        """Detect the language of quotes from a passage without a language."""
        text = "\n".join(quotes)
        return "zh" if _is_chinese(text) else self.analyzer.language_of(text, LANGUAGES)

    def language_of(self, text: str, language: str | None, quotes: Sequence[str]) -> str | None:
        """The language of a statement about quotes in `language`.

        It is `language` if at least half of the statement's terms occur in the quotes, else it is
        detected. Mostly Chinese text is Chinese.
        """
        if _is_chinese(text):
            return "zh"
        quote_terms = frozenset[str]().union(*(self(quote, language).term_set for quote in quotes))
        claim_terms = self(text, language).term_set
        if 2 * len(claim_terms & quote_terms) >= len(claim_terms) and language != "zh":
            return language
        languages = [language] if language and language != "zh" else []
        return self.analyzer.language_of(text, [*languages, *LANGUAGES])


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimEvidence:
    """A statement with its quotes."""

    statement: str
    quotes: tuple[str, ...]
    """Distinct quotes, in an order that does not depend on the order of the citations."""
    shown_statements: frozenset[str]
    """The quotes as shown in an answer: a table row with its header."""
    language: str | None
    """The language of the quotes."""
    claim_language: str | None
    """The language of the statement."""
    claim_values: ExactValues
    quote_values: tuple[ExactValues, ...]
    labels: tuple[ExactValues, ...]
    """Titles and headings of the quotes."""
    around: tuple[ExactValues, ...]
    """The passages of the quotes, with titles and headings."""

    @property
    def is_cross_lingual(self) -> bool:
        """Whether the statement is in another language than its quotes."""
        return self.claim_language != self.language and None not in (
            self.claim_language,
            self.language,
        )

    @property
    def coverage(self) -> float:
        """Share of the statement's terms that occur in its quotes; 0 without terms."""
        claim_terms = self.claim_values.term_set
        quote_terms = frozenset[str]().union(*(values.term_set for values in self.quote_values))
        return len(claim_terms & quote_terms) / len(claim_terms) if claim_terms else 0.0

    @property
    def judged_statement(self) -> str:
        """The statement for a judge: figures and dates are spelled as in the quotes."""
        return in_spelling_of(self.quote_values, self.claim_values)

    @property
    def judged_text(self) -> str:
        """The quotes for a judge, under their titles and headings."""
        return "\n".join((*(label.text for label in self.labels), "\n\n".join(self.quotes)))


def pair_with_evidence(
    text: str, citations: Sequence[Citation], passages: Mapping[str, Passage], reader: ClaimReader
) -> ClaimEvidence:
    """Pair a sentence with its citations, at least one."""
    quotes = tuple(sorted({citation.quote for citation in citations}))
    cited_passages = {
        citation.chunk_id: passages[citation.chunk_id]
        for citation in citations
        if citation.chunk_id in passages
    }
    passage_languages = (passage.language for _, passage in sorted(cited_passages.items()))
    language = next(filter(None, passage_languages), None) or reader.guess(quotes)
    claim_language = reader.language_of(text, language, quotes)
    labels = {
        " › ".join((citation.document_title, *citation.heading_path)) for citation in citations
    } - {""}
    surroundings = sorted(labels | {passage.text for passage in cited_passages.values()})
    return ClaimEvidence(
        statement=text,
        quotes=quotes,
        shown_statements=_shown_statements(citations, cited_passages),
        language=language,
        claim_language=claim_language,
        claim_values=reader(text, claim_language),
        quote_values=tuple(reader(quote, language) for quote in quotes),
        labels=tuple(reader(label, language) for label in sorted(labels)),
        around=tuple(reader(surrounding, language) for surrounding in surroundings),
    )


def is_verbatim(claim: ClaimEvidence) -> bool:
    """Whether the statement is one of its quotes, or a sequence of whole sentences of it.

    Less than a whole sentence is not enough: "not" or "unless" may be missing.
    """
    statements = {_plain_text(claim.statement), _plain_text(claim.judged_statement)} - {""}
    return any(
        statement in claim.shown_statements
        or any(_is_sentence_run(statement, quote) for quote in claim.quotes)
        for statement in statements
    )


def is_check_worthy(text: str, analyzer: Analyzer) -> bool:
    """Whether a sentence is check-worthy: neither a lead-in nor a question, with enough content.

    >>> is_check_worthy("Here is what they say:", analyzer)
    False
    """
    if text.rstrip().endswith((":", "：", "?", "？")):
        return False
    claims = extract_values(text, analyzer.language_of(text, LANGUAGES), analyzer)
    return len(claims.terms) >= FEWEST_TERMS or bool(claims.figures or claims.dates)


def _is_sentence_run(statement: str, quote: str) -> bool:
    if statement == _plain_text(quote):
        return True
    spans = sentence_spans(quote)
    starts = (start for start, _ in spans)
    return any(
        _plain_text(quote[start:end]) == statement
        for start in starts
        for _, end in spans
        if end > start and end - start <= 2 * len(statement) + 80
    )


def _shown_statements(
    citations: Sequence[Citation], passages: Mapping[str, Passage]
) -> frozenset[str]:
    """Quotes of tables and lists as statements, formatted as in answers."""
    cited_spans = {
        (citation.chunk_id, citation.char_start, citation.char_end) for citation in citations
    }
    statements = set()
    for passage in passages.values():
        if any(span.kind is not BlockKind.PARAGRAPH for span in passage.spans) or not passage.spans:
            evidence = Evidence(passage=passage, rank=1, score=0.0)
            statements |= {
                _plain_text(candidate.statement)
                for candidate in candidates_of([evidence])
                if (passage.chunk_id, *candidate.canonical_span) in cited_spans
            }
    return frozenset(statements)


def _plain_text(text: str) -> str:
    return (
        " ".join(_EMPHASIS.sub("", without_hidden(text)).split()).strip(_OPENING).rstrip(_CLOSING)
    )


def _is_chinese(text: str) -> bool:
    letters = sum(map(str.isalpha, text))
    return 2 * len(_HAN.findall(text)) > letters
