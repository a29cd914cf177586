"""What the suite kept is drawn, and its table holds each figure against what it is measured by."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def test_the_last_of_the_history_is_drawn(tmp_path: Path) -> None:
    history, pictures = tmp_path / "history.jsonl", tmp_path / "pictures"
    history.write_text("{}\n" + json.dumps(_record()) + "\n", encoding="utf-8")
    kept = ("--history", history, "--pictures", pictures)
    finished = subprocess.run(
        [sys.executable, ROOT / "bench/suite.py", "--draw", *kept],
        check=True,
        capture_output=True,
        text=True,
    )
    said = " ".join(finished.stdout.split())
    for figure in ("2.0 ms (bm25s)", "2.50", "450 MB", "1.50", "1.90", "lancedb is left out"):
        assert figure in said, finished.stdout
    drawn = {path.name: ET.parse(path).getroot() for path in pictures.iterdir()}
    assert drawn.keys() == {"latency.svg", "recall.svg", "throughput.svg", "stages.svg"}
    lines = drawn["latency.svg"].findall(f"{SVG}polyline")
    # Footnote by words, by meaning and by both, and bm25s.
    assert len(lines) == 4
    assert len(drawn["throughput.svg"].findall(f"{SVG}polyline")) == 2
    said = " ".join(text.text or "" for text in drawn["stages.svg"].findall(f"{SVG}text"))
    assert "embed: 3.00 ms, 30%" in said


def _record() -> dict[str, object]:
    peers = [
        {
            "chunks": size,
            "absent": ["lancedb is left out: it is not installed."],
            "systems": {
                "footnote": _system(factor, lexical=5.0, dense=4.0, hybrid=6.0, recall=1.0),
                "bm25s": _system(factor, lexical=2.0),
            },
        }
        for factor, size in enumerate((1_000, 10_000), start=1)
    ]
    return {
        "at": "2026-01-01T00:00:00+00:00",
        "version": "0.1.0",
        "machine": {"cores": 2},
        "peers": peers,
        "search": {
            "chunks": 10_000,
            "p50_ms": 10.0,
            "p95_ms": 12.0,
            "stages": {"embed": {"median_ms": 3.0}, "recall": {"median_ms": 4.0}},
        },
        "clients": {
            "servers": [
                {"processes": processes, "clients": clients, **served}
                for processes, clients, served in (
                    (1, 1, {"queries_per_s": 100.0, "p50_ms": 10.0, "p95_ms": 12.0}),
                    (1, 16, {"queries_per_s": 150.0, "p50_ms": 90.0, "p95_ms": 99.0}),
                    (2, 1, {"queries_per_s": 100.0, "p50_ms": 10.0, "p95_ms": 12.0}),
                    (2, 16, {"queries_per_s": 190.0, "p50_ms": 70.0, "p95_ms": 80.0}),
                )
            ],
        },
        "answers": {
            "first_words_p50_ms": 100.0,
            "whole_p50_ms": 110.0,
            "idle_server_mb": 200.0,
            "idle_postgres_mb": 50.0,
            "server_mb": 400.0,
            "postgres_mb": 50.0,
        },
        "ingestion": {
            "chunks_per_s": 40.0,
            "bare_embedder_chunks_per_s": 44.0,
            "ratio": 0.91,
        },
    }


def _system(factor: int, recall: float | None = None, **milliseconds: float) -> dict[str, object]:
    ways = {
        f"{way}_p50_ms": factor * milliseconds[way] if way in milliseconds else None
        for way in ("lexical", "dense", "hybrid")
    }
    return {**ways, "ingest_s": 1.0, "dense_recall@10": recall}
