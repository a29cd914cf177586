"""How well clusters agree with groups that are known, how stable they are, and what they cost.

For each granularity: clusters, the share of outliers, and the adjusted mutual information (AMI,
Vinh et al. 2010, arithmetic mean) and adjusted Rand index (ARI, Hubert and Arabie 1985) with the
groups; outliers count as one cluster. `again` is the share of documents whose cluster keeps its id
when the last twentieth of the documents, in an order that mixes the groups, is there as well,
`joined` that of the last twentieth whose cluster is the same whether they join or all is clustered
anew, and `settled_ami` the AMI of the clusters after that; `matched` is the share that would keep
their id if clusters were but found again by their documents. `grown_again` and `grown_ami` are
the least share, and the last AMI, where half of the documents grow to all by tenths. Seconds and
memory are of clustering alone.
"""

from __future__ import annotations

import csv
import resource
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time
from uuid import UUID

import numpy as np
import numpy.typing as npt

from footnote.domain.clusters import ClusterGranularity
from footnote.engine.clustering import RENEWED
from footnote.engine.lanes import embedders_from
from footnote.knowledge.clusters import assign_new, clustered, matched, middles_of, stabilised
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
    sizes = [len(texts)]
    while sizes[0] > len(texts) // 2:
        sizes.insert(0, int(sizes[0] / (1 + RENEWED)))
    runs = {size: clustered(vectors[:size]) for size in sizes[:-1]} | {sizes[-1]: found}
    for granularity, labels in found.items():
        then = _named(before[granularity])
        again = dict(enumerate(matched(labels, range(labels.size), then)))
        now = stabilised(granularity, labels, vectors, range(labels.size), then).cluster_ids
        coming = assign_new(middles_of(vectors[:first], before[granularity]), vectors[first:])
        came = [None if each == OUTLIER else UUID(int=each + 1) for each in coming.tolist()]
        shares, grown = _grown(
            granularity, {each: runs[each][granularity] for each in sizes}, vectors
        )
        figures |= {
            f"{granularity}_clusters": int(labels.max()) + 1,
            f"{granularity}_outliers": round(float((labels == OUTLIER).mean()), 3),
            f"{granularity}_ami": round(adjusted_mutual_information(labels, groups), 3),
            f"{granularity}_ari": round(adjusted_rand(labels, groups), 3),
            f"{granularity}_ami_of_both_runs": round(
                adjusted_mutual_information(before[granularity], labels[:first]), 3
            ),
            f"{granularity}_matched": round(
                _same(then, [again.get(each) for each in labels[:first].tolist()]), 3
            ),
            f"{granularity}_again": round(_same(then, now[:first]), 3),
            f"{granularity}_joined": round(
                float(
                    np.mean([one == other for one, other in zip(came, now[first:], strict=True)])
                ),
                3,
            ),
            f"{granularity}_settled_ami": round(
                adjusted_mutual_information(_numbered(now), groups), 3
            ),
            f"{granularity}_grown_again": round(min(shares), 3),
            f"{granularity}_grown_ami": round(adjusted_mutual_information(grown, groups), 3),
        }
    return figures


def _grown(
    granularity: ClusterGranularity, runs: Mapping[int, Labels], vectors: Vectors
) -> tuple[list[float], Labels]:
    """Shares that keep their cluster from run to run, and the clusters of the last."""
    shares: list[float] = []
    then: dict[int, UUID] = {}
    last = 0
    for size, labels in sorted(runs.items()):
        now = stabilised(granularity, labels, vectors[:size], range(size), then).cluster_ids
        if last:
            shares.append(_same(then, now[:last]))
        then, last = {at: each for at, each in enumerate(now) if each is not None}, size
    return shares, _numbered(now)


def _named(labels: Labels) -> dict[int, UUID]:
    """An id for the cluster of each document that has one."""
    return {
        number: UUID(int=label + 1)
        for number, label in enumerate(labels.tolist())
        if label != OUTLIER
    }


def _same(then: Mapping[int, UUID], now: Sequence[UUID | None]) -> float:
    """The share of documents whose cluster is the same, outliers among them."""
    return float(np.mean([then.get(number) == each for number, each in enumerate(now)]))


def _numbered(ids: Sequence[UUID | None]) -> Labels:
    place: dict[UUID | None, int] = {
        each: number for number, each in enumerate(dict.fromkeys(filter(None, ids)))
    }
    return np.array([place.get(each, OUTLIER) for each in ids], np.int32)
