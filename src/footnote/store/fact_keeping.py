"""Keeps the facts of published versions, a document in one transaction."""

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
from footnote.store.entity_keeping import hashed
from footnote.store.lanes import current_lane, require_vectors_of
from footnote.store.reading_progress import PublishedVersion
from footnote.store.sealing import FACT, Sealing
from footnote.store.statements import load_statements
from footnote.store.workspaces import adopt_lane, lexical_key

_SQL = load_statements("facts")
_KEY_BYTES = 16
_ALIKE_AT_ONCE = 50
"""Facts of one value that a new one is compared with."""
SAME_FACT_SIMILARITY = 0.92
"""From which two facts of one value, period and figures are the same in other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPlace:
    """Where what is quoted of a fact begins."""

    ordinal: int
    """Of the passage."""
    page: int | None
    paragraph: int
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedFact:
    """A fact with the texts that it is compared by, and its analysed terms."""

    fact: ExtractedFact
    quote: str
    """The text that its offsets `quoted` are of."""
    place: FactPlace
    same: str
    merge: str
    claim: str
    value: str
    comparable: bool
    terms: tuple[str, ...]
    subject_forms: tuple[str, ...] = ()
    """Texts that its subject has in common with an entity that it is."""
    object_forms: tuple[str, ...] = ()
    found_by: str = ""
    """The extractor of this fact, where that is not the one of all."""
    by_model: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExtractedFacts:
    """The facts of one version, in its order."""

    extractor: str
    lane: Lane
    facts: tuple[KeyedFact, ...]
    vectors: Vectors
    """One for each fact, in the lane."""
    usage: Usage = field(default_factory=Usage)
    """Of the model that read it, too."""
    left_out: int = 0
    """Facts that the model gave and that do not stand in the text."""
    failure: str | None = None
    """Why a part of the version could not be read."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keyed hashes of a fact."""

    same: bytes
    merge: bytes
    claim: bytes
    value: bytes
    subject: list[bytes]
    object: list[bytes]


async def keep_facts(
    scope: WorkspaceScope, pending: PublishedVersion, extracted: ExtractedFacts
) -> bool:
    """Replace what is known of a document by the facts of its published version.

    A fact that stands there again keeps its id, and what somebody decided of it; one that does not
    is superseded, until the next version, and what was decided of it is remembered for when it
    stands there again, as when its kind is extracted again. False when another version was
    published meanwhile. Raises LaneMismatch for vectors of another lane.
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
    for row in await _decided_before(scope, whose):
        known[row["same_key"]].append(row)
    kept = [known[each.same].pop(0) if known.get(each.same) else None for each in keys]
    outdated += [row["fact_id"] for row in kept if row is not None]
    turned = await asyncio.to_thread(scope.sealing.vectors, vectors)
    by_model = [each.by_model for each in facts]
    groups = await _groups(scope, whose | {"lane_id": lane_id}, keys, turned, by_model)
    await scope.execute(_SQL["drop_vectors"], whose)
    await scope.execute(_SQL["drop_postings"], whose)
    await scope.execute(_SQL["remove"], whose | {"fact_ids": outdated})
    await scope.execute(_SQL["supersede"], whose)
    rows = [
        {"since_version": pending.version}
        | _row(scope.sealing, each, key, row)
        | whose
        | {"ordinal": ordinal, "group_id": group}
        | {"extractor": each.found_by or extracted.extractor}
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
            "failure": extracted.failure,
            "model_input_tokens": extracted.usage.input_tokens,
            "model_output_tokens": extracted.usage.output_tokens,
            "model_cost_usd": extracted.usage.cost_usd if extracted.usage.requests else 0.0,
            "left_out": extracted.left_out,
            "decided": Jsonb(_still_decided(known, {each.same for each in keys})),
        },
    )
    return True


async def _decided_before(scope: WorkspaceScope, whose: Mapping[str, object]) -> list[DictRow]:
    """What was decided of facts that the document's last reading did not find."""
    row = await scope.one(_SQL["decided"], whose)
    return [
        {
            "fact_id": UUID(each["fact_id"]),
            "same_key": bytes.fromhex(each["same_key"]),
            "since_version": whose["version"],
            "status": each["status"],
            "decided_by": each["decided_by"],
            "decided_at": datetime.fromisoformat(each["decided_at"]),
        }
        for each in (() if row is None else row["decided"])
    ]


def _still_decided(
    not_kept: Mapping[bytes, Sequence[DictRow]], found: Set[bytes]
) -> list[dict[str, str]]:
    """What was decided of facts that are not found now, to be remembered without their words."""
    return [
        {
            "fact_id": str(row["fact_id"]),
            "same_key": key.hex(),
            "status": row["status"],
            "decided_by": row["decided_by"],
            "decided_at": row["decided_at"].isoformat(),
        }
        for key, rows in not_kept.items()
        if key not in found
        for row in rows
        if row["decided_by"] is not None
    ]


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
    by_model: Sequence[bool],
) -> list[UUID]:
    """The group of each fact: that of a fact of another document that says the same, or its own.

    The same words say the same; so do others with the same value, period and figures whose vector
    is near enough. Within the document that holds of what rules and what a model found.
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
    here: dict[bytes, list[tuple[bool, Vector, UUID]]] = defaultdict(list)
    for each, vector, is_models in zip(keys, vectors, by_model, strict=True):
        group = same.get(each.same)
        for other, theirs, found in here[each.merge] if group is None else ():
            if other is not is_models and float(theirs @ vector) >= SAME_FACT_SIMILARITY:
                group = found
                break
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
        here[each.merge].append((is_models, vector, same[each.same]))
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
        subject=[hashed(sealing, form) for form in each.subject_forms],
        object=[hashed(sealing, form) for form in each.object_forms],
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
        "quoted": list(fact.quoted),
        "quote": each.quote,
        "place": asdict(each.place),
    }
    since: dict[str, object] = {} if before is None else {"since_version": before["since_version"]}
    return since | {
        "fact_id": fact_id,
        "kind": fact.kind.value,
        "status": before["status"] if before is not None and decided else FactStatus.PROPOSED.value,
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
        "comparable": each.comparable,
        "decided_by": before["decided_by"] if before is not None else None,
        "decided_at": before["decided_at"] if before is not None else None,
    }
