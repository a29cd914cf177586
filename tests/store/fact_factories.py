"""Facts for tests that are not about how they are extracted."""

from __future__ import annotations

from uuid import UUID

import numpy as np

from footnote.domain import Lane
from footnote.domain.facts import ExtractedFact, FactKind
from footnote.store.fact_storage import ExtractedFacts, FactLocation, KeyedFact
from footnote.store.reading_progress import PublishedVersion


def a_version(document_id: UUID, version: int = 1) -> PublishedVersion:
    return PublishedVersion(
        document_id=document_id,
        version=version,
        title="Notice",
        language="en",
    )


def a_keyed_fact(subject: str, said: str, start: int = 0) -> KeyedFact:
    """A fact that claims one thing of a subject."""
    statement = f"{subject} is {said}"
    fact = ExtractedFact(
        kind=FactKind.STATEMENT,
        subject=subject,
        predicate="is",
        object=said,
        statement=statement,
        embedded=(statement,),
        spans=((start, start + len(statement)),),
        quoted=(start, start + len(statement)),
        confidence=0.5,
    )
    return KeyedFact(
        fact=fact,
        quote=statement,
        place=FactLocation(ordinal=0, page=None, paragraph=1, headings=()),
        same=statement,
        merge=said,
        claim=subject,
        value=said,
        comparable=True,
        terms=tuple(statement.lower().split()),
    )


def some_facts(lane: Lane, *facts: KeyedFact) -> ExtractedFacts:
    """Facts in a lane, each with a vector that is near no other."""
    vectors = np.zeros((len(facts), lane.dimensions), np.float32)
    for row, _ in enumerate(facts):
        vectors[row, row % lane.dimensions] = 1.0
    return ExtractedFacts(extractor="test", lane=lane, facts=facts, vectors=vectors)
