"""Ranks chunks by the entities that a question names, with a personalised PageRank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from uuid import UUID

import numpy as np
import numpy.typing as npt

from footnote.domain import Ranking
from footnote.ports import EntityGraph
from footnote.retrieval.fusion import rank_by_score

Visits = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int64]

DAMPING = 0.5  # HippoRAG 2's; a walk makes two steps on average before it restarts.
PASSAGE_MASS = 0.05  # HippoRAG 2's weight of passages beside that of entities.
_TOLERANCE = 1e-9
_MAX_STEPS = 100  # Each step halves the error: 30 of them reach the tolerance.


def personalised_pagerank(
    restarts: Visits,
    edges: tuple[Nodes, Nodes, Visits],
    damping: float = DAMPING,
) -> Visits:
    """Return the stationary visit probability of each node in a random walk with restarts.

    Page, Brin, Motwani and Winograd (1999) with restarts as in Haveliwala (2002). `restarts` has a
    weight of 0 or more for each of n nodes, at least one above 0; an edge joins two nodes in both
    directions with a weight above 0. `damping`, 0…1, is the probability of following an edge.
    Returns float64 of shape (n,), which sums to 1. A node without edges links to itself.
    """
    size = len(restarts)
    begins = restarts / restarts.sum()
    first, second, weights = edges
    sources, targets = np.concatenate((first, second)), np.concatenate((second, first))
    edge_weights = np.concatenate((weights, weights))
    out_weights = np.bincount(sources, weights=edge_weights, minlength=size)
    isolated = out_weights == 0
    shares = edge_weights / out_weights[sources]
    visits = begins
    for _ in range(_MAX_STEPS):
        followed = np.bincount(targets, weights=visits[sources] * shares, minlength=size)
        following = (1 - damping) * begins + damping * (followed + np.where(isolated, visits, 0.0))
        converged = float(np.abs(following - visits).sum()) < _TOLERANCE
        visits = following
        if converged:
            break
    total: Visits = visits / visits.sum()
    return total


def rank_by_entities(graph: EntityGraph, promising: Mapping[int, float]) -> Ranking:
    """Rank the chunks of the graph by personalised PageRank from the question's entities.

    After HippoRAG 2 (Gutiérrez, Shu, Qi, Zhou and Su, "From RAG to Memory", 2025): entities and
    chunks are the nodes. The walk restarts at entities of the question, with a weight of one over
    the documents that name them, and with a small weight at chunks that other recalls found.
    `promising` maps these to their share, 0…1, of the best one's score. Empty if the question names
    no entity.
    """
    if not graph.named or not graph.mentions:
        return ()
    chunks = sorted({chunk_no for _, chunk_no in graph.mentions})
    entities = sorted({entity_id for entity_id, _ in graph.mentions})
    number_of_entity = {entity: number for number, entity in enumerate(entities)}
    number_of_chunk = {chunk: len(entities) + number for number, chunk in enumerate(chunks)}
    restarts = np.zeros(len(entities) + len(chunks))
    for entity_id, entity in graph.named.items():
        restarts[number_of_entity[entity_id]] = 1.0 / entity.documents
    for chunk_no, share in promising.items():
        if chunk_no in number_of_chunk:
            restarts[number_of_chunk[chunk_no]] = PASSAGE_MASS * max(share, 0.0)
    edges = [
        (number_of_entity[entity_id], number_of_chunk[chunk_no], 1.0)
        for entity_id, chunk_no in sorted(graph.mentions)
    ]
    edges += [
        (number_of_entity[left], number_of_entity[right], graph.pairs[left, right])
        for left, right in sorted(graph.pairs)
    ]
    first, second, weights = zip(*edges, strict=True)
    visits = personalised_pagerank(
        restarts, (np.asarray(first), np.asarray(second), np.asarray(weights, dtype=np.float64))
    )
    return rank_by_score({chunk: float(visits[node]) for chunk, node in number_of_chunk.items()})


def mentioned_names(graph: EntityGraph) -> Mapping[int, Mapping[str, float]]:
    """Map each chunk to the question's names that it contains, with their counts."""
    names: dict[int, dict[str, float]] = defaultdict(dict)
    for (entity_id, chunk_no), count in sorted(graph.mentions.items(), key=_by_chunk):
        if entity_id in graph.named:
            name = graph.named[entity_id].text
            names[chunk_no][name] = names[chunk_no].get(name, 0.0) + count
    return names


def _by_chunk(mention: tuple[tuple[UUID, int], int]) -> tuple[int, UUID]:
    (entity_id, chunk_no), _ = mention
    return chunk_no, entity_id
