"""Every fact of real files resolves to quoted words: of the examples, and of all formats."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

from footnote.domain import BlockKind
from footnote.domain.facts import ExtractedFact, FactKind
from footnote.errors import DocumentUnreadable
from footnote.ingestion.chunking import chunk_blocks
from footnote.ingestion.enrichment import enrich
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from footnote.knowledge.facts import extract_facts
from footnote.knowledge.texts import DocumentText, blocks_of
from footnote.models.testing import HashEmbedder

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "documents"
DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA") or ROOT.parent / "shared" / "data") / "documents"
LEAD_CHARACTERS = 400
"""Before a table, where its caption may stand."""
CONVERTED = frozenset(("doc", "ppt", "xls"))
"""Formats that LibreOffice makes others of, which takes seconds."""
MAX_BYTES = 2_000_000
"""A larger file takes longer to read than a test should."""

_MARKS = re.compile(r"\*\*|__|`|<br\s*/?>|\\(?=\|)|\s+")
_NUMBER = re.compile(r"\d(?:[\d.,'’\s]*\d)?")


def folders() -> list[Path]:
    """The folder of the examples, and those of other files by their format."""
    found = (each for each in DATA.glob("*") if each.is_dir() and each.name not in CONVERTED)
    return [EXAMPLES, *sorted(found)]


@cache
def document_of(path: Path) -> DocumentText | None:
    """A file as extraction sees it once it is ingested; None where it has no text to read."""
    content = path.read_bytes()
    try:
        parsed = read_document(content, path.name, ReadingOptions(ocr="off"))
    except DocumentUnreadable:
        return None
    enrichment, chunks = enrich(parsed, chunk_blocks(parsed, HashEmbedder()), path.name)
    return DocumentText(
        text=parsed.text,
        title=enrichment.title,
        language=enrichment.language,
        blocks=blocks_of(chunks),
    )


def bare(text: str) -> str:
    """A text without white space and marks of emphasis."""
    return _MARKS.sub("", text)


def figures(text: str) -> set[str]:
    """The digits of each number in a text that matter: no separators, no zeros at either end."""
    return {re.sub(r"\D", "", each).strip("0") for each in _NUMBER.findall(text)}


def faults(document: DocumentText, fact: ExtractedFact) -> list[str]:
    """What of a fact cannot be found in the words that it names."""
    text, (first, last) = document.text, fact.quoted
    quote, said = text[first:last], text[slice(*fact.spans[0])]
    found = [
        f"{span} is no span of words"
        for span in (*fact.spans, fact.quoted)
        if not _holds_words(text, *span)
    ]
    if bare(fact.object) != bare(said):
        found.append(f"{said!r} is not its object")
    if bare(fact.object) not in bare(quote):
        found.append(f"its object does not stand in {quote!r}")
    known = bare(" ".join((quote, *_around(document, fact))))
    found += [
        f"{part!r} stands nowhere"
        for part in (fact.subject, fact.predicate)
        if bare(part) not in known
    ]
    digits = figures(fact.object)
    if fact.value is not None and digits:
        value = format(abs(Decimal(fact.value)), "f").replace(".", "").strip("0")
        if value not in digits:
            found.append(f"{fact.value} is no number of it")
    return found


def _holds_words(text: str, start: int, end: int) -> bool:
    return 0 <= start < end <= len(text) and text[start:end] == text[start:end].strip()


def _around(document: DocumentText, fact: ExtractedFact) -> Sequence[str]:
    """The words that a fact names, what it stands under, and what stands above its table."""
    text, first = document.text, fact.quoted[0]
    [block] = [each for each in document.blocks if each.start <= first < each.end]
    held = [text[start:end] for start, end in fact.spans]
    if block.kind is BlockKind.TABLE:
        held.append(text[max(0, block.start - LEAD_CHARACTERS) : block.start])
    return (*held, document.title, *block.headings)


@pytest.mark.parametrize("folder", folders(), ids=lambda folder: folder.name)
def test_every_fact_of_a_file_resolves_to_its_words(folder: Path) -> None:
    wrong = []
    for path in sorted(each for each in folder.iterdir() if each.is_file()):
        if path.stat().st_size > MAX_BYTES:
            continue
        document = document_of(path)
        for fact in () if document is None else extract_facts(document, tuple(FactKind)):
            assert document is not None
            wrong += [f"{path.name}: {fact.statement}: {each}" for each in faults(document, fact)]
    assert wrong == []


def test_the_examples_have_facts_that_resolve() -> None:
    counts: Counter[FactKind] = Counter()
    for path in sorted(EXAMPLES.iterdir()):
        document = document_of(path)
        if document is not None:
            counts.update(each.kind for each in extract_facts(document, tuple(FactKind)))
    assert counts.keys() == {FactKind.CELL, FactKind.PROPERTY, FactKind.STATEMENT}
    assert counts.total() > 500


@pytest.mark.skipif(not DATA.is_dir(), reason="no ../shared/data here: the examples alone")
def test_other_files_are_there() -> None:
    assert len(folders()) > 10
