"""Convert reStructuredText to drafts by docutils; nothing it refers to is opened."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.flow import link_text
from footnote.ingestion.parsing.plaintext import read_plain_text
from footnote.ingestion.parsing.tables import Cell, spanned_table_drafts
from footnote.ingestion.parsing.wordstyles import format_number

_SETTINGS = {
    "_disable_config": True,
    "docinfo_xform": False,
    "doctitle_xform": False,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "input_encoding": "unicode",
    "line_length_limit": sys.maxsize,
    "raw_enabled": False,
    "report_level": 5,
    "syntax_highlight": "none",
    "warning_stream": False,
}
_DIRECTIVE = re.compile(r"^ *\.\. +([\w:+.-]+?) *::", re.MULTILINE)
_ROLE = re.compile(r":([\w:+.-]+):`|`:([\w:+.-]+):")
_CODE = frozenset(
    "code code-block sourcecode prompt console doctest testcode testoutput ipython "
    "productionlist graphviz digraph uml mermaid".split()
)
_DROPPED = frozenset(
    "include literalinclude raw toctree index highlight contents meta default-role sectnum "
    "target-notes header footer currentmodule module py:module py:currentmodule "
    "tabularcolumns autosummary bibliography".split()
)
_ADMONITIONS = ("seealso", "todo")
_SILENT = (
    nodes.Invisible,
    nodes.substitution_definition,
    nodes.system_message,
    nodes.decoration,
    nodes.transition,
    nodes.raw,
)
_NUMBERS = {
    "loweralpha": "lowerLetter",
    "upperalpha": "upperLetter",
    "lowerroman": "lowerRoman",
    "upperroman": "upperRoman",
}
_IN_LINE = (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.CAPTION, BlockKind.IMAGE)
"""Kinds of block that become lines of the list they are in; code and tables stay separate."""
_DOCINFO = {"author": "author", "authors": "author", "date": "date", "version": "version"}


def read_rst(text: str) -> Reading:
    """Read sections, lists, tables, code, notes and admonitions; comments are dropped.

    Included files and raw passages of other formats are left out. What is nested too deeply for
    docutils is read as plain text.
    """
    # Register the directives and roles in the text that docutils does not know.
    for name in {directive.lower() for directive in _DIRECTIVE.findall(text)}:
        if name in _CODE:
            directives.register_directive(name, _CodeDirective)
        elif name in _DROPPED:
            directives.register_directive(name, _DroppedDirective)
        elif name in _ADMONITIONS:
            directives.register_directive(name, _AdmonitionDirective)
        elif name not in en.directives:
            directives.register_directive(name, _AnyDirective)
    for before, after in _ROLE.findall(text):
        name = (before or after).lower()
        if name not in en.roles:
            roles.register_local_role(name, _any_role)
    try:
        document = publish_doctree(text.replace("\x00", ""), settings_overrides=_SETTINGS)
        metadata: dict[str, MetadataValue] = {}
        drafts = tuple(_drafts(document, 0, metadata))
    except RecursionError:
        return read_plain_text(text)
    return Reading(drafts=drafts, metadata=metadata)


# --- directives and roles that docutils does not know -----------------------------------------


class _AnyOptions(dict[str, Callable[[str], str]]):
    """Accepts every option as it is written."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: str) -> Callable[[str | None], str]:
        return lambda value: value or ""


