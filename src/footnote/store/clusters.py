"""Clusters of documents: which documents lie together, what that is called, and how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from psycopg.types.json import Jsonb

from footnote.domain.clusters import ClusterGranularity
from footnote.errors import NotFound
from footnote.index.bm25 import Numbers
from footnote.ports import Vectors
from footnote.store.database import WorkspaceScope, execute_as_system
from footnote.store.sealing import CLUSTER_NAME, KEYWORDS, TITLE
from footnote.store.statements import load_statements, record_of
from footnote.store.vector_cache import unpack_vectors

_SQL = load_statements("clusters")
_UUID_BYTES = 16
_VECTORS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRun:
    """When all documents were last told apart."""

    lane_id: int
    run: int
    documents: int
    last_number: int
    """The highest first chunk then: documents that came later have higher ones."""
    clustered_at: datetime
    failure: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EmbeddedDocuments:
    """All documents that have a vector, by rising number."""

    document_ids: tuple[UUID, ...]
    numbers: Numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptMembers:
    """Which documents are in which clusters of one granularity."""

    granularity: ClusterGranularity
    document_ids: tuple[UUID, ...]
    numbers: tuple[int, ...]
    """The first chunk of each document."""
    cluster_ids: tuple[UUID | None, ...]
    """None for outliers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledDocument:
    """A document of a cluster, as somebody may see it."""

    cluster_id: UUID
    document_id: UUID
    title: str
    keywords: tuple[str, ...]
    language: str | None
    collection: str
    first_chunk: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterName:
    """What a cluster is called."""

    label: tuple[str, ...]
    labelled_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCounts:
    """How many documents of each cluster somebody sees."""

    clusters: Mapping[UUID, int]
    outliers: int
    """Documents that were looked at and are in none."""


async def last_run(scope: WorkspaceScope) -> ClusterRun | None:
    """When documents were last told apart; None before."""
    row = await scope.one(_SQL["run"])
    return None if row is None else record_of(ClusterRun, row)


async def embedded_documents(scope: WorkspaceScope, lane_id: int) -> EmbeddedDocuments:
    """All documents that have a vector, whoever may see them."""
    [row] = await scope.all(_SQL["embedded"], {"lane_id": lane_id}, binary=True)
    ids = bytes(row["ids"] or b"")
    return EmbeddedDocuments(
        document_ids=tuple(
            UUID(bytes=ids[at : at + _UUID_BYTES]) for at in range(0, len(ids), _UUID_BYTES)
        ),
        numbers=_numbers(row["numbers"]),
    )


async def vectors_of(scope: WorkspaceScope, lane_id: int, numbers: Numbers) -> Vectors:
    """The vectors of documents by their rising numbers; as many as are still there."""
    parts = []
    for start in range(0, numbers.size, _VECTORS_AT_ONCE):
        part = numbers[start : start + _VECTORS_AT_ONCE].tolist()
        [row] = await scope.all(_SQL["vectors"], {"lane_id": lane_id, "numbers": part}, binary=True)
        if row["vectors"] is not None:
            parts.append(unpack_vectors(row["vectors"]))
    return np.concatenate(parts) if parts else np.zeros((0, 0), np.float32)


async def numbers_looked_at(scope: WorkspaceScope, run: int) -> Numbers:
    """The first chunks of the documents that a run, or what came after it, looked at."""
    [row] = await scope.all(_SQL["looked_at"], {"run": run}, binary=True)
    return _numbers(row["numbers"])


async def members_of_run(
    scope: WorkspaceScope, granularity: ClusterGranularity, run: int
) -> Mapping[int, UUID]:
    """The cluster of each document by its first chunk; outliers are left out."""
    rows = await scope.all(_SQL["members"], {"granularity": granularity.value, "run": run})
    return {row["first_chunk"]: row["cluster_id"] for row in rows}


async def keep_clusters(
    scope: WorkspaceScope, lane_id: int, run: ClusterRun, kept: Sequence[KeptMembers]
) -> None:
    """Put these clusters in the place of all that were there."""
    clusters = {
        cluster: each.granularity.value
        for each in kept
        for cluster in each.cluster_ids
        if cluster is not None
    }
    await scope.execute(_SQL["drop_clusters"], {"kept": list(clusters)})
    await scope.execute(
        _SQL["keep_clusters"],
        {"cluster_ids": list(clusters), "granularities": list(clusters.values())},
    )
    for each in kept:
        await keep_members(scope, lane_id, run.run, each)
    await scope.execute(
        _SQL["keep_run"],
        {
            "lane_id": lane_id,
            "run": run.run,
            "documents": run.documents,
            "last_number": run.last_number,
        },
    )


async def keep_members(scope: WorkspaceScope, lane_id: int, run: int, kept: KeptMembers) -> None:
    """Note where some documents belong."""
    await scope.execute(
        _SQL["keep_members"],
        {
            "lane_id": lane_id,
            "run": run,
            "granularity": kept.granularity.value,
            "document_ids": list(kept.document_ids),
            "numbers": list(kept.numbers),
            "cluster_ids": list(kept.cluster_ids),
        },
    )


async def note_cluster_failure(scope: WorkspaceScope, lane_id: int, failure: str) -> None:
    """Note why clusters could not be made; those of before stay."""
    await scope.execute(_SQL["note_failure"], {"lane_id": lane_id, "failure": failure})


async def nameless_clusters(scope: WorkspaceScope) -> tuple[tuple[UUID, ClusterGranularity], ...]:
    """Clusters that are called nothing yet, or were called by documents that are gone."""
    rows = await scope.all(_SQL["nameless"])
    return tuple((row["cluster_id"], ClusterGranularity(row["granularity"])) for row in rows)


