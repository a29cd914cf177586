"""Store the facts of published versions, one document per transaction."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import blake2b
from uuid import UUID, uuid4

import numpy as np
from pgvector import HalfVector
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import Lane, Usage
from footnote.domain.facts import ExtractedFact, FactStatus
from footnote.index.segments import FREQUENCY, LENGTH
from footnote.index.terms import term_ids
from footnote.ports import Vector, Vectors
from footnote.store.database import WorkspaceScope
from footnote.store.entity_storage import hashed
from footnote.store.lanes import current_lane, require_vectors_of
from footnote.store.reading_progress import PublishedVersion
from footnote.store.sealing import FACT, Sealing
from footnote.store.statements import load_statements
from footnote.store.workspaces import adopt_lane, lexical_key

_SQL = load_statements("facts")
_KEY_BYTES = 16
_ALIKE_AT_ONCE = 50
"""Most facts of one merge key that a new one is compared with."""
SAME_FACT_SIMILARITY = 0.92
"""Least cosine similarity at which two facts of one value, period and figures are paraphrases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLocation:
    """The location of a fact's quote."""

    ordinal: int
    """Ordinal of the passage."""
    page: int | None
    paragraph: int
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedFact:
    """A fact with the texts of its comparison keys, and its analysed terms."""

    fact: ExtractedFact
    quote: str
    """The quoted text, at the offsets `quoted` of the fact."""
    place: FactLocation
    same: str
    merge: str
    claim: str
    value: str
    comparable: bool
    terms: tuple[str, ...]
    subject_forms: tuple[str, ...] = ()
    """Lookup texts that the subject shares with its entity."""
    object_forms: tuple[str, ...] = ()
    found_by: str = ""
    """The extractor of this fact, if not that of the whole version."""
    by_model: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExtractedFacts:
    """The facts of one version, in text order."""

    extractor: str
    lane: Lane
    facts: tuple[KeyedFact, ...]
    vectors: Vectors
    """One for each fact, in the lane."""
    usage: Usage = field(default_factory=Usage)
    """Usage of the language model that also read it."""
    left_out: int = 0
    """Number of facts given by the model that are not in the text."""
    failure: str | None = None
    """Why part of the version could not be read; None if all was."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keyed hashes of a fact."""

    same: bytes
    merge: bytes
    claim: bytes
    value: bytes
    subject: list[bytes]
    object: list[bytes]


async def store_facts(
    scope: WorkspaceScope, pending: PublishedVersion, extracted: ExtractedFacts
) -> bool:
    """Replace the facts of a document by those of its published version.

    A fact found again keeps its id and its decision. One that is not is superseded until the next
    version; its decision is remembered, and applies if the fact is found again, for example when
    its kind is extracted again. Returns False if another version was published meanwhile. Raises
    LaneMismatch for vectors of another lane.
    """
    facts, vectors = extracted.facts, extracted.vectors
    require_vectors_of(extracted.lane, vectors, len(facts))
    parameters: dict[str, object] = {"document_id": pending.document_id, "version": pending.version}
    if await scope.one(_SQL["hold_version"], parameters) is None:
        return False
    lane_id = await _lane_of_facts(scope, extracted.lane)
    keys = [_keys_of(scope.sealing, fact) for fact in facts]
    earlier: dict[bytes, list[DictRow]] = defaultdict(list)
    outdated = []
    for row in await scope.all(_SQL["known"], parameters):
        earlier[bytes(row["same_key"])].append(row)
        if row["version"] == pending.version:
            outdated.append(row["fact_id"])
    for row in await _decided_before(scope, parameters):
        earlier[row["same_key"]].append(row)
    replaced = [
        earlier[fact_keys.same].pop(0) if earlier.get(fact_keys.same) else None
        for fact_keys in keys
    ]
    outdated += [row["fact_id"] for row in replaced if row is not None]
    transformed = await asyncio.to_thread(scope.sealing.vectors, vectors)
    by_model = [fact.by_model for fact in facts]
    groups = await _groups(scope, parameters | {"lane_id": lane_id}, keys, transformed, by_model)
    await scope.execute(_SQL["drop_vectors"], parameters)
    await scope.execute(_SQL["drop_postings"], parameters)
    await scope.execute(_SQL["remove"], parameters | {"fact_ids": outdated})
    await scope.execute(_SQL["supersede"], parameters)
    rows = [
        {"since_version": pending.version}
        | _row(scope.sealing, fact, fact_keys, row)
        | parameters
        | {"ordinal": ordinal, "group_id": group}
        | {"extractor": fact.found_by or extracted.extractor}
        for ordinal, (fact, fact_keys, row, group) in enumerate(
            zip(facts, keys, replaced, groups, strict=True)
        )
    ]
    await scope.execute_many(_SQL["insert"], rows)
    await scope.execute_many(
        _SQL["insert_vector"],
        (
            {"lane_id": lane_id, "fact_id": row["fact_id"], "embedding": HalfVector(vector)}
            for row, vector in zip(rows, transformed, strict=True)
        ),
    )
    lengths = await _insert_postings(scope, parameters, facts)
    await scope.execute(
        _SQL["note_set"],
        parameters
        | {
            "extractor": extracted.extractor,
            "facts": len(facts),
            "total_length": int(lengths.sum()),
            "lengths": lengths.astype(LENGTH).tobytes(),
            "failure": extracted.failure,
            "model_input_tokens": extracted.usage.input_tokens,
            "model_output_tokens": extracted.usage.output_tokens,
            "model_cost_usd": extracted.usage.cost_usd if extracted.usage.requests else 0.0,
            "left_out": extracted.left_out,
            "decided": Jsonb(_still_decided(earlier, {fact_keys.same for fact_keys in keys})),
        },
    )
    return True


