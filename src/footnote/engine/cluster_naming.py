"""Label clusters by the terms of their members, or by a title from a language model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

import numpy as np

from footnote.domain import Passage
from footnote.domain.clusters import ClusterGranularity, ClusterOf
from footnote.engine.redaction import model_use_of_job
from footnote.engine.services import Services
from footnote.errors import FootnoteError
from footnote.index.stopwords import STOP_WORDS
from footnote.knowledge.cluster_titles import TERMS, Described, title_from
from footnote.knowledge.clusters import MIN_CLUSTER
from footnote.knowledge.labels import WeighedTerm, weighed_terms
from footnote.ports import Vectors
from footnote.store import clusters as stored
from footnote.store.clusters import ClusterName, SampledMember
from footnote.store.database import SYSTEM, WorkspaceScope
from footnote.store.lanes import current_lane

MAX_SAMPLED = 40
"""Most members of a cluster that are sampled to label it."""
_MAX_SAMPLED_IN_ALL = {ClusterOf.DOCUMENTS: 10_000, ClusterOf.CHUNKS: 2_000}
"""Most members sampled over all clusters; fewer chunks, as their texts are read."""
LABEL_TERMS = 3
TERMS_SHOWN = 12
_DESCRIBED = 8
"""Members of a cluster that a model is shown."""
_DESCRIBED_TERMS = 8
"""Most frequent words of a chunk that a model is shown in place of keywords."""
_WORD = re.compile(r"[^\W\d_]{3,20}")
"""A word that a label may contain: 3 to 20 letters, so neither a number nor unspaced text."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledCluster:
    """A cluster with a sample of its members."""

    cluster_id: UUID
    of: ClusterOf
    members: tuple[SampledMember, ...]
    """The most typical first."""
    similarities: tuple[float, ...]
    """Cosine similarity of each member to the centroid."""
    middle: Vectors
    """The centroid: shape (dimensions,), unit length."""
    terms: tuple[WeighedTerm, ...]
    """The best first."""

    @property
    def label(self) -> tuple[str, ...]:
        """The terms that best distinguish the cluster from others."""
        return tuple(term.term for term in self.terms[:LABEL_TERMS])


