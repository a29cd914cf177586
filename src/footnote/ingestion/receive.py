"""What arrives is checked before anything is stored: its size, and whether its type is known."""

from __future__ import annotations

from footnote.domain import Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion.media import sniff_media_type

_READABLE = (
    "PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, RTF, email, HTML, Markdown, CSV, "
    "plain text, captions and images"
)
