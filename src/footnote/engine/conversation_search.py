"""Search a principal's own conversations by their texts, in bounded batches."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from footnote.domain.conversations import Conversation, ConversationMatch, ConversationPage
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.store.conversations import list_conversations
from footnote.store.message_search import BEFORE_ALL, MatchingMessage, messages_saying
from footnote.validation.constrained_types import PageLimit

MAX_QUERY_CHARACTERS = 200
MAX_SCANNED_MESSAGES = 5_000
"""Most messages scanned for one page; the next page continues from there."""
_CONVERSATIONS_AT_ONCE = 50
_MESSAGES_AT_ONCE = 500
_MATCHES_SHOWN = 3
_BEFORE, _EXCERPT = 60, 200
"""Characters of an excerpt before the words, and in total."""


async def find_conversations(
    workspace: WorkspaceAccess, query: str, *, limit: PageLimit = 50, cursor: str | None = None
) -> ConversationPage:
    """List the principal's conversations whose title or one message has all words of the query.

    Matching ignores case and finds parts of words. A page may have fewer than `limit`, or none, and
    still be followed by another. Raises InvalidRequest.
    """
    words = tuple(_folded(query).split())
    if not words or len(query) > MAX_QUERY_CHARACTERS:
        raise InvalidRequest(
            "there is nothing to look for" if not words else "the query is too long",
            hint=f"give 1 to {MAX_QUERY_CHARACTERS} characters",
        )
    conversations: list[Conversation] = []
    matches: list[ConversationMatch] = []
    scanned = 0
    while True:
        page_size = min(_CONVERSATIONS_AT_ONCE, limit - len(conversations))
        async with workspace.scope() as scope:
            page = await list_conversations(scope, limit=page_size, cursor=cursor)
        messages_by_conversation, scanned_in_page = await _messages_with_words(
            workspace, page.conversations, words
        )
        scanned += scanned_in_page
        for conversation in page.conversations:
            conversation_matches = _matches(
                conversation, messages_by_conversation[conversation.conversation_id], words
            )
            if conversation_matches:
                conversations.append(conversation)
                matches += conversation_matches
        cursor = page.next_cursor
        if cursor is None or len(conversations) >= limit or scanned >= MAX_SCANNED_MESSAGES:
            return ConversationPage(
                conversations=tuple(conversations), matches=tuple(matches), next_cursor=cursor
            )


async def _messages_with_words(
    workspace: WorkspaceAccess, conversations: Sequence[Conversation], words: Sequence[str]
) -> tuple[dict[UUID, list[MatchingMessage]], int]:
    """The messages that have the words, by conversation, and how many were scanned."""
    by_conversation: defaultdict[UUID, list[MatchingMessage]] = defaultdict(list)
    ids, after, scanned = (
        [conversation.conversation_id for conversation in conversations],
        BEFORE_ALL,
        0,
    )
    while ids:
        async with workspace.scope() as scope:
            page = await messages_saying(
                scope,
                ids,
                lambda text: _contains_all(text, words),
                after=after,
                limit=_MESSAGES_AT_ONCE,
            )
        for message in page.messages:
            by_conversation[message.conversation_id].append(message)
        scanned += page.read
        if page.last is None:
            break
        after = page.last
    return by_conversation, scanned


def _matches(
    conversation: Conversation, messages: Sequence[MatchingMessage], words: Sequence[str]
) -> list[ConversationMatch]:
    matches = [
        ConversationMatch(
            conversation_id=message.conversation_id,
            message_id=message.message_id,
            role=message.role,
            excerpt=excerpt(message.text, words),
        )
        for message in messages[:_MATCHES_SHOWN]
    ]
    if _contains_all(conversation.title, words):
        title = ConversationMatch(
            conversation_id=conversation.conversation_id,
            message_id=None,
            role=None,
            excerpt=excerpt(conversation.title, words),
        )
        return [title, *matches]
    return matches


def excerpt(text: str, words: Sequence[str]) -> str:
    """Return the text around the first match on one line, cut between words if it is long.

    >>> excerpt("The deductible is EUR 900.", ["deductible"])
    'The deductible is EUR 900.'
    """
    line = " ".join(text.split())
    matches = [re.search(re.escape(word), line, re.IGNORECASE) for word in words]
    first = min((match.start() for match in matches if match), default=0)
    start = 0 if first <= _BEFORE else line.find(" ", first - _BEFORE, first) + 1 or first
    piece = line[start : start + _EXCERPT]
    if start + _EXCERPT < len(line):
        piece = f"{piece.rsplit(' ', 1)[0]} …"
    return f"… {piece}" if start else piece


def _contains_all(text: str, words: Sequence[str]) -> bool:
    folded = _folded(text)
    return all(word in folded for word in words)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
