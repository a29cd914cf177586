"""Convert mail to drafts and attachments: a message, a mailbox, a web page saved as one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from itertools import groupby

from footnote.domain import Attachment, BlockKind, MetadataValue
from footnote.ingestion.failures import unreadable
from footnote.ingestion.media import EMAIL
from footnote.ingestion.parsing.charsets import decode
from footnote.ingestion.parsing.drafts import Draft, Reading, line_drafts
from footnote.ingestion.parsing.html import read_html
from footnote.ingestion.parsing.plaintext import list_or_paragraph, words_inside

_PARSER = BytesParser(policy=policy.default)
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_WORD = re.compile(r"\w+")
_QUOTING = re.compile(r"[ \t]*>(?:[ \t]?>)*[ \t]?")
"""The marks of quoted text at the start of a line (RFC 3676, section 4.5)."""
_HEADERS = ("subject", "from", "to", "cc", "bcc", "date", "message-id", "in-reply-to")
_SHOWN_HEADERS = ("from", "to", "cc", "date")
_MAX_NAME_CHARACTERS = 255
_MAX_PARTS = 2_000
_EXTENSIONS = {
    "message/rfc822": ".eml",
    "text/plain": ".txt",
    "text/html": ".html",
    "text/calendar": ".ics",
    "application/pdf": ".pdf",
    "image/png": ".png",
    "image/jpeg": ".jpg",
}
INLINE_IMAGE_BYTES = 20_000
"""Bytes below which a picture shown inside a body is a logo, an icon or a tracking pixel."""
_NO_PICTURES = ("image/svg+xml", "image/x-icon", "image/vnd.microsoft.icon")
_SEPARATOR = re.compile(rb"(?:\A|(?<=\n))From [^\n]*\n(?=[A-Za-z][A-Za-z0-9-]*:|>?From )")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_HEAD_BYTES = 16_384
_UNSAFE_IN_NAMES = re.compile(r"[^\w\s.,()\-]+")
_LISTED_TOGETHER = 100
_STRUCTURED = (BlockKind.TABLE, BlockKind.LIST, BlockKind.HEADING, BlockKind.CODE)


def read_message(content: bytes) -> Reading:
    """Read an RFC 5322 message with the richer of its bodies.

    Every attached file and attached message is kept, and of the images shown inside the body
    those of at least `INLINE_IMAGE_BYTES`.
    """
    return read_parsed_message(_PARSER.parsebytes(content))


def read_parsed_message(message: EmailMessage) -> Reading:
    """Read a message that is already parsed."""
    metadata = message_metadata(message)
    candidates = (message.get_body((kind,)) for kind in ("plain", "html"))
    bodies = [body for body in candidates if body is not None]
    # Subject as heading; who wrote to whom and when as a paragraph, so that it can be found.
    drafts: list[Draft] = []
    if subject := metadata.get("subject"):
        drafts.append(Draft(kind=BlockKind.HEADING, text=str(subject), level=1))
    lines = [
        f"{name.capitalize()}: {metadata[name]}" for name in _SHOWN_HEADERS if name in metadata
    ]
    if lines:
        drafts.append(Draft(kind=BlockKind.PARAGRAPH, text="\n".join(lines)))
    drafts += _richer_body(bodies)
    attachments: list[Attachment] = []
    for part in _leaves(message):
        if any(part is body for body in bodies):
            continue
        is_attached = part.get_content_disposition() == "attachment" or _name(part)
        is_text = part.get_content_type() in ("text/plain", "text/html")
        # Text may go on after an attachment, as the footer of a mailing list does.
        if is_text and not is_attached and not part.get("content-id"):
            drafts += _part_drafts(part)
        elif attachment := _attachment(part, len(attachments) + 1):
            attachments.append(attachment)
    return Reading(
        drafts=tuple(drafts),
        title=str(metadata.get("subject", "")),
        metadata=metadata,
        attachments=tuple(attachments),
    )


# --- headers --------------------------------------------------------------------------------


def message_metadata(message: EmailMessage) -> dict[str, MetadataValue]:
    """Return the message's headers, and `sender`, `recipients` and `sent` derived from them.

    `sent` and `date` are in ISO form with the sender's time zone.
    """
    metadata: dict[str, MetadataValue] = {}
    for name in _HEADERS:
        try:
            value = str(message.get(name, ""))
        except (ValueError, IndexError, AttributeError):  # the parser fails on forged headers
            continue
        if value := " ".join(value.split()):
            metadata[name.replace("-", "_")] = value
    try:
        sent = parsedate_to_datetime(str(metadata.get("date", "")))
        metadata["date"] = metadata["sent"] = sent.isoformat()
    except ValueError:
        metadata.pop("date", None)
    recipients = [str(metadata[name]) for name in ("to", "cc", "bcc") if name in metadata]
    if recipients:
        metadata["recipients"] = ", ".join(recipients)
    if "from" in metadata:
        metadata["sender"] = metadata["from"]
    return metadata


# --- bodies ---------------------------------------------------------------------------------


def _richer_body(bodies: list[MIMEPart]) -> list[Draft]:
    """Return the HTML body if it has more text, or tables and lists that the plain one lost."""
    versions = [_part_drafts(body) for body in bodies]
    if len(versions) < 2:
        return versions[0] if versions else []
    plain, page = versions
    words_in_plain, words_in_page = _words(plain), _words(page)
    if words_in_page > 1.2 * words_in_plain:
        return page
    is_structured = any(draft.kind in _STRUCTURED for draft in page)
    return page if is_structured and words_in_page >= 0.8 * words_in_plain else plain


def _words(drafts: list[Draft]) -> int:
    return sum(len(_WORD.findall(draft.text)) for draft in drafts)


def _part_drafts(part: MIMEPart) -> list[Draft]:
    try:
        text = str(part.get_content())
    except (LookupError, ValueError, AttributeError):  # no content, an unknown or a lying charset
        payload = part.get_payload(decode=True)
        text = decode(payload) if isinstance(payload, bytes) else ""
    if part.get_content_type() == "text/html":
        return list(read_html(text).drafts)
    return list(body_drafts(text))


def body_drafts(text: str) -> Iterator[Draft]:
    """Split a plain body into paragraphs, its lines joined where a mail program wrapped them.

    Quoted text and the signature are paragraphs of their own; a quoted one has its mark once, at
    its start.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    body, signature = lines, list[str]()
    ends = [index for index, line in enumerate(lines) if line.rstrip() == "--"]
    if ends and not any(line.startswith(">") for line in lines[ends[-1] :]):
        body, signature = lines[: ends[-1]], lines[ends[-1] + 1 :]
    vocabulary = words_inside(_QUOTING.sub("", line) for line in body)
    for depth, run in groupby(body, key=_quoting_depth):
        unmarked = "\n".join(_QUOTING.sub("", line) for line in run)
        for paragraph in filter(str.strip, _PARAGRAPH.split(unmarked.strip("\n"))):
            draft = list_or_paragraph(paragraph.split("\n"), vocabulary)
            yield replace(draft, text=f"{'>' * depth} {draft.text}") if depth else draft
    yield Draft(kind=BlockKind.PARAGRAPH, text="\n".join(signature))


