"""Convert an Outlook item (.msg) to the equivalent Internet message.

It is a compound file (MS-CFB) of MAPI properties (MS-OXMSG): long values are streams named by their
property tag, short ones are in the properties stream of their storage.
"""

from __future__ import annotations

import io
import mimetypes
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email import policy
from email.message import EmailMessage
from email.parser import HeaderParser
from email.utils import format_datetime, formataddr

import olefile

from footnote.ingestion import media
from footnote.ingestion.parsing.charsets import decode
from footnote.ingestion.parsing.drafts import Reading
from footnote.ingestion.parsing.message import last_part, read_parsed_message
from footnote.ingestion.parsing.outlookrtf import decompress_rtf, html_in_rtf
from footnote.ingestion.parsing.xberg import read_by_xberg

_MAX_DEPTH = 8
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_UNICODE, _NARROW, _BINARY, _OBJECT = "001F", "001E", "0102", "000D"
_SUBJECT, _BODY, _HTML, _RTF_BODY = "0037", "1000", "1013", "1009"
_MESSAGE_ID, _REPLY_TO_ID, _TRANSPORT_HEADERS = "1035", "1042", "007D"
_SENDER_NAME, _SENDER_ADDRESSES = "0C1A", ("5D01", "0C1F", "0065")
_TO, _CC, _SUBMITTED, _DELIVERED = "0E04", "0E03", 0x0039, 0x0E06
_RECIPIENT_NAME, _RECIPIENT_ADDRESSES, _RECIPIENT_KIND = "3001", ("39FE", "3003"), 0x0C15
_FILE_NAMES, _FILE_TYPE, _FILE_BYTES, _FILE_ID = ("3707", "3704", "3001"), "370E", "3701", "3712"
_CODEPAGES = (0x3FDE, 0x3FFD)


@dataclass(frozen=True, slots=True)
class _Storage:
    """A folder of the compound file with the properties it holds."""

    file: olefile.OleFileIO[str]
    path: tuple[str, ...]
    numbers: Mapping[int, int]
    """Properties of at most eight bytes, by their id."""

    @classmethod
    def at(cls, file: olefile.OleFileIO[str], path: tuple[str, ...], header_bytes: int) -> _Storage:
        properties = b""
        if file.exists([*path, "__properties_version1.0"]):
            properties = file.openstream([*path, "__properties_version1.0"]).read()
        entries = range(header_bytes, len(properties) - 15, 16)
        return cls(
            file,
            path,
            {
                int.from_bytes(properties[start + 2 : start + 4], "little"): int.from_bytes(
                    properties[start + 8 : start + 16], "little"
                )
                for start in entries
            },
        )

    def binary(self, tag: str, kind: str = _BINARY) -> bytes:
        name = [*self.path, f"__substg1.0_{tag}{kind}"]
        is_stream = self.file.get_type(name) == olefile.STGTY_STREAM
        return self.file.openstream(name).read() if is_stream else b""

    def text(self, *tags: str) -> str:
        """Return the first of these properties that is not empty."""
        for tag in tags:
            if wide := self.binary(tag, _UNICODE):
                return wide.decode("utf-16-le", "replace").rstrip("\x00")
            if narrow := self.binary(tag, _NARROW):
                page = next((self.numbers[id_] for id_ in _CODEPAGES if id_ in self.numbers), 0)
                encoding = "utf-8" if page & 0xFFFFFFFF == 65001 else f"cp{page & 0xFFFFFFFF}"
                try:
                    decoded = narrow.decode(encoding)
                except (LookupError, UnicodeDecodeError):
                    decoded = decode(narrow)
                return decoded.rstrip("\x00")
        return ""

    def children(self, prefix: str) -> Iterator[tuple[str, ...]]:
        depth = len(self.path)
        for entry in self.file.listdir(streams=False, storages=True):
            is_child = tuple(entry[:depth]) == self.path and len(entry) == depth + 1
            if is_child and entry[depth].startswith(prefix):
                yield tuple(entry)


def read_outlook(content: bytes) -> Reading:
    """Read a message with its attachments; a message inside it becomes an EML child.

    Raises OSError when the compound file is damaged.
    """
    with olefile.OleFileIO(io.BytesIO(content)) as file:
        top = _Storage.at(file, (), header_bytes=32)
        message = _message(top, depth=0)
        reading = read_parsed_message(message)
        if any(_bodies(top)):
            return reading
        rtf = decompress_rtf(top.binary(_RTF_BODY))
    if not rtf:
        return reading
    body = read_by_xberg(rtf, media.RTF)
    return replace(reading, drafts=(*reading.drafts, *body.drafts))


