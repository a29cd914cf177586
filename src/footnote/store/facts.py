"""Facts of published versions: kept in one transaction a document, listed, decided, compared."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from uuid import UUID, uuid4

import numpy as np
from pgvector import HalfVector
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import DocumentClass, Lane
from footnote.domain.facts import (
    ExtractedFact,
    Fact,
    FactFailure,
    FactKind,
    FactSource,
    FactStatus,
)
from footnote.errors import NotFound
from footnote.index.segments import FREQUENCY, LENGTH
from footnote.index.terms import term_ids
from footnote.ports import Vectors
from footnote.store.database import WorkspaceScope
from footnote.store.lanes import current_lane, require_vectors_of
from footnote.store.sealing import FACT, TITLE, Sealing
from footnote.store.statements import load_statements, record_of
from footnote.store.workspaces import adopt_lane, lexical_key

_SQL = load_statements("facts")
_KEY_BYTES = 16
_ALIKE_AT_ONCE = 50
"""Facts of one value that a new one is compared with."""
SAME_FACT_SIMILARITY = 0.92
"""From which two facts of one value, period and figures are the same in other words."""
_FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingDocument:
    """A published version whose facts are wanted."""

    document_id: UUID
    version: int
    title: str
    language: str | None
    document_class: DocumentClass


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedFact:
    """A fact with the texts that it is compared by, and its analysed terms."""

    fact: ExtractedFact
    quotes: tuple[str, ...]
    """The text of each span."""
    same: str
    merge: str
    claim: str
    value: str
    comparable: bool
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExtractedFacts:
    """The facts of one version, in its order."""

    extractor: str
    lane: Lane
    facts: tuple[KeyedFact, ...]
    vectors: Vectors
    """One for each fact, in the lane."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCounts:
    """How many published documents were read for facts."""

    documents: int
    done: int
    failed: int
    facts: int


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keyed hashes of a fact."""

    same: bytes
    merge: bytes
    claim: bytes
    value: bytes


# --- kept -----------------------------------------------------------------------------------------


async def pending_documents(
    scope: WorkspaceScope,
    extractor: str,
    classes: Sequence[str],
    *,
    attempts: int,
    limit: int,
    after: UUID = _FIRST,
) -> tuple[PendingDocument, ...]:
    """Published documents that this extractor has not read yet, by id."""
    rows = await scope.all(
        _SQL["pending"],
        {
            "extractor": extractor,
            "classes": list(classes),
            "attempts": attempts,
            "limit": limit,
            "after": after,
        },
    )
    return tuple(
        record_of(
            PendingDocument,
            row,
            title=scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
            document_class=DocumentClass(row["document_class"]),
        )
        for row in rows
    )


async def keep_facts(
    scope: WorkspaceScope, pending: PendingDocument, extracted: ExtractedFacts
) -> bool:
    """Replace what is known of a document by the facts of its published version.

    A fact that stands there again keeps its id, and what somebody decided of it; one that does not
    is superseded, until the next version. False when another version was published meanwhile.
    Raises LaneMismatch for vectors of another lane.
    """
    facts, vectors = extracted.facts, extracted.vectors
    require_vectors_of(extracted.lane, vectors, len(facts))
    whose: dict[str, object] = {"document_id": pending.document_id, "version": pending.version}
    if await scope.one(_SQL["hold_version"], whose) is None:
        return False
    lane_id = await _lane_of_facts(scope, extracted.lane)
    keys = [_keys_of(scope.sealing, each) for each in facts]
    known: dict[bytes, list[DictRow]] = defaultdict(list)
    outdated = []
    for row in await scope.all(_SQL["known"], whose):
        known[bytes(row["same_key"])].append(row)
        if row["version"] == pending.version:
            outdated.append(row["fact_id"])
    kept = [known[each.same].pop(0) if known.get(each.same) else None for each in keys]
    outdated += [row["fact_id"] for row in kept if row is not None]
    turned = await asyncio.to_thread(scope.sealing.vectors, vectors)
    groups = await _groups(scope, whose | {"lane_id": lane_id}, keys, turned)
    await scope.execute(_SQL["drop_vectors"], whose)
    await scope.execute(_SQL["drop_postings"], whose)
    await scope.execute(_SQL["remove"], whose | {"fact_ids": outdated})
    await scope.execute(_SQL["supersede"], whose)
    rows = [
        {"since_version": pending.version}
        | _row(scope.sealing, each, key, row)
        | whose
        | {"ordinal": ordinal, "group_id": group, "extractor": extracted.extractor}
        for ordinal, (each, key, row, group) in enumerate(
            zip(facts, keys, kept, groups, strict=True)
        )
    ]
    await scope.execute_many(_SQL["insert"], rows)
    await scope.execute_many(
        _SQL["insert_vector"],
        (
            {"lane_id": lane_id, "fact_id": row["fact_id"], "embedding": HalfVector(vector)}
            for row, vector in zip(rows, turned, strict=True)
        ),
    )
    lengths = await _keep_words(scope, whose, facts)
    await scope.execute(
        _SQL["note_set"],
        whose
        | {
            "extractor": extracted.extractor,
            "facts": len(facts),
            "total_length": int(lengths.sum()),
            "lengths": lengths.astype(LENGTH).tobytes(),
        },
    )
    return True


async def note_failure(
    scope: WorkspaceScope, pending: PendingDocument, extractor: str, reason: str
) -> None:
    """Note why the facts of a version could not be extracted; those of before stay."""
    await scope.execute(
        _SQL["note_failure"],
        {
            "document_id": pending.document_id,
            "version": pending.version,
            "extractor": extractor,
            "failure": reason,
        },
    )


async def count_facts(scope: WorkspaceScope, extractor: str, classes: Sequence[str]) -> FactCounts:
    """Count what is read and what is to be."""
    row = await scope.single(_SQL["progress"], {"extractor": extractor, "classes": list(classes)})
    return record_of(FactCounts, row)


async def fact_failures(scope: WorkspaceScope, limit: int) -> tuple[FactFailure, ...]:
    """List the documents whose facts could not be extracted, latest first."""
    rows = await scope.all(_SQL["failures"], {"limit": limit})
    return tuple(
        record_of(
            FactFailure,
            row,
            title=scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
        )
        for row in rows
    )


async def _lane_of_facts(scope: WorkspaceScope, lane: Lane) -> int:
    """The number of a lane of facts, which takes the place of one of another model."""
    current = await current_lane(scope, lane.name)
    if current is not None and current[1].fingerprint != lane.fingerprint:
        await scope.execute(_SQL["leave_lane"], {"lane_id": current[0]})
        await scope.execute(_SQL["drop_lane_vectors"], {"lane_id": current[0]})
    return await adopt_lane(scope, lane)


async def _groups(
    scope: WorkspaceScope,
    whose: Mapping[str, object],
    keys: Sequence[_Keys],
    vectors: Vectors,
) -> list[UUID]:
    """The group of each fact: that of a fact of another document that says the same, or its own.

    The same words say the same; so do others with the same value, period and figures whose vector
    is near enough.
    """
    same = {
        bytes(row["same_key"]): row["group_id"]
        for row in await scope.all(
            _SQL["same_elsewhere"], {**whose, "keys": list({each.same for each in keys})}
        )
    }
    wanted = {each.merge for each in keys if each.same not in same}
    alike: dict[bytes, list[DictRow]] = defaultdict(list)
    for row in await scope.all(
        _SQL["alike_elsewhere"], {**whose, "keys": list(wanted), "limit": _ALIKE_AT_ONCE}
    ):
        alike[bytes(row["merge_key"])].append(row)
    groups: list[UUID] = []
    for each, vector in zip(keys, vectors, strict=True):
        group = same.get(each.same)
        near = alike.get(each.merge)
        if group is None and near:
            others = np.stack([row["embedding"].to_numpy() for row in near]).astype(np.float32)
            similarities = others @ vector
            best = int(similarities.argmax())
            if similarities[best] >= SAME_FACT_SIMILARITY:
                group = near[best]["group_id"]
        # What one document says twice in the same words is one fact, too.
        same[each.same] = group or uuid4()
        groups.append(same[each.same])
    return groups


async def _keep_words(
    scope: WorkspaceScope, whose: Mapping[str, object], facts: Sequence[KeyedFact]
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Write the lists of words of a document's facts; return how many each fact has."""
    key = await lexical_key(scope)
    postings: dict[int, tuple[list[int], list[int]]] = {}
    for ordinal, each in enumerate(facts):
        counts: dict[int, int] = defaultdict(int)
        for term in term_ids(key, each.terms):
            counts[term] += 1
        for term, count in counts.items():
            ordinals, frequencies = postings.setdefault(term, ([], []))
            ordinals.append(ordinal)
            frequencies.append(min(count, int(np.iinfo(FREQUENCY).max)))
    await scope.execute_many(
        _SQL["insert_posting"],
        (
            {
                "document_id": whose["document_id"],
                "term": term,
                "ordinals": np.array(ordinals, LENGTH).tobytes(),
                "frequencies": np.array(frequencies, FREQUENCY).tobytes(),
            }
            for term, (ordinals, frequencies) in sorted(postings.items())
        ),
    )
    return np.array([len(each.terms) for each in facts], dtype=np.int32)


