"""The styles and the numbering of a Word file: what a paragraph is, and the number it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from footnote.ingestion.parsing.flow import BULLET
from footnote.ingestion.parsing.package import attribute, child, children, local

_MAX_CHAIN = 20
_HEADING = re.compile(r"(?:heading|überschrift|titre|encabezado|título|titolo) ([1-9])", re.I)
_CODE = re.compile(
    r"(?:source ?|program ?)?code(?: ?block| ?snippet| ?listing)?|source ?text|html preformatted"
    r"|preformatted text|macro text|verbatim|listing|fenced ?code",
    re.IGNORECASE,
)
_MONOSPACED = re.compile(
    r"courier|consolas|mono|menlo|monaco|lucida console|inconsolata|source code|fira code", re.I
)
_LEVEL_REFERENCE = re.compile(r"%([1-9])")
_ROMAN = {1000: "M", 900: "CM", 500: "D", 400: "CD", 100: "C", 90: "XC", 50: "L", 40: "XL",
          10: "X", 9: "IX", 5: "V", 4: "IV", 1: "I"}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """The properties of a paragraph or character style, including those of its base styles."""

    name: str = ""
    outline: int | None = None
    """Heading level from 1."""
    numbering: str | None = None
    depth: int | None = None
    monospaced: bool = False

    @property
    def is_title(self) -> bool:
        """Whether paragraphs of this style name the document; LibreOffice renames it in a DOC."""
        return self.name.lower() in ("title", "heading")

    @property
    def is_code(self) -> bool:
        """Whether paragraphs of this style are lines of code."""
        return _CODE.fullmatch(self.name) is not None

    @property
    def is_caption(self) -> bool:
        """Whether paragraphs of this style describe a picture or a table."""
        return self.name.lower() == "caption"

    @property
    def contents_depth(self) -> int | None:
        """The depth of an entry in a table of contents, from 0."""
        match = re.fullmatch(r"(?:toc|contents) ([1-9])", self.name.lower())
        return int(match.group(1)) - 1 if match else None


def read_styles(root: Element) -> Mapping[str, Style]:
    """The styles by id."""
    by_id = {attribute(style, "styleId") or "": style for style in children(root, "style")}
    return {key: _style(key, by_id) for key in by_id}


def _style(key: str, by_id: Mapping[str, Element]) -> Style:
    outline, numbering, depth, monospaced = None, None, None, None
    current: Element | None = by_id[key]
    for _ in range(_MAX_CHAIN):
        if current is None:
            break
        outline = outline or _outline_of_style(current)
        properties = child(current, "pPr", "numPr")
        if numbering is None and properties is not None:
            numbering = value_of(properties, "numId")
            depth = _integer(value_of(properties, "ilvl"))
        if monospaced is None:
            monospaced = fonts_are_monospaced(child(current, "rPr"))
        current = by_id.get(value_of(current, "basedOn") or "")
    return Style(
        name=value_of(by_id[key], "name") or key,
        outline=outline if outline and outline < 10 else None,
        numbering=numbering,
        depth=depth,
        monospaced=bool(monospaced),
    )


def _outline_of_style(style: Element) -> int | None:
    """Return the heading level from 1; 10 for body text, which ends the search in base styles."""
    properties = child(style, "pPr")
    level = _integer(value_of(properties, "outlineLvl")) if properties is not None else None
    if level is not None:
        return level + 1
    match = _HEADING.fullmatch(value_of(style, "name") or "")
    return int(match.group(1)) if match else None


def fonts_are_monospaced(run_properties: Element | None) -> bool | None:
    """Whether the font is monospaced; None where no font is named."""
    fonts = child(run_properties, "rFonts") if run_properties is not None else None
    name = attribute(fonts, "ascii") or attribute(fonts, "hAnsi") if fonts is not None else None
    return bool(_MONOSPACED.search(name)) if name else None


def value_of(element: Element | None, name: str) -> str | None:
    """The `val` of a child of that name."""
    value_element = child(element, name) if element is not None else None
    return attribute(value_element, "val") if value_element is not None else None


def _integer(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d{1,9}", text) else None


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    format: str
    text: str
    style: str | None
    legal: bool


@dataclass(slots=True)
class Numbering:
    """The counters of all lists of a document, advanced by each numbered paragraph."""

    _levels: Mapping[str, Mapping[int, _Level]]
    """The levels of each list by its id, with its overrides applied."""
    _kinds: Mapping[str, str]
    """The id of the abstract list behind each list; lists that share one share its counters."""
    _restarts: Mapping[str, frozenset[int]]
    _counters: dict[str, dict[int, int]] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)

    def depth_of_style(self, number_id: str, style_id: str) -> int | None:
        """Return the level of a list that is linked to a style; None without one."""
        levels = self._levels.get(number_id, {})
        return next((depth for depth, level in levels.items() if level.style == style_id), None)

    def next_label(self, number_id: str, depth: int) -> str:
        """The label of the next paragraph: `1.2`, `(a)`, a bullet; empty where it shows none."""
        levels = self._levels.get(number_id)
        level = levels.get(depth) if levels else None
        if levels is None or level is None:
            return ""
        if level.format == "bullet":
            return BULLET
        counters = self._counters.setdefault(self._kinds[number_id], {})
        if number_id not in self._seen:
            self._seen.add(number_id)
            for restarted in self._restarts[number_id]:
                counters.pop(restarted, None)
        counters[depth] = counters.get(depth, level.start - 1) + 1
        for deeper in [key for key in counters if key > depth]:
            del counters[deeper]

        def number_at(match: re.Match[str]) -> str:
            level_index = int(match.group(1)) - 1
            other = levels.get(level_index)
            if other is None:
                return ""
            number = counters.setdefault(level_index, other.start)
            return format_number(number, "decimal" if level.legal else other.format)

        return _LEVEL_REFERENCE.sub(number_at, level.text).strip()


def read_numbering(root: Element) -> Numbering:
    """The lists that a document's numbering part defines."""
    abstract = {
        attribute(item, "abstractNumId") or "": item for item in children(root, "abstractNum")
    }
    linked = {
        value: key for key, item in abstract.items() if (value := value_of(item, "styleLink"))
    }
    levels: dict[str, dict[int, _Level]] = {}
    kinds: dict[str, str] = {}
    restarts: dict[str, frozenset[int]] = {}
    for number in children(root, "num"):
        key = attribute(number, "numId") or ""
        kind = value_of(number, "abstractNumId") or ""
        link = value_of(abstract.get(kind), "numStyleLink")
        kinds[key] = linked.get(link, kind) if link else kind
        base = abstract.get(kinds[key])
        levels[key] = _levels_of(base) if base is not None else {}
        restarted = set()
        for override in children(number, "lvlOverride"):
            depth = _integer(attribute(override, "ilvl")) or 0
            levels[key].update(_levels_of(override))
            if (start := _integer(value_of(override, "startOverride"))) is not None:
                restarted.add(depth)
                if depth in levels[key]:
                    level = levels[key][depth]
                    levels[key][depth] = _Level(
                        start, level.format, level.text, level.style, level.legal
                    )
        restarts[key] = frozenset(restarted)
    return Numbering(levels, kinds, restarts)


def _levels_of(element: Element) -> dict[int, _Level]:
    return {
        _integer(attribute(level, "ilvl")) or 0: _Level(
            start if (start := _integer(value_of(level, "start"))) is not None else 1,
            value_of(level, "numFmt") or "decimal",
            value_of(level, "lvlText") or "",
            value_of(level, "pStyle"),
            any(local(item) == "isLgl" for item in level),
        )
        for level in children(element, "lvl")
    }


def format_number(number: int, style: str) -> str:
    """Return a counter as letters, Roman numerals or Arabic digits.

    >>> format_number(4, "lowerRoman"), format_number(28, "upperLetter")
    ('iv', 'BB')
    """
    if style in ("lowerLetter", "upperLetter") and 0 < number < 1000:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if style == "upperLetter" else letter
    if style in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        roman = ""
        for value, letters in _ROMAN.items():
            roman += letters * (number // value)
            number %= value
        return roman if style == "upperRoman" else roman.lower()
    if style == "decimalZero":
        return f"{number:02d}"
    return "" if style == "none" else str(number)
