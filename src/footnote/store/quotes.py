"""Find stored texts of users and answers that quote given documents, and erase them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal, get_args
from uuid import UUID

import numpy as np
from psycopg.rows import DictRow

from footnote.domain.conversations import MessageAnswer
from footnote.index.quoting import Quotable
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import CHUNK_NUMBER
from footnote.index.terms import fresh_term_ids
from footnote.store.database import WorkspaceScope
from footnote.store.index_state import ranges_of
from footnote.store.lexical import load_lists
from footnote.store.messages import answer_json, read_answer
from footnote.store.sealed_texts import plain_piece
from footnote.store.sealing import (
    ANSWER,
    AUDIT_QUERY,
    COMMENT,
    CONVERSATION,
    METADATA_VALUES,
    QUESTION,
    TITLE,
)
from footnote.store.statements import load_statements

_SQL = load_statements("quotes")
_ROWS_AT_ONCE = 500

WrittenIn = Literal["queries", "questions", "titles", "comments", "answers", "pushes"]
PLACES: Mapping[WrittenIn, str] = {
    "queries": "queries beside the audit log",
    "questions": "questions in conversations",
    "titles": "titles of conversations",
    "comments": "comments on answers",
    "answers": "answers that repeat it",
    "pushes": "pushes of the same",
}
"""Kinds of texts that may quote documents, as an erasure reports them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A stored query, question, title, comment, answer or push."""

    place: WrittenIn
    principal: str
    conversation_id: UUID | None
    """None for a query of the audit log; the push's id for a push."""
    number: int
    """Number of the message or of the audit log entry; 0 for titles and pushes."""
    texts: tuple[str, ...]
    """The texts; in a result of `quoting`, only those that quote a document."""
    answer: MessageAnswer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTexts:
    """The text of one version of a document, and the document's names."""

    language: str | None
    text: str
    names: tuple[str, ...]


