"""The table of what can be done in a workspace, which the asynchronous and the blocking face share.

Each verb is a function of its noun's module whose first argument is the workspace. Here it gets its
name, the right it needs, a check of its arguments, and a twin that waits for its result. A role in
one collection is enough to call it; the verb itself asks for the right in the one it changes.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from functools import wraps
from types import MethodType
from typing import Concatenate, Generic, ParamSpec, TypeVar, overload

from footnote.bridge import Bridged, blocking, blocking_iterator
from footnote.domain import Right
from footnote.engine import (
    access,
    answer_models,
    answers,
    events,
    exchanges,
    grounding,
    pages,
    receiving,
    sources,
)

# Verbs of the same names are bound below.
from footnote.engine import conversations as conversation_verbs
from footnote.engine import documents as document_verbs
from footnote.engine import keys as key_verbs
from footnote.engine import lanes as lane_verbs
from footnote.engine import search as search_verbs
from footnote.engine import webhooks as webhook_verbs
from footnote.engine.services import WorkspaceAccess
from footnote.validation.arguments import checks

P = ParamSpec("P")
R = TypeVar("R")


class Verb(Generic[P, R]):
    """A verb with rights and arguments checked; on a bridged workspace it waits for its result."""

    def __init__(
        self,
        verb: Callable[Concatenate[WorkspaceAccess, P], Coroutine[object, object, R]],
        right: Right = Right.READ,
    ) -> None:
        self.right = right
        checked = checks(verb)

        @wraps(checked)
        async def permitted(access: WorkspaceAccess, /, *args: P.args, **kwargs: P.kwargs) -> R:
            access.require(right)
            return await checked(access, *args, **kwargs)

        self._verb = permitted
        self._twin = blocking(permitted)

    @overload
    def __get__(
        self, instance: None, owner: type
    ) -> Callable[Concatenate[WorkspaceAccess, P], Coroutine[object, object, R]]: ...
    @overload
    def __get__(
        self, instance: WorkspaceAccess, owner: type
    ) -> Callable[P, Coroutine[object, object, R]]: ...
    @overload
    def __get__(self, instance: Bridged[WorkspaceAccess], owner: type) -> Callable[P, R]: ...
    def __get__(self, instance: object, owner: type) -> object:
        return _bound(self._verb, self._twin, instance, owner)


class StreamVerb(Generic[P, R]):
    """A verb that gives one thing after another; its twin is an iterator."""

    def __init__(
        self,
        verb: Callable[Concatenate[WorkspaceAccess, P], AsyncGenerator[R]],
        right: Right = Right.READ,
    ) -> None:
        self.right = right
        checked = checks(verb)

        @wraps(checked)
        def permitted(
            access: WorkspaceAccess, /, *args: P.args, **kwargs: P.kwargs
        ) -> AsyncGenerator[R]:
            access.require(right)
            return checked(access, *args, **kwargs)

        self._verb = permitted
        self._twin = blocking_iterator(permitted)

    @overload
    def __get__(
        self, instance: None, owner: type
    ) -> Callable[Concatenate[WorkspaceAccess, P], AsyncGenerator[R]]: ...
    @overload
    def __get__(self, instance: WorkspaceAccess, owner: type) -> Callable[P, AsyncGenerator[R]]: ...
    @overload
    def __get__(
        self, instance: Bridged[WorkspaceAccess], owner: type
    ) -> Callable[P, Iterator[R]]: ...
    def __get__(self, instance: object, owner: type) -> object:
        return _bound(self._verb, self._twin, instance, owner)


def _bound(
    verb: Callable[..., object], twin: Callable[..., object], instance: object, owner: type
) -> object:
    of_owner = verb if issubclass(owner, WorkspaceAccess) else twin
    return of_owner if instance is None else MethodType(of_owner, instance)


class WorkspaceVerbs:
    """The verbs by noun."""

    __slots__ = ()

    receive = Verb(receiving.receive, Right.WRITE)
    receive_file = Verb(receiving.receive_file, Right.WRITE)
    receive_stream = Verb(receiving.receive_stream, Right.WRITE)
    has_room = Verb(receiving.has_room)
    push_url = Verb(receiving.push_url, Right.WRITE)
    push_content = Verb(receiving.push_content, Right.WRITE)
    push_status = Verb(receiving.push_status)

    documents = Verb(document_verbs.documents)
    select_documents = Verb(document_verbs.select_documents)
    document = Verb(document_verbs.document)
    children = Verb(document_verbs.children)
    statuses = Verb(document_verbs.statuses)
    stats = Verb(document_verbs.stats)
    document_called = Verb(document_verbs.document_called)
    unknown_collections = Verb(document_verbs.unknown_collections)
    original = Verb(document_verbs.original)
    original_file = Verb(document_verbs.original_file)
    text = Verb(document_verbs.text)
    passages = Verb(document_verbs.passages)
    delete_document = Verb(document_verbs.delete_document, Right.WRITE)
    erase_document = Verb(document_verbs.erase_document, Right.ADMINISTER)
    retry = Verb(document_verbs.retry, Right.WRITE)
    retry_all = Verb(document_verbs.retry_all, Right.WRITE)
    retry_failed = Verb(document_verbs.retry_failed, Right.WRITE)

    source_entries = Verb(sources.source_entries, Right.WRITE)
    remember_source_entry = Verb(sources.remember_source_entry, Right.WRITE)
    rename_source_entry = Verb(sources.rename_source_entry, Right.WRITE)
    remove_source_entry = Verb(sources.remove_source_entry, Right.WRITE)

    grants = Verb(access.grants, Right.ADMINISTER)
    grant_role = Verb(access.grant_role, Right.ADMINISTER)
    revoke_role = Verb(access.revoke_role, Right.ADMINISTER)
    document_access = Verb(access.document_access)
    set_document_access = Verb(access.set_document_access, Right.WRITE)
    explain_access = Verb(access.explain_access, Right.ADMINISTER)

    create_key = Verb(key_verbs.create_key, Right.ADMINISTER)
    keys = Verb(key_verbs.keys, Right.ADMINISTER)
    rotate_key = Verb(key_verbs.rotate_key, Right.ADMINISTER)
    revoke_key = Verb(key_verbs.revoke_key, Right.ADMINISTER)

    search = Verb(search_verbs.search)
    context = Verb(search_verbs.context)

    page_image = Verb(pages.page_image)
    page_fingerprint = Verb(pages.page_fingerprint)
    page_rectangles = Verb(pages.page_rectangles)
    pages_of_quote = Verb(pages.pages_of_quote)

    ask = Verb(answers.ask)
    ask_stream = StreamVerb(answers.ask_stream)
    agent_stream = StreamVerb(answers.agent_stream)
    check_grounding = Verb(grounding.check_grounding)

    models_in_use = Verb(answer_models.models_in_use)
    use_models = Verb(answer_models.use_models, Right.ADMINISTER)
    reset_models = Verb(answer_models.reset_models, Right.ADMINISTER)
    mcp_servers = Verb(answer_models.mcp_servers, Right.ADMINISTER)
    add_mcp_server = Verb(answer_models.add_mcp_server, Right.ADMINISTER)
    remove_mcp_server = Verb(answer_models.remove_mcp_server, Right.ADMINISTER)

    conversations = Verb(conversation_verbs.conversations)
    conversation = Verb(conversation_verbs.conversation)
    create_conversation = Verb(conversation_verbs.create_conversation)
    change_conversation = Verb(conversation_verbs.change_conversation)
    delete_conversation = Verb(conversation_verbs.delete_conversation)
    attach_document = Verb(conversation_verbs.attach_document)
    detach_document = Verb(conversation_verbs.detach_document)
    messages = Verb(conversation_verbs.messages)
    all_messages = Verb(conversation_verbs.all_messages)
    go_on_from = Verb(conversation_verbs.go_on_from)
    give_feedback = Verb(conversation_verbs.give_feedback)
    withdraw_feedback = Verb(conversation_verbs.withdraw_feedback)
    export_conversation = Verb(conversation_verbs.export_conversation)
    golden_candidates = StreamVerb(conversation_verbs.golden_candidates)

    ask_in_conversation = Verb(exchanges.ask_in_conversation)
    ask_in_conversation_stream = StreamVerb(exchanges.ask_in_conversation_stream)
    edit_question = Verb(exchanges.edit_question)
    regenerate_answer = Verb(exchanges.regenerate_answer)
    next_question = Verb(exchanges.next_question)
    edited_question = Verb(exchanges.edited_question)
    question_again = Verb(exchanges.question_again)
    answered = Verb(exchanges.answered)
    answered_stream = StreamVerb(exchanges.answered_stream)

    follow_events = StreamVerb(events.follow_events)
    webhooks = Verb(webhook_verbs.webhooks, Right.ADMINISTER)
    add_webhook = Verb(webhook_verbs.add_webhook, Right.ADMINISTER)
    webhook_and_secret = Verb(webhook_verbs.webhook_and_secret, Right.ADMINISTER)
    remove_webhook = Verb(webhook_verbs.remove_webhook, Right.ADMINISTER)

    lanes = Verb(lane_verbs.lanes)
    reembed = Verb(lane_verbs.reembed, Right.ADMINISTER)
    reembedding = Verb(lane_verbs.reembedding)
    cancel_reembedding = Verb(lane_verbs.cancel_reembedding, Right.ADMINISTER)
    rollback_lane = Verb(lane_verbs.rollback_lane, Right.ADMINISTER)
    purge_lanes = Verb(lane_verbs.purge_lanes, Right.ADMINISTER)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceEngine(WorkspaceVerbs, WorkspaceAccess):
    """The verbs of one workspace, as one principal; it cannot see any other."""
