"""Conversations of a principal: create, change, read, give feedback and export."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Sequence
from uuid import UUID, uuid4, uuid5

from footnote.domain import AnswerSentence, Citation, Verdict, footnotes_of_conflicts
from footnote.domain.conversations import (
    Conversation,
    ConversationPage,
    DocumentMode,
    JudgedAnswer,
    Message,
    MessageAnswer,
    MessagePage,
    Thumb,
)
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest, UnderLegalHold
from footnote.store import conversations as stored
from footnote.store.database import LIFT_A_HOLD, WorkspaceScope
from footnote.store.exchanges import choose_branch, forget_judgement, judge
from footnote.store.legal_holds import conversations_are_held, wait_for_holds
from footnote.store.messages import judged_answers, list_messages, message_at, message_position
from footnote.validation.constrained_types import (
    MAX_PAGE,
    Comment,
    FirstTitle,
    IdempotencyKey,
    PageLimit,
    Title,
)
from footnote.validation.text import one_line

REMOVED = "[removed: its document was deleted, or may not be seen any longer]"
_TITLE_FROM_QUESTION = 80
_FEEDBACK_PAGE = 100
# A document's text must not become a link, a picture or a heading of the page it is exported to.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|!~]|:(?=//)|(?<=www)\.)")
_DOUBTS = {
    Verdict.PARTLY: "only partly supported",
    Verdict.UNSUPPORTED: "not supported by its footnotes",
    Verdict.UNCITED: "without a footnote",
}


async def create_conversation(
    workspace: WorkspaceAccess,
    *,
    title: FirstTitle = "",
    document_mode: DocumentMode = "first",
    document_ids: Sequence[UUID] = (),
    idempotency_key: IdempotencyKey | None = None,
) -> Conversation:
    """Create a conversation; without a title, its first question becomes the title.

    Idempotent with a key. Raises InvalidRequest, NotFound for a document, and Forbidden for a share
    link, whose holders would see each other's conversations.
    """
    workspace.refuse_guest("begin a conversation")
    conversation_id = uuid4()
    if idempotency_key is not None:
        owner = f"{workspace.workspace_id}/{workspace.principal.principal_id}"
        conversation_id = uuid5(workspace.workspace_id, f"{owner}/{idempotency_key}")
    async with workspace.scope() as scope:
        conversation = await stored.create_conversation(
            scope, conversation_id, title, document_mode
        )
        for document_id in document_ids:
            conversation = await stored.attach_document(scope, conversation_id, document_id)
    return conversation


async def conversation(workspace: WorkspaceAccess, conversation_id: UUID) -> Conversation:
    """One conversation. Raises NotFound."""
    async with workspace.scope() as scope:
        return await stored.get_conversation(scope, conversation_id)


async def conversations(
    workspace: WorkspaceAccess, *, limit: PageLimit = 50, cursor: str | None = None
) -> ConversationPage:
    """List the principal's conversations, last used first. Raises InvalidRequest."""
    async with workspace.scope() as scope:
        return await stored.list_conversations(scope, limit=limit, cursor=cursor)


async def change_conversation(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    *,
    title: Title | None = None,
    document_mode: DocumentMode | None = None,
) -> Conversation:
    """Change the title or the document mode of a conversation; None leaves it unchanged.

    Raises InvalidRequest and NotFound, and UnderLegalHold where a title would be replaced.
    """
    async with workspace.scope() as scope:
        if title is not None:
            before = (await stored.get_conversation(scope, conversation_id)).title
            if before not in ("", title):
                await _refuse_what_is_held(
                    scope, f"the conversation {conversation_id} is not renamed"
                )
        return await stored.change_conversation(
            scope, conversation_id, title=title, document_mode=document_mode
        )


async def delete_conversation(workspace: WorkspaceAccess, conversation_id: UUID) -> None:
    """Remove it with its messages and their feedback, for good.

    Raises NotFound, and UnderLegalHold.
    """
    async with workspace.scope() as scope:
        await stored.get_conversation(scope, conversation_id)
        await _refuse_what_is_held(scope, f"the conversation {conversation_id} is not deleted")
        await stored.remove_conversation(scope, conversation_id)


