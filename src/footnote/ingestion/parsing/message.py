"""An email becomes its headers, its body and its attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from footnote.domain import Attachment, BlockKind, MetadataValue
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.html import read_html
from footnote.ingestion.parsing.plaintext import decode

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_HEADERS = ("subject", "from", "to", "cc", "date", "message-id", "in-reply-to")
_MAX_NAME_CHARACTERS = 255
_EXTENSIONS = {"message/rfc822": ".eml", "text/plain": ".txt", "text/html": ".html"}


def read_message(content: bytes) -> Reading:
    """Read an RFC 5322 message; its plain body is preferred to the HTML one.

    Images shown inside the HTML body are left out, every other attached file is kept.
    """
    message = BytesParser(policy=policy.default).parsebytes(content)
    metadata = _metadata(message)
    body = message.get_body(("plain", "html"))
    text = _text(body) if body is not None else ""
    if body is not None and body.get_content_type() == "text/html":
        drafts = read_html(text).drafts
    else:
        drafts = tuple(_body_drafts(text))
    return Reading(
        drafts=(*_header_drafts(metadata), *drafts),
        title=str(metadata.get("subject", "")),
        metadata=metadata,
        attachments=tuple(_attachments(message)),
    )


def _metadata(message: EmailMessage) -> dict[str, MetadataValue]:
    metadata: dict[str, MetadataValue] = {}
    for name in _HEADERS:
        try:
            value = str(message.get(name, ""))
        except (ValueError, IndexError, AttributeError):  # the parser trips over forged headers
            continue
        if value := " ".join(value.split()):
            metadata[name.replace("-", "_")] = value
    try:
        sent = parsedate_to_datetime(str(metadata.get("date", "")))
        metadata["date"] = sent.isoformat()
    except ValueError:
        metadata.pop("date", None)
    return metadata


def _header_drafts(metadata: dict[str, MetadataValue]) -> Iterator[Draft]:
    """Subject as heading; who wrote to whom and when as a paragraph, so that it can be found."""
    if subject := metadata.get("subject"):
        yield Draft(kind=BlockKind.HEADING, text=str(subject), level=1)
    lines = [
        f"{name.capitalize()}: {metadata[name]}"
        for name in ("from", "to", "cc", "date")
        if name in metadata
    ]
    if lines:
        yield Draft(kind=BlockKind.PARAGRAPH, text="\n".join(lines))


def _body_drafts(text: str) -> Iterator[Draft]:
    for paragraph in _PARAGRAPH.split(text.replace("\r\n", "\n")):
        yield Draft(kind=BlockKind.PARAGRAPH, text=paragraph)


def _text(part: MIMEPart) -> str:
    try:
        return str(part.get_content())
    except (LookupError, ValueError):  # an unknown or a lying charset
        payload = part.get_payload(decode=True)
        return decode(payload) if isinstance(payload, bytes) else ""


def _attachments(message: EmailMessage) -> Iterator[Attachment]:
    for number, part in enumerate(message.iter_attachments(), start=1):
        media_type = part.get_content_type()
        inline = part.get_content_disposition() == "inline" or part.get("content-id")
        if inline and media_type.startswith("image/"):
            continue
        if media_type == "message/rfc822":
            inner = part.get_content()
            content = bytes(inner) if isinstance(inner, EmailMessage) else b""
        else:
            payload = part.get_payload(decode=True)
            content = payload if isinstance(payload, bytes) else b""
        unnamed = f"attachment-{number}{_EXTENSIONS.get(media_type, '')}"
        if content:
            yield Attachment(
                filename=_last_part(part.get_filename() or "") or unnamed,
                media_type=media_type,
                content=content,
            )


def _last_part(filename: str) -> str:
    """The name without folders and what cannot be printed; empty if nothing is left of it."""
    name = filename.replace("\\", "/").rsplit("/", 1)[-1]
    printable = "".join(character for character in name if character.isprintable()).strip()
    return printable[:_MAX_NAME_CHARACTERS] if printable.strip(".") else ""
