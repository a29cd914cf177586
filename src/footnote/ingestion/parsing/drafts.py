"""Assemble what readers yield into a document: canonical text, offsets, numbers, heading paths."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from footnote.domain import (
    Attachment,
    Block,
    BlockKind,
    MetadataValue,
    ParsedDocument,
    Picture,
)
from footnote.ingestion.media import LANGUAGES, TEXT_TYPES

STORED_PICTURE_TYPE = "image/jpeg"
"""Media type of the pictures that are kept to be described."""
_SEPARATOR = "\n\n"
# C0 and C1 controls but tab and newline, soft hyphens, invisible marks, lone surrogates, the
# noncharacters: none carries text, Postgres refuses some and JSON others.
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ud800-\udfff\ufffe\uffff]"
)
# Bidirectional control characters: titles are shown in lists and footnotes, where an unclosed one
# reverses what follows, such as the suffix of a file's name.
_DIRECTIONS = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_ODD_SPACE = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f]")
_LINE_END_SPACE = re.compile(r"[ \t]+(?=\n|$)")
_BLANK_LINES = re.compile(r"\n{3,}")
_MEANINGLESS_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel).*|powerpoint[- ]pr.sentation|presentation\d*|slide \d+"
    r"|untitled.*|unbenannt.*|document\d*|dokument\d*|\(?(?:anonymous|unspecified)\)?|title|none"
    r"|.*\.(?:docx?|pdf|pptx?|xlsx?|od[tsp]|indd|qxd|tex|dvi|rtf|txt|html?))",
    re.IGNORECASE,
)
_REGISTRY_NUMBER = re.compile(r"[\d./ -]{6,}")
"""A title that is a number longer than a year."""
_UNNAMED_SHEET = re.compile(
    r"(?:sheet|tabelle|feuille?|hoja|foglio|planilha|folha|blad|arkusz|лист) ?\d+", re.IGNORECASE
)
_PACKED = (".gz", ".bz2", ".xz")
_ENDINGS = frozenset((*TEXT_TYPES, *LANGUAGES, ".tar", ".txt", ".log", ".pdf"))
_NUMBERED = re.compile(r"\d+(?:\.\d+)*[.)]?\s")
MAX_TITLE_CHARACTERS = 200
_MAX_HEADING_CHARACTERS = 1000
"""A longer heading becomes a paragraph, since each chunk below a heading is indexed and read with
it."""
_MAX_HEADINGS_ABOVE = 16
"""Most headings in a heading path; of deeper nesting, as JSON may have, the innermost are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A block before it is numbered and located: kind and text, and a level if it is a heading."""

    kind: BlockKind
    text: str
    page: int | None = None
    level: int = 0
    """For a heading, its level. For other blocks, the level from which preceding headings do not
    apply to it; 0 if all apply."""
    confidence: float | None = None
    start_seconds: float | None = None
    end_seconds: float | None = None
    picture: bytes = field(default=b"", repr=False)
    """A JPEG from `PictureKeeper` that is to be described, in place of a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The content that a reader extracted from a file."""

    drafts: tuple[Draft, ...]
    title: str | None = None
    page_count: int | None = None
    pages_stand_alone: bool = False
    """Whether headings of one page do not apply to the next, as with slides."""
    headings_name_parts: bool = False
    """Whether headings name only parts, as those of several sheets do, so that none is the
    title."""
    languages: tuple[str, ...] = ()
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()


def clean(text: str) -> str:
    """Return the text in NFC, with plain spaces and line ends, without invisible characters."""
    if not text.isascii() or not text.isprintable():
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
        text = text.replace("\x0b", "\n").replace("\x0c", "\n").replace("\u2029", "\n\n")
        text = unicodedata.normalize("NFC", _ODD_SPACE.sub(" ", _INVISIBLE.sub("", text)))
        text = _BLANK_LINES.sub("\n\n", _LINE_END_SPACE.sub("", text))
    return text.strip()


def clean_code(text: str) -> str:
    """Return code as written, with plain line ends and without invisible characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x0c", "\n")
    return _INVISIBLE.sub("", text).strip("\n").rstrip()


def line_drafts(
    lines: Iterable[str], together: int, kind: BlockKind = BlockKind.PARAGRAPH
) -> Iterator[Draft]:
    """Yield the lines that are not blank, in blocks of `together` lines."""
    not_blank = [line for line in lines if line.strip()]
    for start in range(0, len(not_blank), together):
        yield Draft(kind=kind, text="\n".join(not_blank[start : start + together]))


