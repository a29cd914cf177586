"""Questions about a thing that no document speaks of, though one speaks of its sibling.

`siblings/families.jsonl` has short documents with a gap, the things that may stand in it in pairs,
and questions with the same gap. Of each pair one stands in the documents, then the other, and both
are asked about: what is there, under another name too, and what is not.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footnote.domain import Citation
from footnote.index.analysis import TextAnalyzer
from footnote.ports import Embedder
from reading import HALVES, Asked
from reading_sets import bm25, evidence_of, fused, passage_of

FAMILIES = Path(__file__).parent / "siblings" / "families.jsonl"
CROSSED = frozenset(
    "pets expenses offices devices shifts insurance parking members repairs people delivery".split()
)
"""Families whose pairs are the same in English and German, which are asked of each other's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A document with a gap, in one language."""

    family: str
    language: str
    title: str
    text: str
    pairs: Sequence[Sequence[str]]
    """The things that may stand in the gap."""
    others: Mapping[str, Sequence[str]]
    """Other names of some of them."""
    questions: Sequence[Sequence[str]]
    """Kind and wording, with the same gap."""

    def filled(self, text: str, thing: str) -> str:
        """The text about a thing."""
        whole = text.replace("{a}", thing).replace("{A}", thing[0].upper() + thing[1:])
        return whole[0].upper() + whole[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class SiblingQuestion:
    """A question over its evidence, and what kind it is."""

    family: str
    kind: str
    """What it asks for."""
    about: str
    """`there`, `other name` or `absent`."""
    languages: str
    """That of the question, and of the documents where it is another."""
    asked: Asked


def read_families(half: str) -> list[Family]:
    """Every second family is in the half to develop on."""
    lines = FAMILIES.read_text(encoding="utf-8").splitlines()
    families = [Family(**json.loads(line)) for line in lines]
    names = list(dict.fromkeys(each.family for each in families))
    return [each for each in families if names.index(each.family) % 2 == HALVES.index(half)]


async def questions_of_siblings(half: str, embedder: Embedder, count: int) -> list[SiblingQuestion]:
    """Some of one half, the same ones each time, each over its documents in one language."""
    families = read_families(half)
    found: list[SiblingQuestion] = []
    for language in dict.fromkeys(each.language for each in families):
        own = [each for each in families if each.language == language]
        for pair in (0, 1):
            for member in (0, 1):
                found += await _over(own, families, pair, member, embedder)
    return random.Random(7).sample(found, min(count, len(found)))


async def _over(
    own: Sequence[Family], every: Sequence[Family], pair: int, member: int, embedder: Embedder
) -> Sequence[SiblingQuestion]:
    """The questions about documents with one member of a pair in their gaps."""
    language = own[0].language
    passages = [
        passage_of(
            f"{each.family}-{language}-{pair}-{member}",
            number,
            each.title,
            each.filled(each.text, each.pairs[pair][member]),
            language,
        )
        for number, each in enumerate(own)
    ]
    wordings = [
        (place, *wording)
        for place, each in enumerate(own)
        for wording in _wordings(each, every, pair, member)
    ]
    texts = [text for *_, text in wordings]
    vectors = await embedder.embed_documents([each.text for each in passages])
    targets = np.stack([await embedder.embed_query(text) for text in texts])
    similar = (targets @ vectors.T).astype(np.float64)
    rankings = fused(similar, bm25(passages, texts, TextAnalyzer()))
    found = []
    for row, (place, asking, kind, about, text) in enumerate(wordings):
        family, chunk = own[place].family, passages[place].chunk_id

        def is_right(citation: Citation, chunk: str = chunk) -> bool:
            return citation.chunk_id == chunk

        asked = Asked(
            identity=f"{chunk}-{row}",
            question=text,
            evidence=evidence_of(passages, rankings[row], similar[row]),
            answerable=about != "absent",
            is_right=is_right,
        )
        crossed = asking if asking == language else f"{asking} of {language}"
        found.append(
            SiblingQuestion(family=family, kind=kind, about=about, languages=crossed, asked=asked)
        )
    return found


def _wordings(
    one: Family, every: Sequence[Family], pair: int, member: int
) -> Iterator[tuple[str, str, str, str]]:
    """Language, kind, what it is about, and words of each question of a document."""
    crossed = {"en": "de", "de": "en"}.get(one.language)
    for each in every:
        same = each.family == one.family and each.language == one.language
        other = each.family == one.family and each.language == crossed and one.family in CROSSED
        if not (same or other):
            continue
        there, absent = each.pairs[pair][member], each.pairs[pair][1 - member]
        things = [("there", there), ("absent", absent)]
        things += [("other name", name) for name in each.others.get(there, ())]
        for about, thing in things:
            for kind, text in each.questions:
                yield each.language, kind, about, each.filled(text, thing)
