from __future__ import annotations

import pytest

from footnote.domain import DocumentClass, ParsedDocument
from footnote.ingestion.chunking import chunk_blocks
from footnote.ingestion.enrichment import EnrichmentParts, classify, enrich, words_of
from footnote.ingestion.keywords import CorpusFrequencies, frequent_words, keywords_among
from footnote.ingestion.parsing.reading import read_document
from footnote.language.detection import detect_language
from tests.ingestion import files
from tests.ingestion.test_chunking import TOKENIZER

LEASE = """# Lease of the boathouse

## Rent

The rent for the boathouse is 900 euro a month. The tenant pays the rent on the first working day.
The boathouse is let without furniture.

## Term

The lease of the boathouse begins on 1 July 2024 and ends on 30.06.2027. Either party may
terminate it earlier when the boathouse is flooded, and the rent is then returned.
"""


def read(text: str, filename: str = "lease.md") -> ParsedDocument:
    return read_document(text.encode(), filename)


def test_a_document_is_described() -> None:
    parsed = read(LEASE)
    enrichment, chunks = enrich(parsed, chunk_blocks(parsed, TOKENIZER), "lease.md")
    assert enrichment.title == "Lease of the boathouse"
    assert enrichment.language == "en"
    assert enrichment.document_class is DocumentClass.CONTRACT
    assert enrichment.sections == ("Lease of the boathouse", "Rent", "Term")
    assert enrichment.dates == ("2024-07-01", "2027-06-30")
    assert {"boathouse", "rent"} <= {keyword.lower() for keyword in enrichment.keywords}
    assert enrichment.summary.startswith("The rent for the boathouse is 900 euro a month.")
    assert chunks[0].context.startswith("[Document: Lease of the boathouse] [Section: Rent] [Key")
    assert chunks[0].embedded_text.endswith(chunks[0].text)


def test_every_part_of_the_context_can_be_left_out() -> None:
    parsed = read(LEASE)
    parts = EnrichmentParts(title=False, section=False, keywords=False)
    _, chunks = enrich(parsed, chunk_blocks(parsed, TOKENIZER), "lease.md", parts=parts)
    assert {chunk.context for chunk in chunks} == {""}


@pytest.mark.parametrize("title", ["word " * 100, "标题" * 200])
def test_a_context_stays_short(title: str) -> None:
    parsed = read(f"# {title}\n\n## {title}\n\nText of the section, which says something.\n")
    _, (chunk,) = enrich(parsed, chunk_blocks(parsed, TOKENIZER), "a.md")
    wide = sum(character > "\u3000" for character in chunk.context)
    assert len(chunk.context) + 3 * wide <= 200
    assert "[Document: " in chunk.context
    assert "…]" in chunk.context


def test_words_that_are_common_in_the_corpus_are_poor_keywords() -> None:
    words = words_of(read(LEASE))
    common = dict.fromkeys(frequent_words(words), 1000)
    corpus = CorpusFrequencies(chunks=1000, by_word=common | {"rent": 1})
    assert keywords_among(words, corpus)[0] == "rent"


def test_a_corpus_without_chunks_changes_no_keyword() -> None:
    parsed = read(LEASE)
    corpus = CorpusFrequencies(chunks=0, by_word={})
    enrichment, _ = enrich(parsed, (), "lease.md")
    assert keywords_among(words_of(parsed), corpus) == enrichment.keywords


def test_enriching_twice_gives_the_same() -> None:
    parsed = read(LEASE)
    chunks = chunk_blocks(parsed, TOKENIZER)
    (once, first), (again, second) = (enrich(parsed, chunks, "a.md") for _ in range(2))
    assert (once, tuple(first)) == (again, tuple(second))


@pytest.mark.parametrize(
    ("content", "filename", "expected"),
    [
        (files.letter_eml(), "a.eml", DocumentClass.EMAIL),
        (files.deck_pptx(), "a.pptx", DocumentClass.SLIDES),
        (files.prices_xlsx(), "a.xlsx", DocumentClass.TABLE),
        (files.contract_docx(), "a.docx", DocumentClass.CONTRACT),
        (files.handbook_pdf(), "employee-handbook.pdf", DocumentClass.POLICY),
        (b"# Minutes of the meeting\n\nPresent: Ann, Bob.", "a.md", DocumentClass.MINUTES),
        (b"```\nx = 1\ny = 2\nz = 3\n```", "a.md", DocumentClass.CODE),
        (b"def f():\n    return 1\n", "a.py", DocumentClass.CODE),
        (b"The weather is fine.", "a.txt", DocumentClass.GENERIC),
        (b"# Code snippets of the page\n\nSome rules apply.", "a.md", DocumentClass.GENERIC),
    ],
)
def test_the_class_follows_from_type_and_words(
    content: bytes, filename: str, expected: DocumentClass
) -> None:
    assert classify(read_document(content, filename), filename) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This agreement takes effect on the first of July.", "en"),
        ("Dieser Vertrag tritt am ersten Juli in Kraft.", "de"),
        ("Le contrat est signé par les deux parties.", "fr"),
        ("El contrato entra en vigor el primero de julio.", "es"),
        ("本合同自七月一日起生效，双方应当按照约定全面履行自己的义务。", "zh"),
        ("Договор вступает в силу первого июля.", "ru"),
        ("INV-2025 12", None),
        ("", None),
    ],
)
def test_the_language_is_told_or_left_open(text: str, expected: str | None) -> None:
    assert detect_language(text) == expected
