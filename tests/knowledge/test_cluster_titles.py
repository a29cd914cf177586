"""What a model calls a cluster is taken only where it says what the documents are about."""

from __future__ import annotations

import pytest

from footnote.index.analysis import TextAnalyzer
from footnote.knowledge.cluster_titles import Described, titled

DOCUMENTS = (
    Described(title="Late berth fees", keywords=("harbour", "berths"), language="en"),
    Described(title="Night berths of ferries", keywords=("mooring",), language="en"),
)


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("Berth fees", "Berth fees"),
        ('Title: "Harbour berths."\n', "Harbour berths"),
        ("**Mooring in the harbour**", "Mooring in the harbour"),
        ("", None),
        ("   \n", None),
        ("Here is a title:\nBerth fees", None),
        ("Quarterly revenue of banks", None),
        ("berth " * 9, None),
        ("harbour" * 20, None),
        ("Berth\x07fees", None),
        ("!!!", None),
        ("I cannot help with that.", None),
    ],
    ids=str,
)
def test_a_reply_is_a_title_or_nothing(reply: str, title: str | None) -> None:
    assert titled(reply, DOCUMENTS, TextAnalyzer().terms) == title
