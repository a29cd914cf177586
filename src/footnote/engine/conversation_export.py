"""Export a conversation as a file: Word with real footnotes, and the same as PDF."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from footnote.domain.conversations import Conversation, Message, MessageAnswer
from footnote.engine.conversations import (
    REMOVED,
    citation_location,
    doubt_about,
    export_conversation,
)
from footnote.engine.docx import Footnote, Paragraph, Run, docx_of
from footnote.engine.services import WorkspaceAccess

UNTITLED = "Conversation"


async def export_docx(workspace: WorkspaceAccess, conversation_id: UUID) -> bytes:
    """Export the active branch as a Word document, with a footnote for each citation.

    Raises NotFound.
    """
    conversation, messages = await export_conversation(workspace, conversation_id)
    return as_docx(conversation, messages)


async def export_pdf(workspace: WorkspaceAccess, conversation_id: UUID) -> bytes:
    """The same as a PDF. Raises NotFound, and InvalidRequest where there is no LibreOffice."""
    content = await export_docx(workspace, conversation_id)
    return await workspace.engine.pages.pdf_of_docx(content)


def as_docx(conversation: Conversation, messages: Sequence[Message]) -> bytes:
    """Return the active branch as a Word document."""
    title = conversation.title or UNTITLED
    date = Paragraph(
        style="Subtitle", parts=(Run(text=f"{conversation.created_at:%Y-%m-%d %H:%M} UTC"),)
    )
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
        citation.marker: f"{citation_location(citation)}: “{citation.quote}”"
        for citation in reversed(answer.citations)
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
        for index, statement in enumerate(conflict.statements):
            note = f"{citation_location(statement.citation)}: “{statement.citation.quote}”"
            parts += [Run(text=f"{'; ' if index else ''}“{statement.text}”"), Footnote(text=note)]
        yield Paragraph(style="Answer", parts=tuple(parts))
