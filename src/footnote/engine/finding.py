"""Finds documents by what people call them: a file name, or the beginning of an id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from uuid import UUID

from footnote.domain import Document
from footnote.engine.scoping import scope_of
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import InvalidRequest, NotFound
from footnote.store.documents import documents_called, names_of_collections

_SHOWN = 8
_BEGINNING = re.compile(r"[0-9a-f]{1,32}")


async def document_called(workspace: WorkspaceEngine, called: str) -> UUID:
    """The id of the document with that id, file name or beginning of an id.

    A whole id is given back as it is, whether there is such a document or not. Raises NotFound, for
    what is hidden or foreign too, and InvalidRequest with the candidates where there are several.
    """
    if (whole := _whole_id(called)) is not None:
        return whole
    async with scope_of(workspace) as scope:
        found = await documents_called(scope, called, _id_range(called), limit=_SHOWN + 1)
    if not found:
        raise NotFound(
            f"there is no document {called!r}",
            hint="`footnote documents list` shows ids and file names; a file name is given whole",
        )
    if len(found) > 1:
        raise InvalidRequest(
            f"several documents are called {called!r}: {_candidates(found)}",
            hint="give the whole id of one of them, or more of its beginning",
        )
    return found[0].document_id


async def unknown_collections(
    workspace: WorkspaceEngine, names: Sequence[str]
) -> tuple[tuple[str, str | None], ...]:
    """Those of the names that no collection with documents has, each with the closest there is."""
    async with scope_of(workspace) as scope:
        known = await names_of_collections(scope)
    return tuple(
        (name, next(iter(get_close_matches(name, known, n=1)), None))
        for name in dict.fromkeys(names)
        if name not in known
    )


def _whole_id(called: str) -> UUID | None:
    try:
        return UUID(called)
    except ValueError:
        return None


def _id_range(called: str) -> tuple[UUID, UUID] | None:
    """The first and the last id that begin so."""
    digits = called.lower().replace("-", "")
    if not _BEGINNING.fullmatch(digits) or called.startswith("-"):
        return None
    return UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))


def _candidates(found: Sequence[Document]) -> str:
    shown = [f"{each.document_id} ({_told(each)})" for each in found[:_SHOWN]]
    return ", ".join([*shown, "…"] if len(found) > _SHOWN else shown)


def _told(document: Document) -> str:
    """What tells it from others of its file name: where it is from, else when it came."""
    own = document.external_id or f"of {document.created_at:%Y-%m-%d %H:%M:%S} UTC"
    return f"{document.filename}, {own}"
