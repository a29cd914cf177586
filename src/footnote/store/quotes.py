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
LABELS: Mapping[WrittenIn, str] = {
    "queries": "queries beside the audit log",
    "questions": "questions in conversations",
    "titles": "titles of conversations",
    "comments": "comments on answers",
    "answers": "answers that repeat it",
    "pushes": "pushes of the same",
}
"""Kinds of texts that may quote documents, as an erasure reports them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
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
class VersionTexts:
    """The text of one version of a document, and the document's names."""

    language: str | None
    text: str
    names: tuple[str, ...]


async def texts_of(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> tuple[VersionTexts, ...]:
    """Return the texts and names of the documents, one per version. Takes a system scope."""
    texts = []
    for row in await scope.all(_SQL["versions"], {"document_ids": list(document_ids)}):
        document_id = row["document_id"]
        metadata = scope.sealing.plain_metadata(METADATA_VALUES.of(document_id), row["metadata"])
        names = (
            row["filename"].rpartition(".")[0] or row["filename"],
            scope.sealing.plain_text(TITLE.of(document_id), row["title"]),
            row["external_id"] or "",
            PurePosixPath(row["external_id"] or "").stem,
            *row["tags"],
            *(value for value in metadata.values() if isinstance(value, str)),
        )
        text = row["canonical_text"]
        if text is None and scope.sealing.encrypts:
            text = await _sealed_text(scope, document_id, row["version"])
        texts.append(VersionTexts(language=row["language"], text=text or "", names=names))
    return tuple(texts)


async def quoting(
    scope: WorkspaceScope, quoted: Quotable, chunks: ChunkRanges
) -> tuple[StoredText, ...]:
    """Return all stored texts that quote the documents.

    A text quotes them by a run of words, or by a term that no other chunk contains. Takes a system
    scope; `chunks` are those of the quoted documents.
    """
    unique: dict[str, bool] = {}
    matches = []
    for kind in get_args(WrittenIn):
        async for page in _pages(scope, kind):
            shared = {
                text: quoted.shared_terms(text) for entry in page for text in entry.texts if text
            }
            unknown = frozenset[str]().union(*shared.values()) - unique.keys()
            elsewhere = await _terms_elsewhere(scope, unknown, chunks)
            unique |= {term: term not in elsewhere for term in unknown}
            quotes = {
                text
                for text, terms in shared.items()
                if any(unique[term] for term in terms) or quoted.has_run_of(text)
            }
            matches += [
                replace(entry, texts=tuple(text for text in entry.texts if text in quotes))
                for entry in page
                if not quotes.isdisjoint(entry.texts)
            ]
    return tuple(matches)


async def empty(scope: WorkspaceScope, written: Iterable[StoredText]) -> None:
    """Delete the queries and pushes, and blank the other texts. Raises UnderLegalHold."""
    for entry in written:
        key: dict[str, object] = {
            "asker": entry.principal,
            "conversation_id": entry.conversation_id,
            "message_no": entry.number,
        }
        if entry.answer is not None:
            place = ANSWER.of(entry.principal, entry.conversation_id, entry.number)
            key["answer"] = answer_json(scope, place, _without(entry.answer, entry.texts))
        await scope.execute(_SQL[f"empty_{entry.place}"], key)


async def first_under_hold(scope: WorkspaceScope, principals: Iterable[str]) -> str | None:
    """Return one of the principals that is under legal hold; None if none is."""
    row = await scope.one(_SQL["held"], {"principals": sorted(set(principals))})
    return None if row is None else row["principal"]


def _without(answer: MessageAnswer, quotes: Collection[str]) -> MessageAnswer:
    def without_quotes(text: str) -> str:
        return "" if text in quotes else text

    corrected = answer.corrected_question
    return replace(
        answer,
        sentences=tuple(
            replace(sentence, text=without_quotes(sentence.text)) for sentence in answer.sentences
        ),
        asked_as=without_quotes(answer.asked_as),
        corrected_question=None if corrected is None else without_quotes(corrected),
        degraded=tuple(note for note in answer.degraded if note not in quotes),
        searched=tuple(note for note in answer.searched if note not in quotes),
    )


def _texts_of_answer(answer: MessageAnswer) -> Iterator[str]:
    yield from (sentence.text for sentence in answer.sentences)
    yield answer.asked_as
    yield answer.corrected_question or ""
    # Notes name words of the question.
    yield from (*answer.degraded, *answer.searched)


async def _pages(scope: WorkspaceScope, kind: WrittenIn) -> AsyncIterator[list[StoredText]]:
    after: tuple[str, UUID, int] = ("", UUID(int=0), 0)
    while True:
        rows = await scope.all(
            _SQL[kind],
            dict(zip(("after_principal", "after_conversation", "after_no"), after, strict=True))
            | {"limit": _ROWS_AT_ONCE},
        )
        yield [_written(scope, kind, row) for row in rows]
        if len(rows) < _ROWS_AT_ONCE:
            return
        last = rows[-1]
        after = last["principal"], last["conversation_id"] or UUID(int=0), last["message_no"]


def _written(scope: WorkspaceScope, kind: WrittenIn, row: DictRow) -> StoredText:
    principal, conversation_id = row["principal"], row["conversation_id"]
    key = (principal, conversation_id, row["message_no"])
    answer = None
    if kind == "answers":
        answer = read_answer(scope.sealing.plain_json(ANSWER.of(*key), row["answer"]))
        texts = tuple(_texts_of_answer(answer))
    else:
        column = {
            "queries": AUDIT_QUERY.of(row["message_no"]),
            "questions": QUESTION.of(*key),
            "titles": CONVERSATION.of(principal, conversation_id),
            "comments": COMMENT.of(*key),
        }.get(kind)
        plain = row["text"] if column is None else scope.sealing.plain_text(column, row["text"])
        texts = (plain,)
    return StoredText(
        place=kind,
        principal=principal,
        conversation_id=conversation_id,
        number=row["message_no"],
        texts=texts,
        answer=answer,
    )


async def _terms_elsewhere(
    scope: WorkspaceScope, terms: Iterable[str], excluded: ChunkRanges
) -> frozenset[str]:
    """Return the terms that occur in a live chunk other than these."""
    sorted_terms = sorted(terms)
    if not sorted_terms:
        return frozenset()
    secret = await scope.single(_SQL["index_secret"])
    key = scope.sealing.lexical_key(bytes(secret["lexical_key"]))
    ids = dict(zip(fresh_term_ids(key, sorted_terms), sorted_terms, strict=True))
    dead = ranges_of([piece for row in await scope.all(_SQL["dead"]) for piece in row["dead"]])
    ignored = excluded.union(dead)
    found_terms = set()
    for term, lists in (await load_lists(scope, ids)).items():
        for numbers in (np.frombuffer(packed, CHUNK_NUMBER) for packed, _ in lists):
            if ignored.count_of_rising(numbers) < numbers.size:
                found_terms.add(ids[term])
    return frozenset(found_terms)


async def _sealed_text(scope: WorkspaceScope, document_id: UUID, version: int) -> str:
    rows = await scope.all(
        _SQL["sealed_pieces"], {"document_id": document_id, "version": version}, binary=True
    )
    return "".join(
        plain_piece(scope, document_id, version, row["piece"], row["sealed"]) for row in rows
    )
