"""Read annotations of PDF pages: comments, highlights, links and filled-in fields."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.pdf_marks import utf16

_COMMENTS = {
    pdfium_c.FPDF_ANNOT_TEXT: "Comment",
    pdfium_c.FPDF_ANNOT_FREETEXT: "Note",
    pdfium_c.FPDF_ANNOT_HIGHLIGHT: "Comment",
    pdfium_c.FPDF_ANNOT_UNDERLINE: "Comment",
    pdfium_c.FPDF_ANNOT_SQUIGGLY: "Comment",
    pdfium_c.FPDF_ANNOT_STRIKEOUT: "Struck out",
    pdfium_c.FPDF_ANNOT_STAMP: "Stamp",
    pdfium_c.FPDF_ANNOT_CARET: "Comment",
    pdfium_c.FPDF_ANNOT_SQUARE: "Comment",
    pdfium_c.FPDF_ANNOT_CIRCLE: "Comment",
    pdfium_c.FPDF_ANNOT_INK: "Comment",
}
_MARKS_TEXT = frozenset(
    (
        pdfium_c.FPDF_ANNOT_HIGHLIGHT,
        pdfium_c.FPDF_ANNOT_UNDERLINE,
        pdfium_c.FPDF_ANNOT_SQUIGGLY,
        pdfium_c.FPDF_ANNOT_STRIKEOUT,
    )
)
_TEXTUAL = frozenset(
    (
        pdfium_c.FPDF_FORMFIELD_TEXTFIELD,
        pdfium_c.FPDF_FORMFIELD_COMBOBOX,
        pdfium_c.FPDF_FORMFIELD_LISTBOX,
    )
)
_CHECKED = frozenset((pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON))
_PASSWORD_FLAG = 1 << 13
_HIDDEN_FLAG = 1 << 1
_MAX_ANNOTATIONS = 5000
"""Most annotations read on one page."""
_MAX_LINKS = 100
_MAX_LINK_CHARACTERS = 500
_LINK = re.compile(r"(?:https?://|mailto:)\S+", re.I)
_CAMEL = re.compile(r"(?<=[a-zà-ÿ\d])(?=[A-Z])")
_FIELD_PART = re.compile(r"\[\d+\]|#subform|^topmostSubform$|^form\d*$", re.I)


@dataclass(slots=True)
class Links:
    """The web and mail addresses that a document links to, each once."""

    found: dict[str, None] = field(default_factory=dict)

    def add(self, address: str) -> None:
        """Add a web or mail address; others, and those beyond the limits, are ignored."""
        is_short = len(address) < _MAX_LINK_CHARACTERS
        if len(self.found) < _MAX_LINKS and is_short and _LINK.fullmatch(address):
            self.found[address] = None


def annotation_drafts(
    document: pdfium.PdfDocument,
    page: pdfium.PdfPage,
    text_page: pdfium.PdfTextPage,
    number: int,
    links: Links,
) -> Iterator[Draft]:
    """Yield the form fields of a page as one block of `label: value`, then each comment as a
    paragraph."""
    fields: dict[str, str] = {}
    comments: list[str] = []
    for annotation, kind in _annotations(page):
        if kind == pdfium_c.FPDF_ANNOT_LINK:
            links.add(_address(document, annotation))
        elif kind == pdfium_c.FPDF_ANNOT_WIDGET and document.formenv is not None:
            _add_field(document.formenv, annotation, fields)
        elif kind in _COMMENTS and (comment := _comment(annotation, kind, text_page)):
            comments.append(comment)
    if fields:
        text = "\n".join(f"{label}: {value}" for label, value in fields.items())
        yield Draft(kind=BlockKind.PARAGRAPH, text=text, page=number)
    for comment in dict.fromkeys(comments):
        yield Draft(kind=BlockKind.PARAGRAPH, text=comment, page=number)


def placed_annotations(
    document: pdfium.PdfDocument, page: pdfium.PdfPage, text_page: pdfium.PdfTextPage
) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    """Yield each field and comment with its text as in its draft, and its left, bottom, right and
    top."""
    rect = pdfium_c.FS_RECTF()
    for annotation, kind in _annotations(page):
        fields: dict[str, str] = {}
        text = ""
        if kind == pdfium_c.FPDF_ANNOT_WIDGET and document.formenv is not None:
            _add_field(document.formenv, annotation, fields)
            text = "".join(f"{label}: {value}" for label, value in fields.items())
        elif kind in _COMMENTS:
            text = _comment(annotation, kind, text_page)
        if text and pdfium_c.FPDFAnnot_GetRect(annotation, rect):
            yield text, (rect.left, rect.bottom, rect.right, rect.top)


def _annotations(page: pdfium.PdfPage) -> Iterator[tuple[object, int]]:
    """Yield each annotation with its kind; it is closed before the next one."""
    for index in range(min(pdfium_c.FPDFPage_GetAnnotCount(page.raw), _MAX_ANNOTATIONS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page.raw, index)
        if not annotation:
            continue
        try:
            yield annotation, pdfium_c.FPDFAnnot_GetSubtype(annotation)
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)


def _address(document: pdfium.PdfDocument, annotation: object) -> str:
    link = pdfium_c.FPDFAnnot_GetLink(annotation)
    action = pdfium_c.FPDFLink_GetAction(link) if link else None
    if not action or pdfium_c.FPDFAction_GetType(action) != pdfium_c.PDFACTION_URI:
        return ""
    size = pdfium_c.FPDFAction_GetURIPath(document.raw, action, None, 0)
    buffer = ctypes.create_string_buffer(size + 1)
    pdfium_c.FPDFAction_GetURIPath(document.raw, action, buffer, size)
    return buffer.value.decode("utf-8", "replace").strip()


def _comment(annotation: object, kind: int, text_page: pdfium.PdfTextPage) -> str:
    """Return `Comment (author) on “marked text”: text`; empty without a text."""
    if pdfium_c.FPDFAnnot_GetFlags(annotation) & _HIDDEN_FLAG:
        return ""
    contents = " ".join(_value(annotation, b"Contents").split())
    if not contents:
        return ""
    author = _value(annotation, b"T")
    marked = _marked_text(annotation, text_page) if kind in _MARKS_TEXT else ""
    byline = f" ({author})" if author else ""
    passage = f" on “{marked}”" if marked else ""
    return f"{_COMMENTS[kind]}{byline}{passage}: {contents}"


def _value(annotation: object, key: bytes) -> str:
    return utf16(pdfium_c.FPDFAnnot_GetStringValue, annotation, key)


def _marked_text(annotation: object, text_page: pdfium.PdfTextPage) -> str:
    quad = pdfium_c.FS_QUADPOINTSF()
    parts = []
    for index in range(min(pdfium_c.FPDFAnnot_CountAttachmentPoints(annotation), 50)):
        if not pdfium_c.FPDFAnnot_GetAttachmentPoints(annotation, index, quad):
            continue
        xs, ys = (quad.x1, quad.x2, quad.x3, quad.x4), (quad.y1, quad.y2, quad.y3, quad.y4)
        parts.append(text_page.get_text_bounded(min(xs), min(ys), max(xs), max(ys)))
    return " ".join(" ".join(parts).split())


def _add_field(form: pdfium.PdfFormEnv, annotation: object, fields: dict[str, str]) -> None:
    """Add a field's value under its label; empty, hidden and password fields are left out."""
    flags = pdfium_c.FPDFAnnot_GetFormFieldFlags(form, annotation)
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation)
    if flags & _PASSWORD_FLAG or pdfium_c.FPDFAnnot_GetFlags(annotation) & _HIDDEN_FLAG:
        return
    # The name of a field for readers, else its technical name split into words.
    alternate_name = utf16(pdfium_c.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    if alternate_name:
        label = " ".join(alternate_name.split()).rstrip(" :")
    else:
        name = utf16(pdfium_c.FPDFAnnot_GetFormFieldName, form, annotation)
        parts = [_FIELD_PART.sub("", part) for part in name.split(".")]
        words = _CAMEL.sub(" ", " ".join(part for part in parts if part).replace("_", " "))
        label = " ".join(words.split())
    value = ""
    if kind in _TEXTUAL:
        value = utf16(pdfium_c.FPDFAnnot_GetFormFieldValue, form, annotation)
    elif kind in _CHECKED and pdfium_c.FPDFAnnot_IsChecked(form, annotation):
        value = utf16(pdfium_c.FPDFAnnot_GetFormFieldExportValue, form, annotation)
        value = "yes" if value.casefold() in {"", "on", "yes", "1", "true"} else value
    value = " ".join(value.split())
    if label and value:
        fields.setdefault(label, value)
