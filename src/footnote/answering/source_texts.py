"""Split a text from a request into passages of bounded length, with offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

from footnote.domain import BlockKind, BlockSpan, Passage, SourceType
from footnote.language.sentences import sentence_spans

PIECE_CHARACTERS = 1_500
"""Most characters of a passage, about the size of a chunk; also of a sentence, however long it
is."""
_BLANK_LINE = re.compile(r"\n[ \t\r\f\v]*\n\s*")


def passages_of(
    text: str, *, source: int, title: str = "", language: str | None = None
) -> list[Passage]:
    """The passages of the source with this number, in order; none for a text of white space.

    Law: each passage is `text[char_start:char_end]`, none is longer than `PIECE_CHARACTERS`, they
    do not overlap, and what lies between two of them is white space.
    """
    block_groups: list[list[BlockSpan]] = []
    for block in _blocks(text):
        if not block_groups or block.char_end - block_groups[-1][0].char_start > PIECE_CHARACTERS:
            block_groups.append([])
        block_groups[-1].append(block)
    label = (source, title, language)
    return [_passage(text, blocks, label, ordinal) for ordinal, blocks in enumerate(block_groups)]


def _blocks(text: str) -> Iterator[BlockSpan]:
    """Paragraphs; long ones are split."""
    gaps = [match.span() for match in _BLANK_LINE.finditer(text)]
    starts, ends = [0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(text)]
    paragraphs = [span for span in zip(starts, ends, strict=True) if text[slice(*span)].strip()]
    for number, (start, end) in enumerate(paragraphs, start=1):
        kind = _kind(text[start:end])
        for first, last in _parts(text, start, end, kind):
            yield BlockSpan(char_start=first, char_end=last, page=None, paragraph=number, kind=kind)


def _kind(paragraph: str) -> BlockKind:
    lines = [line.strip() for line in paragraph.strip().splitlines()]
    is_table = len(lines) > 1 and all(line.startswith("|") for line in lines)
    return BlockKind.TABLE if is_table else BlockKind.PARAGRAPH


def _parts(text: str, start: int, end: int, kind: BlockKind) -> Iterator[tuple[int, int]]:
    """Split a paragraph at the ends of sentences or rows, as far as these are short."""
    paragraph = text[start:end]
    ends = (
        [match.end() for match in re.finditer(r"\n|\Z", paragraph)]
        if kind is BlockKind.TABLE
        else [last for _, last in sentence_spans(paragraph)]
    )
    first = previous_end = start
    for last in [*(start + offset for offset in ends), end]:
        if last - first > PIECE_CHARACTERS and previous_end > first:
            yield from _trimmed(text, first, previous_end)
            first = previous_end
        while last - first > PIECE_CHARACTERS:
            space = text.rfind(" ", first + 1, first + PIECE_CHARACTERS)
            cut = space if space > first else first + PIECE_CHARACTERS
            yield from _trimmed(text, first, cut)
            first = cut
        previous_end = last
    yield from _trimmed(text, first, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def _passage(
    text: str, blocks: list[BlockSpan], label: tuple[int, str, str | None], ordinal: int
) -> Passage:
    source, title, language = label
    start, end = blocks[0].char_start, blocks[-1].char_end
    kinds = {block.kind for block in blocks}
    return Passage(
        chunk_id=f"given:{source}:{ordinal}",
        chunk_no=ordinal,
        document_id=UUID(int=source),
        version=1,
        ordinal=ordinal,
        kind=BlockKind.TABLE if kinds == {BlockKind.TABLE} else BlockKind.PARAGRAPH,
        text=text[start:end],
        body_offset=0,
        char_start=start,
        char_end=end,
        spans=tuple(blocks),
        heading_path=(),
        page_start=None,
        page_end=None,
        paragraph_start=blocks[0].paragraph,
        paragraph_end=blocks[-1].paragraph,
        document_title=title,
        filename="",
        collection="",
        source_type=SourceType.UPLOAD,
        language=language,
    )