def _quoting_depth(line: str) -> int:
    """How often a line was quoted: 0 for the sender's own, 2 for `>> text` and `> > text`."""
    marks = _QUOTING.match(line)
    return marks[0].count(">") if marks else 0


# --- attachments ----------------------------------------------------------------------------


def _leaves(message: EmailMessage) -> Iterator[MIMEPart]:
    """Yield the parts that have content themselves; an attached message is one of them."""
    waiting: list[MIMEPart] = [message]
    for _ in range(_MAX_PARTS):
        if not waiting:
            return
        part = waiting.pop()
        if part.get_content_maintype() == "multipart" and part.is_multipart():
            inner = part.get_payload()
            waiting += [child for child in reversed(list(inner)) if isinstance(child, MIMEPart)]
        else:
            yield part


def _attachment(part: MIMEPart, number: int) -> Attachment | None:
    media_type = part.get_content_type()
    content = part_bytes(part)
    inline = part.get_content_disposition() == "inline" or part.get("content-id")
    if inline and media_type.startswith("image/") and len(content) < INLINE_IMAGE_BYTES:
        return None
    if not content:
        return None
    default_name = f"attachment-{number}{_EXTENSIONS.get(media_type, '')}"
    return Attachment(filename=_name(part) or default_name, media_type=media_type, content=content)