async def texts_of(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> tuple[NamedTexts, ...]:
    """Return the texts and names of the documents, one per version. Takes a system scope."""
    found = []
    for row in await scope.all(_SQL["versions"], {"document_ids": list(document_ids)}):
        document_id = row["document_id"]
        metadata = scope.sealing.plain_metadata(METADATA_VALUES.of(document_id), row["metadata"])
        named = (
            row["filename"].rpartition(".")[0] or row["filename"],
            scope.sealing.plain_text(TITLE.of(document_id), row["title"]),
            row["external_id"] or "",
            PurePosixPath(row["external_id"] or "").stem,
            *row["tags"],
            *(each for each in metadata.values() if isinstance(each, str)),
        )
        said = row["canonical_text"]
        if said is None and scope.sealing.encrypts:
            said = await _sealed_text(scope, document_id, row["version"])
        found.append(NamedTexts(language=row["language"], text=said or "", names=named))
    return tuple(found)


async def quoting(
    scope: WorkspaceScope, quoted: Quotable, chunks: ChunkRanges
) -> tuple[Written, ...]:
    """Return all stored texts that quote the documents.

    A text quotes them by a run of words, or by a term that no other chunk contains. Takes a system
    scope; `chunks` are those of the quoted documents.
    """
    lonely: dict[str, bool] = {}
    found = []
    for place in get_args(WrittenIn):
        async for page in _pages(scope, place):
            shared = {
                text: quoted.shared_terms(text) for each in page for text in each.texts if text
            }
            unknown = frozenset[str]().union(*shared.values()) - lonely.keys()
            others = await _held_elsewhere(scope, unknown, chunks)
            lonely |= {term: term not in others for term in unknown}
            quotes = {
                text
                for text, terms in shared.items()
                if any(lonely[term] for term in terms) or quoted.has_run_of(text)
            }
            found += [
                replace(each, texts=tuple(text for text in each.texts if text in quotes))
                for each in page
                if not quotes.isdisjoint(each.texts)
            ]
    return tuple(found)


async def empty(scope: WorkspaceScope, written: Iterable[Written]) -> None:
    """Delete the queries and pushes, and blank the other texts. Raises UnderLegalHold."""
    for each in written:
        key: dict[str, object] = {
            "asker": each.principal,
            "conversation_id": each.conversation_id,
            "message_no": each.number,
        }
        if each.answer is not None:
            place = ANSWER.of(each.principal, each.conversation_id, each.number)
            key["answer"] = answer_json(scope, place, _without(each.answer, each.texts))
        await scope.execute(_SQL[f"empty_{each.place}"], key)


async def held_among(scope: WorkspaceScope, principals: Iterable[str]) -> str | None:
    """Return one of the principals that is under legal hold; None if none is."""
    row = await scope.one(_SQL["held"], {"principals": sorted(set(principals))})
    return None if row is None else row["principal"]


def _without(answer: MessageAnswer, quotes: Collection[str]) -> MessageAnswer:
    def kept(text: str) -> str:
        return "" if text in quotes else text

    corrected = answer.corrected_question
    return replace(
        answer,
        sentences=tuple(replace(each, text=kept(each.text)) for each in answer.sentences),
        asked_as=kept(answer.asked_as),
        corrected_question=None if corrected is None else kept(corrected),
        degraded=tuple(each for each in answer.degraded if each not in quotes),
        searched=tuple(each for each in answer.searched if each not in quotes),
    )


def _texts_of_answer(answer: MessageAnswer) -> Iterator[str]:
    yield from (each.text for each in answer.sentences)
    yield answer.asked_as
    yield answer.corrected_question or ""
    # Notes name words of the question.
    yield from (*answer.degraded, *answer.searched)


async def _pages(scope: WorkspaceScope, place: WrittenIn) -> AsyncIterator[list[Written]]:
    after: tuple[str, UUID, int] = ("", UUID(int=0), 0)
    while True:
        rows = await scope.all(
            _SQL[place],
            dict(zip(("after_principal", "after_conversation", "after_no"), after, strict=True))
            | {"limit": _ROWS_AT_ONCE},
        )
        yield [_written(scope, place, row) for row in rows]
        if len(rows) < _ROWS_AT_ONCE:
            return
        last = rows[-1]
        after = last["principal"], last["conversation_id"] or UUID(int=0), last["message_no"]


def _written(scope: WorkspaceScope, place: WrittenIn, row: DictRow) -> Written:
    principal, conversation_id = row["principal"], row["conversation_id"]
    key = (principal, conversation_id, row["message_no"])
    answer = None
    if place == "answers":
        answer = read_answer(scope.sealing.plain_json(ANSWER.of(*key), row["answer"]))
        texts = tuple(_texts_of_answer(answer))
    else:
        column = {
            "queries": AUDIT_QUERY.of(row["message_no"]),
            "questions": QUESTION.of(*key),
            "titles": CONVERSATION.of(principal, conversation_id),
            "comments": COMMENT.of(*key),
        }.get(place)
        plain = row["text"] if column is None else scope.sealing.plain_text(column, row["text"])
        texts = (plain,)
    return Written(
        place=place,
        principal=principal,
        conversation_id=conversation_id,
        number=row["message_no"],
        texts=texts,
        answer=answer,
    )


async def _held_elsewhere(
    scope: WorkspaceScope, terms: Iterable[str], own: ChunkRanges
) -> frozenset[str]:
    """Return the terms that occur in a live chunk other than these."""
    wanted = sorted(terms)
    if not wanted:
        return frozenset()
    secret = await scope.single(_SQL["index_secret"])
    key = scope.sealing.lexical_key(bytes(secret["lexical_key"]))
    ids = dict(zip(fresh_term_ids(key, wanted), wanted, strict=True))
    dead = ranges_of([piece for row in await scope.all(_SQL["dead"]) for piece in row["dead"]])
    passed_over = own.union(dead)
    found = set()
    for term, lists in (await load_lists(scope, ids)).items():
        for numbers in (np.frombuffer(each, CHUNK_NUMBER) for each, _ in lists):
            if passed_over.count_of_rising(numbers) < numbers.size:
                found.add(ids[term])
    return frozenset(found)


async def _sealed_text(scope: WorkspaceScope, document_id: UUID, version: int) -> str:
    rows = await scope.all(
        _SQL["sealed_pieces"], {"document_id": document_id, "version": version}, binary=True
    )
    return "".join(
        plain_piece(scope, document_id, version, row["piece"], row["sealed"]) for row in rows
    )