class _AnyDirective(Directive):
    """A directive that yields its arguments and its content."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Callable[[str], str]]] = _AnyOptions()

    def run(self) -> list[nodes.Node]:
        container = self.parsed(nodes.container())
        if self.arguments:
            texts, messages = self.state.inline_text(self.arguments[0], self.lineno)
            container.insert(0, nodes.paragraph("", "", *texts, *messages))
        return [container]

    def parsed(self, into: nodes.Element) -> nodes.Element:
        """Parse the content of the directive into the element, and return it."""
        self.state.nested_parse(self.content, self.content_offset, into)
        return into


class _CodeDirective(_AnyDirective):
    def run(self) -> list[nodes.Node]:
        code = "\n".join(self.content)
        return [nodes.literal_block(code, code)]


class _DroppedDirective(_AnyDirective):
    def run(self) -> list[nodes.Node]:
        return []


class _AdmonitionDirective(_AnyDirective):
    def run(self) -> list[nodes.Node]:
        (inside,) = super().run()
        assert isinstance(inside, nodes.container)
        title = nodes.title("", self.name.capitalize())
        return [nodes.admonition("", title, *inside.children)]


def _any_role(
    _name: str, rawtext: str, text: str, *_: object
) -> tuple[list[nodes.reference], list[nodes.reference]]:
    """Return the text of a role without its target, if it has both."""
    words, _bracket, target = text.partition(" <")
    return [nodes.reference(rawtext, words if target.endswith(">") else text)], []


# --- the tree -----------------------------------------------------------------------------------


def _drafts(
    parent: nodes.Element, depth: int, metadata: dict[str, MetadataValue]
) -> Iterator[Draft]:
    """The blocks below an element; `depth` is that of its section."""
    for node in parent.children:
        if isinstance(node, _SILENT) or not isinstance(node, nodes.Element):
            continue
        if isinstance(node, nodes.title):
            level = min(max(depth, 1), 6)
            yield Draft(kind=BlockKind.HEADING, text=_text(node), level=level)
        elif isinstance(node, (nodes.bullet_list, nodes.enumerated_list, nodes.definition_list)):
            yield from _list_drafts(node, depth, metadata)
        elif isinstance(node, nodes.table):
            yield from _table_drafts(node)
        elif isinstance(node, (nodes.footnote, nodes.citation)):
            yield from _labelled(f"[{node.children[0].astext()}]", node, depth, metadata)
        elif isinstance(node, (nodes.Admonition, nodes.topic, nodes.sidebar)):
            yield from _labelled("", node, depth, metadata)
        elif draft := _single_block(node, metadata):
            yield draft
        else:  # sections, quotes, figures, directives
            yield from _drafts(node, depth + isinstance(node, nodes.section), metadata)


def _single_block(node: nodes.Element, metadata: dict[str, MetadataValue]) -> Draft | None:
    """The one block that an element becomes; None for what holds others."""
    kind, text = BlockKind.PARAGRAPH, ""
    if isinstance(node, (nodes.literal_block, nodes.doctest_block)):
        kind, text = BlockKind.CODE, node.astext()
    elif isinstance(node, nodes.image):
        kind, text = BlockKind.IMAGE, node.get("alt", "")
    elif isinstance(node, nodes.field_list):
        # Names and values; those about the document become metadata.
        field_lines = []
        for item in node.children:
            name, value = (_text(part) for part in item.children)
            if key := _DOCINFO.get(name.lower()):
                metadata.setdefault(key, value)
            field_lines.append(f"{name}: {value}")
        text = "\n".join(field_lines)
    elif isinstance(node, nodes.option_list):
        lines = (": ".join(map(_text, item.children)) for item in node.children)
        kind, text = BlockKind.LIST, "\n".join(f"- {line}" for line in lines)
    elif isinstance(node, nodes.line_block):
        text = "\n".join(map(_text, node.findall(nodes.line)))
    elif isinstance(node, nodes.TextElement):
        kind = BlockKind.CAPTION if isinstance(node, nodes.caption) else kind
        text = _text(node)
    else:
        return None
    return Draft(kind=kind, text=text)


def _labelled(
    label: str, node: nodes.Element, depth: int, metadata: dict[str, MetadataValue]
) -> Iterator[Draft]:
    """Yield the blocks of a note or an admonition, the first with its label or its title."""
    body = nodes.container()
    body.children = [
        child for child in node.children if not isinstance(child, (nodes.label, nodes.title))
    ]
    if not label:
        title = next((child for child in node.children if isinstance(child, nodes.title)), None)
        label = f"{node.tagname.capitalize() if title is None else _text(title)}:"
    drafts = list(_drafts(body, depth, metadata))
    if drafts and drafts[0].kind is BlockKind.PARAGRAPH:
        label = f"{label} {drafts.pop(0).text}"
    yield Draft(kind=BlockKind.PARAGRAPH, text=label)
    yield from drafts


def _list_drafts(
    node: nodes.Element, depth: int, metadata: dict[str, MetadataValue]
) -> Iterator[Draft]:
    """Items of one list as one block; code and tables inside them stand on their own."""
    lines: list[str] = []
    for number, item in enumerate(node.children, start=int(node.get("start", 1))):
        assert isinstance(item, nodes.Element)
        sign = "-"
        if isinstance(node, nodes.enumerated_list):
            label = format_number(number, _NUMBERS.get(node.get("enumtype", ""), "decimal"))
            sign = f"{node.get('prefix', '')}{label}{node.get('suffix', '.')}"
        for part in _item_lines(sign, _drafts(item, depth, metadata)):
            if isinstance(part, str):
                lines.append(part)
                continue
            if lines:
                yield Draft(kind=BlockKind.LIST, text="\n".join(lines))
                lines = []
            yield part
    if lines:
        yield Draft(kind=BlockKind.LIST, text="\n".join(lines))


def _item_lines(sign: str, content: Iterable[Draft]) -> Iterator[str | Draft]:
    """Yield an item's lines after its sign, indented by two spaces; code and tables as drafts."""
    is_first = True
    for draft in content:
        if draft.kind not in _IN_LINE:
            yield draft
            continue
        for line in draft.text.split("\n"):
            if not line.strip():
                continue
            yield f"{sign} {line.strip()}" if is_first else f"  {line}"
            is_first = False


def _table_drafts(node: nodes.table) -> Iterator[Draft]:
    for title in node.children:
        if isinstance(title, nodes.title):
            yield Draft(kind=BlockKind.CAPTION, text=_text(title))
    yield from spanned_table_drafts(
        [
            [
                Cell(
                    " ".join(" ".join(map(_text, entry.children)).split()),
                    columns=int(entry.get("morecols", 0)) + 1,
                    rows=int(entry.get("morerows", 0)) + 1,
                    is_header=isinstance(row.parent, nodes.thead),
                )
                for entry in row.findall(nodes.entry)
            ]
            for row in node.findall(nodes.row)
        ]
    )


def _text(node: nodes.Node) -> str:
    """Return inline markup as plain text: links with targets, pictures as their alternative
    text."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.image):
        return str(node.get("alt", ""))
    if isinstance(node, _SILENT):
        return ""
    content = "".join(map(_text, node.children))
    if isinstance(node, (nodes.footnote_reference, nodes.citation_reference)):
        return f"[{content}]"
    if isinstance(node, nodes.reference) and (target := node.get("refuri")):
        return link_text(content, target)
    return " ".join(content.split()) if isinstance(node, nodes.paragraph) else content
