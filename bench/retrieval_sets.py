"""Reads retrieval sets (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`) and indexes their texts."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from footnote.domain import ChunkTerms
from footnote.index.bm25 import Frequencies, Numbers
from footnote.index.segments import (
    CHUNK_NUMBER,
    COUNT,
    FREQUENCY,
    TERM,
    chunk_lengths,
    posting_parts,
)

Titles = Literal["always", "own-language", "never"]
FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedDocument:
    """A document of a set; its title is empty where it is not to be indexed."""

    identity: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """Title and text as one chunk."""
        return "\n".join(part for part in (self.title, self.text) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalSet:
    """Documents, questions and which document answers which question how well."""

    name: str
    language: str
    """ISO 639-1."""
    documents: tuple[JudgedDocument, ...]
    queries: Mapping[str, str]
    judgements: Mapping[str, Mapping[str, int]]
    """Grades by query and document; 0 is not relevant."""


def names_in(folder: Path) -> list[str]:
    """The sets that lie in a folder, by name."""
    return sorted(
        each.name
        for each in (folder.iterdir() if folder.is_dir() else ())
        if all((each / name).is_file() for name in FILES)
    )


def read_set(folder: Path, titles: Titles = "always") -> RetrievalSet:
    """The set in a folder; its language is a two-letter suffix of the name, else English.

    XQuAD names its articles in English in every language; `own-language` leaves those out.
    """
    judgements: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            judgements.setdefault(line["query-id"], {})[line["corpus-id"]] = int(line["score"])
    suffix = folder.name.rpartition("-")[2]
    language = suffix if len(suffix) == 2 else "en"
    titled = titles == "always" or (titles == "own-language" and language == "en")
    return RetrievalSet(
        name=folder.name,
        language=language,
        documents=tuple(
            JudgedDocument(
                identity=str(row["_id"]),
                title=_title(row) if titled else "",
                text=str(row["text"]),
            )
            for row in _rows(folder / "corpus.jsonl")
        ),
        queries={str(row["_id"]): str(row["text"]) for row in _rows(folder / "queries.jsonl")},
        judgements=judgements,
    )


def _title(row: Mapping[str, object]) -> str:
    return str(row.get("title") or "").replace("_", " ").strip()


def _rows(path: Path) -> list[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def index_of(
    chunks: Sequence[Sequence[int]],
) -> tuple[dict[int, tuple[Numbers, Frequencies]], tuple[bytes, bytes]]:
    """Posting lists by term, and chunk numbers with lengths, of chunks given by their term ids."""
    counted = ChunkTerms.of(chunks)
    postings: dict[int, tuple[Numbers, Frequencies]] = {}
    for part in posting_parts(0, counted):
        ends = np.cumsum(np.frombuffer(part.counts, COUNT))[:-1]
        numbers = np.split(np.frombuffer(part.chunk_numbers, CHUNK_NUMBER), ends)
        frequencies = np.split(np.frombuffer(part.frequencies, FREQUENCY), ends)
        terms = np.frombuffer(part.terms, TERM).tolist()
        postings |= zip(terms, zip(numbers, frequencies, strict=True), strict=True)
    return postings, chunk_lengths(0, counted)
