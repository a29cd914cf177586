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
_SHOWN = frozenset(("t", "br", "sym", "ruby", *_PLAIN))
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
        into = ParagraphText()
        for open_field in self._fields:
            open_field.first_piece = 0
        self._inline(paragraph, into)
        return into

    def _inline(self, element: Element, into: ParagraphText) -> None:
        for item in element:
            name = local(item)
            if name == "r":
                self._run(item, into)
            elif name == "hyperlink":
                start = len(into.pieces)
                self._inline(item, into)
                relation = self.package.relations(self.part).get(item.get(f"{RELATIONSHIPS}id", ""))
                if relation is not None and relation.external:
                    _append_target(into, start, relation.target)
            elif name in ("oMath", "oMathPara"):
                into.pieces.append(f" {equation_text(item)} ")
            elif name == "sdt":
                content = child(item, "sdtContent")
                if content is not None:
                    self._inline(content, into)
            elif name in _CONTAINERS:
                self._inline(item, into)
            elif name == "AlternateContent" and (chosen := alternative(item)) is not None:
                self._inline(chosen, into)

    def _run(self, run: Element, into: ParagraphText) -> None:
        properties = child(run, "rPr")
        found = child(properties, "vanish") if properties is not None else None
        if found is not None and attribute(found, "val") not in ("0", "false", "off", "none"):
            return
        start = len(into.pieces)
        for item in run:
            self._run_item(item, into)
        visible = sum(not c.isspace() for piece in into.pieces[start:] for c in piece)
        style = self.styles.get(value_of(properties, "rStyle") or "", Style())
        monospaced = fonts_are_monospaced(properties)
        into.visible += visible
        if style.monospaced if monospaced is None else monospaced:
            into.monospaced += visible

    def _run_item(self, item: Element, into: ParagraphText) -> None:
        name = local(item)
        if name == "fldChar":
            self._field(attribute(item, "fldCharType"), into)
        elif name == "instrText":
            if self._fields:
                self._fields[-1].instruction += item.text or ""
        elif self._fields and not all(opened.shows_result for opened in self._fields):
            return
        elif name in _SHOWN:
            into.pieces.append(_shown(item))
        elif kind := _NOTES.get(name):
            number = attribute(item, "id") or ""
            into.notes.append((kind, number))
            into.pieces.append(self.note_mark(kind, number))
        elif name in ("drawing", "pict", "object"):
            into.floats.append(item)
        elif name == "AlternateContent" and (chosen := alternative(item)) is not None:
            for inner in chosen:
                self._run_item(inner, into)

    def _field(self, change: str | None, into: ParagraphText) -> None:
        if change == "begin":
            self._fields.append(_Field(first_piece=len(into.pieces)))
        elif change == "separate" and self._fields:
            self._fields[-1].shows_result = True
            self._fields[-1].first_piece = len(into.pieces)
        elif change == "end" and self._fields:
            ended = self._fields.pop()
            if match := _HYPERLINK_FIELD.match(ended.instruction):
                _append_target(into, ended.first_piece, match.group(1))


def _append_target(into: ParagraphText, start: int, target: str) -> None:
    text = "".join(into.pieces[start:])
    into.pieces[start:] = [link_text(text, target)]


def _shown(item: Element) -> str:
    """Return the text of an item of a run."""
    name = local(item)
    if name == "t":
        return item.text or ""
    if name == "br":
        return "" if attribute(item, "type") == "page" else "\n"
    if name == "ruby":  # the reading aid above the base is left out
        base = child(item, "rubyBase")
        found = descendants(base, "t") if base is not None else ()
        return "".join(text.text or "" for text in found)
    if name != "sym":
        return _PLAIN[name]
    try:
        point = int(attribute(item, "char") or "0", 16)
    except ValueError:
        return ""
    return _SYMBOLS.get(point, "") if point >= _SYMBOL_FONTS else chr(point).strip("\0")
