"""Facets count what a search would look at, and nothing that is hidden from whoever asks."""

from __future__ import annotations

from uuid import UUID

import pytest

from footnote.domain import (
    FACET_FIELDS,
    LOCAL_PRINCIPAL,
    BlockKind,
    Principal,
    SearchFilters,
)
from footnote.errors import InvalidRequest
from footnote.filters import condition_from
from footnote.store.database import Database
from footnote.store.facets import MAX_FACETS, VALUES_PER_FACET, load_facets
from footnote.store.workspaces import create_workspace
from tests.store.papers import Paper, lay

PAPERS = (
    Paper(language="de", tags=("urgent", "paid"), metadata={"author": "Anna Berg", "year": 2024}),
    Paper(
        language="en",
        tags=("urgent",),
        keywords=("Kaution",),
        source_type="email",
        metadata={"from": "Anna <anna@example.com>", "year": 2024, "signed": True},
        kinds=(BlockKind.TABLE, BlockKind.TABLE),
    ),
    Paper(language="en", metadata={"from": "ANNA@example.com <Anna@Example.com>", "year": "2024"}),
    Paper(language="fr", access=("alice",), tags=("secret",)),
    Paper(language="it", tags=("draft",), kinds=()),
)


@pytest.fixture
async def workspace_id(database: Database) -> UUID:
    """A workspace with the papers, beside another with the same."""
    other = await create_workspace(database, "other")
    await lay(database, other.workspace_id, PAPERS[:1])
    workspace = await create_workspace(database, "acme")
    await lay(database, workspace.workspace_id, PAPERS[1:])
    return workspace.workspace_id


@pytest.fixture
async def full_id(database: Database) -> UUID:
    """A workspace with all of the papers."""
    workspace = await create_workspace(database, "full")
    await lay(database, workspace.workspace_id, PAPERS)
    return workspace.workspace_id


async def counted(
    database: Database,
    workspace_id: UUID,
    *fields: str,
    filters: SearchFilters | None = None,
    principal: Principal = LOCAL_PRINCIPAL,
) -> list[list[tuple[str, int]]]:
    """For each field its values with their counts."""
    async with database.snapshot(workspace_id, principal) as scope:
        facets = await load_facets(scope, fields, filters or SearchFilters())
    assert list(facets) == list(dict.fromkeys(fields))
    return [[(each.value, each.documents) for each in facets[name]] for name in facets]


async def test_values_come_by_count_and_then_by_name(database: Database, full_id: UUID) -> None:
    languages, tags, sources = await counted(database, full_id, "language", "tags", "source_type")
    assert languages == [("en", 2), ("de", 1)]
    assert tags == [("urgent", 2), ("paid", 1)]
    assert sources == [("upload", 2), ("email", 1)]


async def test_every_field_that_can_be_counted_is(database: Database, full_id: UUID) -> None:
    for values in await counted(database, full_id, *FACET_FIELDS):
        assert values


async def test_persons_are_counted_by_their_address(database: Database, full_id: UUID) -> None:
    senders, authors = await counted(database, full_id, "sender", "author")
    assert senders == [("anna@example.com", 2)]
    assert authors == [("anna@example.com", 2), ("Anna Berg", 1)]


async def test_a_counted_value_finds_as_many_documents(database: Database, full_id: UUID) -> None:
    for name in FACET_FIELDS:
        for value, documents in (await counted(database, full_id, name))[0]:
            only = SearchFilters(where=condition_from({name: value}))
            within = (await counted(database, full_id, name, filters=only))[0]
            assert dict(within)[value] == documents, (name, value)


async def test_metadata_is_counted_by_key(database: Database, full_id: UUID) -> None:
    years, signed, none = await counted(
        database, full_id, "metadata.year", "metadata.signed", "metadata.no'ne"
    )
    assert (years, signed, none) == ([("2024", 3)], [("true", 1)], [])


async def test_filters_narrow_what_is_counted(database: Database, full_id: UUID) -> None:
    urgent = SearchFilters(where=condition_from({"tags": "urgent"}))
    assert await counted(database, full_id, "language", filters=urgent) == [[("de", 1), ("en", 1)]]
    tables = SearchFilters(evidence_types=(BlockKind.TABLE,))
    assert await counted(database, full_id, "language", filters=tables) == [[("en", 1)]]
    both = SearchFilters(evidence_types=(BlockKind.TABLE,), where=condition_from({"tags": "paid"}))
    assert await counted(database, full_id, "language", filters=both) == [[]]


async def test_what_is_hidden_unpublished_or_foreign_is_not_counted(
    database: Database, workspace_id: UUID
) -> None:
    assert await counted(database, workspace_id, "language") == [[("en", 2)]]
    alice = Principal(principal_id="alice")
    hers = await counted(database, workspace_id, "language", "tags", principal=alice)
    assert hers == [[("en", 2), ("fr", 1)], [("secret", 1), ("urgent", 1)]]


async def test_only_the_commonest_values_are_returned(database: Database) -> None:
    workspace = await create_workspace(database, "many")
    tagged = [
        Paper(tags=tuple(f"t{tag:02}" for tag in range(number + 1)))
        for number in range(VALUES_PER_FACET + 5)
    ]
    await lay(database, workspace.workspace_id, tagged)
    (tags,) = await counted(database, workspace.workspace_id, "tags")
    assert tags == [(f"t{tag:02}", len(tagged) - tag) for tag in range(VALUES_PER_FACET)]


@pytest.mark.parametrize("field", ["titel", "title", "metadata.", "metadata.a\0", "tags; DROP"])
async def test_a_field_that_cannot_be_counted_is_refused(
    database: Database, workspace_id: UUID, field: str
) -> None:
    with pytest.raises(InvalidRequest) as raised:
        await counted(database, workspace_id, "language", field)
    assert raised.value.hint


async def test_facets_have_a_limit(database: Database, workspace_id: UUID) -> None:
    fields = [f"metadata.{number}" for number in range(MAX_FACETS + 1)]
    with pytest.raises(InvalidRequest):
        await counted(database, workspace_id, *fields)