def part_bytes(part: MIMEPart) -> bytes:
    """Return a part's decoded content; for an attached message, its own bytes."""
    if part.get_content_type() == "message/rfc822":
        payload = part.get_payload()
        inner = payload[0] if isinstance(payload, list) and payload else None
        return inner.as_bytes() if isinstance(inner, EmailMessage) else b""
    decoded = part.get_payload(decode=True)
    return decoded if isinstance(decoded, bytes) else b""


def _name(part: MIMEPart) -> str:
    try:
        return last_part(part.get_filename() or "")
    except (ValueError, IndexError, AttributeError, TypeError):  # forged as above
        return ""


def last_part(filename: str) -> str:
    """Return the name without folders and unprintable characters; empty if nothing is left."""
    name = filename.replace("\\", "/").rsplit("/", 1)[-1]
    printable = "".join(character for character in name if character.isprintable()).strip()
    return printable[:_MAX_NAME_CHARACTERS] if printable.strip(".") else ""


# --- boxes of messages ------------------------------------------------------------------------


def read_mbox(content: bytes, *, max_members: int) -> Reading:
    """Read a mailbox, each message of which becomes a child document.

    Raises DocumentUnreadable when it holds more than `max_members`.
    """
    content = content.replace(b"\r\n", b"\n")
    starts = [match.span() for match in _SEPARATOR.finditer(content)]
    ends = [start for start, _ in starts] + [len(content)]
    # Each message without its `From ` separator line.
    bodies = (
        _ESCAPED.sub(rb"\1", content[start:end]).strip(b"\n")
        for (_, start), end in zip(starts, ends[1:], strict=True)
    )
    messages = tuple(message + b"\n" for message in bodies if message)
    if len(messages) > max_members:
        raise unreadable(
            f"it holds {len(messages):,} messages, more than the {max_members:,} allowed",
            "split it",
        )
    lines: list[str] = []
    attachments: list[Attachment] = []
    for number, message in enumerate(messages, start=1):
        head = message[:_HEAD_BYTES].split(b"\n\n", 1)[0]
        headers = message_metadata(_PARSER.parsebytes(head, headersonly=True))
        subject = str(headers.get("subject", ""))
        fields = (str(headers.get(name, "")) for name in ("date", "from"))
        summary = " | ".join(filter(None, (*fields, subject)))
        lines.append(f"- {summary or f'message {number}'}")
        name = " ".join(_UNSAFE_IN_NAMES.sub(" ", subject).split())[:120]
        attachments.append(
            Attachment(
                filename=f"{number:04d} {name}".strip() + ".eml", media_type=EMAIL, content=message
            )
        )
    return Reading(
        drafts=tuple(line_drafts(lines, _LISTED_TOGETHER, BlockKind.LIST)),
        metadata={"members": len(messages)},
        attachments=tuple(attachments),
    )


# --- saved pages ------------------------------------------------------------------------------


def read_mhtml(saved: bytes) -> Reading:
    """Read the page of an MHTML file (RFC 2557); frames and style sheets are dropped.

    Raises DocumentUnreadable when there is no page in it.
    """
    message = _PARSER.parsebytes(saved)
    parts = list(message.walk())
    pages = [part for part in parts if part.get_content_type().endswith(("/html", "/xhtml+xml"))]
    start = message.get_param("start")
    start_pages = [part for part in pages if start and part.get("content-id") == start]
    root = next(iter(start_pages or pages), None)
    if root is None:
        raise unreadable("there is no page in it", "save the page anew, as HTML or as PDF")
    content, charset = part_bytes(root), root.get_content_charset()
    try:
        page = read_html(content.decode(charset) if charset else decode(content))
    except (LookupError, UnicodeDecodeError):
        page = read_html(decode(content))
    address = message.get("snapshot-content-location") or root.get("content-location")
    pictures = []
    for number, part in enumerate(parts, start=1):
        media_type = part.get_content_type()
        content = part_bytes(part) if media_type.startswith("image/") else b""
        if len(content) < INLINE_IMAGE_BYTES or media_type in _NO_PICTURES:
            continue
        location = str(part.get("content-location", "")).split("?", 1)[0]
        name = last_part(location) or f"picture-{number}"
        pictures.append(Attachment(filename=name, media_type=media_type, content=content))
    return replace(
        page,
        title=page.title or str(message.get("subject", "")),
        metadata={"url": str(address)} if address else {},
        attachments=tuple(pictures),
    )