async def load_sampled(
    scope: WorkspaceScope, lane_id: int, cluster_ids: Sequence[UUID], of: ClusterOf
) -> Callable[[], Mapping[UUID, SampledCluster]]:
    """Load a sample of each cluster's members that the principal may see.

    Returns a function that computes the result without the database. Pass all clusters of a
    granularity together: labels are chosen to distinguish them.
    """
    sample_size = max(
        MIN_CLUSTER, min(MAX_SAMPLED, _MAX_SAMPLED_IN_ALL[of] // max(1, len(cluster_ids)))
    )
    members = await stored.sampled_members(scope, lane_id, cluster_ids, most=sample_size, of=of)
    numbers = np.array([member.number for member in members], np.int32)
    vectors = await stored.vectors_of(scope, lane_id, numbers, of)
    assert vectors.shape[0] == numbers.size, "a snapshot has one vector for each member"
    return lambda: _sampled(members, vectors, of)


def label_terms(title: str, keywords: Sequence[str], language: str | None) -> list[str]:
    """Return the keywords, and the words of the title that are not stop words."""
    stopped = STOP_WORDS.get(language or "", frozenset())
    words = (word for word in _WORD.findall(title) if word.lower() not in stopped)
    return [*keywords, *words]


def passage_terms(passage: Passage) -> list[str]:
    """Return the words of a passage and its heading that are not stop words."""
    heading = passage.heading_path[-1] if passage.heading_path else ""
    return label_terms(f"{heading} {passage.text[passage.body_offset :]}", (), passage.language)


def _sampled(
    members: Sequence[SampledMember], vectors: Vectors, of: ClusterOf
) -> Mapping[UUID, SampledCluster]:
    if not members:
        return {}
    ids = sorted({member.cluster_id for member in members})
    positions = {cluster: number for number, cluster in enumerate(ids)}
    groups = np.array([positions[member.cluster_id] for member in members], np.int32)
    terms = [_terms_of(member) for member in members]
    weighed = weighed_terms(groups, terms, TERMS_SHOWN)
    sampled = {}
    for number, cluster in enumerate(ids):
        rows = np.flatnonzero(groups == number)
        centroid, similarities = centroid_of(vectors[rows])
        order = np.argsort(-similarities, kind="stable")
        sampled[cluster] = SampledCluster(
            cluster_id=cluster,
            of=of,
            members=tuple(members[row] for row in rows[order].tolist()),
            similarities=tuple(similarities[order].tolist()),
            middle=centroid,
            terms=weighed[number],
        )
    return sampled


def centroid_of(vectors: Vectors) -> tuple[Vectors, Vectors]:
    """Return the centroid of vectors, of unit length, and the cosine of each to it."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths == 0, 1, lengths)
    centroid = unit.sum(axis=0)
    centroid = centroid / (float(np.linalg.norm(centroid)) or 1.0)
    return centroid.astype(np.float32), (unit @ centroid).astype(np.float32)


async def nameless_clusters(
    engine: Services, workspace_id: UUID, of: ClusterOf
) -> list[SampledCluster]:
    """Return the clusters without a label, with samples of their members."""
    async with engine.database.snapshot(workspace_id, SYSTEM) as scope:
        lane = await current_lane(scope, engine.lane.name)
        nameless = await stored.nameless_clusters(scope, of)
        if lane is None or not nameless:
            return []
        nameless_ids = {cluster for cluster, _ in nameless}
        sample_loaders = []
        for granularity, _ in groupby(level for _, level in nameless):
            # With all others of the granularity, from which labels must distinguish them.
            visible = await stored.count_visible(
                scope, lane[0], ClusterGranularity(granularity), of
            )
            sample_loaders.append(await load_sampled(scope, lane[0], sorted(visible.clusters), of))
    return [
        cluster
        for make in sample_loaders
        for cluster in make().values()
        if cluster.cluster_id in nameless_ids
    ]


async def name_cluster(engine: Services, workspace_id: UUID, cluster: SampledCluster) -> None:
    """Label a cluster with a title from the language model, or else with its terms."""
    name, sources = _term_label(cluster)
    if engine.model is not None:
        examples = cluster.members[:_DESCRIBED]
        described = [
            Described(
                title=member.title,
                keywords=member.keywords if member.passage is None else _most_common_terms(member),
                language=member.language,
            )
            for member in examples
        ]
        async with model_use_of_job(engine, workspace_id):
            try:
                await engine.metering.require_budget(workspace_id)
                title = await title_from(
                    engine.model, described, cluster.label, engine.analyzer.terms
                )
            except FootnoteError:
                title = None  # Unavailable or over budget: use the terms.
        if title is not None:
            name = ClusterName(label=(title,), labelled_by=engine.model.name)
            sources = [member.number for member in examples]
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        lane = await current_lane(scope, engine.lane.name)
        if lane is not None:
            await stored.name_cluster(
                scope, lane[0], cluster.cluster_id, name, sources, of=cluster.of
            )


def _term_label(cluster: SampledCluster) -> tuple[ClusterName, list[int]]:
    """Return the term label of a cluster, and for each term the most typical member with it."""
    sources = {}
    for term in cluster.label:
        key = term.casefold()
        for member in cluster.members:
            if key in {word.casefold() for word in _terms_of(member)}:
                sources[member.number] = True
                break
    return ClusterName(label=cluster.label, labelled_by=TERMS), list(sources)


def _terms_of(member: SampledMember) -> list[str]:
    if member.passage is not None:
        return passage_terms(member.passage)
    return label_terms(member.title, member.keywords, member.language)


def _most_common_terms(member: SampledMember) -> tuple[str, ...]:
    counts = Counter(term.casefold() for term in _terms_of(member))
    return tuple(term for term, _ in counts.most_common(_DESCRIBED_TERMS))
