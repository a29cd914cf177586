"""How well clusters agree with groups that are known, how stable they are, and what they cost.

For each granularity: clusters, the share of outliers, and the adjusted mutual information (AMI,
Vinh et al. 2010, arithmetic mean) and adjusted Rand index (ARI, Hubert and Arabie 1985) with the
groups; outliers count as one cluster. `again` is the share of documents whose cluster keeps its id
when the last twentieth of the documents, in an order that mixes the groups, is there as well, and
`joined` that of the last twentieth whose cluster is the same whether they join or all is clustered
anew. Seconds and memory are of clustering alone.
"""

from __future__ import annotations

import csv
import resource
from pathlib import Path
from time import perf_counter, process_time
from uuid import UUID

import numpy as np
import numpy.typing as npt

from footnote.engine.lanes import embedders_from
from footnote.knowledge.clusters import clustered, joined, matched, middles_of
from footnote.knowledge.density import OUTLIER, Labels
from footnote.ports import Vectors
from footnote.settings import Settings

_ADDED = 20
"""One in so many documents comes later."""

Counts = npt.NDArray[np.int64]


def adjusted_mutual_information(one: Labels, other: Labels) -> float:
    """From 0 for chance to 1 for the same groups, up to rounding."""
    table = _contingency(one, other)
    count = int(table.sum())
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])
    there = table > 0
    shares = table[there] / count
    shared = float((shares * np.log(shares * count**2 / np.outer(rows, columns)[there])).sum())
    expected = 0.0
    for row in rows.tolist():
        for column in columns.tolist():
            both = np.arange(max(1, row + column - count), min(row, column) + 1)
            odds = (
                logs[row] + logs[column] + logs[count - row] + logs[count - column] - logs[count]
            ) - (logs[both] + logs[row - both] + logs[column - both])
            odds -= logs[count - row - column + both]
            terms = both / count * np.log(count * both / (row * column)) * np.exp(odds)
            expected += float(terms.sum())
    mean = (_entropy(rows) + _entropy(columns)) / 2
    return (shared - expected) / (mean - expected) if mean != expected else 1.0


def adjusted_rand(one: Labels, other: Labels) -> float:
    """From 0 for chance to 1 for the same groups, up to rounding."""
    table = _contingency(one, other)
    rows, columns = _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    expected = rows * columns / _pairs(table.sum(keepdims=True))
    return (_pairs(table) - expected) / ((rows + columns) / 2 - expected)


def _contingency(one: Labels, other: Labels) -> Counts:
    left = np.unique(one, return_inverse=True)[1]
    right = np.unique(other, return_inverse=True)[1]
    table = np.zeros((left.max() + 1, right.max() + 1), np.int64)
    np.add.at(table, (left, right), 1)
    return table


def _entropy(sizes: Counts) -> float:
    shares = sizes / sizes.sum()
    return -float((shares * np.log(shares)).sum())


def _pairs(counts: Counts) -> float:
    return float((counts * (counts - 1) / 2).sum())


async def over_clusters(path: Path) -> dict[str, object]:
    """What the figures say of the texts in a file."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    order = np.random.default_rng(0).permutation(len(lines)).tolist()
    texts = [lines[each]["text"] for each in order]
    groups = np.unique([lines[each]["category"] for each in order], return_inverse=True)[1].astype(
        np.int32
    )
    embedder = await embedders_from(Settings()).primary()
    embedded = await embedder.embed_documents(texts)
    vectors: Vectors = np.asarray(embedded, np.float16).astype(np.float32)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = perf_counter(), process_time()
    found = clustered(vectors)
    figures: dict[str, object] = {
        "documents": len(texts),
        "groups": int(groups.max()) + 1,
        "seconds": round(perf_counter() - wall, 1),
        "cpu_seconds": round(process_time() - cpu, 1),
        "memory_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) // 1024,
    }
    first = len(texts) - len(texts) // _ADDED
    before = clustered(vectors[:first])
    for granularity, labels in found.items():
        same, came = _stability(before[granularity], labels, vectors)
        figures |= {
            f"{granularity}_clusters": int(labels.max()) + 1,
            f"{granularity}_outliers": round(float((labels == OUTLIER).mean()), 3),
            f"{granularity}_ami": round(adjusted_mutual_information(labels, groups), 3),
            f"{granularity}_ari": round(adjusted_rand(labels, groups), 3),
            f"{granularity}_ami_of_both_runs": round(
                adjusted_mutual_information(before[granularity], labels[:first]), 3
            ),
            f"{granularity}_again": round(same, 3),
            f"{granularity}_joined": round(came, 3),
        }
    return figures


def _stability(before: Labels, after: Labels, vectors: Vectors) -> tuple[float, float]:
    """Shares of the documents, and of those that came, whose cluster is the same."""
    first = before.size
    ids = [UUID(int=number + 1) for number in range(int(before.max()) + 1)]
    earlier = {
        number: ids[label] for number, label in enumerate(before.tolist()) if label != OUTLIER
    }
    again = matched(after, list(range(after.size)), earlier).cluster_ids
    now = [None if label == OUTLIER else again[label] for label in after.tolist()]
    same = np.mean([earlier.get(number) == now[number] for number in range(first)])
    coming = joined(middles_of(vectors[:first], before), vectors[first:]).tolist()
    came = np.mean(
        [
            (None if label == OUTLIER else ids[label]) == now[first + number]
            for number, label in enumerate(coming)
        ]
    )
    return float(same), float(came)
