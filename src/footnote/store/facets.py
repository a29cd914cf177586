"""Count the most common values of a field among the documents of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from psycopg import AsyncCursor, sql
from psycopg.rows import DictRow

from footnote.domain import FACET_FIELDS, FacetCount, SearchFilters
from footnote.errors import InvalidRequest
from footnote.filters import METADATA
from footnote.store.conditions import Compiled, Titles, admitted, value_of
from footnote.store.database import WorkspaceScope
from footnote.store.sealed_titles import require_readable, titles_for
from footnote.store.statements import load_statements
from footnote.validation.text import is_storable

_SQL = load_statements("facets")

MAX_FACETS = 20
"""Most fields counted per request."""
VALUES_PER_FACET = 20

_FORMS = {"author": "person", "sender": "person", "tags": "several", "keywords": "several"}
"""Statement that reads the values of a field; `single` for others."""
_STATUS = Compiled(sql.Identifier("documents", "status"), {})
"""Not a field of conditions, since a search covers published documents only."""


async def load_facets(
    scope: WorkspaceScope, fields: Sequence[str], filters: SearchFilters
) -> Mapping[str, tuple[FacetCount, ...]]:
    """Return the most common values of each field, by descending count, then by value.

    Counts published documents that the principal may see and the filters match; if these name kinds
    of chunk, documents with such a chunk. A minimum similarity is ignored. Raises InvalidRequest
    for a field that cannot be counted.
    """
    names = checked_facets(fields)
    require_readable(scope, names)
    documents = _counted_documents(filters, await titles_for(scope, filters.where))
    cursors = {name: await _send_count(scope, name, documents) for name in names}
    return {name: await _counts(cursor) for name, cursor in cursors.items()}


async def count_values(
    scope: WorkspaceScope, name: str, documents: Compiled
) -> tuple[FacetCount, ...]:
    """Return a field's most common values in the documents, by descending count, then value."""
    return await _counts(await _send_count(scope, name, documents))


def checked_facets(
    fields: Sequence[str], countable: Sequence[str] = FACET_FIELDS
) -> tuple[str, ...]:
    """Return the distinct fields, if they can be counted. Raises InvalidRequest."""
    distinct = tuple(dict.fromkeys(fields))
    if len(distinct) > MAX_FACETS:
        raise InvalidRequest(
            f"facets of {len(distinct)} fields are asked for", hint=f"ask for at most {MAX_FACETS}"
        )
    for name in distinct:
        key = name.removeprefix(METADATA)
        if name not in countable and (key in {name, ""} or not is_storable(key)):
            suggestions = get_close_matches(name[:60], countable, n=1)
            advice = f"count one of {', '.join(countable)}, or {METADATA}KEY"
            raise InvalidRequest(
                f"there are no facets of {name[:60]!r}",
                hint=f"did you mean {suggestions[0]}?" if suggestions else advice,
            )
    return distinct


def _counted_documents(filters: SearchFilters, titles: Titles | None) -> Compiled:
    documents = admitted(filters, titles)
    if not filters.evidence_types:
        return documents
    return Compiled(
        sql.SQL(_SQL["with_kinds"]).format(documents=documents.text),
        {
            **documents.parameters,
            "kinds": [evidence_type.value for evidence_type in filters.evidence_types],
        },
    )


async def _send_count(
    scope: WorkspaceScope, name: str, documents: Compiled
) -> AsyncCursor[DictRow]:
    """Send the query for the counts of a field without awaiting its rows."""
    value = _STATUS if name == "status" else value_of(name)
    form = "metadata" if name.startswith(METADATA) else _FORMS.get(name, "single")
    statement = sql.SQL(_SQL["commonest"]).format(
        values=sql.SQL(_SQL[form]).format(column=value.text), documents=documents.text
    )
    parameters = {**documents.parameters, **value.parameters, "most": VALUES_PER_FACET}
    return await scope.execute(statement, parameters)


async def _counts(cursor: AsyncCursor[DictRow]) -> tuple[FacetCount, ...]:
    return tuple(
        FacetCount(value=row["value"], documents=row["documents"])
        for row in await cursor.fetchall()
    )
