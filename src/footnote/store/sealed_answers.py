"""Encrypted answers: remove what rests on deleted documents, and count those that name one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from uuid import UUID

from psycopg.rows import DictRow

from footnote.domain.conversations import MessageAnswer
from footnote.ports import CiphertextLocation
from footnote.store.database import SYSTEM, WorkspaceScope
from footnote.store.messages import answer_json, read_answer
from footnote.store.sealing import ANSWER
from footnote.store.statements import load_statements

_SQL = load_statements("sealed_answers")
_ROWS_AT_ONCE = 200


async def remove_from_sealed_answers(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> None:
    """Remove from answers all that rests on the documents, which are about to be deleted.

    Acts as the system, since the answers may belong to other principals. Without encryption, a
    trigger does the same.
    """
    if not scope.sealing.encrypts:
        return
    deleted = frozenset(document_ids)
    await scope.act_as(SYSTEM)
    rows = await scope.all(_SQL["resting_on"], {"document_ids": list(document_ids)})
    await scope.execute_many(
        _SQL["replace"],
        (
            {name: row[name] for name in ANSWER.key}
            | {
                "answer": answer_json(
                    scope, _place(row), _answer(scope, row).without_documents(deleted)
                )
            }
            for row in rows
        ),
    )
    await scope.act_as(scope.principal)


async def count_naming(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> int:
    """Count the encrypted answers that contain the id of a document. Takes a system scope."""
    if not scope.sealing.encrypts:
        return 0
    names = [str(document_id) for document_id in document_ids]
    count, after = 0, ("", UUID(int=0), 0)
    while True:
        rows = await scope.all(
            _SQL["page"],
            dict(zip(("principal_name", "conversation_id", "message_no"), after, strict=True))
            | {"limit": _ROWS_AT_ONCE},
        )
        for row in rows:
            content = json.dumps(scope.sealing.plain_json(_place(row), row["answer"]))
            count += any(name in content for name in names)
        if len(rows) < _ROWS_AT_ONCE:
            return count
        last = rows[-1]
        after = last["principal"], last["conversation_id"], last["message_no"]


def _answer(scope: WorkspaceScope, row: DictRow) -> MessageAnswer:
    return read_answer(scope.sealing.plain_json(_place(row), row["answer"]))


def _place(row: DictRow) -> CiphertextLocation:
    return ANSWER.of(*(row[name] for name in ANSWER.key))