def _keys_of(sealing: Sealing, each: KeyedFact) -> _Keys:
    def key(text: str) -> bytes:
        return sealing.text_hash(blake2b(text.encode(), digest_size=_KEY_BYTES).digest())

    return _Keys(
        same=key(f"same\n{each.same}"),
        merge=key(f"merge\n{each.merge}"),
        claim=key(f"claim\n{each.claim}"),
        value=key(f"value\n{each.value}"),
    )


def _row(
    sealing: Sealing, each: KeyedFact, keys: _Keys, before: DictRow | None
) -> dict[str, object]:
    """A fact for its row; `before` is that of the same fact in what is replaced."""
    fact_id = uuid4() if before is None else before["fact_id"]
    decided = before is not None and before["decided_by"] is not None
    fact = each.fact
    content = {
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "statement": fact.statement,
        "value": fact.value,
        "unit": fact.unit,
        "qualifiers": dict(fact.qualifiers),
        "quotes": list(each.quotes),
    }
    since: dict[str, object] = {} if before is None else {"since_version": before["since_version"]}
    return since | {
        "fact_id": fact_id,
        "kind": fact.kind.value,
        "status": before["status"] if before is not None and decided else FactStatus.PROPOSED.value,
        "content": Jsonb(sealing.json(FACT.of(fact_id), content)),
        "spans": Jsonb([list(span) for span in fact.spans]),
        "confidence": fact.confidence,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "negated": fact.negated,
        "same_key": keys.same,
        "merge_key": keys.merge,
        "claim_key": keys.claim,
        "value_key": keys.value,
        "comparable": each.comparable,
        "decided_by": before["decided_by"] if before is not None else None,
        "decided_at": before["decided_at"] if before is not None else None,
    }


