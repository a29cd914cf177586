"""A box of messages becomes the list of them, each a child document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser

from footnote.domain import Attachment, BlockKind, Stage
from footnote.errors import DocumentUnreadable
from footnote.ingestion.media import EMAIL
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.message import message_metadata

_PARTING = re.compile(rb"(?:\A|(?<=\n))From [^\n]*\n(?=[A-Za-z][A-Za-z0-9-]*:|>?From )")
_ESCAPED = re.compile(rb"^>(>*From )", re.MULTILINE)
_HEAD_BYTES = 16_384
_UNSAFE_IN_NAMES = re.compile(r"[^\w\s.,()\-]+")
_LISTED_TOGETHER = 100


def read_mbox(content: bytes, *, max_members: int) -> Reading:
    """Read a box of messages, of which each becomes a child document.

    Raises DocumentUnreadable when it holds more than `max_members`.
    """
    messages = tuple(_messages(content.replace(b"\r\n", b"\n")))
    if len(messages) > max_members:
        raise DocumentUnreadable(
            stage=Stage.PARSE,
            cause=f"it holds {len(messages):,} messages, more than the {max_members:,} allowed",
            advice="split it",
        )
    lines: list[str] = []
    attachments: list[Attachment] = []
    for number, message in enumerate(messages, start=1):
        headers = message_metadata(_headers(message))
        subject = str(headers.get("subject", ""))
        told = (str(headers.get(name, "")) for name in ("date", "from"))
        lines.append(" | ".join(part for part in (*told, subject) if part) or f"message {number}")
        name = " ".join(_UNSAFE_IN_NAMES.sub(" ", subject).split())[:120]
        attachments.append(
            Attachment(
                filename=f"{number:04d} {name}".strip() + ".eml", media_type=EMAIL, content=message
            )
        )
    return Reading(
        drafts=tuple(_listing(lines)),
        metadata={"members": len(messages)},
        attachments=tuple(attachments),
    )


def _messages(content: bytes) -> Iterator[bytes]:
    """Each message without the line that parts it from the one before."""
    starts = [match.span() for match in _PARTING.finditer(content)]
    ends = [start for start, _ in starts] + [len(content)]
    for (_, start), end in zip(starts, ends[1:], strict=True):
        message = _ESCAPED.sub(rb"\1", content[start:end]).strip(b"\n")
        if message:
            yield message + b"\n"


def _headers(message: bytes) -> EmailMessage:
    head = message[:_HEAD_BYTES].split(b"\n\n", 1)[0]
    return BytesParser(policy=policy.default).parsebytes(head, headersonly=True)


def _listing(lines: list[str]) -> Iterator[Draft]:
    for start in range(0, len(lines), _LISTED_TOGETHER):
        text = "\n".join(f"- {line}" for line in lines[start : start + _LISTED_TOGETHER])
        yield Draft(kind=BlockKind.LIST, text=text)
