"""Texts whose names are marked: Re-DocRED, and corpora of one token and label a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np

KINDS = {"PER": "person", "ORG": "organisation", "LOC": "place", "MISC": "other"}
NO_SPACE_BEFORE = frozenset(".,;:!?)%]}'’”") | {"'s", "n't", '"),', '")', "''"}
NO_SPACE_AFTER = frozenset("([{$£€“") | {'("'}
HELD_OUT = 5
"""One document in so many."""
SENTENCES_TOGETHER = 8
"""Of a corpus that does not say where its documents end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotated:
    """A text with its names."""

    source: str
    name: str
    text: str
    spans: tuple[tuple[int, int, str], ...]
    """Half-open offsets of each name, in order, with its kind."""
    entities: tuple[tuple[tuple[int, int], ...], ...] = ()
    """The places of each entity, where the corpus says which names are of one."""

    @property
    def is_held_out(self) -> bool:
        """Whether nothing is fitted on it."""
        return crc32(self.name.encode()) % HELD_OUT == 0


def joined(tokens: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Tokens as a text, and where each stands in it."""
    text, places = "", []
    for at, token in enumerate(tokens):
        if at and token not in NO_SPACE_BEFORE and tokens[at - 1] not in NO_SPACE_AFTER:
            text += " "
        places.append((len(text), len(text) + len(token)))
        text += token
    return text, places


def redocred(file: Path) -> Iterator[Annotated]:
    for number, each in enumerate(json.loads(file.read_text())):
        starts = np.cumsum([0, *(len(sentence) for sentence in each["sents"])])
        text, places = joined([token for sentence in each["sents"] for token in sentence])
        spans = set()
        entities = []
        for entity in each["vertexSet"]:
            found = []
            for mention in entity:
                if mention["type"] in KINDS:
                    first, last = (int(starts[mention["sent_id"]]) + at for at in mention["pos"])
                    found.append((places[first][0], places[last - 1][1]))
                    spans.add((*found[-1], KINDS[mention["type"]]))
            entities.append(tuple(found))
        yield Annotated(
            source="redocred",
            name=f"{number} {each['title']}",
            text=text,
            spans=disjoint(spans),
            entities=tuple(one for one in entities if one),
        )


def disjoint(spans: set[tuple[int, int, str]]) -> tuple[tuple[int, int, str], ...]:
    """The longest of those that overlap, in order."""
    kept: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spans, key=lambda span: span[0] - span[1]):
        if all(end <= other[0] or start >= other[1] for other in kept):
            kept.append((start, end, kind))
    return tuple(sorted(kept))


def conll(file: Path, source: str) -> Iterator[Annotated]:
    """Documents of a file with a token and its label in each line (IO, without beginnings)."""
    sentences: list[list[tuple[str, str]]] = [[]]
    for line in file.read_text().splitlines():
        if not line.strip():
            sentences.append([])
        elif not line.startswith("-DOCSTART-"):
            word, *_, label = line.split()
            sentences[-1].append((word, label))
    sentences = [each for each in sentences if each]
    for number in range(0, len(sentences), SENTENCES_TOGETHER):
        tokens = [
            each
            for one in sentences[number : number + SENTENCES_TOGETHER]
            for each in [*one, ("", "O")]
        ]
        text, places = joined([word for word, _ in tokens])
        spans, begun = [], -1
        for at, (_, label) in enumerate([*tokens, ("", "O")]):
            if begun >= 0 and label != tokens[begun][1]:
                kind = KINDS[tokens[begun][1].removeprefix("I-")]
                spans.append((places[begun][0], places[at - 1][1], kind))
                begun = -1
            if label != "O" and begun < 0:
                begun = at
        yield Annotated(source=source, name=f"{source} {number}", text=text, spans=tuple(spans))


def annotated(data: Path) -> list[Annotated]:
    """All of them, from a folder with `facts` and `entities`."""
    return [
        *redocred(data / "facts" / "redocred-dev.json"),
        *conll(data / "entities" / "wikigold.conll", "wikigold"),
        *conll(data / "entities" / "sec-filings-fin5.conll", "fin5"),
    ]
