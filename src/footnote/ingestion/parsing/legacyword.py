"""A Word 97–2003 file (DOC) becomes drafts: headings, lists, tables, notes, links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.compound import CompoundFile
from footnote.ingestion.parsing.drafts import Draft, Reading, clean
from footnote.ingestion.parsing.flow import BULLET, Flow, link_text
from footnote.ingestion.parsing.richtables import RichTable
from footnote.ingestion.parsing.wordbinary import (
    IN_TABLE,
    LEVEL,
    LIST,
    OUTLINE,
    ROW_END,
    BinaryStyle,
    Properties,
    WordBinary,
    cell_merges,
    integer,
)

_TABLE_STREAM_FLAG, _ENCRYPTED_FLAG = 0x0200, 0x0100
_FOOTNOTES, _COMMENTS, _HEADERS, _ENDNOTES = (2, 3, 2), (4, 5, 30), 11, (46, 47, 2)
_BODY, _FOOTNOTE_TEXT, _HEADER_TEXT, _COMMENT_TEXT, _ENDNOTE_TEXT, _BOX_TEXT = 0, 1, 2, 4, 5, 6
_PARAGRAPH = re.compile(r"[^\r\x07\x0c]*(?:[\r\x07\x0c]|\Z)")
_FIELD_SIGNS = re.compile("([\x13\x14\x15])")
_HYPERLINK = re.compile(r'\s*HYPERLINK\s+"([^"]+)"', re.IGNORECASE)
_PLAIN = str.maketrans({"\x0b": "\n", "\x1e": "-", "\x1f": None, "\x01": None, "\x08": None,
                        "\x02": None, "\x05": None, "\x03": None, "\x04": None})  # fmt: skip
_TITLE, _CAPTION, _CONTENTS = 62, 34, range(19, 28)
_NO_OUTLINE = 9


def read_legacy_word(content: bytes) -> Reading:
    """Read a DOC file. Raises OlderWord, OSError or ValueError (damaged, encrypted)."""
    compound = CompoundFile(content)
    main = compound.stream("WordDocument")
    flags = int.from_bytes(main[10:12], "little")
    if flags & _ENCRYPTED_FLAG:
        raise ValueError("the document is encrypted with a password")
    table = compound.stream("1Table" if flags & _TABLE_STREAM_FLAG else "0Table")
    story = _LegacyStory(WordBinary(main, table))
    drafts = story.read()
    title, metadata = compound.properties()
    metadata.update(story.running())
    return Reading(drafts=tuple(drafts), title=title or story.title, metadata=metadata)


class _LegacyStory:
    """One walk through the paragraphs; notes come up where the text refers to them."""

    def __init__(self, binary: WordBinary) -> None:
        self.title = ""
        self._binary = binary
        self._numbering = binary.numbering()
        starts = [0]
        for count in binary.counts:
            starts.append(starts[-1] + max(count, 0))
        self._starts = starts
        self._notes = {
            **dict(self._note_texts(_FOOTNOTES, _FOOTNOTE_TEXT, "note")),
            **dict(self._note_texts(_ENDNOTES, _ENDNOTE_TEXT, "endnote")),
            **dict(self._note_texts(_COMMENTS, _COMMENT_TEXT, "comment")),
        }
        self._flow = Flow()
        self._table = RichTable()
        self._cell: list[str] = []
        self._late: list[tuple[str, str]] = []

    def read(self) -> list[Draft]:
        """The body, then what stands in text boxes."""
        for part in (_BODY, _BOX_TEXT):
            for start, end in self._paragraphs(self._starts[part], self._starts[part + 1]):
                self._paragraph(start, end)
            self._end_table()
        return self._flow.close()

    def running(self) -> dict[str, MetadataValue]:
        """What headers and footers say; six stories for each section, after six separators."""
        bounds = self._binary.positions(_HEADERS, 0)[6:]
        said: dict[str, dict[str, None]] = {"running_header": {}, "running_footer": {}}
        for index in range(len(bounds) - 2):
            key = "running_header" if index % 6 in (0, 1, 4) else "running_footer"
            text = " ".join(self._plain(_HEADER_TEXT, bounds[index], bounds[index + 1]).split())
            if any(character.isalpha() for character in text):  # no page number alone
                said[key][text] = None
        return {key: " | ".join(texts)[:500] for key, texts in said.items() if texts}

    def _paragraphs(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """First position of each paragraph and the one after its mark."""
        for match in _PARAGRAPH.finditer(self._binary.text, start, end):
            if match.end() > match.start():
                yield match.span()

    def _plain(self, part: int, start: int, end: int) -> str:
        """The text between two positions of a part, its fields resolved."""
        first = self._starts[part]
        return clean(self._shown(first + start, first + end).replace("\r", "\n"))

    def _shown(self, start: int, end: int) -> str:
        text = self._binary.text[start:end]
        if self._binary.has_unwanted():
            kept = (c for i, c in enumerate(text, start) if self._binary.is_shown(i))
            text = "".join(kept)
        return resolve_fields(text).translate(_PLAIN).rstrip("\x07\x0c")

    def _note_texts(
        self, places: tuple[int, int, int], part: int, kind: str
    ) -> Iterator[tuple[int, tuple[str, str]]]:
        """Label and text of each note by the position that refers to it."""
        references = self._binary.positions(places[0], places[2])[:-1]
        bounds = self._binary.positions(places[1], 0)
        for number, position in enumerate(references):
            if number + 1 < len(bounds):
                text = self._plain(part, bounds[number], bounds[number + 1])
                label = kind if kind == "comment" else f"{kind} {number + 1}"
                yield position, (label, " ".join(text.split()))

    def _paragraph(self, start: int, end: int) -> None:
        text = self._with_marks(start, end)
        style, properties = self._binary.properties_at(end - 1)
        if integer(properties, IN_TABLE):
            self._in_table(text, self._binary.text[end - 1 : end], properties)
            return
        self._end_table()
        text = clean(text)
        if text:
            self._block(text, style, properties)
        self._release_notes()

    def _with_marks(self, start: int, end: int) -> str:
        """The text of a paragraph with a mark for each footnote; its notes wait to follow it."""
        pieces, position = [], start
        for place in sorted(key for key in self._notes if start <= key < end):
            label, said = self._notes.pop(place)
            pieces.append(self._shown(position, place))
            pieces.append("" if label == "comment" else f" [{label}]")
            position = place
            self._late.append((label, said))
        pieces.append(self._shown(position, end))
        text = "".join(pieces)
        return resolve_fields(text)

    def _block(self, text: str, style: BinaryStyle, properties: Properties) -> None:
        outline = integer(properties, OUTLINE) if OUTLINE in properties else _NO_OUTLINE
        level = style.number if 0 < style.number < 10 else outline + 1
        label, depth = self._label(properties)
        if style.number == _TITLE:
            self.title = self.title or text
            self._flow.heading(text, 1)
        elif level <= _NO_OUTLINE:
            numbered = f"{label} {text}" if label and label != BULLET else text
            self._flow.heading(numbered, level + bool(self.title))
        elif style.number in _CONTENTS:
            self._flow.item(text.replace("\t", " "), style.number - _CONTENTS.start)
        elif label:
            self._flow.item(text, depth, label)
        else:
            caption = style.number == _CAPTION
            self._flow.paragraph(text, BlockKind.CAPTION if caption else BlockKind.PARAGRAPH)

    def _label(self, properties: Properties) -> tuple[str, int]:
        number, depth = integer(properties, LIST), integer(properties, LEVEL)
        return (self._numbering.next_label(str(number), depth) if number else ""), depth

    def _in_table(self, text: str, mark: str, properties: Properties) -> None:
        if integer(properties, ROW_END):
            self._define_row(cell_merges(properties))
            self._table.end_row()
            return
        label, _ = self._label(properties)
        said = clean(text)
        self._cell.append(f"{label} {said}" if label and said else said)
        if mark == "\x07":
            self._table.add_cell("\n".join(filter(None, self._cell)))
            self._cell = []

    def _define_row(self, cells: Sequence[tuple[int, bool, str]]) -> None:
        self._table.define("trowd", None)
        for edge, _, kind in cells:
            if kind:
                self._table.define("clmrg" if kind == "left" else "clvmrg", None)
            self._table.define("cellx", edge)

    def _end_table(self) -> None:
        drafts = list(self._table.take())
        if drafts:
            self._flow.extend(drafts)
            self._release_notes()

    def _release_notes(self) -> None:
        late, self._late = self._late, []
        for label, said in late:
            self._flow.note(label, said)


def resolve_fields(text: str) -> str:
    """The results of fields without their instructions; of a link its target too.

    >>> resolve_fields('see \\x13 HYPERLINK "https://a.example" \\x14here\\x15.')
    'see here (https://a.example).'
    """
    if "\x13" not in text:
        return text.translate({0x14: None, 0x15: None})
    levels: list[list[str]] = [[""]]
    for piece in _FIELD_SIGNS.split(text):
        if piece == "\x13":
            levels.append([""])
        elif piece == "\x14" and len(levels) > 1:
            levels[-1].append("")
        elif piece == "\x15" and len(levels) > 1:
            field = levels.pop()
            levels[-1][-1] += _field_result(field)
        elif piece not in ("\x14", "\x15"):
            levels[-1][-1] += piece
    while len(levels) > 1:  # a field goes on in the next paragraph
        field = levels.pop()
        levels[-1][-1] += _field_result(field)
    return "".join(levels[0])


def _field_result(field: Sequence[str]) -> str:
    result = "".join(field[1:])
    match = _HYPERLINK.match(field[0])
    return link_text(result, match.group(1)) if match else result
