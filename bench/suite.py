"""The whole suite: Footnote beside peers, what a search costs, answers and memory, ingestion.

    python bench/suite.py
    python bench/suite.py --sizes 5000 20000 100000 --queries 200 --keep

Runs the single benchmarks one after the other, prints one table with ratios and the machine, and
with `--keep` adds what was measured to `bench/history.jsonl` and draws it for
`docs/performance.md`.
`--draw` draws the last of what was kept anew. Peers that are not installed are left out
(`make peers`); times of two runs are not to be compared, ratios within one are.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from installation import MODELS
from plots import lines, scatter, stacked
from reporting import machine, show

HERE = Path(__file__).resolve().parent
HISTORY = HERE / "history.jsonl"
PICTURES = HERE.parent / "docs" / "pictures"
SIZES = (2_000, 20_000)
CLIENTS = (1, 2, 4, 8, 16)
PROCESSES = tuple(dict.fromkeys((1, max(2, (os.cpu_count() or 1) // 2))))
WAYS = ("lexical", "dense", "hybrid")
BESIDE = {"lexical": "bm25s", "dense": "simsimd", "hybrid": "lancedb", "ingest": "lancedb"}
"""What each figure is held against."""

Report = dict[str, Any]


def run(script: str, models: Path, *arguments: str) -> Report:
    """What the last line of a benchmark says; its own table goes to stderr."""
    command = [sys.executable, str(HERE / script), *arguments, "--models", str(models), "--json"]
    print("·", " ".join(command[1:]), file=sys.stderr)
    finished = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if finished.returncode:
        raise SystemExit(f"{script} ended with {finished.returncode}; what it said stands above")
    said, _, last = finished.stdout.rstrip("\n").rpartition("\n")
    print(said, file=sys.stderr)
    report: Report = json.loads(last)
    return report


def measure(sizes: Sequence[int], queries: int, models: Path, data: Path | None) -> Report:
    """Every benchmark of the suite, the largest size for what is measured once."""
    sets = () if data is None else ("--data", str(data))
    asked = ("--queries", str(queries))
    most = str(max(sizes))
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": version("footnote-engine"),
        "machine": machine(),
        "peers": [
            run("peers.py", models, "--chunks", str(size), *asked, *sets) for size in sorted(sizes)
        ],
        "search": run(
            "search.py", models, "--chunks", most, "--clients", str(max(CLIENTS)), *asked
        ),
        "clients": run(
            "clients.py",
            models,
            *("--chunks", most, "--rounds", "1"),
            *("--processes", *map(str, PROCESSES)),
            *("--clients", *map(str, CLIENTS)),
        ),
        "answers": run("answers.py", models, "--chunks", most, *asked),
        "ingestion": run("ingest.py", models, "--documents", "20", "--rounds", "1"),
    }


def rows(record: Report) -> list[tuple[str, str, str, str]]:
    """Each figure with what it is held against, and how many times that it takes."""
    found = []
    for report in record["peers"]:
        systems, size = report["systems"], f"{report['chunks']:,} chunks"
        for way in (*WAYS, "ingest"):
            what, unit = ("filling", "s") if way == "ingest" else (way, "ms")
            for key, kind in (
                ("ingest_s", "") if way == "ingest" else (f"{way}_p50_ms", " p50"),
                (f"{way}_cpu_{unit}", ", processor time"),
            ):
                own, peer = systems["footnote"].get(key), BESIDE[way]
                other = systems.get(peer, {}).get(key)
                found.append(
                    (
                        f"{size}, {what}{kind}",
                        f"{own} {unit}",
                        "-" if other is None else f"{other} {unit} ({peer})",
                        f"{own / other:.2f}" if own and other else "-",
                    )
                )
        recalls = {name: each["dense_recall@10"] for name, each in systems.items()}
        said = ", ".join(f"{name} {share}" for name, share in recalls.items() if share is not None)
        found.append((f"{size}, dense recall@10", f"{recalls['footnote']}", said, ""))
    search, answers, ingestion = record["search"], record["answers"], record["ingestion"]
    servers = record["clients"]["servers"]
    one = servers[0]
    for many in servers:
        if many["clients"] > one["clients"] and many["clients"] == servers[-1]["clients"]:
            several = f"{many['clients']} clients, processes of the server: {many['processes']}"
            found += [
                (
                    f"searches a second over HTTP, {several}",
                    f"{many['queries_per_s']}",
                    f"{one['queries_per_s']} (one client)",
                    f"{many['queries_per_s'] / one['queries_per_s']:.2f}",
                ),
                (
                    "p95 among them",
                    f"{many['p95_ms']} ms",
                    f"{one['p50_ms']} ms (p50 of one client)",
                    f"{many['p95_ms'] / one['p50_ms']:.2f}",
                ),
            ]
    found += [
        ("search with the question's embedding, p50", f"{search['p50_ms']} ms", "", ""),
        ("the same, p95", f"{search['p95_ms']} ms", "", ""),
        ("first words of an answer, p50", f"{answers['first_words_p50_ms']} ms", "", ""),
        ("the whole answer, p50", f"{answers['whole_p50_ms']} ms", "", ""),
        *(
            (
                f"memory of server and Postgres, {when}",
                f"{answers[f'{name}server_mb'] + answers[f'{name}postgres_mb']:.0f} MB",
                f"{answers[f'{name}postgres_mb']} MB of it Postgres",
                "",
            )
            for when, name in (("before the first question", "idle_"), ("after the last", ""))
        ),
        (
            "ingestion",
            f"{ingestion['chunks_per_s']} chunks/s",
            f"{ingestion['bare_embedder_chunks_per_s']} (bare embedder)",
            f"{ingestion['ratio']}",
        ),
    ]
    return found


def drawings(record: Report) -> dict[str, str]:
    """The pictures of docs/performance.md by file name."""
    peers, search = record["peers"], record["search"]
    latency: dict[str, list[tuple[float, float]]] = {}
    for report in peers:
        for name, each in report["systems"].items():
            for way in WAYS:
                if value := each[f"{way}_p50_ms"]:
                    latency.setdefault(f"{name} {way}", []).append((report["chunks"], value))
    shown = {
        name: points
        for name, points in latency.items()
        if name.startswith("footnote")
        or name in ("lancedb hybrid", "bm25s lexical", "simsimd dense")
    }
    recall = {
        name: (each["dense_p50_ms"], each["dense_recall@10"])
        for name, each in peers[-1]["systems"].items()
        if each["dense_p50_ms"] and each["dense_recall@10"]
    }
    by_clients: dict[str, list[tuple[float, float]]] = {}
    for each in record["clients"]["servers"]:
        name = f"footnote, processes: {each['processes']}"
        by_clients.setdefault(name, []).append((each["clients"], each["queries_per_s"]))
    stages = {name: each["median_ms"] for name, each in search["stages"].items()}
    rest = max(search["p50_ms"] - sum(stages.values()), 0.0)
    chunks = f"{search['chunks']:,} chunks"
    return {
        "latency.svg": lines(
            "A search by the size of its workspace (p50)", "chunks", "milliseconds", shown
        ),
        "recall.svg": scatter(
            f"Dense recall@10 and what it takes, {peers[-1]['chunks']:,} chunks",
            "milliseconds (p50)",
            "recall@10",
            recall,
        ),
        "throughput.svg": lines(
            f"Searches a second over HTTP, {chunks}", "clients", "a second", by_clients
        ),
        "stages.svg": stacked(
            f"Where the time of a search goes, {chunks} (medians)",
            "ms",
            {**stages, "passages, audit log and the rest": rest},
        ),
    }


def present(record: Report) -> None:
    about: Mapping[str, object] = record["machine"]
    show(
        f"Footnote {record['version']}, {record['at']}",
        ("", "Footnote", "beside", "ratio"),
        rows(record),
    )
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    for sentence in record["peers"][-1]["absent"]:
        print(sentence)


def draw(record: Report, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in drawings(record).items():
        (folder / name).write_text(picture, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="chunks")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--data", type=Path, help="folder of retrieval sets")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--history", type=Path, default=HISTORY, help="where records are kept")
    parser.add_argument("--pictures", type=Path, default=PICTURES, help="where they are drawn")
    parser.add_argument("--keep", action="store_true", help="add it to the history, and draw it")
    parser.add_argument("--draw", action="store_true", help="only draw the last of the history")
    options = parser.parse_args()
    if options.draw:
        record = json.loads(options.history.read_text(encoding="utf-8").splitlines()[-1])
    else:
        record = measure(options.sizes, options.queries, options.models, options.data)
        if options.keep:
            with options.history.open("a", encoding="utf-8") as history:
                history.write(json.dumps(record) + "\n")
    present(record)
    if options.keep or options.draw:
        draw(record, options.pictures)


if __name__ == "__main__":
    main()
