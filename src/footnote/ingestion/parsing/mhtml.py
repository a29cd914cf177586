"""A web page saved with all that it shows becomes its main page and its larger pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser

from footnote.domain import Attachment, Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.charsets import decode
from footnote.ingestion.parsing.drafts import Reading
from footnote.ingestion.parsing.html import read_html
from footnote.ingestion.parsing.message import INLINE_IMAGE_BYTES, last_part, part_bytes

_NO_PICTURES = ("image/svg+xml", "image/x-icon", "image/vnd.microsoft.icon")


def read_mhtml(content: bytes) -> Reading:
    """Read the page an MHTML file was saved from (RFC 2557); frames and style sheets go.

    Raises DocumentUnreadable when there is no page in it.
    """
    message = BytesParser(policy=policy.default).parsebytes(content)
    parts = list(message.walk())
    root = _root(message, parts)
    if root is None:
        raise DocumentUnreadable(
            stage=Stage.PARSE,
            cause="there is no page in it",
            advice="save the page anew, as HTML or as PDF",
        )
    page = read_html(_page_text(root))
    address = message.get("snapshot-content-location") or root.get("content-location")
    return replace(
        page,
        title=page.title or str(message.get("subject", "")),
        metadata={"url": str(address)} if address else {},
        attachments=tuple(_pictures(parts)),
    )


def _root(message: EmailMessage, parts: Sequence[MIMEPart]) -> MIMEPart | None:
    pages = [part for part in parts if part.get_content_type().endswith(("/html", "/xhtml+xml"))]
    start = message.get_param("start")
    named = [part for part in pages if start and part.get("content-id") == start]
    return next(iter(named or pages), None)


def _page_text(part: MIMEPart) -> str:
    content = part_bytes(part)
    charset = part.get_content_charset()
    try:
        return content.decode(charset) if charset else decode(content)
    except (LookupError, UnicodeDecodeError):
        return decode(content)


def _pictures(parts: Sequence[MIMEPart]) -> list[Attachment]:
    pictures = []
    for number, part in enumerate(parts, start=1):
        media_type = part.get_content_type()
        content = part_bytes(part) if media_type.startswith("image/") else b""
        if len(content) < INLINE_IMAGE_BYTES or media_type in _NO_PICTURES:
            continue
        address = str(part.get("content-location", "")).split("?", 1)[0]
        name = last_part(address) or f"picture-{number}"
        pictures.append(Attachment(filename=name, media_type=media_type, content=content))
    return pictures