async def attach_document(
    workspace: WorkspaceAccess, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Attach a document; attaching it again changes nothing. Raises NotFound, InvalidRequest."""
    async with workspace.scope() as scope:
        return await stored.attach_document(scope, conversation_id, document_id)


async def detach_document(
    workspace: WorkspaceAccess, conversation_id: UUID, document_id: UUID
) -> Conversation:
    """Detach a document; detaching it again changes nothing. Raises NotFound."""
    async with workspace.scope() as scope:
        return await stored.detach_document(scope, conversation_id, document_id)


async def messages(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    *,
    limit: PageLimit = 100,
    cursor: str | None = None,
    all_branches: bool = False,
) -> MessagePage:
    """List messages, oldest first: of the active branch, or of all branches.

    Raises NotFound and InvalidRequest.
    """
    async with workspace.scope() as scope:
        await stored.get_conversation(scope, conversation_id)
        return await list_messages(
            scope, conversation_id, limit=limit, cursor=cursor, all_branches=all_branches
        )


async def all_messages(
    workspace: WorkspaceAccess, conversation_id: UUID, *, all_branches: bool = True
) -> tuple[Message, ...]:
    """Every message, oldest first. Raises NotFound."""
    collected: list[Message] = []
    cursor: str | None = None
    while True:
        page = await messages(
            workspace, conversation_id, limit=MAX_PAGE, cursor=cursor, all_branches=all_branches
        )
        collected += page.messages
        cursor = page.next_cursor
        if cursor is None:
            return tuple(collected)


async def go_on_from(
    workspace: WorkspaceAccess, conversation_id: UUID, message_id: UUID
) -> MessagePage:
    """Make the branch of a message active; return its first page. Raises NotFound."""
    async with workspace.scope() as scope:
        position = await message_position(scope, conversation_id, message_id)
        await choose_branch(scope, conversation_id, position.message_no)
    return await messages(workspace, conversation_id)


async def give_feedback(
    workspace: WorkspaceAccess,
    conversation_id: UUID,
    message_id: UUID,
    thumb: Thumb,
    comment: Comment = "",
) -> Message:
    """Give feedback on an answer, replacing earlier feedback.

    Raises NotFound, InvalidRequest for a question, and UnderLegalHold where other feedback would be
    replaced.
    """
    feedback = (thumb, comment.strip())
    async with workspace.scope() as scope:
        number = await _answer_no(scope, conversation_id, message_id)
        before = (await message_at(scope, conversation_id, number)).feedback
        if before is not None and (before.thumb, before.comment) != feedback:
            await _refuse_what_is_held(scope, f"the feedback on {message_id} is not replaced")
        return await judge(scope, conversation_id, number, *feedback)


async def withdraw_feedback(
    workspace: WorkspaceAccess, conversation_id: UUID, message_id: UUID
) -> Message:
    """Delete the feedback on an answer. Raises NotFound, InvalidRequest."""
    async with workspace.scope() as scope:
        number = await _answer_no(scope, conversation_id, message_id)
        return await forget_judgement(scope, conversation_id, number)


def title_from(question: str) -> str:
    """A title from the first question: its beginning, cut at a word.

    >>> title_from("What is due?")
    'What is due?'
    """
    line = one_line(question)
    if len(line) <= _TITLE_FROM_QUESTION:
        return line
    return line[:_TITLE_FROM_QUESTION].rsplit(" ", 1)[0] + " …"


async def _refuse_what_is_held(scope: WorkspaceScope, refusal: str) -> None:
    """Raise UnderLegalHold where the questions of the acting principal are under legal hold."""
    await wait_for_holds(scope)
    if await conversations_are_held(scope):
        raise UnderLegalHold(
            f"{refusal}: all that {scope.principal.principal_id} asked is under legal hold",
            hint=LIFT_A_HOLD,
        )


async def _answer_no(scope: WorkspaceScope, conversation_id: UUID, message_id: UUID) -> int:
    position = await message_position(scope, conversation_id, message_id)
    if position.role != "assistant":
        raise InvalidRequest(
            f"message {message_id} is a question", hint="name the answer that follows it"
        )
    return position.message_no


# --- export -------------------------------------------------------------------------------------


async def export_conversation(
    workspace: WorkspaceAccess, conversation_id: UUID
) -> tuple[Conversation, tuple[Message, ...]]:
    """A conversation with every message of every branch. Raises NotFound."""
    exported = await conversation(workspace, conversation_id)
    return exported, await all_messages(workspace, conversation_id)


def as_markdown(conversation: Conversation, messages: Sequence[Message]) -> str:
    """Return the active branch as Markdown, with a footnote for each citation."""
    lines = [f"# {escaped(conversation.title or 'Conversation')}", ""]
    lines += [f"_{conversation.created_at:%Y-%m-%d %H:%M} UTC_", ""]
    footnotes: list[str] = []
    number = 0
    for message in messages:
        if not message.active:
            continue
        answer = message.answer
        if answer is None:
            number += 1
            lines += [f"> {escaped(line)}" for line in message.text.splitlines()] + [""]
            continue
        for sentence in answer.sentences:
            marks = "".join(f"[^{number}-{marker}]" for marker in sentence.markers)
            doubt = doubt_about(sentence, answer)
            lines.append(f"{escaped(sentence.text) or escaped(REMOVED)}{marks}{doubt}")
        lines.append("")
        for conflict in answer.conflicts:
            statements = "; ".join(
                f"“{escaped(statement.text)}”[^{number}-{statement.citation.marker}]"
                for statement in conflict.statements
            )
            lines += [f"{escaped(conflict.headline)}: {statements}", ""]
        notes = dict.fromkeys(answer.removed_markers, escaped(REMOVED))
        conflict_citations = footnotes_of_conflicts(answer.conflicts, answer.citations)
        for citation in (*answer.citations, *conflict_citations):
            notes.setdefault(
                citation.marker,
                f"{escaped(citation_location(citation))}: “{escaped(citation.quote)}”",
            )
        footnotes += [f"[^{number}-{marker}]: {notes[marker]}" for marker in sorted(notes)]
    return "\n".join([*lines, *footnotes]).rstrip() + "\n"


def doubt_about(sentence: AnswerSentence, answer: MessageAnswer) -> str:
    """Return the warning for a sentence without support; always empty for extractive answers."""
    return _DOUBTS.get(sentence.verdict, "") if answer.found and answer.model else ""


def citation_location(citation: Citation) -> str:
    """Document, section, page and paragraph of a citation on one line."""
    parts = [f"“{' › '.join(citation.heading_path)}”"] if citation.heading_path else []
    parts += [] if citation.page is None else [f"p. {citation.page}"]
    parts += [f"¶ {citation.paragraph}"]
    return f"{citation.document_title} ({citation.filename}), {', '.join(parts)}"


def escaped(text: str) -> str:
    """The text on one line, escaped so that Markdown shows it literally.

    >>> escaped("see [here](x)")
    'see \\\\[here\\\\](x)'
    """
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


async def golden_candidates(
    workspace: WorkspaceAccess, *, down: bool = False
) -> AsyncGenerator[str]:
    """Yield the principal's feedback as lines of a golden set, in a stable order.

    A liked answer gives its citations as relevant passages, a liked refusal an unanswerable
    question. With `down`, disliked answers are included; their lines lack relevant passages, so an
    evaluation rejects them until somebody adds these.
    """
    after: tuple[UUID, int] | None = None
    while True:
        async with workspace.scope() as scope:
            page, after = await judged_answers(scope, after, _FEEDBACK_PAGE)
        for judged in page:
            if down or judged.feedback.thumb == "up":
                line = golden_candidate(judged)
                if line is not None:
                    yield json.dumps(line, ensure_ascii=False)
        if after is None:
            return


def golden_candidate(judged: JudgedAnswer) -> dict[str, object] | None:
    """Return a line of a golden set; None where the cited documents are gone."""
    answer, feedback = judged.answer, judged.feedback
    passages = [
        {"document": str(citation.document_id), "page": citation.page, "quote": citation.quote}
        for citation in answer.citations
    ]
    liked = feedback.thumb == "up"
    if liked and answer.found and not passages:
        return None
    return {
        "id": str(judged.message_id),
        "question": answer.asked_as,
        "kind": f"feedback-{feedback.thumb}",
        "answerable": answer.found if liked else True,
        "relevant": passages if liked and answer.found else [],
        "answer": answer.text if liked and answer.found else "",
        "comment": feedback.comment,
        "cited": [] if liked else passages,
        "confidence": answer.confidence,
        "model": answer.model,
        "evidence": [passage.chunk_id for passage in answer.evidence],
    }
