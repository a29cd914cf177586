"""Rewrite a follow-up question to a standalone one by a small model, without a language model.

"And for fire?" is the previous question with one part replaced; "When does it end?" refers to what
was said. The model predicts which it is, and resolves the reference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.domain import Turn
from footnote.errors import InvalidRequest, ModelUnavailable
from footnote.ports import QuestionRewriter
from footnote.retrieval.prompts import trimmed
from footnote.retrieval.query import MAX_QUERY_CHARACTERS, parse_query
from footnote.retrieval.understanding import TURN_CHARACTERS, Notes
from footnote.validation.text import is_storable

MAX_QUESTIONS = 6
"""Most questions of a conversation that are rewritten in turn: each may follow up the last."""
_TOPIC = re.compile(r"[^\W\d]\s?(?::\s+|：\s*)[^\W\d]")
"""Matches a question that states its topic first, as suggested ones do: "Lost keys: how much?"."""
_MARKER = re.compile(r"\s*\[\d+\]")
_TOO_MUCH = (
    "condense: the question with what it leaves out is no query any more; it was searched as it is"
)
_NO_MODEL = (
    "condense: neither a reader nor a language model puts follow-up questions so that they stand "
    "alone; the question was searched as it is"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpRewriter:
    """Rewrites a follow-up question to one that can be searched without its conversation."""

    rewriter: QuestionRewriter | None = None

    async def __call__(self, question: str, conversation: Sequence[Turn]) -> tuple[str, Notes]:
        """Return the standalone question, or the unchanged one with a note if it cannot be
        rewritten."""
        exchanges = _exchanges(conversation)
        if not exchanges or _TOPIC.search(question) or not any(map(str.isalnum, question)):
            return question, ()
        if self.rewriter is None:
            return question, (_NO_MODEL,)
        latest_question, latest_answer = exchanges[0]
        for following, answer in [*exchanges[1:], (question, "")]:
            if _TOPIC.search(following):
                latest_question, latest_answer = following, answer
                continue
            try:
                standalone = await self.rewriter.rewrite_follow_up(
                    following, latest_question, latest_answer
                )
            except ModelUnavailable as unavailable:
                return question, (f"condense: {unavailable}; the question was searched as it is",)
            if standalone is None:
                return question, (_NO_MODEL,)
            latest_question, latest_answer = trimmed(standalone, TURN_CHARACTERS), answer
        return (
            (latest_question, ()) if _can_be_searched(latest_question) else (question, (_TOO_MUCH,))
        )


def _exchanges(conversation: Sequence[Turn]) -> list[tuple[str, str]]:
    """Return the latest questions, each with its answer."""
    exchanges: list[tuple[str, str]] = []
    for turn in conversation:
        storable = "".join(character if is_storable(character) else " " for character in turn.text)
        text = trimmed(storable, TURN_CHARACTERS).strip()
        if turn.role != "assistant" and text:
            exchanges.append((text, ""))
        elif exchanges and text:
            exchanges[-1] = exchanges[-1][0], _MARKER.sub("", text)
    return exchanges[-MAX_QUESTIONS:]


def _can_be_searched(standalone: str) -> bool:
    try:
        parse_query(standalone)
    except InvalidRequest:
        return False
    return 0 < len(standalone.strip()) <= MAX_QUERY_CHARACTERS
