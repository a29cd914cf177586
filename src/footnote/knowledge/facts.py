"""Extract the facts of a document by rules, and compute the keys by which facts are compared.

The rules read tables, key-value lines, definitions and plain sentences.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from footnote.domain import BlockKind
from footnote.domain.facts import ExtractedFact, FactKind
from footnote.knowledge.scales import Scale, scale_of_document
from footnote.knowledge.sentence_facts import line_facts, sentence_facts
from footnote.knowledge.subject_numbers import SubjectNumber
from footnote.knowledge.table_facts import table_facts
from footnote.knowledge.texts import BETWEEN_HEADINGS, DocumentText

EXTRACTOR = "rules-8"
"""Version of the rules, stored with the facts; a new one re-extracts every document."""
MAX_FACTS = 20_000
"""Most facts of one document."""
_PROSE = frozenset((BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.UTTERANCE, BlockKind.OCR_TEXT))
_KEYED = frozenset((FactKind.PROPERTY, FactKind.CELL))
"""Kinds whose form says what an amount is of."""
_NOT_A_WORD = re.compile(r"[^\w.,%+/-]+|[_]+")
_DIGITS = re.compile(r"\d+")
_ARTICLE = re.compile(r"^(?:the|an?|der|die|das|le|la|les|el|los|las)\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactKeys:
    """Comparison keys of a fact; they are stored as keyed hashes."""

    same: str
    """Equal for facts of the same statement in the same words; unique in a document version, and
    stable between versions."""
    merge: str
    """Equal for facts that may be paraphrases: their numbers and dates agree."""
    claim: str
    """Scope, subject, predicate and period: facts with one claim and different values
    contradict."""
    value: str
    """The value of the claim."""


def extract_facts(document: DocumentText, kinds: Collection[FactKind]) -> list[ExtractedFact]:
    """Extract the facts of these kinds in document order, without duplicates; at most
    `MAX_FACTS`."""
    facts: dict[tuple[tuple[int, int], ...], ExtractedFact] = {}
    for fact in _facts(document, frozenset(kinds)):
        facts.setdefault(fact.spans, fact)
        if len(facts) == MAX_FACTS:
            break
    return list(facts.values())


def keys_of(
    fact: ExtractedFact, title: str, number: SubjectNumber | None = None, short: str = ""
) -> FactKeys:
    """Compute the keys of a fact from a document with this title and subject number.

    Statements about a proper name share one scope across all documents. Other facts share a scope
    within documents of one title and, where stated, one subject number, under the same headings. An
    amount of a property or table cell shares it across all titles with one subject number. A
    `short` number tells documents of one title apart.
    """
    subject, predicate = normal_form(fact.subject), normal_form(fact.predicate)
    scope = ""
    if not is_called_by_name(fact):
        title_form, number_key = normal_form(title), "" if number is None else number.key
        section = fact.qualifiers.get("section", "").split(BETWEEN_HEADINGS)
        if number_key and fact.value is not None and fact.unit and fact.kind in _KEYED:
            section = [heading for heading in section if normal_form(heading) != title_form]
            subject, title_form = number_key if subject == title_form else subject, ""
        position = [fact.qualifiers.get(name, "") for name in ("group", "column")]
        scope = (
            f"{number_key or short}\n{title_form} {normal_form(' '.join((*section, *position)))}"
        )
    period = f"{fact.valid_from or ''}…{fact.valid_to or ''}"
    value = f"{fact.value} {fact.unit}" if fact.value is not None else normal_form(fact.object)
    denied = "not" if fact.negated else ""
    # Cells of one row have similar vectors.
    column = predicate if fact.kind is FactKind.CELL else ""
    claim = f"{scope}\n{subject}\n{predicate}\n{period}"
    return FactKeys(
        same="\n".join((fact.kind.value, claim, normal_form(fact.object), denied)),
        merge="\n".join((value, denied, period, column, *sorted(_DIGITS.findall(fact.statement)))),
        claim=claim,
        value=f"{value}\n{denied}",
    )


def is_comparable(fact: ExtractedFact) -> bool:
    """Whether facts with this claim contradict each other where their values differ.

    Statements may have several objects for one subject, unless they give a number.
    """
    return fact.kind is not FactKind.STATEMENT or fact.value is not None


def normal_form(text: str) -> str:
    """Normalise a text: no case, accents, leading article or punctuation.

    >>> normal_form("The  *Résumé*, 2024:")
    'resume 2024'
    """
    stripped = text.casefold()
    if not stripped.isascii():
        folded = unicodedata.normalize("NFKD", stripped)
        stripped = "".join(
            character for character in folded if not unicodedata.combining(character)
        )
    words = (word.strip(".,-/+") for word in _NOT_A_WORD.sub(" ", stripped).split())
    return _ARTICLE.sub("", " ".join(filter(None, words)))


def is_called_by_name(fact: ExtractedFact) -> bool:
    """Whether it is a statement about a proper name, which means the same in all documents."""
    return fact.kind is FactKind.STATEMENT and _is_name(fact.subject)


def _is_name(subject: str) -> bool:
    """Whether a subject is a proper name rather than a common noun.

    >>> _is_name("Acme Holding"), _is_name("The insurer"), _is_name("X-200")
    (True, False, True)
    """
    if any(map(str.isdigit, subject)):
        return True
    words = subject.split()
    if _ARTICLE.match(f"{subject.casefold()} "):
        return False
    return sum(word[0].isupper() for word in words) > 1 or (len(words) == 1 and subject.isupper())


def _facts(document: DocumentText, kinds: frozenset[FactKind]) -> Iterator[ExtractedFact]:
    has_tables = any(block.kind is BlockKind.TABLE for block in document.blocks)
    document_scale = scale_of_document(document.text) if has_tables else Scale()
    for block in document.blocks:
        if block.kind is BlockKind.TABLE:
            if FactKind.CELL in kinds:
                yield from table_facts(document, block, document_scale)
        elif block.kind in _PROSE:
            if FactKind.PROPERTY in kinds:
                yield from line_facts(document, block)
            for fact in sentence_facts(document, block):
                if fact.kind in kinds:
                    yield fact