async def name_cluster(
    scope: WorkspaceScope,
    lane_id: int,
    cluster_id: UUID,
    name: ClusterName,
    numbers: Sequence[int],
) -> bool:
    """Call a cluster by what documents of these first chunks say; False if one of them is gone."""
    whose: dict[str, object] = {
        "lane_id": lane_id,
        "cluster_id": cluster_id,
        "numbers": list(numbers),
    }
    content = {"label": list(name.label), "by": name.labelled_by}
    sealed = Jsonb(scope.sealing.json(CLUSTER_NAME.of(cluster_id), content))
    if not await scope.change(_SQL["name_cluster"], whose | {"name": sealed}):
        return False
    await scope.execute(_SQL["keep_sources"], whose)
    return True


async def forget_cluster_names(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> None:
    """Forget what clusters are called by documents that go or change."""
    await scope.execute(_SQL["forget_names"], {"document_ids": list(document_ids)})


async def drop_cluster_names(scope: WorkspaceScope, cluster_ids: Sequence[UUID]) -> None:
    """Have these clusters named anew."""
    await scope.execute(_SQL["drop_names"], {"cluster_ids": list(cluster_ids)})


async def count_seen(
    scope: WorkspaceScope, lane_id: int, granularity: ClusterGranularity
) -> SeenCounts:
    """How many documents of each cluster the principal may see."""
    given = {"lane_id": lane_id, "granularity": granularity.value}
    rows = await scope.all(_SQL["counts"], given)
    return SeenCounts(
        clusters={
            row["cluster_id"]: row["documents"] for row in rows if row["cluster_id"] is not None
        },
        outliers=sum(row["documents"] for row in rows if row["cluster_id"] is None),
    )


async def count_all(
    scope: WorkspaceScope, lane_id: int, granularity: ClusterGranularity
) -> Mapping[UUID, int]:
    """How many documents each cluster has, whoever may see them; never to be shown."""
    given = {"lane_id": lane_id, "granularity": granularity.value}
    rows = await (await execute_as_system(scope, _SQL["counts"], given)).fetchall()
    return {row["cluster_id"]: row["documents"] for row in rows if row["cluster_id"] is not None}


async def sampled_documents(
    scope: WorkspaceScope, lane_id: int, cluster_ids: Sequence[UUID], *, most: int
) -> tuple[SampledDocument, ...]:
    """The latest documents of each cluster that the principal may see, by rising number."""
    rows = await scope.all(
        _SQL["sampled"],
        {"lane_id": lane_id, "cluster_ids": list(cluster_ids), "most": most},
    )
    sealing = scope.sealing
    return tuple(
        record_of(
            SampledDocument,
            row,
            title=sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
            keywords=tuple(sealing.plain_words(KEYWORDS.of(row["document_id"]), row["keywords"])),
        )
        for row in rows
    )


async def places_of_documents(
    scope: WorkspaceScope, lane_id: int, granularity: ClusterGranularity
) -> Mapping[UUID, UUID]:
    """The cluster of each document that the principal may see; outliers are left out."""
    given = {"lane_id": lane_id, "granularity": granularity.value}
    rows = await scope.all(_SQL["places"], given)
    return {row["document_id"]: row["cluster_id"] for row in rows}


async def parents_of(
    scope: WorkspaceScope,
    lane_id: int,
    granularity: ClusterGranularity,
    coarser: ClusterGranularity,
) -> Mapping[UUID, Mapping[UUID, int]]:
    """For each cluster how many of its documents, as far as seen, are in which coarser ones."""
    rows = await scope.all(
        _SQL["parents"],
        {"lane_id": lane_id, "granularity": granularity.value, "coarser": coarser.value},
    )
    found: dict[UUID, dict[UUID, int]] = {}
    for row in rows:
        found.setdefault(row["cluster_id"], {})[row["parent_id"]] = row["documents"]
    return found


async def cluster_names(
    scope: WorkspaceScope, cluster_ids: Sequence[UUID]
) -> Mapping[UUID, ClusterName]:
    """What clusters are called; only for whoever sees all their documents."""
    names = {}
    for row in await scope.all(_SQL["names"], {"cluster_ids": list(cluster_ids)}):
        place = CLUSTER_NAME.of(row["cluster_id"])
        content = scope.sealing.plain_json(place, row["name"])
        assert isinstance(content, dict), "a name is stored as an object"
        names[row["cluster_id"]] = ClusterName(
            label=tuple(content["label"]), labelled_by=content["by"]
        )
    return names


async def granularity_of(scope: WorkspaceScope, cluster_id: UUID) -> ClusterGranularity:
    """How finely a cluster tells documents apart. Raises NotFound."""
    row = await scope.one(_SQL["granularity_of"], {"cluster_id": cluster_id})
    if row is None:
        raise no_such_cluster(cluster_id)
    return ClusterGranularity(row["granularity"])


async def count_progress(scope: WorkspaceScope, lane_id: int) -> tuple[int, int, datetime | None]:
    """How many documents the principal sees that have a vector, and how many were looked at.

    The last is when the oldest of those came that were not.
    """
    row = await scope.single(_SQL["progress"], {"lane_id": lane_id})
    return row["documents"], row["done"], row["oldest_waiting"]


def no_such_cluster(cluster_id: UUID) -> NotFound:
    """Make the error for a cluster that is absent, foreign or hidden alike."""
    return NotFound(
        f"there is no cluster {cluster_id}", hint="`footnote clusters list` shows what there is"
    )


def _numbers(packed: bytes | None) -> Numbers:
    return np.frombuffer(packed or b"", dtype=">i4").astype(np.int32)