def _message(storage: _Storage, depth: int) -> EmailMessage:
    message = EmailMessage(policy=policy.default)
    for name, value in _headers(storage):
        try:
            message[name] = " ".join(value.split())
        except (ValueError, IndexError, AttributeError):  # no address, or a second subject
            continue
    plain, page = _bodies(storage)
    if plain or not page:
        message.set_content(plain)
        if page:
            message.add_alternative(page, subtype="html")
    else:
        message.set_content(page, subtype="html")
    if depth < _MAX_DEPTH:
        for path in storage.children("__attach_version1.0_#"):
            _attach(message, _Storage.at(storage.file, path, header_bytes=8), depth)
    return message


# --- headers --------------------------------------------------------------------------------


def _headers(storage: _Storage) -> Iterator[tuple[str, str]]:
    sent = HeaderParser().parsestr(storage.text(_TRANSPORT_HEADERS).lstrip())
    recipients: list[tuple[int, str]] = []
    for path in storage.children("__recip_version1.0_#"):
        recipient = _Storage.at(storage.file, path, header_bytes=8)
        if address := _address(
            recipient.text(_RECIPIENT_NAME), _addressed(recipient, _RECIPIENT_ADDRESSES)
        ):
            recipients.append((recipient.numbers.get(_RECIPIENT_KIND, 1) & 3, address))
    ticks = storage.numbers.get(_SUBMITTED) or storage.numbers.get(_DELIVERED)
    date = ""
    with suppress(OverflowError, ValueError):
        date = format_datetime(_EPOCH + timedelta(microseconds=ticks // 10)) if ticks else ""
    headers = {
        "Subject": storage.text(_SUBJECT),
        "From": _address(storage.text(_SENDER_NAME), _addressed(storage, _SENDER_ADDRESSES)),
        "To": ", ".join(address for kind, address in recipients if kind == 1) or storage.text(_TO),
        "Cc": ", ".join(address for kind, address in recipients if kind == 2) or storage.text(_CC),
        "Date": date or str(sent.get("date", "")),
        "Message-ID": storage.text(_MESSAGE_ID) or str(sent.get("message-id", "")),
        "In-Reply-To": storage.text(_REPLY_TO_ID) or str(sent.get("in-reply-to", "")),
    }
    yield from ((name, value) for name, value in headers.items() if value.strip())


def _addressed(storage: _Storage, tags: tuple[str, ...]) -> str:
    """Return the first Internet address; addresses of Exchange's own kind have no at-sign."""
    return next((text for tag in tags if "@" in (text := storage.text(tag))), "")


def _address(name: str, address: str) -> str:
    if not address or name == address:
        return address or name
    try:
        return formataddr((name, address))
    except UnicodeEncodeError:
        return f"{name} <{address}>"


# --- bodies and attachments -----------------------------------------------------------------


def _bodies(storage: _Storage) -> tuple[str, str]:
    """Return the plain body and the HTML body; empty where missing."""
    page = storage.text(_HTML) or decode(storage.binary(_HTML))
    if not page:
        page = html_in_rtf(decompress_rtf(storage.binary(_RTF_BODY)))
    return _encodable(storage.text(_BODY).strip()), _encodable(page.strip())


def _attach(message: EmailMessage, attachment: _Storage, depth: int) -> None:
    name = last_part(_encodable(attachment.text(*_FILE_NAMES)))
    path = (*attachment.path, f"__substg1.0_{_FILE_BYTES}{_OBJECT}")
    if attachment.file.get_type(list(path)) == olefile.STGTY_STORAGE:
        inner = _Storage.at(attachment.file, path, header_bytes=24)
        if inner.numbers:
            subject = last_part(_encodable(inner.text(_SUBJECT))) or name or "message"
            _add(message, _message(inner, depth + 1).as_bytes(), "message/x-eml", f"{subject}.eml")
        return
    content = attachment.binary(_FILE_BYTES)
    if not content:
        return
    declared = attachment.text(_FILE_TYPE) or mimetypes.guess_type(name)[0] or ""
    content_id = attachment.text(_FILE_ID)
    _add(message, content, declared, name, content_id if declared.startswith("image/") else "")


def _add(
    message: EmailMessage, content: bytes, media_type: str, name: str, content_id: str = ""
) -> None:
    main, _, sub = media_type.partition("/")
    if not main.isascii() or not main.isalpha() or not sub or main in ("multipart", "message"):
        main, sub = "application", "octet-stream"
    is_printable = content_id.isascii() and content_id.isprintable() and " " not in content_id
    message.add_attachment(
        content,
        maintype=main,
        subtype=sub,
        filename=name or None,
        cid=f"<{content_id.strip('<>')}>" if content_id and is_printable else None,
    )


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
