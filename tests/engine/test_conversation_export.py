"""An exported conversation has real footnotes, as independent readers of its formats see them."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from uuid import uuid4
from zipfile import ZipFile

import docx
import docx.document
import pypdfium2 as pdfium
import pytest
from docx.oxml import parse_xml

from footnote.domain import AnswerSentence, Citation, Verdict
from footnote.domain.conversations import Conversation, Message, MessageAnswer, MessageRole
from footnote.engine import WorkspaceEngine
from footnote.engine.conversation_export import as_docx
from footnote.errors import InvalidRequest
from footnote.ingestion import libreoffice

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
LANGUAGES = {
    "en": ("What is due <now> & later?", "EUR 900 \x07are due.", "900 euros"),
    "zh": ("免赔额是多少？", "火灾的免赔额为九百欧元。", "九百欧元"),
    "ar": ("ما هو مبلغ التحمل؟", "مبلغ التحمل تسعمئة يورو.", "تسعمئة يورو"),
}


def message(*, role: MessageRole, text: str = "", answer: MessageAnswer | None = None) -> Message:
    return Message(
        message_id=uuid4(),
        message_no=1,
        parent_id=None,
        role=role,
        text=text,
        active=True,
        created_at=NOW,
        answer=answer,
    )


def styled(read: docx.document.Document, style: str) -> list[str]:
    return [each.text for each in read.paragraphs if each.style and each.style.name == style]


def talk(question: str, sentence: str, quote: str) -> tuple[Conversation, tuple[Message, ...]]:
    citation = Citation(
        marker=1,
        document_id=uuid4(),
        chunk_id="c",
        document_title="Policy",
        filename="policy.pdf",
        page=7,
        paragraph=3,
        heading_path=("Fire",),
        char_start=0,
        char_end=len(quote),
        quote=quote,
    )
    answer = MessageAnswer(
        found=True,
        sentences=(
            AnswerSentence(text=sentence, markers=(1,), support=0.9, verdict=Verdict.SUPPORTED),
            AnswerSentence(text="Unheard.", markers=(), support=0.0, verdict=Verdict.UNCITED),
        ),
        citations=(citation,),
        evidence=(),
        confidence=0.9,
        asked_as=question,
        model="scripted",
    )
    return (
        Conversation(
            conversation_id=uuid4(),
            title=question,
            document_mode="first",
            document_ids=(),
            created_at=NOW,
            updated_at=NOW,
        ),
        (
            message(role="user", text=question),
            message(role="assistant", answer=answer),
        ),
    )


def notes_of(content: bytes) -> list[str]:
    """The texts of the footnotes that the document's text refers to, in its order."""
    with ZipFile(io.BytesIO(content)) as archive:
        notes = parse_xml(archive.read("word/footnotes.xml"))
        body = parse_xml(archive.read("word/document.xml"))
    texts = {
        note.get(f"{W}id"): "".join(each.text or "" for each in note.iter(f"{W}t")).strip()
        for note in notes
    }
    return [texts[each.get(f"{W}id")] for each in body.iter(f"{W}footnoteReference")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_word_finds_each_quote_in_a_footnote(language: str) -> None:
    question, sentence, quote = LANGUAGES[language]
    content = as_docx(*talk(question, sentence, quote))
    read = docx.Document(io.BytesIO(content))
    assert read.core_properties.title == question
    assert styled(read, "Question") == [question]
    # What XML cannot hold is left out.
    assert styled(read, "Answer") == [sentence.replace("\x07", ""), "Unheard. (without a footnote)"]
    assert notes_of(content) == [f"Policy (policy.pdf), “Fire”, p. 7, ¶ 3: “{quote}”"]


def test_the_same_conversation_gives_the_same_bytes() -> None:
    given = talk(*LANGUAGES["en"])
    assert as_docx(*given) == as_docx(*given)


def test_arabic_paragraphs_run_from_the_right() -> None:
    read = docx.Document(io.BytesIO(as_docx(*talk(*LANGUAGES["ar"]))))
    bidi = [each.text for each in read.paragraphs if each._p.find(f".//{W}bidi") is not None]
    assert LANGUAGES["ar"][0] in bidi


@pytest.mark.skipif(libreoffice.find_office() is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_pdf_has_the_footnote_on_the_page_of_its_statement(
    workspace: WorkspaceEngine, language: str
) -> None:
    question, sentence, quote = LANGUAGES[language]
    content = as_docx(*talk(question, sentence, quote))
    made = await workspace.engine.pages.pdf_of_docx(content)
    with pdfium.PdfDocument(made) as document:
        text = document[0].get_textpage().get_text_range()
    assert "policy.pdf" in text
    assert "p. 7" in text
    words = [each for each in quote.split() if each.isascii()] or ["Policy"]
    assert all(each in text for each in words)


async def test_without_libreoffice_a_pdf_is_refused_with_what_to_install(
    workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    talk = await workspace.create_conversation(title="Rent")
    with pytest.raises(InvalidRequest, match="LibreOffice") as refused:
        await workspace.export_pdf(talk.conversation_id)
    assert "apt-get install" in (refused.value.hint or "")
    assert (await workspace.export_docx(talk.conversation_id)).startswith(b"PK")
