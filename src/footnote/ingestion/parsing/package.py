"""Read the parts of a zipped Office file, without entities, links or more memory than allowed."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from footnote.domain import Attachment, MetadataValue
from footnote.ingestion.media import sniff_media_type

MAX_PART_BYTES = 512 * 1024 * 1024
_CHUNK_BYTES = 1 << 18
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/\2"
_DOCTYPE = re.compile(rb"<\x00?!\x00?D\x00?O\x00?C\x00?T\x00?Y\x00?P\x00?E", re.IGNORECASE)
_IMAGE_SUFFIXES = frozenset((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".gif", ".bmp"))

RELATIONSHIPS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_REFERENCES = (f"{RELATIONSHIPS}id", f"{RELATIONSHIPS}embed", f"{RELATIONSHIPS}link")


class DamagedPackage(Exception):
    """The file is a zip archive, but not the Office file it is said to be."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference from a part to another, or out of the file, where it is never followed."""

    kind: str
    """The last word of the relationship's type: image, hyperlink, chart, comments …"""
    target: str
    external: bool


class Package:
    """A zip archive of XML parts."""

    def __init__(self, content: bytes) -> None:
        """Open it. Raises zipfile.BadZipFile when it is damaged."""
        self._archive = zipfile.ZipFile(io.BytesIO(content))
        self._names = {name.lower(): name for name in self._archive.namelist()}
        self._relations: dict[str, Mapping[str, Relation]] = {}

    def has(self, part: str) -> bool:
        """Whether there is such a part; the case of names does not matter."""
        return part.lower().lstrip("/") in self._names

    def read(self, part: str) -> bytes:
        """Return the bytes of a part, empty if missing. Raises DamagedPackage when it is too
        large."""
        name = self._names.get(part.lower().lstrip("/"))
        if name is None:
            return b""
        if self._archive.getinfo(name).file_size > MAX_PART_BYTES:
            raise DamagedPackage(f"{part} unpacks to more than {MAX_PART_BYTES} bytes")
        return self._archive.read(name)

    def xml(self, part: str) -> Element:
        """The root of a part; an empty element when the part is missing."""
        content = self.read(part)
        return parse_xml(content) if content else Element("missing")

    def required(self, part: str) -> Element:
        """The root of a part. Raises DamagedPackage when the part is missing."""
        if not self.has(part):
            raise DamagedPackage(f"{part} is missing")
        return self.xml(part)

    def elements(self, part: str, *names: str) -> Iterator[Element]:
        """Yield the complete elements of these local names, one by one; each is cleared after
        use."""
        name = self._names.get(part.lower().lstrip("/"))
        if name is None:
            return
        parser: ElementTree.XMLPullParser[Element] = ElementTree.XMLPullParser(("end",))
        matches: dict[str, bool] = {}
        with self._archive.open(name) as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                parser.feed(_checked(chunk))
                for event in parser.read_events():
                    element = event[-1]
                    assert isinstance(element, Element)
                    tag = element.tag
                    if tag not in matches:
                        matches[tag] = local(element) in names
                    if matches[tag]:
                        yield element
                        element.clear()
        parser.close()

    def relations(self, part: str) -> Mapping[str, Relation]:
        """Return the references of a part, by their id."""
        if part not in self._relations:
            folder, name = posixpath.split(part)
            root = self.xml(posixpath.join(folder, "_rels", f"{name}.rels"))
            self._relations[part] = {
                child.get("Id", ""): _relation(child, folder) for child in root
            }
        return self._relations[part]

    def related(self, part: str, kind: str) -> Iterator[str]:
        """Yield the parts that a part refers to by one kind of reference, in file order."""
        for relation in self.relations(part).values():
            if relation.kind == kind and not relation.external:
                yield relation.target

    def target(self, part: str, element: Element) -> str:
        """Return the part that an element refers to; empty without one."""
        for attribute in _REFERENCES:
            relation = self.relations(part).get(element.get(attribute, ""))
            if relation is not None and not relation.external:
                return relation.target
        return ""


def _relation(element: Element, folder: str) -> Relation:
    target = element.get("Target", "")
    external = element.get("TargetMode") == "External"
    if not external:
        target = unquote(target)
        path = target if target.startswith("/") else posixpath.join(folder, target)
        target = posixpath.normpath(path).lstrip("/")
    return Relation(element.get("Type", "").rpartition("/")[2], target, external)


def parse_xml(content: bytes) -> Element:
    """The root of an XML text. Raises ParseError, or DamagedPackage when it has a DTD."""
    return ElementTree.fromstring(_checked(content))  # noqa: S314 - DTDs are refused


def _checked(content: bytes) -> bytes:
    """The XML in the transitional namespaces. Raises DamagedPackage when it declares a DTD."""
    if _DOCTYPE.search(content):
        raise DamagedPackage("it declares a document type, which no Office program writes")
    return _STRICT.sub(_TRANSITIONAL, content) if b"purl.oclc.org/ooxml" in content else content


def local(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str | None:
    """The value of an attribute of this local name, whatever its namespace."""
    if (value := element.get(name)) is not None:
        return value
    return next(
        (value for key, value in element.items() if key.rpartition("}")[2] == name),
        None,
    )


def children(element: Element, *names: str) -> Iterator[Element]:
    """The direct children of these local names."""
    return (child for child in element if local(child) in names)


def child(element: Element, *path: str) -> Element | None:
    """The first element at the end of a path of local names."""
    for name in path:
        next_element = next(children(element, name), None)
        if next_element is None:
            return None
        element = next_element
    return element


def descendants(element: Element, *names: str) -> Iterator[Element]:
    """All elements below of these local names, in document order."""
    return (descendant for descendant in element.iter() if local(descendant) in names)


def alternative(element: Element) -> Element | None:
    """Return the content that a newer program would show, of several equivalent ones."""
    chosen = child(element, "Choice")
    return chosen if chosen is not None else child(element, "Fallback")


def is_picture(part: str) -> bool:
    """Whether a part is a picture that can be read; vector drawings are not."""
    return posixpath.splitext(part.lower())[1] in _IMAGE_SUFFIXES


def embedded_files(package: Package, parts: Iterable[str]) -> tuple[Attachment, ...]:
    """Return the Office files embedded in these parts, each once; not the data of charts."""
    targets = dict.fromkeys(target for part in parts for target in package.related(part, "package"))
    return tuple(
        Attachment(
            filename=posixpath.basename(target),
            media_type=sniff_media_type(content, target) or "application/octet-stream",
            content=content,
        )
        for target in targets
        if (content := package.read(target))
    )


def core_properties(package: Package) -> tuple[str, dict[str, MetadataValue]]:
    """Return the title, and `author`, `created`, `modified`, `modified_by`, `subject`, `keywords`
    as far as given."""
    root = package.xml(next(package.related("", "core-properties"), "docProps/core.xml"))
    properties = {local(element): (element.text or "").strip() for element in root}
    names = {
        "creator": "author",
        "created": "created",
        "modified": "modified",
        "lastModifiedBy": "modified_by",
        "subject": "subject",
        "keywords": "keywords",
    }
    metadata: dict[str, MetadataValue] = {
        name: properties[key] for key, name in names.items() if properties.get(key)
    }
    return properties.get("title", ""), metadata