async def _decided_before(scope: WorkspaceScope, parameters: Mapping[str, object]) -> list[DictRow]:
    """Return decisions on facts that the previous extraction did not find."""
    row = await scope.one(_SQL["decided"], parameters)
    return [
        {
            "fact_id": UUID(decision["fact_id"]),
            "same_key": bytes.fromhex(decision["same_key"]),
            "since_version": parameters["version"],
            "status": decision["status"],
            "decided_by": decision["decided_by"],
            "decided_at": datetime.fromisoformat(decision["decided_at"]),
        }
        for decision in (() if row is None else row["decided"])
    ]


def _still_decided(
    unmatched: Mapping[bytes, Sequence[DictRow]], found_keys: Set[bytes]
) -> list[dict[str, str]]:
    """Return decisions on facts not found now, to be stored without the facts' text."""
    return [
        {
            "fact_id": str(row["fact_id"]),
            "same_key": key.hex(),
            "status": row["status"],
            "decided_by": row["decided_by"],
            "decided_at": row["decided_at"].isoformat(),
        }
        for key, rows in unmatched.items()
        if key not in found_keys
        for row in rows
        if row["decided_by"] is not None
    ]


async def _lane_of_facts(scope: WorkspaceScope, lane: Lane) -> int:
    """Return the lane number of facts; drop the vectors of another model's lane."""
    current = await current_lane(scope, lane.name)
    if current is not None and current[1].fingerprint != lane.fingerprint:
        await scope.execute(_SQL["leave_lane"], {"lane_id": current[0]})
        await scope.execute(_SQL["drop_lane_vectors"], {"lane_id": current[0]})
    return await adopt_lane(scope, lane)


async def _groups(
    scope: WorkspaceScope,
    parameters: Mapping[str, object],
    keys: Sequence[_Keys],
    vectors: Vectors,
    by_model: Sequence[bool],
) -> list[UUID]:
    """Return the group of each fact: that of an equivalent fact of another document, or a new one.

    Facts are equivalent if their words are the same, or if value, period and figures are and the
    vectors are similar enough. Within a document, similarity is compared only between facts found
    by rules and facts found by a model.
    """
    same_groups = {
        bytes(row["same_key"]): row["group_id"]
        for row in await scope.all(
            _SQL["same_elsewhere"],
            {**parameters, "keys": list({fact_keys.same for fact_keys in keys})},
        )
    }
    merge_keys = {fact_keys.merge for fact_keys in keys if fact_keys.same not in same_groups}
    candidates: dict[bytes, list[DictRow]] = defaultdict(list)
    for row in await scope.all(
        _SQL["alike_elsewhere"], {**parameters, "keys": list(merge_keys), "limit": _ALIKE_AT_ONCE}
    ):
        candidates[bytes(row["merge_key"])].append(row)
    groups: list[UUID] = []
    in_document: dict[bytes, list[tuple[bool, Vector, UUID]]] = defaultdict(list)
    for fact_keys, vector, is_models in zip(keys, vectors, by_model, strict=True):
        group = same_groups.get(fact_keys.same)
        for other_is_models, other_vector, other_group in (
            in_document[fact_keys.merge] if group is None else ()
        ):
            if (
                other_is_models is not is_models
                and float(other_vector @ vector) >= SAME_FACT_SIMILARITY
            ):
                group = other_group
                break
        nearby = candidates.get(fact_keys.merge)
        if group is None and nearby:
            other_vectors = np.stack([row["embedding"].to_numpy() for row in nearby]).astype(
                np.float32
            )
            similarities = other_vectors @ vector
            best = int(similarities.argmax())
            if similarities[best] >= SAME_FACT_SIMILARITY:
                group = nearby[best]["group_id"]
        # Facts of one document in the same words share a group as well.
        same_groups[fact_keys.same] = group or uuid4()
        groups.append(same_groups[fact_keys.same])
        in_document[fact_keys.merge].append((is_models, vector, same_groups[fact_keys.same]))
    return groups


