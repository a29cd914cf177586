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
from footnote.knowledge.sentence_forms import said_in
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
_MOST_KEY_WORDS = 7
_MOST_SENTENCE = 320
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
class _Found:
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
        found = _Found(
            kind=FactKind.PROPERTY,
            subject=subject,
            predicate=key,
            object=value,
            statement=f"{subject} – {key}: {value}",
            spans=((start, start + len(value)), (key_start, key_start + len(key))),
            quoted=(key_start, start + len(value)),
        )
        yield _fact(document, block, found)


def sentence_facts(document: DocumentText, block: TextBlock) -> Iterator[ExtractedFact]:
    """The definitions and plain statements of a block's sentences."""
    for first, last in sentence_spans(document.text[block.start : block.end]):
        start, end = block.start + first, block.start + last
        sentence = document.text[start:end]
        if len(sentence) > _MOST_SENTENCE or "|" in sentence:
            continue
        said = said_in(sentence, document.language or "en")
        if said is None:
            continue
        held = start + said.object_start
        found = _Found(
            kind=FactKind.DEFINITION if said.defines else FactKind.STATEMENT,
            subject=said.subject,
            predicate=said.verb,
            object=" ".join(said.object.split()),
            statement=" ".join(sentence.replace("**", "").split()),
            spans=((held, held + len(said.object)), (start, end)),
            quoted=(start, end),
        )
        yield _fact(document, block, found)


def _is_property(written: str, key: str, value: str) -> bool:
    """Whether the text before and after a line's colon is a key with a value."""
    words = key.split()
    return (
        bool(value)
        and 0 < len(words) <= _MOST_KEY_WORDS
        and _KEY.fullmatch(written) is not None
        and _NO_KEYS.isdisjoint((words[0].casefold(), words[-1].casefold().strip(".")))
        and not value.startswith("//")
        and not value.endswith("?")
        # Times of day and references: `12:30`, `Genesis 1:1`.
        and not (key[-1].isdigit() and value[0].isdigit())
        and len(sentence_spans(value)) == 1
    )


def _fact(document: DocumentText, block: TextBlock, found: _Found) -> ExtractedFact:
    number = number_of(found.object, document.language, document.text)
    dated = (
        found.statement
        if found.kind is FactKind.STATEMENT
        else f"{found.subject} {found.predicate}"
    )
    valid_from, valid_to = period_of(dated)
    negators = negators_in(found.statement, document.language or "en")
    return ExtractedFact(
        kind=found.kind,
        subject=found.subject,
        predicate=found.predicate,
        object=found.object,
        statement=found.statement,
        embedded=(found.statement,),
        spans=found.spans,
        quoted=found.quoted,
        confidence=_CONFIDENCE[found.kind],
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
    figures = [each for each in figures_of(text, language) if not _is_a_pronoun(each, text)]
    if len(figures) > 1:
        figures = [each for each in figures if not is_time(text[each.start : each.end])]
    if len(figures) != 1 or figures[0].code:
        return None
    [figure] = figures
    if len(figure.values) == 1:
        [value] = figure.values
        behind = re.match(r"\s?([^\W\d_]+)", text[figure.end :])
        unit = figure.unit or ("" if behind is None else behind[1])
        return Quantity(value=Decimal(f"{value:.15g}"), unit=unit)
    written = text[figure.start : figure.end]
    if figure.unit in ("", PERCENT):
        read = number_in(written, language)
    else:
        read = amount_in(written, language, marks_of_amounts(around))
    if read is None or float(read.value) not in figure.values:  # in millions, say
        return None
    return Quantity(value=read.value, unit=figure.unit or read.unit)
