"""The model of sizes finds what is linear, and never takes bytes away."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from scale import Stage, fitted, predicted, stages_from


def stage(workspaces: int, chunks: int, table_bytes: int) -> Stage:
    return Stage(
        workspaces=workspaces,
        chunks=chunks,
        load_s=0,
        bytes={"table": table_bytes},
        first={},
        again={},
        of_the_first_stage={},
        plans={},
        process_mb=0,
    )


def test_sizes_that_grow_with_both_are_found_again() -> None:
    sizes = [(10, 1000), (20, 2000), (20, 9000)]
    model = fitted([stage(count, chunks, 300 * count + 5 * chunks) for count, chunks in sizes])
    assert model["table"] == pytest.approx((300, 5))
    assert predicted(model, 100, 100_000)["table"] == pytest.approx(530_000)


def test_nothing_makes_an_installation_smaller() -> None:
    stages = [stage(10, 1000, 8192), stage(20, 50_000, 16_384)]
    stages.append(stage(30, 30_000, 16_384))
    assert min(fitted(stages)["table"]) >= 0


def test_stages_are_counts_and_sizes() -> None:
    assert stages_from("20x1000,5x4000") == [(20, 1000), (5, 4000)]
