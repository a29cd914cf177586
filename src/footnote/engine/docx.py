"""Write paragraphs with footnotes as a Word document (ECMA-376, WordprocessingML)."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

Style = Literal["Title", "Subtitle", "Question", "Answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A stretch of text."""

    text: str
    emphasis: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Footnote:
    """A footnote where it is referred to; Word numbers them."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph in one of the document's styles."""

    style: Style
    parts: tuple[Run | Footnote, ...]


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
# Characters that XML 1.0 does not allow.
_UNWRITABLE = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
_FIRST_NOTE = 1
"""First footnote id of our own; -1 and 0 are the separator lines."""
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""Fixed time of zip entries, so that the same conversation gives the same bytes."""

_CONTENT_TYPES = f"""{_HEAD}
<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml" ContentType="{_WORD}.document.main+xml"/>
<Override PartName="/word/styles.xml" ContentType="{_WORD}.styles+xml"/>
<Override PartName="/word/settings.xml" ContentType="{_WORD}.settings+xml"/>
<Override PartName="/word/footnotes.xml" ContentType="{_WORD}.footnotes+xml"/>
<Override PartName="/docProps/core.xml"
 ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>
</Types>"""
_RELATIONS = f"""{_HEAD}
<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_R}/officeDocument" Target="word/document.xml"/>
<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties"
 Target="docProps/core.xml"/>
</Relationships>"""
_PARTS = f"""{_HEAD}
<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_R}/styles" Target="styles.xml"/>
<Relationship Id="rId2" Type="{_R}/settings" Target="settings.xml"/>
<Relationship Id="rId3" Type="{_R}/footnotes" Target="footnotes.xml"/>
</Relationships>"""
_SETTINGS = f"""{_HEAD}
<w:settings {_W}><w:footnotePr><w:footnote w:id="-1"/><w:footnote w:id="0"/></w:footnotePr>
</w:settings>"""


def _style(name: str, paragraph: str, run: str = "", *, after: str = "Answer") -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/>'
        f'<w:basedOn w:val="Normal"/><w:next w:val="{after}"/><w:qFormat/>'
        f"<w:pPr>{paragraph}</w:pPr><w:rPr>{run}</w:rPr></w:style>"
    )


def _size(half_points: int) -> str:
    return f'<w:sz w:val="{half_points}"/><w:szCs w:val="{half_points}"/>'


_BOLD = "<w:b/><w:bCs/>"
_ABOVE = '<w:spacing w:before="240"/>'
_STYLES = f"""{_HEAD}
<w:styles {_W}><w:docDefaults><w:rPrDefault><w:rPr>
<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Arial"/><w:sz w:val="22"/><w:szCs w:val="22"/>
</w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/></w:pPr></w:pPrDefault>
</w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
{_style("Title", '<w:spacing w:after="60"/>', _BOLD + _size(36))}
{_style("Subtitle", '<w:spacing w:after="240"/>', '<w:color w:val="595959"/>')}
{_style("Question", f'<w:keepNext/>{_ABOVE}<w:outlineLvl w:val="0"/>', _BOLD)}
{_style("Answer", "")}
{_style("FootnoteText", '<w:spacing w:after="40"/>', _size(18), after="FootnoteText")}
<w:style w:type="character" w:styleId="FootnoteReference"><w:name w:val="footnote reference"/>
<w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>
</w:styles>"""
_SEPARATORS = (
    '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>'
    '<w:footnote w:type="continuationSeparator" w:id="0"><w:p><w:r><w:continuationSeparator/>'
    "</w:r></w:p></w:footnote>"
)


def docx_of(title: str, paragraphs: Sequence[Paragraph]) -> bytes:
    """Return the bytes of a Word document, the same for the same paragraphs."""
    notes: list[str] = []
    body = "".join(_paragraph(paragraph, notes) for paragraph in paragraphs)
    footnotes = "".join(_note(number, text) for number, text in enumerate(notes, _FIRST_NOTE))
    parts = {
        "[Content_Types].xml": _CONTENT_TYPES,
        "_rels/.rels": _RELATIONS,
        "docProps/core.xml": f'{_HEAD}<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/'
        f'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{_escaped(title)}</dc:title></cp:coreProperties>",
        "word/_rels/document.xml.rels": _PARTS,
        "word/document.xml": f"{_HEAD}<w:document {_W}><w:body>{body}<w:sectPr/></w:body>"
        "</w:document>",
        "word/footnotes.xml": f"{_HEAD}<w:footnotes {_W}>{_SEPARATORS}{footnotes}</w:footnotes>",
        "word/settings.xml": _SETTINGS,
        "word/styles.xml": _STYLES,
    }
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            entry = ZipInfo(name, _LONG_AGO)
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()


def _paragraph(paragraph: Paragraph, notes: list[str]) -> str:
    runs = []
    for part in paragraph.parts:
        if isinstance(part, Footnote):
            notes.append(part.text)
            runs.append(
                '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr>'
                f'<w:footnoteReference w:id="{len(notes) + _FIRST_NOTE - 1}"/></w:r>'
            )
        else:
            runs += _runs(part.text, emphasis=part.emphasis)
    text = "".join(part.text for part in paragraph.parts if isinstance(part, Run))
    return f"<w:p>{_properties(paragraph.style, text)}{''.join(runs)}</w:p>"


def _note(number: int, text: str) -> str:
    mark = '<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>'
    return (
        f'<w:footnote w:id="{number}"><w:p>{_properties("FootnoteText", text)}{mark}'
        f"{''.join(_runs(f' {text}'))}</w:p></w:footnote>"
    )


def _properties(style: str, text: str) -> str:
    bidi = "<w:bidi/>" if _is_right_to_left(text) else ""
    return f'<w:pPr><w:pStyle w:val="{style}"/>{bidi}</w:pPr>'


def _runs(text: str, *, emphasis: bool = False) -> Iterator[str]:
    """A run for each line, so that line breaks are kept."""
    properties = ("<w:i/><w:iCs/>" if emphasis else "") + (
        "<w:rtl/>" if _is_right_to_left(text) else ""
    )
    for number, line in enumerate(text.splitlines()):
        gap = "<w:br/>" if number else ""
        yield (
            f'<w:r><w:rPr>{properties}</w:rPr>{gap}<w:t xml:space="preserve">{_escaped(line)}</w:t>'
            "</w:r>"
        )


def _is_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction is written from right to left."""
    directions = (unicodedata.bidirectional(character) for character in text)
    return (
        next((direction for direction in directions if direction in {"L", "R", "AL"}), "L") != "L"
    )


def _escaped(text: str) -> str:
    return escape(_UNWRITABLE.sub("", text))