# --- read -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFacts:
    """Which facts are listed."""

    statuses: tuple[FactStatus, ...] = (FactStatus.PROPOSED, FactStatus.CONFIRMED)
    kinds: tuple[FactKind, ...] = ()
    """Of any kind where none is named."""
    document_id: UUID | None = None


async def list_facts(
    scope: WorkspaceScope, wanted: WantedFacts, *, limit: int, after: tuple[UUID, int] | None
) -> tuple[tuple[Fact, int], ...]:
    """Some facts that may be seen, in the order of their documents, each with its ordinal.

    Facts that say the same are one.
    """
    document, ordinal = after or (_FIRST, -1)
    rows = await scope.all(
        _SQL["facts"],
        {
            "statuses": [each.value for each in wanted.statuses],
            "kinds": [each.value for each in wanted.kinds],
            "document_id": wanted.document_id,
            "after_document": document,
            "after_ordinal": ordinal,
            "limit": limit,
        },
    )
    found = await facts_of(scope, rows)
    return tuple((each, row["ordinal"]) for each, row in zip(found, rows, strict=True))


async def facts_by_ids(scope: WorkspaceScope, fact_ids: Sequence[UUID]) -> tuple[Fact, ...]:
    """Those of the facts that may be seen, in the order of the ids."""
    rows = await scope.all(_SQL["by_ids"], {"fact_ids": list(fact_ids)})
    found = {each.fact_id: each for each in await facts_of(scope, rows)}
    return tuple(found[each] for each in fact_ids if each in found)