async def _insert_postings(
    scope: WorkspaceScope, parameters: Mapping[str, object], facts: Sequence[KeyedFact]
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Insert the posting lists of a document's facts; return the number of terms per fact."""
    key = await lexical_key(scope)
    postings: dict[int, tuple[list[int], list[int]]] = {}
    for ordinal, fact in enumerate(facts):
        counts: dict[int, int] = defaultdict(int)
        for term in term_ids(key, fact.terms):
            counts[term] += 1
        for term, count in counts.items():
            ordinals, frequencies = postings.setdefault(term, ([], []))
            ordinals.append(ordinal)
            frequencies.append(min(count, int(np.iinfo(FREQUENCY).max)))
    await scope.execute_many(
        _SQL["insert_posting"],
        (
            {
                "document_id": parameters["document_id"],
                "term": term,
                "ordinals": np.array(ordinals, LENGTH).tobytes(),
                "frequencies": np.array(frequencies, FREQUENCY).tobytes(),
            }
            for term, (ordinals, frequencies) in sorted(postings.items())
        ),
    )
    return np.array([len(fact.terms) for fact in facts], dtype=np.int32)


def _keys_of(sealing: Sealing, fact: KeyedFact) -> _Keys:
    def key(text: str) -> bytes:
        return sealing.text_hash(blake2b(text.encode(), digest_size=_KEY_BYTES).digest())

    return _Keys(
        same=key(f"same\n{fact.same}"),
        merge=key(f"merge\n{fact.merge}"),
        claim=key(f"claim\n{fact.claim}"),
        value=key(f"value\n{fact.value}"),
        subject=[hashed(sealing, form) for form in fact.subject_forms],
        object=[hashed(sealing, form) for form in fact.object_forms],
    )


def _row(
    sealing: Sealing, keyed: KeyedFact, keys: _Keys, replaced: DictRow | None
) -> dict[str, object]:
    """Return a fact as a row; `replaced` is the earlier row of the same fact."""
    fact_id = uuid4() if replaced is None else replaced["fact_id"]
    decided = replaced is not None and replaced["decided_by"] is not None
    fact = keyed.fact
    content = {
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "statement": fact.statement,
        "value": fact.value,
        "unit": fact.unit,
        "qualifiers": dict(fact.qualifiers),
        "quoted": list(fact.quoted),
        "quote": keyed.quote,
        "place": asdict(keyed.place),
    }
    since_version: dict[str, object] = (
        {} if replaced is None else {"since_version": replaced["since_version"]}
    )
    return since_version | {
        "fact_id": fact_id,
        "kind": fact.kind.value,
        "status": replaced["status"]
        if replaced is not None and decided
        else FactStatus.PROPOSED.value,
        "content": Jsonb(sealing.json(FACT.of(fact_id), content)),
        "spans": Jsonb([list(span) for span in fact.spans]),
        "char_start": fact.spans[0][0],
        "char_end": fact.spans[0][1],
        "confidence": fact.confidence,
        "valid_from": fact.valid_from,
        "valid_to": fact.valid_to,
        "negated": fact.negated,
        "same_key": keys.same,
        "merge_key": keys.merge,
        "claim_key": keys.claim,
        "value_key": keys.value,
        "subject_keys": keys.subject,
        "object_keys": keys.object,
        "comparable": keyed.comparable,
        "decided_by": replaced["decided_by"] if replaced is not None else None,
        "decided_at": replaced["decided_at"] if replaced is not None else None,
    }
