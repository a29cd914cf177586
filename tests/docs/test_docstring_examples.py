"""What the examples in docstrings say is what the program gives."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections.abc import Iterator
from zipfile import BadZipFile

import pytest

import footnote
from footnote.answering.exact_values import extract_values
from footnote.index.analysis import TextAnalyzer

AT_HAND = {"analyzer": TextAnalyzer(), "extract_values": extract_values, "BadZipFile": BadZipFile}
"""What examples use without importing it."""


def examples() -> Iterator[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    for each in pkgutil.walk_packages(footnote.__path__, "footnote."):
        if each.name.endswith("__main__"):
            continue
        module = importlib.import_module(each.name)
        yield from (found for found in finder.find(module, extraglobs=AT_HAND) if found.examples)


FOUND = list(examples())


def test_there_are_examples() -> None:
    assert len(FOUND) > 100


@pytest.mark.parametrize("example", FOUND, ids=lambda each: each.name)
def test_an_example_gives_what_it_says(example: doctest.DocTest) -> None:
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not said, "".join(said)
