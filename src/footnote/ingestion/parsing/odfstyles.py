"""The styles of an OpenDocument file: which paragraphs are titles or code, what lists show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from footnote.ingestion.parsing.flow import BULLET
from footnote.ingestion.parsing.package import attribute, child, children, descendants, local
from footnote.ingestion.parsing.wordstyles import format_number

_MAX_CHAIN = 20
_FORMATS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter",
            "i": "lowerRoman", "I": "upperRoman"}  # fmt: skip
_CODE_STYLES = frozenset(("Preformatted_20_Text", "Source_20_Code", "SourceCode", "Code"))


@dataclass(frozen=True, slots=True)
class ListLevel:
    """What the items of one level show before their text."""

    format: str = BULLET
    """A number style, a bullet, or nothing."""
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    levels: int = 1
    """How many levels of numbers are shown, this one included."""


@dataclass(slots=True)
class OdfStyles:
    """The styles of the document and those the content defines for itself."""

    parents: dict[str, str] = field(default_factory=dict)
    elements: dict[tuple[str, str], Element] = field(default_factory=dict)
    """By family and name."""
    lists: dict[str, Mapping[int, ListLevel]] = field(default_factory=dict)
    outline: Mapping[int, ListLevel] = field(default_factory=dict)

    @classmethod
    def of(cls, roots: Iterable[Element]) -> OdfStyles:
        """All styles below these roots; a later one of the same name counts."""
        styles = cls()
        for root in roots:
            for element in descendants(root, "style", "list-style", "outline-style"):
                styles.add(element)
        return styles

    def add(self, element: Element) -> None:
        """Take up one style of any kind."""
        name = attribute(element, "name") or ""
        if local(element) == "list-style":
            self.lists[name] = _levels(element)
        elif local(element) == "outline-style":
            self.outline = _levels(element)
        else:
            self.parents[name] = attribute(element, "parent-style-name") or ""
            # Kept whole while the rest of a streamed part is emptied.
            self.elements[attribute(element, "family") or "", name] = element

    def chain(self, name: str) -> list[str]:
        """A paragraph style and all that it is based on."""
        names = []
        for _ in range(_MAX_CHAIN):
            if not name:
                break
            names.append(name)
            name = self.parents.get(name, "")
        return names

    def is_title(self, name: str) -> bool:
        """Whether paragraphs of this style name the document."""
        return "Title" in self.chain(name)

    def is_code(self, name: str) -> bool:
        """Whether paragraphs of this style are lines of code."""
        return not _CODE_STYLES.isdisjoint(self.chain(name))

    def is_caption(self, name: str) -> bool:
        """Whether paragraphs of this style describe a picture or a table."""
        return not {"Caption", "Figure", "Table", "Illustration"}.isdisjoint(self.chain(name))

    def list_of(self, name: str) -> str:
        """The list style that a paragraph style brings along."""
        for current in self.chain(name):
            element = self.elements.get(("paragraph", current))
            if element is not None and (found := attribute(element, "list-style-name")):
                return found
        return ""

    def property(self, family: str, name: str, wanted: str) -> str | None:
        """The value of a formatting property of a style."""
        element = self.elements.get((family, name))
        for properties in element if element is not None else ():
            if (value := attribute(properties, wanted)) is not None:
                return value
        return None


def _levels(element: Element) -> dict[int, ListLevel]:
    levels = {}
    for level in element:
        number = attribute(level, "level") or ""
        if not number.isdecimal():
            continue
        form = attribute(level, "num-format") or ""
        if "bullet" in local(level) or "image" in local(level):
            form = BULLET
        shown, start = attribute(level, "display-levels"), attribute(level, "start-value")
        levels[int(number)] = ListLevel(
            _FORMATS.get(form, form if form == BULLET else ""),
            attribute(level, "num-prefix") or "",
            attribute(level, "num-suffix") or "",
            int(start) if start and start.isdecimal() else 1,
            int(shown) if shown and shown.isdecimal() else 1,
        )
    return levels


@dataclass(slots=True)
class OdfCounter:
    """The numbers of one list or of the outline, by level from 1."""

    levels: Mapping[int, ListLevel]
    numbers: dict[int, int] = field(default_factory=dict)

    def label(self, level: int, start: str | None = None) -> str:
        """The label of the next item of a level; empty where items show none."""
        style = self.levels.get(level, ListLevel())
        for deeper in [key for key in self.numbers if key > level]:
            del self.numbers[deeper]
        begun = int(start) - 1 if start and start.isdecimal() else style.start - 1
        self.numbers[level] = begun + 1 if start else self.numbers.get(level, begun) + 1
        if style.format in (BULLET, ""):
            return style.format
        first = max(level - style.levels + 1, 1)
        shown = [
            format_number(self.numbers.get(above, 1), self._format(above))
            for above in range(first, level + 1)
        ]
        return style.prefix + ".".join(filter(None, shown)) + style.suffix

    def _format(self, level: int) -> str:
        given = self.levels.get(level, ListLevel()).format
        return "none" if given in (BULLET, "") else given


def text_of(element: Element | None, *path: str) -> str:
    """All text below the element at the end of a path."""
    found = child(element, *path) if element is not None else None
    return "".join(found.itertext()).strip() if found is not None else ""


def header_texts(root: Element, name: str) -> list[str]:
    """What the headers or footers of all page styles say."""
    said: dict[str, None] = {}
    for page in descendants(root, "master-page"):
        for element in children(page, name, f"{name}-left", f"{name}-first"):
            lines = (" ".join("".join(p.itertext()).split()) for p in descendants(element, "p"))
            said.setdefault(" ".join(filter(None, lines)))
    return [text for text in said if text]
