"""What a document adds to the label of what it is in: an area of the map, or a cluster."""

from __future__ import annotations

import re
from collections.abc import Sequence

from footnote.domain import Passage
from footnote.index.stopwords import STOP_WORDS

_WORD = re.compile(r"[^\W\d_]{3,20}")
"""A word of a title that may be one of a label: neither a number nor a sentence without spaces."""


def label_terms(title: str, keywords: Sequence[str], language: str | None) -> list[str]:
    """Its keywords, and the words of its title that are not in every text of the language."""
    stopped = STOP_WORDS.get(language or "", frozenset())
    words = (each for each in _WORD.findall(title) if each.lower() not in stopped)
    return [*keywords, *words]


def passage_terms(passage: Passage) -> list[str]:
    """The words of a passage and of its heading that are not in every text of the language."""
    heading = passage.heading_path[-1] if passage.heading_path else ""
    return label_terms(f"{heading} {passage.text[passage.body_offset :]}", (), passage.language)
