"""Calls clusters by what their documents or chunks say, or as a language model has it."""

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
"""Members of a cluster that are looked at to call it something."""
_MOST_OF_ALL = {ClusterOf.DOCUMENTS: 10_000, ClusterOf.CHUNKS: 2_000}
"""Chunks are read with their texts."""
LABEL_TERMS = 3
TERMS_SHOWN = 12
_DESCRIBED = 8
"""Members of a cluster that a model is shown."""
_DESCRIBED_TERMS = 8
"""Of a chunk, which has no keywords of its own: its commonest words."""
_WORD = re.compile(r"[^\W\d_]{3,20}")
"""A word of a title that may be one of a label: neither a number nor a sentence without spaces."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledCluster:
    """A cluster by some of its members."""

    cluster_id: UUID
    of: ClusterOf
    members: tuple[SampledMember, ...]
    """The most typical first."""
    similarities: tuple[float, ...]
    """Of each to the middle."""
    middle: Vectors
    """Shape (dimensions,), unit length."""
    terms: tuple[WeighedTerm, ...]
    """The best first."""

    @property
    def label(self) -> tuple[str, ...]:
        """What its members have and others lack."""
        return tuple(each.term for each in self.terms[:LABEL_TERMS])


async def load_sampled(
    scope: WorkspaceScope, lane_id: int, cluster_ids: Sequence[UUID], of: ClusterOf
) -> Callable[[], Mapping[UUID, SampledCluster]]:
    """Some members of each cluster, as far as the principal may see them.

    What is returned does the rest, without the database. Clusters of one granularity belong
    together: their labels tell one from the others.
    """
    most = max(LEAST_CLUSTER, min(MOST_SAMPLED, _MOST_OF_ALL[of] // max(1, len(cluster_ids))))
    members = await stored.sampled_members(scope, lane_id, cluster_ids, most=most, of=of)
    numbers = np.array([each.number for each in members], np.int32)
    vectors = await stored.vectors_of(scope, lane_id, numbers, of)
    assert vectors.shape[0] == numbers.size, "one moment has a vector for each"
    return lambda: _sampled(members, vectors, of)


def label_terms(title: str, keywords: Sequence[str], language: str | None) -> list[str]:
    """Its keywords, and the words of its title that are not in every text of the language."""
    stopped = STOP_WORDS.get(language or "", frozenset())
    words = (each for each in _WORD.findall(title) if each.lower() not in stopped)
    return [*keywords, *words]


def passage_terms(passage: Passage) -> list[str]:
    """The words of a passage and of its heading that are not in every text of the language."""
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
    """The middle of vectors, of unit length, and how similar each is to it."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths == 0, 1, lengths)
    middle = unit.sum(axis=0)
    middle = middle / (float(np.linalg.norm(middle)) or 1.0)
    return middle.astype(np.float32), (unit @ middle).astype(np.float32)


async def nameless_clusters(
    engine: Services, workspace_id: UUID, of: ClusterOf
) -> list[SampledCluster]:
    """The clusters that are called nothing yet, by their members."""
    async with engine.database.snapshot(workspace_id, SYSTEM) as scope:
        lane = await current_lane(scope, engine.lane.name)
        nameless = await stored.nameless_clusters(scope, of)
        if lane is None or not nameless:
            return []
        wanted = {cluster for cluster, _ in nameless}
        found = []
        for granularity, _ in groupby(each for _, each in nameless):
            # Beside all others of their granularity, or labels would not tell them apart.
            seen = await stored.count_seen(scope, lane[0], ClusterGranularity(granularity), of)
            found.append(await load_sampled(scope, lane[0], sorted(seen.clusters), of))
    return [each for make in found for each in make().values() if each.cluster_id in wanted]


async def name_cluster(engine: Services, workspace_id: UUID, cluster: SampledCluster) -> None:
    """Call a cluster something: as the language model has it, or else by its terms."""
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
                title = None  # It is away, or may not be used: terms will do.
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
    """The label of a cluster, and for each of its terms the most typical member that has it."""
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
