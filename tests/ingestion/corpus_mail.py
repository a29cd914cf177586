"""Messages, boxes, saved pages and archives, by format and name of the file."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from email.message import EmailMessage

from tests.ingestion import files, mailfiles
from tests.ingestion.office_files import zipped
from tests.ingestion.test_archives import tarred

MEMBERS = {
    "notes/plan.md": b"# The plan\n\nBuild it.\n",
    "list.csv": b"a,b\n1,2\n",
    "read me.txt": "Grüße aus dem Archiv.\n".encode(),
}
_PAGE = (
    "<html><head><title>Cleaning</title></head><body><h1>How</h1><p>Only water.</p>"
    "<table><tr><th>Part</th><th>Days</th></tr><tr><td>Sieve</td><td>7</td></tr></table></body>"
    "</html>"
)


def _answer() -> bytes:
    body = (
        "Yes, please.\n\n> Shall we order?\n> Four of them.\n\n"
        "- two now\n- two later\n\nThanks\n-- \nAnn\nAcme\n"
    )
    return mailfiles.plain_message("Re: Four sensors", body).as_bytes()


def _in_html() -> bytes:
    message = mailfiles.plain_message("Rates", "See the HTML version.")
    message.add_alternative(
        "<h2>Rates of the year</h2><p>City by city:</p><table><tr><th>City</th><th>Rate</th></tr>"
        "<tr><td>Rome</td><td>110</td></tr></table><ul><li>net</li><li>per day</li></ul>",
        subtype="html",
    )
    return message.as_bytes()


def _forwarded() -> bytes:
    message = mailfiles.plain_message("Fwd: the list", "Below, and the list.")
    message.add_attachment(_inner())
    message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="list.csv")
    return message.as_bytes()


def _inner() -> EmailMessage:
    return mailfiles.plain_message("Inner", "The inner words.")


def _box_of_three() -> bytes:
    return mailfiles.box(
        mailfiles.plain_message("First"),
        mailfiles.plain_message("Second / part", "Second words."),
        mailfiles.plain_message("Third", "From here on all is well."),
    )


def _box_with_files() -> bytes:
    message = mailfiles.plain_message("With a list")
    message.add_attachment(b"a,b\n1,2\n", maintype="text", subtype="csv", filename="list.csv")
    return mailfiles.box(message, _inner())


def _outlook(subject: str, body: str = "", **more: object) -> Callable[[], bytes]:
    item = mailfiles.outlook_item(subject, body, **more)  # type: ignore[arg-type]  # by kind of body
    return lambda: mailfiles.CompoundFile(item).to_bytes()


def _mixed() -> dict[str, str | bytes]:
    return {
        "office/contract.docx": files.contract_docx(),
        "mail/letter.eml": mailfiles.plain_message().as_bytes(),
        "__MACOSX/._contract.docx": b"\0\1",
        "empty.txt": b"",
        "unknown.bin": bytes(range(256)),
    }


FILES: dict[str, dict[str, Callable[[], bytes]]] = {
    "email": {
        "letter.eml": files.letter_eml,
        "answer.eml": _answer,
        "html.eml": _in_html,
        "forwarded.eml": _forwarded,
    },
    "Outlook": {
        "sensors.msg": _outlook(
            "Sensors", "Dear Ann,\r\n\r\nfour left our dock.", files={"list.csv": b"a,b\n1,2\n"}
        ),
        "html.msg": _outlook(
            "Rates", html="<h2>Rates</h2><p>Only <b>here</b>.</p><ol><li>one</ol>"
        ),
        "rich.msg": _outlook(
            "Rich", rtf=mailfiles.uncompressed_rtf(r"{\rtf1\ansi Only \b here\b0 .\par Twice.\par}")
        ),
        "outer.msg": _outlook(
            "Outer", "See below.", inner=mailfiles.outlook_item("Inner", "The inner words.")
        ),
    },
    "mailboxes": {
        "three.mbox": _box_of_three,
        "files.mbox": _box_with_files,
        "named like nothing": lambda: mailfiles.box(_inner()),
    },
    "saved pages": {
        "cleaning.mhtml": lambda: mailfiles.saved_page(_PAGE, b"\x89PNG\r\n\x1a\n"),
        "cleaning.eml": lambda: mailfiles.saved_page("<h1>Mail?</h1><p>No, a page.</p>", b""),
        "list.mht": lambda: mailfiles.saved_page(
            "<title>List</title><nav>Menu</nav><ul><li>eins</li><li>zwei – drei</li></ul>", b""
        ),
    },
    "ZIP": {
        "members.zip": lambda: zipped(MEMBERS),
        "mixed.zip": lambda: zipped(_mixed()),
        "nested.zip": lambda: zipped({"inner.zip": zipped(MEMBERS), "top.txt": b"On top.\n"}),
    },
    "TAR": {
        "members.tar": lambda: tarred(MEMBERS),
        "members.tar.gz": lambda: gzip.compress(tarred(MEMBERS)),
        "members.tar.bz2": lambda: bz2.compress(tarred(MEMBERS)),
        "members.tar.xz": lambda: lzma.compress(tarred({"a/b/c.json": b'{"deep": 3}'})),
    },
    "one file packed by them": {
        "server.log.gz": lambda: gzip.compress(b"Started.\n\nStopped.\n"),
        "list.csv.bz2": lambda: bz2.compress(b"a,b\n1,2\n"),
        "plan.md.xz": lambda: lzma.compress(b"# The plan\n\nBuild it.\n"),
    },
}
