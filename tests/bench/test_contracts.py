"""Each benchmark runs with one command and ends with one JSON object of the promised keys."""

from __future__ import annotations

import importlib
import io
import json
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from tests.folders import memory_folder

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
MINUTES = 30 * 60


def run_process(model_home: Path, script: str, *arguments: str) -> dict[str, object]:
    """Run it as a person would, where it loads much; what it reports."""
    finished = subprocess.run(
        [
            sys.executable,
            ROOT / "bench" / script,
            *arguments,
            "--models",
            model_home,
            "--json",
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=MINUTES,
    )
    assert finished.returncode == 0, finished.stderr
    return reported(finished.stdout)


def run_benchmark(model_home: Path, script: str, *arguments: str) -> dict[str, object]:
    """Run it in a thread of this process, which has loaded its modules and models."""
    benchmark = importlib.import_module(script.removesuffix(".py"))
    given = [script, *arguments, "--models", str(model_home), "--json"]
    out = io.StringIO()
    with (
        ThreadPoolExecutor(1) as thread,
        mock.patch.object(sys, "argv", given),
        mock.patch.object(tempfile, "tempdir", memory_folder()),
        redirect_stdout(out),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        thread.submit(benchmark.main).result()
    return reported(out.getvalue())


def reported(said: str) -> dict[str, object]:
    """What its last line says."""
    table, _, last_line = said.rstrip("\n").rpartition("\n")
    assert table.strip(), "people get a table too"
    report = json.loads(last_line)
    assert isinstance(report, dict)
    return report


@pytest.fixture
def retrieval_sets(tmp_path: Path) -> Path:
    """A folder with one tiny set, whose questions each have one right document."""
    folder = tmp_path / "tiny-de"
    folder.mkdir()
    texts = {
        "a": "Die Kündigungsfrist beträgt drei Monate zum Ende des Quartals.",
        "b": "Der Versicherer zahlt nach einem Hagelschaden binnen zwei Wochen.",
        "c": "Das Treffen fand im April statt, und alle waren dabei.",
    }
    questions = {"1": "Wie lang ist die Kündigungsfrist?", "2": "Wann zahlt der Versicherer?"}
    write_rows(folder / "corpus.jsonl", texts, title="Akte_7")
    write_rows(folder / "queries.jsonl", questions)
    (folder / "qrels.tsv").write_text(
        "query-id\tcorpus-id\tscore\n1\ta\t2\n2\tb\t1\n", encoding="utf-8"
    )
    return tmp_path


@pytest.fixture
def short_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Papers of a section each: what a benchmark reports has the same form for short ones."""
    monkeypatch.setattr("papers.SECTIONS", (1, 2))


def write_rows(path: Path, texts: dict[str, str], **more: str) -> None:
    rows = [json.dumps({"_id": name, "text": text, **more}) for name, text in texts.items()]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


@pytest.mark.usefixtures("short_papers")
def test_ingestion_is_compared_with_the_bare_embedder(model_home: Path) -> None:
    report = run_benchmark(model_home, "ingest.py", "--documents", "2", "--rounds", "1")
    for key in ("chunks_per_s", "bare_embedder_chunks_per_s", "ratio", "peak_rss_mb"):
        figure = report[key]
        assert isinstance(figure, float), key
        assert figure > 0, key
    assert report["documents"] == 2


@pytest.mark.usefixtures("short_papers")
def test_memory_is_watched_by_rounds_and_by_length(
    model_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each look at the memory of all processes takes a while of its own.
    monkeypatch.setattr("memory.EVERY_SECONDS", 0.5)
    report = run_benchmark(
        model_home, "flatness.py", *("--files", "10", "--pages", "8"), *("--line-megabytes", "0.02")
    )
    peaks = report["peaks"]
    assert isinstance(peaks, list)
    assert [each["chunks"] for each in peaks[:10]] == [1] * 10
    assert [each["what"] for each in peaks[10:]] == [
        *(f"a PDF of {pages} pages" for pages in (1, 2, 4, 8)),
        "one line of 0.02 MB",
    ]
    assert all(each["peak_rss_mb"] > each["worker_peak_mb"] > 0 for each in peaks)


def test_the_hops_of_a_question_and_an_upload_are_counted(
    model_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With a longer look at the idle server the counts are lower, and nothing is held to them here.
    monkeypatch.setattr(importlib.import_module("hops"), "IDLE_SECONDS", 1.0)
    report = run_benchmark(model_home, "hops.py")
    for what in ("question", "upload"):
        names = report[f"{what}_names"]
        assert isinstance(names, list)
        assert report[f"{what}_hops"] == len(names) > 0
        assert any(str(name).startswith("interfaces/http") for name in names)


def test_search_reports_latency_stages_and_throughput(model_home: Path) -> None:
    report = run_benchmark(
        model_home,
        "search.py",
        *("--chunks", "60", "--workspaces", "2", "--clients", "2", "--queries", "5"),
    )
    for key in ("p50_ms", "p95_ms", "p99_ms", "queries_per_s"):
        figure = report[key]
        assert isinstance(figure, float), key
        assert figure > 0, key
    stages = report["stages"]
    assert isinstance(stages, dict)
    assert stages.keys() == {"embed", "recall", "fuse"}


def test_clients_report_what_each_server_gave_them(model_home: Path) -> None:
    report = run_benchmark(
        model_home,
        "clients.py",
        *("--chunks", "40", "--processes", "2", "--clients", "1", "3", "--queries", "3"),
        *("--rounds", "1"),
    )
    servers = report["servers"]
    assert isinstance(servers, list)
    assert [(each["processes"], each["clients"]) for each in servers] == [(2, 1), (2, 3)]
    for each in servers:
        assert each["queries_per_s"] > 0
        assert each["p95_ms"] >= each["p50_ms"] > 0


def test_quality_judges_every_mode_on_every_set(model_home: Path, retrieval_sets: Path) -> None:
    report = run_benchmark(model_home, "quality.py", "--data", str(retrieval_sets))
    sets = report["sets"]
    assert isinstance(sets, dict)
    assert sets.keys() == {"tiny-de"}
    assert sets["tiny-de"].keys() == {"lexical", "dense", "fused", "default"}
    for figures in sets["tiny-de"].values():
        assert figures.keys() == {"ndcg@10", "recall@10", "mrr@10"}
    assert sets["tiny-de"]["lexical"] == {"ndcg@10": 1.0, "recall@10": 1.0, "mrr@10": 1.0}


def test_peers_are_asked_beside_footnote(model_home: Path, retrieval_sets: Path) -> None:
    report = run_process(
        model_home,
        "peers.py",
        *("--chunks", "40", "--queries", "3"),
        *("--set", "tiny-de", "--data", str(retrieval_sets)),
    )
    systems = report["systems"]
    assert isinstance(systems, dict)
    assert systems.keys() >= {"footnote", "bm25s", "numpy"}
    for name, figures in systems.items():
        assert figures["ingest_s"] >= 0, name
        assert 0 < figures["ndcg@10"] <= 1, name
        ways = {way: figures[f"{way}_p50_ms"] for way in ("lexical", "dense", "hybrid")}
        assert any(ways.values()), name
        assert (figures["hybrid_p95_ms"] is None) == (ways["hybrid"] is None)
    assert all(systems["footnote"][f"{way}_p50_ms"] for way in ("lexical", "dense", "hybrid"))
    assert systems["bm25s"]["dense_p50_ms"] is None


def test_an_unknown_set_is_refused_by_name(retrieval_sets: Path) -> None:
    finished = subprocess.run(
        [sys.executable, ROOT / "bench/quality.py", "absent", "--data", retrieval_sets],
        check=False,
        capture_output=True,
        text=True,
        timeout=MINUTES,
    )
    assert finished.returncode != 0
    assert "tiny-de" in finished.stderr


def test_questions_are_asked_across_languages(model_home: Path, retrieval_sets: Path) -> None:
    german, english = retrieval_sets / "tiny-de", retrieval_sets / "tiny-en"
    english.mkdir()
    write_rows(
        english / "corpus.jsonl",
        {
            "a": "The period of notice is three months to the end of a quarter.",
            "b": "The insurer pays within two weeks of damage by hail.",
            "c": "The meeting was held in April, and everybody came.",
        },
    )
    questions = {"1": "How long is the period of notice?", "2": "When does the insurer pay?"}
    write_rows(english / "queries.jsonl", questions)
    (english / "qrels.tsv").write_text((german / "qrels.tsv").read_text())
    report = run_benchmark(
        model_home,
        "quality.py",
        *("--across", "--embedder", "e5", "--data", str(retrieval_sets)),
    )
    across = report["across"]
    assert isinstance(across, dict)
    assert across.keys() == {"de > en", "en > de"}
    assert across["en > de"]["dense"]["recall@10"] == 1.0
