"""A compiled condition selects what a naive reading of it selects, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from footnote.domain import LOCAL_PRINCIPAL, BlockKind, Comparison, Condition, Operator
from footnote.errors import InvalidRequest
from footnote.filters import condition_from, condition_to_json
from footnote.store.conditions import compile_condition
from footnote.store.database import Database, WorkspaceScope
from footnote.store.workspaces import create_workspace
from tests.store.naive_filters import holds
from tests.store.papers import Paper, lay

A, B, C, D, E, F = (UUID(int=number) for number in range(1, 7))
PAPERS = (
    Paper(
        document_id=A,
        collection="insurance",
        external_id="policies/POL-88213-X",
        filename="policy.pdf",
        title="Marine policy 100%",
        media_type="application/pdf",
        size=48_213,
        language="en",
        document_class="policy",
        page_count=6,
        dates=("2024-01-01", "2024-12-31"),
        metadata={"author": "Anna Berg", "year": 2024, "signed": True, "rate": 0.3},
        tags=("urgent", "größe"),
        created_at=datetime(2024, 5, 31, 0, 0, tzinfo=UTC),
        kinds=(BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.TABLE),
    ),
    Paper(
        document_id=B,
        filename="claim.eml",
        title="Re: claim_%",
        media_type="message/rfc822",
        source_type="email",
        language="de",
        document_class="email",
        dates=("2024-06-15",),
        metadata={"from": '"Berg, Anna" <Anna@Example.com>', "year": "2024", "signed": False},
        tags=("urgent",),
        created_at=datetime(2024, 5, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        kinds=(BlockKind.PARAGRAPH, BlockKind.LIST),
    ),
    Paper(
        document_id=C,
        parent_id=B,
        filename="ÜBERSICHT.docx",
        title="Übersicht\\_",
        source_type="email_attachment",
        size=0,
        page_count=0,
        metadata={"author": "ÇELIK Ömer", "year": 2023.5, "rate": 1e16, "a.b": "2024-05-31"},
        created_at=datetime(2024, 6, 1, tzinfo=UTC),
        kinds=(BlockKind.TABLE,),
    ),
    Paper(document_id=D, language="en", metadata={"sender": "fax"}, tags=("b", "a")),
    Paper(document_id=E, title="", metadata={"from": "<anna@example.com>", "author": " "}),
    Paper(document_id=F, title="Secret", access=("alice",), kinds=(BlockKind.TABLE,)),
)
SEEN = PAPERS[:5]


@pytest.fixture
async def workspace_id(database: Database) -> UUID:
    """A workspace with the papers."""
    workspace = await create_workspace(database, "acme")
    await lay(database, workspace.workspace_id, PAPERS)
    return workspace.workspace_id


@pytest.fixture
async def scope(database: Database, workspace_id: UUID) -> AsyncIterator[WorkspaceScope]:
    async with database.workspace(workspace_id, LOCAL_PRINCIPAL) as opened:
        yield opened


async def selected(scope: WorkspaceScope, condition: Condition) -> set[UUID]:
    compiled = compile_condition(condition)
    cursor = await scope.connection.execute(
        sql.SQL("SELECT document_id FROM documents WHERE {}").format(compiled.text),
        compiled.parameters,
    )
    return {row["document_id"] for row in await cursor.fetchall()}


async def found(scope: WorkspaceScope, value: object) -> set[UUID]:
    return await selected(scope, condition_from(value))


# --- the law --------------------------------------------------------------------------------

TEXTS = st.sampled_from(
    ["en", "de", "insurance", "default", "policy.pdf", "Übersicht\\_", "", "übers", "_%", "100%"]
)
PERSONS = st.sampled_from(
    ["anna berg", "Anna Berg", "anna@example.com", "berg, anna", "çelik ömer", "fax", "anna", "<"]
)
DAYS = st.sampled_from(
    ["2023-12-31", "2024-01-01", "2024-05-31", "2024-06-01", "2024-06-15", "2024-12-31"]
)
MOMENTS = DAYS | st.sampled_from(
    ["2024-05-31T00:00:00Z", "2024-06-01T01:59:59.999999+02:00", "2024-05-31T23:59:59.999999Z"]
)
NUMBERS = st.sampled_from([-1, 0, 1, 3, 6, 10, 48_213, 2**62])
METADATA = st.sampled_from(
    [2024, 2024.0, 2023.5, "2024", "2024-05-31", True, False, 0.3, 1e16, 10**16, "", "20"]
)
IDENTIFIERS = st.sampled_from([str(A), str(B), str(UUID(int=99))])


def compared(
    names: Sequence[str], values: st.SearchStrategy[object], operators: Sequence[str]
) -> st.SearchStrategy[dict[str, object]]:
    """Comparisons of one of the fields with one of the values."""

    def inner(operator: str) -> st.SearchStrategy[object]:
        if operator == "exists":
            return st.booleans()
        if operator == "contains":
            return values.filter(lambda value: isinstance(value, str))
        if operator == "in":
            return st.lists(values, max_size=3)
        if operator in {"lt", "lte", "gt", "gte"}:
            return values.filter(lambda value: not isinstance(value, bool))
        return values

    operations = st.lists(st.sampled_from(operators), min_size=1, max_size=2, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({each: inner(each) for each in chosen})
    )
    return st.builds(lambda name, value: {name: value}, st.sampled_from(names), operations)


ORDER = ("lt", "lte", "gt", "gte")
BASIC = ("eq", "ne", "exists")
COMPARISONS = st.one_of(
    compared(
        ("collection", "external_id", "filename", "language", "media_type", "title"),
        TEXTS,
        (*BASIC, "in", "contains"),
    ),
    compared(("author", "sender"), PERSONS, (*BASIC, "in", "contains")),
    compared(("tags",), st.sampled_from(["urgent", "größe", "a"]), (*BASIC, "in", "contains")),
    compared(("page_count", "size"), NUMBERS, (*BASIC, *ORDER, "in")),
    compared(("created_at", "updated_at"), MOMENTS, (*BASIC, *ORDER)),
    compared(("date",), DAYS, (*BASIC, *ORDER, "in")),
    compared(("document_id", "parent_id"), IDENTIFIERS, (*BASIC, "in")),
    compared(("class",), st.sampled_from(["policy", "email", "code"]), (*BASIC, "in")),
    compared(("source_type",), st.sampled_from(["email", "upload"]), (*BASIC, "in")),
    compared(
        ("metadata.year", "metadata.rate", "metadata.signed", "metadata.a.b", "metadata.none"),
        METADATA,
        (*BASIC, *ORDER, "in", "contains"),
    ),
)
CONDITIONS: st.SearchStrategy[dict[str, object]] = st.recursive(
    COMPARISONS,
    lambda inner: st.one_of(
        st.builds(lambda parts: {"all": parts}, st.lists(inner, max_size=3)),
        st.builds(lambda parts: {"any": parts}, st.lists(inner, max_size=3)),
        st.builds(lambda part: {"not": part}, inner),
        st.builds(lambda one, other: {**one, **other}, inner, inner),
    ),
    max_leaves=6,
)


@settings(
    max_examples=75,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(CONDITIONS)
async def test_what_is_selected_is_what_the_naive_reading_selects(
    scope: WorkspaceScope, value: dict[str, object]
) -> None:
    condition = condition_from(value)
    assert condition_from(condition_to_json(condition)) == condition
    expected = {paper.document_id for paper in SEEN if holds(condition, paper)}
    assert await selected(scope, condition) == expected


# --- what people rely on --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, {A, B, C, D, E}),
        ({"any": []}, set()),
        ({"language": "de"}, {B}),
        ({"language": {"in": []}}, set()),
        ({"page_count": {"gte": 0, "lt": 6}}, {C}),
        ({"not": {"page_count": {"gte": 0}}}, {B, D, E}),
        ({"class": "policy", "tags": "urgent"}, {A}),
        ({"metadata.signed": False}, {B}),
        ({"metadata.a.b": {"lt": "2024-06"}}, {C}),
        ({"metadata.rate": {"gt": 0.29, "lt": 0.31}}, {A}),
    ],
    ids=str,
)
async def test_an_example_selects_what_its_reader_expects(
    scope: WorkspaceScope, value: object, expected: set[UUID]
) -> None:
    assert await found(scope, value) == expected


async def test_what_is_missing_matches_only_its_absence_and_what_is_negated(
    scope: WorkspaceScope,
) -> None:
    without = {B, D, E}
    assert await found(scope, {"page_count": {"exists": False}}) == without
    assert await found(scope, {"page_count": {"ne": 6}}) == {C} | without
    assert await found(scope, {"not": {"page_count": 6}}) == {C} | without
    for operator in ("eq", "lt", "lte", "gt", "gte"):
        assert not without & await found(scope, {"page_count": {operator: 3}})
    assert not without & await found(scope, {"page_count": {"in": [0, 6]}})


@pytest.mark.parametrize(
    ("value", "expected"),
    [(2024, {A}), (2024.0, {A}), ("2024", {B}), (True, set()), (2023.5, {C})],
)
async def test_metadata_equals_only_values_of_its_own_type(
    scope: WorkspaceScope, value: object, expected: set[UUID]
) -> None:
    assert await found(scope, {"metadata.year": value}) == expected


async def test_numbers_in_metadata_are_ordered_among_numbers_alone(scope: WorkspaceScope) -> None:
    assert await found(scope, {"metadata.year": {"gte": 2000}}) == {A, C}
    assert await found(scope, {"metadata.year": {"gte": "2"}}) == {B}
    assert await found(scope, {"metadata.signed": {"gte": 0}}) == set()


@pytest.mark.parametrize("text", ["%", "_", "\\_", ".*", "(", "[", "\\", "'", '"', "%(x)s", "{}"])
async def test_a_hostile_pattern_is_taken_literally(scope: WorkspaceScope, text: str) -> None:
    expected = {paper.document_id for paper in SEEN if text in paper.title}
    assert await found(scope, {"title": {"contains": text}}) == expected
    assert await found(scope, {"metadata." + text: {"contains": text}}) == set()
    assert await found(scope, {"author": {"contains": text}}) == {
        paper.document_id
        for paper in SEEN
        if text in str(paper.metadata.get("author", "")).strip() or _in_sender(paper, text)
    }


def _in_sender(paper: Paper, text: str) -> bool:
    return "from" in paper.metadata and text in str(paper.metadata["from"])


@pytest.mark.parametrize("name", ["anna@example.com", "ANNA@EXAMPLE.COM", "Berg, Anna"])
async def test_a_sender_is_known_by_name_and_by_address(scope: WorkspaceScope, name: str) -> None:
    expected = {B, E} if "@" in name else {B}
    assert await found(scope, {"sender": name}) == expected
    assert await found(scope, {"sender": {"in": ["nobody", name]}}) == expected
    assert await found(scope, {"sender": {"ne": name}}) == {A, C, D, B, E} - expected


async def test_the_author_of_a_message_is_its_sender(scope: WorkspaceScope) -> None:
    assert await found(scope, {"author": "anna berg"}) == {A}
    assert await found(scope, {"author": "anna@example.com"}) == {B, E}
    assert await found(scope, {"author": {"exists": False}}) == {D}


async def test_case_is_folded_beyond_ascii(scope: WorkspaceScope) -> None:
    assert await found(scope, {"title": {"contains": "ÜBERSICHT"}}) == {C}
    assert await found(scope, {"filename": {"contains": "übersicht"}}) == {C}
    assert await found(scope, {"author": "çelik ömer"}) == {C}


async def test_comparisons_of_a_date_that_stand_together_mean_one_date(
    scope: WorkspaceScope,
) -> None:
    between = {"gte": "2024-02-01", "lt": "2024-07-01"}
    assert await found(scope, {"date": between}) == {B}
    apart = [{"any": [{"date": {"gte": "2024-02-01"}}]}, {"any": [{"date": {"lt": "2024-07-01"}}]}]
    assert await found(scope, {"all": apart}) == {A, B}


async def test_a_day_lasts_all_day(scope: WorkspaceScope) -> None:
    assert await found(scope, {"created_at": "2024-05-31"}) == {A, B}
    assert await found(scope, {"created_at": {"lte": "2024-05-31"}}) == {A, B, D, E}
    assert await found(scope, {"created_at": {"gt": "2024-05-31"}}) == {C}
    assert await found(scope, {"created_at": {"gt": "2024-05-31T23:59:00+00:00"}}) == {B, C}


async def test_a_condition_made_by_hand_is_checked(scope: WorkspaceScope) -> None:
    for name, value in (("nonsense", "x"), ("page_count", "x"), ("document_id", "x")):
        with pytest.raises(InvalidRequest):
            compile_condition(Comparison(field=name, operator=Operator.EQUALS, value=value))
    upper = Comparison(field="parent_id", operator=Operator.EQUALS, value=str(B).upper())
    assert await selected(scope, upper) == {C}


async def test_the_largest_condition_there_may_be_still_runs(scope: WorkspaceScope) -> None:
    choice = [str(UUID(int=number)) for number in range(200)]
    value: dict[str, object] = {"any": [{"document_id": {"in": choice}}] * 64}
    for _ in range(6):
        value = {"not": value}
    assert await found(scope, value) == {A, B, C, D, E}
