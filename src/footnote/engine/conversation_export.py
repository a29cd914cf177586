"""A conversation as a file to keep: Word with real footnotes, and the same as PDF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from footnote.domain.conversations import Conversation, Message, MessageAnswer
from footnote.engine.conversations import REMOVED, citation_place, doubt_about, export_conversation
from footnote.engine.docx import Footnote, Paragraph, Run, docx_of
from footnote.engine.services import WorkspaceAccess

UNTITLED = "Conversation"


async def export_docx(workspace: WorkspaceAccess, conversation_id: UUID) -> bytes:
    """Export the active branch as a Word document, with a footnote for each citation.

    Raises NotFound.
    """
    found, messages = await export_conversation(workspace, conversation_id)
    return as_docx(found, messages)


async def export_pdf(workspace: WorkspaceAccess, conversation_id: UUID) -> bytes:
    """The same as a PDF. Raises NotFound, and InvalidRequest where there is no LibreOffice."""
    content = await export_docx(workspace, conversation_id)
    return await workspace.engine.pages.pdf_of_docx(content)


def as_docx(found: Conversation, messages: Sequence[Message]) -> bytes:
    """Return the active branch as a Word document."""
    title = found.title or UNTITLED
    date = Paragraph(style="Subtitle", parts=(Run(text=f"{found.created_at:%Y-%m-%d %H:%M} UTC"),))
    paragraphs = [Paragraph(style="Title", parts=(Run(text=title),)), date]
    for message in messages:
        if not message.active:
            continue
        if message.answer is None:
            paragraphs.append(Paragraph(style="Question", parts=(Run(text=message.text),)))
        else:
            paragraphs += _answer(message.answer)
    return docx_of(title, paragraphs)


def _answer(answer: MessageAnswer) -> Iterator[Paragraph]:
    notes = {
        each.marker: f"{citation_place(each)}: “{each.quote}”"
        for each in reversed(answer.citations)
    }
    for sentence in answer.sentences:
        parts: list[Run | Footnote] = [Run(text=sentence.text or REMOVED)]
        parts += [Footnote(text=notes.get(marker, REMOVED)) for marker in sentence.markers]
        doubt = doubt_about(sentence, answer)
        if doubt:
            parts.append(Run(text=f" ({doubt})", emphasis=True))
        yield Paragraph(style="Answer", parts=tuple(parts))
    for conflict in answer.conflicts:
        parts = [Run(text=f"{conflict.headline}: ")]
        for at, each in enumerate(conflict.statements):
            place = f"{citation_place(each.citation)}: “{each.citation.quote}”"
            parts += [Run(text=f"{'; ' if at else ''}“{each.text}”"), Footnote(text=place)]
        yield Paragraph(style="Answer", parts=tuple(parts))
