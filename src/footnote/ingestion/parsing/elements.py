"""Convert XML to headings, paragraphs, lines of names and values, and tables of similar records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from xml.parsers import expat

from footnote.domain import BlockKind
from footnote.ingestion.failures import unreadable
from footnote.ingestion.parsing.code import read_code
from footnote.ingestion.parsing.drafts import Draft, Reading, line_drafts
from footnote.ingestion.parsing.tables import record_rows, table_drafts

_MAX_DEPTH = 200
_MAX_HEADING_LEVEL = 5
_TITLES = ("title", "name", "head", "label", "subject")
_LINES_TOGETHER = 40
_PROSE_CHARACTERS = 100
"""A longer text without attributes is a paragraph, without the name of its element."""
_PARAGRAPHS = frozenset(("p", "para", "paragraph", "simpara"))
"""Elements that are prose however short, in every vocabulary of documents."""


@dataclass(slots=True)
class Node:
    """An element: its name without namespace, its attributes, and its texts and children in
    order."""

    name: str
    attributes: dict[str, str]
    content: list[Node | str] = field(default_factory=list)

    @property
    def children(self) -> list[Node]:
        """The elements directly inside."""
        return [item for item in self.content if isinstance(item, Node)]

    @property
    def text(self) -> str:
        """All text inside, in order, on one line."""
        pieces: list[str] = []
        waiting: list[Node | str] = [self]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                pieces.append(item)
            else:
                waiting += reversed(item.content)
        return " ".join("".join(pieces).split())

    def first(self, name: str) -> Node | None:
        """The first element of this name directly inside."""
        return next((child for child in self.children if child.name == name), None)


def parse_xml(text: str) -> Node:
    """Return the root element; entity declarations are refused and nothing is fetched.

    Raises DocumentUnreadable for entities and for more than `_MAX_DEPTH` levels, expat.ExpatError
    for damaged XML.
    """
    builder = _Builder()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.EntityDeclHandler = builder.entity
    parser.ExternalEntityRefHandler = lambda *_: 1
    parser.Parse(text.lstrip("\ufeff \t\r\n"), True)
    return builder.root


class _Builder:
    def __init__(self) -> None:
        self.root = Node("", {})
        self._open: list[Node] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        node = Node(_local(name), {_local(key): value for key, value in attributes.items()})
        if self._open:
            self._open[-1].content.append(node)
        else:
            self.root = node
        self._open.append(node)
        if len(self._open) > _MAX_DEPTH:
            raise unreadable(
                f"its elements are nested more than {_MAX_DEPTH} levels deep",
                f"save it with at most {_MAX_DEPTH} levels of elements inside each other, or in "
                "another format such as JSON, CSV or plain text, and upload that copy",
            )

    def end(self, _name: str) -> None:
        self._open.pop()

    def entity(self, name: str, *_: object) -> None:
        raise unreadable(
            f"it declares an entity of its own ({name})",
            "save it without entity declarations, and upload that copy",
        )

    def characters(self, text: str) -> None:
        if self._open:
            self._open[-1].content.append(text)


def _local(name: str) -> str:
    return name.rsplit(" ", 1)[-1]


# --- drafts ---------------------------------------------------------------------------------


def read_xml(text: str, filename: str) -> Reading:
    """Read elements by their form; text that is not well-formed XML is kept as code.

    Elements with text between their children are paragraphs, elements that hold only text are lines
    of name and value, similar siblings are rows of a table, others give headings. Comments and
    processing instructions are dropped.
    """
    try:
        root = parse_xml(text)
    except expat.ExpatError:
        return read_code(text, filename)
    title = _title(root) or PurePath(filename).stem  # before the headings remove title elements
    return Reading(drafts=tuple(_element_drafts(root, 1)), title=title)


def _title(node: Node) -> str | None:
    """Return the title of the root, or of one of its first children whose name is unique."""
    counts = Counter(child.name for child in node.children)
    heads = (child for child in node.children[:3] if counts[child.name] == 1)
    for child in (node, *heads):
        for name in _TITLES:
            if (title := child.first(name)) is not None and not title.children:
                return title.text or None
    return None


def _element_drafts(node: Node, level: int) -> Iterator[Draft]:
    """Yield the blocks of an element; consecutive leaves share a block."""
    lines = [f"{key}: {value}" for key, value in node.attributes.items() if value.strip()]
    if _is_mixed(node):
        yield from line_drafts(lines, _LINES_TOGETHER)
        yield Draft(kind=BlockKind.PARAGRAPH, text=node.text)
        return
    if not node.children:
        lines += [f"{node.name}: {node.text}"] if node.text else []
        yield from line_drafts(lines, _LINES_TOGETHER)
        return
    by_name: dict[str, list[Node]] = {}
    for child in node.children:
        by_name.setdefault(child.name, []).append(child)
    rows_by_name = {
        name: _rows(siblings) for name, siblings in by_name.items() if len(siblings) > 1
    }
    tables = {name: rows for name, rows in rows_by_name.items() if rows}
    for child in node.children:
        if child.name in tables:
            rows = tables[child.name]
            tables[child.name] = []
        elif not child.children and not _is_prose(child):
            lines += _leaf_lines(child)
            continue
        else:
            rows = None
        yield from line_drafts(lines, _LINES_TOGETHER)
        lines = []
        yield from _child_drafts(child, level) if rows is None else table_drafts(rows)
    yield from line_drafts(lines, _LINES_TOGETHER)


def _is_prose(leaf: Node) -> bool:
    if leaf.name in _PARAGRAPHS:
        return True
    return not leaf.attributes and len(leaf.text) > _PROSE_CHARACTERS


def _child_drafts(child: Node, level: int) -> Iterator[Draft]:
    if _is_prose(child) and not child.children:
        yield Draft(kind=BlockKind.PARAGRAPH, text=child.text)
        return
    if _is_mixed(child):
        yield from _element_drafts(child, level)
        return
    if level <= _MAX_HEADING_LEVEL:
        titles = (candidate for name in _TITLES if (candidate := child.first(name)) is not None)
        title = next(
            (candidate for candidate in titles if not candidate.children and candidate.text), None
        )
        heading = title.text if title is not None else child.name
        yield Draft(kind=BlockKind.HEADING, text=heading, level=level)
        if title is not None:
            child.content.remove(title)
    yield from _element_drafts(child, min(level + 1, _MAX_HEADING_LEVEL + 1))


def _leaf_lines(leaf: Node) -> Iterator[str]:
    details = ", ".join(f"{key} {value}" for key, value in leaf.attributes.items() if value.strip())
    name = f"{leaf.name} ({details})" if details else leaf.name
    if text := leaf.text:
        yield f"{name}: {text}"
    elif details:
        yield name


def _is_mixed(node: Node) -> bool:
    """Whether an element contains text beside elements, as in prose."""
    texts = "".join(item for item in node.content if isinstance(item, str))
    return bool(node.children) and bool(texts.strip())


def _rows(records: Sequence[Node]) -> list[list[str]]:
    """Return elements as rows under a header; empty if they are not similar."""
    fields: list[dict[str, str]] = []
    for record in records:
        if _is_mixed(record) or any(child.children for child in record.children):
            return []
        values = {key: value for key, value in record.attributes.items() if value.strip()}
        for child in record.children:
            before = values.get(child.name)
            values[child.name] = f"{before}, {child.text}" if before else child.text
        if not record.children and record.text:
            values[record.name] = record.text
        fields.append(values)
    return record_rows(fields, 2)
