"""Stretches of a question that may be names, and the keys that documents are found by."""

from __future__ import annotations

import pytest

from footnote.knowledge.linking import form_keys
from footnote.knowledge.question_names import MAX_WORDS, names_in


@pytest.mark.parametrize(
    ("question", "found", "not_found"),
    [
        ("Who leads Northwind Traders Ltd?", {"Northwind Traders Ltd", "Northwind"}, {"leads"}),
        ("What did “Bank of Hull” pay?", {"Bank of Hull"}, {"of"}),
        ("who leads northwind traders?", {"northwind traders", "northwind"}, set()),
        ("Where is lot B-12 kept?", {"B-12"}, {"kept"}),
        ("", set(), set()),
    ],
    ids=["capitals", "quoted", "lower-case", "digits", "empty"],
)
def test_what_may_be_a_name(question: str, found: set[str], not_found: set[str]) -> None:
    texts = {each.text for each in names_in(question)}
    assert found <= texts
    assert not not_found & texts


def test_names_have_the_keys_of_what_documents_write() -> None:
    [name] = [each for each in names_in("What did the Acme Ltd. sell?") if each.text == "Acme Ltd"]
    assert set(form_keys("ACME Limited")) & set(name.keys)
    words = "What did the Acme Ltd. sell?".split()[name.start : name.end]
    assert words == ["Acme", "Ltd."]


def test_a_long_question_is_read_in_part() -> None:
    names = names_in("Acme " * 500)
    assert len(names) < 48 * MAX_WORDS
    assert max(each.end - each.start for each in names) == MAX_WORDS
