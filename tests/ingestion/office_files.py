"""Small Office packages from the XML that a test is about."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from footnote.domain import ParsedDocument
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion.test_reading import assert_lawful

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD_NAMESPACES = (
    f'xmlns:w="{W}" xmlns:r="{R}" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
_ODF_NAMES = {"draw": "drawing", "svg": "svg-compatible"}
ODF = (
    " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:'
        f'{_ODF_NAMES.get(prefix, prefix)}:1.0"'
        for prefix in "office text table draw style meta presentation svg chart".split()
    )
    + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)

STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/>{rest}</w:style>'
    for key, name, rest in [
        ("Titel", "Title", ""),
        ("berschrift1", "heading 1", ""),
        ("berschrift2", "heading 2", ""),
        ("Eigene", "Our own", '<w:basedOn w:val="berschrift2"/>'),
        ("Code", "Source Code", ""),
        ("Beschriftung", "caption", ""),
        ("Verzeichnis1", "toc 1", ""),
    ]
)
NUMBERING = (
    '<w:abstractNum w:abstractNumId="0">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="§ %1"/>'
    "</w:lvl>"
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%2)"/>'
    "</w:lvl></w:abstractNum>"
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>'
    '<w:lvlText w:val="o"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl>'
    "</w:abstractNum>"
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
    '<w:startOverride w:val="1"/></w:lvlOverride></w:num>'
)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        if "_rels/.rels" in parts:
            archive.writestr("[Content_Types].xml", "<Types/>")
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def relations(entries: Mapping[str, tuple[str, str]]) -> str:
    """Id to (kind, target); a target with a colon leads out of the file."""
    lines = "".join(
        f'<Relationship Id="{key}" Type="{R}/{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if ":" in target else "/>")
        for key, (kind, target) in entries.items()
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{lines}</Relationships>'


def word(
    body: str,
    *,
    parts: Mapping[str, str | bytes] | None = None,
    links: Mapping[str, tuple[str, str]] | None = None,
    core: str = "",
) -> bytes:
    """A DOCX with these body elements; `parts` are further parts below `word/`."""
    given = dict(parts or {})
    entries = {
        "s": ("styles", "styles.xml"),
        "n": ("numbering", "numbering.xml"),
        **{f"p{number}": (name.split(".")[0].rstrip("123456789"), name)
           for number, name in enumerate(given) if "/" not in name},
        **(links or {}),
    }  # fmt: skip
    properties = (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/'
        'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:dcterms="http://purl.org/dc/terms/">{core}</cp:coreProperties>'
    )
    return zipped(
        {
            "_rels/.rels": relations({"d": ("officeDocument", "word/document.xml")}),
            "docProps/core.xml": properties,
            "word/document.xml": (
                f"<w:document {WORD_NAMESPACES}><w:body>{body}</w:body></w:document>"
            ),
            "word/_rels/document.xml.rels": relations(entries),
            "word/styles.xml": f"<w:styles {WORD_NAMESPACES}>{STYLES}</w:styles>",
            "word/numbering.xml": f"<w:numbering {WORD_NAMESPACES}>{NUMBERING}</w:numbering>",
            **{f"word/{name}": content for name, content in given.items()},
        }
    )


def p(text: str, style: str = "", extra: str = "") -> str:
    """A paragraph of one run; text that begins with a tag is taken as runs."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    runs = text if text.startswith("<") else run(text)
    return f"<w:p><w:pPr>{named}{extra}</w:pPr>{runs}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def item(text: str, number: int, depth: int = 0) -> str:
    numbering = f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'
    return p(text, extra=numbering)


def cell(text: str, properties: str = "") -> str:
    inner = text if text.startswith("<") else p(text)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inner}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(rows)}</w:tbl>"


def open_document(
    kind: str, body: str, *, styles: str = "", meta: str = "", master: str = "",
    parts: Mapping[str, str | bytes] | None = None,
) -> bytes:  # fmt: skip
    """An OpenDocument file: kind is text, presentation or spreadsheet."""
    media_type = f"application/vnd.oasis.opendocument.{kind}"
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{of}"/>'
        for path, of in (
            ("/", media_type),
            *((name, "text/xml") for name in ("content.xml", "styles.xml", "meta.xml")),
        )
    )
    space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    return zipped(
        {
            "mimetype": media_type,
            "META-INF/manifest.xml": (
                f'<manifest:manifest xmlns:manifest="{space}">{entries}</manifest:manifest>'
            ),
            "content.xml": (
                f"<office:document-content {ODF}><office:automatic-styles>{styles}"
                f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
                "</office:body></office:document-content>"
            ),
            "styles.xml": f"<office:document-styles {ODF}>{master}</office:document-styles>",
            "meta.xml": (
                f"<office:document-meta {ODF}><office:meta>{meta}</office:meta>"
                "</office:document-meta>"
            ),
            **(parts or {}),
        }
    )


def chart_part(title: str, categories: list[str], series: dict[str, list[float]]) -> str:
    """A bar chart as Office programs store it."""

    def points(values: list[str]) -> str:
        return "".join(
            f'<c:pt idx="{index}"><c:v>{value}</c:v></c:pt>' for index, value in enumerate(values)
        )

    drawn = "".join(
        f"<c:ser><c:tx><c:strRef><c:strCache>{points([name])}</c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{points(categories)}</c:strCache></c:strRef></c:cat>"
        "<c:val><c:numRef><c:numCache><c:formatCode>0%</c:formatCode>"
        f"{points([str(value) for value in values])}</c:numCache></c:numRef></c:val></c:ser>"
        for name, values in series.items()
    )
    return (
        f"<c:chartSpace {WORD_NAMESPACES}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>{title}"
        f"</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>{drawn}</c:barChart>"
        "</c:plotArea></c:chart></c:chartSpace>"
    )


def drawing(inside: str, description: str = "") -> str:
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="{description}"/>'
        f"<a:graphic>{inside}</a:graphic></wp:inline></w:drawing></w:r>"
    )


def read(content: bytes, name: str) -> ParsedDocument:
    """The document, without OCR; its spans are its text."""
    parsed = read_document(content, name, ReadingOptions(ocr="off"))
    assert_lawful(parsed)
    return parsed