def assemble(reading: Reading, filename: str, media_type: str) -> ParsedDocument:
    """Number the drafts, set their heading paths and lay them out in one canonical text.

    Paragraphs are numbered from 1 on each page, or through the document where it has no pages. A
    heading has the number of the paragraph it introduces, a picture to be described that of the
    paragraph before it.
    """
    blocks: list[Block] = []
    pictures: list[Picture] = []
    chain: list[tuple[int, str]] = []
    position, paragraph, page = 0, 0, None
    for draft in _with_paragraphs(reading.drafts):
        if draft.kind is BlockKind.HEADING and len(draft.text) > _MAX_HEADING_CHARACTERS:
            draft = replace(draft, kind=BlockKind.PARAGRAPH, level=0)  # noqa: PLW2901
        if draft.picture:
            on_new_page = draft.page != page
            is_alone = on_new_page and reading.pages_stand_alone
            pictures.append(
                Picture(
                    content=draft.picture,
                    media_type=STORED_PICTURE_TYPE,
                    after=len(blocks),
                    paragraph=1 if on_new_page else max(paragraph, 1),
                    page=draft.page,
                    heading_path=() if is_alone else tuple(title for _, title in chain),
                )
            )
        text = clean_code(draft.text) if draft.kind is BlockKind.CODE else clean(draft.text)
        is_heading = draft.kind is BlockKind.HEADING
        if is_heading:
            text = " ".join(text.split())
        if not text:
            continue
        if draft.page != page:
            page, paragraph = draft.page, 0
            if reading.pages_stand_alone:
                chain.clear()
        if is_heading:
            chain = _chain_above(chain, draft.level)
            chain.append((draft.level, text))
            del chain[:-_MAX_HEADINGS_ABOVE]
        else:
            chain = _chain_above(chain, draft.level) if draft.level else chain
            paragraph += 1
        blocks.append(
            Block(
                kind=draft.kind,
                text=text,
                char_start=position,
                char_end=position + len(text),
                paragraph=paragraph + is_heading,
                page=draft.page,
                heading_path=tuple(title for _, title in chain),
                heading_level=draft.level if is_heading else None,
                confidence=draft.confidence,
                start_seconds=draft.start_seconds,
                end_seconds=draft.end_seconds,
            )
        )
        position += len(text) + len(_SEPARATOR)
    return ParsedDocument(
        text=_SEPARATOR.join(block.text for block in blocks),
        blocks=tuple(blocks),
        media_type=media_type,
        title=_title(
            reading.title, () if reading.headings_name_parts else reading.drafts, filename
        ),
        page_count=reading.page_count,
        languages=reading.languages,
        metadata={key: value for key, value in reading.metadata.items() if value != ""},
        attachments=reading.attachments,
        pictures=tuple(pictures),
    )


def _chain_above(chain: list[tuple[int, str]], level: int) -> list[tuple[int, str]]:
    """Drop the headings of this level and deeper from the chain, and return it."""
    while chain and chain[-1][0] >= level:
        chain.pop()
    return chain


def _with_paragraphs(drafts: Sequence[Draft]) -> Sequence[Draft]:
    """Return the drafts; if all are headings, those with none below them become paragraphs."""
    if any(draft.kind is not BlockKind.HEADING for draft in drafts):
        return drafts
    not_empty = [draft for draft in drafts if clean(draft.text)]
    next_levels = [draft.level for draft in not_empty[1:]] + [0]
    return [
        draft if next_level > draft.level else replace(draft, kind=BlockKind.PARAGRAPH)
        for draft, next_level in zip(not_empty, next_levels, strict=False)
    ]


def _title(declared: str | None, drafts: Iterable[Draft], filename: str) -> str:
    """Return the declared title if meaningful, else the first heading, else the file's name.

    A number as declared title comes from a registry, whose files all begin alike: then the file's
    name is more specific than the first heading.
    """
    declared = _one_line(declared or "")
    stem = _one_line(stem_of(filename))
    if stem and _REGISTRY_NUMBER.fullmatch(declared):
        return stem[:MAX_TITLE_CHARACTERS]
    if declared and not _MEANINGLESS_TITLE.fullmatch(declared):
        return declared[:MAX_TITLE_CHARACTERS]
    headings = (draft.text for draft in drafts if draft.kind is BlockKind.HEADING)
    heading = next((line for text in headings if (line := _one_line(text))), "")
    # A numbered chapter is not the title of the whole, nor is the default name of a sheet.
    if _NUMBERED.match(heading) or _UNNAMED_SHEET.fullmatch(heading):
        heading = ""
    return (heading or stem or filename)[:MAX_TITLE_CHARACTERS]


def _one_line(text: str) -> str:
    """Return a text on one line, without marks that change the direction of the text around it."""
    return " ".join(_DIRECTIONS.sub("", clean(text)).split())


def stem_of(filename: str) -> str:
    """Return a file's name without its suffix, or without both if it is compressed.

    >>> [stem_of(name) for name in ("a/report.v2.pdf", "backup.tar.gz", "log.2024.gz")]
    ['report.v2', 'backup', 'log.2024']
    """
    path = PurePath(filename.replace("\\", "/"))
    inner = PurePath(path.stem)
    is_compressed = path.suffix.lower() in _PACKED and inner.suffix.lower() in _ENDINGS
    return inner.stem if is_compressed else path.stem
