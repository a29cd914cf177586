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
from footnote.knowledge.clusters import LEAST_CLUSTER
from footnote.knowledge.labels import WeighedTerm, weighed_terms
from footnote.ports import Vectors
from footnote.store import clusters as stored
from footnote.store.clusters import ClusterName, SampledMember
from footnote.store.database import SYSTEM, WorkspaceScope
from footnote.store.lanes import current_lane

MOST_SAMPLED = 40
"""Most members of a cluster that are sampled to label it."""
_MOST_OF_ALL = {ClusterOf.DOCUMENTS: 10_000, ClusterOf.CHUNKS: 2_000}
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
        return tuple(each.term for each in self.terms[:LABEL_TERMS])


async def load_sampled(
    scope: WorkspaceScope, lane_id: int, cluster_ids: Sequence[UUID], of: ClusterOf
) -> Callable[[], Mapping[UUID, SampledCluster]]:
    """Load a sample of each cluster's members that the principal may see.

    Returns a function that computes the result without the database. Pass all clusters of a
    granularity together: labels are chosen to distinguish them.
    """
    most = max(LEAST_CLUSTER, min(MOST_SAMPLED, _MOST_OF_ALL[of] // max(1, len(cluster_ids))))
    members = await stored.sampled_members(scope, lane_id, cluster_ids, most=most, of=of)
    numbers = np.array([each.number for each in members], np.int32)
    vectors = await stored.vectors_of(scope, lane_id, numbers, of)
    assert vectors.shape[0] == numbers.size, "one moment has a vector for each"
    return lambda: _sampled(members, vectors, of)


def label_terms(title: str, keywords: Sequence[str], language: str | None) -> list[str]:
    """Return the keywords, and the words of the title that are not stop words."""
    stopped = STOP_WORDS.get(language or "", frozenset())
    words = (each for each in _WORD.findall(title) if each.lower() not in stopped)
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
    ids = sorted({each.cluster_id for each in members})
    place = {cluster: number for number, cluster in enumerate(ids)}
    groups = np.array([place[each.cluster_id] for each in members], np.int32)
    terms = [_terms_of(each) for each in members]
    weighed = weighed_terms(groups, terms, TERMS_SHOWN)
    found = {}
    for number, cluster in enumerate(ids):
        rows = np.flatnonzero(groups == number)
        middle, similarities = middle_of(vectors[rows])
        order = np.argsort(-similarities, kind="stable")
        found[cluster] = SampledCluster(
            cluster_id=cluster,
            of=of,
            members=tuple(members[each] for each in rows[order].tolist()),
            similarities=tuple(similarities[order].tolist()),
            middle=middle,
            terms=weighed[number],
        )
    return found


def middle_of(vectors: Vectors) -> tuple[Vectors, Vectors]:
    """Return the centroid of vectors, of unit length, and the cosine of each to it."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths == 0, 1, lengths)
    middle = unit.sum(axis=0)
    middle = middle / (float(np.linalg.norm(middle)) or 1.0)
    return middle.astype(np.float32), (unit @ middle).astype(np.float32)


async def nameless_clusters(
    engine: Services, workspace_id: UUID, of: ClusterOf
) -> list[SampledCluster]:
    """Return the clusters without a label, with samples of their members."""
    async with engine.database.snapshot(workspace_id, SYSTEM) as scope:
        lane = await current_lane(scope, engine.lane.name)
        nameless = await stored.nameless_clusters(scope, of)
        if lane is None or not nameless:
            return []
        wanted = {cluster for cluster, _ in nameless}
        found = []
        for granularity, _ in groupby(each for _, each in nameless):
            # With all others of the granularity, from which labels must distinguish them.
            seen = await stored.count_seen(scope, lane[0], ClusterGranularity(granularity), of)
            found.append(await load_sampled(scope, lane[0], sorted(seen.clusters), of))
    return [each for make in found for each in make().values() if each.cluster_id in wanted]


async def name_cluster(engine: Services, workspace_id: UUID, cluster: SampledCluster) -> None:
    """Label a cluster with a title from the language model, or else with its terms."""
    name, sources = _by_terms(cluster)
    if engine.model is not None:
        shown = cluster.members[:_DESCRIBED]
        described = [
            Described(
                title=each.title,
                keywords=each.keywords if each.passage is None else _commonest(each),
                language=each.language,
            )
            for each in shown
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
            sources = [each.number for each in shown]
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        lane = await current_lane(scope, engine.lane.name)
        if lane is not None:
            await stored.name_cluster(
                scope, lane[0], cluster.cluster_id, name, sources, of=cluster.of
            )


def _by_terms(cluster: SampledCluster) -> tuple[ClusterName, list[int]]:
    """Return the term label of a cluster, and for each term the most typical member with it."""
    sources = {}
    for term in cluster.label:
        key = term.casefold()
        for each in cluster.members:
            if key in {one.casefold() for one in _terms_of(each)}:
                sources[each.number] = True
                break
    return ClusterName(label=cluster.label, labelled_by=TERMS), list(sources)


def _terms_of(member: SampledMember) -> list[str]:
    if member.passage is not None:
        return passage_terms(member.passage)
    return label_terms(member.title, member.keywords, member.language)


def _commonest(member: SampledMember) -> tuple[str, ...]:
    counted = Counter(each.casefold() for each in _terms_of(member))
    return tuple(each for each, _ in counted.most_common(_DESCRIBED_TERMS))
