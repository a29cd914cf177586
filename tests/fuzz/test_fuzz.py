from __future__ import annotations

import pytest
from hypothesis import strategies as st

from tests.fuzz.__main__ import fuzz, run_round
from tests.fuzz.targets import TARGETS, Target


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_one_round_of_each_target_breaks_nothing(name: str) -> None:
    run_round(TARGETS[name], 20)


def test_a_broken_law_ends_the_run_and_names_its_seed_and_input(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def law(number: int) -> None:
        assert number < 500

    assert fuzz({"numbers": Target(st.integers(0, 10**6), law)}, 0, 7) == 1
    said = capsys.readouterr().err
    assert "numbers, seed 7: AssertionError" in said
    assert "500" in said


def test_a_run_without_a_fault_says_how_much_it_tried(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz({"numbers": Target(st.integers(), lambda _: None)}, 0, 7) == 0
    assert capsys.readouterr().out.startswith("1 rounds of 150 inputs for each of numbers")