async def decide_fact(scope: WorkspaceScope, fact_id: UUID, status: FactStatus) -> list[UUID]:
    """Give a fact a status, with all that say the same; return the documents. Raises NotFound."""
    rows = await scope.all(_SQL["decide"], {"fact_id": fact_id, "status": status.value})
    if not rows:
        raise no_such_fact(fact_id)
    return list(dict.fromkeys(row["document_id"] for row in rows))


async def conflicting_facts(
    scope: WorkspaceScope, document_id: UUID | None, *, claims: int, facts: int
) -> tuple[tuple[Fact, ...], ...]:
    """Facts of one claim that do not agree, claim by claim, one for each value.

    The confirmed and the likeliest come first.
    """
    contested = await scope.all(_SQL["conflicts"], {"document_id": document_id, "limit": claims})
    keys = [bytes(row["claim_key"]) for row in contested]
    rows = await scope.all(_SQL["of_claims"], {"keys": keys, "limit": facts})
    shown: dict[tuple[bytes, bytes], DictRow] = {}
    for row in rows:
        shown.setdefault((bytes(row["claim_key"]), bytes(row["value_key"])), row)
    found = await facts_of(scope, list(shown.values()))
    by_claim: dict[bytes, list[Fact]] = defaultdict(list)
    for (claim, _), fact in zip(shown, found, strict=True):
        by_claim[claim].append(fact)
    return tuple(tuple(each) for each in by_claim.values() if len(each) > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionedFact:
    """A fact of the published version, or of the one before."""

    fact: Fact
    claim: bytes
    value: bytes
    is_new: bool
    """Whether it was not in the version before."""


async def facts_of_versions(
    scope: WorkspaceScope, document_id: UUID
) -> tuple[int | None, tuple[VersionedFact, ...]]:
    """The version that was read last, and its facts with those that it superseded."""
    row = await scope.one(_SQL["set_of"], {"document_id": document_id})
    rows = await scope.all(_SQL["versions"], {"document_id": document_id})
    found = await facts_of(scope, rows)
    return None if row is None else row["version"], tuple(
        VersionedFact(
            fact=fact,
            claim=bytes(row["claim_key"]),
            value=bytes(row["value_key"]),
            is_new=row["since_version"] == row["version"],
        )
        for fact, row in zip(found, rows, strict=True)
    )


async def facts_of(scope: WorkspaceScope, rows: Sequence[DictRow]) -> tuple[Fact, ...]:
    """Make a fact of each whole row, with the places of those that say the same."""
    groups = {row["group_id"] for row in rows if row["status"] != FactStatus.SUPERSEDED}
    others: dict[UUID, list[DictRow]] = defaultdict(list)
    if groups:
        for row in await scope.all(_SQL["of_groups"], {"groups": list(groups)}):
            others[row["group_id"]].append(row)
    facts = []
    for row in rows:
        same = [each for each in others[row["group_id"]] if each["fact_id"] != row["fact_id"]]
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
                confidence=round(row["confidence"], 4),
                extractor=row["extractor"],
                extracted_at=row["extracted_at"],
                decided_by=row["decided_by"],
                sources=tuple(_source(scope, each) for each in (row, *same)),
            )
        )
    return tuple(facts)


def no_such_fact(fact_id: UUID) -> NotFound:
    """Make the error for a fact that is absent, foreign or hidden alike."""
    return NotFound(f"there is no fact {fact_id}", hint="`footnote facts list` shows what there is")


def _content(scope: WorkspaceScope, row: DictRow) -> DictRow:
    content = scope.sealing.plain_json(FACT.of(row["fact_id"]), row["content"])
    assert isinstance(content, dict), "a fact is stored as an object"
    return content


def _source(scope: WorkspaceScope, row: DictRow) -> FactSource:
    quotes = _content(scope, row)["quotes"]
    spans = row["spans"]
    # The widest of its spans says most: the sentence, rather than the object in it.
    widest = max(range(len(spans)), key=lambda each: spans[each][1] - spans[each][0])
    return FactSource(
        document_id=row["document_id"],
        version=row["version"],
        document_title=scope.sealing.plain_text(
            TITLE.of(row["document_id"]), row["document_title"]
        ),
        char_start=spans[widest][0],
        char_end=spans[widest][1],
        quote=str(quotes[widest]),
    )
