"""Lists of documents: filters, sort orders, keyset pagination and facet counts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from psycopg import sql
from pydantic import TypeAdapter

from footnote.domain import (
    LISTED_FACETS,
    Condition,
    Document,
    DocumentClass,
    DocumentPage,
    DocumentSort,
    DocumentStatus,
    DocumentVersion,
    FacetCount,
    SortOrder,
)
from footnote.errors import InvalidRequest
from footnote.store.conditions import Compiled, compile_condition
from footnote.store.database import WorkspaceScope
from footnote.store.documents import document_of, documents_of, no_such_document
from footnote.store.facets import checked_facets, count_values
from footnote.store.sealed_titles import require_readable, titles_for
from footnote.store.sealing import TITLE
from footnote.store.statements import load_statements, record_of
from footnote.validation.cursors import UNCHANGED, foreign_cursor, read_cursor, write_cursor
from footnote.validation.text import is_storable

_SQL = load_statements("listing")

_SORTED_CHARACTERS = 200
"""Length of a title's sort key in characters, as in the database function sort_text."""
_FIRST_MARK, _LAST_MARK = "\u0300", "\u036f"

_LARGEST = {DocumentSort.BYTE_SIZE: 2**63, DocumentSort.PAGE_COUNT: 2**31}
"""Upper bounds of the sort keys, exclusive, from the types of their columns."""

SortKey = str | int
_CURSOR = TypeAdapter(tuple[DocumentSort, SortOrder, SortKey, UUID])


@dataclass(frozen=True, slots=True)
class _Sorting:
    """The column, and its type, by which the database sorts a list."""

    column: str
    type: LiteralString


