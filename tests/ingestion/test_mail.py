from __future__ import annotations

import pytest

from footnote.domain import BlockKind
from footnote.errors import DocumentUnreadable
from footnote.ingestion.parsing.archives import ArchiveLimits
from footnote.ingestion.parsing.message import body_drafts
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion import files, mailfiles
from tests.ingestion.test_reading import assert_lawful, block_with, blocks_of

PICTURE = files.picture([f"line {number} of a plan that is large" for number in range(40)])


def test_the_body_that_says_more_is_read() -> None:
    short = mailfiles.plain_message(body="See the HTML version.")
    short.add_alternative(
        "<p>Prices of the year, city by city:</p><table><tr><th>City</th><th>Rate</th></tr>"
        "<tr><td>Rome</td><td>110</td></tr></table>",
        subtype="html",
    )
    parsed = read_document(short.as_bytes(), "a.eml")
    assert "| Rome | 110 |" in blocks_of(parsed, BlockKind.TABLE)[0].text
    assert "HTML version" not in parsed.text
    same = mailfiles.plain_message(body="The same words in both.")
    same.add_alternative("<div>The same words in both.</div>", subtype="html")
    assert read_document(same.as_bytes(), "a.eml").text.count("same words") == 1


def test_inline_pictures_are_kept_when_they_are_more_than_a_logo() -> None:
    message = mailfiles.plain_message()
    for name, picture in (("logo.png", files.picture(["logo"])), ("plan.png", PICTURE)):
        message.add_attachment(
            picture, maintype="image", subtype="png", filename=name, disposition="inline",
            cid=f"<{name}>",
        )  # fmt: skip
    parsed = read_document(message.as_bytes(), "a.eml")
    assert [attachment.filename for attachment in parsed.attachments] == ["plan.png"]
    assert parsed.attachments[0].content == PICTURE


def test_files_deep_in_a_message_and_messages_that_are_a_file_are_kept() -> None:
    raw = (
        b"From: a@b.example\nTo: c@d.example\nMIME-Version: 1.0\n"
        b'Content-Type: multipart/mixed; boundary="o"\n\n--o\n'
        b'Content-Type: multipart/mixed; boundary="i"\n\n--i\nContent-Type: text/plain\n\nHello\n'
        b"--i\nContent-Type: text/csv; name=list.csv\n\na,b\n1,2\n--i--\n--o\n"
        b"Content-Type: text/plain\n\nThe footer of the list.\n--o--\n"
    )
    parsed = read_document(raw, "a.eml")
    assert [attachment.filename for attachment in parsed.attachments] == ["list.csv"]
    assert "footer of the list" in parsed.text
    alone = b"From: a@b.example\nTo: c@d.example\nContent-Type: application/pdf\n\n%PDF-1.4 x"
    (attachment,) = read_document(alone, "a.eml").attachments
    assert bytes(attachment.content).startswith(b"%PDF-")


# --- boxes and saved pages ------------------------------------------------------------------


def test_a_box_of_too_many_messages_is_refused() -> None:
    options = ReadingOptions(archive=ArchiveLimits(max_members=2))
    with pytest.raises(DocumentUnreadable, match="3 messages"):
        read_document(mailfiles.box(*[mailfiles.plain_message()] * 3), "a.mbox", options)


@pytest.mark.parametrize("name", ["page.mht", "page.mhtml", "page", "page.eml"])
def test_a_saved_page_is_read_as_its_page(name: str) -> None:
    html = "<html><head><title>Cleaning</title></head><body><h1>How</h1><p>Ünly water.</p></body>"
    parsed = read_document(mailfiles.saved_page(html, PICTURE), name)
    assert_lawful(parsed)
    assert parsed.media_type == "multipart/related"
    assert parsed.title == "Cleaning"
    assert parsed.metadata["url"] == "https://help.example/cleaning"
    assert block_with(parsed, "Ünly").heading_path == ("How",)
    assert [attachment.filename for attachment in parsed.attachments] == ["plan.png"]


# --- Outlook --------------------------------------------------------------------------------


