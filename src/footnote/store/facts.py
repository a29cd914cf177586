"""Read facts: list them, find them by id, and store decisions on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import DictRow

from footnote.domain.facts import Fact, FactKind, FactSource, FactStatus
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import FACT, TITLE
from footnote.store.statements import load_statements

_SQL = load_statements("facts")
_FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFilter:
    """A filter of facts."""

    statuses: tuple[FactStatus, ...] = (FactStatus.PROPOSED, FactStatus.CONFIRMED)
    kinds: tuple[FactKind, ...] = ()
    """Kinds to list; all if empty."""
    document_id: UUID | None = None
    entity_id: UUID | None = None
    """Entity that must be the subject or object."""


async def list_facts(
    scope: WorkspaceScope, filters: FactFilter, *, limit: int, after: tuple[UUID, int] | None
) -> tuple[tuple[Fact, int], ...]:
    """List a page of visible facts in document order, each with its ordinal.

    Equivalent facts are listed once.
    """
    document, ordinal = after or (_FIRST, -1)
    rows = await scope.all(
        _SQL["facts" if filters.entity_id is None else "of_entity"],
        {
            "entity_id": filters.entity_id,
            "statuses": [status.value for status in filters.statuses],
            "kinds": [kind.value for kind in filters.kinds],
            "document_id": filters.document_id,
            "after_document": document,
            "after_ordinal": ordinal,
            "limit": limit,
        },
    )
    facts = await facts_of(scope, rows)
    return tuple((fact, row["ordinal"]) for fact, row in zip(facts, rows, strict=True))


async def facts_by_ids(scope: WorkspaceScope, fact_ids: Sequence[UUID]) -> tuple[Fact, ...]:
    """Return the visible facts of the ids, in their order."""
    rows = await scope.all(_SQL["by_ids"], {"fact_ids": list(fact_ids)})
    facts = {fact.fact_id: fact for fact in await facts_of(scope, rows)}
    return tuple(facts[fact_id] for fact_id in fact_ids if fact_id in facts)


async def documents_saying(scope: WorkspaceScope, fact_id: UUID) -> list[UUID]:
    """List the visible documents with an equivalent fact, its own included."""
    return [row["document_id"] for row in await scope.all(_SQL["saying"], {"fact_id": fact_id})]


async def decide_fact(scope: WorkspaceScope, fact_id: UUID, status: FactStatus) -> None:
    """Set the status of a fact and of all equivalent ones. Raises NotFound."""
    if not await scope.change(_SQL["decide"], {"fact_id": fact_id, "status": status.value}):
        raise no_such_fact(fact_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionedFact:
    """A fact of the published version, or of the one before."""

    fact: Fact
    claim: bytes
    value: bytes
    is_new: bool
    """Whether it is new in the published version."""


async def facts_of_versions(
    scope: WorkspaceScope, document_id: UUID
) -> tuple[int | None, tuple[VersionedFact, ...]]:
    """Return the version extracted last, its facts, and those that it superseded."""
    row = await scope.one(_SQL["set_of"], {"document_id": document_id})
    rows = await scope.all(_SQL["versions"], {"document_id": document_id})
    facts = await facts_of(scope, rows)
    return None if row is None else row["version"], tuple(
        VersionedFact(
            fact=fact,
            claim=bytes(row["claim_key"]),
            value=bytes(row["value_key"]),
            is_new=row["since_version"] == row["version"],
        )
        for fact, row in zip(facts, rows, strict=True)
    )


async def facts_of(scope: WorkspaceScope, rows: Sequence[DictRow]) -> tuple[Fact, ...]:
    """Make a fact of each complete row, with the sources of equivalent facts."""
    groups = {row["group_id"] for row in rows if row["status"] != FactStatus.SUPERSEDED}
    group_rows: dict[UUID, list[DictRow]] = defaultdict(list)
    if groups:
        for row in await scope.all(_SQL["of_groups"], {"groups": list(groups)}):
            group_rows[row["group_id"]].append(row)
    facts = []
    linked = await _linked(scope, [row["fact_id"] for row in rows])
    for row in rows:
        equivalent = [
            other for other in group_rows[row["group_id"]] if other["fact_id"] != row["fact_id"]
        ]
        content = _content(scope, row)
        facts.append(
            Fact(
                fact_id=row["fact_id"],
                document_id=row["document_id"],
                kind=FactKind(row["kind"]),
                status=FactStatus(row["status"]),
                subject=str(content["subject"]),
                predicate=str(content["predicate"]),
                object=str(content["object"]),
                statement=str(content["statement"]),
                value=content["value"],
                unit=str(content["unit"]),
                qualifiers=dict(content["qualifiers"]),
                valid_from=row["valid_from"],
                valid_to=row["valid_to"],
                negated=row["negated"],
                subject_entity_id=linked.get((row["fact_id"], True)),
                object_entity_id=linked.get((row["fact_id"], False)),
                confidence=round(row["confidence"], 4),
                extractor=row["extractor"],
                extracted_at=row["extracted_at"],
                decided_by=row["decided_by"],
                sources=tuple(_source(scope, source) for source in (row, *equivalent)),
            )
        )
    return tuple(facts)


async def _linked(scope: WorkspaceScope, fact_ids: Sequence[UUID]) -> dict[tuple[UUID, bool], UUID]:
    """Return the entity of each fact's subject (true) and object (false), if linked."""
    if not fact_ids:
        return {}
    rows = await scope.all(_SQL["linked"], {"fact_ids": list(fact_ids)})
    return {(row["fact_id"], row["is_subject"]): row["entity_id"] for row in rows}


def no_such_fact(fact_id: UUID) -> NotFound:
    """Make the error for a fact that is absent, foreign or hidden alike."""
    return NotFound(
        f"there is no fact {fact_id}",
        hint="`footnote facts list` or `GET /v1/facts` shows what there is",
    )


def _content(scope: WorkspaceScope, row: DictRow) -> DictRow:
    content = scope.sealing.plain_json(FACT.of(row["fact_id"]), row["content"])
    assert isinstance(content, dict), "a fact is stored as an object"
    return content


def _source(scope: WorkspaceScope, row: DictRow) -> FactSource:
    content = _content(scope, row)
    (start, end), place = content["quoted"], content["place"]
    return FactSource(
        document_id=row["document_id"],
        version=row["version"],
        document_title=scope.sealing.plain_text(
            TITLE.of(row["document_id"]), row["document_title"]
        ),
        filename=row["filename"],
        chunk_id=f"{row['document_id']}:{row['version']}:{place['ordinal']}",
        heading_path=tuple(place["headings"]),
        page=place["page"],
        paragraph=place["paragraph"],
        char_start=start,
        char_end=end,
        quote=str(content["quote"]),
    )
