"""Conversations of a workspace: begun, asked in, changed, judged and taken along.

    from footnote.conversations import Asking, ask_in_conversation, create_conversation

    talk = await create_conversation(workspace)
    exchange = await ask_in_conversation(
        workspace, talk.conversation_id, Asking(question="How soon must theft be reported?")
    )

Each verb acts in one workspace as the principal it was opened for.
"""

from __future__ import annotations

from footnote.engine.answering import Asking
from footnote.engine.conversation_export import as_markdown, export, golden_candidates
from footnote.engine.conversations import (
    attach_document,
    change_conversation,
    conversation,
    conversations,
    create_conversation,
    delete_conversation,
    detach_document,
    give_feedback,
    go_on_from,
    messages,
    withdraw_feedback,
)
from footnote.engine.conversing import (
    ask_in_conversation,
    ask_in_conversation_stream,
    edit,
    regenerate,
)

__all__ = [
    "Asking",
    "as_markdown",
    "ask_in_conversation",
    "ask_in_conversation_stream",
    "attach_document",
    "change_conversation",
    "conversation",
    "conversations",
    "create_conversation",
    "delete_conversation",
    "detach_document",
    "edit",
    "export",
    "give_feedback",
    "go_on_from",
    "golden_candidates",
    "messages",
    "regenerate",
    "withdraw_feedback",
]
