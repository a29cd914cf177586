"""The page on security names tests that exist, and counts its requirements right."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache

import pytest

from .pages import ROOT, page

PAGE = page("docs/security.md")
NUMBER = re.compile(r"\bV\d+\.\d+\.\d+\b")
ROW = re.compile(r"^\| (V\d+\.\d+\.\d+) \| [12] \| ([^|]+) \| ([^|]+) \| ([^|]*) \|$", re.MULTILINE)
NAMED = sorted({span for span in PAGE.code if span.startswith("tests/")})
REQUIREMENTS = 253
"""Of levels 1 and 2 in ASVS 5.0.0."""


@pytest.mark.parametrize("named", NAMED)
def test_every_test_that_is_named_exists(named: str) -> None:
    path, _, name = named.partition("::")
    assert (ROOT / path).is_file(), f"docs/security.md names {path}"
    if name:
        assert name in functions_of(path), f"docs/security.md names {named}"


@cache
def functions_of(path: str) -> frozenset[str]:
    """The names of all functions in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def test_each_requirement_stands_there_once() -> None:
    numbers = Counter(NUMBER.findall(PAGE.text))
    assert [number for number, times in numbers.items() if times > 1] == []
    assert len(numbers) == REQUIREMENTS


def test_the_states_are_counted_right() -> None:
    section = PAGE.section("ASVS 5.0.0")
    said = {
        state: int(count)
        for state, count in re.findall(r"^\| ([a-z ]+) \| (\d+) \|$", section, re.M)
    }
    counted = Counter(state for _, _, state, _ in ROW.findall(section))
    elsewhere = len(NUMBER.findall(PAGE.section("What does not apply")))
    assert said == {**counted, "does not apply": elsewhere}
    assert sum(said.values()) == REQUIREMENTS


def test_what_is_met_says_what_shows_it_and_asks_in_few_words() -> None:
    rows = ROW.findall(PAGE.text)
    assert [number for number, _, state, by in rows if state == "met" and not by.strip()] == []
    assert [number for number, asked, _, _ in rows if len(asked.split()) >= 15] == []