def test_an_outlook_item_inside_another_is_a_message_with_its_own_files() -> None:
    inner = mailfiles.outlook_item("Inner", "The inner words.", files={"big.txt": b"word " * 2000})
    outer = mailfiles.outlook_item("Outer", "See below.", inner=inner)
    parsed = read_document(mailfiles.CompoundFile(outer).to_bytes(), "a.msg")
    (attachment,) = parsed.attachments
    assert attachment.filename == "Inner.eml"
    read = read_document(bytes(attachment.content), attachment.filename)
    assert "inner words" in read.text
    assert read.metadata["sent"] == "2025-03-12T08:30:00+00:00"
    assert read.attachments[0].content == b"word " * 2000


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"html": "<p>Only <b>here</b>.</p>"}, id="html"),
        pytest.param(
            {
                "rtf": mailfiles.uncompressed_rtf(
                    r"{\rtf1\ansi\ansicpg1252\fromhtml1{\fonttbl{\f0 Arial;}}{\*\htmltag64 <p>}"
                    r"\htmlrtf {\htmlrtf0 Only {\*\htmltag84 <b>}\htmlrtf {\b \htmlrtf0 here"
                    r"{\*\htmltag92 </b>}\htmlrtf }\htmlrtf0 .{\*\htmltag72 </p>}}"
                )
            },
            id="html in rtf",
        ),
        pytest.param({"rtf": mailfiles.uncompressed_rtf(r"{\rtf1\ansi Only \b here\b0 .\par}")},
                     id="rtf"),
    ],
)  # fmt: skip
def test_an_outlook_body_is_read_from_whatever_holds_it(body: dict[str, bytes]) -> None:
    item = mailfiles.outlook_item("Sensors", **body)  # type: ignore[arg-type]  # by kind of body
    parsed = read_document(mailfiles.CompoundFile(item).to_bytes(), "a.msg")
    assert parsed.blocks[-1].text == "Only here."


@pytest.mark.parametrize("cut", [600, 1500, 3000])
def test_a_truncated_outlook_item_fails_or_says_what_is_left(cut: int) -> None:
    whole = mailfiles.CompoundFile(mailfiles.outlook_item("Sensors", "Body " * 300)).to_bytes()
    try:
        parsed = read_document(whole[:cut], "a.msg")
    except DocumentUnreadable:
        return
    assert_lawful(parsed)


def test_forged_headers_do_no_harm() -> None:
    raw = b"From: <<>>,,;:\nTo: =?utf-8?b?!!!?=\nDate: never\nSubject: =?x?q?y?=\n\nHello"
    parsed = read_document(raw, "a.eml")
    assert "Hello" in parsed.text
    assert "sent" not in parsed.metadata


def test_wrapped_and_quoted_lines_become_whole_paragraphs() -> None:
    body = """Dear Gregor,

the corrected cover file has to be with us by Friday, 26 September. If it is
later, we lose our place on the press.

Lena
Print room

On Tuesday Gregor wrote:
> the delivery goes to our new warehouse in Aldersgate, gate 6, not to the old
> one in Marsh Road. The warehouse takes deliveries only before one o'clock.
>
> - 4,500 paperbacks
> - 600 hardcovers
>
>> Could you tell us where the books of the second edition should be brought to
>> this time, and when somebody is there?
"""
    assert [(each.kind.value, each.text) for each in body_drafts(body) if each.text] == [
        ("paragraph", "Dear Gregor,"),
        (
            "paragraph",
            "the corrected cover file has to be with us by Friday, 26 September. If it is later, "
            "we lose our place on the press.",
        ),
        ("paragraph", "Lena\nPrint room"),
        ("paragraph", "On Tuesday Gregor wrote:"),
        (
            "paragraph",
            "> the delivery goes to our new warehouse in Aldersgate, gate 6, not to the old one in "
            "Marsh Road. The warehouse takes deliveries only before one o'clock.",
        ),
        ("list", "> - 4,500 paperbacks\n- 600 hardcovers"),
        (
            "paragraph",
            ">> Could you tell us where the books of the second edition should be brought to "
            "this time, and when somebody is there?",
        ),
    ]
