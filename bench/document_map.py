"""What a map of documents costs, and how much of their neighbourhood it keeps.

    python bench/document_map.py --data FOLDER --sets cranfield vaswani
    python bench/document_map.py --data FOLDER --sets cranfield --json

The documents of a set are embedded as they are published and laid out as the engine does it. `kept`
is the share of the ten nearest by their vectors that are among the ten nearest on the map, `of a
plane` the same for the two directions of most difference alone. `moved` is how far the median
document moves when the last hundredth of them is added, in shares of the map's radius. `memory` is
what the process grew by.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from footnote.engine.lanes import embedders_from
from footnote.knowledge.areas import areas_of
from footnote.knowledge.layout import Plane, lay_out
from footnote.ports import Vectors
from footnote.settings import Settings
from reporting import finish, machine, show
from retrieval_sets import read_set

NEIGHBOURS = 10
TOGETHER = 500


def nearest(rows: Vectors, *, plane: bool) -> list[set[int]]:
    """Of each row the nearest others, by cosine or on the plane."""
    found: list[set[int]] = []
    squares = np.square(rows).sum(axis=1)
    for first in range(0, len(rows), TOGETHER):
        near = rows[first : first + TOGETHER] @ rows.T
        if plane:
            near = 2 * near - squares
        near[np.arange(len(near)), np.arange(first, first + len(near))] = -np.inf
        best = np.argpartition(-near, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
        found += [set(each.tolist()) for each in best]
    return found


def kept(vectors: Vectors, places: Vectors) -> float:
    """Which share of the nearest neighbours are neighbours on the plane too."""
    pairs = zip(nearest(vectors, plane=False), nearest(places, plane=True), strict=True)
    return float(np.mean([len(there & here) / NEIGHBOURS for there, here in pairs]))


def moved(vectors: Vectors, places: Plane) -> float:
    """How far the others move for the last hundredth."""
    before = lay_out(vectors[: -max(1, len(vectors) // 100)])
    after = places[: len(before)]
    radius = float(np.sqrt(np.square(after).sum(axis=1).mean()))
    return float(np.median(np.linalg.norm(after - before, axis=1))) / radius


def plane_of(vectors: Vectors) -> Vectors:
    """The vectors along the two directions in which they differ most."""
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    flat: Vectors = centred @ directions[:, -2:]
    return flat


def peak_megabytes() -> float:
    """The most memory that the process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def main() -> None:
    """Embed, lay out and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the sets")
    parser.add_argument("--sets", nargs="+", default=["cranfield"])
    parser.add_argument("--most", type=int, default=10_000, help="documents of a set")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args()
    embedder = await embedders_from(Settings()).primary()
    report: dict[str, object] = {"machine": machine()}
    rows = []
    for name in options.sets:
        texts = [each.whole for each in read_set(options.data / name).documents][: options.most]
        vectors = np.asarray(await embedder.embed_documents(texts), np.float16).astype(np.float32)
        memory, wall, cpu = peak_megabytes(), perf_counter(), process_time()
        places = lay_out(vectors)
        areas = areas_of(places)
        figures = {
            "documents": len(texts),
            "seconds": round(perf_counter() - wall, 1),
            "cpu_seconds": round(process_time() - cpu, 1),
            "memory_mb": round(peak_megabytes() - memory),
            "areas": int(areas.max()) + 1,
            "kept": round(kept(vectors, places), 3),
            "kept_of_a_plane": round(kept(vectors, plane_of(vectors)), 3),
            "moved": round(moved(vectors, places), 3),
        }
        report[name] = figures
        rows.append([name, *map(str, figures.values())])
    columns = ("documents", "seconds", "CPU s", "memory MB", "areas", "kept", "of a plane", "moved")
    show("maps", ("set", *columns), rows)
    finish(report, options.json)


if __name__ == "__main__":
    asyncio.run(main())
