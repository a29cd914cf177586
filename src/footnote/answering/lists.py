"""Answer a question about a list with all of its items, not only the best-scored one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.sentences import Candidate, candidates_of
from footnote.answering.titles import Terms
from footnote.domain import BlockKind, BlockSpan, Evidence
from footnote.language.negators import NEGATION_WORDS

MAX_ITEMS = 12
"""Longer lists are answered with the item that was read."""
_SEVERAL = 2
_LEAD_IN_ENDINGS = (":", "\uff1a")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedList:
    """A whole list that a question asks for."""

    items: Sequence[LocatedAnswer]
    """In order; each has the probability that one of the items answers."""

    @property
    def probability(self) -> float:
        """Probability that one of the items answers, 0…1."""
        return self.items[0].probability


def requested_list(
    question: str, answers: Sequence[LocatedAnswer], evidence: Sequence[Evidence], terms: Terms
) -> RequestedList | None:
    """The most probable list whose heading or introducing line the question mentions in full.

    The introducing line is the one before the list that ends with a colon. The question must
    contain all its words, agree with it in negation, and contain no word of an item, which would
    select that item. The list's probability is the sum over its items, as only one found statement
    is the answer. None where a part of the list is in another passage or the passage may be a
    prompt injection.
    """
    question_terms = frozenset(terms(question))
    lists = []
    for item in evidence:
        for span in () if item.suspicious else item.passage.spans:
            items = _list_items(item, span)
            if not _SEVERAL <= len(items) <= MAX_ITEMS:
                continue
            item_terms = {word for candidate in items for word in terms(candidate.statement)}
            introductions = [
                line
                for line in _introductions(item, span)
                if _mentions_all_words(line, question, terms)
            ]
            introductions = [
                line
                for line in introductions
                if not item_terms & (question_terms - frozenset(terms(line)))
            ]
            if not introductions or any(candidate.is_prompt_injection for candidate in items):
                continue
            item_spans = {candidate.canonical_span for candidate in items}
            probability = sum(
                answer.probability
                for answer in answers
                if answer.passage.chunk_id == item.passage.chunk_id
                and answer.candidate.canonical_span in item_spans
            )
            lists.append(
                RequestedList(
                    items=[
                        LocatedAnswer(
                            candidate=candidate,
                            start=candidate.start,
                            end=candidate.end,
                            probability=probability,
                        )
                        for candidate in items
                    ]
                )
            )
    return max(lists, key=lambda listing: listing.probability, default=None)


def with_list(
    question: str,
    chosen: Sequence[LocatedAnswer],
    answers: Sequence[LocatedAnswer],
    evidence: Sequence[Evidence],
    terms: Terms,
) -> list[LocatedAnswer]:
    """The chosen answers, or all items of a requested list that is likelier."""
    asked_list = requested_list(question, answers, evidence, terms)
    if asked_list is None:
        return list(chosen)
    item_spans = [item.candidate.canonical_span for item in asked_list.items]
    other_answers = [
        answer for answer in chosen if answer.candidate.canonical_span not in item_spans
    ]
    best_other_probability = max((answer.probability for answer in other_answers), default=0.0)
    return list(asked_list.items if asked_list.probability > best_other_probability else chosen)


def _list_items(item: Evidence, span: BlockSpan) -> list[Candidate]:
    """The items of a list that is completely in the passage; empty for other blocks."""
    if span.kind is not BlockKind.LIST or not (span.begins and span.ends):
        return []
    return [
        candidate
        for candidate in candidates_of([item])
        if candidate.kind is BlockKind.LIST
        and span.char_start <= candidate.canonical_span[0] < span.char_end
    ]


def _introductions(item: Evidence, span: BlockSpan) -> Iterator[str]:
    """Texts that may introduce a list."""
    yield from item.passage.heading_path[-1:]
    preceding = [
        candidate
        for candidate in candidates_of([item])
        if candidate.canonical_span[1] <= span.char_start
    ]
    if preceding and preceding[-1].statement.endswith(_LEAD_IN_ENDINGS):
        yield preceding[-1].statement


def _mentions_all_words(text: str, question: str, terms: Terms) -> bool:
    """Whether a question has all words of a text, and the same negation."""
    text_terms = frozenset(terms(text))
    return (
        bool(text_terms)
        and text_terms <= frozenset(terms(question))
        and _is_negated(text) == _is_negated(question)
    )


def _is_negated(text: str) -> bool:
    return not NEGATION_WORDS.isdisjoint(text.casefold().replace("?", " ").split())
