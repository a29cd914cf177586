"""Conversations of a workspace: begun, asked in, changed, judged and taken along.

    from footnote.conversations import Asking, ask_in_conversation, create_conversation

    talk = await create_conversation(workspace)
    exchange = await ask_in_conversation(
        workspace, talk.conversation_id, Asking(question="How soon must theft be reported?")
    )

Each is a verb of `WorkspaceEngine` too, as in `workspace.create_conversation()`.
"""

from __future__ import annotations

from footnote.engine import WorkspaceEngine
from footnote.engine.conversations import as_markdown
from footnote.engine.exchanges import Asking

ask_in_conversation = WorkspaceEngine.ask_in_conversation
ask_in_conversation_stream = WorkspaceEngine.ask_in_conversation_stream
attach_document = WorkspaceEngine.attach_document
change_conversation = WorkspaceEngine.change_conversation
conversation = WorkspaceEngine.conversation
conversations = WorkspaceEngine.conversations
create_conversation = WorkspaceEngine.create_conversation
delete_conversation = WorkspaceEngine.delete_conversation
detach_document = WorkspaceEngine.detach_document
edit = WorkspaceEngine.edit_question
export = WorkspaceEngine.export_conversation
give_feedback = WorkspaceEngine.give_feedback
go_on_from = WorkspaceEngine.go_on_from
golden_candidates = WorkspaceEngine.golden_candidates
messages = WorkspaceEngine.messages
regenerate = WorkspaceEngine.regenerate_answer
suggest = WorkspaceEngine.suggest_in_conversation
withdraw_feedback = WorkspaceEngine.withdraw_feedback

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
    "suggest",
    "withdraw_feedback",
]
