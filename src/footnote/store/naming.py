"""Asks which documents a query names, and looks once more within those alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from footnote.domain import Hit, Ranking
from footnote.index.naming import NamedDocuments, name_terms, named_documents
from footnote.index.ranges import ChunkRanges
from footnote.index.terms import term_ids
from footnote.ports import RecallRequest
from footnote.store.index_cache import IndexState, Posting


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedNames:
    """The terms by which documents may be named; the first is that of all that have names."""

    terms: tuple[int, ...] = ()

    def named(self, postings: Mapping[int, Posting], visible: ChunkRanges) -> NamedDocuments | None:
        """The visible documents that are named; None where none is."""
        if not self.terms:
            return None
        own = {term: postings[term] for term in self.terms}
        return named_documents(own, self.terms[0], visible)


def ask_names(state: IndexState, request: RecallRequest, languages: Sequence[str]) -> AskedNames:
    """What to look up of a query; nothing where it has no names, or none is asked for."""
    names = () if request.names_of is None else request.names_of(languages)
    if not names:
        return AskedNames()
    return AskedNames(terms=tuple(term_ids(state.lexical_key, name_terms(names))))


def lacks_of(named: NamedDocuments | None, *recalled: Iterable[Hit]) -> Mapping[int, float]:
    """For each recalled chunk number, by how much less than the best its document is named."""
    if named is None:
        return {}
    numbers = np.array(sorted({hit.chunk_no for hits in recalled for hit in hits}), dtype=np.int32)
    return dict(zip(numbers.tolist(), named.lacks(numbers).tolist(), strict=True))


def joined(ranking: Ranking, within: Ranking) -> Ranking:
    """Both rankings as one, each hit once; its score does not depend on where it was sought."""
    hits = {hit.chunk_no: hit for hit in (*within, *ranking)}
    return tuple(sorted(hits.values(), key=lambda hit: (-hit.score, hit.chunk_no)))
