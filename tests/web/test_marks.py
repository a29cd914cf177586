"""Sentences of the examples are marked where another reader of PDF files finds them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pdfminer", reason="pdfminer.six is not installed here")

ROOT = Path(__file__).parents[2]
FILES = ("annual-report-2024.pdf", "lagermietvertrag-nordersiel.pdf")
LEAST_SHARE = 0.99
WRONG = ("wrong", "unmarked", "stuck")


@pytest.mark.usefixtures("browser")
def test_marks_are_within_two_pixels_of_the_words(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).symlink_to(ROOT / "examples" / "documents" / name)
    command = ["bench/marks.py", "--data", str(tmp_path), "--quotes", "25", "--json"]
    ran = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    report = json.loads(ran.stdout.splitlines()[-1])
    assert set(report["files"]) == set(FILES)
    right = sum(each.get("right", 0) for each in report["files"].values())
    wrong = sum(each.get(kind, 0) for each in report["files"].values() for kind in WRONG)
    assert right >= 30
    assert right >= LEAST_SHARE * (right + wrong), report["faults"]
