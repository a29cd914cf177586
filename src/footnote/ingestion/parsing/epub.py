"""Read an e-book as its chapters in reading order, each under its heading."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote
from xml.parsers import expat

from footnote.domain import BlockKind, MetadataValue
from footnote.ingestion.failures import unreadable
from footnote.ingestion.parsing.charsets import decode
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.elements import Node, parse_xml
from footnote.ingestion.parsing.html import read_html

_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_NAVIGATION = "application/x-dtbncx+xml"
_METADATA_KEYS = {"creator": "author", "publisher": "publisher", "date": "date"}
_FONTS_ONLY = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_MAX_PART_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Item:
    """A file of the book, as its package lists it."""

    path: str
    media_type: str
    properties: str


@dataclass(slots=True)
class _Book:
    archive: zipfile.ZipFile
    max_bytes: int
    unpacked_bytes: int = 0
    names: frozenset[str] = field(default_factory=frozenset)

    def text(self, path: str) -> str:
        """Return a file's text, empty if it is missing. Raises DocumentUnreadable beyond the size
        limits."""
        if path not in self.names:
            return ""
        with self.archive.open(path) as part:
            content = part.read(_MAX_PART_BYTES + 1)
        self.unpacked_bytes += len(content)
        if len(content) > _MAX_PART_BYTES or self.unpacked_bytes > self.max_bytes:
            raise unreadable("it unpacks to more bytes than are allowed", "split it")
        return decode(content)


def read_epub(content: bytes, *, max_bytes: int) -> Reading:
    """Read an EPUB 2 or 3 in the order of its spine, without its table of contents.

    A chapter without a heading gets the one the table of contents has for it. Raises
    DocumentUnreadable for a protected book, zipfile.BadZipFile for a damaged one.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        book = _Book(archive, max_bytes, names=frozenset(archive.namelist()))
        if protection := book.text("META-INF/encryption.xml"):
            for method in _descendants(parse_xml(protection), "EncryptionMethod"):
                if not method.attributes.get("Algorithm", "").startswith(_FONTS_ONLY):
                    raise unreadable("it is copy-protected", "upload a copy without protection")
        container = book.text("META-INF/container.xml")
        root = next(_descendants(parse_xml(container), "rootfile"), None) if container else None
        path = root.attributes.get("full-path", "") if root is not None else ""
        if path not in book.names:
            path = next((name for name in sorted(book.names) if name.endswith(".opf")), "")
        if not path:
            raise unreadable("it has no list of its chapters", "save it anew in its own program")
        package_path = path
        package = parse_xml(book.text(package_path))
        folder = posixpath.dirname(package_path)
        items = {
            node.attributes.get("id", ""): _Item(
                _resolved_path(folder, node.attributes.get("href", "")),
                node.attributes.get("media-type", ""),
                node.attributes.get("properties", ""),
            )
            for node in _descendants(package, "item")
        }
        labels = _labels(book, items)
        drafts: list[Draft] = []
        for item in _spine(package, items):
            page, label = read_html(book.text(item.path)).drafts, labels.get(item.path, "")
            if label and page and not any(draft.kind is BlockKind.HEADING for draft in page):
                drafts.append(Draft(kind=BlockKind.HEADING, text=label, level=1))
            drafts += page
    title, language, metadata = _metadata(package)
    return Reading(
        drafts=tuple(drafts),
        title=title,
        languages=(language,) if language else (),
        metadata=metadata,
    )


def _spine(package: Node, items: dict[str, _Item]) -> Iterator[_Item]:
    paths: set[str] = set()
    for reference in _descendants(package, "itemref"):
        item = items.get(reference.attributes.get("idref", ""))
        if item is None or item.path in paths or "nav" in item.properties.split():
            continue
        paths.add(item.path)
        if item.media_type in _PAGES:
            yield item


def _labels(book: _Book, items: dict[str, _Item]) -> dict[str, str]:
    """Return the label of each file in the table of contents, by path."""
    labels: dict[str, str] = {}
    for item in items.values():
        folder = posixpath.dirname(item.path)
        if item.media_type == _NAVIGATION:
            for point in _descendants(_parsed(book.text(item.path)), "navPoint"):
                label, target = point.first("navLabel"), point.first("content")
                if label is not None and target is not None:
                    path = _resolved_path(folder, target.attributes.get("src", ""))
                    labels.setdefault(path, label.text)
        elif "nav" in item.properties.split():
            for link in _descendants(_parsed(book.text(item.path)), "a"):
                labels.setdefault(
                    _resolved_path(folder, link.attributes.get("href", "")), link.text
                )
    return labels


def _parsed(text: str) -> Node:
    """Parse a table of contents; an empty one if damaged, as a book can be read without it."""
    try:
        return parse_xml(text)
    except expat.ExpatError:
        return Node("", {})


def _metadata(package: Node) -> tuple[str | None, str, dict[str, MetadataValue]]:
    element = package.first("metadata") or Node("metadata", {})
    if (older := element.first("dc-metadata")) is not None:
        element = older
    metadata: dict[str, MetadataValue] = {}
    for name, key in _METADATA_KEYS.items():
        values = dict.fromkeys(child.text for child in element.children if child.name == name)
        if value := ", ".join(filter(None, values)):
            metadata[key] = value
    title, language = element.first("title"), element.first("language")
    return (
        title.text if title is not None else None,
        language.text.split("-")[0].lower()[:3] if language is not None else "",
        metadata,
    )


def _resolved_path(folder: str, reference: str) -> str:
    path = unquote(reference.split("#", 1)[0])
    return posixpath.normpath(posixpath.join(folder, path)) if path else ""


def _descendants(node: Node, name: str) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current.name == name:
            yield current
        waiting += reversed(current.children)
