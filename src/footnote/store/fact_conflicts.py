"""Find contradicting facts of one claim: in all documents, of given facts, or at quotes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from footnote.domain.facts import Fact
from footnote.store.database import WorkspaceScope
from footnote.store.facts import facts_of
from footnote.store.statements import load_statements

_SQL = load_statements("facts")
LONGEST_OBJECT = 1_000
"""Longest object considered, in characters; one that begins further before a place does not reach
it."""
_MAX_QUOTED = 500
_VALUES_OF_A_CLAIM = 40
"""Most values of a claim that are returned, the most confident."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Contradicting facts of one claim, one for each value, the most confident first."""

    claim: bytes
    facts: tuple[Fact, ...]
    values: tuple[bytes, ...]
    """The value key of each fact; equal keys mean the same value."""

    @property
    def subject(self) -> str:
        """The common subject of the facts, or else the identifier that they state, if any."""
        first, *others = self.facts
        names = {fact.subject.casefold() for fact in others}
        number = first.qualifiers.get("identifier", "")
        return first.subject if names <= {first.subject.casefold()} or not number else number


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedSpan:
    """A span of the published text of a document, in half-open offsets."""

    document_id: UUID
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedFact:
    """A fact whose object overlaps a span, with keyed hashes of its claim and value."""

    fact_id: UUID
    document_id: UUID
    start: int
    end: int
    claim: bytes
    value: bytes


async def conflicting_facts(
    scope: WorkspaceScope, document_id: UUID | None, *, limit: int, after: bytes | None = None
) -> tuple[Disagreement, ...]:
    """List contradicting facts, claim by claim after a given claim.

    In a claim, confirmed facts and those of highest confidence come first.
    """
    contested = await scope.all(
        _SQL["conflicts"], {"document_id": document_id, "limit": limit, "after": after}
    )
    return await _of_claims(scope, [bytes(row["claim_key"]) for row in contested])


async def disagreements(
    scope: WorkspaceScope,
    claims: Collection[bytes],
    limit: int,
    preferred: Collection[UUID] = (),
) -> tuple[Disagreement, ...]:
    """Return the claims on which visible documents contradict each other.

    For each value it takes a preferred fact, or else a confirmed or the most confident one.
    """
    rows = await scope.all(_SQL["contested_claims"], {"keys": list(claims), "limit": limit})
    keys = [bytes(row["claim_key"]) for row in rows]
    return await _of_claims(scope, keys, preferred)


async def facts_quoted(
    scope: WorkspaceScope, places: Sequence[QuotedSpan]
) -> tuple[QuotedFact, ...]:
    """List comparable facts that overlap any of the spans."""
    rows = await scope.all(
        _SQL["quoted"],
        {
            "document_ids": [place.document_id for place in places],
            "starts": [place.start for place in places],
            "ends": [place.end for place in places],
            "longest": LONGEST_OBJECT,
            "limit": _MAX_QUOTED,
        },
    )
    return tuple(
        QuotedFact(
            fact_id=row["fact_id"],
            document_id=row["document_id"],
            start=row["char_start"],
            end=row["char_end"],
            claim=bytes(row["claim_key"]),
            value=bytes(row["value_key"]),
        )
        for row in rows
    )


async def facts_against(
    scope: WorkspaceScope, fact_ids: Sequence[UUID]
) -> Mapping[UUID, tuple[Fact, ...]]:
    """Return the visible facts that contradict each of the facts, if any."""
    rows = await scope.all(_SQL["claims_of"], {"fact_ids": list(fact_ids)})
    stated = {row["fact_id"]: (bytes(row["claim_key"]), bytes(row["value_key"])) for row in rows}
    claims = {claim for claim, _ in stated.values()}
    by_claim = {
        conflict.claim: conflict for conflict in await disagreements(scope, claims, len(claims))
    }
    return {
        fact_id: tuple(
            fact
            for fact, other_value in zip(by_claim[claim].facts, by_claim[claim].values, strict=True)
            if other_value != value
        )
        for fact_id, (claim, value) in stated.items()
        if claim in by_claim
    }


async def _of_claims(
    scope: WorkspaceScope, keys: Sequence[bytes], preferred: Collection[UUID] = ()
) -> tuple[Disagreement, ...]:
    if not keys:
        return ()
    rows = await scope.all(
        _SQL["of_claims"],
        {"keys": list(keys), "preferred": list(preferred), "values": _VALUES_OF_A_CLAIM},
    )
    by_claim: dict[bytes, list[tuple[bytes, Fact]]] = defaultdict(list)
    for row, fact in zip(rows, await facts_of(scope, rows), strict=True):
        by_claim[bytes(row["claim_key"])].append((bytes(row["value_key"]), fact))
    return tuple(
        Disagreement(
            claim=claim,
            facts=tuple(fact for _, fact in entries),
            values=tuple(value for value, _ in entries),
        )
        for claim, entries in by_claim.items()
        if len(entries) > 1
    )
