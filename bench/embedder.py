"""Speed and quality of a packaged embedder: fp32 against int8, in one run on one machine.

    python bench/embedder.py --json --data ../shared/data/cranfield --data ../shared/data/xquad-en
    python bench/embedder.py --model e5

Speeds mean something only as ratios inside one run. A retrieval set is a folder with
`corpus.jsonl`, `queries.jsonl` and `qrels.tsv`; each whole document is one chunk.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import ir_measures
import numpy as np

from footnote.models.embedder_specs import PACKAGED
from footnote.ports import Embedder, Vectors

Precision = Literal["int8", "fp32"]
Figures = dict[str, float]
PRECISIONS: tuple[Precision, ...] = ("fp32", "int8")
QUERY = "who may terminate the agreement, and with how many days of notice?"
TOP_K = 10


def filler_chunks(embedder: Embedder, count: int) -> list[str]:
    """Distinct chunks of at least the model's window."""
    sentence = "Clause {}: the tenant shall give notice in writing before the term ends. "
    repeats = embedder.max_tokens // embedder.count_tokens([sentence])[0] + 2
    return [
        "".join(sentence.format(first + number) for number in range(repeats))
        for first in range(0, count * repeats, repeats)
    ]


async def speed(embedders: dict[Precision, Embedder], rounds: int) -> dict[str, Figures]:
    """Chunks per second and query milliseconds; the precisions take turns, so noise is shared."""
    chunks = filler_chunks(embedders["fp32"], 64)
    chunk_seconds: dict[Precision, list[float]] = {name: [] for name in embedders}
    idle: dict[Precision, list[float]] = {name: [] for name in embedders}
    busy: dict[Precision, list[float]] = {name: [] for name in embedders}
    for _ in range(rounds):
        for name, embedder in embedders.items():
            started = time.perf_counter()
            await embedder.embed_documents(chunks)
            chunk_seconds[name].append((time.perf_counter() - started) / len(chunks))
            idle[name] += [await query_milliseconds(embedder) for _ in range(20)]
            load = asyncio.create_task(embedder.embed_documents(chunks))
            await asyncio.sleep(0.05)
            while not load.done():
                busy[name].append(await query_milliseconds(embedder))
    return {
        name: {
            "chunks_per_second": 1 / min(chunk_seconds[name]),
            "query_ms_p50": statistics.median(idle[name]),
            "query_ms_best": min(idle[name]),
            "query_ms_p50_while_embedding_documents": statistics.median(busy[name]),
        }
        for name in embedders
    }


async def query_milliseconds(embedder: Embedder) -> float:
    started = time.perf_counter()
    await embedder.embed_query(QUERY)
    return (time.perf_counter() - started) * 1000


def ndcg_at_10(
    documents: Vectors, ids: Sequence[str], queries: Vectors, query_ids: Sequence[str], qrels: Path
) -> float:
    """Mean nDCG@10 of exact cosine search."""
    similarities = queries @ documents.T
    run: dict[str, dict[str, float]] = {}
    for query_id, row in zip(query_ids, similarities, strict=True):
        best = np.argsort(-row, kind="stable")[:TOP_K]
        run[query_id] = {ids[place]: float(row[place]) for place in best}
    judged: dict[str, dict[str, int]] = {}
    with qrels.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            judged.setdefault(line["query-id"], {})[line["corpus-id"]] = int(line["score"])
    measure = ir_measures.nDCG @ TOP_K
    return float(ir_measures.calc_aggregate([measure], judged, run)[measure])


def quality(embedders: dict[Precision, Embedder], folder: Path) -> dict[str, Figures]:
    """nDCG@10 of each precision, and how far their vectors agree."""
    corpus = read_records(folder / "corpus.jsonl")
    questions = read_records(folder / "queries.jsonl")
    texts = [f"{record.get('title', '')} {record['text']}".strip() for record in corpus]
    figures: dict[str, Figures] = {}
    vectors: dict[Precision, Vectors] = {}
    for name, embedder in embedders.items():
        vectors[name] = asyncio.run(embedder.embed_documents(texts))
        asked = asyncio.run(asked_vectors(embedder, [each["text"] for each in questions]))
        ids = [record["_id"] for record in corpus]
        query_ids = [record["_id"] for record in questions]
        ndcg = ndcg_at_10(vectors[name], ids, asked, query_ids, folder / "qrels.tsv")
        figures[name] = {"ndcg_at_10": ndcg}
    cosines = np.sum(vectors["fp32"] * vectors["int8"], axis=1)
    figures["int8"]["cosine_to_fp32_mean"] = float(cosines.mean())
    figures["int8"]["cosine_to_fp32_min"] = float(cosines.min())
    return figures


async def asked_vectors(embedder: Embedder, questions: Sequence[str]) -> Vectors:
    """Vectors of questions, which a model may read otherwise than documents."""
    return np.stack([await embedder.embed_query(question) for question in questions])


def read_records(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=sorted(PACKAGED), default="minilm")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--data", type=Path, action="append", default=[], help="a retrieval set")
    parser.add_argument("--models", type=Path, help="folder of built models; default temporary")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--batch-tokens", type=int, default=8192)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        models = options.models or Path(scratch)
        embedders: dict[Precision, Embedder] = {
            name: PACKAGED[options.model].load(models, name, options.threads, options.batch_tokens)
            for name in PRECISIONS
        }
        report: dict[str, dict[str, Figures]] = {
            "speed": asyncio.run(speed(embedders, options.rounds))
        }
        for folder in options.data:
            report[folder.name] = quality(embedders, folder)
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for section, by_precision in report.items():
        for name, figures in by_precision.items():
            values = "  ".join(f"{label} {value:.4g}" for label, value in figures.items())
            print(f"{section:12} {name:5} {values}")


if __name__ == "__main__":
    main()
