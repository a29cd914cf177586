"""Raise the scores of tables, and of those with a matching row, if the question asks for a figure.

A table has the figure, while prose about it often matches the question's words better. So where a
figure is asked for, a passage that is a table gains score, and more if the name of one of its rows
matches the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from footnote.domain import MetadataValue, Recall, StageRecord
from footnote.ports import RowMatch, TableText
from footnote.retrieval.fusion import Fused, rank_by_score

ROWS = "rows"
"""Name of the stage that matches the rows of tables."""
TABLE_GAIN = 0.3
"""Gain of a table, as a share of its score."""
ROW_GAIN = 0.5
"""Gain of a table for a fully matching row, as a share of the best score. Both fitted on
one half of `bench/filings.py`."""
_FULL_MATCH_IDF = 6.0
"""Total idf, in nats, of the shared terms from which a match counts in full."""
_MIN_WORD_SHARE = 0.5
"""Minimum share of the words of a row's name that the question must contain."""
_LONGEST_NAME = 80
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+")

TermsOfWords = Callable[[Sequence[str], str | None], Sequence[Sequence[str]]]
"""The terms of each word of a language."""


def rows_called(
    tables: Mapping[int, TableText], idf: Mapping[str, float], terms_of: TermsOfWords
) -> Mapping[int, RowMatch]:
    """Return the best row match of each table with the question.

    A row has a name in its first cell and a figure in another. It matches if at least half the
    words of its name are in the question, and fully if all are and they are rare; `idf` has the idf
    of each term of the question.
    """
    best_matches = {}
    for language in {table.language for table in tables.values()}:
        names = {
            number: list(dict.fromkeys(_names_of_rows(table.text)))
            for number, table in tables.items()
            if table.language == language
        }
        words = list(
            dict.fromkeys(w for row_names in names.values() for n in row_names for w in _words(n))
        )
        terms = {
            word: frozenset(word_terms)
            for word, word_terms in zip(words, terms_of(words, language), strict=True)
            if word_terms
        }
        for number, row_names in names.items():
            matches = [(_match(name, terms, idf), name) for name in row_names]
            match, name = max(matches, default=(0.0, ""), key=lambda pair: pair[0])
            best_matches[number] = RowMatch(match=match, name=name if match else "")
    return best_matches


def toward_rows(fused: Fused, rows: Mapping[int, RowMatch]) -> Fused:
    """Raise the scores of tables by their matches from `rows_called`. Parts still add up to their
    score.
    """
    if not rows or not fused.ranking:
        return fused
    best = fused.ranking[0].score
    parts: dict[int, Mapping[Recall, float]] = dict(fused.parts)
    scores = {hit.chunk_no: hit.score for hit in fused.ranking}
    for hit in fused.ranking:
        gain = _gain(hit.chunk_no, hit.score, best, rows)
        if gain:
            share = 1 + gain / hit.score
            hit_parts = fused.parts.get(hit.chunk_no, {})
            scores[hit.chunk_no] += gain
            parts[hit.chunk_no] = {recall: part * share for recall, part in hit_parts.items()}
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=fused.dense_weight)


def row_records(chunk_no: int, rows: Mapping[int, RowMatch]) -> list[StageRecord]:
    """Record a table's best row match; empty for other chunks, or if no figure is asked for."""
    row = rows.get(chunk_no)
    if row is None:
        return []
    rank = 1 + len({other.match for other in rows.values() if other.match > row.match})
    detail: dict[str, MetadataValue] = {"row": row.name} if row.name else {}
    return [StageRecord(stage=ROWS, rank_after=rank, score_after=row.match, detail=detail)]


def why_rows(record: StageRecord) -> str:
    """The record in words."""
    name = record.detail.get("row")
    return f"a table with the row “{name}”" if name else "a table, where a figure is asked for"


def _gain(number: int, score: float, best: float, rows: Mapping[int, RowMatch]) -> float:
    if number not in rows or score <= 0:
        return 0.0
    return TABLE_GAIN * score + ROW_GAIN * best * rows[number].match


def _match(name: str, terms: Mapping[str, frozenset[str]], idf: Mapping[str, float]) -> float:
    name_terms = [terms[word] for word in _words(name) if word in terms]
    shared_terms = {term for word_terms in name_terms for term in word_terms if term in idf}
    matched = sum(1 for word_terms in name_terms if word_terms & shared_terms)
    if not name_terms or matched < _MIN_WORD_SHARE * len(name_terms):
        return 0.0
    weight = sum(idf[term] for term in shared_terms)
    return matched / len(name_terms) * min(1.0, weight / _FULL_MATCH_IDF)


def _names_of_rows(text: str) -> Iterable[str]:
    for line in text.splitlines():
        if not line.startswith("|"):
            continue
        first, _, other_cells = line.strip("| ").partition("|")
        name = first.strip()
        if name and len(name) <= _LONGEST_NAME and _DIGIT.search(other_cells):
            yield name


def _words(name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_WORD.findall(name.casefold())))
