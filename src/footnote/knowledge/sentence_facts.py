"""Extract facts from key-value lines, definitions and plain sentences.

Other sentences yield nothing, nor do those whose subject is a pronoun such as `it`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from footnote.domain.facts import ExtractedFact, FactKind
from footnote.knowledge.grids import is_time
from footnote.knowledge.periods import period_of
from footnote.knowledge.sentence_forms import parse_clause
from footnote.knowledge.texts import BETWEEN_HEADINGS, DocumentText, TextBlock
from footnote.language.dates import dates_mentioned
from footnote.language.figures import PERCENT, Figure, figures_of
from footnote.language.negators import negators_in
from footnote.language.quantities import (
    Quantity,
    amount_in,
    marks_of_amounts,
    number_in,
    plain_number,
)
from footnote.language.sentences import sentence_spans

_CONFIDENCE = {FactKind.PROPERTY: 0.9, FactKind.DEFINITION: 0.8, FactKind.STATEMENT: 0.6}
_MAX_KEY_WORDS = 7
_MAX_SENTENCE = 320
"""Most characters of a sentence that is read as one fact."""
_PROPERTY = re.compile(
    r"^[ \t]*(?:[-*•+–][ \t]+|\d{1,3}[.)][ \t]+)?(?P<key>[^\n:：|]{2,60}?)[ \t]*(?:\*\*|__)?[:：]"
    r"(?:\*\*|__)?[ \t]*(?P<value>[^\n]{1,240}?)[ \t]*$",
    re.MULTILINE,
)
_KEY = re.compile(r"(?:\*\*|__)?[^\W_][^?!;=<>{}]*")
_NO_KEYS = frozenset(
    "note notes hint example examples e.g i.e http https warning caution remark hinweis beispiel "
    "achtung anmerkung nota ejemplo exemple remarque 注 例如".split()
)
"""Words that, first or last before a colon, show that it is no key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ParsedFact:
    """A statement found in a text, with its spans."""

    kind: FactKind
    subject: str
    predicate: str
    object: str
    statement: str
    spans: tuple[tuple[int, int], ...]
    quoted: tuple[int, int]


def line_facts(document: DocumentText, block: TextBlock) -> Iterator[ExtractedFact]:
    """Extract facts from lines such as `Deductible: 500 EUR`; the subject is the heading."""
    subject = block.headings[-1] if block.headings else document.title
    for match in _PROPERTY.finditer(document.text, block.start, block.end):
        key, value = match["key"].strip(" *_"), match["value"].strip(" *_")
        if not _is_property(match["key"].strip(), key, value):
            continue
        start = match.start("value") + match["value"].find(value)
        key_start = match.start("key") + match["key"].find(key)
        parsed = _ParsedFact(
            kind=FactKind.PROPERTY,
            subject=subject,
            predicate=key,
            object=value,
            statement=f"{subject} – {key}: {value}",
            spans=((start, start + len(value)), (key_start, key_start + len(key))),
            quoted=(key_start, start + len(value)),
        )
        yield _fact(document, block, parsed)


def sentence_facts(document: DocumentText, block: TextBlock) -> Iterator[ExtractedFact]:
    """The definitions and plain statements of a block's sentences."""
    for first, last in sentence_spans(document.text[block.start : block.end]):
        start, end = block.start + first, block.start + last
        sentence = document.text[start:end]
        if len(sentence) > _MAX_SENTENCE or "|" in sentence:
            continue
        parsed = parse_clause(sentence, document.language or "en")
        if parsed is None:
            continue
        object_start = start + parsed.object_start
        sentence_fact = _ParsedFact(
            kind=FactKind.DEFINITION if parsed.defines else FactKind.STATEMENT,
            subject=parsed.subject,
            predicate=parsed.verb,
            object=" ".join(parsed.object.split()),
            statement=" ".join(sentence.replace("**", "").split()),
            spans=((object_start, object_start + len(parsed.object)), (start, end)),
            quoted=(start, end),
        )
        yield _fact(document, block, sentence_fact)


def _is_property(matched_key: str, key: str, value: str) -> bool:
    """Whether the text before and after a line's colon is a key with a value."""
    words = key.split()
    return (
        bool(value)
        and 0 < len(words) <= _MAX_KEY_WORDS
        and _KEY.fullmatch(matched_key) is not None
        and _NO_KEYS.isdisjoint((words[0].casefold(), words[-1].casefold().strip(".")))
        and not value.startswith("//")
        and not value.endswith("?")
        # Times of day and references: `12:30`, `Genesis 1:1`.
        and not (key[-1].isdigit() and value[0].isdigit())
        and len(sentence_spans(value)) == 1
    )


def _fact(document: DocumentText, block: TextBlock, parsed: _ParsedFact) -> ExtractedFact:
    number = number_of(parsed.object, document.language, document.text)
    dated = (
        parsed.statement
        if parsed.kind is FactKind.STATEMENT
        else f"{parsed.subject} {parsed.predicate}"
    )
    valid_from, valid_to = period_of(dated)
    negators = negators_in(parsed.statement, document.language or "en")
    return ExtractedFact(
        kind=parsed.kind,
        subject=parsed.subject,
        predicate=parsed.predicate,
        object=parsed.object,
        statement=parsed.statement,
        embedded=(parsed.statement,),
        spans=parsed.spans,
        quoted=parsed.quoted,
        confidence=_CONFIDENCE[parsed.kind],
        value=None if number is None else plain_number(number.value),
        unit="" if number is None else number.unit,
        qualifiers={"section": BETWEEN_HEADINGS.join(block.headings)} if block.headings else {},
        valid_from=valid_from,
        valid_to=valid_to,
        negated=next(negators, None) is not None,
    )


def _is_a_pronoun(figure: Figure, text: str) -> bool:
    """Whether a figure is a word such as `a` or `one`, which is rarely meant as a number."""
    is_spelled = not any(map(str.isdigit, text[figure.start : figure.end]))
    return not figure.claims or (is_spelled and figure.values == {1.0})


def number_of(text: str, language: str | None, around: str = "") -> Quantity | None:
    """Parse the number of a text with exactly one number, and no date or identifier.

    An amount that the language would read with three decimals, such as `EUR 1.250`, is parsed as
    the amounts in `around` are written; if those do not decide, it is no number.
    """
    if dates_mentioned(text):
        return None
    figures = [
        candidate for candidate in figures_of(text, language) if not _is_a_pronoun(candidate, text)
    ]
    if len(figures) > 1:
        figures = [
            candidate for candidate in figures if not is_time(text[candidate.start : candidate.end])
        ]
    if len(figures) != 1 or figures[0].code:
        return None
    [figure] = figures
    if len(figure.values) == 1:
        [value] = figure.values
        following = re.match(r"\s?([^\W\d_]+)", text[figure.end :])
        unit = figure.unit or ("" if following is None else following[1])
        return Quantity(value=Decimal(f"{value:.15g}"), unit=unit)
    figure_text = text[figure.start : figure.end]
    if figure.unit in ("", PERCENT):
        parsed = number_in(figure_text, language)
    else:
        parsed = amount_in(figure_text, language, marks_of_amounts(around))
    if parsed is None or float(parsed.value) not in figure.values:  # in millions, say
        return None
    return Quantity(value=parsed.value, unit=figure.unit or parsed.unit)
