"""Enrich a document by rules: its class, keywords and summary, and the context of its chunks."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath

from footnote.domain import Block, BlockKind, Chunk, DocumentClass, Enrichment, ParsedDocument
from footnote.ingestion import media
from footnote.ingestion.chunking import ChunkSequence
from footnote.ingestion.keywords import WORD, WordCounts, count_words, keywords_alone
from footnote.ingestion.naming import LONG_DOCUMENT, cover_headings, other_names
from footnote.language.dates import complete_dates
from footnote.language.detection import detect_language
from footnote.language.scripts import HAN, HANGUL, KANA
from footnote.language.sentences import sentence_spans

_SAMPLE_CHARACTERS = 4000
STUDIED_CHARACTERS = 150_000
"""Length of the beginning that keywords and summary come from, which bounds their cost."""
_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.OCR_TEXT, BlockKind.UTTERANCE)
_MAX_SECTIONS = 60
_MAX_DATES = 20
_REMEMBERED_CONTEXTS = 256
"""Size of the cache of contexts; chunks under one heading share one, and follow each other."""
_CJK = re.compile(f"[{HAN}{KANA}{HANGUL}]")
_WIDE_CHARACTER = 4
"""A CJK character costs about as many tokens as this many Latin ones."""

_CLASS_BY_TYPE = {
    media.EMAIL: DocumentClass.EMAIL,
    media.OUTLOOK: DocumentClass.EMAIL,
    media.MBOX: DocumentClass.EMAIL,
    media.PPTX: DocumentClass.SLIDES,
    media.PPT: DocumentClass.SLIDES,
    media.ODP: DocumentClass.SLIDES,
    media.CODE: DocumentClass.CODE,
    media.CSV: DocumentClass.TABLE,
    media.TSV: DocumentClass.TABLE,
    media.JSON_LINES: DocumentClass.TABLE,
    media.XLSX: DocumentClass.TABLE,
    media.XLS: DocumentClass.TABLE,
    media.ODS: DocumentClass.TABLE,
    media.CAPTIONS: DocumentClass.TRANSCRIPT,
    media.SUBRIP: DocumentClass.TRANSCRIPT,
}
_CLASS_BY_KIND = {
    BlockKind.TABLE: DocumentClass.TABLE,
    BlockKind.CODE: DocumentClass.CODE,
    BlockKind.UTTERANCE: DocumentClass.TRANSCRIPT,
}
_DOMINANT_SHARE = 0.7
_CLASS_WORDS = {
    DocumentClass.CONTRACT: "contract agreement lease party parties hereby terminate termination "
    "vertrag mietvertrag kaufvertrag vertragspartei contrat contrato contratto",
    DocumentClass.POLICY: "policy policies handbook guideline guidelines conduct insured "
    "exclusions richtlinie ordnung handbuch politique política",
    DocumentClass.REPORT: "report annual quarterly findings results summary analysis revenue audit "
    "bericht jahresbericht rapport informe relazione",
    DocumentClass.MINUTES: "minutes meeting attendees agenda present apologies decisions actions "
    "protokoll besprechung sitzung teilnehmer réunion acta verbale",
}
_NAMED_WEIGHT = 3
_CLASS_THRESHOLD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichmentParts:
    """Which parts of its document are put before a chunk when it is embedded."""

    title: bool = True
    section: bool = True
    keywords: bool = True
    max_characters: int = 190
    """About 48 tokens of Latin text; a CJK character counts as four."""


def enrich(
    parsed: ParsedDocument,
    chunks: Sequence[Chunk],
    filename: str,
    *,
    words: WordCounts | None = None,
    parts: EnrichmentParts | None = None,
) -> tuple[Enrichment, ChunkSequence]:
    """Return the document's enrichment, and its chunks with their context.

    `words` is the result of `words_of`, computed if it is not given. Keywords are words that are
    frequent in the document and in its headings. A document always gets the same context, whatever
    other documents there are, so that its text is not embedded again.
    """
    parts = parts or EnrichmentParts()
    words = words or words_of(parsed)
    blocks = _studied_blocks(parsed.blocks)
    title = parsed.title or PurePath(filename).stem or filename
    is_long = len(chunks) >= LONG_DOCUMENT
    headings = [block for block in parsed.blocks if block.kind is BlockKind.HEADING]
    outer = dict.fromkeys(block.text for block in headings if len(block.heading_path) <= 2)
    enrichment = Enrichment(
        title=title,
        language=words.language,
        document_class=classify(parsed, filename),
        keywords=keywords_alone(words),
        sections=tuple(outer)[:_MAX_SECTIONS],
        summary=_summary(blocks, words.weights),
        dates=_dates(parsed, blocks),
        names=other_names(blocks, filename, title, words.language) if is_long else (),
        cover=cover_headings(parsed.blocks) if is_long else (),
    )
    chosen_parts = parts

    @lru_cache(maxsize=_REMEMBERED_CONTEXTS)
    def context_under(heading_path: tuple[str, ...], lead: str) -> str:
        # `[Document: …] [Section: a > b] [Table: …]`, as much of it as there is room for.
        pieces: list[str] = []
        room = chosen_parts.max_characters
        if chosen_parts.title:
            pieces.append(f"[Document: {_title_with_names(enrichment, room // 2)}]")
            room -= _width(pieces[-1])
        path = [part for part in heading_path if part != enrichment.title]
        if chosen_parts.section and path:
            share = 1 / 2 if lead else 3 / 4
            pieces.append(f"[Section: {_shortened_path(path, int(room * share))}]")
            room -= _width(pieces[-1])
        if lead and room > len("[Table: ]"):
            pieces.append(f"[Table: {_shortened(lead, room - len('[Table: ]'))}]")
        elif chosen_parts.keywords:
            words: list[str] = []
            for keyword in enrichment.keywords:
                if _width("[Keywords: ]" + ", ".join([*words, keyword])) > room:
                    break
                words.append(keyword)
            if words:
                pieces.append(f"[Keywords: {', '.join(words)}]")
        return " ".join(pieces)

    def in_context(ordinal: int) -> Chunk:
        chunk = chunks[ordinal]
        return replace(chunk, context=context_under(chunk.heading_path, chunk.lead))

    return enrichment, ChunkSequence(len(chunks), in_context)


def words_of(parsed: ParsedDocument) -> WordCounts:
    """Count the words of a document, for its enrichment and its keywords."""
    blocks = _studied_blocks(parsed.blocks)
    return count_words(blocks, _language(parsed, blocks))


def _studied_blocks(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return the blocks within `STUDIED_CHARACTERS`, or the beginning of the first one."""
    complete = tuple(block for block in blocks if block.char_end <= STUDIED_CHARACTERS)
    return complete or tuple(
        replace(block, text=block.text[:STUDIED_CHARACTERS]) for block in blocks[:1]
    )


