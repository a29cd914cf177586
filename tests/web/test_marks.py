"""Sentences of the examples are marked where another reader of PDF files finds them."""

from __future__ import annotations

import asyncio
import importlib
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import pytest

from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, hosted

pytest.importorskip("pdfminer", reason="pdfminer.six is not installed here")

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
FILES = ("annual-report-2024.pdf", "lagermietvertrag-nordersiel.pdf")
MIN_SHARE = 0.99
WRONG = ("wrong", "unmarked", "stuck")


@pytest.mark.usefixtures("browser")
async def test_marks_are_within_two_pixels_of_the_words(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for name in FILES:
        (data / name).symlink_to(ROOT / "examples" / "documents" / name)
    benchmark = importlib.import_module("marks")
    out = io.StringIO()
    with fresh_database(postgres) as database:
        async with hosted(environment(settings_over(database, tmp_path, model_home))) as address:
            given = ["--data", str(data), "--quotes", "25", "--address", address, "--json"]
            with mock.patch.object(sys, "argv", ["marks.py", *given]), redirect_stdout(out):
                await asyncio.to_thread(benchmark.main)
    report = json.loads(out.getvalue().splitlines()[-1])
    assert set(report["files"]) == set(FILES)
    right = sum(each.get("right", 0) for each in report["files"].values())
    wrong = sum(each.get(kind, 0) for each in report["files"].values() for kind in WRONG)
    assert right >= 30
    assert right >= MIN_SHARE * (right + wrong), report["faults"]
