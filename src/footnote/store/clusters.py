"""Store clusters of documents or chunks: their members, names and progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import Passage
from footnote.domain.clusters import ClusterGranularity, ClusterOf
from footnote.errors import NotFound
from footnote.index.bm25 import Numbers
from footnote.ports import Vectors
from footnote.store.database import WorkspaceScope, execute_as_system
from footnote.store.passages import ask_passages, read_passages
from footnote.store.sealing import CLUSTER_NAME, KEYWORDS, TITLE
from footnote.store.statements import load_statements, record_of
from footnote.store.vector_cache import unpack_vectors

_SQL = load_statements("clusters")
_STATEMENTS = {ClusterOf.DOCUMENTS: _SQL, ClusterOf.CHUNKS: load_statements("chunk_clusters")}
"""Statements that differ for documents and chunks, under the same names."""
_UUID_BYTES = 16
_VECTORS_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRun:
    """The last full clustering of all documents, or of all chunks."""

    lane_id: int
    run: int
    members: int
    """Number of members clustered."""
    last_number: int
    """Highest chunk number then; members added later have higher ones."""
    clustered_at: datetime
    failure: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EmbeddedMembers:
    """All documents, or chunks, that have a vector."""

    numbers: Numbers
    """Chunk numbers; for documents, of their first chunk. Ascending."""
    owners: tuple[UUID, ...]
    """The ids of the documents."""
    firsts: Numbers
    """The first chunk number of each document."""

    def documents_of(self, numbers: Numbers) -> tuple[UUID, ...]:
        """Return the document of each chunk number."""
        positions = np.searchsorted(self.firsts, numbers, side="right") - 1
        return tuple(self.owners[position] for position in positions.tolist())


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMembers:
    """Assignment of documents, or chunks, to the clusters of one granularity."""

    granularity: ClusterGranularity
    document_ids: tuple[UUID, ...]
    numbers: tuple[int, ...]
    cluster_ids: tuple[UUID | None, ...]
    """None for outliers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledMember:
    """A visible document of a cluster, or a visible chunk with its document."""

    cluster_id: UUID
    document_id: UUID
    title: str
    keywords: tuple[str, ...]
    language: str | None
    collection: str
    number: int
    passage: Passage | None = None
    """The chunk; None if the member is a document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterName:
    """The name of a cluster."""

    label: tuple[str, ...]
    labelled_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleCounts:
    """Number of visible members of each cluster."""

    clusters: Mapping[UUID, int]
    documents: Mapping[UUID, int]
    """Number of documents that contain the visible members."""
    outliers: int
    """Visible members that were clustered and are in no cluster."""


async def last_run(scope: WorkspaceScope, of: ClusterOf) -> ClusterRun | None:
    """Return the last full clustering; None before the first."""
    row = await scope.one(_STATEMENTS[of]["run"])
    return None if row is None else record_of(ClusterRun, row)


async def embedded_members(scope: WorkspaceScope, lane_id: int, of: ClusterOf) -> EmbeddedMembers:
    """List the visible documents, or chunks, that have a vector."""
    [row] = await scope.all(_STATEMENTS[of]["embedded"], {"lane_id": lane_id}, binary=True)
    ids = bytes(row["ids"] or b"")
    return EmbeddedMembers(
        numbers=_expanded_ranges(row),
        owners=tuple(
            UUID(bytes=ids[offset : offset + _UUID_BYTES])
            for offset in range(0, len(ids), _UUID_BYTES)
        ),
        firsts=_numbers(row["numbers"]),
    )


async def numbers_of_all(scope: WorkspaceScope, lane_id: int) -> Numbers:
    """List the numbers of all chunks with a vector, hidden ones included; never show them."""
    embedded = _STATEMENTS[ClusterOf.CHUNKS]["embedded"]
    [row] = await (await execute_as_system(scope, embedded, {"lane_id": lane_id})).fetchall()
    return _expanded_ranges(row)


async def vectors_of(
    scope: WorkspaceScope, lane_id: int, numbers: Numbers, of: ClusterOf
) -> Vectors:
    """Read the vectors of the numbers, ascending; deleted ones are left out."""
    vectors = []
    for start in range(0, numbers.size, _VECTORS_AT_ONCE):
        batch = numbers[start : start + _VECTORS_AT_ONCE].tolist()
        parameters = {"lane_id": lane_id, "numbers": batch}
        [row] = await scope.all(_STATEMENTS[of]["vectors"], parameters, binary=True)
        if row["vectors"] is not None:
            vectors.append(unpack_vectors(row["vectors"]))
    return np.concatenate(vectors) if vectors else np.zeros((0, 0), np.float32)


async def numbers_looked_at(scope: WorkspaceScope, run: int, of: ClusterOf) -> Numbers:
    """List the numbers that a run, or the updates since it, clustered."""
    [row] = await scope.all(_STATEMENTS[of]["looked_at"], {"run": run}, binary=True)
    return _numbers(row["numbers"])


async def members_of_run(
    scope: WorkspaceScope, granularity: ClusterGranularity, run: int, of: ClusterOf
) -> Mapping[int, UUID]:
    """Return the cluster of each number; outliers are left out."""
    rows = await scope.all(
        _STATEMENTS[of]["members"], {"granularity": granularity.value, "run": run}
    )
    return {row["number"]: row["cluster_id"] for row in rows}


async def store_clusters(
    scope: WorkspaceScope,
    lane_id: int,
    run: ClusterRun,
    memberships: Sequence[StoredMembers],
    of: ClusterOf = ClusterOf.DOCUMENTS,
) -> None:
    """Replace all clusters of documents, or of chunks, by these."""
    clusters = {
        cluster: membership.granularity.value
        for membership in memberships
        for cluster in membership.cluster_ids
        if cluster is not None
    }
    await scope.execute(_SQL["drop_clusters"], {"of": of.value, "kept": list(clusters)})
    await scope.execute(
        _SQL["keep_clusters"],
        {
            "of": of.value,
            "cluster_ids": list(clusters),
            "granularities": list(clusters.values()),
        },
    )
    for membership in memberships:
        await store_members(scope, lane_id, run.run, membership, of)
    await scope.execute(
        _STATEMENTS[of]["keep_run"],
        {
            "lane_id": lane_id,
            "run": run.run,
            "members": run.members,
            "last_number": run.last_number,
        },
    )


async def store_members(
    scope: WorkspaceScope, lane_id: int, run: int, membership: StoredMembers, of: ClusterOf
) -> None:
    """Store the cluster of some members."""
    await scope.execute(
        _STATEMENTS[of]["keep_members"],
        {
            "lane_id": lane_id,
            "run": run,
            "granularity": membership.granularity.value,
            "document_ids": list(membership.document_ids),
            "numbers": list(membership.numbers),
            "cluster_ids": list(membership.cluster_ids),
        },
    )


async def note_cluster_failure(
    scope: WorkspaceScope, lane_id: int, failure: str, of: ClusterOf
) -> None:
    """Record why clustering failed; the earlier clusters stay."""
    await scope.execute(_STATEMENTS[of]["note_failure"], {"lane_id": lane_id, "failure": failure})


async def nameless_clusters(
    scope: WorkspaceScope, of: ClusterOf
) -> tuple[tuple[UUID, ClusterGranularity], ...]:
    """List clusters without a name, or whose name was dropped with its documents."""
    rows = await scope.all(_SQL["nameless"], {"of": of.value})
    return tuple((row["cluster_id"], ClusterGranularity(row["granularity"])) for row in rows)


async def name_cluster(
    scope: WorkspaceScope,
    lane_id: int,
    cluster_id: UUID,
    name: ClusterName,
    numbers: Sequence[int],
    *,
    of: ClusterOf = ClusterOf.DOCUMENTS,
) -> bool:
    """Name a cluster after members of these numbers; return False if one of them is gone."""
    parameters: dict[str, object] = {
        "lane_id": lane_id,
        "cluster_id": cluster_id,
        "numbers": list(numbers),
    }
    content = {"label": list(name.label), "by": name.labelled_by}
    sealed = Jsonb(scope.sealing.json(CLUSTER_NAME.of(cluster_id), content))
    if not await scope.change(_STATEMENTS[of]["name_cluster"], parameters | {"name": sealed}):
        return False
    await scope.execute(_STATEMENTS[of]["keep_sources"], parameters)
    return True


async def forget_cluster_names(scope: WorkspaceScope, document_ids: Sequence[UUID]) -> None:
    """Drop cluster names taken from documents that are deleted or changed."""
    await scope.execute(_SQL["forget_names"], {"document_ids": list(document_ids)})


async def drop_cluster_names(scope: WorkspaceScope, cluster_ids: Sequence[UUID]) -> None:
    """Drop the names of clusters, so that they are named again."""
    await scope.execute(_SQL["drop_names"], {"cluster_ids": list(cluster_ids)})


async def count_visible(
    scope: WorkspaceScope, lane_id: int, granularity: ClusterGranularity, of: ClusterOf
) -> VisibleCounts:
    """Count the members of each cluster that the principal may see."""
    parameters = {"lane_id": lane_id, "granularity": granularity.value}
    rows = await scope.all(_STATEMENTS[of]["counts"], parameters)
    clustered = [row for row in rows if row["cluster_id"] is not None]
    return VisibleCounts(
        clusters={row["cluster_id"]: row["members"] for row in clustered},
        documents={row["cluster_id"]: row["documents"] for row in clustered},
        outliers=sum(row["members"] for row in rows if row["cluster_id"] is None),
    )


async def count_all(
    scope: WorkspaceScope, lane_id: int, granularity: ClusterGranularity, of: ClusterOf
) -> Mapping[UUID, int]:
    """Count all members of each cluster, hidden ones included; never show the counts."""
    parameters = {"lane_id": lane_id, "granularity": granularity.value}
    rows = await (await execute_as_system(scope, _STATEMENTS[of]["counts"], parameters)).fetchall()
    return {row["cluster_id"]: row["members"] for row in rows if row["cluster_id"] is not None}


async def sampled_members(
    scope: WorkspaceScope, lane_id: int, cluster_ids: Sequence[UUID], *, most: int, of: ClusterOf
) -> tuple[SampledMember, ...]:
    """List the latest visible members of each cluster, by ascending number."""
    rows = await scope.all(
        _STATEMENTS[of]["sampled"],
        {"lane_id": lane_id, "cluster_ids": list(cluster_ids), "most": most},
    )
    passages: Mapping[int, Passage] = {}
    if of is ClusterOf.CHUNKS:
        cursor = await ask_passages(scope, [row["number"] for row in rows])
        passages = await read_passages(scope, cursor)
    sealing = scope.sealing
    return tuple(
        record_of(
            SampledMember,
            row,
            title=sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
            keywords=tuple(sealing.plain_words(KEYWORDS.of(row["document_id"]), row["keywords"])),
            passage=passages.get(row["number"]),
        )
        for row in rows
    )


async def clusters_of_documents(
    scope: WorkspaceScope, lane_id: int, granularity: ClusterGranularity
) -> Mapping[UUID, UUID]:
    """Return the cluster of each visible document; outliers are left out."""
    parameters = {"lane_id": lane_id, "granularity": granularity.value}
    rows = await scope.all(_SQL["places"], parameters)
    return {row["document_id"]: row["cluster_id"] for row in rows}


async def parents_of(
    scope: WorkspaceScope,
    lane_id: int,
    granularity: ClusterGranularity,
    coarser: ClusterGranularity,
    of: ClusterOf,
) -> Mapping[UUID, Mapping[UUID, int]]:
    """Count the visible members that each cluster shares with each coarser one."""
    rows = await scope.all(
        _STATEMENTS[of]["parents"],
        {"lane_id": lane_id, "granularity": granularity.value, "coarser": coarser.value},
    )
    parents: dict[UUID, dict[UUID, int]] = {}
    for row in rows:
        parents.setdefault(row["cluster_id"], {})[row["parent_id"]] = row["members"]
    return parents


async def cluster_names(
    scope: WorkspaceScope, cluster_ids: Sequence[UUID]
) -> Mapping[UUID, ClusterName]:
    """Read the names that were taken from visible documents alone.

    Only for a caller that may see all documents of the clusters, too.
    """
    names = {}
    for row in await scope.all(_SQL["names"], {"cluster_ids": list(cluster_ids)}):
        place = CLUSTER_NAME.of(row["cluster_id"])
        content = scope.sealing.plain_json(place, row["name"])
        assert isinstance(content, dict), "a name is stored as an object"
        names[row["cluster_id"]] = ClusterName(
            label=tuple(content["label"]), labelled_by=content["by"]
        )
    return names


async def kind_of_cluster(
    scope: WorkspaceScope, cluster_id: UUID
) -> tuple[ClusterGranularity, ClusterOf]:
    """Return a cluster's granularity, and whether of documents or chunks. Raises NotFound."""
    row = await scope.one(_SQL["granularity_of"], {"cluster_id": cluster_id})
    if row is None:
        raise no_such_cluster(cluster_id)
    return ClusterGranularity(row["granularity"]), ClusterOf(row["members"])


async def count_looked_at(
    scope: WorkspaceScope, lane_id: int, of: ClusterOf
) -> tuple[int, datetime | None]:
    """Count the visible members that were clustered.

    Also returns the time of the oldest document that was not.
    """
    row = await scope.single(_STATEMENTS[of]["progress"], {"lane_id": lane_id})
    return row["done"], row["oldest_waiting"]


def no_such_cluster(cluster_id: UUID) -> NotFound:
    """Make the error for a cluster that is absent, foreign or hidden alike."""
    return NotFound(
        f"there is no cluster {cluster_id}",
        hint="`footnote clusters list` or `GET /v1/clusters` shows what there is",
    )


def _numbers(packed: bytes | None) -> Numbers:
    return np.frombuffer(packed or b"", dtype=">i4").astype(np.int32)


def _expanded_ranges(row: DictRow) -> Numbers:
    """Expand the ranges of a row to all their numbers."""
    ranges = zip(_numbers(row["numbers"]), _numbers(row["ends"]), strict=True)
    numbers = [np.arange(*bounds, dtype=np.int32) for bounds in ranges]
    return np.concatenate(numbers) if numbers else np.zeros(0, np.int32)