def _language(parsed: ParsedDocument, blocks: Sequence[Block]) -> str | None:
    """Detect the language from a sample of the prose, else of all text, else as declared."""
    prose = " ".join(block.text for block in blocks if block.kind in _PROSE)
    text = prose if len(prose) > 80 else " ".join(block.text for block in blocks)
    detected = detect_language(text[:_SAMPLE_CHARACTERS])
    return detected or (parsed.languages[0] if parsed.languages else None)


# --- class ----------------------------------------------------------------------------------


def classify(parsed: ParsedDocument, filename: str) -> DocumentClass:
    """Return the class by file type, else by the dominant kind of block, else by typical words."""
    if by_type := _CLASS_BY_TYPE.get(parsed.media_type):
        return by_type
    sizes: Counter[BlockKind] = Counter()
    for block in parsed.blocks:
        sizes[block.kind] += len(block.text)
    if sizes:
        kind, size = sizes.most_common(1)[0]
        if kind in _CLASS_BY_KIND and size > _DOMINANT_SHARE * sizes.total():
            return _CLASS_BY_KIND[kind]
    headings = [block.text for block in parsed.blocks if block.kind is BlockKind.HEADING][:5]
    name_words = _words(" ".join((PurePath(filename).stem, parsed.title or "", *headings)))
    opening_words = _words(parsed.text[:3000])
    scores = {
        document_class: _NAMED_WEIGHT * len(name_words & words) + len(opening_words & words)
        for document_class, class_words in _CLASS_WORDS.items()
        for words in [set(class_words.split())]
    }
    best = max(scores, key=lambda document_class: scores[document_class])
    return best if scores[best] >= _CLASS_THRESHOLD else DocumentClass.GENERIC


