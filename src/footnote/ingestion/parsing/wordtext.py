"""Read a Word paragraph: its text, and the notes, pictures and text boxes anchored to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from footnote.ingestion.parsing.equations import equation_text
from footnote.ingestion.parsing.flow import link_text
from footnote.ingestion.parsing.package import (
    RELATIONSHIPS,
    Package,
    alternative,
    attribute,
    child,
    descendants,
    local,
)
from footnote.ingestion.parsing.wordstyles import Style, fonts_are_monospaced, value_of

_HYPERLINK_FIELD = re.compile(r'\s*HYPERLINK\s+"([^"]+)"', re.IGNORECASE)
_CONTAINERS = frozenset(("ins", "moveTo", "smartTag", "sdtContent", "customXml", "rubyBase", "dir",
                         "bdo", "fldSimple"))  # fmt: skip
_PLAIN = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
_TEXT_ITEMS = frozenset(("t", "br", "sym", "ruby", *_PLAIN))
_SYMBOLS = {0xF0FE: "☒", 0xF0A8: "☐", 0xF06F: "☐", 0xF0FC: "✓", 0xF0FB: "✗", 0xF0E0: "→"}
_SYMBOL_FONTS = 0xF000
_NOTES = {"footnoteReference": "footnote", "endnoteReference": "endnote",
          "commentReference": "comment"}  # fmt: skip


@dataclass(slots=True)
class ParagraphText:
    """What was read of one paragraph."""

    pieces: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Kind and id of each note that the paragraph refers to."""
    floats: list[Element] = field(default_factory=list)
    """Drawings and VML pictures, whose text boxes and pictures follow the paragraph."""
    monospaced: int = 0
    """Number of characters in a monospaced font."""
    visible: int = 0
    """Number of characters other than white space."""

    @property
    def text(self) -> str:
        """The words of the paragraph."""
        return "".join(self.pieces)


@dataclass(slots=True)
class _Field:
    """A field between its begin and its end."""

    instruction: str = ""
    shows_result: bool = False
    first_piece: int = 0


@dataclass(slots=True)
class TextReader:
    """Reads the paragraphs of one part; fields may span several paragraphs."""

    package: Package
    part: str
    styles: dict[str, Style]
    note_mark: Callable[[str, str], str]
    """The mark left in the text for a note of this kind and id."""
    _fields: list[_Field] = field(default_factory=list)

    def read(self, paragraph: Element) -> ParagraphText:
        """Read the paragraph as it is after all tracked changes are accepted."""
        result = ParagraphText()
        for open_field in self._fields:
            open_field.first_piece = 0
        self._inline(paragraph, result)
        return result

    def _inline(self, element: Element, result: ParagraphText) -> None:
        for item in element:
            name = local(item)
            if name == "r":
                self._run(item, result)
            elif name == "hyperlink":
                start = len(result.pieces)
                self._inline(item, result)
                relation = self.package.relations(self.part).get(item.get(f"{RELATIONSHIPS}id", ""))
                if relation is not None and relation.external:
                    _append_target(result, start, relation.target)
            elif name in ("oMath", "oMathPara"):
                result.pieces.append(f" {equation_text(item)} ")
            elif name == "sdt":
                content = child(item, "sdtContent")
                if content is not None:
                    self._inline(content, result)
            elif name in _CONTAINERS:
                self._inline(item, result)
            elif name == "AlternateContent" and (chosen := alternative(item)) is not None:
                self._inline(chosen, result)

    def _run(self, run: Element, result: ParagraphText) -> None:
        properties = child(run, "rPr")
        vanish = child(properties, "vanish") if properties is not None else None
        if vanish is not None and attribute(vanish, "val") not in ("0", "false", "off", "none"):
            return
        start = len(result.pieces)
        for item in run:
            self._run_item(item, result)
        visible = sum(not c.isspace() for piece in result.pieces[start:] for c in piece)
        style = self.styles.get(value_of(properties, "rStyle") or "", Style())
        monospaced = fonts_are_monospaced(properties)
        result.visible += visible
        if style.monospaced if monospaced is None else monospaced:
            result.monospaced += visible

    def _run_item(self, item: Element, result: ParagraphText) -> None:
        name = local(item)
        if name == "fldChar":
            self._field(attribute(item, "fldCharType"), result)
        elif name == "instrText":
            if self._fields:
                self._fields[-1].instruction += item.text or ""
        elif self._fields and not all(open_field.shows_result for open_field in self._fields):
            return
        elif name in _TEXT_ITEMS:
            result.pieces.append(_item_text(item))
        elif kind := _NOTES.get(name):
            number = attribute(item, "id") or ""
            result.notes.append((kind, number))
            result.pieces.append(self.note_mark(kind, number))
        elif name in ("drawing", "pict", "object"):
            result.floats.append(item)
        elif name == "AlternateContent" and (chosen := alternative(item)) is not None:
            for inner in chosen:
                self._run_item(inner, result)

    def _field(self, change: str | None, result: ParagraphText) -> None:
        if change == "begin":
            self._fields.append(_Field(first_piece=len(result.pieces)))
        elif change == "separate" and self._fields:
            self._fields[-1].shows_result = True
            self._fields[-1].first_piece = len(result.pieces)
        elif change == "end" and self._fields:
            closed_field = self._fields.pop()
            if match := _HYPERLINK_FIELD.match(closed_field.instruction):
                _append_target(result, closed_field.first_piece, match.group(1))


def _append_target(result: ParagraphText, start: int, target: str) -> None:
    text = "".join(result.pieces[start:])
    result.pieces[start:] = [link_text(text, target)]


def _item_text(item: Element) -> str:
    """Return the text of an item of a run."""
    name = local(item)
    if name == "t":
        return item.text or ""
    if name == "br":
        return "" if attribute(item, "type") == "page" else "\n"
    if name == "ruby":  # the reading aid above the base is left out
        base = child(item, "rubyBase")
        text_elements = descendants(base, "t") if base is not None else ()
        return "".join(text.text or "" for text in text_elements)
    if name != "sym":
        return _PLAIN[name]
    try:
        point = int(attribute(item, "char") or "0", 16)
    except ValueError:
        return ""
    return _SYMBOLS.get(point, "") if point >= _SYMBOL_FONTS else chr(point).strip("\0")