_SORTINGS: Mapping[DocumentSort, _Sorting] = {
    DocumentSort.TITLE: _Sorting("title_sort", "text"),
    DocumentSort.CREATED_AT: _Sorting("created_at", "timestamptz"),
    DocumentSort.BYTE_SIZE: _Sorting("byte_size", "bigint"),
    DocumentSort.PAGE_COUNT: _Sorting("pages_sort", "integer"),
    DocumentSort.STATUS: _Sorting("status", "text"),
    DocumentSort.COLLECTION: _Sorting("collection", "text"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Filters and sort order of a list of documents; all filters must match."""

    query: str = ""
    """Words that must all occur in the title or the file name, in any case."""
    collection: str | None = None
    status: DocumentStatus | None = None
    document_class: DocumentClass | None = None
    tag: str | None = None
    where: Condition | None = None
    sort: DocumentSort = DocumentSort.CREATED_AT
    order: SortOrder = SortOrder.DESCENDING


async def list_documents(
    scope: WorkspaceScope,
    listing: Listing | None = None,
    *,
    facets: Sequence[str] = (),
    limit: int,
    cursor: str | None,
) -> DocumentPage:
    """List a page of documents, published or not, and count the requested facets.

    Raises InvalidRequest for a cursor that was not issued for this order and these filters, an
    invalid condition, and a field that cannot be counted.
    """
    listing = listing or Listing()
    facet_names = checked_facets(facets, LISTED_FACETS)
    require_readable(scope, facet_names)
    position = _read_cursor(cursor, listing)
    conditions = await conditions_of(scope, listing)
    if scope.sealing.encrypts and listing.sort is DocumentSort.TITLE:
        page = await _page_by_sealed_title(scope, listing, conditions, position, limit)
    else:
        page = await _page(scope, listing, conditions, position, limit)
    if not facet_names:
        return page
    all_conditions = conjunction(conditions.values())
    row = await scope.single(
        sql.SQL(_SQL["total"]).format(conditions=all_conditions.text), all_conditions.parameters
    )
    counts: dict[str, tuple[FacetCount, ...]] = {}
    for name in facet_names:
        # Without the filter on this field, so that its other values are counted too.
        other_conditions = conjunction(
            condition for field, condition in conditions.items() if field != name
        )
        matching = sql.SQL(_SQL["within"]).format(conditions=other_conditions.text)
        counts[name] = await count_values(
            scope, name, Compiled(matching, other_conditions.parameters)
        )
    return DocumentPage(
        documents=page.documents, next_cursor=page.next_cursor, total=row["total"], facets=counts
    )


async def select_documents(
    scope: WorkspaceScope,
    condition: Condition,
    *,
    status: DocumentStatus | None,
    limit: int,
    cursor: str | None,
) -> DocumentPage:
    """List a page of the documents that meet the condition, newest first, published or not.

    Raises InvalidRequest for a foreign cursor and for an invalid condition.
    """
    listing = Listing(where=condition, status=status)
    return await list_documents(scope, listing, limit=limit, cursor=cursor)


async def list_versions(scope: WorkspaceScope, document_id: UUID) -> tuple[DocumentVersion, ...]:
    """List all received versions of a document, latest first.

    Raises NotFound alike for a document that is absent, of another workspace or hidden.
    """
    rows = await scope.all(_SQL["versions"], {"document_id": document_id})
    if not rows:
        raise no_such_document(document_id)
    return tuple(
        record_of(DocumentVersion, row, content_sha256=bytes(row["content_sha256"]).hex())
        for row in rows
    )


async def documents_of_ids(
    scope: WorkspaceScope, document_ids: Sequence[UUID]
) -> tuple[Document, ...]:
    """Return the visible documents with these ids, in the order of the ids."""
    rows = await scope.all(_SQL["of_ids"], {"document_ids": list(document_ids)})
    documents = {document.document_id: document for document in documents_of(scope, rows)}
    return tuple(documents[document_id] for document_id in document_ids if document_id in documents)


# --- filters ----------------------------------------------------------------------------------


async def conditions_of(scope: WorkspaceScope, listing: Listing) -> dict[str, Compiled]:
    """Compile the filters to SQL conditions, by filtered field. Raises InvalidRequest."""
    conditions: dict[str, Compiled] = {}
    equalities = {
        "collection": ("collection", listing.collection),
        "status": ("status", listing.status),
        "class": ("document_class", listing.document_class),
    }
    for field, (column, value) in equalities.items():
        if value is not None:
            text = sql.SQL(_SQL["equals"]).format(
                column=sql.Identifier("documents", column), value=sql.Placeholder(column)
            )
            conditions[field] = Compiled(text, {column: str(value)})
    if listing.tag is not None:
        text = sql.SQL(_SQL["tagged"]).format(value=sql.Placeholder("tag"))
        conditions["tags"] = Compiled(text, {"tag": listing.tag})
    if listing.where is not None:
        titles = await titles_for(scope, listing.where)
        conditions["where"] = compile_condition(listing.where, titles)
    words = listing.query.split()
    if words and scope.sealing.encrypts:
        # The database cannot read encrypted titles: match them here, and filter by id.
        lowered = [word.lower() for word in words]
        ids = []
        for row in await scope.all(_SQL["names"]):
            title = scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"])
            names = f"{title} {row['filename']}".lower()
            if all(word in names for word in lowered):
                ids.append(row["document_id"])
        conditions["query"] = Compiled(
            sql.SQL(_SQL["among"]).format(ids=sql.Placeholder("named_ids")), {"named_ids": ids}
        )
    elif words:
        pieces = [
            sql.SQL(_SQL["word"]).format(word=sql.Placeholder(f"word_{number}"))
            for number in range(len(words))
        ]
        values = {f"word_{number}": word for number, word in enumerate(words)}
        conditions["query"] = Compiled(sql.SQL(" AND ").join(pieces), values)
    return conditions


def conjunction(conditions: Iterable[Compiled]) -> Compiled:
    """Combine conditions with AND; without any, the result is always true."""
    pieces = [*conditions]
    parameters = {name: value for piece in pieces for name, value in piece.parameters.items()}
    text = sql.SQL(" AND ").join([piece.text for piece in pieces]) if pieces else sql.SQL("true")
    return Compiled(text, parameters)


# --- pages ------------------------------------------------------------------------------------


def page_statement(
    listing: Listing, conditions: Iterable[Compiled], position: tuple[SortKey, UUID] | None
) -> Compiled:
    """Return the statement of a page with its parameters, the limit excepted."""
    sorting = _SORTINGS[listing.sort]
    key = sql.Identifier("documents", sorting.column)
    descending = listing.order is SortOrder.DESCENDING
    pieces = [*conditions]
    if position is not None:
        after = sql.SQL(_SQL["after"]).format(
            key=key, sign=sql.SQL("<" if descending else ">"), type=sql.SQL(sorting.type)
        )
        pieces.append(Compiled(after, {"after_key": position[0], "after_id": position[1]}))
    condition = conjunction(pieces)
    text = sql.SQL(_SQL["page"]).format(
        key=key, conditions=condition.text, direction=sql.SQL("DESC" if descending else "ASC")
    )
    return Compiled(text, condition.parameters)


async def _page(
    scope: WorkspaceScope,
    listing: Listing,
    conditions: Mapping[str, Compiled],
    position: tuple[SortKey, UUID] | None,
    limit: int,
) -> DocumentPage:
    statement = page_statement(listing, conditions.values(), position)
    rows = await scope.all(
        sql.Composed([statement.text]), {**statement.parameters, "limit": limit + 1}
    )
    last = rows[limit - 1] if len(rows) > limit else None
    return DocumentPage(
        documents=tuple(document_of(scope, row) for row in rows[:limit]),
        next_cursor=None
        if last is None
        else _write_cursor(listing, _json_key(last["sort_key"]), last["document_id"]),
    )


async def _page_by_sealed_title(
    scope: WorkspaceScope,
    listing: Listing,
    conditions: Mapping[str, Compiled],
    position: tuple[SortKey, UUID] | None,
    limit: int,
) -> DocumentPage:
    """Return a page by encrypted title, which requires sorting all matching documents here."""
    condition = conjunction(conditions.values())
    statement = sql.SQL(_SQL["titles"]).format(conditions=condition.text)
    descending = listing.order is SortOrder.DESCENDING
    keys = sorted(
        (
            (
                sort_text(scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"])),
                row["document_id"],
            )
            for row in await scope.all(statement, condition.parameters)
        ),
        reverse=descending,
    )
    if position is not None:
        after = (str(position[0]), position[1])
        keys = [key for key in keys if (key < after if descending else key > after)]
    documents = await documents_of_ids(scope, [document_id for _, document_id in keys[:limit]])
    last = keys[limit - 1] if len(keys) > limit else None
    return DocumentPage(
        documents=documents,
        next_cursor=None if last is None else _write_cursor(listing, *last),
    )


def sort_text(plain: str) -> str:
    """Return a text's sort key, as the database function of the same name computes it."""
    decomposed = unicodedata.normalize("NFKD", plain.lower())
    characters = (
        character for character in decomposed if not _FIRST_MARK <= character <= _LAST_MARK
    )
    return "".join(characters)[:_SORTED_CHARACTERS]


# --- cursors ----------------------------------------------------------------------------------


def _json_key(key: object) -> SortKey:
    if isinstance(key, datetime):
        return key.isoformat()
    assert isinstance(key, (str, int)), "lists are sorted by times, texts and numbers"
    return key


def _write_cursor(listing: Listing, key: SortKey, document_id: UUID) -> str:
    """Encode a position in a list: its order, and the sort key and id of the last row before it."""
    position = (listing.sort, listing.order, key, document_id)
    return write_cursor(_CURSOR, position, *mark_of(listing))


def mark_of(listing: Listing) -> tuple[object, ...]:
    """Return the values that bind a cursor to a list with these filters."""
    filters = (listing.collection, listing.status, listing.document_class, listing.tag)
    return ("documents", (listing.query.split(), *filters, listing.where))


def _read_cursor(cursor: str | None, listing: Listing) -> tuple[SortKey, UUID] | None:
    """Decode a cursor to the sort key and id it names. Raises InvalidRequest for a foreign one."""
    if cursor is None:
        return None
    try:
        sort, order, key, document_id = read_cursor(_CURSOR, cursor, *mark_of(listing))
        valid = (sort, order) == (listing.sort, listing.order) and _is_key(key, listing.sort)
    except (InvalidRequest, ValueError) as error:
        raise _no_cursor() from error
    if not valid:
        raise _no_cursor()
    return key, document_id


def _is_key(key: object, sort: DocumentSort) -> bool:
    if sort in _LARGEST:
        return isinstance(key, int) and 0 <= key < _LARGEST[sort]
    if sort is DocumentSort.CREATED_AT:
        return isinstance(key, str) and datetime.fromisoformat(key).tzinfo is not None
    return isinstance(key, str) and is_storable(key)


def _no_cursor() -> InvalidRequest:
    return foreign_cursor(
        "the cursor is not one we gave for this order and these filters",
        f"{UNCHANGED}, with the same sort, order and filters",
    )