def _words(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[^\W\d_]+", text)}


# --- sections, summary, dates ---------------------------------------------------------------


def _summary(
    blocks: Sequence[Block], weights: Mapping[str, float], sentences: int = 3, longest: int = 600
) -> str:
    """The first full sentence and the most central ones, in the order of the document."""
    candidates = [
        " ".join(block.text[start:end].split())
        for block in blocks
        if block.kind in _PROSE
        for start, end in sentence_spans(block.text)
        if 30 <= end - start <= 400 and block.text[end - 1] in ".!?。！？"
    ]
    if not candidates:
        return " ".join((blocks[0].text if blocks else "").split())[:longest]
    central = sorted(
        range(len(candidates)), key=lambda index: (-_centrality(candidates[index], weights), index)
    )
    chosen = [0]
    length = len(candidates[0])
    for index in central:
        if len(chosen) == sentences:
            break
        if candidates[index] in (candidates[other] for other in chosen):
            continue
        if length + len(candidates[index]) < longest:
            chosen.append(index)
            length += len(candidates[index]) + 1
    return " ".join(candidates[index] for index in sorted(chosen))


def _centrality(sentence: str, weights: Mapping[str, float]) -> float:
    words = {word.lower() for word in WORD.findall(sentence)}
    return sum(weights.get(word, 0.0) for word in words) / math.sqrt(len(words) + 8)


def _dates(parsed: ParsedDocument, blocks: Sequence[Block]) -> tuple[str, ...]:
    sent = str(parsed.metadata.get("date", ""))[:10]
    text = "\n".join((sent, *(block.text for block in blocks)))
    dates: dict[str, None] = {}
    for day in complete_dates(text):
        dates[day.isoformat()] = None
        if len(dates) == _MAX_DATES:
            break
    return tuple(dates)


# --- context --------------------------------------------------------------------------------


def _title_with_names(enrichment: Enrichment, room: int) -> str:
    """Return the title followed by the document's other names, which take at most half the room."""
    names = ", ".join(enrichment.names)
    if not names:
        return _shortened(enrichment.title, room)
    suffix = _shortened(names, room // 2)
    return f"{_shortened(enrichment.title, room - _width(suffix) - 2)}, {suffix}"


def _width(text: str) -> int:
    return len(text) + (_WIDE_CHARACTER - 1) * len(_CJK.findall(text))


def _shortened(text: str, room: int) -> str:
    if _width(text) <= room:
        return text
    while text and _width(text) >= room:
        text = text[: -max(1, (_width(text) - room) // _WIDE_CHARACTER)]
    return text.rstrip() + "…"


def _shortened_path(path: Sequence[str], room: int) -> str:
    """The deepest headings that fit, since they say most about the chunk."""
    for start in range(len(path)):
        text = " > ".join(path[start:])
        if _width(text) <= room:
            return text
    return _shortened(path[-1], room)


def indexed_text(chunk: Chunk, enrichment: Enrichment) -> str:
    """Return the text for lexical search: the document's names, headings, table lead, own text."""
    return "\n".join((*lines_above(chunk, enrichment), chunk.text))


def lines_above(chunk: Chunk, enrichment: Enrichment) -> Iterator[str]:
    """Yield the lines that `indexed_text` has before the chunk's own text."""
    return filter(None, (enrichment.title, *enrichment.names, *chunk.heading_path, chunk.lead))


def about_text(enrichment: Enrichment) -> str:
    """Return the text that is embedded for a whole document: title, summary and keywords."""
    parts = (enrichment.title, enrichment.summary, ", ".join(enrichment.keywords))
    return "\n".join(filter(None, parts))


def about_terms(enrichment: Enrichment) -> str:
    """Return the text of a whole document for the lexical index: `about_text` and its sections."""
    return "\n".join((about_text(enrichment), *enrichment.sections))
